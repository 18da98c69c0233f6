// Draws what came of a board.

import { NAMES, SEATS, bidderWords, callMark, cardMark, cardWords, coloured, element, figures, figuresOf, parWords, signed, tone } from "./words.js";

/** The review of a board; `actions` are buttons for what comes next. */
export function drawReview(place, state, found, actions) {
  const result = found.played || found.contract;
  const imps = found.imps;
  place.replaceChildren(
    element("div", { class: "headline" },
      element("h2", {}, coloured(result.text)),
      imps === null ? null : element("span", { class: `imps ${tone(imps)}` }, `${signed(imps)} IMPs`),
      imps === null ? null : element("span", { class: "aside" }, `for ${found.side} against the other table`),
      imps === null || state.replay || found.counts !== false ? null : element("span", { class: "aside" }, "· not counted: this deal has counted before")),
    element("div", { class: "actions" }, actions),
    element("div", { class: "cards" }, outcome(state, found), calls(state, found), table(found), cards(found)));
}

function sheet(title, ...children) {
  return element("section", { class: "sheet", "aria-label": title }, element("h3", {}, title), ...children);
}

function outcome(state, found) {
  const rows = [["Here", found.played ? found.played.text : found.contract.text]];
  if (found.played) rows.push(["Double dummy", found.contract.text]);
  if (found.other) rows.push([found.played ? "Other table, double dummy" : "Other table", found.other.text]);
  rows.push(["Par", parWords(found.par)]);
  const parts = rows.map(([name, text]) => element("tr", {}, element("td", {}, name), element("td", {}, coloured(text))));
  const other = found.other && element("p", { class: "aside" }, state.replay ? `There ${bidderWords(found.other.control)} sat North–South:` : `In your seats at the other table sat ${bidderWords(found.other.control)}:`,
    found.other.calls.map((call) => [" ", callMark(call)].flat()).flat());
  return sheet("The result", element("table", { class: "figures" }, element("tbody", {}, parts)), other || "",
    element("p", { class: "aside" }, `Points are North–South's. Against par: ${signed(found.par.imps)} IMPs for ${found.side}.`));
}

function table(found) {
  const signs = { C: "♣", D: "♦", H: "♥", S: "♠", NT: "NT" };
  const heads = found.strains.map((strain) => coloured(signs[strain]));
  return sheet("Tricks double dummy", figures(["declarer", ...heads], SEATS.map((seat) => figuresOf([NAMES[seat], ...found.tricks[seat]]))));
}

const FEW = 5; // calls that are listed at once

const optionTable = (rows) => figures(["call", "would have led to", "IMPs"], rows);

/** What the player could know decides; what happened on this deal alone stands in the table below. */
function verdictOf({ lost, costly, better, fair }) {
  if (lost <= 0) return element("span", { class: "good" }, "nothing better");
  if (!costly) return element("span", {}, "no call was clearly better");
  if (!fair) return element("span", { class: "bad" }, callMark(better), ` was worth ${signed(lost)} IMPs on this deal`);
  return element("span", { class: "bad" }, callMark(fair.call), ` was worth ${signed(fair.gain, 1)} ± ${fair.error.toFixed(1)} IMPs over ${fair.deals} deals that fit what you knew`);
}

function calls(state, found) {
  if (!found.calls.length) return null;
  const several = new Set(found.calls.map(({ seat }) => seat)).size > 1;
  const parts = found.calls.map((mine) => {
    const { lost } = mine;
    const agreed = mine.usual === mine.call; // then another call was worth more by the lie of the cards alone
    const verdict = verdictOf(mine);
    const bidder = agreed ? (lost > 0 ? (state.replay ? " · the system's call" : " · your system's bidder calls so too") : "") : [state.replay ? " · the system: " : " · your system's bidder: ", callMark(mine.usual)].flat();
    const rows = mine.options.map((option) => element("tr", {},
      element("td", { class: "call" }, option.call === mine.call ? element("strong", {}, callMark(option.call)) : callMark(option.call)),
      element("td", {}, coloured(option.result)), element("td", {}, signed(option.imps))));
    return element("details", { open: mine.costly && found.calls.length < 4 },
      element("summary", {}, several ? `${NAMES[mine.seat]} ` : "", callMark(mine.call), " — ", verdict, bidder),
      optionTable(rows.filter((_, k) => k < FEW || mine.options[k].call === mine.call)),
      rows.length > FEW + 1 ? element("details", {}, element("summary", { class: "aside" }, `all ${rows.length} calls`),
        optionTable(rows.map((row) => row.cloneNode(true)))) : "");
  });
  return sheet("Where did it go wrong?", element("p", { class: "aside" }, state.replay ? "Each call of North–South, and what every other would have led to: bid out by the same systems, in IMPs over this auction, at double-dummy tricks of this one deal." : "Each call of yours, and what every other would have led to: bid out by the same bidders, in IMPs over your auction, at double-dummy tricks of this one deal."), parts);
}

function cards(found) {
  if (!found.cards.length) return null;
  const total = {};
  for (const { seat, cost } of found.cards) total[seat] = (total[seat] || 0) + cost;
  const rows = [];
  for (let k = 0; k < found.cards.length; k += 4) {
    const trick = found.cards.slice(k, k + 4).map(({ card, seat, cost, best }) => {
      const words = `${NAMES[seat]}: ${cardWords(card)}${cost ? `, cost ${cost}; better ${best.map(cardWords).join(", ")}` : ""}`;
      const better = best.map((c) => c.replace("T", "10")).join(" ");
      return [element("span", { class: cost ? "cost" : "", role: "img", "aria-label": words, title: cost ? `${NAMES[seat]}: ${cost} trick${cost > 1 ? "s" : ""}; better ${better}` : NAMES[seat] }, cardMark(card), cost ? `−${cost}` : ""), " "];
    });
    rows.push(element("li", {}, element("span", { class: "aside" }, `${k / 4 + 1} ${found.cards[k].seat} `), trick.flat()));
  }
  const lost = SEATS.map((seat) => `${NAMES[seat]} ${total[seat] || 0}`).join(", ");
  return sheet("The play", element("p", { class: "aside" }, `Tricks given away double dummy, underlined: ${lost}.`), element("ol", { class: "tricks" }, rows));
}
