// Cards as pictures, drawn here: a face with rank and suit, and a back.

const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [64, 90];

// The outlines of the suits about a middle of 0, 0, twenty high.
const OUTLINES = {
  S: "M0-10C3-5.5 9-2 9 3c0 3.2-2.5 4.6-4.5 4.6C2.8 7.6 1.3 6.7.6 5.4.8 7.6 1.6 9 3 10h-6c1.4-1 2.2-2.4 2.4-4.6-.7 1.3-2.2 2.2-3.9 2.2C-6.5 7.6-9 6.2-9 3c0-5 6-8.5 9-13z",
  H: "M0 9.5C-3 5.5-9.2 2-9.2-3.4c0-3.6 2.6-5.4 4.8-5.4C-2.2-8.8-.6-7.4 0-5.2.6-7.4 2.2-8.8 4.4-8.8c2.2 0 4.8 1.8 4.8 5.4C9.2 2 3 5.5 0 9.5z",
  D: "M0-10C2-6 5-2.5 7.6 0 5 2.5 2 6 0 10-2 6-5 2.5-7.6 0-5-2.5-2-6 0-10z",
  C: "M0-9.5A4.3 4.3 0 0 1 3.3-2.4 4.3 4.3 0 1 1 .7 4.6C.9 7.2 1.6 9 3.2 10h-6.4C-1.6 9-.9 7.2-.7 4.6A4.3 4.3 0 1 1-3.3-2.4 4.3 4.3 0 0 1 0-9.5z",
};

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A picture; screen readers hear the element around it. */
function picture(kind, ...children) {
  const paper = shape("rect", { class: "paper-edge", x: 0.75, y: 0.75, width: WIDTH - 1.5, height: HEIGHT - 1.5, rx: 6 });
  return shape("svg", { class: `card ${kind}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", focusable: "false" }, paper, ...children);
}

function pip(suit, x, y, size) {
  return shape("path", { d: OUTLINES[suit], fill: "currentColor", transform: `translate(${x} ${y}) scale(${size})` });
}

/** The face of a card such as "HQ". Rank and sign stand in the corner that an overlapping card leaves free. */
export function face(card) {
  const [suit, rank] = card;
  const ten = rank === "T";
  const index = shape("text", { x: 13.5, y: 25, class: "rank", "text-anchor": "middle", ...(ten ? { textLength: 23, lengthAdjust: "spacingAndGlyphs" } : {}) }, ten ? "10" : rank);
  return picture(`face ${suit.toLowerCase()}`, index, pip(suit, 13.5, 39, 0.85), pip(suit, 41, 64, 1.75));
}

/** The back of a card: a lattice. */
export function back() {
  const lines = [];
  for (let x = 8; x < WIDTH - 8; x += 8) {
    for (let y = 7; y < HEIGHT - 10; y += 9.5) lines.push(`M${x + 4} ${y}l4 4.75-4 4.75-4-4.75z`);
  }
  return picture("back", shape("path", { class: "lattice", d: lines.join("") }));
}
