// Which act a key means: takes a KeyboardEvent, answers a word or null.

// The acts and their keys, as labeling/key_map.py and the rater's account have them.
const settings = JSON.parse(document.getElementById("keys-data").textContent);
const BY_KEY = Object.fromEntries(Object.entries(settings.map).map(([act, key]) => [key, act]));

// Keys that cannot be moved.
const FIXED = { ArrowLeft: "left", ArrowRight: "right", i: "rubric", "+": "zoom-in", "-": "zoom-out", 0: "zoom-fit" };

// By place on the keyboard: digits where the row needs Shift, and the numpad without NumLock.
const BY_CODE = Object.fromEntries(
  ["Digit", "Numpad"].flatMap((row) => [..."0123456789"].map((digit) => [row + digit, digit])),
);

/** Whether keys pressed on `element` belong to it: text is typed there, or an option chosen. */
export function isField(element) {
  if (!(element instanceof Element)) return false;
  return element.isContentEditable || element.matches("input, textarea, select");
}

/** Whether Space and Enter pressed on `element` belong to it. */
function isPressable(element) {
  return element instanceof Element && element.closest("button, summary, a[href]") !== null;
}

function meaningOf(key) {
  if (BY_KEY[key]) return BY_KEY[key];
  if (FIXED[key]) return FIXED[key];
  return /^[3-8]$/.test(key) ? `confidence-${key}` : null;
}

/**
 * An act of labeling/key_map.py ("help" is the list of keys), "rubric", "zoom-in", "zoom-out", "zoom-fit",
 * "confidence-3" to "confidence-8", "store", "escape" or null.
 * Null for a held key, an IME composition, a key with Ctrl, Alt or Meta (but Ctrl+Z), in a field, and for
 * all but Escape, Enter and Ctrl+Z where the rater has turned keys off.
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
  if ((event.key === "Enter" || event.key === " ") && isPressable(event.target)) return null;
  if (event.key === "Enter") return "store";
  if (!settings.enabled) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const digit = event.shiftKey ? null : BY_CODE[event.code];
  return meaningOf(key) ?? (digit ? meaningOf(digit) : null);
}

/** Whether a held key would press the focused button again; such a press answers nothing. */
export function isHeldPress(event) {
  return event.repeat && (event.key === "Enter" || event.key === " ");
}
