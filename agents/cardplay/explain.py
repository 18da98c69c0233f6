"""Explain the card of a player that thinks: the cards' averages, the hypotheses, and some of the deals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agents.cardplay.deals import AGAINST_FACTS, AGAINST_OTHERS
from agents.cardplay.facts import hidden_seats
from agents.cardplay.montecarlo import CardThought
from bridge_env.cards import SEATS, card_text, hand_text
from bridge_env.play_view import PlayView

EXAMPLES = 3


def thought_text(thought: CardThought, view: PlayView, row: int, unit: str) -> str:
    """Explain the card for one row of ``view``; ``unit`` names the unit of the averages."""
    if thought.belief is None:
        return f"{card_text(thought.card)}: no other card could be better"
    return "\n".join([card_text(thought.card), *_cards(thought, unit), *_belief(thought), *_deals(thought, view, row)])


def _cards(thought: CardThought, unit: str) -> Iterator[str]:
    """Cards of the same worth on all deals in one line."""
    belief = thought.belief
    assert belief is not None
    groups: dict[bytes, list[int]] = {}
    for at in range(len(thought.cards)):
        groups.setdefault(thought.tricks[:, at].tobytes(), []).append(at)
    yield f"  cards     {unit:>8}  tricks"
    for group in sorted(groups.values(), key=lambda g: -thought.average[g[0]]):
        names = " ".join(card_text(int(thought.cards[at])) for at in group[::-1])
        tricks = float(belief.weight @ thought.tricks[:, group[0]])
        yield f"            {thought.average[group[0]]:>+8.2f}  {tricks:>6.2f}  {names}"


def _belief(thought: CardThought) -> Iterator[str]:
    belief = thought.belief
    assert belief is not None
    yield f"  deals     {belief}"
    for hypothesis in belief.kept:
        yield f"  believed  {hypothesis}"
    for hypothesis, why in belief.discarded:
        word = "discarded" if why in (AGAINST_FACTS, AGAINST_OTHERS) else "doubted  "
        yield f"  {word} {hypothesis} ({why})"


def _deals(thought: CardThought, view: PlayView, row: int) -> Iterator[str]:
    belief = thought.belief
    assert belief is not None
    head = "such as"
    for at in np.argsort(-belief.weight, kind="stable")[:EXAMPLES]:
        owner = belief.owner[at]
        held = "  ".join(f"{SEATS[s]} {hand_text(owner == s)}" for s in hidden_seats(view, row))
        yield f"  {head:<9} {held}"
        head = ""
