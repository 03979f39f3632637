// Sets the chosen theme before anything is painted, so this one script is neither a module nor deferred.
(() => {
  const key = "theme";
  const read = () => {
    try {
      return localStorage.getItem(key) ?? "";
    } catch {
      return ""; // storage is blocked: the system's preference holds
    }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  apply(read());

  document.addEventListener("DOMContentLoaded", () => {
    for (const fieldset of document.querySelectorAll("[data-theme-switch]")) {
      fieldset.hidden = false;
      for (const radio of fieldset.querySelectorAll("input")) radio.checked = radio.value === read();
      fieldset.addEventListener("change", (event) => {
        apply(event.target.value);
        try {
          localStorage.setItem(key, event.target.value);
        } catch {
          // The choice then holds for this page only.
        }
      });
    }
  });
})();
