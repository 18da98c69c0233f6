// Unfolds a bidding system: after any auction, what each call shows.

import { Fault, post } from "./api.js";
import { callMark, callWords, coloured, element } from "./words.js";

const dialog = document.getElementById("explorer");
const place = document.getElementById("unfolded");
const form = document.getElementById("explorer-form");
let calls = [];

/** Open the explorer on the system of a spec. */
export function explore(spec) {
  form.elements.spec.value = spec;
  calls = [];
  dialog.showModal();
  unfold();
}

async function unfold() {
  try {
    draw(await post("system", { spec: form.elements.spec.value, calls: calls.join(" ") }));
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    place.replaceChildren(element("p", { class: "message" }, fault.message));
  }
}

function go(call) {
  calls.push(call);
  if (form.elements.silent.checked && call !== "Pass") calls.push("Pass");
  unfold();
}

function draw(found) {
  const word = form.elements.search.value.trim().toLowerCase();
  const path = calls.map((call, at) => element("button", {
    type: "button", class: "plain", "aria-label": `Back to before ${callWords(call)}`, onclick: () => { calls = calls.slice(0, at); unfold(); },
  }, callMark(call)));
  const known = Object.entries(found.calls).filter(([, shows]) => !/no line of|Too rare|not measured|Nothing is known/.test(shows.text));
  const told = known.filter(([call, shows]) => `${call} ${shows.note} ${shows.text} ${shows.lines.join(" ")}`.toLowerCase().includes(word));
  const rows = told.map(([call, shows]) => element("li", {},
    element("button", { type: "button", "aria-label": `${callWords(call)}: go on from there`, onclick: () => go(call) }, callMark(call)),
    element("div", {}, shows.note ? element("strong", {}, `${shows.note}: `) : "", coloured(shows.text),
      shows.lines.length ? element("div", { class: "aside" }, coloured(shows.lines.join(" / "))) : "")));
  place.replaceChildren(
    element("p", { class: "row" }, path.length ? path : element("span", { class: "aside" }, "Opening bids")),
    found.over ? element("p", { class: "aside" }, "The auction is over.") : element("ul", { class: "explorer" }, rows));
}

form.elements.spec.addEventListener("change", () => { calls = []; unfold(); });
form.elements.search.addEventListener("input", unfold);
