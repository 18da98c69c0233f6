// Draws the four seats with their hands, and the trick in play. Who sits before the screen sits below.

import { back, face } from "./cards.js";
import { NAMES, SEATS, bidderWords, button, cardWords, coloured, element, isVulnerable, sign, vulnerableWords } from "./words.js";

const PLACES = ["bottom", "left", "top", "right"]; // clockwise

/** Where a seat is on the screen. */
function placeOf(seat, state) {
  return PLACES[(SEATS.indexOf(seat) - SEATS.indexOf(state.seat || "S") + 4) % 4];
}

/** All seats. `playCard` is called with a card that was chosen. */
export function drawTable(place, state, thinking, playCard) {
  const around = SEATS.map((_, k) => SEATS[(SEATS.indexOf(state.seat || "S") + k + 2) % 4]); // from the top
  const hands = around.map((seat) => hand(state, seat, thinking, playCard));
  place.replaceChildren(about(state), stateWords(state), ...hands, trick(state));
}

function about(state) {
  const { board } = state;
  return element("p", { class: "about" },
    element("b", {}, `Board ${board.number}`),
    element("span", { class: "terms" }, `${NAMES[board.dealer]} deals, `, element("br"), vulnerableWords(board.vulnerability)),
    element("br"), element("span", { class: "source" }, board.source));
}

function stateWords(state) {
  if (!state.contract) return element("p", { class: "state" });
  const play = state.play;
  const tricks = play && `declarer ${play.won}, defence ${play.lost}`;
  return element("p", { class: "state" }, element("b", {}, coloured(state.contract.text.replace(/:.*$/, ""))), tricks || "");
}

function hand(state, seat, thinking, playCard) {
  const held = state.hands[seat];
  const yours = state.people.includes(seat) && !state.replay;
  const turn = state.turn === seat;
  const legal = turn && state.yours && state.phase === "playing" ? new Set(state.play.legal) : null;
  const spot = placeOf(seat, state);
  const classes = ["hand", spot, NAMES[seat].toLowerCase(), state.seat === seat ? "you" : "", turn ? "turn" : "", turn && thinking ? "thinking" : ""].join(" ");
  return element("section", { class: classes, "aria-label": `${NAMES[seat]}${yours ? ", you" : ""}` },
    plate(state, seat, yours),
    held === null ? backs(state, seat) : open(state, seat, spot, held, legal, playCard));
}

function plate(state, seat, yours) {
  const { board } = state;
  const vulnerable = isVulnerable(seat, board.vulnerability);
  const shown = state.shown[seat];
  return element("div", { class: `plate${vulnerable ? " vul" : ""}` },
    element("h3", {}, NAMES[seat],
      board.dealer === seat ? element("span", { class: "tag", title: "dealer" }, element("span", { "aria-hidden": "true" }, "D"), element("span", { class: "unseen" }, ", dealer")) : null,
      vulnerable ? element("span", { class: "tag red", title: "vulnerable" }, "vul") : null,
      element("span", { class: "who" }, yours ? "you" : bidderWords(state.sits[seat]))),
    shown ? element("p", { class: "shows" }, element("span", { class: "unseen" }, "has shown "), coloured(shown)) : null);
}

/** Hidden cards, as many as are still held. */
function backs(state, seat) {
  const playedCards = state.play ? state.play.cards.filter((played) => played.seat === seat).length : 0;
  const cards = Array.from({ length: 13 - playedCards }, () => element("i", {}, back()));
  return element("div", { class: "backs", role: "img", "aria-label": `${NAMES[seat]}'s cards are hidden` }, cards);
}

/** A hand that is seen. Four open hands, of a board that is over or watched, are read: they are text. */
function open(state, seat, spot, held, legal, playCard) {
  if (["over", "review"].includes(state.phase) || !state.seat) return suits(held);
  const dummy = state.play && state.play.dummy === seat;
  return pictures(held, spot === "left" || spot === "right" || (spot === "top" && dummy), legal, playCard);
}

/** A hand in pictures: one overlapping row, or a column for each suit. Where none can be played, its text is heard. */
export function pictures(held, inColumns, legal, playCard) {
  const can = legal && held.split(".").some((ranks, at) => [...ranks].some((rank) => legal.has("SHDC"[at] + rank)));
  const piece = (card) => (can ? element("button", {
    type: "button", class: "of-card", disabled: !legal.has(card), "data-card": card, "aria-label": cardWords(card), onclick: () => playCard(card),
  }, face(card)) : element("span", { class: "of-card" }, face(card)));
  const rows = held.split(".").map((ranks, at) => [...ranks].map((rank) => piece("SHDC"[at] + rank)));
  const cards = inColumns ? rows.filter((row) => row.length).map((row) => element("div", { class: "column" }, row)) : rows;
  const box = element("div", { class: inColumns ? "columns" : "fan", ...(can ? {} : { "aria-hidden": "true" }) }, cards);
  return can ? box : [box, element("div", { class: "unseen" }, suits(held))];
}

/** A hand suit by suit, as text. */
export function suits(held) {
  return element("ul", { class: "suits" }, held.split(".").map((ranks, place) => {
    const suit = "SHDC"[place];
    const words = [...ranks].map((rank) => cardWords(suit + rank)).join(", ") || "none";
    return element("li", {}, element("span", { class: "sign", "aria-hidden": "true" }, sign(suit)),
      element("span", { class: "ranks", "aria-label": words, role: "img" }, [...ranks].join(" ").replace("T", "10") || "–"));
  }));
}

let latest = ""; // the card that came in last: it moves in once, however often it is drawn

/** The trick in the middle, each card on its player's side. */
function trick(state) {
  const played = state.play && state.phase !== "over" ? state.play.trick : [];
  const cards = played.map(({ seat, card }, at) => {
    const fresh = at === played.length - 1 && latest !== `${state.table} ${card}`;
    if (fresh) latest = `${state.table} ${card}`;
    const classes = `${placeOf(seat, state)}${state.play.complete ? " old" : ""}${fresh ? " fresh" : ""}`;
    return element("span", { class: classes, role: "img", "aria-label": `${NAMES[seat]}: ${cardWords(card)}` }, face(card));
  });
  return element("div", { class: "trick" }, cards);
}

/** A field and a button with which a person claims; `claim` takes the number of tricks. */
export function claimParts(state, claim) {
  if (!state.people.length) return [];
  const number = element("input", { type: "number", class: "few", min: 0, max: state.play.left, value: state.play.left, "aria-label": `Tricks that your side claims, of ${state.play.left} left` });
  return [element("span", { class: "row" }, number, button("Claim", () => claim(Number(number.value))))];
}
