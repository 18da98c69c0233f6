// The convention card of a system, in a fold-out beside the table.

import { complain, post } from "./api.js";
import { bidderWords, coloured, element, figuresOf } from "./words.js";

let shown = ""; // the spec of the card

/** Draw the card of a spec, unless it is there. */
export async function showCard(place, spec) {
  if (spec === shown) return;
  shown = spec;
  place.replaceChildren(element("p", { class: "aside", role: "status" }, "Working it out…"));
  try {
    const { card } = await post("card", { spec });
    if (spec !== shown) return;
    const boxes = card.map(({ title, rows }) => [element("h3", {}, title),
      element("table", { class: "figures" }, element("tbody", {}, rows.map((row) => figuresOf(row.map(coloured)))))]);
    place.replaceChildren(element("h2", {}, bidderWords(spec)), ...boxes.flat());
  } catch (fault) {
    shown = "";
    complain(fault, place);
  }
}
