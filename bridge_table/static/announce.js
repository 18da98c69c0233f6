// Announces events to screen readers.

import { at } from "./words.js";

export function announce(words) {
  at("live").textContent = words;
}
