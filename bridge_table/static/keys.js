// Calls from the keyboard: a level and a strain, or a letter.

const LETTERS = { P: "Pass", X: "X", R: "XX" };
let level = "";

/** The call that a key completes; null where it completes none. A level waits for its strain. */
export function callOfKey(key) {
  const before = level;
  level = "";
  if (before && key.length === 1 && "CDHSN".includes(key)) return before + (key === "N" ? "NT" : key);
  if (/^[1-7]$/.test(key)) level = key;
  return LETTERS[key] || null;
}

/** Is a level waiting for its strain? */
export const levelWaits = () => level !== "";

/** The key of an event, letters large; null where it belongs to a field, a dialog or the browser. */
export function keyOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return null;
  if (event.target.matches("input, select, textarea")) return null;
  return event.key.length === 1 ? event.key.toUpperCase() : event.key;
}

let suit = ""; // of a card, until its rank is typed

/** Hear keys at the table. `calls` and `cards` give what is legal where a person is to choose, else null. */
export function listen({ awake, calls, cards, makeCall, playCard, hint, undo, deal, refuse }) {
  const chosen = (word, legal, choose) => (legal.includes(word) ? choose(word) : refuse(word));
  document.addEventListener("keydown", (event) => {
    const key = keyOf(event);
    if (key === null || !awake()) return;
    const before = suit;
    suit = "";
    const waits = levelWaits();
    const call = callOfKey(key);
    if (calls() && (call || waits)) {
      if (call) chosen(call, calls(), makeCall);
    } else if (cards() && before && /^[2-9TJQKA]$/.test(key)) chosen(before + key, cards(), playCard);
    else if (cards() && "SHDC".includes(key)) suit = key;
    else if (key === "I") hint();
    else if (key === "U") undo();
    else if (key === "B") deal();
    else if (key.startsWith("Arrow")) document.querySelector(`[aria-keyshortcuts="${event.shiftKey ? "Shift+" : ""}${key}"]`)?.click();
  });
}
