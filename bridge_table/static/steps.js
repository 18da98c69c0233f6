// Steps through the play of a board that is over.

import { drawTable } from "./hands.js";
import { at, button, element } from "./words.js";

/** The state of a board that is over, as it was after so many cards. Who leads has won the trick before. */
export function afterCards(state, count) {
  const { cards, declarer, dummy, won, lost } = state.play;
  const played = new Set(cards.slice(0, count).map(({ card }) => card));
  const holding = (ranks, suit) => [...ranks].filter((rank) => !played.has("SHDC"[suit] + rank)).join("");
  const hands = Object.entries(state.hands).map(([seat, held]) => [seat, held.split(".").map(holding).join(".")]);
  const leads = cards.filter((_, k) => k > 0 && k % 4 === 0 && k <= count);
  const ours = leads.filter(({ seat }) => [declarer, dummy].includes(seat)).length;
  const tricks = count === cards.length ? { won, lost } : { won: ours, lost: leads.length - ours };
  const trick = cards.slice(Math.floor((count - 1) / 4) * 4, count);
  return { ...state, phase: "review", hands: Object.fromEntries(hands), play: { ...state.play, ...tricks, trick, complete: false } };
}

/** Buttons that step through the play. The arrows press them, too. */
export function stepButtons(state) {
  const { cards } = state.play;
  let count = 0;
  const where = element("span", { class: "aside", role: "status" });
  const step = (words, key, next) => button(words, () => {
    count = Math.min(Math.max(next(), 0), cards.length);
    drawTable(at("seats"), count ? afterCards(state, count) : state, false, null);
    where.textContent = `${count} of ${cards.length} cards`;
  }, { "aria-keyshortcuts": key });
  return element("div", { class: "row", role: "group", "aria-label": "Step through the play" },
    step("First", "Shift+ArrowLeft", () => 0), step("Back", "ArrowLeft", () => count - 1),
    step("On", "ArrowRight", () => count + 1), step("Last", "Shift+ArrowRight", () => cards.length), where);
}
