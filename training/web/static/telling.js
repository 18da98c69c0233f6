// Tells what happens: faults at the top of the page, events to who listens.

import { Fault } from "./api.js";
import { element } from "./words.js";

const at = (name) => document.getElementById(name);

export function say(words) {
  at("live").textContent = words;
}

export function complain(fault) {
  if (!(fault instanceof Fault)) throw fault;
  at("message").textContent = fault.message;
  at("message").hidden = false;
}

export function button(words, act, extra = {}) {
  return element("button", { type: "button", onclick: act, ...extra }, words);
}
