// Which act a key means. Pure: takes a KeyboardEvent, answers a word or null.

const BY_KEY = {
  ArrowLeft: "left",
  ArrowRight: "right",
  1: "left",
  2: "right",
  u: "undo",
  s: "skip",
  n: "note",
  i: "rubric",
  "?": "keys",
};

// By place on the keyboard: digits where the row needs Shift, and the numpad without NumLock.
const BY_CODE = { Digit1: "left", Digit2: "right", Numpad1: "left", Numpad2: "right" };

/** Whether keys pressed on `element` belong to it: text is typed there, or an option chosen. */
export function isField(element) {
  if (!(element instanceof Element)) return false;
  return element.isContentEditable || element.matches("input, textarea, select");
}

/**
 * "left", "right", "undo", "skip", "note", "rubric", "keys", "escape" or null.
 * Null for a held key, an IME composition, a key with Ctrl, Alt or Meta (but Ctrl+Z), and in a field.
 */
export function actOf(event) {
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return null;
  if (event.key === "Escape") return "escape";
  if (event.repeat || isField(event.target)) return null;
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z") {
    return "undo";
  }
  if (modified) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return BY_KEY[key] ?? (event.shiftKey ? null : (BY_CODE[event.code] ?? null));
}

/** Whether a held key would press the focused button again; such a press answers nothing. */
export function isHeldPress(event) {
  return event.repeat && (event.key === "Enter" || event.key === " ");
}
