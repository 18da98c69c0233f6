// The page: keeps what the server last told, draws it, and asks the server to go on.

import { Fault, get, post } from "./api.js";
import { drawAuction, drawBox, drawDetail, drawHint } from "./auction.js";
import { explore } from "./explorer.js";
import { drawTable } from "./hands.js";
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

function draw() {
  at("table").classList.toggle("closed", state.phase === "bidding" && state.people.length > 0);
  drawTable(at("table"), state, thinking, playCard);
  drawAuction(at("auction"), state, (call, shows, who) => drawDetail(at("detail"), call, shows, who));
  drawBox(at("box"), state.yours && !thinking ? state.legal : null, makeCall, point);
  drawActions();
  at("box").hidden = state.phase !== "bidding";
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
  draw();
  try {
    const told = await post(`tables/${state.table}/${what}`, { ...(seat ? { seat } : {}), ...fields });
    if (now !== round) return false;
    const more = told.calls.length !== state.calls.length;
    state = told;
    if (more) tellLatest();
    return true;
  } catch (fault) {
    if (now === round) complain(fault);
    return false;
  } finally {
    if (now === round) {
      thinking = false;
      const next = pending;
      pending = null;
      draw();
      if (next && what === "step") act(...next);
      else proceed();
    }
  }
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
    drawReview(place, state, found, [
      button("New board", deal, { class: "primary" }), button("Same board again", again),
      button("PBN", () => save("pbn")), button("LIN", () => save("lin")), button("BBO link", link), button("Share", share),
    ]);
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
  thinking = false;
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
    tellLatest();
    draw();
    at("table").focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
    proceed();
  } catch (fault) {
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

// --- keys --------------------------------------------------------------------------------------------------

let typed = "";

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !setup.shortcuts() || !state) return;
  if (document.querySelector("dialog[open]") || !at("cover").hidden || event.target.matches("input, select, textarea")) return;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const bidding = state.phase === "bidding" && state.yours && !thinking;
  const playing = state.phase === "playing" && state.yours && !thinking;
  if (bidding && typed && "CDHSN".includes(key)) chosen(typed + (key === "N" ? "NT" : key), state.legal, makeCall);
  else if (bidding && /^[1-7]$/.test(key)) {
    typed = key;
    return;
  } else if (bidding && ["P", "X", "R"].includes(key)) chosen({ P: "Pass", X: "X", R: "XX" }[key], state.legal, makeCall);
  else if (playing && typed && /^[2-9TJQKA]$/.test(key)) chosen(typed + key, state.play.legal, playCard);
  else if (playing && "SHDC".includes(key)) {
    typed = key;
    return;
  } else if (key === "I") hint();
  else if (key === "U" && state.people.length && state.phase !== "over") act("undo");
  else if (key === "B") deal();
  typed = "";
}

function chosen(word, legal, choose) {
  if (legal.includes(word)) choose(word);
  else say(`${word} is not possible now.`);
}

document.addEventListener("keydown", onKey);
at("new").addEventListener("click", deal);
at("settings").addEventListener("click", async () => { if (await setup.open()) deal(); });
window.addEventListener("hashchange", async () => {
  const shared = await boardOf(location.hash).catch(complain);
  if (shared) begin(() => post("tables", { ...setup.wishes(), ...shared }));
});
document.addEventListener("shared-board", (event) => { location.hash = event.detail; });
at("system").addEventListener("click", () => explore(setup.wishes().ns));
at("keys").addEventListener("click", () => at("help").showModal());

try {
  tellSession(await setup.start());
  const shared = await boardOf(location.hash);
  if (shared) await begin(() => post("tables", { ...setup.wishes(), ...shared }));
  else await deal();
} catch (fault) {
  complain(fault);
}
