// Practice: bid one call on a hand, and hear what the system calls and why.

import { get, post } from "./api.js";
import { drawAuction, drawBox, drawDetail } from "./auction.js";
import { handLine } from "./book.js";
import { pictures } from "./hands.js";
import { callOfKey, keyOf } from "./keys.js";
import { announce } from "./page.js";
import { NAMES, at, button, callMark, callWords, coloured, dayWords, element, figures, figuresOf, several, vulnerableWords } from "./words.js";

let drill = null; // {drill, questions, titles, number, results}
let current = null; // the question
let answered = false;
let asked = 0; // when the question was shown

async function begin(asking) {
  at("message").hidden = true;
  at("start").disabled = true;
  at("start").textContent = "Looking for deals…";
  try {
    drill = { ...(await asking()), number: 0, results: [] };
    at("room").hidden = false;
    at("choose").open = false;
    at("summary").replaceChildren();
    await ask();
  } finally {
    at("start").disabled = false;
    at("start").textContent = "Begin";
  }
}

function fields() {
  return { spec: at("spec").value, topic: at("topic").value, source: at("source").value, count: Number(at("count").value), seed: Math.floor(Math.random() * 2 ** 31) };
}

async function ask() {
  current = await get(`drills/${drill.drill}/question`, { number: drill.number });
  answered = false;
  asked = Date.now();
  draw();
  at("question").focus({ preventScroll: true });
  announce(`Question ${drill.number + 1}. You sit ${NAMES[current.seat]}. ${current.calls.map(({ seat, call }) => `${NAMES[seat]} ${callWords(call)}.`).join(" ")} Your call.`);
}

function draw() {
  at("question").replaceChildren(
    element("p", { class: "aside" }, `Question ${drill.number + 1} of ${drill.questions}`),
    element("h2", {}, `You sit ${NAMES[current.seat]}`),
    ...pictures(current.hand, false, null, null),
    element("p", { class: "aside" }, `${NAMES[current.board.dealer]} deals, ${vulnerableWords(current.board.vulnerability)}.`));
  const tell = (call, shows, who) => drawDetail(at("detail"), call, shows, who);
  drawAuction(at("auction"), { ...current, phase: answered ? "over" : "bidding", yours: true }, tell);
  const point = (call) => drawDetail(at("detail"), call, current.shows[call], null);
  if (!answered) {
    drawDetail(at("detail"), null);
    at("verdict").replaceChildren();
  }
  drawCards(current.cards);
  // Until a call is made, the meanings of calls are hidden.
  drawBox(at("box"), answered ? null : current.legal, choose, at("tell").checked ? point : () => {});
  showScore();
}

const total = (what) => drill.results.reduce((sum, one) => sum + one[what], 0);
const scoreWords = () => `${total("points")} of ${10 * drill.results.length} points in ${several(total("seconds"), "second")}`;

function showScore() {
  at("score").textContent = drill.results.length ? scoreWords() : "";
}

/** The scorecard that decides: what each call begins with, what adds and what takes away. */
function drawCards(cards) {
  at("cards").replaceChildren(...(cards ? [
    element("p", { class: "aside" }, "When ", coloured(cards.when), ": add up, and make the call with the highest sum."),
    element("div", { class: "wide" }, figures(["call", "starts at", "adds", "takes away"],
      cards.rows.map((row) => figuresOf([callMark(row.call), row.start, coloured(row.adds), coloured(row.takes)])))),
  ] : []));
}

async function choose(call) {
  if (answered) return;
  const found = await post(`drills/${drill.drill}/answer`, { number: drill.number, call });
  answered = true;
  drill.results.push({ ...found, seconds: Math.round((Date.now() - asked) / 1000), hand: current.hand, calls: current.calls });
  draw();
  drawVerdict(found);
}

/** The page of the system after the auction of the question. */
const bookHere = () => `systems.html#${new URLSearchParams({ tab: "auction", spec: at("spec").value, calls: current.calls.map(({ call }) => call).join(" ") })}`;

