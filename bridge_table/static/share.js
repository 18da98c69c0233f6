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

/** The fields of a table in an address, without its bidders; null where it holds no board. */
async function boardOf(address) {
  const query = new URLSearchParams(address.slice(address.indexOf("#") + 1));
  if (!address.includes("#") || !query.has("deal")) return null;
  const tags = { Board: query.get("board"), Dealer: query.get("dealer"), Vulnerable: query.get("vulnerable"), Deal: query.get("deal") };
  const text = Object.entries(tags).filter(([, value]) => value).map(([tag, value]) => `[${tag} "${value}"]`).join("\n");
  const { stack } = await post("boards", { text, name: "a shared board" });
  return {
    source: "stack", stack, number: 1, people: query.get("seat") || "", calls: query.get("calls") || "",
    dealer: query.get("dealer") || "board", vulnerability: query.get("vulnerable") || "board",
  };
}

/** The address names the table, so that coming back to the page finds it. */
export function remember(state) {
  history.replaceState(null, "", `#${new URLSearchParams({ table: state.table, seat: state.seat || "" })}`);
}

/** A function that opens what the address names: a table that was left, a board of a match, a saved or a shared board; null: nothing. */
export async function opened(wishes) {
  const query = new URLSearchParams(location.hash.slice(1));
  if (query.has("match")) return () => post(`matches/${query.get("match")}/open`, { board: Number(query.get("board")) });
  if (query.has("saved")) return () => post(`history/boards/${Number(query.get("saved"))}/open`);
  if (query.has("table")) {
    const left = await get(`tables/${query.get("table")}`, query.get("seat") ? { seat: query.get("seat") } : {}).catch(() => null);
    return left && (() => left);
  }
  const shared = await boardOf(location.hash).catch(complain);
  return shared ? () => post("tables", { ...wishes(), ...shared }) : null;
}
