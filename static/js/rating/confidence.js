// How sure the rater is, from 0.5 (a guess) to 1 (certain), where the round asks; it can be left out.

/** Keys 3 to 8 stand for 50 % to 100 %. */
const FIRST_KEY = 3;

export class Confidence {
  #select;

  constructor(select) {
    this.#select = select;
    // A choice made by pointer gives the keys back to the pair; one made by keyboard keeps its focus.
    let byPointer = false;
    select.addEventListener("pointerdown", () => (byPointer = true));
    select.addEventListener("keydown", () => (byPointer = false));
    select.addEventListener("change", () => {
      if (byPointer) document.getElementById("main").focus();
    });
  }

  /** A number from 0.5 to 1, or null where nothing was said. */
  get value() {
    return this.#select.value === "" ? null : Number(this.#select.value);
  }

  /** Starts anew for a showing: left out, or as stored. */
  fill(showing) {
    const stored = showing.current?.confidence ?? null;
    this.#select.value = stored === null ? "" : stored.toFixed(1);
  }

  /** What the keys 3 to 8 do: {act: function}. The same key once more takes it back. */
  get acts() {
    const values = [...this.#select.options].map((option) => option.value).filter(Boolean);
    return Object.fromEntries(
      values.map((value, index) => [`confidence-${FIRST_KEY + index}`, () => this.#press(value)]),
    );
  }

  #press(value) {
    this.#select.value = this.#select.value === value ? "" : value;
  }
}
