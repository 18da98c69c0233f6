// What calls show, at a table: the latest one, or one that is pointed at in the box.

import { drawDetail } from "./auction.js";
import { NAMES, at } from "./words.js";

let meanings = null; // what each legal call would show
let pointed = null; // the call that is pointed at in the box

/** What a call shows takes the place of an idea where there is room for one of them. */
export function showMeaning(call, shows, who) {
  pointed = null;
  at("info").dataset.first = "detail";
  drawDetail(at("detail"), call, shows, who);
}

/** A call in the box is looked at. */
export function point(call) {
  showMeaning(call, (meanings && meanings[call]) || { text: "…", note: "", lines: [], how: "" }, null);
  pointed = call;
}

/** The latest call, where nothing else is pointed at. */
export function showLatest(state) {
  const latest = state.calls.at(-1);
  if (latest) showMeaning(latest.call, latest.shows, NAMES[latest.seat]);
  else showMeaning(null);
}

/** Nothing is pointed at, and nothing is known of the calls that come next. */
export function forget() {
  meanings = null;
  pointed = null;
}

/** Request what each call of the person to call would show; `still` returns whether it is wanted when it is found. */
export async function learn(asking, still) {
  const found = await asking().catch(() => null);
  if (!still()) return;
  meanings = found;
  if (meanings && pointed) point(pointed); // it was looked at before the answer came
}

/**
 * Fill in what calls show for which the server has to draw hands. `ask` asks for the state with them, `still` returns
 * whether it is wanted when it is found, and `draw` draws what is known then.
 */
export async function explain(state, ask, still, draw) {
  if (!state.calls.some(({ seat, shows }) => shows.pending || !state.shown[seat])) return;
  const found = await ask().catch(() => null);
  if (!found || !still()) return;
  Object.assign(state, { calls: found.calls, shown: found.shown });
  draw();
  if (!pointed) showLatest(state);
}
