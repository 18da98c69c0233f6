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
  let answer;
  try {
    answer = await begin();
    const stop = button("Stop", async () => { answer = await post(`jobs/${answer.job}/stop`); });
    place.replaceChildren(element("span", { class: "job", role: "status" }, words, " ", bar), stop);
    while (answer.state === "running") {
      if (answer.of) { bar.max = answer.of; bar.value = answer.done; }
      await new Promise((resolve) => { setTimeout(resolve, EVERY); });
      if (answer.state === "running") answer = await get(`jobs/${answer.job}`);
    }
    place.replaceChildren(answer.state === "stopped" ? element("span", { class: "aside" }, "Stopped.") : "");
    if (answer.state === "failed") throw new Fault(answer.error, 500);
    return answer.state === "done" ? answer.result : null;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    place.replaceChildren(element("span", { class: "message", role: "alert" }, fault.message));
    return null;
  }
}