function drawVerdict(found) {
  const best = Object.keys(found.accepted)[0];
  const right = found.points === 10;
  const accepted = Object.entries(found.accepted).map(([call, points], k) => [k ? ", " : "", callMark(call), points < 10 ? ` (${points} points)` : ""]).flat(2);
  const words = right ? "Right" : found.points ? "Reasonable" : found.due ? "Not that call" : "Not by the book";
  const last = drill.number + 1 >= drill.questions;
  const next = button(last ? "See how it went" : "Next", go, { class: "primary" });
  at("verdict").replaceChildren(element("div", { class: `sheet ${right ? "right" : "off"}` },
    element("h3", { class: right ? "good" : found.points ? "" : "bad" }, words, right ? ": " : `: you called `, callMark(found.call)),
    right ? "" : element("p", {}, "The call is ", element("b", {}, accepted), "."),
    element("p", {}, coloured(found.reason), element("span", { class: "aside" }, ` · ${found.title}`)),
    found.sums.length ? element("ul", {}, found.sums.map((one) => element("li", {}, coloured(one)))) : "",
    found.due ? element("p", { class: "aside" }, `It comes again on ${dayWords(found.due)}.`) : "",
    right ? "" : element("p", { class: "aside" }, "Your ", callMark(found.call), " would show ", coloured(current.shows[found.call].text), "."),
    right ? "" : element("p", {}, element("a", { href: bookHere() }, "All calls of the system here")),
    element("div", { class: "row end" }, next)));
  next.focus();
  announce(`${words}. ${right ? "" : `The call is ${callWords(best)}.`} ${found.reason}`);
}

async function go() {
  drill.number += 1;
  if (drill.number < drill.questions) await ask();
  else finish();
}

function finish() {
  at("room").hidden = true;
  const wrong = drill.results.filter((one) => one.points < 10);
  const rows = wrong.map((one) => element("li", {},
    element("div", {}, handLine(one.hand), one.calls.length ? element("span", { class: "aside" }, " after ", one.calls.map(({ call }) => [...callMark(call), " "]).flat()) : ""),
    element("div", {}, "you called ", callMark(one.call), one.due ? "; better is " : "; the book ", element("b", {}, callMark(Object.keys(one.accepted)[0])), ": ", coloured(one.reason))));
  const buttons = wrong.length ? [button("Repeat these", again, { class: "primary" })] : [];
  const title = element("h2", { tabindex: -1 }, scoreWords());
  at("summary").replaceChildren(element("section", { class: "sheet", "aria-label": "How it went" }, title,
    wrong.length ? element("ol", { class: "wrong" }, rows) : element("p", {}, "Every call was right."),
    element("div", { class: "row" }, buttons, button("More of this topic", () => begin(() => post("drills", fields()))))));
  at("choose").open = true;
  title.focus();
  showScore();
  showDue();
}

/** How many of one's own mistakes are due; the button begins a drill of them. */
async function showDue() {
  const { due, next } = await get("mistakes");
  at("mine").hidden = !due && !next;
  at("mine").disabled = !due;
  at("mine").textContent = due ? `My mistakes that are due (${due})` : next ? `My mistakes: the next is due on ${dayWords(next)}` : "";
}

async function again() {
  await begin(() => post(`drills/${drill.drill}/again`));
}

document.addEventListener("keydown", (event) => {
  const key = keyOf(event);
  if (key === null || !drill || at("room").hidden || answered) return;
  const call = callOfKey(key);
  if (!call) return;
  if (current.legal.includes(call)) choose(call);
  else announce(`${callWords(call)} is not possible now.`);
});
at("drill-form").addEventListener("submit", (event) => { event.preventDefault(); begin(() => post("drills", fields())); });
at("mine").addEventListener("click", () => begin(() => post("mistakes/drill", { spec: at("spec").value, count: Number(at("count").value) })));

async function start() {
  const [{ topics }, { specs }] = await Promise.all([get("topics"), get("start")]);
  at("topic").replaceChildren(element("option", { value: "any" }, "All topics, told after each answer"),
    element("option", { value: "cards" }, "Scorecards: add up this hand's card"), ...topics.map(({ name, title }) => element("option", { value: name }, title)));
  const wished = new URLSearchParams(location.hash.slice(1));
  at("topic").value = topics[0].name;
  if ([...at("topic").options].some(({ value }) => value === wished.get("topic"))) at("topic").value = wished.get("topic");
  const systems = specs.filter((spec) => spec.startsWith("system:"));
  at("spec").replaceChildren(...systems.map((spec) => element("option", { value: spec }, spec.replace(/^system:~?/, ""))));
  at("spec").value = systems.includes(wished.get("spec")) ? wished.get("spec") : "system:two-over-one";
  await showDue();
}
start();
