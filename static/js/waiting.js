// On a rater's home page: sends the answers that a rating page of this account left waiting.

import { openOutbox } from "./rating/outbox.js";
import { Sender, Server } from "./rating/protocol.js";

const line = document.getElementById("waiting");
const outbox = await openOutbox(line.dataset.user);
const atFirst = (await outbox.waiting()).length;
let notStored = 0;

function say(text, count) {
  line.textContent = text.replace("{count}", count);
  line.hidden = false;
}

function showSending({ count }) {
  if (count > 0) say(line.dataset.waiting, count);
  else if (notStored > 0) say(line.dataset.notStored, notStored);
  // The cards below still count what was stored before.
  else location.reload();
}

if (atFirst > 0) {
  const sender = new Sender({
    server: new Server(document.querySelector("[name=csrfmiddlewaretoken]").value),
    outbox,
    onResult: (_entry, { outcome }) => {
      if (outcome !== "stored") notStored += 1;
    },
    onState: showSending,
    signIn: async () => false,
  });
  sender.send();
}
