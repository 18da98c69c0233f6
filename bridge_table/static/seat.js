// A seat at a table of several people: draws each state from the server at once, and sends the calls and cards of this seat.

import { complain, get, post } from "./api.js";
import { drawAuction, drawBox } from "./auction.js";
import { claimParts, drawTable } from "./hands.js";
import { listen } from "./keys.js";
import { explain, forget, learn, point, showLatest, showMeaning } from "./meanings.js";
import { drawPlaces, drawResults, tally } from "./people.js";
import { drawReview } from "./review.js";
import { announce, saveReport, settings } from "./page.js";
import { stepButtons } from "./steps.js";
import { NAMES, at, button, element, latestWords } from "./words.js";

const { shortcuts = true } = settings();
const EVERY = 400; // milliseconds between two questions
let state = null; // what this seat may know
let busy = false;
let held = false; // has the box the focus, or had it when it was drawn anew?
const drawnAs = {}; // what each part of the page was drawn from

/** Draw a part of the page where its content has changed, so that the focus and what is being typed stay. */
function once(part, found, drawPart) {
  const text = JSON.stringify(found);
  if (drawnAs[part] === text) return;
  drawnAs[part] = text;
  drawPart();
}

const isLast = () => state.room.board === state.room.boards;
const mayGoOn = () => state.phase === "over" && state.review && !isLast() && state.room.leads;

/** What is waited for, in words. */
function waitedFor() {
  const { phase, chooser, turn, yours, room, review } = state;
  if (phase === "over") return review ? "" : "Looking back…";
  if (yours) return phase === "bidding" ? "Your call." : `${NAMES[turn]} to play.`;
  if (room.awaited.includes(chooser)) return `Waiting until ${NAMES[chooser]} has opened the link; People shows it.`;
  return turn ? `${NAMES[turn]} is next.` : "";
}

function drawActions() {
  const made = [element("span", { class: "aside" }, waitedFor())];
  if (state.phase === "playing" && state.yours) made.push(...claimParts(state, (tricks) => send("claim", { tricks })));
  if (state.phase === "over" && state.play) made.push(stepButtons(state));
  at("actions").replaceChildren(...made);
}

function drawCalls(legal) {
  const now = document.activeElement;
  if (now !== document.body) held = at("box").contains(now);
  drawBox(at("box"), legal, (call) => send("call", { call, at: state.at }), point);
  at("box").hidden = state.phase !== "bidding";
  if (held) at("box").querySelector("[role=group]")?.focus({ preventScroll: true });
}

function drawCards() {
  const within = at("seats").contains(document.activeElement);
  drawTable(at("seats"), state, false, (card) => send("card", { card, at: state.at }));
  if (within) at("table").focus({ preventScroll: true });
}

function drawEnd() {
  const { review, room } = state;
  at("review").hidden = !review;
  const more = isLast() ? element("span", { class: "aside" }, "That was the last board.") : !room.leads ? element("span", { class: "aside" }, "The host deals the next board.") : button("Next board", next, { class: "primary", "aria-keyshortcuts": "b" });
  const swap = room.scenario && room.leads ? button("Next board, seats changed", () => next({ swap: true })) : null;
  if (review) drawReview(at("review"), state, review, swap ? [more, swap] : [more]);
  else at("review").replaceChildren();
  drawResults(at("results"), room);
}

function draw(fresh) {
  const before = state;
  if (before && fresh.room.version < before.room.version) return; // another answer was quicker
  state = fresh;
  const moved = !before || before.at !== state.at || before.room.board !== state.room.board || before.phase !== state.phase;
  document.body.dataset.phase = state.phase === "bid" ? "bidding" : state.phase; // the style lays the page out by it
  const home = at(state.phase === "playing" || state.phase === "over" ? "side" : "table");
  if (at("auction").parentNode !== home) home.append(at("auction"));
  const { room, review, ...board } = state;
  const legal = state.yours && state.phase === "bidding" ? state.legal : null;
  once("table", board, drawCards);
  once("box", [room.board, state.phase, legal], () => drawCalls(legal));
  once("actions", [room.board, waitedFor(), state.at], drawActions);
  once("end", [room.players, room.results, review, room.leads], drawEnd);
  once("news", room.news, () => { at("news").textContent = room.kind === "challenge" ? "" : room.news; });
  at("session").textContent = tally(room);
  once("places", [state.sits, room.host, room.held], () => drawPlaces(at("places"), state, invite));
  if (!before) at("name").value = state.room.name;
  if (moved) showMoved();
}

async function showMoved() {
  drawAuction(at("auction"), state, showMeaning);
  showLatest(state);
  announce(state.phase === "over" ? state.contract.text : `${latestWords(state)} ${waitedFor()}`);
  forget();
  const asking = state.at;
  const still = () => state.at === asking;
  if (state.yours && state.phase === "bidding") await learn(() => post("calls"), still);
  if (!still() || (state.phase === "bidding" && !state.yours)) return; // what comes next is not to wait
  await explain(state, () => get("look", { draw: true }), still, () => drawAuction(at("auction"), state, showMeaning));
}

async function send(what, fields = {}) {
  if (busy) return;
  busy = true;
  at("message").hidden = true;
  try {
    draw(await post(what, { board: state.room.board, ...fields }));
  } finally {
    busy = false;
  }
}

function next({ swap = false } = {}) {
  if (mayGoOn()) send("next", { swap });
}

const invite = (seat) => post("invite", { seat });

let lost = false;

/** Tell the server that somebody is here, and draw what has changed. */
async function hear() {
  try {
    const { version } = await post("here");
    if (version > state.room.version) draw(await get("look"));
    if (lost) at("message").hidden = true;
    lost = false;
  } catch (fault) {
    complain(fault);
    if (fault.status === 403) return;
    lost = true;
  }
  setTimeout(hear, EVERY);
}

listen({
  awake: () => shortcuts && state !== null,
  calls: () => (state.phase === "bidding" && state.yours ? state.legal : null),
  cards: () => (state.phase === "playing" && state.yours ? state.play.legal : null),
  makeCall: (call) => send("call", { call, at: state.at }), playCard: (card) => send("card", { card, at: state.at }),
  hint: () => undefined, undo: () => undefined, deal: next, refuse: (word) => announce(`${word} is not possible now.`),
});
at("open-people").addEventListener("click", () => at("people").showModal());
at("report").addEventListener("click", async () => saveReport(await get("report")));
at("naming").addEventListener("submit", async (event) => {
  event.preventDefault();
  at("people").close();
  draw(await post("name", { name: at("name").value })); // beside a call, which is not to wait for it
});

async function start() {
  draw(await get("look"));
  hear();
  if (!state.room.name) {
    at("people").showModal(); // the others read the name at the table
    at("name").focus();
  }
}
start();
