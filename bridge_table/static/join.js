// Joins a challenge by a name, or goes back to it.

import { get, post } from "./api.js";
import { linkOf, reachWords } from "./people.js";
import { at, bidderWords, element, several } from "./words.js";

const storageKey = `challenge ${location.pathname}`; // the key of a person who has joined here before

at("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { key } = await post("join", { name: at("name").value });
  localStorage.setItem(storageKey, key);
  location.href = linkOf(key);
});

async function start() {
  const { boards, players, control } = await get("look");
  at("about").textContent = `${several(boards, "board")}, the same for everybody: you bid South's cards alone, with bidders in the other seats, `
    + `and are compared with ${bidderWords(control)}, and with the others. ${several(players, "player")} so far.`;
  if (localStorage.getItem(storageKey)) {
    at("back").hidden = false;
    at("back").querySelector("a").href = linkOf(localStorage.getItem(storageKey));
  }
  const link = linkOf(location.pathname.split("/").at(-2));
  at("link").replaceChildren(element("label", {}, `The link for everybody. ${reachWords()}`, element("input", { value: link, readonly: true })));
}
start();
