// What the page around the stage says: what is saved, how far it is, what went wrong and what can be done.

import { words } from "./words.js";

const byId = (id) => document.getElementById(id);
const notice = byId("notice");

/** One short word on the state of saving; `state` chooses its colour. */
export function say(state, text) {
  byId("save-state").dataset.state = state;
  byId("save-state").textContent = text;
}

/** Shows a sentence and what can be done: actions are [words, what to do]. */
export function tell(text, actions) {
  notice.querySelector("[data-text]").textContent = text;
  notice.querySelector("[data-actions]").replaceChildren(
    ...actions.map(([label, run]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = label;
      button.addEventListener("click", () => {
        hush();
        run();
      });
      return button;
    }),
  );
  notice.hidden = false;
}

export function hush() {
  notice.hidden = true;
}

export function showProgress({ done, total }) {
  document.querySelector("[data-progress-label]").textContent = words("progress", { done, total });
  const bar = document.querySelector(".bar__progress progress");
  bar.max = total;
  bar.value = done;
}

/** The words of an answer that undo would take back. */
export function answerInWords({ position }, { kind, choice, score }) {
  const what = choice ? words(choice) : (score?.toFixed(2) ?? words(kind));
  return position === undefined ? what : words("answer", { position, what });
}
