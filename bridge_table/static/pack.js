// The 52 cards and where each lies: in one of four hands, or in the pack.

import { SEATS } from "./words.js";

const SUITS = ["S", "H", "D", "C"];
const RANKS = [..."AKQJT98765432"];
export const CARDS = SUITS.flatMap((suit) => RANKS.map((rank) => suit + rank));
const HAND = 13;

/** Nothing dealt. */
export const emptyDeal = () => new Map(CARDS.map((card) => [card, null]));

/** The cards that lie at a place, spades first. */
export const cardsAt = (deal, place) => CARDS.filter((card) => deal.get(card) === place);

/** The deal with `cards` at `place`; null where a hand would hold more than thirteen. */
export function moved(deal, cards, place) {
  const next = new Map(deal);
  for (const card of cards) next.set(card, place);
  return place !== null && cardsAt(next, place).length > HAND ? null : next;
}

/** The deal with what lies in the pack dealt at random. */
export function filled(deal) {
  const next = new Map(deal);
  const left = cardsAt(deal, null);
  for (let k = left.length - 1; k > 0; k -= 1) {
    const other = Math.floor(Math.random() * (k + 1));
    [left[k], left[other]] = [left[other], left[k]];
  }
  for (const seat of SEATS) {
    const wanted = HAND - cardsAt(next, seat).length;
    for (const card of left.splice(0, wanted)) next.set(card, seat);
  }
  return next;
}

/** `N:AKQ2.T98.J7.A543 …`; a hand may still be short. */
export function dealText(deal) {
  const holding = (seat, suit) => cardsAt(deal, seat).filter((card) => card[0] === suit).map((card) => card[1]).join("");
  return `N:${SEATS.map((seat) => SUITS.map((suit) => holding(seat, suit)).join(".")).join(" ")}`;
}

/** The deal of such a text. */
export function dealOf(text) {
  const deal = emptyDeal();
  text.slice(2).split(" ").forEach((hand, at) => hand.split(".").forEach((ranks, suit) => {
    for (const rank of ranks) if (deal.has(SUITS[suit] + rank)) deal.set(SUITS[suit] + rank, SEATS[at]);
  }));
  return deal;
}
