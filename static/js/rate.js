// The rating screen: joins keys and buttons, the stage, and the sending of events.

import { Confidence } from "./rating/confidence.js";
import { askToSignIn, makeModal } from "./rating/dialogs.js";
import { actOf, isField, isHeldPress } from "./rating/keys.js";
import { newEventId, Sender } from "./rating/protocol.js";
import { fillRubric } from "./rating/rubric.js";
import { Score } from "./rating/score.js";
import { NotDisplayed, Stage } from "./rating/stage.js";
import { Exposure } from "./rating/timer.js";
import { words } from "./rating/words.js";

const byId = (id) => document.getElementById(id);
const form = byId("answer-form");
const note = byId("note");
const rubric = byId("rubric");
const skipDialog = byId("skip-dialog");
const skipForm = byId("skip-form");
const notice = byId("notice");
const homeUrl = document.querySelector(".brand").href;

const stage = new Stage(byId("stage"));
const score = byId("score") && new Score(byId("score")); // absolute rounds only
const confidence = byId("confidence") && new Confidence(byId("confidence")); // where the round asks
const exposure = new Exposure();
const sender = new Sender({
  csrfToken: form.elements.csrfmiddlewaretoken.value,
  packet: Number(form.dataset.packet),
  onWaiting: showWaiting,
  signIn: (attempt) => askToSignIn(byId("sign-in-dialog"), attempt),
});

/** The mark on the chosen side can be seen for at least so long, however fast the server is. */
const MARK_MS = 80;
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let showing = JSON.parse(byId("showing-data").textContent);
let waiting = 0;
let busy = true; // an answer is on its way, or the next pair is

// --- what the page says ---------------------------------------------------------------------------

function say(state, text) {
  byId("save-state").dataset.state = state;
  byId("save-state").textContent = text;
}

function showWaiting(count) {
  waiting = count;
  if (count === 0 && document.activeElement === byId("send-now")) byId("main").focus();
  byId("send-now").hidden = count === 0;
  if (count > 0) say("waiting", words("waiting", { count }));
}

/** Shows a sentence and what can be done: actions are [words, what to do]. */
function tell(text, actions) {
  notice.querySelector("[data-text]").textContent = text;
  notice.querySelector("[data-actions]").replaceChildren(
    ...actions.map(([label, run]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = label;
      button.addEventListener("click", () => {
        notice.hidden = true;
        run();
      });
      return button;
    }),
  );
  notice.hidden = false;
}

const goOn = () => location.assign(location.pathname);

function showProgress(progress) {
  document.querySelector("[data-progress-label]").textContent = progress.label;
  const bar = document.querySelector(".bar__progress progress");
  bar.max = progress.total;
  bar.value = progress.done;
}

function markStoredChoice() {
  if (showing.current?.kind === "vote") stage.mark(showing.current.choice, words("your-answer"));
}

/** Everything around the stage that belongs to the present showing. */
function describe() {
  fillRubric(byId("task"), showing);
  score?.fill(showing);
  confidence?.fill(showing);
  note.value = showing.current?.note ?? "";
  skipForm.reset();
  for (const part of document.querySelectorAll("[data-first-time]")) part.hidden = showing.returned;
  for (const part of document.querySelectorAll("[data-returned]")) part.hidden = !showing.returned;
  byId("skip-button").hidden = ["vote", "abstain"].includes(showing.current?.kind);
  byId("undo-button").hidden = !showing.undo;
  document.querySelector("[data-undo-label]").textContent = showing.undo?.label ?? "";
}

// --- showing a pair -------------------------------------------------------------------------------

/** Says in the page whether a choice would be taken now. */
const accept = (yes) => byId("stage").toggleAttribute("data-accepting", yes);

/** Waits until `display` has put both items on the screen, then lets them be judged. */
async function present(display) {
  busy = true;
  accept(false);
  exposure.stop();
  try {
    await display();
  } catch (error) {
    if (!(error instanceof NotDisplayed)) throw error;
    tell(words("not-displayed"), [[words("try-again"), () => present(showPair)]]);
    busy = false;
    return;
  }
  markStoredChoice();
  exposure.start(() => accept(!busy));
  busy = false;
}

const showPair = () => stage.show(showing, describe);

// --- answering ------------------------------------------------------------------------------------

function eventOf(kind, { choice = null, reason = "" } = {}) {
  return {
    event_id: newEventId(),
    replaces: showing.current?.event_id ?? null,
    kind,
    choice,
    score: kind === "vote" ? (score?.value ?? null) : null,
    confidence: kind === "vote" ? (confidence?.value ?? null) : null,
    note: note.value,
    reason,
    layout: stage.layout,
    response_ms: exposure.elapsedMs,
  };
}

