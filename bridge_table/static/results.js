// What the boards came to: of a table, and of everybody in a challenge.

import { averageWords, coloured, element, figures, figuresOf, signed, tone } from "./words.js";

/** The results so far in a line. */
export function tally({ kind, board, boards, count, mean, error }) {
  const where = kind === "challenge" ? `Board ${board} of ${boards}. ` : "";
  if (!count) return where;
  return `${where}${averageWords({ mean, error, boards: count })} against the other table`;
}

const table = (caption, heads, rows) => figures(heads, rows.map(figuresOf), caption);
const worth = (number, digits = 0) => element("span", { class: tone(number) }, signed(number, digits));
const who = ({ name, you }) => (you ? element("strong", {}, `${name} (you)`) : name);

/** The results of a challenge, of the boards that this player has finished. */
export function drawResults(place, room) {
  place.hidden = !(room.players && room.players.length);
  if (place.hidden) return;
  const all = table("All players", ["player", "boards", "IMPs v. other table", "IMPs v. players", "match\u00adpoints"],
    room.players.map((row) => [who(row), row.boards, worth(row.imps), worth(row.cross, 1), `${row.percent} %`]));
  const each = room.results.map((board) => element("section", { class: "sheet", "aria-label": `Board ${board.number}` },
    element("h3", {}, `Board ${board.number}`), element("p", { class: "aside" }, "The other table: ", coloured(board.other)),
    table(`Board ${board.number}`, ["player", "result", "v. other table", "v. players", "%"],
      board.rows.map((row) => [who(row), coloured(row.text), worth(row.imps), worth(row.cross, 1), row.percent]))));
  place.replaceChildren(element("h2", {}, "The challenge"),
    element("p", { class: "aside" }, "Boards that you have finished, at double-dummy tricks. Against the players: average IMPs against each of the others, added up over the boards."),
    element("div", { class: "cards" }, element("section", { class: "sheet", "aria-label": "All players" }, all), each));
}
