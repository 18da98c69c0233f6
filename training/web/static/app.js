// The page: keeps what the server last told, draws it, and asks the server to go on.

import { Fault, get, post } from "./api.js";
import { drawAuction, drawBox, drawDetail, drawHint } from "./auction.js";
import { drawTable } from "./hands.js";
import { callOfKey, keyOf, levelWaits } from "./keys.js";
import { drawReview } from "./review.js";
import * as setup from "./setup.js";
import { addressOf, boardOf } from "./share.js";
import { NAMES, callWords, cardWords, element, signed } from "./words.js";

const at = (name) => document.getElementById(name);
let state = null; // what the seat in front of the screen may know
let meanings = null; // what each legal call would show
let thinking = false;
let pending = null; // what a person asked for while the table was thinking
let round = 0; // grows with every board, so that answers to an earlier one are dropped

// --- telling -----------------------------------------------------------------------------------------------

function say(words) {
  at("live").textContent = words;
}

function complain(fault) {
  if (!(fault instanceof Fault)) throw fault;
  at("message").textContent = fault.message;
  at("message").hidden = false;
}

function tellSession(session) {
  const error = session.error === null ? "" : ` ± ${session.error.toFixed(2)}`;
  const helped = session.helped ? `, ${session.helped} with help` : "";
  at("session").textContent = session.boards
    ? `${signed(session.mean, 2)}${error} IMPs a board over ${session.boards} board${session.boards > 1 ? "s" : ""}${helped}` : "";
}

const PLACES = ["box", "table", "actions"];
let held = null; // which of them has the focus, or had it when what held it was drawn anew

/** Where the focus was goes on to have it, for who bids and plays by keyboard. */
function keepFocus() {
  if (!held || document.activeElement !== document.body) return;
  const next = at("actions").querySelector("button");
  const box = at("box").querySelector("[role=group]") || (state.phase === "bid" ? next : null);
  const first = { box, table: at("table"), actions: next }[held];
  first?.focus({ preventScroll: true });
}

function draw() {
  const now = document.activeElement;
  if (now !== document.body) held = PLACES.find((name) => at(name).contains(now)) || null;
  at("table").classList.toggle("closed", state.phase === "bidding" && state.people.length > 0);
  drawTable(at("table"), state, thinking, playCard);
  drawAuction(at("auction"), state, (call, shows, who) => drawDetail(at("detail"), call, shows, who));
  drawBox(at("box"), state.yours && !thinking ? state.legal : null, makeCall, point);
  drawActions();
  at("box").hidden = state.phase !== "bidding";
  keepFocus();
}

function point(call) {
  const shows = meanings && meanings[call];
  drawDetail(at("detail"), call, shows || { text: "…", note: "", lines: [], how: "" }, null);
}

function button(words, act, extra = {}) {
  return element("button", { type: "button", onclick: act, ...extra }, words);
}

function drawActions() {
  const made = [];
  if (state.phase === "bid" && !thinking) {
    made.push(button("Play the hand", () => act("play"), { class: "primary" }), button("Show the result", () => act("show")));
  }
  if (state.phase === "playing") made.push(...claimParts(), button("End the play", () => act("show")));
  if (state.yours && !thinking) made.push(button("Idea", hint, { "aria-keyshortcuts": "i" }));
  const mine = state.people.length && (state.phase !== "over");
  if (mine && state.at) made.push(button("Take back", () => act("undo"), { "aria-keyshortcuts": "u" }));
  at("actions").replaceChildren(...made);
}

function claimParts() {
  if (!state.people.length || thinking) return [];
  const number = element("input", { type: "number", class: "few", min: 0, max: state.play.left, value: state.play.left, "aria-label": `Tricks that your side claims, of ${state.play.left} left` });
  return [element("span", { class: "row" }, number, button("Claim", () => act("claim", { tricks: Number(number.value) })))];
}

// --- going on ----------------------------------------------------------------------------------------------

