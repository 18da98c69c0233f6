// Speaks to the server. Every fault is a sentence, shown at the top of the page.

import { at } from "./words.js";

export class Fault extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

async function checked(answering) {
  let response;
  try {
    response = await answering;
  } catch {
    throw new Fault("The server does not answer; is bridge-env table still running?", 0);
  }
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Fault(found.error || "The request cannot be met.", response.status);
  return found;
}

export function get(path, query = {}) {
  const words = new URLSearchParams(query).toString();
  return checked(fetch(`api/${path}${words ? `?${words}` : ""}`, { cache: "no-store" }));
}

export function post(path, fields = {}) {
  const headers = { "Content-Type": "application/json" };
  return checked(fetch(`api/${path}`, { method: "POST", headers, body: JSON.stringify(fields) }));
}

export function complain(fault, place = at("message")) {
  if (!(fault instanceof Fault)) throw fault;
  place.textContent = fault.message;
  place.hidden = false;
}

// What fails by a fault of the server, and catches it nowhere else, is shown.
window.addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof Fault)) return;
  event.preventDefault();
  complain(event.reason);
});
