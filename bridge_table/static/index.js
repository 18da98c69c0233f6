// The page: draws the latest state from the server, and requests the next step.

import { complain, get, post } from "./api.js";
import { drawAuction, drawBox, drawHint } from "./auction.js";
import { lookBack, showSession } from "./ending.js";
import { claimParts, drawTable } from "./hands.js";
import { listen } from "./keys.js";
import { explain, forget, learn, point, showLatest, showMeaning } from "./meanings.js";
import * as setup from "./setup.js";
import { opened, remember } from "./share.js";
import { stepButtons } from "./steps.js";
import { showCard } from "./card.js";
import { announce, saveReport, saveSettings, settings } from "./page.js";
import { NAMES, at, button, callWords, cardWords, element, latestWords } from "./words.js";

let state = null; // what the seat in front of the screen may know
let thinking = false;
let pending = null; // the request of a person while the table was thinking
let round = 0; // grows with every board, so that answers to an earlier one are dropped

const PLACES = ["box", "table", "actions"];
let held = null; // which of them has the focus, or had it when what held it was drawn anew

/** Restore the focus, for those who bid and play by keyboard. */
function restoreFocus() {
  if (!held || document.activeElement !== document.body) return;
  const next = at("actions").querySelector("button");
  const box = at("box").querySelector("[role=group]") || (state.phase === "bid" ? next : null);
  const first = { box, table: at("table"), actions: { playing: at("table"), over: null, bidding: next, bid: next }[state.phase] }[held]; // a claim is not to be made by Enter
  first?.focus({ preventScroll: true });
}

function draw() {
  const now = document.activeElement;
  if (now !== document.body) held = PLACES.find((name) => at(name).contains(now)) || null;
  document.body.dataset.phase = state.phase; // the style lays the page out by it
  document.body.toggleAttribute("data-watched", !state.seat);
  const bidden = state.phase === "playing" || state.phase === "over"; // then the trick takes the auction's place
  const home = at(bidden ? "side" : "table");
  if (at("auction").parentNode !== home) home.append(at("auction"));
  drawTable(at("seats"), state, thinking, playCard);
  drawAuction(at("auction"), state, showMeaning);
  drawBox(at("box"), state.yours && !thinking ? state.legal : null, makeCall, point);
  drawActions();
  at("box").hidden = state.phase !== "bidding";
  restoreFocus();
}

/** The bidder of my side, or of North and South. */
const mySpec = () => state.bidders[["E", "W"].includes(state.seat) ? "EW" : "NS"];

const called = () => state.calls.some(({ seat }) => state.people.includes(seat));

/** Whether a person has a call or, in the play, a card to take back. */
const mayUndo = () => state.people.length > 0 && state.phase !== "over" && (state.phase === "playing" ? state.play.cards.length > 0 : called());

/** The buttons for what may be done besides calls and cards. */
function drawActions() {
  const made = [];
  if (state.phase === "bid" && !thinking) {
    made.push(button("Play the hand", () => act("play"), { class: "primary" }), button("Show the result", () => act("show")));
  }
  if (state.phase === "playing") made.push(...(thinking ? [] : claimParts(state, (tricks) => act("claim", { tricks }))), button("End the play", () => act("show")));
  if (state.phase === "over" && state.play) made.push(stepButtons(state));
  if (state.yours && !thinking) made.push(button("Idea", hint, { "aria-keyshortcuts": "i" }));
  if (mayUndo()) made.push(button("Take back", () => act("undo"), { "aria-keyshortcuts": "u" }));
  at("actions").replaceChildren(...made);
}

// --- going on ----------------------------------------------------------------------------------------------

/** Request something at this table, and draw the answer. */
async function act(what, fields = {}, seat = state.seat) {
  if (thinking) {
    if (["show", "undo"].includes(what)) pending = [what, fields];
    return false;
  }
  const now = round;
  at("message").hidden = true;
  thinking = true;
  let lost = false; // the server did not answer: to ask again at once would not help
  draw();
  try {
    const reply = await post(`tables/${state.table}/${what}`, { ...(seat ? { seat } : {}), ...fields });
    if (now !== round) return false;
    const more = reply.calls.length !== state.calls.length;
    state = reply;
    if (more) showLatest(state);
    return true;
  } catch (fault) {
    lost = !fault.status || fault.status >= 500;
    if (now === round) await recover(fault, what);
    return false;
  } finally {
    if (now === round) {
      thinking = false;
      const next = pending;
      pending = null;
      draw();
      if (lost) at("message").append(" ", button("Try again", () => { at("message").hidden = true; proceed(); }));
      else if (next && what === "step") act(...next);
      else proceed();
    }
  }
}

/** Show a fault; where the table has moved on in another tab, show its state. */
async function recover(fault, what) {
  if (what !== "step" || fault.status !== 409) complain(fault);
  if (fault.status !== 409) return;
  const now = round;
  const fresh = await get(`tables/${state.table}`, state.seat ? { seat: state.seat } : {}).catch(() => null);
  if (fresh && now === round) state = fresh;
}

const wait = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds * setup.pace()); });

