// The page about systems: the book, what calls show after an auction, two systems side by side, and the pen.

import { get, post } from "./api.js";
import { Book, unfold } from "./book.js";
import { edit } from "./edit.js";
import { at, element } from "./words.js";
import { drawComparison, playMatch } from "./versions.js";

const TABS = ["book", "auction", "compare", "edit"];
const state = { tab: "book", spec: "system:champion", other: "system:sayc", calls: [] };
const measured = new Map(); // spec -> figures
let book = null;
let compared = null;

function readAddress() {
  const query = new URLSearchParams(location.hash.slice(1));
  if (TABS.includes(query.get("tab"))) state.tab = query.get("tab");
  state.spec = query.get("spec") || state.spec;
  state.other = query.get("other") || state.other;
  state.calls = (query.get("calls") || "").split(" ").filter(Boolean);
  at("spec").value = state.spec;
  at("other").value = state.other;
}

function writeAddress() {
  const query = new URLSearchParams({ tab: state.tab, spec: state.spec, other: state.other, calls: state.calls.join(" ") });
  history.replaceState(null, "", `#${query}`);
}

/** Show a tab, and ask for what it shows. */
async function show(tab = state.tab) {
  state.tab = tab;
  for (const name of TABS) {
    const chosen = name === tab;
    at(`tab-${name}`).setAttribute("aria-selected", String(chosen));
    at(`tab-${name}`).tabIndex = chosen ? 0 : -1;
    at(`panel-${name}`).hidden = !chosen;
  }
  writeAddress();
  at("message").hidden = true;
  await { book: showBook, auction: showAuction, compare: showComparison, edit: () => edit(state.spec) }[tab]();
}

// --- the book ----------------------------------------------------------------------------------------------

async function showBook() {
  const { spec } = state;
  if (book && book.spec === spec) return;
  book = null;
  at("tree").replaceChildren(element("p", { class: "aside" }, "Reading…"));
  at("facts").replaceChildren();
  let query;
  try {
    query = await post("book", { spec });
  } catch (fault) {
    at("tree").replaceChildren();
    throw fault;
  }
  if (spec !== state.spec) return;
  book = Object.assign(new Book(at("tree"), query), { spec });
  book.search = at("search").value.trim();
  at("about").textContent = query.comments.join(" ");
  book.draw();
  if (measured.has(spec)) take(spec, measured.get(spec));
  else await measure();
}

function take(spec, found) {
  measured.set(spec, found);
  if (!book || book.spec !== spec) return;
  at("facts").replaceChildren(...found.facts.map((fact) => element("p", { class: "aside" }, fact)));
  book.measure(found.figures);
}

async function measure() {
  const { spec } = state;
  at("measuring").hidden = false;
  const found = await post("figures", { spec }).finally(() => { at("measuring").hidden = true; });
  take(spec, found);
}

// --- after an auction --------------------------------------------------------------------------------------

async function showAuction() {
  writeAddress();
  const found = measured.get(state.spec);
  await unfold(at("unfolded"), {
    spec: state.spec, calls: state.calls, word: at("word").value.trim().toLowerCase(), silent: at("silent").checked,
    figures: found ? found.figures : null,
  }, (calls) => { state.calls = calls; showAuction(); });
}

// --- side by side ------------------------------------------------------------------------------------------

async function showComparison() {
  const key = `${state.spec} ${state.other}`;
  if (!compared || compared.key !== key) {
    compared = null;
    at("played").replaceChildren();
    at("beside").replaceChildren(element("p", { class: "aside" }, "Comparing…"));
    const found = await post("compare", { a: state.spec, b: state.other }).catch((fault) => { at("beside").replaceChildren(); throw fault; });
    compared = { ...found, key };
  }
  drawComparison(at("beside"), compared, { differing: at("differing").checked, word: at("compare-word").value.trim().toLowerCase() });
}

async function play() {
  await playMatch(at("played"), state.spec, state.other, { a: compared.a, b: compared.b })
    .finally(() => at("played").querySelector("[role=status]")?.remove());
}

// --- the page ----------------------------------------------------------------------------------------------

function onTabKey(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const next = TABS[(TABS.indexOf(state.tab) + step + TABS.length) % TABS.length];
  show(next);
  at(`tab-${next}`).focus();
}

let typing = 0;
function later(act) {
  clearTimeout(typing);
  typing = setTimeout(act, 120);
}

for (const name of TABS) at(`tab-${name}`).addEventListener("click", () => show(name));
at("tabs").addEventListener("keydown", onTabKey);
at("spec").addEventListener("change", () => { state.spec = at("spec").value.trim(); state.calls = []; show(); });
at("other").addEventListener("change", () => { state.other = at("other").value.trim(); show(); });
at("search").addEventListener("input", () => later(() => { if (book) { book.search = at("search").value.trim(); book.draw(); } }));
at("word").addEventListener("input", () => later(showAuction));
at("compare-word").addEventListener("input", () => later(() => show()));
at("differing").addEventListener("change", () => show());
at("play").addEventListener("click", play);
window.addEventListener("hashchange", () => { readAddress(); show(); });

async function start() {
  at("specs").replaceChildren(...(await get("start")).specs.map((spec) => element("option", { value: spec })));
  readAddress();
  await show();
}
start();
