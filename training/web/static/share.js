// The address of a board: deal, auction and seat behind the #, which no browser sends anywhere.

import { post } from "./api.js";
import { SEATS } from "./words.js";

/** The address of a board that is over. It holds all four hands. */
export function addressOf(state) {
  const told = new URLSearchParams({
    deal: `N:${SEATS.map((seat) => state.hands[seat]).join(" ")}`,
    board: state.board.number, dealer: state.board.dealer, vulnerable: state.board.vulnerability,
    calls: state.calls.map(({ call }) => call).join(" "), seat: state.people.join(""),
  });
  return `${location.origin}${location.pathname}#${told}`;
}

/** What an address asks for: fields of a table, without its bidders; null where it holds no board. */
export async function boardOf(address) {
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
