// The page on which a board is put together: choose cards, then the hand that is to hold them.

import { complain, get, post } from "./api.js";
import { drawAuction, drawBox } from "./auction.js";
import { face } from "./cards.js";
import { keyOf } from "./keys.js";
import { CARDS, cardsAt, dealOf, dealText, emptyDeal, filled, moved } from "./pack.js";
import { addressOf } from "./share.js";
import { announce, offer, save, takeFiles } from "./page.js";
import { NAMES, SEATS, at, button, cardWords, element, isVulnerable } from "./words.js";

const UNTOLD = { text: "", note: "", lines: [], how: "", artificial: false };
const FIELDS = { board: "number", dealer: "dealer", vulnerable: "vulnerable", seat: "seat" };
let deal = emptyDeal();
let calls = [];
const chosen = new Set(); // the cards that the next hand gets

// --- the cards ---------------------------------------------------------------------------------------------

function card(word) {
  const made = element("button", { type: "button", class: "of-card", "data-card": word, "aria-label": cardWords(word), "aria-pressed": String(chosen.has(word)) }, face(word));
  made.addEventListener("click", () => {
    if (!chosen.delete(word)) chosen.add(word);
    made.setAttribute("aria-pressed", String(chosen.has(word)));
  });
  return made;
}

function place(seat) {
  const held = cardsAt(deal, seat);
  const vulnerable = isVulnerable(seat, at("vulnerable").value);
  return element("section", { class: `hand ${NAMES[seat].toLowerCase()}`, "aria-label": NAMES[seat] },
    element("button", { type: "button", class: `plate${vulnerable ? " vul" : ""}`, "data-place": seat, onclick: () => give(seat) },
      element("b", {}, NAMES[seat]), seat === at("dealer").value ? element("span", { class: "tag", title: "dealer" }, "D") : null,
      vulnerable ? element("span", { class: "tag red" }, "vul") : null, element("span", { class: "who" }, `${held.length} of 13`)),
    element("div", { class: "fan" }, held.map(card)));
}

function drawCards() {
  const left = cardsAt(deal, null);
  at("hands").replaceChildren(...SEATS.map(place), element("div", { class: "center row" },
    button("Fill at random", () => change(filled(deal)), { "data-place": "fill", disabled: !left.length }),
    button("Clear", () => change(emptyDeal()), { "data-place": "clear", disabled: left.length === CARDS.length })));
  const rows = ["S", "H", "D", "C"].map((suit) => element("div", { class: "fan" }, left.filter((word) => word[0] === suit).map(card)));
  at("pack").replaceChildren(
    element("div", { class: "row" }, button("Back to the pack", () => give(null), { "data-place": "pack" }),
      element("p", { class: "aside" }, left.length ? "Choose cards, then the hand that is to hold them." : "All cards are dealt.")), ...rows);
}

function give(seat) {
  if (!chosen.size) return announce("Choose cards first.");
  const next = moved(deal, chosen, seat);
  if (next === null) return tell(`${NAMES[seat]} would hold more than thirteen cards.`);
  const words = chosen.size === 1 ? cardWords([...chosen][0]) : `${chosen.size} cards`;
  change(next);
  return announce(`${words} to ${seat === null ? "the pack" : NAMES[seat]}.`);
}

function change(next) {
  const focused = document.activeElement?.dataset.place;
  deal = next;
  chosen.clear();
  quiet();
  drawCards();
  saveAddress();
  const again = document.querySelector(`[data-place="${focused}"]:not(:disabled)`);
  if (focused) (again || document.querySelector('[data-place="N"]')).focus({ preventScroll: true });
}

// --- the auction -------------------------------------------------------------------------------------------

async function drawCalls() {
  const dealer = at("dealer").value;
  const made = calls.map((call, k) => ({ call, seat: SEATS[(SEATS.indexOf(dealer) + k) % 4], shows: UNTOLD }));
  const board = { dealer, vulnerability: at("vulnerable").value };
  try {
    const found = await post("editor/calls", { dealer, calls: calls.join(" ") });
    drawAuction(at("auction"), { board, calls: made, phase: found.over ? "over" : "bidding", yours: true }, () => undefined);
    if (calls.length) at("auction").firstChild.append(button("Take back", () => bid(calls.slice(0, -1)), { class: "back-one" }));
    drawBox(at("box"), found.over ? null : found.legal, (call) => bid([...calls, call]), () => undefined);
  } catch (fault) {
    complain(fault);
    if (fault.status !== 400) return;
    calls = []; // a faulty auction in the address
    await drawCalls();
  }
}

async function bid(next) {
  calls = next;
  saveAddress();
  quiet();
  await drawCalls();
  (at("box").querySelector("[role=group]") || at("auction").querySelector(".back-one"))?.focus({ preventScroll: true });
}

// --- texts, and the table ----------------------------------------------------------------------------------

const boardFields = () => ({ deal: dealText(deal), ...Object.fromEntries(Object.entries(FIELDS).map(([name, id]) => [name, at(id).value])), calls: calls.join(" ") });

/** The address holds the board, complete or not. */
const saveAddress = () => history.replaceState(null, "", `#${new URLSearchParams(boardFields())}`);

function tell(sentence) {
  at("message").textContent = sentence;
  at("message").hidden = false;
}

function quiet() {
  at("message").hidden = true;
}

/** The board as the server writes it; or its fault. */
async function checked() {
  quiet();
  const { seat, ...board } = boardFields();
  return post("editor/board", { ...board, board: Number(board.board) });
}

async function take(board) {
  deal = dealOf(board.deal);
  chosen.clear();
  calls = (board.calls || "").split(" ").filter(Boolean);
  for (const [name, id] of Object.entries(FIELDS)) if (name in board) at(id).value = board[name];
  drawCards();
  await drawCalls();
  saveAddress();
}

async function read(text) {
  quiet();
  at("taken").textContent = "";
  const { boards, problems } = await post("editor/read", { text });
  await take(boards[0]);
  at("found").replaceChildren(...(boards.length > 1 ? [choice(boards)] : []));
  at("taken").textContent = `${boards.length} board${boards.length > 1 ? "s" : ""} read.${problems.length ? ` Left out or mended: ${problems.slice(0, 3).join("; ")}.` : ""}`;
}

function choice(boards) {
  const made = element("select", { "aria-label": "Board of the text", onchange: () => take(boards[Number(made.value)]) },
    boards.map((board, k) => element("option", { value: k }, `Board ${board.board}`)));
  return made;
}

async function taken(form) {
  const written = (await checked())[form];
  if (form === "link") await offer(at("texts"), written.text, "A link to BBO's hand viewer. It opens another site.");
  else save(written);
}

at("open").addEventListener("click", async () => {
  await checked();
  location.href = addressOf(boardFields());
});
for (const one of at("texts").querySelectorAll("[data-form]")) one.addEventListener("click", () => taken(one.dataset.form));
at("read").addEventListener("click", () => read(at("paste").value));
takeFiles(at("file"), async (file) => read(await file.text()));
at("number").addEventListener("change", async () => {
  const { dealer, vulnerable } = await get("editor/conditions", { board: at("number").value });
  at("dealer").value = dealer;
  at("vulnerable").value = vulnerable;
  at("dealer").dispatchEvent(new Event("change"));
});
for (const id of Object.values(FIELDS)) at(id).addEventListener("change", () => { saveAddress(); drawCards(); drawCalls(); });
document.addEventListener("keydown", (event) => {
  const key = keyOf(event);
  if (chosen.size && SEATS.includes(key)) give(key);
});
const wished = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
await take({ deal: "N:", ...wished });
