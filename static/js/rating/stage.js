// The panels: builds items, shows a showing only once all of it is ready, marks a side.

import { splitText } from "./blocks.js";
import { frameLoaded, passKeysOn } from "./frames.js";
import { Tools } from "./tools.js";
import { words } from "./words.js";

const SIDES = ["left", "right"];

export class NotDisplayed extends Error {}

/** Resolves in the frame after the browser has painted; not at all while the page is hidden. */
function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** An item as templates/labeling/_item.html writes it. */
function build(item, name) {
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
  if (item.text) text.replaceChildren(...splitText(item.text));
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

function buildAll(showing) {
  const name = (side) => words(showing.right ? `${side}-item` : "one-item");
  return SIDES.filter((side) => showing[side]).map((side) => build(showing[side], name(side)));
}

/** Resolves when the pictures among `items` are decoded; NotDisplayed when one cannot be. */
async function decoded(items) {
  try {
    await Promise.all(items.filter((item) => item instanceof HTMLImageElement).map((image) => image.decode()));
  } catch (error) {
    throw new NotDisplayed("An image could not be loaded or decoded.", { cause: error });
  }
}

export class Stage {
  #root;
  #tools;

  constructor(root) {
    this.#root = root;
    this.#tools = new Tools(root);
  }

  /** "side_by_side" or "stacked", as the style sheet has laid the panels out. */
  get layout() {
    return getComputedStyle(this.#root).getPropertyValue("--layout").trim();
  }

  /** Whether the two stand in each other's place for comparing; nothing is chosen meanwhile. */
  get swapped() {
    return this.#tools.swapped;
  }

  /** What keys can do to the stage: {act: function}. */
  get acts() {
    return this.#tools.acts;
  }

  /** Resolves when the items that came with the page are on the screen; NotDisplayed when one cannot be. */
  async adopt() {
    const items = [...this.#root.querySelectorAll(".item")];
    for (const text of items.filter((item) => item.matches(".item--text:not(:has(*))"))) {
      text.replaceChildren(...splitText(text.textContent));
    }
    await decoded(items);
    await this.#placed(items);
  }

  /**
   * Puts the showing's items in place, all at once, and calls `placed`; resolves when they are on the
   * screen. NotDisplayed when one could not be loaded: the showing is in place then, but incomplete.
   */
  async show(showing, placed) {
    const items = buildAll(showing);
    try {
      await decoded(items);
    } finally {
      const places = this.#root.querySelectorAll(".panel__item");
      this.#tools.letGo();
      items.forEach((item, index) => places[index].replaceChildren(item));
      this.mark(null);
      placed();
    }
    await this.#placed(items);
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

  async #placed(items) {
    const frames = items.filter((item) => item instanceof HTMLIFrameElement);
    const loaded = await Promise.all(frames.map(frameLoaded));
    if (loaded.includes(false)) throw new NotDisplayed("A frame could not be loaded.");
    for (const frame of frames) passKeysOn(frame);
    this.#tools.take(items);
    await painted();
  }
}
