// Draws the auction in columns W N E S, what a call shows, the bidding box and the hint.

import { COLUMNS, NAMES, callMark, callWords, cardMark, coloured, element, figures, isVulnerable, signed } from "./words.js";

/** The auction as a table; `tell` is called with a call that is pointed at. */
export function drawAuction(place, state, tell) {
  const { board, calls } = state;
  const heads = COLUMNS.map((seat) => element("th", { scope: "col", class: isVulnerable(seat, board.vulnerability) ? "vul" : "" },
    NAMES[seat], isVulnerable(seat, board.vulnerability) ? element("span", { class: "unseen" }, ", vulnerable") : null));
  const cells = Array.from({ length: COLUMNS.indexOf(board.dealer) }, () => element("td"));
  for (const made of calls) cells.push(element("td", {}, callButton(made, tell)));
  if (state.phase === "bidding") cells.push(element("td", { class: "aside" }, state.yours ? "?" : "…"));
  const rows = [];
  for (let k = 0; k < cells.length || k === 0; k += 4) rows.push(element("tr", {}, cells.slice(k, k + 4)));
  const focused = [...place.querySelectorAll("button")].indexOf(document.activeElement);
  place.replaceChildren(element("div", { class: "sheet" }, element("table", { class: "auction" },
    element("caption", { class: "unseen" }, "The auction"), element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows))));
  place.scrollTop = place.scrollHeight; // where it is long, its end is what matters
  if (focused >= 0) place.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
}

function callButton(made, tell) {
  const artificial = made.shows.artificial;
  const marks = callMark(made.call);
  const show = () => tell(made.call, made.shows, NAMES[made.seat]);
  return element("button", {
    type: "button", class: "plain", onclick: show, onpointerenter: show, onfocus: show,
    "aria-label": `${NAMES[made.seat]}: ${callWords(made.call)}${artificial ? ", artificial" : ""}. ${made.shows.text}`,
  }, element("span", { class: artificial ? "artificial" : "" }, marks), artificial ? element("span", { class: "alert", "aria-hidden": "true" }, "A") : null);
}

/** What a call shows, in the panel. */
export function drawDetail(place, call, shows, who) {
  if (!call) {
    place.replaceChildren(element("p", { class: "aside" }, "Point at a call to read what it shows."));
    return;
  }
  const lines = shows.lines.map((line) => element("li", {}, coloured(line)));
  place.replaceChildren(
    element("p", {}, element("b", {}, who ? `${who}: ` : "", callMark(call)), shows.note ? ` ${shows.note}` : ""),
    element("p", {}, coloured(shows.text)),
    lines.length ? element("ul", {}, lines) : "",
    element("p", { class: "aside" }, shows.how));
}

/** The bidding box: legal calls only. `choose` makes a call, `point` takes one that is looked at. */
export function drawBox(place, legal, choose, point) {
  if (!legal) {
    place.replaceChildren();
    return;
  }
  const can = new Set(legal);
  let looked = null; // a first tap explains, a second bids
  let over = null; // under the mouse, once it has moved: a box that is drawn anew under a still mouse shows nothing
  const button = (call, row, column) => {
    const made = element("button", {
      type: "button", "data-call": call, "data-row": row, "data-column": column, disabled: !can.has(call), "aria-label": callWords(call),
      onpointermove: () => { if (over !== call) { over = call; point(call); } }, onfocus: () => point(call),
      onclick: (event) => {
        if (event.pointerType === "touch" && looked !== call) {
          looked = call;
          place.querySelectorAll(".chosen").forEach((other) => other.classList.remove("chosen"));
          made.classList.add("chosen");
          point(call, true);
          return;
        }
        choose(call);
      },
    }, callMark(call));
    return made;
  };
  const bids = [];
  for (let level = 1; level <= 7; level += 1) {
    bids.push(...["C", "D", "H", "S", "NT"].map((strain, row) => button(`${level}${strain}`, row + 1, level)));
  }
  const box = element("div", { class: "sheet", role: "group", "aria-label": "Bidding box", tabindex: -1, onkeydown: moveIn },
    element("div", { class: "calls" }, button("Pass", 0, 1), button("X", 0, 5), button("XX", 0, 7)),
    element("div", { class: "bids" }, bids));
  place.replaceChildren(box);
}

/** Arrows move about in the box. */
function moveIn(event) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!steps) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll("[data-call]:not(:disabled)")];
  const from = event.target.closest("[data-call]");
  if (!from) return void all[0].focus(); // the box itself has the focus after a call
  const at = (b) => [Number(b.dataset.row), Number(b.dataset.column)];
  const [row, column] = at(from);
  const ahead = all.filter((b) => {
    const [r, c] = at(b);
    return steps[0] ? (r - row) * steps[0] > 0 : r === row && (c - column) * steps[1] > 0;
  });
  const far = (b) => Math.abs(at(b)[0] - row) * 10 + Math.abs(at(b)[1] - column);
  ahead.sort((a, b) => far(a) - far(b))[0]?.focus();
}

/** The hint: calls or cards with chances and look-ahead. */
export function drawHint(place, hint) {
  if (!hint) {
    place.replaceChildren();
    return;
  }
  const cards = "card" in hint;
  const has = (name) => hint.rows.some((row) => row[name] !== undefined && row[name] !== null);
  const columns = [["chance", "chance", (v) => `${(100 * v).toFixed(v < 0.1 ? 1 : 0)} %`], ["tricks", "tricks", (v) => v.toFixed(2)],
    ["gain", cards ? "IMPs v. par" : "IMPs ahead", (v, row) => signed(v, 2) + (row.error ? ` ± ${row.error.toFixed(2)}` : "")]].filter(([name]) => has(name));
  const cell = (row, [name, , write]) => element("td", {}, row[name] === undefined || row[name] === null ? "" : write(row[name], row));
  const rows = hint.rows.map((row) => element("tr", {},
    element("td", { class: "call" }, cards ? cardMark(row.card) : callMark(row.call)), columns.map((column) => cell(row, column))));
  const heads = [cards ? "card" : "call", ...columns.map(([, head]) => head)];
  const looked = hint.deals ? `Each was looked at on ${hint.deals} deals that fit what is known.` : "";
  place.replaceChildren(element("div", { class: "sheet idea", role: "region", "aria-label": "Idea", tabindex: 0 },
    element("h3", {}, "Idea: ", cards ? cardMark(hint.card) : callMark(hint.call)),
    element("p", { class: "aside lines" }, coloured(hint.why)),
    rows.length ? figures(heads, rows) : "",
    element("p", { class: "aside" }, looked)));
}
