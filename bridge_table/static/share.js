// What addresses say: the table that was left, or a board, as deal, auction and seat behind the #, which no browser sends anywhere.

import { complain, get, post } from "./api.js";
import { SEATS } from "./words.js";

/** A board that is over at the table, as addresses tell it. */
export function boardIn(state) {
  return {
    deal: `N:${SEATS.map((seat) => state.hands[seat]).join(" ")}`,
    board: state.board.number, dealer: state.board.dealer, vulnerable: state.board.vulnerability,
    calls: state.calls.map(({ call }) => call).join(" "), seat: state.people.join(""),
  };
}

/** The address of a board, of the table or another page. It holds all four hands. */
export function addressOf(board, page = "") {
  return `${new URL(page || "./", location.href.split("#")[0])}#${new URLSearchParams(board)}`;
}

/** What an address asks for: fields of a table, without its bidders; null where it holds no board. */
async function boardOf(address) {
  const told = new URLSearchParams(address.slice(address.indexOf("#") + 1));
  if (!address.includes("#") || !told.has("deal")) return null;
  const tags = { Board: told.get("board"), Dealer: told.get("dealer"), Vulnerable: told.get("vulnerable"), Deal: told.get("deal") };
  const text = Object.entries(tags).filter(([, value]) => value).map(([tag, value]) => `[${tag} "${value}"]`).join("\n");
  const { stack } = await post("boards", { text, name: "a shared board" });
  return {
    source: "stack", stack, number: 1, people: told.get("seat") || "", calls: told.get("calls") || "",
    dealer: told.get("dealer") || "board", vulnerability: told.get("vulnerable") || "board",
  };
}

/** The address names the table, so that coming back to the page finds it. */
export function remember(state) {
  history.replaceState(null, "", `#${new URLSearchParams({ table: state.table, seat: state.seat || "" })}`);
}

/** What opens what the address asks for: a table that was left, a board of a match, a kept or a shared board; null: nothing. */
export async function asked(wishes) {
  const told = new URLSearchParams(location.hash.slice(1));
  if (told.has("match")) return () => post(`matches/${told.get("match")}/open`, { board: Number(told.get("board")) });
  if (told.has("kept")) return () => post(`history/boards/${Number(told.get("kept"))}/open`);
  if (told.has("table")) {
    const left = await get(`tables/${told.get("table")}`, told.get("seat") ? { seat: told.get("seat") } : {}).catch(() => null);
    return left && (() => left);
  }
  const shared = await boardOf(location.hash).catch(complain);
  return shared ? () => post("tables", { ...wishes(), ...shared }) : null;
}
