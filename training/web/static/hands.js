// Draws the four hands, the compass and the trick in play.

import { NAMES, SEATS, bidderWords, cardMark, cardWords, coloured, element, isVulnerable, sign, vulnerableWords } from "./words.js";

const CLASSES = { N: "north", E: "east", S: "south", W: "west" };

/** The whole table. `playCard` is called with a card that was chosen. */
export function drawTable(place, state, thinking, playCard) {
  const hands = SEATS.map((seat) => hand(state, seat, thinking, playCard));
  place.replaceChildren(about(state), stateWords(state), ...hands, middle(state));
}

function about(state) {
  const { board } = state;
  return element("p", { class: "about" },
    element("b", {}, `Board ${board.number}`),
    `${NAMES[board.dealer]} deals, `, element("br"), vulnerableWords(board.vulnerability), element("br"), element("span", { class: "source" }, board.source));
}

function stateWords(state) {
  if (!state.contract) return element("p", { class: "state" });
  const play = state.play;
  const tricks = play && [element("br"), `declarer ${play.won}, defence ${play.lost}`];
  return element("p", { class: "state" }, element("b", {}, coloured(state.contract.text.replace(/:.*$/, ""))), tricks || "");
}

function hand(state, seat, thinking, playCard) {
  const held = state.hands[seat];
  const yours = state.people.includes(seat) && !state.replay;
  const turn = state.turn === seat;
  const legal = turn && state.yours && state.phase === "playing" ? new Set(state.play.legal) : null;
  const classes = ["hand", CLASSES[seat], state.seat === seat ? "you" : "", turn ? "turn" : "", turn && thinking ? "thinking" : ""].join(" ");
  const shown = state.shown[seat];
  return element("section", { class: classes, "aria-label": `${NAMES[seat]}${yours ? ", you" : ""}` },
    element("h3", {}, NAMES[seat], element("span", { class: "who" }, yours ? "you" : bidderWords(state.sits[seat]))),
    held === null ? backs(seat) : suits(held, legal, playCard),
    shown ? element("p", { class: "shows" }, element("span", { class: "unseen" }, "has shown "), coloured(shown)) : null);
}

function backs(seat) {
  const cards = Array.from({ length: 7 }, () => element("i"));
  return element("div", { class: "backs", role: "img", "aria-label": `${NAMES[seat]}'s cards are hidden` }, cards);
}

/** A hand suit by suit; its cards are buttons where they can be played. */
export function suits(held, legal, playCard) {
  const rows = held.split(".").map((ranks, place) => {
    const suit = "SHDC"[place];
    const words = ranks ? ranks.split("").map((rank) => cardWords(suit + rank)).join(", ") : "none";
    if (!legal || ![...ranks].some((rank) => legal.has(suit + rank))) {
      const shown = ranks.replaceAll("T", "10").split("").join("").replace(/10|./g, (r) => `${r} `).trim();
      return element("li", {}, element("span", { class: "sign", "aria-hidden": "true" }, sign(suit)),
        element("span", { class: "ranks", "aria-label": words, role: "img" }, shown || "–"));
    }
    const buttons = [...ranks].map((rank) => element("button", {
      type: "button", class: "plain", disabled: !legal.has(suit + rank), "data-card": suit + rank,
      "aria-label": cardWords(suit + rank), onclick: () => playCard(suit + rank),
    }, rank === "T" ? "10" : rank));
    return element("li", {}, element("span", { class: "sign", "aria-hidden": "true" }, sign(suit)), buttons);
  });
  return element("ul", { class: "suits" }, rows);
}

function middle(state) {
  const edges = SEATS.map((seat) => {
    const vulnerable = isVulnerable(seat, state.board.vulnerability);
    const words = `${NAMES[seat]}${vulnerable ? ", vulnerable" : ""}${state.board.dealer === seat ? ", dealer" : ""}`;
    const text = `${seat}${state.board.dealer === seat ? "·D" : ""}`;
    const short = "NS".includes(seat) ? `${text}${vulnerable ? " vul" : ""}` : seat;
    return element("div", { class: `edge ${seat}${vulnerable ? " vul" : ""}`, title: words }, element("span", { role: "img", "aria-label": words }, short));
  });
  return element("div", { class: "middle" }, ...edges, element("div", { class: "heart" }, trick(state)));
}

function trick(state) {
  if (!state.play || state.phase !== "playing" || !state.play.trick.length) {
    return element("span", { class: "number", "aria-hidden": "true" }, state.board.number);
  }
  const cards = state.play.trick.map(({ seat, card }) => element("span", {
    class: `${seat}${state.play.complete ? " old" : ""}`, role: "img", "aria-label": `${NAMES[seat]}: ${cardWords(card)}`,
  }, cardMark(card)));
  return element("div", { class: "trick" }, cards);
}
