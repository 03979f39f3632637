// While a key or the button is held, the two panels stand in each other's place.

export class Swap {
  #stage;
  #button;

  /** `button` is null where there is one item only. */
  constructor(stage, button) {
    this.#stage = stage;
    this.#button = button;
    if (button) this.#listen(button);
    for (const [target, type] of [
      [document, "keyup"],
      [window, "blur"],
      [document, "visibilitychange"],
    ]) {
      target.addEventListener(type, () => this.stop());
    }
  }

  get on() {
    return this.#stage.hasAttribute("data-swapped");
  }

  start() {
    if (this.#button) this.#show(true);
  }

  stop() {
    if (this.on) this.#show(false);
  }

  #show(yes) {
    this.#stage.toggleAttribute("data-swapped", yes);
    this.#button.setAttribute("aria-pressed", String(yes));
  }

  #listen(button) {
    button.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      button.setPointerCapture(event.pointerId);
      this.start();
    });
    for (const type of ["pointerup", "pointercancel"]) button.addEventListener(type, () => this.stop());
    // A long touch would open the browser's menu over the panels.
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    button.addEventListener("keydown", (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      this.start();
    });
    // A click without pointer or key comes from assistive technology, which cannot hold: it turns on and off.
    button.addEventListener("click", (event) => {
      if (event.detail === 0) this.#show(!this.on);
    });
  }
}
