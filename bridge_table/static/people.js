// Who sits where, and links for the seats of others.

import { offer } from "./saving.js";
import { NAMES, SEATS, bidderWords, button, element } from "./words.js";

/** The address that a key opens, by a name under which other machines reach the server. */
export function linkOf(key, reach) {
  const link = new URL(`../${key}/`, location.href.split("#")[0]);
  if (reach && ["127.0.0.1", "localhost", "[::1]"].includes(link.hostname)) link.hostname = reach;
  return link.href;
}

/** How far a link reaches, in words. */
export function reachWords(reach) {
  return reach ? "Others on your network open it." : "It works on this machine only: start bridge-env table with --host 0.0.0.0, and other machines reach it, too.";
}

/** The seats; the host gets a button for each other seat. `invite` returns a key. */
export function drawPlaces(place, state, invite) {
  const rows = SEATS.map((seat) => {
    const mine = seat === state.seat;
    const row = element("li", {}, element("span", {}, element("b", {}, NAMES[seat]), `: ${mine ? "you" : bidderWords(state.sits[seat])}`));
    const ask = async () => {
      place.querySelector(".offer")?.remove(); // an older link may be void from now on
      const given = await invite(seat);
      if (given) offer(place, linkOf(given.key, given.reach), `A link for ${NAMES[seat]}, for one person. ${reachWords(given.reach)}`);
    };
    if (state.room.host && !mine) row.append(button(state.room.held.includes(seat) ? `New link for ${NAMES[seat]}` : `Invite ${NAMES[seat]}`, ask));
    return row;
  });
  place.querySelector("ul")?.remove();
  place.prepend(element("ul", { class: "places" }, rows));
}
