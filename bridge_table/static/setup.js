// The settings, and boards and systems that are pasted, opened or dropped.

import { complain, get, post } from "./api.js";
import { saveSettings, settings, takeFiles } from "./page.js";
import { listScenarios, scenarioIn } from "./scenario.js";
import { at, element, several } from "./words.js";

const dialog = at("setup");
const form = at("setup-form");
const taken = at("taken");

export const stack = { name: "", title: "", boards: 0, next: 1 };

/** What the form says. */
export function wishes() {
  const data = new FormData(form);
  const source = data.get("source");
  const fields = {
    people: data.getAll("people").join(""), ns: data.get("ns"), ew: data.get("ew"), control: data.get("control"),
    source, cards: data.get("cards"), dealer: data.get("dealer"), vulnerability: data.get("vulnerability"),
  };
  const number = Number(form.elements.number.value);
  if (source === "stack") Object.assign(fields, { stack: stack.name, number: stack.next });
  else if (number) fields.number = number; // else the next
  if (source === "scenario") Object.assign(fields, scenarioIn(form), { swap: form.elements.swap.checked });
  return fields;
}

export const pace = () => Number(new FormData(form).get("pace"));
export const shortcuts = () => form.elements.shortcuts.checked;

// What is chosen stays while this tab does, through reloads and other pages.
const VISIT = "table settings";
const saveVisit = () => sessionStorage.setItem(VISIT, JSON.stringify({ ...wishes(), stack }));

function restoreVisit() {
  const { people, stack: boards, number, swap, ...fields } = JSON.parse(sessionStorage.getItem(VISIT) || "{}");
  if (people === undefined) return;
  for (const box of form.elements.people) box.checked = people.includes(box.value);
  if (boards.name) listStack(boards);
  for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
  form.elements.number.value = number ?? "";
  form.elements.swap.checked = Boolean(swap);
}

function listStack(boards) {
  Object.assign(stack, boards);
  const option = form.querySelector("option[value=stack]");
  option.disabled = false;
  option.textContent = `${stack.title}: ${several(stack.boards, "board")}`;
  form.elements.number.max = stack.boards;
}
const showSource = () => { at("scenario").hidden = form.elements.source.value !== "scenario"; };
form.addEventListener("change", () => { saveVisit(); showSource(); });
restoreVisit();
showSource();

// These fields are stored for good.
const ofPage = [...document.querySelectorAll("#this-page [name]")];
const known = settings();
for (const field of ofPage) {
  if (!(field.name in known)) continue;
  if (field.type === "checkbox") field.checked = known[field.name];
  else field.value = known[field.name];
}
at("this-page").addEventListener("change", () => {
  saveSettings(Object.fromEntries(ofPage.map((field) => [field.name, field.type === "checkbox" ? field.checked : field.value])));
});

export async function start() {
  const found = await get("start");
  listSpecs(found.specs);
  listScenarios(form, found.scenarios);
  return found.session;
}

function listSpecs(specs) {
  at("specs").replaceChildren(...specs.map((spec) => element("option", { value: spec })));
}

/** Open the settings; resolves to whether a board is to be dealt. */
export function open() {
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "deal"), { once: true });
  });
}

/** Take a text: a system by its file's name, else boards. Says what came of it. */
export async function take(text, name) {
  try {
    const shared = text.trim().match(/^\S*#(deal=\S+)$/);
    if (shared) {
      dialog.close("shared");
      location.hash = shared[1];
      return;
    }
    if (name.endsWith(".bidding")) {
      const { spec } = await post("systems", { text, name });
      listSpecs((await get("start")).specs);
      taken.textContent = `${name} is now ${spec}: choose it for a side.`;
      return;
    }
    const found = await post("boards", { text, name: name || "the pasted text" });
    listStack({ name: found.stack, title: found.name, boards: found.boards, next: 1 });
    form.elements.source.value = "stack";
    form.elements.number.value = 1;
    saveVisit();
    const lost = found.problems.length ? ` Left out or mended: ${found.problems.slice(0, 3).join("; ")}.` : "";
    taken.textContent = `${several(found.boards, "board")} taken.${lost}`;
  } catch (fault) {
    complain(fault, taken);
  }
}

const ofStack = () => form.elements.source.value === "stack";
form.elements.source.addEventListener("change", () => { form.elements.number.value = ofStack() ? stack.next : ""; });
form.elements.number.addEventListener("change", () => { if (ofStack()) stack.next = Number(form.elements.number.value) || 1; });
/** After a board was dealt: the next one comes. */
export function advance() {
  if (ofStack()) stack.next = stack.next >= stack.boards ? 1 : stack.next + 1;
  form.elements.number.value = ofStack() ? stack.next : "";
  saveVisit();
}

at("take").addEventListener("click", () => take(at("paste").value, ""));
takeFiles(at("file"), async (file, dropped) => {
  await take(await file.text(), file.name);
  if (dropped && !dialog.open) document.dispatchEvent(new CustomEvent("dropped"));
});
document.addEventListener("dragover", () => document.body.classList.add("dropping"));
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
document.addEventListener("drop", () => document.body.classList.remove("dropping"));
