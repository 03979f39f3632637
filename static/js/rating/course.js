// What to show next, without waiting for the server: its last word, with the acts that it has not confirmed
// yet played on top. Knows no page and sends nothing.

const PREFETCHED = 3; // labeling/serving.py: fewer ahead means that there are no more
const REMEMBERED = 20; // confirmed answers of this page that can be undone without the server

const settles = (current) => ["vote", "abstain"].includes(current?.kind);

export class Course {
  #label;
  #known = new Map(); // token → showing as the server last told it
  #base;
  #pending = [];
  #history = []; // confirmed answers of this page that stand: {token, event_id, label, note}
  #pinned = null;
  #onScreen = null; // token of the showing that `view` gave last

  /** label(showing, event): the words of an answer that undo would take back. */
  constructor({ showing, upcoming, progress, label }) {
    this.#label = label;
    this.#take({ next: showing, upcoming, progress, finished_url: null });
  }

  /** Where the rater is sent once nothing is left, or null. */
  get finishedUrl() {
    return this.#pending.length === 0 ? this.#base.finishedUrl : null;
  }

  /** The rater did this, or had done it before the page was opened. */
  act({ token, event }) {
    this.#pending.push({ token, event });
    if (token === this.#pinned) this.#pinned = null;
  }

  /** Whether this page waits for the server's word on the event. */
  awaits(eventId) {
    return this.#pending.some(({ event }) => event.event_id === eventId);
  }

  /** The server stored the act and told how things stand since. */
  confirm({ token, event }, body) {
    this.#drop(event);
    this.#history = this.#history.filter((past) => past.event_id !== event.replaces).slice(1 - REMEMBERED);
    if (event.kind !== "undo") this.#history.push(this.#undoOf(this.#known.get(token) ?? { token }, event));
    this.#take(body);
  }

  /** The server did not store the act. With `current`, what stands at the showing, it is shown again. */
  refuse({ token, event }, current) {
    this.#drop(event);
    if (current === undefined || !this.#known.has(token)) return;
    this.#known.set(token, { ...this.#known.get(token), current });
    this.#pinned = token;
  }

  /**
   * {showing, ahead, undo, progress: {done, total}}: showing is null while the next one is unknown, undo is
   * {token, event_id, label, note} or null. `stay` names the showing on the screen: it stays as long as it wants an
   * answer.
   */
  view(stay = null) {
    const played = { order: [...this.#base.order], changed: new Map(), done: this.#base.progress.done };
    played.undo = this.#undoable();
    for (const act of this.#pending) this.#play(played, act);
    const first = this.#pinned ?? (this.#stillWanted(stay, played) ? stay : null);
    const order = first === null ? played.order : [first, ...played.order.filter((token) => token !== first)];
    const ahead = order.slice(1).filter((token) => this.#known.has(token));
    this.#onScreen = this.#known.has(order[0]) ? order[0] : null;
    return {
      showing: this.#onScreen && this.#showing(this.#onScreen, played),
      ahead: ahead.map((token) => this.#showing(token, played)),
      undo: played.undo.at(-1) ?? null,
      progress: { done: played.done, total: this.#base.progress.total },
    };
  }

  #take({ next, upcoming, progress, finished_url: finishedUrl }) {
    const showings = next ? [next, ...upcoming] : [];
    for (const showing of showings) this.#known.set(showing.token, showing);
    this.#base = {
      order: showings.map(({ token }) => token),
      isWhole: upcoming.length < PREFETCHED,
      progress,
      undo: next ? next.undo : (this.#history.at(-1) ?? null),
      finishedUrl,
    };
    const answering = this.#pending.map(({ token }) => token);
    const needed = [...this.#base.order, ...answering, this.#pinned, this.#onScreen];
    const kept = new Set([...needed, ...this.#history.map(({ token }) => token)]);
    for (const token of this.#known.keys()) if (!kept.has(token)) this.#known.delete(token);
  }

  #drop({ event_id: eventId }) {
    this.#pending = this.#pending.filter(({ event }) => event.event_id !== eventId);
  }

  #undoOf(showing, event) {
    return {
      token: showing.token,
      event_id: event.event_id,
      label: this.#label(showing, event),
      note: event.note,
    };
  }

  /**
   * Whether the showing on the screen may stay. The server names few showings: with several acts unconfirmed
   * the one on the screen can lie beyond those, which says nothing against it.
   */
  #stillWanted(token, { order }) {
    if (order.includes(token)) return true;
    const isAnswered = this.#pending.some((act) => act.token === token);
    return this.#known.has(token) && !isAnswered && !this.#base.isWhole;
  }

  /** What can be undone before the pending acts, last at the end. */
  #undoable() {
    if (!this.#base.undo) return [];
    const index = this.#history.findIndex(({ event_id: eventId }) => eventId === this.#base.undo.event_id);
    return index < 0 ? [this.#base.undo] : this.#history.slice(0, index + 1);
  }

  #showing(token, { changed }) {
    return { ...this.#known.get(token), ...changed.get(token) };
  }

  #play(played, { token, event }) {
    const before = this.#showing(token, played);
    played.order = played.order.filter((other) => other !== token);
    played.undo = played.undo.filter((past) => past.event_id !== event.replaces);
    if (event.kind === "undo") played.order.unshift(token);
    else played.undo.push(this.#undoOf({ ...before, token }, event));
    // A skipped showing comes back after all others, once it is known that these are all.
    if (event.kind === "skip" && this.#base.isWhole) played.order.push(token);
    played.done += settles(event) - settles(before.current);
    const returned = event.kind === "skip" || (before.returned && before.current?.kind !== "skip");
    played.changed.set(token, { current: event, returned });
  }
}
