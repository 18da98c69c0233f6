// The fields of a scenario: what hands look like, and the auction so far.

import { element } from "./words.js";

/** List the scenarios in a form; the one that is chosen fills in its fields, which can be changed. */
export function listScenarios(form, scenarios) {
  const { scenario, hands, calls } = form.elements;
  scenario.append(...scenarios.map(({ title }, k) => element("option", { value: k }, title)));
  scenario.addEventListener("change", () => {
    const chosen = scenarios[scenario.value] || { hands: "", calls: "" };
    hands.value = chosen.hands;
    calls.value = chosen.calls;
  });
}

/** What the fields say. */
export const scenarioIn = ({ elements: { hands, calls } }) => ({ hands: hands.value, calls: calls.value });
