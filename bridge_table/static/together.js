// Opens a table for several people, or a challenge, and goes to the page of its key.

import { get, post } from "./api.js";
import { linkOf, reachWords } from "./people.js";
import { listScenarios, scenarioIn } from "./scenario.js";
import { at, element } from "./words.js";

const form = at("together");
const kind = () => new FormData(form).get("kind");

function suit() {
  form.querySelectorAll("[data-for]").forEach((field) => { field.hidden = !field.dataset.for.split(" ").includes(kind()); });
  form.querySelectorAll("option[value=E], option[value=W]").forEach((option) => { option.disabled = kind() === "practice"; });
  if (kind() === "practice" && "EW".includes(form.elements.seat.value)) form.elements.seat.value = "S";
}

/** The boards of a challenge: those that are pasted, or so many. */
async function boardsIn({ elements: { pasted, boards, seed } }) {
  if (pasted.value.trim()) return { stack: (await post("boards", { text: pasted.value })).stack };
  return { boards: Number(boards.value), ...(seed.value ? { seed: Number(seed.value) } : {}) };
}

form.addEventListener("change", suit);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ns, ew, control, name, seat, cards } = Object.fromEntries(new FormData(form));
  const specs = { ns, ew, control };
  const { key } = kind() === "challenge" ? await post("challenges", { ...specs, ...scenarioIn(form), ...(await boardsIn(form)) })
    : await post("rooms", { ...specs, kind: kind(), name, seat, cards, ...(kind() === "practice" ? scenarioIn(form) : {}) });
  location.href = linkOf(key);
});
suit();
async function start() {
  const { specs, scenarios } = await get("start");
  listScenarios(form, scenarios);
  at("specs").replaceChildren(...specs.map((spec) => element("option", { value: spec })));
  at("reach").textContent = `You get links for the others. ${reachWords()}`;
}
start();
