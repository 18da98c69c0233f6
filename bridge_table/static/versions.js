// What a version of a system scores: the exam by area, a short match, and the boards that differ.

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
