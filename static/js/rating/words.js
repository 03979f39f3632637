// The page's words, from the template that the server translated.

const source = document.getElementById("words").content;

/** The words named `name`, with each {placeholder} replaced from `values`. */
export function words(name, values = {}) {
  const text = source.querySelector(`[data-word="${name}"]`).textContent;
  return text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
}
