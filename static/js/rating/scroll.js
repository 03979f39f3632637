// Scrolling two texts in step: each stands at the same share of its own length.

/** What scrolls and what tells of it: an element itself, or the document inside a frame. */
function scrollerOf(item) {
  if (item instanceof HTMLIFrameElement) {
    return { element: item.contentDocument.scrollingElement, source: item.contentDocument };
  }
  return { element: item, source: item };
}

const roomOf = (element) => element.scrollHeight - element.clientHeight;

export class ScrollTogether {
  #scrollers = []; // {element, source, expected}
  #listening = new AbortController();
  #together = false;

  get together() {
    return this.#together;
  }

  /** Turning it on brings the second to the place of the first. */
  set together(yes) {
    this.#together = yes;
    if (yes && this.#scrollers.length > 0) this.#follow(this.#scrollers[0]);
  }

  /** Takes the texts of a new showing; those of the one before are let go. */
  take(items) {
    this.#listening.abort();
    this.#listening = new AbortController();
    this.#scrollers = items.map((item) => ({ ...scrollerOf(item), expected: null }));
    for (const scroller of this.#scrollers) {
      scroller.source.addEventListener("scroll", () => this.#scrolled(scroller), {
        passive: true,
        signal: this.#listening.signal,
      });
    }
  }

  #scrolled(scroller) {
    const isEcho = scroller.expected !== null && Math.abs(scroller.element.scrollTop - scroller.expected) < 1;
    scroller.expected = null;
    if (this.#together && !isEcho) this.#follow(scroller);
  }

  #follow(leader) {
    const room = roomOf(leader.element);
    const share = room > 0 ? leader.element.scrollTop / room : 0;
    for (const scroller of this.#scrollers) {
      if (scroller === leader) continue;
      const before = scroller.element.scrollTop;
      scroller.element.scrollTo({ top: share * roomOf(scroller.element), behavior: "instant" });
      // No event comes where nothing moved, so none is waited for.
      scroller.expected = scroller.element.scrollTop === before ? null : scroller.element.scrollTop;
    }
  }
}
