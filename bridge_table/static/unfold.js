// After any auction, what each call of a bidder shows.

import { post } from "./api.js";
import { factsOf } from "./book.js";
import { callMark, callWords, coloured, element } from "./words.js";

const SILENT = /no line of|hardly ever|Nothing is known/i; // calls of which nothing is known

/** Draws in `place` what the calls after `calls` show. `go` takes the calls after which to go on. */
export async function unfold(place, { spec, calls, word, silent, figures }, go) {
  const found = await post("system", { spec, calls: calls.join(" ") });
  const path = calls.map((call, at) => element("button", {
    type: "button", class: "plain", "aria-label": `Back to before ${callWords(call)}`, onclick: () => go(calls.slice(0, at)),
  }, callMark(call)));
  const answer = Object.entries(found.calls).filter(([call, shows]) => !SILENT.test(shows.text)
    && `${call} ${callWords(call)} ${shows.note} ${shows.text} ${shows.lines.join(" ")}`.toLowerCase().includes(word));
  const rows = answer.map(([call, shows]) => {
    const next = [...calls, call, ...(silent && call !== "Pass" ? ["Pass"] : [])];
    const seen = figures && found.entries ? (found.entries[call] || []).map((index) => figures[index]).sort((a, b) => b.made - a.made)[0] : null;
    return element("li", {},
      element("button", { type: "button", "aria-label": `${callWords(call)}: go on from there`, onclick: () => go(next) }, callMark(call)),
      element("div", {}, shows.note ? element("strong", {}, `${shows.note}: `) : "", coloured(shows.text),
        shows.lines.length ? element("div", { class: "aside" }, coloured(shows.lines.join(" / "))) : "",
        seen ? element("div", { class: "facts" }, factsOf(seen)) : element("div", { class: "aside" }, shows.how)));
  });
  const shown = Object.entries(found.shown).filter(([, text]) => text).map(([seat, text]) => element("span", {}, element("b", {}, seat), " has shown ", coloured(text), "; "));
  place.replaceChildren(
    element("p", { class: "row walk" }, path.length ? path : element("span", { class: "aside" }, "Opening bids")),
    shown.length ? element("p", { class: "aside" }, shown) : "",
    found.over ? element("p", { class: "aside" }, "The auction is over.") : element("ul", { class: "explorer" }, rows));
}
