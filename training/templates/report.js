"use strict";
// Sorts, filters and walks through the boards. Without it the page is the same list, all of it.
(() => {
  const list = document.querySelector(".report-boards");
  const form = document.querySelector(".report-controls");
  const boards = [...list.querySelectorAll(".report-board")].map((at) => ({
    at, imps: Number(at.dataset.imps), kind: at.dataset.kind, number: Number(at.id.slice("board-".length)),
  }));
  const orders = {
    swing: (a, b) => Math.abs(b.imps) - Math.abs(a.imps),
    gain: (a, b) => b.imps - a.imps,
    loss: (a, b) => a.imps - b.imps,
    number: () => 0,
  };

  function draw() {
    const { kind, side, sort } = form.elements;
    boards.sort((a, b) => orders[sort.value](a, b) || a.number - b.number);
    let count = 0;
    for (const board of boards) {
      const shown = (!kind.value || board.kind === kind.value) && (!side.value || Math.sign(board.imps) === Number(side.value));
      board.at.hidden = !shown;
      count += shown;
      list.append(board.at);
    }
    form.querySelector("output").textContent = `${count} board${count === 1 ? "" : "s"}`;
  }

  /** Close what is open, and open this board. */
  function open(at) {
    for (const board of boards) board.at.open = board.at === at;
    at.querySelector("summary").focus({ preventScroll: true });
    at.scrollIntoView({ block: "start" });
  }

  function walk(step) {
    const shown = boards.filter((board) => !board.at.hidden).map((board) => board.at);
    const now = shown.findIndex((at) => at.open);
    const next = now < 0 ? (step > 0 ? 0 : shown.length - 1) : now + step;
    if (shown[next]) open(shown[next]);
  }

  function follow() {
    const named = boards.find((board) => `#${board.at.id}` === location.hash);
    if (!named) return;
    if (named.at.hidden) { form.reset(); draw(); }
    open(named.at);
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", draw);
  form.elements.back.addEventListener("click", () => walk(-1));
  form.elements.next.addEventListener("click", () => walk(1));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(SELECT|INPUT)$/.test(event.target.tagName)) return;
    if (event.key === "j" || event.key === "ArrowRight") walk(1);
    if (event.key === "k" || event.key === "ArrowLeft") walk(-1);
  });
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#board-"]');
    if (link && link.hash === location.hash) follow();
  });
  draw();
  follow();
})();
