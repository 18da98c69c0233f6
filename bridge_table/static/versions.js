// Two systems side by side: line by line, in a match, and in the exam.

import { post } from "./api.js";
import { callMark, coloured, element, figures, meanWords, signed, tone } from "./words.js";

/** The exam's score by area, beside the score before. */
export function examSheet(found) {
  const cells = (mark) => {
    const gain = mark.before === undefined ? 0 : mark.percent - mark.before;
    return [element("td", {}, `${mark.percent.toFixed(1)} %`), element("td", {}, mark.before === undefined ? "" : `${mark.before.toFixed(1)} %`),
      element("td", { class: gain > 0.04 ? "good" : gain < -0.04 ? "bad" : "" }, mark.before === undefined ? "" : signed(gain, 1))];
  };
  const moved = found.areas.filter((area) => area.before !== undefined && Math.abs(area.percent - area.before) > 0.04);
  const row = (mark, title) => element("tr", {}, element("th", { scope: "row" }, title), cells(mark));
  const areaTable = (rows) => figures(["area", "now", "before", "change"], rows);
  const changed = found.changed.map((one) => element("li", {},
    element("span", { class: one.points > one.were ? "good" : "bad" }, callMark(one.call), ` (${one.points} points, before `, callMark(one.before), ` ${one.were})`),
    element("div", { class: "aside" }, one.auction.length ? [one.auction.map((call) => [...callMark(call), " "]).flat(), "· "] : "opening · ", `${one.hand}: `, one.reason)));
  return element("section", { class: "sheet", "aria-label": "The textbook exam" },
    element("h3", {}, "The textbook exam"),
    areaTable([row(found.all, "All areas"), ...moved.map((area) => row(area, area.title))]),
    changed.length ? element("details", {}, element("summary", {}, `${changed.length} answer${changed.length > 1 ? "s" : ""} score otherwise`), element("ul", { class: "changed" }, changed)) : "",
    element("details", {}, element("summary", { class: "aside" }, "all areas"), areaTable(found.areas.map((area) => row(area, area.title)))),
    element("p", { class: "aside" }, `${found.all.positions} positions of the key ${found.key}. It measures agreement with the books, not strength.`));
}

/** The match of two versions, and its differing boards; each opens in the table's review. */
export function matchSheet(found, names) {
  const verdict = element("p", { class: "headline" },
    element("b", { class: `imps ${tone(found.mean, found.error || 0)}` }, meanWords(found)),
    element("span", {}, ` IMPs a board over ${found.boards.toLocaleString("en")} boards for ${names.a} against ${names.b}`));
  const rows = found.rows.map((row) => element("li", {}, element("a", { href: `./#match=${found.match}&board=${row.board}`, target: "_blank" },
    element("b", {}, `Board ${row.board}`),
    element("span", { class: "pairs" }, auction(row.a, names.a), auction(row.b, names.b)),
    element("span", { class: `imps ${tone(row.imps)}` }, `${signed(row.imps)} IMPs`))));
  const more = found.differ > found.rows.length ? ` The ${found.rows.length} of most IMPs are listed.` : "";
  return element("section", { class: "sheet", "aria-label": "The match" },
    element("h3", {}, "The match"), verdict,
    element("p", { class: "aside" }, `${found.differ} boards are bid otherwise; ${found.gained} gain IMPs, ${found.lost} lose.${more} Choose one to review it at the table.`),
    element("ul", { class: "boards" }, rows),
    element("p", { class: "aside" }, `${found.source}; both sit both ways.`));
}

function auction(result, name) {
  return element("span", {}, element("span", { class: "aside" }, `${name} N–S: `), coloured(result.contract), " ",
    element("span", { class: "aside" }, result.auction.map((call) => [...callMark(call), " "]).flat()));
}

const KINDS = { same: "the same", changed: "changed", moved: "moved", removed: "only left", added: "only right" };
const MOST = 400; // rows that are drawn at once

/** Draw two systems side by side in `place`; `rest` holds whether to leave out what they share, and a search. */
export function drawComparison(place, found, { differing, word }) {
  const wanted = found.rows.filter((row) => (!differing || row.kind !== "same")
    && (!word || JSON.stringify(row).toLowerCase().includes(word)));
  const groups = new Map();
  for (const row of wanted.slice(0, MOST)) groups.set(row.at, [...(groups.get(row.at) || []), row]);
  const bodies = [...groups].map(([at, rows]) => element("tbody", {},
    element("tr", {}, element("th", { scope: "rowgroup", colspan: 2 }, coloured(at || "Opening bids"))),
    rows.map((row) => element("tr", { class: row.kind }, side(row, "a"), side(row, "b")))));
  const counts = Object.entries(KINDS).filter(([kind]) => found.counts[kind]).map(([kind, words]) => `${found.counts[kind]} ${words}`);
  const more = wanted.length > MOST ? ` The first ${MOST} of ${wanted.length} are shown; search to see others.` : "";
  place.replaceChildren(
    element("p", { class: "aside", role: "status" }, `Lines: ${counts.join(", ")}.${more}`),
    wanted.length ? element("div", { class: "wide" }, element("table", { class: "beside" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, found.a), element("th", { scope: "col" }, found.b))), bodies))
      : element("p", {}, "No line differs."));
}

function side(row, which) {
  const line = row[which];
  if (!line) return element("td", { class: "none" }, element("span", { class: "aside" }, "–"));
  return element("td", {}, element("b", { class: "bid" }, coloured(line.call)), " ", coloured(line.what),
    line.note ? element("i", {}, ` ${line.note}`) : "", row.kind === "same" || row.kind === "changed" ? "" : element("span", { class: "flag" }, KINDS[row.kind]));
}

/** Play two systems against each other and draw what came of it. */
export async function playMatch(place, a, b, names) {
  place.replaceChildren(element("p", { class: "aside", role: "status" }, "Playing…"));
  place.replaceChildren(matchSheet(await post("matches", { a, b }), names));
}
