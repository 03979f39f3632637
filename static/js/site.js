// Small manners that every page shares: menus that close, code that can be copied.

for (const menu of document.querySelectorAll("[data-menu]")) {
  document.addEventListener("pointerdown", (event) => {
    if (menu.open && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest(".code__copy");
  if (!button) return;
  await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
  const before = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
});

// The clipboard exists on secure origins only; elsewhere the button would do nothing and stays hidden.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll(".code__copy")) button.hidden = false;
}
