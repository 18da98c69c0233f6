// Tells events to who listens.

import { at } from "./words.js";

export function say(words) {
  at("live").textContent = words;
}
