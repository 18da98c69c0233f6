// The end of a board: its review, and taking it along.

import { complain, get } from "./api.js";
import { drawReview } from "./review.js";
import { addressOf, boardIn } from "./share.js";
import { announce, offer, save } from "./page.js";
import { at, averageWords, button, element } from "./words.js";

/** Show what came of the board, with buttons for what comes next; whether it is still `wanted` when it is found. */
export async function lookBack(place, state, wanted, next) {
  place.hidden = false;
  place.replaceChildren(element("p", { class: "aside" }, "Looking back…"));
  try {
    const found = await get(`tables/${state.table}/review`);
    if (!wanted()) return false;
    showSession(found.session);
    drawReview(place, state, found, [...next, ...takeAlong(place, state)]);
    announce(`${(found.played || found.contract).text}. ${found.imps === null ? "" : `${found.imps} IMPs.`}`);
    return true;
  } catch (fault) {
    place.replaceChildren();
    complain(fault);
    return false;
  }
}

/** The session, at the top of the page. */
export function showSession(session) {
  const helped = session.helped ? `, ${session.helped} with help` : "";
  at("session").textContent = session.boards ? averageWords(session) + helped : "";
}

function takeAlong(place, state) {
  const written = (form) => get(`tables/${state.table}/export`, { form });
  const link = async () => offer(place.querySelector(".actions"), (await written("link")).text,
    "A link to BBO's hand viewer. It holds all four hands, and opens another site.");
  return [
    button("PBN", () => written("pbn").then(save)), button("LIN", () => written("lin").then(save)),
    button("BBO link", link),
    element("a", { class: "button", href: addressOf(boardIn(state), "editor.html") }, "Edit"),
  ];
}
