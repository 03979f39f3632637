// The page's dialogs: modal with JavaScript, popovers without it.

import { words } from "./words.js";

/** Makes a `<dialog popover>` modal: its buttons open and close it, and nothing behind it can be pressed. */
export function makeModal(dialog, opener) {
  dialog.removeAttribute("popover");
  opener?.removeAttribute("popovertarget");
  opener?.addEventListener("click", () => dialog.showModal());
  for (const button of dialog.querySelectorAll("[data-close]")) {
    button.removeAttribute("popovertarget");
    button.removeAttribute("popovertargetaction");
    button.addEventListener("click", () => dialog.close());
  }
}

/**
 * Asks for name and password in place. attempt({username, password}) answers null when signed in, else
 * {offline, message}. Resolves to true when signed in, to false when put off.
 */
export function askToSignIn(dialog, attempt) {
  const form = dialog.querySelector("form");
  const failure = dialog.querySelector("[role=alert]");
  failure.hidden = true;
  dialog.showModal();
  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      const { username, password } = form.elements;
      const refusal = await attempt({ username: username.value, password: password.value });
      if (refusal === null) {
        password.value = "";
        dialog.close("signed-in");
        return;
      }
      failure.hidden = false;
      failure.querySelector("div").textContent =
        refusal.message ?? words(refusal.offline ? "sign-in-offline" : "sign-in-failed");
      password.select();
    };
    dialog.onclose = () => {
      const signedIn = dialog.returnValue === "signed-in";
      dialog.returnValue = "";
      resolve(signedIn);
    };
  });
}
