// Acts that the server has not confirmed yet, kept where closing the tab does not reach them (IndexedDB).
//
// An entry: {seq, user, packet, token, event, at}: `user` is the opaque key that the server gives each
// account, so that another account on the same browser neither sees nor sends them; `at` is when the act
// was done, in milliseconds since 1970.

const DATABASE = "tastebench-outbox";
const STORE = "acts";

function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

function openDatabase() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(STORE, { keyPath: "seq", autoIncrement: true }).createIndex("user", "user");
  };
  return answered(request);
}

/** The outbox of the account with this key. Where the browser stores nothing it lasts as long as the page. */
export async function openOutbox(user) {
  try {
    return new Outbox(user, await openDatabase());
  } catch {
    return new Outbox(user, null);
  }
}

class Outbox {
  #user;
  #database;
  #inMemory = [];

  constructor(user, database) {
    this.#user = user;
    this.#database = database;
  }

  get user() {
    return this.#user;
  }

  /** Whether what is added survives the closing of the tab. */
  get lasting() {
    return this.#database !== null && this.#inMemory.length === 0;
  }

  /** Resolves once the act is written down; acts added one after another keep their order. */
  async add({ packet, token, event }) {
    const entry = { user: this.#user, packet, token, event, at: Date.now() };
    // Once one act is in memory alone, later ones go there too: stored ones are sent first.
    if (this.#database && this.#inMemory.length === 0) {
      try {
        // Strict: on the disk, not only handed to the system, before anything is sent.
        const transaction = this.#database.transaction(STORE, "readwrite", { durability: "strict" });
        transaction.objectStore(STORE).add(entry);
        transaction.commit();
        await completed(transaction);
        return;
      } catch {
        // The disk is full, or the browser took the store away.
      }
    }
    this.#inMemory.push(entry);
  }

  /** This account's entries in the order in which they were done. */
  async waiting() {
    return [...(await this.#stored((store) => store.index("user").getAll(this.#user))), ...this.#inMemory];
  }

  async remove(entry) {
    if (this.#inMemory.includes(entry)) {
      this.#inMemory.splice(this.#inMemory.indexOf(entry), 1);
      return;
    }
    const transaction = this.#database.transaction(STORE, "readwrite");
    transaction.objectStore(STORE).delete(entry.seq);
    await completed(transaction);
  }

  async #stored(ask) {
    if (!this.#database) return [];
    return answered(ask(this.#database.transaction(STORE).objectStore(STORE)));
  }
}
