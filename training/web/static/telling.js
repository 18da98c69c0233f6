// Tells what happens: faults above the table, events to who listens, the session at the top.

import { Fault } from "./api.js";
import { element, signed } from "./words.js";

const at = (name) => document.getElementById(name);

export function say(words) {
  at("live").textContent = words;
}

export function complain(fault) {
  if (!(fault instanceof Fault)) throw fault;
  at("message").textContent = fault.message;
  at("message").hidden = false;
}

export function tellSession(session) {
  const error = session.error === null ? "" : ` ± ${session.error.toFixed(2)}`;
  const helped = session.helped ? `, ${session.helped} with help` : "";
  at("session").textContent = session.boards
    ? `${signed(session.mean, 2)}${error} IMPs a board over ${session.boards} board${session.boards > 1 ? "s" : ""}${helped}` : "";
}

export function button(words, act, extra = {}) {
  return element("button", { type: "button", onclick: act, ...extra }, words);
}
