// The two panels: builds items, shows a pair only once both are ready, marks a side.

import { words } from "./words.js";

const SIDES = ["left", "right"];

export class NotDisplayed extends Error {}

/** Resolves in the frame after the browser has painted; not at all while the page is hidden. */
function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** An item as templates/labeling/_item.html writes it. */
function build(item, side) {
  const name = words(`${side}-item`);
  if (item.kind === "image") {
    const image = new Image();
    image.alt = name;
    if (item.width) [image.width, image.height] = [item.width, item.height];
    image.src = item.src;
    return finish(image, item);
  }
  if (item.kind === "frame") {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-same-origin");
    frame.title = name;
    frame.src = item.src;
    return finish(frame, item);
  }
  const text = document.createElement("div");
  text.tabIndex = 0;
  text.setAttribute("role", "region");
  text.setAttribute("aria-label", name);
  if (item.html) text.innerHTML = item.html; // sanitised by the server when it was imported
  else if (item.text) text.textContent = item.text;
  else text.append(empty());
  return finish(text, item);
}

function finish(element, item) {
  element.className = `item item--${item.kind}`;
  return element;
}

function empty() {
  const paragraph = document.createElement("p");
  paragraph.className = "item__empty";
  paragraph.textContent = words("empty");
  return paragraph;
}

export class Stage {
  #root;

  constructor(root) {
    this.#root = root;
  }

  /** "side_by_side" or "stacked", as the style sheet has laid the panels out. */
  get layout() {
    return getComputedStyle(this.#root).getPropertyValue("--layout").trim();
  }

  /** Resolves when the items that came with the page are on the screen; NotDisplayed when one cannot be. */
  async adopt() {
    await this.#decoded(SIDES.map((side) => this.#place(side).querySelector(".item")));
    await painted();
  }

  /**
   * Puts the showing's two items in place, both at once, and calls `placed`; resolves when they are on the
   * screen. NotDisplayed when one could not be loaded: the pair is in place then, but incomplete.
   */
  async show(showing, placed) {
    const items = SIDES.map((side) => build(showing[side], side));
    try {
      await this.#decoded(items);
    } finally {
      SIDES.forEach((side, index) => this.#place(side).replaceChildren(items[index]));
      this.mark(null);
      placed();
    }
    await painted();
  }

  /** Marks `side` with a word, or neither side for null. */
  mark(side, word = "") {
    for (const panel of this.#root.querySelectorAll(".panel")) {
      const chosen = panel.dataset.side === side;
      panel.toggleAttribute("data-chosen", chosen);
      const mark = panel.querySelector("[data-mark]");
      mark.hidden = !chosen;
      mark.textContent = chosen ? `✓ ${word}` : "";
    }
  }

  #place(side) {
    return this.#root.querySelector(`[data-side="${side}"] .panel__item`);
  }

  async #decoded(items) {
    try {
      await Promise.all(items.filter((item) => item instanceof HTMLImageElement).map((image) => image.decode()));
    } catch (error) {
      throw new NotDisplayed("An image could not be loaded or decoded.", { cause: error });
    }
  }
}
