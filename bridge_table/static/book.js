// A system's book: its calls unfold point by point, with figures, and can be searched; and what calls show after any auction.

import { post } from "./api.js";
import { callMark, callWords, coloured, element } from "./words.js";

const MOST = 150; // results that are drawn
const WORDS = { X: "double", XX: "redouble", Pass: "pass" };

export class Book {
  /** `place` is where the tree is drawn; `model` the book of the system. */
  constructor(place, model) {
    this.place = place;
    this.model = model;
    this.figures = null;
    this.open = new Set();
    this.search = "";
  }

  /** Draw the tree, or the calls that were searched for. */
  draw() {
    this.place.replaceChildren(...(this.search ? this.results() : this.tree()));
  }

  /** Figures by entry, once they are measured. */
  measure(figures) {
    this.figures = figures;
    this.draw();
  }

  tree() {
    const root = this.model.points[0];
    const theirs = root.steps.filter(([step]) => step.startsWith("("));
    const ours = { entries: root.entries, steps: root.steps.filter(([step]) => !step.startsWith("(")) };
    const parts = [part("We open", this.below(ours, "o"))];
    if (theirs.length) parts.push(part("They open", this.below({ entries: [], steps: theirs }, "t")));
    if (this.model.general.length) {
      const blocks = this.model.general.map((block, k) => this.fold(`g${k}`,
        [element("span", { class: "what" }, coloured(block.when), block.note ? element("i", {}, ` ${block.note}`) : "")],
        () => block.entries.map((index) => this.branch(index, null, `g${k}`))));
      parts.push(part("General rules", [element("p", { class: "aside" }, "For auctions that the tree above does not hold."), ...blocks]));
    }
    return parts;
  }

  /** The calls of a point, and what else leads on from there. */
  below(point, key) {
    return [...point.entries.map(([index, child]) => this.branch(index, child, key)),
      ...point.steps.map(([step, child]) => this.fold(`${key}/${child}`,
        [element("b", { class: "bid" }, coloured(step.startsWith("(") ? step : `after ${step}`)), element("span", { class: "what aside" })],
        () => this.below(this.model.points[child], `${key}/${child}`)))];
  }

  /** A call with its facts and what follows. */
  branch(index, child, key) {
    const mine = `${key}.${index}`;
    const followers = child === null || child === undefined ? [] : this.model.points[child];
    return this.fold(mine, this.summary(index), () => [this.facts(index), ...(child ? this.below(followers, mine) : [])]);
  }

  summary(index) {
    const { call, what, note, flags } = this.model.entries[index];
    const figures = this.figures && this.figures[index];
    return [element("b", { class: "bid" }, coloured(call)),
      element("span", { class: "what" }, coloured(what), note ? element("i", {}, ` ${note}`) : "",
        flags.map((flag) => element("span", { class: "flag" }, flag))),
      figures ? element("span", { class: "share", title: "how often, of the times when it could be called" }, figures.share) : ""];
  }

  facts(index) {
    const found = this.figures && this.figures[index];
    return element("div", { class: "facts" }, factsOf(found));
  }

  fold(key, summary, fill) {
    const made = element("details", { open: this.open.has(key) }, element("summary", {}, summary));
    const unfold = () => {
      if (made.open && made.childElementCount === 1) made.append(...fill());
      if (made.open) this.open.add(key);
      else this.open.delete(key);
    };
    made.addEventListener("toggle", unfold);
    unfold();
    return made;
  }

  results() {
    const found = this.find();
    const items = found.slice(0, MOST).map((index) => {
      const { point } = this.model.entries[index];
      const path = point === null ? "general rules" : this.model.points[point].path || "opening";
      const child = point === null ? null : this.model.points[point].entries.find(([other]) => other === index)[1];
      return element("li", {}, element("div", { class: "aside path" }, coloured(path)), this.branch(index, child, "s"));
    });
    const more = found.length > MOST ? ` The first ${MOST} are shown.` : "";
    return [element("p", { class: "aside", role: "status" }, `${found.length} call${found.length === 1 ? "" : "s"} found.${more}`),
      element("ul", { class: "found" }, items)];
  }

