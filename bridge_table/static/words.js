// Calls and cards as people write them, and what pages are made of. Display only: what is legal comes from the server.

export const SEATS = ["N", "E", "S", "W"];
export const COLUMNS = ["W", "N", "E", "S"];
export const NAMES = { N: "North", E: "East", S: "South", W: "West" };
export const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUIT_NAMES = { C: "club", D: "diamond", H: "heart", S: "spade" };
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };
const VULNERABLE = { None: "nobody vulnerable", NS: "North–South vulnerable", EW: "East–West vulnerable", Both: "both sides vulnerable" };

/** The element of the page with an id. */
export const at = (id) => document.getElementById(id);

/** An element with attributes and children; texts are texts, never HTML. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function button(words, act, extra = {}) {
  return element("button", { type: "button", onclick: act, ...extra }, words);
}

/** A table of figures, with rows of the table. */
export function figures(heads, rows, caption) {
  return element("table", { class: "figures" }, caption ? element("caption", { class: "unseen" }, caption) : null,
    element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, rows));
}

/** A row of such a table, whose first cell is its head. */
export function figuresOf([head, ...cells]) {
  return element("tr", {}, element("th", { scope: "row" }, head), cells.map((cell) => element("td", {}, cell)));
}

/** A suit's sign in its colour; screen readers hear its name. */
export function sign(suit) {
  return element("span", { class: suit.toLowerCase(), role: "img", "aria-label": `${SUIT_NAMES[suit]}s` }, SIGNS[suit]);
}

/** A call with its sign coloured: 2♣, 3NT, Pass, X. */
export function callMark(call) {
  const suit = /^[1-7][CDHS]$/.test(call) ? call[1] : null;
  return suit ? [call[0], sign(suit)] : [call];
}

/** A call in full, for screen readers and hints. */
export function callWords(call) {
  const words = { Pass: "pass", X: "double", XX: "redouble" };
  if (words[call]) return words[call];
  if (call.endsWith("NT")) return `${call[0]} no trump`;
  return `${call[0]} ${SUIT_NAMES[call[1]]}${call[0] === "1" ? "" : "s"}`;
}

/** A card with its sign coloured. */
export function cardMark(card) {
  return [sign(card[0]), card[1] === "T" ? "10" : card[1]];
}

export function cardWords(card) {
  return `${RANK_NAMES[card[1]] || card[1]} of ${SUIT_NAMES[card[0]]}s`;
}

/** Text in which suits stand as signs, or contracts as 4S: signs coloured. */
export function coloured(text) {
  return text
    .replace(/\b([1-7])([CDHS])(?=X{0,2}( |$|,))/g, (_, level, suit) => level + SIGNS[suit])
    .split(/([♣♦♥♠])/)
    .map((part) => {
      const suit = Object.keys(SIGNS).find((key) => SIGNS[key] === part);
      return suit ? sign(suit) : part;
    });
}

export function vulnerableWords(vulnerability) {
  return VULNERABLE[vulnerability];
}

export function isVulnerable(seat, vulnerability) {
  return vulnerability === "Both" || (vulnerability !== "None" && vulnerability.includes(seat));
}

/** A day such as 2026-11-25, or a time in UTC, as people here write it. */
export function dayWords(day, clock = false) {
  const when = new Date(day.length > 10 ? day : `${day}T00:00`); // without a time, a day would be one in UTC
  return when.toLocaleString([], { dateStyle: "medium", ...(clock ? { timeStyle: "short" } : {}) });
}

/** +3, −2, 0. */
export function signed(number, digits = 0) {
  const text = Math.abs(number).toFixed(digits);
  return Number(text) === 0 ? text : (number > 0 ? "+" : "−") + text;
}

/** A mean with its standard error: +1.20 ± 0.35. */
export const meanWords = ({ mean, error }) => `${signed(mean, 2)}${error === null ? "" : ` ± ${error.toFixed(2)}`}`;

/** The par of a board: points and contracts. */
export const parWords = ({ points, contracts }) => `${signed(points)}: ${contracts.join(", ") || "passed out"}`;

/** 1 board, 2 boards. */
export const several = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;

/** What boards came to, on average. */
export const averageWords = (found) => `${meanWords(found)} IMPs a board over ${several(found.boards, "board")}`;

/** The class of a number's colour: none where it may as well be nothing, two standard errors from 0. */
export function tone(number, error = 0) {
  return number === 0 || Math.abs(number) < 2 * error ? "" : number > 0 ? "good" : "bad";
}

/** The spec of a bidder, shorter: policy:champion is "champion (network)". */
export function bidderWords(spec) {
  if (spec === "you") return "you";
  const [head, ...rest] = spec.split(":");
  const name = rest.join(":").replace(/^~/, "");
  return { policy: `${name}, a network`, system: `${name}, a system`, reason: `${name.replace("policy:", "")}, thinking` }[head] || spec;
}

/** The latest calls or cards, for screen readers. */
export function latestWords(state) {
  if (state.phase === "playing") return state.play.trick.map(({ seat, card }) => `${NAMES[seat]} ${cardWords(card)}.`).join(" ");
  return state.calls.slice(-3).map(({ seat, call }) => `${NAMES[seat]} ${callWords(call)}.`).join(" ");
}
