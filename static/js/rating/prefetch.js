// The images of the next showings, loaded and decoded before they are needed. Holding is not showing: the
// time of a showing begins when both of its items are on the screen.

export class Prefetch {
  #held = new Map(); // address of an image → the Image that keeps it in memory

  /** Keeps the images of these showings, and lets go of all others. */
  hold(showings) {
    const items = showings.flatMap(({ left, right }) => [left, right]);
    const wanted = new Set(items.filter((item) => item?.kind === "image").map((item) => item.src));
    for (const src of this.#held.keys()) if (!wanted.has(src)) this.#held.delete(src);
    for (const src of wanted) if (!this.#held.has(src)) this.#load(src);
  }

  #load(src) {
    const image = new Image();
    this.#held.set(src, image);
    image.src = src;
    // What did not come is asked for again with the next answer, and by the stage itself.
    image.decode().catch(() => this.#held.delete(src));
  }
}
