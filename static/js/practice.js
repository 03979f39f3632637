// Keys of practice: ← → or 1 2 choose, Enter or → goes on. Loaded only where single keys are on.

const SIDES = { ArrowLeft: "left", ArrowRight: "right", 1: "left", 2: "right" };
const form = document.getElementById("practice-form");
const goOn = document.getElementById("go-on");

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.repeat) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.matches("input, textarea, select")) return;
  const side = SIDES[event.key];
  if (form && side) {
    event.preventDefault();
    form.querySelector(`button[value="${side}"]`).click();
  } else if (goOn && (event.key === "Enter" || event.key === "ArrowRight")) {
    if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
    event.preventDefault();
    goOn.click();
  }
});

form?.addEventListener("submit", (event) => {
  // A second press before the answer is here would be a second post.
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
