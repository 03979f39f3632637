// Talking to the server so that nothing is lost and nothing doubled: each act is written to the outbox
// first, sent in order under an id of its own, and taken out once the server has said what became of it.
//
// A showing: {token, task, question, cues: [text], brief, condition, non_criteria: [text],
//   anchors: [{range, from, to, label}], asks_confidence, left and right: {kind: image|text|html|frame,
//   src, html, text, width, height} (right null in absolute rounds),
//   current: {event_id, kind, choice, score, confidence, note} | null, returned, position}
// An event: {event_id, replaces, kind, choice, score, confidence, note, reason, layout, response_ms}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30000;
const PUT_OFF_MS = 600000; // sign-in was put off, or the account is another; "send now" asks again at once
const TIMEOUT_MS = 20000;
const LONGEST_WAITED_MS = 30 * 24 * 3600 * 1000; // what the server takes

/** A version 4 UUID, also on plain-http addresses, where crypto.randomUUID does not exist. */
export function newEventId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** What became of a sent act. "unreachable", "signed-out", "consent" and "gone" leave it waiting; the others end it. */
function outcomeOf({ status, body }) {
  if (status === 200 || status === 201) return { outcome: "stored", body };
  if (status === 409 && body?.closed) return { outcome: "closed", message: body.error };
  if (status === 409) return { outcome: "conflict", current: body?.current ?? null };
  if (status === 400) return { outcome: "refused", message: body?.error ?? null };
  if (status === 401) return { outcome: "signed-out" };
  if (status === 403 && body?.consent_url) return { outcome: "consent" };
  // Another account is signed in by now, or this one may not rate any more.
  if (status === 403 || status === 404) return { outcome: "gone" };
  return { outcome: "unreachable" };
}

const WAITS = ["unreachable", "signed-out", "consent", "gone"];

/** Requests in JSON, with the CSRF token renewed when a sign-in elsewhere has changed it. */
export class Server {
  #csrfToken;

  constructor(csrfToken) {
    this.#csrfToken = csrfToken;
  }

  async deliver({ token, event, at }) {
    const waited = Math.min(Math.max(Date.now() - at, 0), LONGEST_WAITED_MS);
    const place = event.kind === "report" ? "reports" : "events";
    const url = `/showings/${encodeURIComponent(token)}/${place}/`;
    return outcomeOf(await this.#post(url, { ...event, waited_ms: waited }));
  }

  /** null once signed in, else {offline, message}. Only the packet's own rater is let in. */
  async signIn(credentials, packet) {
    const { status, body } = await this.#post("/sign-in/inline/", { ...credentials, packet });
    if (status === 200) {
      if (body.csrf_token) this.#csrfToken = body.csrf_token;
      return null;
    }
    return { offline: status === 0 || status >= 500, message: body?.error ?? null };
  }

  async #post(url, payload) {
    let answer = await this.#request("POST", url, payload);
    if (answer.status === 403 && !answer.body?.error && !answer.body?.consent_url) {
      const fresh = await this.#request("GET", "/csrf/");
      if (fresh.status !== 200) return fresh.status === 403 ? answer : fresh;
      this.#csrfToken = fresh.body.csrf_token;
      answer = await this.#request("POST", url, payload);
    }
    return answer;
  }

  /** {status, body}: status 0 when no answer came; body null when it is no JSON. */
  async #request(method, url, payload) {
    try {
      const response = await fetch(url, {
        method,
        headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": this.#csrfToken },
        body: payload === undefined ? undefined : JSON.stringify(payload),
        credentials: "same-origin",
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      // The protocol never redirects: whoever does so is asking for a sign-in.
      if (response.type === "opaqueredirect") return { status: 401, body: null };
      const body = await response.json().catch(() => null);
      // A success without its JSON came from something in between; what was sent may be stored or not.
      return { status: response.ok && body === null ? 0 : response.status, body };
    } catch {
      return { status: 0, body: null };
    }
  }
}

export class Sender {
  #server;
  #outbox;
  #onResult;
  #onState;
  #signIn;
  #channel;
  #running = false;
  #again = false;
  #troubled = null;
  #wake = () => {};

  /**
   * onResult(entry, result): the server's word on an entry, sent by this tab or by another of this account.
   * onState({count, stop}): how many entries wait, and why none can be sent now ("unreachable",
   * "signed-out", "consent", "gone") or null. signIn(entry): resolves to true when signed in again.
   */
  constructor({ server, outbox, onResult, onState, signIn }) {
    this.#server = server;
    this.#outbox = outbox;
    this.#onResult = onResult;
    this.#onState = onState;
    this.#signIn = signIn;
    this.#channel = new BroadcastChannel(`tastebench-outbox-${outbox.user}`);
    this.#channel.onmessage = ({ data }) => {
      onResult(data.entry, data.result);
      this.#report();
    };
    window.addEventListener("online", () => this.sendNow());
  }

  /** Writes an act down, then sends it in its turn. Resolves when it is written down. */
  async add(act) {
    await this.#outbox.add(act);
    this.#report();
    this.send();
  }

  /** Tries again at once instead of at the end of the present wait. */
  sendNow() {
    this.send();
    this.#wake();
  }

  /** Sends all that waits, however long it takes. */
  async send() {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    while (this.#again) {
      this.#again = false;
      await this.#untilEmpty();
    }
    this.#running = false;
  }

  async #untilEmpty() {
    let wait = FIRST_WAIT_MS;
    for (;;) {
      const { stop, entry, sent } = await this.#alone(() => this.#pass());
      this.#troubled = stop;
      this.#report();
      if (stop === null) return;
      if (sent) wait = FIRST_WAIT_MS;
      if (stop === "signed-out" && (await this.#signIn(entry))) continue;
      await this.#pause(stop === "unreachable" ? wait : PUT_OFF_MS);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  /** One tab of an account sends at a time; where the browser has no locks, the server's ids suffice. */
  #alone(pass) {
    if (!navigator.locks) return pass();
    return navigator.locks.request(`tastebench-outbox-${this.#outbox.user}`, pass);
  }

  /** Sends entry by entry until none waits or one cannot be sent. */
  async #pass() {
    for (let sent = 0; ; sent += 1) {
      const [entry] = await this.#outbox.waiting();
      if (!entry) return { stop: null, entry, sent };
      const result = await this.#server.deliver(entry);
      if (WAITS.includes(result.outcome)) return { stop: result.outcome, entry, sent };
      await this.#outbox.remove(entry);
      this.#troubled = null;
      this.#channel.postMessage({ entry, result });
      this.#onResult(entry, result);
      this.#report();
    }
  }

  async #report() {
    this.#onState({ count: (await this.#outbox.waiting()).length, stop: this.#troubled });
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
