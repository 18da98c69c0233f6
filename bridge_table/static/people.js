// Who sits where, links for the seats of others, and what the boards came to.

import { offer } from "./page.js";
import { NAMES, SEATS, averageWords, bidderWords, button, coloured, element, figures, figuresOf, parWords, signed, tone } from "./words.js";

/** The address that a key opens. */
export const linkOf = (key) => new URL(`../${key}/`, location.href.split("#")[0]).href;

/** How far a link reaches, in words. */
export function reachWords() {
  return ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)
    ? "It works on this machine only: start bridge-env table with --host 0.0.0.0, and other machines reach it, too." : "Others on your network open it.";
}

/** The seats; the host gets a button for each other seat. `invite` returns a key. */
export function drawPlaces(place, state, invite) {
  const rows = SEATS.map((seat) => {
    const mine = seat === state.seat;
    const row = element("li", {}, element("span", {}, element("b", {}, NAMES[seat]), `: ${mine ? "you" : bidderWords(state.sits[seat])}`));
    const ask = async () => {
      place.querySelector(".offer")?.remove(); // an older link may be void from now on
      const given = await invite(seat);
      offer(place, linkOf(given.key), `A link for ${NAMES[seat]}, for one person. ${reachWords()}`);
    };
    if (state.room.host && !mine) row.append(button(state.room.held.includes(seat) ? `New link for ${NAMES[seat]}` : `Invite ${NAMES[seat]}`, ask));
    return row;
  });
  place.querySelector("ul")?.remove();
  place.prepend(element("ul", { class: "places" }, rows));
}

/** The results so far in a line. */
export function tally({ kind, board, boards, count, mean, error }) {
  const where = kind === "challenge" ? `Board ${board} of ${boards}. ` : "";
  if (!count) return where;
  return `${where}${averageWords({ mean, error, boards: count })} against the other table`;
}

const table = (caption, heads, rows) => figures(heads, rows.map(figuresOf), caption);
const worth = (number) => element("span", { class: tone(number) }, signed(number));
const who = ({ name, you }) => (you ? element("strong", {}, `${name} (you)`) : name);

/** The results of a challenge, of the boards that this player has finished. */
export function drawResults(place, room) {
  place.hidden = !(room.players && room.players.length);
  if (place.hidden) return;
  const all = table("All players", ["player", "boards", "IMPs v. other table", "v. par", "match\u00adpoints"],
    room.players.map((row) => [who(row), row.boards, worth(row.imps), worth(row.over_par), `${row.percent} %`]));
  const each = room.results.map((board) => element("section", { class: "sheet", "aria-label": `Board ${board.number}` },
    element("h3", {}, `Board ${board.number}`), element("p", { class: "aside" }, "The other table: ", coloured(board.other), "; par ", coloured(parWords(board.par))),
    table(`Board ${board.number}`, ["player", "result", "v. other table", "v. par", "%"],
      board.rows.map((row) => [who(row), coloured(row.text), worth(row.imps), worth(row.over_par), row.percent]))));
  place.replaceChildren(element("h2", {}, "The challenge"),
    element("p", { class: "aside" }, "Boards that you have finished, at double-dummy tricks."),
    element("div", { class: "cards" }, element("section", { class: "sheet", "aria-label": "All players" }, all), each));
}