function choose(side) {
  if (busy || !exposure.armed || stage.swapped) return;
  stage.mark(side, words("chosen"));
  deliver(showing.token, eventOf("vote", { choice: side }));
}

function storeScore() {
  if (busy || !exposure.armed) return;
  if (score.value === null) score.ask();
  else deliver(showing.token, eventOf("vote"));
}

function skip(reason) {
  if (!busy) deliver(showing.token, eventOf(showing.returned ? "abstain" : "skip", { reason }));
}

function undo() {
  if (busy || !showing.undo) return;
  const { token, event_id: replaces } = showing.undo;
  deliver(token, { ...eventOf("undo"), replaces, note: "", response_ms: null });
}

async function deliver(token, event) {
  busy = true;
  accept(false);
  notice.hidden = true;
  say("saving", words("saving"));
  const [result] = await Promise.all([sender.send(token, event), sleep(MARK_MS)]);
  if (result.outcome === "stored") {
    await stored(event, result.body);
  } else {
    say("", "");
    refused(token, event, result);
  }
}

async function stored(event, { progress, next, finished_url: finishedUrl }) {
  say("saved", words(event.kind === "undo" ? "undone" : "saved"));
  showProgress(progress);
  if (finishedUrl) {
    location.assign(finishedUrl);
    return;
  }
  showing = next;
  history.replaceState(null, "", location.pathname);
  await present(showPair);
  byId("announcement").textContent = words("next-pair", { progress: progress.label });
}

/** Nothing was stored: says why, and puts the pair back so that the rater can go on. */
function refused(token, event, result) {
  stage.mark(null);
  busy = false;
  accept(exposure.armed);
  if (result.outcome === "conflict") {
    if (token === showing.token) showing = { ...showing, current: result.current };
    markStoredChoice();
    const choice = result.current?.choice;
    tell(choice ? words("conflict", { choice: words(choice) }) : words("conflict-open"), [[words("go-on"), goOn]]);
  } else if (result.outcome === "closed") {
    tell(result.message, [[words("go-on"), goOn]]);
  } else if (result.outcome === "gone") {
    const again = [words("try-again"), () => deliver(token, event)];
    tell(words("gone"), [again, [words("start-page"), () => location.assign(homeUrl)]]);
  } else {
    tell(result.message ?? words("refused"), [[words("go-on"), goOn]]);
  }
}

// --- keys and buttons -----------------------------------------------------------------------------

const openSkip = () => {
  if (!busy && !byId("skip-button").hidden) skipDialog.showModal();
};

function leave() {
  if (rubric.open) rubric.open = false;
  else if (document.activeElement === note) byId("main").focus();
}

const ACTS = {
  ...stage.acts,
  ...(score
    ? { left: () => score.move(-1), right: () => score.move(1), store: storeScore }
    : { left: () => choose("left"), right: () => choose("right") }),
  ...(confidence?.acts ?? {}),
  undo,
  skip: openSkip,
  note: () => note.focus(),
  rubric: () => {
    rubric.open = !rubric.open;
  },
  help: () => byId("keys-dialog").showModal(),
  escape: leave,
};

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  if (isHeldPress(event) && !isField(event.target)) event.preventDefault();
  const act = actOf(event);
  if (!Object.hasOwn(ACTS, act)) return;
  if (act !== "escape") event.preventDefault();
  ACTS[act]();
});

form.addEventListener("click", (event) => {
  // The second press of a double click was meant for the pair that is gone.
  if (event.detail > 1 && event.target.closest(".choose")) event.preventDefault();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter?.name === "choice") choose(event.submitter.value);
  else if (score) storeScore();
});

byId("undo-form").addEventListener("submit", (event) => {
  event.preventDefault();
  undo();
});

skipForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const reason = skipForm.elements.reason.value;
  const detail = byId("skip-detail").value.trim();
  skipDialog.close();
  skip(detail ? `${reason}: ${detail}` : reason);
});

byId("send-now").addEventListener("click", () => sender.sendNow());

window.addEventListener("beforeunload", (event) => {
  if (waiting > 0) event.preventDefault();
});

window.addEventListener("pageshow", (event) => {
  // Coming back with the browser's own copy of the page: it may be an old pair.
  if (event.persisted) location.reload();
});

byId("skip-detail-field").hidden = false;
makeModal(skipDialog, byId("skip-button"));
makeModal(byId("keys-dialog"), byId("keys-button"));
makeModal(byId("sign-in-dialog"));
score?.fill(showing);
present(() => stage.adopt());
