// How long the rater has been at it: time today, and a quiet word about a pause. Kept on this device only.

const PAUSE_MS = 20 * 60 * 1000;
const PAUSE_COUNT = 60;
const AWAY_MS = 5 * 60 * 1000; // whoever answers nothing for so long was away, and has had a pause

const dayOf = (time) => new Date(time).toDateString();

export class Sitting {
  #key;
  #seen; // {at, dayMs, rowMs, rowCount}: the last sign of the rater, and what was counted up to it

  /** `user`: the account's opaque key, so that people at one device are counted apart. */
  constructor(user) {
    this.#key = `tastebench-sitting-${user}`;
    this.#seen = this.#read() ?? { at: Date.now(), dayMs: 0, rowMs: 0, rowCount: 0 };
    this.#goOn(0);
  }

  /** An answer was given. */
  answered() {
    this.#goOn(1);
  }

  /** Whole minutes spent today. */
  get minutesToday() {
    return Math.floor(this.#seen.dayMs / 60000);
  }

  /** Whether 20 minutes or 60 answers in a row have come together. */
  get isLong() {
    return this.#seen.rowMs >= PAUSE_MS || this.#seen.rowCount >= PAUSE_COUNT;
  }

  /** Counts the row anew: the rater has heard of a pause. */
  rest() {
    this.#seen = { ...this.#seen, rowMs: 0, rowCount: 0 };
    this.#write();
  }

  #goOn(answers) {
    const now = Date.now();
    const { at, dayMs, rowMs, rowCount } = this.#seen;
    const gap = Math.max(now - at, 0);
    const wasAway = gap > AWAY_MS;
    const spent = wasAway ? 0 : gap;
    this.#seen = {
      at: now,
      dayMs: (dayOf(at) === dayOf(now) ? dayMs : 0) + spent,
      rowMs: wasAway ? 0 : rowMs + spent,
      rowCount: (wasAway ? 0 : rowCount) + answers,
    };
    this.#write();
  }

  #read() {
    try {
      return JSON.parse(localStorage.getItem(this.#key));
    } catch {
      return null; // storage is blocked, or holds something else
    }
  }

  #write() {
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#seen));
    } catch {
      // It is then counted for this page only.
    }
  }
}

/** Says the time today in the menu, and offers a pause that can be waved away and never stands in the way. */
export class SittingView {
  #sitting;
  #time;
  #offer;

  constructor(user, { time, offer }) {
    this.#sitting = new Sitting(user);
    this.#time = time;
    this.#offer = offer;
    offer.querySelector("button").addEventListener("click", () => this.#dismiss());
    this.#show();
  }

  answered() {
    this.#sitting.answered();
    this.#show();
  }

  #show() {
    this.#time.textContent = this.#sitting.minutesToday;
    this.#time.closest("p").hidden = false;
    this.#offer.hidden = !this.#sitting.isLong;
  }

  #dismiss() {
    this.#sitting.rest();
    this.#offer.hidden = true;
    document.getElementById("main").focus();
  }
}
