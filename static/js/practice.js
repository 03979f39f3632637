// Keys of practice: the rater's own for left and right; Enter or the key for right goes on.

import { actOf } from "./rating/keys.js";

const form = document.getElementById("practice-form");
const goOn = document.getElementById("go-on");

document.addEventListener("keydown", (event) => {
  const act = actOf(event);
  if (form && (act === "left" || act === "right")) {
    event.preventDefault();
    form.querySelector(`button[value="${act}"]`).click();
  } else if (goOn && (act === "store" || act === "right")) {
    event.preventDefault();
    goOn.click();
  }
});

form?.addEventListener("submit", (event) => {
  // A second press before the answer is here would be a second post.
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});

document.body.toggleAttribute("data-takes-keys", true); // says in the page that keys are heard now
