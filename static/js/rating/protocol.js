// Talking to the server so that nothing is lost and nothing doubled. Everything that leaves the page goes
// through Sender, so that a store of unsent answers can stand behind it without changes elsewhere.
//
// A showing: {token, question, cues: [text], brief, condition, non_criteria: [text], anchors: [{range, label}],
//   left and right: {kind: image|text|html|frame, src, html, text, width, height},
//   current: {event_id, kind, choice, note} | null, returned, position, undo: {token, event_id, label} | null}
// An event: {event_id, replaces, kind, choice, note, reason, layout, response_ms}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30000;
const PUT_OFF_MS = 600000; // sign-in was put off; "send now" asks again at once
const TIMEOUT_MS = 20000;

/** A version 4 UUID, also on plain-http addresses, where crypto.randomUUID does not exist. */
export function newEventId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export class Sender {
  #csrfToken;
  #packet;
  #onWaiting;
  #signIn;
  #wake = () => {};

  /**
   * csrfToken, packet (id): the page's. onWaiting(count): called with 1 when an answer could not be delivered yet, with 0
   * when it was. signIn(attempt): asks for name and password, calls attempt({username, password}) until it
   * answers null (signed in), and resolves to true, or to false when put off.
   */
  constructor({ csrfToken, packet, onWaiting, signIn }) {
    this.#csrfToken = csrfToken;
    this.#packet = packet;
    this.#onWaiting = onWaiting;
    this.#signIn = signIn;
    window.addEventListener("online", () => this.sendNow());
  }

  /** Tries again at once instead of at the end of the present wait. */
  sendNow() {
    this.#wake();
  }

  /**
   * Delivers `event` for the showing, however long it takes, always under the same event_id. Resolves to
   * {outcome: "stored", body}, {outcome: "conflict", current}, {outcome: "closed", message},
   * {outcome: "gone"} or {outcome: "refused", message}.
   */
  async send(token, event) {
    const { status, body } = await this.#deliver(`/showings/${encodeURIComponent(token)}/events/`, event);
    if (status === 200 || status === 201) return { outcome: "stored", body };
    if (status === 409 && body?.closed) return { outcome: "closed", message: body.error };
    if (status === 409) return { outcome: "conflict", current: body?.current ?? null };
    if (status === 404) return { outcome: "gone" };
    return { outcome: "refused", message: body?.error ?? null };
  }

  async #deliver(url, payload) {
    let wait = FIRST_WAIT_MS;
    try {
      for (;;) {
        const answer = await this.#post(url, payload);
        if (answer.status === 401) {
          this.#onWaiting(1);
          if (await this.#signIn((credentials) => this.#attemptSignIn(credentials))) continue;
          await this.#pause(PUT_OFF_MS);
        } else if (answer.status === 0 || answer.status === 429 || answer.status >= 500) {
          this.#onWaiting(1);
          await this.#pause(wait);
          wait = Math.min(wait * 2, LONGEST_WAIT_MS);
        } else {
          return answer;
        }
      }
    } finally {
      this.#onWaiting(0);
    }
  }

  /** null once signed in, else {offline, message}. Only the packet's own rater is let in. */
  async #attemptSignIn(credentials) {
    const { status, body } = await this.#post("/sign-in/inline/", { ...credentials, packet: this.#packet });
    if (status === 200) {
      if (body.csrf_token) this.#csrfToken = body.csrf_token;
      return null;
    }
    return { offline: status === 0 || status >= 500, message: body?.error ?? null };
  }

  /** Posts JSON; a stale CSRF token (signed in anew in another tab) is fetched again once. */
  async #post(url, payload) {
    let answer = await this.#request("POST", url, payload);
    if (answer.status === 403 && !answer.body?.error) {
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
