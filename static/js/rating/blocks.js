// Long plain text in blocks, of which the browser lays out only those near the screen.

const BLOCK_LENGTH = 2000;

/**
 * Elements that together show `text` exactly as one pre-wrapped element would. A block ends only after a
 * line with something in it, since a line break at the end of an element is not drawn.
 */
export function splitText(text) {
  const blocks = [];
  let lines = [];
  let length = 0;
  const close = () => {
    const block = document.createElement("div");
    block.className = "block";
    block.textContent = lines.join("\n");
    blocks.push(block);
    [lines, length] = [[], 0];
  };
  for (const line of text.split("\n")) {
    lines.push(line);
    length += line.length + 1;
    if (length >= BLOCK_LENGTH && line.trim() !== "") close();
  }
  if (lines.length > 0) close();
  return blocks;
}
