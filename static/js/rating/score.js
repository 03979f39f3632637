// The score of an absolute round: a slider from 0 to 1 in the words of the rubric's bands.

import { words } from "./words.js";

const STEP = 0.05;

/** The band that holds `value`, an edge belonging to the upper one; else the two it lies between, in words. */
export function describe(value, anchors) {
  const within = anchors.findLast((anchor) => anchor.from <= value && value <= anchor.to);
  if (within) return within.label;
  const below = anchors.findLast((anchor) => anchor.to < value);
  const above = anchors.find((anchor) => anchor.from > value);
  return below && above ? words("between-bands", { below: below.label, above: above.label }) : "";
}

export class Score {
  #slider;
  #said;
  #bands;
  #anchors = [];
  #set = false;

  constructor(root) {
    this.#slider = root.querySelector("input");
    this.#said = root.querySelector("[data-said]");
    this.#bands = [...root.querySelectorAll("[data-bands] li")];
    // A press on the slider's middle changes no value, but it is a choice.
    for (const type of ["input", "pointerup"]) this.#slider.addEventListener(type, () => this.#put(this.#slider.value));
  }

  /** The score from 0 to 1, or null while the rater has not set it. */
  get value() {
    return this.#set ? Number(this.#slider.value) : null;
  }

  /** Starts anew for a showing: unset, or at the stored answer. */
  fill(showing) {
    this.#anchors = showing.anchors;
    this.#placeBands();
    const stored = showing.current?.score ?? null;
    if (stored !== null) {
      this.#put(stored);
      return;
    }
    this.#set = false;
    this.#slider.value = 0.5;
    this.#slider.removeAttribute("aria-valuetext");
    this.#slider.toggleAttribute("data-unset", true);
    this.#said.textContent = words("score-unset");
  }

  /** Moves by a step in `direction`, -1 or 1. */
  move(direction) {
    this.#put(Number(this.#slider.value) + direction * STEP);
  }

  /** Leads to the slider, when something was to be stored and nothing is set. */
  ask() {
    this.#slider.focus();
  }

  // Each band begins under its place on the slider; the first takes what lies before it.
  #placeBands() {
    const starts = [0, ...this.#anchors.slice(1).map(({ from }) => from), 1];
    this.#bands.forEach((band, index) => {
      band.style.flexGrow = Math.max(starts[index + 1] - starts[index], 0);
    });
  }

  #put(value) {
    this.#slider.value = value;
    this.#set = true;
    const number = Number(this.#slider.value);
    const text = [number.toFixed(2), describe(number, this.#anchors)].filter(Boolean).join(" · ");
    this.#slider.removeAttribute("data-unset");
    this.#slider.setAttribute("aria-valuetext", text);
    this.#said.textContent = text;
  }
}