/** The latest call, where nothing else is pointed at. */
function tellLatest() {
  const latest = state.calls.at(-1);
  if (latest) drawDetail(at("detail"), latest.call, latest.shows, NAMES[latest.seat]);
  else drawDetail(at("detail"), null);
}

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
    if (more) tellLatest();
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
  if (state.phase === "over") return review();
  if (state.phase === "bid") return say(`${state.contract.text}. Play the hand, or show the result.`);
  if (state.chooser === null) {
    const before = state;
    await wait(state.phase === "playing" ? (state.play.complete && state.play.trick.length ? 1100 : 550) : 450);
    if (now === round && state === before) await act("step", { at: state.at });
    return undefined;
  }
  if (state.chooser !== state.seat) return handOver(state.chooser);
  meanings = null;
  say(state.phase === "bidding" ? `${told()} Your call.` : `${told()} ${NAMES[state.turn]} to play.`);
  if (state.phase === "bidding") {
    meanings = await post(`tables/${state.table}/calls`, { seat: state.seat }).catch(() => null);
  }
  return undefined;
}

/** The latest calls or cards, for who listens. */
function told() {
  if (state.phase === "playing") {
    return state.play.trick.map(({ seat, card }) => `${NAMES[seat]} ${cardWords(card)}.`).join(" ");
  }
  return state.calls.slice(-3).map(({ seat, call }) => `${NAMES[seat]} ${callWords(call)}.`).join(" ");
}

/** Two people at one screen: cover it until the next one looks. */
function handOver(seat) {
  const cover = at("cover");
  const look = async () => {
    try {
      state = await get(`tables/${state.table}`, { seat });
      cover.hidden = true;
      draw();
      at("table").focus();
      proceed();
    } catch (fault) {
      complain(fault);
    }
  };
  const open = button(`Show ${NAMES[seat]}'s hand`, look, { class: "primary" });
  cover.replaceChildren(element("h2", {}, `${NAMES[seat]} is next`), element("p", { class: "aside" }, "The other hand is covered."), open);
  cover.hidden = false;
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
  say("Thinking…");
  at("hint").replaceChildren(element("p", { class: "aside" }, "Thinking…"));
  try {
    const found = await post(`tables/${state.table}/hint`, { seat: state.seat });
    if (now !== round) return;
    drawHint(at("hint"), found);
    at("hint").scrollIntoView({ block: "nearest" }); // on a phone it lies below
    say(`Idea: ${found.card ? cardWords(found.card) : callWords(found.call)}. ${found.why}`);
  } catch (fault) {
    at("hint").replaceChildren();
    complain(fault);
  }
}

// --- the end of a board ------------------------------------------------------------------------------------

async function review() {
  const now = round;
  const place = at("review");
  place.hidden = false;
  place.replaceChildren(element("p", { class: "aside" }, "Looking back…"));
  try {
    const found = await get(`tables/${state.table}/review`);
    if (now !== round) return;
    tellSession(found.session);
    if (found.unkept) complain(new Fault(found.unkept));
    drawReview(place, state, found, [
      button("New board", deal, { class: "primary" }), button("Same board again", again),
      button("PBN", () => save("pbn")), button("LIN", () => save("lin")), button("BBO link", link), button("Share", share),
    ]);
    if (held && document.activeElement === document.body) place.querySelector("button").focus({ preventScroll: true });
    say(`${(found.played || found.contract).text}. ${found.imps === null ? "" : `${found.imps} IMPs.`}`);
  } catch (fault) {
    place.replaceChildren();
    complain(fault);
  }
}

