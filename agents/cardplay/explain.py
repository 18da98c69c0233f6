"""Explain the card of a player that thinks: the cards' averages, the hypotheses, and some of the deals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agents.cardplay.deals import Belief
from agents.cardplay.known_cards import hidden_seats
from agents.cardplay.montecarlo import CardDecision
from agents.systems.explain.player_terms import under
from bridge_env.bidders.play_view import PlayView
from bridge_env.hands.deals import hand_text
from bridge_env.rules.cards import SEATS, card_text

_EXAMPLES = 3


def thought_text(thought: CardDecision, view: PlayView, row: int, unit: str) -> str:
    """Explain the card for one row of ``view``; ``unit`` names the unit of the averages."""
    belief = thought.belief
    if belief is None:
        return f"{card_text(thought.card)}: no other card could be better"
    lines = [card_text(thought.card), *_cards(thought, belief, unit), f"  deals     {belief}"]
    lines += [f"  believed  {hypothesis}" for hypothesis in belief.accepted]
    lines += [f"  discarded {hypothesis} ({why})" for hypothesis, why in belief.discarded]
    heaviest, hidden = np.argsort(-belief.weight, kind="stable")[:_EXAMPLES], hidden_seats(view, row)
    deals = ("  ".join(f"{SEATS[s]} {hand_text(owner == s)}" for s in hidden) for owner in belief.owner[heaviest])
    return "\n".join([*lines, *under("such as", deals)])


def _cards(thought: CardDecision, belief: Belief, unit: str) -> Iterator[str]:
    """Return cards of the same worth on all deals in one line."""
    groups: dict[bytes, list[int]] = {}
    for at in range(len(thought.cards)):
        groups.setdefault(thought.tricks[:, at].tobytes(), []).append(at)
    yield f"  cards     {unit:>8}  tricks"
    for group in sorted(groups.values(), key=lambda g: -thought.average[g[0]]):
        names = " ".join(card_text(int(thought.cards[at])) for at in group[::-1])
        tricks = float(belief.weight @ thought.tricks[:, group[0]])
        yield f"            {thought.average[group[0]]:>+8.2f}  {tricks:>6.2f}  {names}"
