// The rating screen: joins keys and buttons, the stage, and the sending of events.

import { Course } from "./rating/course.js";
import { Confidence } from "./rating/confidence.js";
import { askToSignIn, makeModal } from "./rating/dialogs.js";
import { actOf, isField, isHeldPress } from "./rating/keys.js";
import { openOutbox } from "./rating/outbox.js";
import { Prefetch } from "./rating/prefetch.js";
import { newEventId, Sender, Server } from "./rating/protocol.js";
import { fillRubric } from "./rating/rubric.js";
import { answerInWords, hush, say, showProgress, tell } from "./rating/saying.js";
import { Score } from "./rating/score.js";
import { SittingView } from "./rating/sitting.js";
import { NotDisplayed, Stage } from "./rating/stage.js";
import { Exposure } from "./rating/timer.js";
import { words } from "./rating/words.js";

const byId = (id) => document.getElementById(id);
const dataOf = (id) => JSON.parse(byId(id).textContent);
const form = byId("answer-form");
const note = byId("note");
const rubric = byId("rubric");
const skipDialog = byId("skip-dialog");
const skipForm = byId("skip-form");
const homeUrl = document.querySelector(".brand").href;
const packet = Number(form.dataset.packet);

const stage = new Stage(byId("stage"));
const score = byId("score") && new Score(byId("score")); // absolute rounds only
const confidence = byId("confidence") && new Confidence(byId("confidence")); // where the round asks
const sitting = new SittingView(byId("sending").dataset.user, { time: byId("minutes-today"), offer: byId("rest") });
const exposure = new Exposure();
const prefetch = new Prefetch();
const server = new Server(form.elements.csrfmiddlewaretoken.value);
const outbox = await openOutbox(byId("sending").dataset.user);
const first = dataOf("showing-data");
const course = new Course({
  showing: first,
  upcoming: dataOf("upcoming-data"),
  progress: dataOf("progress-data"),
  label: answerInWords,
});
const sender = new Sender({
  server,
  outbox,
  onResult: heard,
  onState: showSending,
  signIn: ({ packet: own }) =>
    askToSignIn(byId("sign-in-dialog"), (credentials) => server.signIn(credentials, own)),
});

/** The mark on the chosen side can be seen for at least so long, however soon the next pair is there. */
const MARK_MS = 40;
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let showing = first; // what is on the screen; null when the next is not known yet
let undoable = first.undo;
let busy = true; // a pair is on its way to the screen
let turning = Promise.resolve(); // changes of the screen, one after another
let stopped = null; // why nothing can be sent now
let waiting = 0;
let lastKind = null; // of the act that was stored last
let hasNoneAhead = false; // and the page says so

// --- what the page says ---------------------------------------------------------------------------

const goOn = () => location.assign(location.pathname);

function tellThatNoneIsAhead() {
  hasNoneAhead = true;
  tell(words("none-ahead"), [[words("try-again"), () => sender.sendNow()]]);
}

/** Hides or shows a button; the focus that stood on one that goes is handed to the page, not lost. */
function setHidden(button, hidden) {
  if (hidden && document.activeElement === button) byId("main").focus();
  button.hidden = hidden;
}

/** "Saved" is said only when all that was done is stored. */
function showSending({ count, stop }) {
  [waiting, stopped] = [count, stop];
  setHidden(byId("send-now"), !stop);
  if (stop) say("waiting", words("waiting", { count }));
  else if (count > 0) say("saving", words("saving"));
  else if (lastKind !== null) say("saved", words(lastKind === "undo" ? "undone" : "saved"));
  if (stop === "gone" || stop === "consent") {
    const again = [words("try-again"), () => sender.sendNow()];
    tell(words(stop), [again, [words("start-page"), () => location.assign(homeUrl)]]);
  } else if (stop && showing === null) {
    tellThatNoneIsAhead();
  } else if (stop && !outbox.lasting) {
    tell(words("not-lasting"), [[words("try-again"), () => sender.sendNow()]]);
  }
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
  setHidden(byId("skip-button"), ["vote", "abstain"].includes(showing.current?.kind));
}

function describeUndo() {
  setHidden(byId("undo-button"), !undoable);
  document.querySelector("[data-undo-label]").textContent = undoable?.label ?? "";
}

// --- showing a pair -------------------------------------------------------------------------------

/** Says in the page whether a choice would be taken now. */
const accept = (yes) => byId("stage").toggleAttribute("data-accepting", yes);

/** Two views of one showing are the same as long as nothing was answered there. */
const stateOf = (shown) => shown && `${shown.token} ${shown.current?.event_id}`;

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

