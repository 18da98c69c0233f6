"""Explain a reasoner's call: candidates, what the seats have shown, and some of the deals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.explain import explain as explain_system
from agents.hierarchy.telling.phrases import shown_text
from agents.reasoning.habits import AS_BEST, BY_SYSTEM, Habit
from agents.reasoning.options import Options
from bridge_env.calls import call_text
from bridge_env.cards import SEATS, hand_text, hands
from bridge_env.features import HCP, LENGTH, hand_features
from bridge_env.view import BidView

if TYPE_CHECKING:  # it imports this module to explain itself
    from agents.reasoning.reasoner import Reasoner, Thought

EXAMPLES = 3


@dataclass(frozen=True)
class Explanation:
    """One call of a reasoner.

    Attributes:
        thought: how it was found; its deals are turned so that the seat to call is N.
        because: the line of the system that would make the usual call; empty where there is no system.
        shown: what each other seat has shown, seat by seat to the left.
    """

    thought: Thought
    because: str
    seat: int
    shown: tuple[str, str, str]
    options: Options

    def __str__(self) -> str:
        thought = self.thought
        lines = [call_text(thought.call)]
        if self.because:
            lines.append(f"  usual     {call_text(thought.usual)}: {self.because}")
        if thought.sample is None:
            lines.append("  thought   none: no other call could be better")
            return "\n".join(lines)
        look = "as each seat's system goes on" if self.options.look == "systems" else "as a game with open hands"
        lines.append(f"  thought   {thought.sample}; {look}, estimated tricks")
        return "\n".join([*lines, *self._candidates(), *self._shown(), *self._deals()])

    def _candidates(self) -> Iterator[str]:
        thought = self.thought
        usual = call_text(thought.usual)
        head = "IMPs v. field", f"IMPs v. {usual}", "points, spread"
        yield f"  calls     {'':5} {head[0]:>14}  {head[1]:>15}  {head[2]:>15}"
        kept = [i for i in range(len(thought.calls)) if not thought.dropped[i]]
        weight = thought.sample.weight if thought.sample is not None else np.zeros(0)
        for i in sorted(kept, key=lambda i: -np.nan_to_num(thought.average[i])):
            seen = ~np.isnan(thought.points[i])  # all deals, or where nothing was left to compare, the first
            share = weight[seen] / weight[seen].sum()
            mean = float(thought.points[i, seen] @ share)
            spread = float(np.sqrt(np.square(thought.points[i, seen] - mean) @ share))
            over = "" if i == 0 else f"{thought.gain[i]:+.2f} ± {thought.error[i]:.2f}"
            points = f"{mean:+.0f}, {spread:.0f}"
            average = "" if np.isnan(thought.average[i]) else f"{thought.average[i]:+.2f}"
            yield f"            {call_text(thought.calls[i]):5} {average:>14}  {over:>15}  {points:>15}"
        behind = ", ".join(call_text(c) for c, out in zip(thought.calls, thought.dropped, strict=True) if out)
        if behind:
            yield f"            far behind on the first deals: {behind}"

    def _shown(self) -> Iterator[str]:
        head, sample = "shown", self.thought.sample
        assert sample is not None
        for offset in (1, 2, 3):
            features = hand_features(hands(sample.owner, np.full(len(sample), offset))).astype(np.float64)
            mean = sample.weight @ features
            cards = " ".join(f"{mean[LENGTH + suit]:.1f} {'CDHS'[suit]}" for suit in (3, 2, 1, 0))
            average = f"on average {mean[HCP]:.1f} hcp, {cards}"
            yield f"  {head:<9} {SEATS[(self.seat + offset) % 4]}  {self.shown[offset - 1]}; {average}"
            head = ""

    def _deals(self) -> Iterator[str]:
        head, thought = "deals", self.thought
        assert thought.sample is not None
        for row in np.argsort(-thought.sample.weight, kind="stable")[:EXAMPLES]:
            owner = thought.sample.owner[row]
            held = "  ".join(f"{SEATS[(self.seat + k) % 4]} {hand_text(owner == k)}" for k in (1, 2, 3))
            worth = [
                f"{call_text(call)} {points[row]:+.0f}"
                for call, points in zip(thought.calls, thought.points, strict=True)
                if not np.isnan(points[row])
            ]
            yield f"  {head:<9} {held}"
            yield f"            {', '.join(worth)}"
            head = ""


def explain(reasoner: Reasoner, view: BidView, key: NDArray[np.uint64]) -> Explanation:
    """Explain the call of ``reasoner`` for the one row of ``view``."""
    seat = int(view.seat[0])
    thought = reasoner.think(view, key)
    because = "" if reasoner.free else explain_system(reasoner.reader, view).because
    meaning = reasoner.reader.meaning(view)[0]
    partner, low, high = reasoner.habits
    shown = []
    for offset in (1, 2, 3):
        other = (seat + offset) % 4
        habit = partner if offset == 2 else (low if other < 2 else high)
        shown.append(_shown(habit, meaning[other]))
    return Explanation(thought, because, seat, (shown[0], shown[1], shown[2]), reasoner.options)


def _shown(habit: Habit, meaning: NDArray[np.int16]) -> str:
    if habit.tells == BY_SYSTEM:
        return shown_text(meaning)
    return "that its calls seemed best" if habit.tells == AS_BEST else "nothing"
