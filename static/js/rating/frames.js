// Formatted items in their frames: no script runs in there, so the page listens from outside.

/** Whether the document in a frame is an item, and no error page. */
const holdsItem = (frame) => frame.contentDocument?.body?.hasAttribute("data-item") ?? false;

/** Resolves to whether the frame holds its item once it has loaded. */
export async function frameLoaded(frame) {
  const isDone = () => frame.contentDocument?.readyState === "complete" && frame.contentDocument.URL !== "about:blank";
  if (!isDone()) await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  return holdsItem(frame);
}

/** Lets keys pressed in the frame work as on the page, and gives it the page's theme. */
export function passKeysOn(frame) {
  const inside = frame.contentDocument;
  for (const type of ["keydown", "keyup"]) {
    inside.addEventListener(type, (event) => {
      const again = new KeyboardEvent(type, event);
      if (!document.dispatchEvent(again)) event.preventDefault();
    });
  }
  const theme = document.documentElement.dataset.theme;
  if (theme) inside.documentElement.dataset.theme = theme;
}

/** Gives the items on `root` the theme that the page has now. */
export function passThemeOn(root) {
  for (const frame of root.querySelectorAll("iframe")) {
    const inside = frame.contentDocument?.documentElement;
    if (inside) inside.dataset.theme = document.documentElement.dataset.theme ?? "";
  }
}