/** Brings the screen to where the course is; with `stay` the present pair stays while it wants an answer. */
async function turn({ stay }) {
  if (course.finishedUrl) {
    location.assign(course.finishedUrl);
    return;
  }
  const before = stateOf(showing);
  const view = course.view(stay ? showing?.token : null);
  ({ showing, undo: undoable } = view);
  showProgress(view.progress);
  describeUndo();
  prefetch.hold(view.ahead);
  byId("stage").hidden = showing === null;
  if (showing !== null && hasNoneAhead) {
    hasNoneAhead = false;
    hush();
  }
  if (showing === null) {
    accept(false);
    exposure.stop();
    busy = false;
    if (stopped) tellThatNoneIsAhead();
  } else if (stateOf(showing) === before) {
    busy = false;
    accept(exposure.armed);
  } else {
    history.replaceState(null, "", location.pathname);
    await present(showPair);
    byId("announcement").textContent = words("next-pair", { progress: words("progress", view.progress) });
  }
}

/** Turns after all turns before it, and after `pause`. */
function turnNext({ stay, pause = Promise.resolve() }) {
  const before = turning;
  turning = (async () => {
    await Promise.allSettled([before, pause]); // what went wrong with one pair does not hold up the next
    await turn({ stay });
  })();
}

// --- answering ------------------------------------------------------------------------------------

function eventOf(kind, { choice = null, reason = "" } = {}) {
  return {
    event_id: newEventId(),
    replaces: showing?.current?.event_id ?? null,
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
  act(showing.token, eventOf("vote", { choice: side }));
}

function storeScore() {
  if (busy || !exposure.armed) return;
  if (score.value === null) score.ask();
  else act(showing.token, eventOf("vote"));
}

function skip(reason) {
  if (!busy && showing) act(showing.token, eventOf(showing.returned ? "abstain" : "skip", { reason }));
}

/** Tells the admin that a pair is broken or offensive; sent in its turn, beside the skip that follows. */
function report(reason, note) {
  if (busy || !showing) return;
  sender.add({ packet, token: showing.token, event: { kind: "report", event_id: newEventId(), reason, note } });
}

function undo() {
  if (busy || !undoable) return;
  // The note of the answer goes on with the pair, so that choosing again does not lose it.
  const { token, event_id: replaces, note: kept } = undoable;
  act(token, { ...eventOf("undo"), replaces, note: kept, response_ms: null });
}

/** Goes on as soon as the act is written down; it is sent when it can be. */
function act(token, event) {
  busy = true;
  accept(false);
  hush();
  if (!stopped) say("saving", words("saving"));
  course.act({ token, event });
  sitting.answered();
  // Whoever sees the next pair can close the tab: the act before it is on the disk.
  const written = sender.add({ packet, token, event });
  turnNext({ stay: false, pause: Promise.all([written, sleep(MARK_MS)]) });
}

/** The server's word on an act of this page, or on one that another page of this account had waiting. */
function heard(entry, result) {
  const isOurs = course.awaits(entry.event.event_id);
  if (result.outcome !== "stored") {
    refused(entry, result, isOurs);
  } else if (isOurs) {
    lastKind = entry.event.kind;
    course.confirm(entry, result.body);
  }
  if (isOurs) turnNext({ stay: true });
}

/** Not stored: says why; where something else stands, that pair is shown again. */
function refused(entry, result, isOurs) {
  if (result.outcome !== "conflict") {
    course.refuse(entry);
    tell(result.message ?? words("refused"), [[words("go-on"), goOn]]);
  } else if (isOurs) {
    course.refuse(entry, result.current);
    const choice = result.current?.choice;
    tell(choice ? words("conflict", { choice: words(choice) }) : words("conflict-open"), [[words("go-on"), goOn]]);
  }
}

// --- keys and buttons -----------------------------------------------------------------------------

const openSkip = () => {
  if (!busy && showing && !byId("skip-button").hidden) skipDialog.showModal();
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
  if (skipForm.querySelector("[name=reason]:checked").hasAttribute("data-report")) report(reason, detail);
  skip(detail ? `${reason}: ${detail}` : reason);
});

byId("send-now").addEventListener("click", () => sender.sendNow());

window.addEventListener("beforeunload", (event) => {
  if (waiting > 0 && !outbox.lasting) event.preventDefault();
});

window.addEventListener("pageshow", (event) => {
  // Coming back with the browser's own copy of the page: it may be an old pair.
  if (event.persisted) location.reload();
});

byId("skip-detail-field").hidden = false;
makeModal(skipDialog, byId("skip-button"));
makeModal(byId("keys-dialog"), byId("keys-button"));
makeModal(byId("sign-in-dialog"));

// What an earlier page of this packet could not send yet is as good as answered.
for (const entry of await outbox.waiting()) {
  if (entry.packet === packet && entry.event.kind !== "report") course.act(entry);
}
score?.fill(showing);
if (stateOf(course.view().showing) === stateOf(first)) await present(() => stage.adopt());
turnNext({ stay: true });
sender.send();
