// Question, condition, brief, cues and anchors of the present showing, in the slots of _rubric.html.

function fillList(list, entries) {
  list.replaceChildren(
    ...entries.map((entry) => {
      const line = document.createElement("li");
      line.textContent = entry;
      return line;
    }),
  );
}

function fillAnchors(list, anchors) {
  list.replaceChildren(
    ...anchors.flatMap(({ range, label }) => {
      const [name, value] = [document.createElement("dt"), document.createElement("dd")];
      name.textContent = range;
      value.textContent = label;
      return [name, value];
    }),
  );
}

/** Shows what `showing` asks for; parts it does not have are hidden. */
export function fillRubric(root, showing) {
  for (const slot of root.querySelectorAll("[data-slot]")) slot.textContent = showing[slot.dataset.slot];
  for (const list of root.querySelectorAll("[data-list]")) fillList(list, showing[list.dataset.list]);
  for (const list of root.querySelectorAll("[data-anchors]")) fillAnchors(list, showing.anchors);
  for (const part of root.querySelectorAll("[data-when]")) part.hidden = showing[part.dataset.when].length === 0;
}
