// The bar under the stage: zoom for pictures, scrolling in step for texts, swapping for both.

import { passThemeOn } from "./frames.js";
import { ScrollTogether } from "./scroll.js";
import { Swap } from "./swap.js";
import { Zoom } from "./zoom.js";

const byId = (id) => document.getElementById(id);

export class Tools {
  #zoom = new Zoom();
  #scroll = new ScrollTogether();
  #swap;

  constructor(stage) {
    this.#swap = new Swap(stage, byId("swap-button"));
    byId("zoom-out").addEventListener("click", () => this.#zoom.zoomOut());
    byId("zoom-fit").addEventListener("click", () => this.#zoom.fit());
    byId("zoom-in").addEventListener("click", () => this.#zoom.zoomIn());
    byId("zoom-linked")?.addEventListener("change", (event) => (this.#zoom.linked = event.target.checked));
    byId("scroll-together")?.addEventListener("change", (event) => (this.#scroll.together = event.target.checked));
    new MutationObserver(() => passThemeOn(stage)).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
  }

  get swapped() {
    return this.#swap.on;
  }

  get acts() {
    return {
      swap: () => this.#swap.start(),
      "zoom-in": () => this.#zoom.zoomIn(),
      "zoom-out": () => this.#zoom.zoomOut(),
      "zoom-fit": () => this.#zoom.fit(),
    };
  }

  /** Takes the items of a new showing, and offers what can be done with them. */
  take(items) {
    const images = items.filter((item) => item instanceof HTMLImageElement);
    const texts = items.filter((item) => !(item instanceof HTMLImageElement));
    this.#zoom.take(images);
    this.#scroll.take(texts);
    byId("tools").hidden = items.length < 2 && images.length === 0;
    byId("zoom-tools").hidden = images.length === 0;
    for (const [id, enough] of [
      ["zoom-linked", images.length > 1],
      ["scroll-together", texts.length > 1],
    ]) {
      if (byId(id)) byId(id).closest("label").hidden = !enough;
    }
  }

  /** Lets the items go before others take their place. */
  letGo() {
    this.#swap.stop();
    this.#zoom.take([]);
    this.#scroll.take([]);
  }
}
