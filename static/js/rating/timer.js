// How long a pair has been seen, and whether it has been seen long enough to be answered.

/** A press that comes sooner after a pair appeared was meant for the pair before it. */
export const GUARD_MS = 250;

export class Exposure {
  #since = null;

  /** Both items are on the screen from now on. */
  start() {
    this.#since = performance.now();
  }

  /** Nothing can be answered until the next start. */
  stop() {
    this.#since = null;
  }

  get armed() {
    return this.#since !== null && performance.now() - this.#since >= GUARD_MS;
  }

  /** Whole milliseconds since both items were on the screen; 0 while they are not. */
  get elapsedMs() {
    return this.#since === null ? 0 : Math.round(performance.now() - this.#since);
  }
}
