// Edit a system's text beside a live check, the exam, and a match against the version that one began with.

import { Fault, complain, get, post } from "./api.js";
import { save } from "./page.js";
import { at, element } from "./words.js";
import { examSheet, matchSheet } from "./versions.js";

const CHECK = 250; // milliseconds after the last key
const JUDGE = 900;
const NAMES = { a: "new", b: "old" };
let base = ""; // the spec of the old version
let turn = 0; // grows with every change, so that answers to an earlier text are dropped
let waiting = [];

const text = () => at("source").value;

/** Begin with the text of a bidder; what was edited of it in this tab comes back. */
export async function edit(spec) {
  if (spec === base && text()) return;
  const answer = await post("text", { spec });
  base = spec;
  const saved = sessionStorage.getItem(`edit ${spec}`);
  at("source").value = saved || answer.text;
  at("began").textContent = `The old version is ${spec}.${saved ? " Your changes of before are back." : ""}`;
  at("judged").replaceChildren(element("p", { class: "aside" }, "Change a line: the exam and a match against the old version follow at once."));
  drawGutter();
  change(Boolean(saved));
}

/** Number the lines; those with findings stand out. */
function drawGutter(findings = []) {
  const faulty = new Map(findings.map((one) => [one.line, one.fault]));
  const lines = text().split("\n").map((_, k) => k + 1);
  at("gutter").replaceChildren(...lines.flatMap((line) => [faulty.has(line) ? element("mark", { class: faulty.get(line) ? "fault" : "" }, line) : String(line), "\n"]));
  at("gutter").scrollTop = at("source").scrollTop;
}

function change(judge = true) {
  turn += 1;
  at("lent").replaceChildren();
  waiting.forEach(clearTimeout);
  const now = turn;
  waiting = [setTimeout(async () => {
    const sound = await check(now);
    if (sound && judge && now === turn && at("judging").checked) waiting.push(setTimeout(() => judgeNow(now), JUDGE - CHECK));
  }, CHECK)];
}

/** Check the text, tell what is wrong with it, and resolve to whether it can be used. */
async function check(now) {
  try {
    const { findings, sound } = await post("check", { text: text(), name: "draft.bidding" });
    if (now !== turn) return false;
    const faults = findings.filter((one) => one.fault).length;
    tell("verdict", sound ? `The text is sound${findings.length ? `; ${findings.length} notes` : ""}.` : `${faults} fault${faults > 1 ? "s" : ""}: the system cannot be used so.`, sound);
    at("findings").replaceChildren(...findings.map((one) => element("li", { class: one.fault ? "fault" : "" },
      element("button", { type: "button", class: "plain", onclick: () => goTo(one.line) }, `Line ${one.line}`), element("span", {}, one.text))));
    drawGutter(findings);
    return sound;
  } catch (fault) {
    lament(fault);
    return false;
  }
}

function goTo(line) {
  const area = at("source");
  const lines = text().split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1] || "").length);
  area.scrollTop = Math.max(0, (line - 6) * (area.scrollHeight / lines.length));
}

async function judgeNow(now) {
  const place = at("judged");
  sessionStorage.setItem(`edit ${base}`, text());
  place.setAttribute("aria-busy", "true");
  try {
    const { spec } = await post("drafts", { text: text() });
    if (now !== turn) return;
    const match = await post("matches", { a: spec, b: base });
    if (now !== turn) return;
    place.replaceChildren(matchSheet(match, NAMES), element("p", { class: "aside" }, "Sitting the exam…"));
    const exam = await post("exam", { spec, against: base });
    if (now !== turn) return;
    place.replaceChildren(matchSheet(match, NAMES), examSheet(exam));
  } catch (fault) {
    if (now === turn) place.replaceChildren(element("p", { class: "message", role: "alert" }, fault instanceof Fault ? fault.message : String(fault)));
  } finally {
    if (now === turn) place.removeAttribute("aria-busy");
  }
}

function tell(name, words, good) {
  at(name).textContent = words;
  at(name).className = good ? "good" : "bad";
}

function lament(fault, name = "verdict") {
  complain(fault, at(name));
  at(name).className = "bad";
}

function download() {
  save({ name: `${base.replace(/^system:~?/, "")}.bidding`, text: text() });
}

async function lend() {
  try {
    const { spec } = await post("systems", { text: text(), name: `${base.replace(/^system:~?/, "")}-edited.bidding` });
    at("specs").replaceChildren(...(await get("start")).specs.map((one) => element("option", { value: one })));
    tell("lent", `It is ${spec} now, at the table and on these pages.`, true);
  } catch (fault) {
    lament(fault, "lent");
  }
}

at("source").addEventListener("input", () => { drawGutter(); change(); });
at("source").addEventListener("scroll", () => { at("gutter").scrollTop = at("source").scrollTop; });
at("judging").addEventListener("change", () => change());
at("download").addEventListener("click", download);
at("lend").addEventListener("click", lend);
at("reset").addEventListener("click", async () => {
  sessionStorage.removeItem(`edit ${base}`);
  const spec = base;
  base = "";
  await edit(spec).catch((fault) => lament(fault));
});
