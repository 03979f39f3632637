// How long a pair has been seen, and whether it has been seen long enough to be answered.

/** A press that comes sooner after a pair appeared was meant for the pair before it. */
export const GUARD_MS = 250;

export class Exposure {
  #since = null;
  #timer;

  armed = false;

  /** Both items are on the screen from now on; `whenArmed` is called once they can be answered. */
  start(whenArmed) {
    this.stop();
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.armed = true;
      whenArmed();
    }, GUARD_MS);
  }

  /** Nothing can be answered until the next start. */
  stop() {
    clearTimeout(this.#timer);
    this.armed = false;
    this.#since = null;
  }

  /** Whole milliseconds since both items were on the screen; 0 while they are not. */
  get elapsedMs() {
    return this.#since === null ? 0 : Math.round(performance.now() - this.#since);
  }
}
