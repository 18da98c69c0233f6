// The buttons for what may be done besides calls and cards.

import { button, element } from "./words.js";

/** `act` requests something of the server, `hint` an idea. */
export function drawActions(place, state, thinking, act, hint) {
  const made = [];
  if (state.phase === "bid" && !thinking) {
    made.push(button("Play the hand", () => act("play"), { class: "primary" }), button("Show the result", () => act("show")));
  }
  if (state.phase === "playing") made.push(...(thinking ? [] : claimParts(state, (tricks) => act("claim", { tricks }))), button("End the play", () => act("show")));
  if (state.yours && !thinking) made.push(button("Idea", hint, { "aria-keyshortcuts": "i" }));
  if (state.people.length && state.phase !== "over" && state.at) made.push(button("Take back", () => act("undo"), { "aria-keyshortcuts": "u" }));
  place.replaceChildren(...made);
}

/** A field and a button with which a person claims; `claim` takes the number of tricks. */
export function claimParts(state, claim) {
  if (!state.people.length) return [];
  const number = element("input", { type: "number", class: "few", min: 0, max: state.play.left, value: state.play.left, "aria-label": `Tricks that your side claims, of ${state.play.left} left` });
  return [element("span", { class: "row" }, number, button("Claim", () => claim(Number(number.value))))];
}
