// The items of the next showings, loaded and decoded before they are needed. Holding is not showing: the
// time of a showing begins when both of its items are on the screen.

export class Prefetch {
  #held = new Map(); // address of an image → the Image that keeps it in memory
  #frames = document.createElement("div"); // frames out of sight, so that the browser's cache has their pages

  constructor() {
    this.#frames.hidden = true;
    document.body.append(this.#frames);
  }

  /** Keeps the images and frames of these showings, and lets go of all others. */
  hold(showings) {
    const items = showings.flatMap(({ left, right }) => [left, right]);
    const ofKind = (kind) => new Set(items.filter((item) => item?.kind === kind).map((item) => item.src));
    this.#holdFrames(ofKind("frame"));
    const wanted = ofKind("image");
    for (const src of this.#held.keys()) if (!wanted.has(src)) this.#held.delete(src);
    for (const src of wanted) if (!this.#held.has(src)) this.#load(src);
  }

  #holdFrames(wanted) {
    for (const frame of [...this.#frames.children]) {
      if (!wanted.delete(frame.getAttribute("src"))) frame.remove();
    }
    for (const src of wanted) {
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-same-origin");
      frame.src = src;
      this.#frames.append(frame);
    }
  }

  #load(src) {
    const image = new Image();
    this.#held.set(src, image);
    image.src = src;
    // What did not come is asked for again with the next answer, and by the stage itself.
    image.decode().catch(() => this.#held.delete(src));
  }
}