/** Let the others call or play until it is a person's turn. */
async function proceed() {
  const now = round;
  drawHint(at("hint"), null);
  forget();
  if (state.phase === "over") {
    await review();
    return showAll();
  }
  if (state.phase === "bid") {
    announce(`${state.contract.text}. Play the hand, or show the result.`);
    return showAll();
  }
  if (state.chooser === null) {
    const before = state;
    await wait(state.phase === "playing" ? (state.play.complete && state.play.trick.length ? 1100 : 550) : 450);
    if (now === round && state === before) await act("step", { at: state.at });
    return undefined;
  }
  if (state.chooser !== state.seat) return handOver(state.chooser);
  announce(state.phase === "bidding" ? `${latestWords(state)} Your call.` : `${latestWords(state)} ${NAMES[state.turn]} to play.`);
  if (state.phase === "bidding") {
    const asking = state;
    await learn(() => post(`tables/${state.table}/calls`, { seat: state.seat }), () => state === asking);
  }
  return showAll();
}

/** What calls show for which hands have to be drawn: while nobody waits for the server. */
function showAll() {
  const asking = state;
  const redraw = () => {
    drawAuction(at("auction"), state, showMeaning);
    if (state.phase !== "playing") drawTable(at("seats"), state, thinking, playCard); // cards are not to move under a finger
  };
  return explain(state, () => get(`tables/${state.table}`, { seat: state.seat || "watch", draw: true }), () => state === asking && !thinking, redraw);
}

/** Cover the screen between two people at it: the next one looks when the other has turned away. */
function handOver(seat) {
  const look = async () => {
    state = await get(`tables/${state.table}`, { seat });
    at("cover").hidden = true;
    draw();
    at("table").focus();
    proceed();
  };
  const open = button(`Show ${NAMES[seat]}'s hand`, look, { class: "primary" });
  at("cover").replaceChildren(element("h2", {}, `${NAMES[seat]} is next`), element("p", { class: "aside" }, "The other hand is covered."), open);
  at("cover").hidden = false;
  open.focus();
}

function makeCall(call) {
  return act("call", { call, at: state.at });
}

function playCard(card) {
  return act("card", { card, at: state.at });
}

async function hint() {
  if (!state.yours || thinking) return;
  const now = round;
  announce("Thinking…");
  at("info").dataset.first = "hint";
  at("hint").replaceChildren(element("p", { class: "aside" }, "Thinking…"));
  const found = await post(`tables/${state.table}/hint`, { seat: state.seat }).finally(() => at("hint").replaceChildren());
  if (now !== round) return;
  drawHint(at("hint"), found);
  announce(`Idea: ${found.card ? cardWords(found.card) : callWords(found.call)}. ${found.why}`);
}

async function review() {
  const now = round;
  const place = at("review");
  const shown = await lookBack(place, state, () => now === round, [button("New board", deal, { class: "primary" }), button("Same board again", again)]);
  if (shown && held && document.activeElement === document.body) place.querySelector("button").focus({ preventScroll: true });
}

// --- boards ------------------------------------------------------------------------------------------------

async function begin(asking) {
  round += 1;
  const now = round;
  thinking = true; // no more requests of the old board
  pending = null;
  at("message").hidden = true;
  at("cover").hidden = true;
  at("review").hidden = true;
  at("hint").replaceChildren();
  try {
    if (!state) at("seats").replaceChildren(element("p", { class: "about" }, "Thinking…"));
    const fresh = await asking();
    if (now !== round) return;
    state = fresh;
    thinking = false;
    pending = null;
    remember(state);
    showLatest(state);
    draw();
    if (at("card").open) showCard(at("boxes"), mySpec());
    at("table").focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
    proceed();
  } catch (fault) {
    if (now === round) thinking = false;
    complain(fault);
  }
}

function deal() {
  if (state && state.phase !== "over" && called() && !window.confirm("This board is not over. Deal another one?")) return undefined;
  return begin(async () => {
    const fresh = await post("tables", setup.wishes());
    setup.advance();
    return fresh;
  });
}

function again() {
  const { table } = state;
  return begin(() => post(`tables/${table}/again`));
}

// --- keys and buttons -------------------------------------------------------------------------------------------

listen({
  awake: () => setup.shortcuts() && state !== null && at("cover").hidden,
  calls: () => (state.phase === "bidding" && state.yours && !thinking ? state.legal : null),
  cards: () => (state.phase === "playing" && state.yours && !thinking ? state.play.legal : null),
  makeCall, playCard, hint, deal, refuse: (word) => announce(`${word} is not possible now.`),
  undo: () => { if (mayUndo()) act("undo"); },
});
at("new").addEventListener("click", deal);
const settle = async () => { if (await setup.open()) deal(); };
at("settings").addEventListener("click", settle);
document.addEventListener("dropped", settle);
window.addEventListener("hashchange", async () => {
  const asking = await opened(setup.wishes);
  if (asking) begin(asking);
});
at("system").addEventListener("click", () => {
  if (!state) return;
  const query = { tab: "auction", spec: mySpec(), calls: state.calls.map(({ call }) => call).join(" ") };
  at("system").href = `systems.html#${new URLSearchParams(query)}`;
});
at("report").addEventListener("click", async () => saveReport(await get(`tables/${state.table}/report`, state.seat ? { seat: state.seat } : {})));
at("keys").addEventListener("click", () => at("help").showModal());
at("card").addEventListener("toggle", () => { if (state && at("card").open) showCard(at("boxes"), mySpec()); });
at("welcome").hidden = Boolean(settings().welcomed);
at("begin").addEventListener("click", () => {
  saveSettings({ welcomed: true });
  at("welcome").hidden = true;
  at("table").focus();
});

async function start() {
  showSession(await setup.start());
  const asking = await opened(setup.wishes);
  if (asking) await begin(asking);
  else await deal();
}
start();
