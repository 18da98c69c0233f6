"""Tell how far apart partners are who learn different systems, and what each took from the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.hierarchy.bidder import HierarchyBidder
from bridge_env.view import views_before
from training.evolve.proposals import PLAYERS, SWAPPING
from training.match.duel import Partnership, Stretch, boards_of, duel, hierarchy


def alike_task(us: Partnership, them: Partnership, stretch: Stretch) -> tuple[int, int]:
    """Ask both players' systems at every decision of ``us`` against ``them``: how often they call alike, of how many.

    Each is asked as if partner played it too: what a pair would call that has agreed on it.
    """
    boards, _ = boards_of(stretch)
    opponents = hierarchy(them.first), hierarchy(them.second)
    bidders = [HierarchyBidder(own, own, opponents) for own in (hierarchy(us.first), hierarchy(us.second))]
    alike = asked = 0
    for table, history in enumerate(duel(us, them, stretch).history):
        number = np.arange(history.shape[1])
        row, before = np.nonzero((history >= 0) & (((boards.dealer[:, None] + number) & 1) == table))
        view = views_before(boards.owner[row], history[row], before, boards.dealer[row], boards.vulnerability[row])
        first, second = (bidder.call(view) for bidder in bidders)
        alike, asked = alike + int((first == second).sum()), asked + len(row)
    return alike, asked


def report(starts: Sequence[str], best: int, metrics: Sequence[Mapping[str, Any]], said: Sequence[str]) -> list[str]:
    """Lines of Markdown: how partners who began with ``starts`` came together.

    Args:
        best: the partnership that was chosen.
        metrics: a row a generation.
        said: what was done to it in the end.
    """
    lines = [
        "## How partners came together", "",
        "Agreement is the share of their decisions at which both systems call alike, before each generation.", "",
        "| generation | agreement |", "| ---: | ---: |",
        *(f"| {row['generation']} | {row['agreement']:.1%} |" for row in metrics if "agreement" in row), "",
    ]  # fmt: skip
    kept = [(row["generation"], what) for row in metrics for what in row["kept"]]
    for name, start in zip(PLAYERS, starts, strict=False):
        lines += [f"The {name}, who began with `{start}`, took from partner:", ""]
        head = f"{best}: {SWAPPING}, {name}: "
        took = [f"- generation {g}: {what.removeprefix(head)}" for g, what in kept if what.startswith(head)]
        lines += [*(took or ["- nothing"]), ""]
    return [*lines, "In the end:", "", *(f"- {what}" for what in said or ["nothing was left to settle"]), ""]
