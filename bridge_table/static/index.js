// The page: keeps what the server last told, draws it, and asks the server to go on.

import { drawActions } from "./actions.js";
import { complain, get, post } from "./api.js";
import { drawAuction, drawBox, drawHint } from "./auction.js";
import { cover, isCovered, uncover } from "./cover.js";
import { lookBack, tellSession } from "./ending.js";
import { drawTable } from "./hands.js";
import { listen } from "./keys.js";
import { explain, forget, learn, point, tellLatest, tellShows } from "./meanings.js";
import * as setup from "./setup.js";
import { asked, remember } from "./share.js";
import { say } from "./telling.js";
import { NAMES, at, button, callWords, cardWords, element, latestWords } from "./words.js";

let state = null; // what the seat in front of the screen may know
let thinking = false;
let pending = null; // what a person asked for while the table was thinking
let round = 0; // grows with every board, so that answers to an earlier one are dropped

const PLACES = ["box", "table", "actions"];
let held = null; // which of them has the focus, or had it when what held it was drawn anew

/** Where the focus was goes on to have it, for who bids and plays by keyboard. */
function keepFocus() {
  if (!held || document.activeElement !== document.body) return;
  const next = at("actions").querySelector("button");
  const box = at("box").querySelector("[role=group]") || (state.phase === "bid" ? next : null);
  const first = { box, table: at("table"), actions: state.phase === "playing" ? at("table") : next }[held]; // a claim is not to be made by Enter
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
  drawTable(at("seats"), state, thinking, setup.drawn(), playCard);
  drawAuction(at("auction"), state, tellShows);
  drawBox(at("box"), state.yours && !thinking ? state.legal : null, makeCall, point);
  drawActions(at("actions"), state, thinking, act, hint);
  at("box").hidden = state.phase !== "bidding";
  keepFocus();
}

// --- going on ----------------------------------------------------------------------------------------------

/** Ask the server for something at this table, and draw what it tells. */
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
    const told = await post(`tables/${state.table}/${what}`, { ...(seat ? { seat } : {}), ...fields });
    if (now !== round) return false;
    const more = told.calls.length !== state.calls.length;
    state = told;
    if (more) tellLatest(state);
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

/** Tell a fault; where the table has moved on in another tab, show how it stands. */
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
    return tellAll();
  }
  if (state.phase === "bid") {
    say(`${state.contract.text}. Play the hand, or show the result.`);
    return tellAll();
  }
  if (state.chooser === null) {
    const before = state;
    await wait(state.phase === "playing" ? (state.play.complete && state.play.trick.length ? 1100 : 550) : 450);
    if (now === round && state === before) await act("step", { at: state.at });
    return undefined;
  }
  if (state.chooser !== state.seat) return handOver(state.chooser);
  say(state.phase === "bidding" ? `${latestWords(state)} Your call.` : `${latestWords(state)} ${NAMES[state.turn]} to play.`);
  if (state.phase === "bidding") {
    const asking = state;
    await learn(() => post(`tables/${state.table}/calls`, { seat: state.seat }), () => state === asking);
  }
  return tellAll();
}

/** What calls show for which hands have to be drawn: while nobody waits for the server. */
function tellAll() {
  const asking = state;
  const seat = state.seat ? { seat: state.seat } : {};
  const redraw = () => {
    drawAuction(at("auction"), state, tellShows);
    if (state.phase !== "playing") drawTable(at("seats"), state, thinking, setup.drawn(), playCard); // cards are not to move under a finger
  };
  return explain(state, (number) => post(`tables/${state.table}/note`, { ...seat, number }), () => state === asking && !thinking, redraw);
}

/** Two people at one screen: the next one looks when the other has turned away. */
function handOver(seat) {
  cover(seat, async () => {
    try {
      state = await get(`tables/${state.table}`, { seat });
      uncover();
      draw();
      at("table").focus();
      proceed();
    } catch (fault) {
      complain(fault);
    }
  });
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
  say("Thinking…");
  at("told").dataset.first = "hint";
  at("hint").replaceChildren(element("p", { class: "aside" }, "Thinking…"));
  try {
    const found = await post(`tables/${state.table}/hint`, { seat: state.seat });
    if (now !== round) return;
    drawHint(at("hint"), found);
    say(`Idea: ${found.card ? cardWords(found.card) : callWords(found.call)}. ${found.why}`);
  } catch (fault) {
    at("hint").replaceChildren();
    complain(fault);
  }
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
  thinking = true; // nothing is to be asked of the board that goes
  pending = null;
  at("message").hidden = true;
  uncover();
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
    tellLatest(state);
    draw();
    at("table").focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
    proceed();
  } catch (fault) {
    if (now === round) thinking = false;
    complain(fault);
  }
}

function deal() {
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

// --- what is asked for by keys and buttons -------------------------------------------------------------------

listen({
  awake: () => setup.shortcuts() && state !== null && !isCovered(),
  calls: () => (state.phase === "bidding" && state.yours && !thinking ? state.legal : null),
  cards: () => (state.phase === "playing" && state.yours && !thinking ? state.play.legal : null),
  makeCall, playCard, hint, deal, refuse: (word) => say(`${word} is not possible now.`),
  undo: () => { if (state.people.length && state.phase !== "over") act("undo"); },
});
at("new").addEventListener("click", deal);
const settle = async () => { if (await setup.open()) deal(); };
at("settings").addEventListener("click", settle);
document.addEventListener("dropped", settle);
window.addEventListener("hashchange", async () => {
  const asking = await asked(setup.wishes);
  if (asking) begin(asking);
});
document.addEventListener("shared-board", (event) => { location.hash = event.detail; });
at("system").addEventListener("click", () => {
  const told = { tab: "auction", spec: setup.wishes().ns, calls: state ? state.calls.map(({ call }) => call).join(" ") : "" };
  at("system").href = `systems.html#${new URLSearchParams(told)}`;
});
setup.onDrawn(() => { if (state) draw(); });
at("keys").addEventListener("click", () => at("help").showModal());

try {
  tellSession(await setup.start());
  const asking = await asked(setup.wishes);
  if (asking) await begin(asking);
  else await deal();
} catch (fault) {
  complain(fault);
}