async function save(form) {
  try {
    const { name, text } = await get(`tables/${state.table}/export`, { form });
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    element("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  } catch (fault) {
    complain(fault);
  }
}

/** Show an address to be copied, with a warning beside it. */
async function offer(text, warning) {
  const field = element("input", { value: text, readonly: true, "aria-label": warning });
  const place = at("review").querySelector(".actions");
  place.querySelectorAll(".offer").forEach((old) => old.remove());
  place.append(element("label", { class: "offer" }, warning, field));
  field.select();
  await navigator.clipboard?.writeText(text).catch(() => undefined);
}

async function link() {
  try {
    const { text } = await get(`tables/${state.table}/export`, { form: "link" });
    await offer(text, "A link to BBO's hand viewer. It holds all four hands, and opens another site.");
  } catch (fault) {
    complain(fault);
  }
}

const share = () => offer(addressOf(state), "Careful: this address holds all four hands and the key of this table. "
  + "Others paste it under Settings at their own table.");

// --- boards ------------------------------------------------------------------------------------------------

async function begin(asking) {
  round += 1;
  const now = round;
  thinking = true; // nothing is to be asked of the board that goes
  pending = null;
  at("message").hidden = true;
  at("cover").hidden = true;
  at("review").hidden = true;
  at("hint").replaceChildren();
  try {
    if (!state) at("table").replaceChildren(element("p", { class: "about" }, "Thinking…"));
    const fresh = await asking();
    if (now !== round) return;
    state = fresh;
    thinking = false;
    pending = null;
    remember();
    tellLatest();
    draw();
    at("table").focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
    proceed();
  } catch (fault) {
    if (now === round) thinking = false;
    complain(fault);
  }
}

/** The address names the table, so that coming back to the page finds it. */
function remember() {
  const told = new URLSearchParams({ table: state.table, seat: state.seat || "" });
  history.replaceState(null, "", `#${told}`);
}

/** What the address asks for: a table that was left, a board of a match, a kept or a shared board; null where nothing. */
async function asked() {
  const told = new URLSearchParams(location.hash.slice(1));
  if (told.has("match")) return () => post(`matches/${told.get("match")}/open`, { board: Number(told.get("board")) });
  if (told.has("kept")) return () => post(`history/boards/${Number(told.get("kept"))}/open`);
  if (told.has("table")) {
    const left = await get(`tables/${told.get("table")}`, told.get("seat") ? { seat: told.get("seat") } : {}).catch(() => null);
    return left && (() => left);
  }
  const shared = await boardOf(location.hash).catch(complain);
  return shared ? () => post("tables", { ...setup.wishes(), ...shared }) : null;
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

// --- keys --------------------------------------------------------------------------------------------------

let suit = ""; // of a card, until its rank is typed

function onKey(event) {
  const key = keyOf(event);
  if (key === null || !setup.shortcuts() || !state || !at("cover").hidden) return;
  const before = suit;
  suit = "";
  const waits = levelWaits();
  const call = callOfKey(key);
  if (state.phase === "bidding" && state.yours && !thinking && (call || waits)) {
    if (call) chosen(call, state.legal, makeCall);
  } else if (state.phase === "playing" && state.yours && !thinking && before && /^[2-9TJQKA]$/.test(key)) {
    chosen(before + key, state.play.legal, playCard);
  } else if (state.phase === "playing" && state.yours && !thinking && "SHDC".includes(key)) suit = key;
  else if (key === "I") hint();
  else if (key === "U" && state.people.length && state.phase !== "over") act("undo");
  else if (key === "B") deal();
}

function chosen(word, legal, choose) {
  if (legal.includes(word)) choose(word);
  else say(`${word} is not possible now.`);
}

document.addEventListener("keydown", onKey);
at("new").addEventListener("click", deal);
const settle = async () => { if (await setup.open()) deal(); };
at("settings").addEventListener("click", settle);
document.addEventListener("dropped", settle);
window.addEventListener("hashchange", async () => {
  const asking = await asked();
  if (asking) begin(asking);
});
document.addEventListener("shared-board", (event) => { location.hash = event.detail; });
at("system").addEventListener("click", () => {
  const told = { tab: "auction", spec: setup.wishes().ns, calls: state ? state.calls.map(({ call }) => call).join(" ") : "" };
  at("system").href = `systems.html#${new URLSearchParams(told)}`;
});
at("keys").addEventListener("click", () => at("help").showModal());

try {
  tellSession(await setup.start());
  const asking = await asked();
  if (asking) await begin(asking);
  else await deal();
} catch (fault) {
  complain(fault);
}
