// Long work on the server: how far it is, and how to stop it.

import { Fault, get, post } from "./api.js";
import { button, element } from "./words.js";

const EVERY = 400; // milliseconds between two questions

/**
 * Ask for long work, show in `place` how far it is with a button to stop it, and resolve to its result;
 * to null where it was stopped. `begin` asks for it.
 */
export async function run(place, words, begin) {
  const bar = element("progress", { "aria-label": words });
  let told;
  try {
    told = await begin();
    const stop = button("Stop", async () => { told = await post(`jobs/${told.job}/stop`); });
    place.replaceChildren(element("span", { class: "job", role: "status" }, words, " ", bar), stop);
    while (told.state === "running") {
      if (told.of) { bar.max = told.of; bar.value = told.done; }
      await new Promise((resolve) => { setTimeout(resolve, EVERY); });
      if (told.state === "running") told = await get(`jobs/${told.job}`);
    }
    place.replaceChildren(told.state === "stopped" ? element("span", { class: "aside" }, "Stopped.") : "");
    if (told.state === "failed") throw new Fault(told.error, 500);
    return told.state === "done" ? told.result : null;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    place.replaceChildren(element("span", { class: "message", role: "alert" }, fault.message));
    return null;
  }
}