  /** Entries that hold every word of the search: "all negative doubles" means "negative" and "double". */
  find() {
    const wanted = this.search.toLowerCase().replace(/\b(\d)n\b/g, "$1nt").split(/[\s,]+/).filter((word) => word && !["all", "the", "of", "a", "with"].includes(word));
    const has = (text) => wanted.every((word) => text.includes(word) || (word.length > 3 && word.endsWith("s") && text.includes(word.slice(0, -1))));
    return this.model.entries.map((entry, index) => [index, this.textOf(entry, index)]).filter(([, text]) => has(text)).map(([index]) => index);
  }

  textOf(entry, index) {
    const shows = this.figures && this.figures[index].shows;
    const path = entry.point === null ? "" : this.model.points[entry.point].path;
    const plain = `${entry.call} ${WORDS[entry.call] || ""} ${entry.what} ${entry.note} ${entry.flags.join(" ")} ${shows || ""} ${path} ${path.replaceAll(" ", "")}`.toLowerCase();
    return plain.replaceAll("♣", "♣ c").replaceAll("♦", "♦ d").replaceAll("♥", "♥ h").replaceAll("♠", "♠ s") + plain;
  }
}

function part(title, children) {
  return element("section", { class: "sheet part", "aria-label": title }, element("h3", {}, title), children);
}

/** Figures of a call in sentences. */
function factsOf(found) {
  if (!found) return ["Not measured yet."];
  const out = [];
  if (found.shows) out.push("Shows ", coloured(found.shows), ". ");
  if (!found.made) return [...out, "Never seen on the deals that were measured."];
  out.push(`Made ${found.made.toLocaleString("en")} of ${found.chances.toLocaleString("en")} times (${found.share}). Nine in ten hold `, coloured(found.usual), ". ");
  if (found.examples.length) out.push(element("span", { class: "examples" }, found.examples.map(handLine)));
  return out;
}

/** A hand in a line: ♠AK ♥Q… */
export function handLine(hand) {
  const suits = hand.split(".").map((ranks, k) => [coloured("♠♥♦♣"[k]), `${ranks.replace("T", "10") || "–"} `]);
  return element("code", {}, suits.flat(2));
}

const SILENT = /no line of|almost never|Nothing is known/i; // calls of which nothing is known

/** Draws in `place` what the calls after `calls` show. `go` takes the calls after which to go on. */
export async function unfold(place, { spec, calls, word, silent, figures }, go) {
  const found = await post("system", { spec, calls: calls.join(" ") });
  const path = calls.map((call, at) => element("button", {
    type: "button", class: "plain", "aria-label": `Back to before ${callWords(call)}`, onclick: () => go(calls.slice(0, at)),
  }, callMark(call)));
  const answer = Object.entries(found.calls).filter(([call, shows]) => !SILENT.test(shows.text)
    && `${call} ${callWords(call)} ${shows.note} ${shows.text} ${shows.lines.join(" ")}`.toLowerCase().includes(word));
  const rows = answer.map(([call, shows]) => {
    const next = [...calls, call, ...(silent && call !== "Pass" ? ["Pass"] : [])];
    const seen = figures && found.entries ? (found.entries[call] || []).map((index) => figures[index]).sort((a, b) => b.made - a.made)[0] : null;
    return element("li", {},
      element("button", { type: "button", "aria-label": `${callWords(call)}: go on from there`, onclick: () => go(next) }, callMark(call)),
      element("div", {}, shows.note ? element("strong", {}, `${shows.note}: `) : "", coloured(shows.text),
        shows.lines.length ? element("div", { class: "aside" }, coloured(shows.lines.join(" / "))) : "",
        seen ? element("div", { class: "facts" }, factsOf(seen)) : element("div", { class: "aside" }, shows.how)));
  });
  const shown = Object.entries(found.shown).filter(([, text]) => text).map(([seat, text]) => element("span", {}, element("b", {}, seat), " has shown ", coloured(text), "; "));
  place.replaceChildren(
    element("p", { class: "row walk" }, path.length ? path : element("span", { class: "aside" }, "Opening bids")),
    shown.length ? element("p", { class: "aside" }, shown) : "",
    found.over ? element("p", { class: "aside" }, "The auction is over.") : element("ul", { class: "explorer" }, rows));
}
