// History: the boards of all sessions, what they came to, and which decisions cost IMPs.

import { get } from "./api.js";
import { at, averageWords, button, coloured, dayWords, element, figures, figuresOf, meanWords, signed, tone } from "./words.js";

const table = (heads, rows) => element("div", { class: "wide" }, figures(heads, rows.map(figuresOf)));
const mean = (row) => element("span", { class: tone(row.mean, row.error || 0) }, meanWords(row));

function drawOverview(found) {
  at("bidder").append(...found.bidders.map((spec) => element("option", {}, spec)));
  at("about").textContent = (found.sessions.length ? "Choose a board to review it again. A deal counts once, when it is first reviewed."
    : "Nothing here yet. A board comes here when it is over and its review has been seen.")
    + (found.saved ? "" : " This server keeps nothing: these boards are gone when it ends.");
  at("sessions").replaceChildren(table(["began", "boards", "with help", "IMPs a board"], found.sessions.map((row) =>
    [dayWords(row.began, true) + (row.current ? ", now" : ""), row.boards, row.helped, mean(row)])));
  at("kinds").replaceChildren(
    table(["kind", "made", "costly", "IMPs lost"], found.kinds.map((row) => [row.title, row.made, row.costly, row.lost])),
    element("p", { class: "aside" }, "A call is costly where it lost 3 IMPs or more and another is better over deals that fit what you knew; "
      + "a card where it gave a trick away double dummy, which is hindsight on one deal."));
}

function drawBoards({ boards, page, pages, figures: average }) {
  at("average").textContent = average.boards ? averageWords(average) : "No boards";
  const rows = boards.map((row) => element("li", {}, element("a", { href: `./#saved=${row.id}` },
    element("b", {}, dayWords(row.at, true)),
    element("span", { class: "pairs" }, element("span", {}, coloured(row.result)),
      element("span", { class: "aside" }, `board ${row.number}, ${row.people || "nobody"} · other table: `, coloured(row.other), row.helped ? " · with help" : "")),
    element("span", { class: `imps ${tone(row.imps)}` }, `${signed(row.imps)} IMPs`))));
  at("boards").replaceChildren(element("ul", { class: "boards past-boards" }, rows));
  const turn = (words, to) => button(words, () => open(to), { disabled: to < 0 || to >= pages });
  at("pager").replaceChildren(...(pages > 1 ? [turn("Newer", page - 1), element("span", { class: "aside", role: "status" }, `Page ${page + 1} of ${pages}`), turn("Older", page + 1)] : []));
}

async function open(page) {
  drawBoards(await get("history/boards", { page, bidder: at("bidder").value, costly: at("costly").checked }));
}

at("filters").addEventListener("change", () => open(0));

async function start() {
  drawOverview(await get("history"));
  await open(0);
}
start();
