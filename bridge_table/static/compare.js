// Two systems side by side, line by line, and a match between them.

import { post } from "./api.js";
import { coloured, element } from "./words.js";
import { matchSheet } from "./versions.js";

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
