// Sets the chosen theme before anything is painted, so this one script is neither a module nor deferred.
// The account's theme comes with the page; a choice in the menu holds for this browser until the account's changes.
(() => {
  const account = document.documentElement.dataset.accountTheme; // undefined for the signed-out
  const read = () => {
    try {
      return localStorage.getItem("theme") ?? "";
    } catch {
      return account ?? ""; // storage is blocked: the account's or the system's preference holds
    }
  };
  const adopt = () => {
    try {
      if (account === undefined || account === (localStorage.getItem("theme-of-account") ?? "")) return;
      localStorage.setItem("theme-of-account", account);
      localStorage.setItem("theme", account);
    } catch {
      // The page's own mark then holds.
    }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  adopt();
  apply(read());

  document.addEventListener("DOMContentLoaded", () => {
    for (const fieldset of document.querySelectorAll("[data-theme-switch]")) {
      fieldset.hidden = false;
      for (const radio of fieldset.querySelectorAll("input")) radio.checked = radio.value === read();
      fieldset.addEventListener("change", (event) => {
        apply(event.target.value);
        try {
          localStorage.setItem("theme", event.target.value);
        } catch {
          // The choice then holds for this page only.
        }
      });
    }
  });
})();
