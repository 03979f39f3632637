// Zooming and panning of pictures: both sides together while they are linked.

import Panzoom from "../../vendor/panzoom-4.6.2.es.js";

const MOST = 8;
const STEP = 0.4; // of the logarithm: one press of a button makes a picture 1.5 times as large
const PAN_STEP = 60; // pixels of the screen
const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Moves the pictures it is given by buttons, wheel, drag, pinch and, in a focused panel, by the arrow keys. */
export class Zoom {
  #pictures = []; // {element, panel, view, stop}
  #linked = true;

  /** Whether the two move together. Linking anew gives the second the view of the first. */
  get linked() {
    return this.#linked;
  }

  set linked(yes) {
    this.#linked = yes;
    if (yes && this.#pictures.length > 0) this.#follow(this.#pictures[0]);
  }

  /** Takes the pictures of a new showing, fitted; those of the one before are let go. */
  take(images) {
    for (const picture of this.#pictures) picture.stop();
    this.#pictures = images.map((element) => this.#adopt(element));
  }

  fit() {
    for (const { view } of this.#pictures) view.reset({ animate: false });
  }

  zoomIn() {
    this.#step(1);
  }

  zoomOut() {
    this.#step(-1);
  }

  #step(direction) {
    for (const { view } of this.#acted()) {
      view.zoom(view.getScale() * Math.exp(direction * STEP), { animate: false });
    }
  }

  // Linked ones follow the first; each of the others is moved by itself.
  #acted() {
    return this.#linked ? this.#pictures.slice(0, 1) : this.#pictures;
  }

  #adopt(element) {
    const panel = element.parentElement;
    const view = Panzoom(element, {
      canvas: true,
      cursor: "",
      maxScale: MOST,
      minScale: 1,
      panOnlyWhenZoomed: true,
      pinchAndPan: true,
    });
    const picture = { element, panel, view };
    const listening = new AbortController();
    const on = (target, type, run, options) =>
      target.addEventListener(type, run, { ...options, signal: listening.signal });
    on(element, "panzoomchange", () => this.#changed(picture));
    on(panel, "wheel", (event) => view.zoomWithWheel(event), { passive: false });
    on(panel, "keydown", (event) => this.#pressed(picture, event));
    panel.tabIndex = 0;
    panel.setAttribute("role", "group");
    panel.setAttribute("aria-label", element.alt);
    picture.stop = () => {
      listening.abort();
      view.destroy();
      view.resetStyle();
      for (const name of ["tabindex", "role", "aria-label", "data-zoomed"]) panel.removeAttribute(name);
    };
    return picture;
  }

  #changed(picture) {
    const { x, y } = picture.view.getPan();
    const zoomed = picture.view.getScale() > 1.001;
    picture.panel.toggleAttribute("data-zoomed", zoomed);
    if (!zoomed && (x !== 0 || y !== 0)) {
      picture.view.pan(0, 0, { force: true, animate: false });
      return;
    }
    if (this.#linked) this.#follow(picture);
  }

  // Both pictures lie in the middle of panels of one size, so that the same view shows the same place.
  #follow(leader) {
    const scale = leader.view.getScale();
    const { x, y } = leader.view.getPan();
    for (const { view, panel } of this.#pictures) {
      if (view === leader.view) continue;
      view.zoom(scale, { force: true, silent: true, animate: false });
      view.pan(x, y, { force: true, silent: true, animate: false });
      panel.toggleAttribute("data-zoomed", scale > 1.001);
    }
  }

  #pressed({ panel, view }, event) {
    const arrow = ARROWS[event.key];
    const modified = event.ctrlKey || event.altKey || event.metaKey;
    if (!arrow || modified || event.target !== panel || !panel.hasAttribute("data-zoomed")) return;
    event.preventDefault(); // at fit the arrows answer; zoomed in, they move
    const step = PAN_STEP / view.getScale();
    view.pan(arrow[0] * step, arrow[1] * step, { relative: true, animate: false });
  }
}
