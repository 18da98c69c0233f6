// Covers the screen between two people, so that neither sees the other's hand.

import { NAMES, at, button, element } from "./words.js";

const sheet = at("cover");

export const isCovered = () => !sheet.hidden;

export function uncover() {
  sheet.hidden = true;
}

/** Cover the screen; `look` is called when the person at `seat` asks to see the hand. */
export function cover(seat, look) {
  const open = button(`Show ${NAMES[seat]}'s hand`, look, { class: "primary" });
  sheet.replaceChildren(element("h2", {}, `${NAMES[seat]} is next`), element("p", { class: "aside" }, "The other hand is covered."), open);
  sheet.hidden = false;
  open.focus();
}
