"""Explain the call of a network that thinks: its candidates in play-outs, its belief, and some of the deals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.networks.explain import average_hands
from bridge_env.calls import call_text
from bridge_env.cards import SEATS, hand_text
from bridge_env.view import BidView

if TYPE_CHECKING:  # it imports this module to explain itself
    from agents.reasoning.doubting import Doubter, Weighing

_EXAMPLES = 3


@dataclass(frozen=True)
class Explanation:
    """One call of a network and what its candidates came to in play-outs.

    Attributes:
        weighing: how it was found.
        acts: a network that thinks makes the call that was found, a plain one its usual call.
        shown: what each other seat has shown by its calls, in words; empty where a system thinks.
    """

    weighing: Weighing
    seat: int
    acts: bool = True
    shown: tuple[str, ...] = ()

    def __str__(self) -> str:
        found = self.weighing
        lines = [call_text(found.call if self.acts else found.usual)]
        lines.append(f"  usual     {call_text(found.usual)}")
        lines += [f"  {'' if number else 'shown':<9} {text}" for number, text in enumerate(self.shown)]
        if found.drawn is None:
            return "\n".join([*lines, "  thought   none: no other call is likely enough"])
        owner, weight = found.drawn.owner[found.drawn.deal], found.drawn.weight
        lines.append(
            f"  thought   {len(found.drawn.owner)} deals that tell as much as {found.drawn.effective:.0f}, "
            "each bid out after each call"
        )
        lines.append(f"  calls     {'':5} {'chance':>7}  IMPs v. {call_text(found.usual)}")
        for call, chance, gain, error in zip(found.calls, found.chance, found.gain, found.error, strict=True):
            over = "" if call == found.usual else f"{gain:+.2f} ± {error:.2f}"
            lines.append(f"            {call_text(call):5} {chance:7.1%}  {over}")
        held = np.stack([weight @ (owner == which) for which in (1, 2, 3)], axis=1)
        for number, text in enumerate(average_hands(held, self.seat)):
            lines.append(f"  {'believes' if number == 0 else '':<9} {text}")
        for number, which in enumerate(np.argsort(-weight, kind="stable")[:_EXAMPLES]):
            hands = "  ".join(f"{SEATS[(self.seat + k) % 4]} {hand_text(owner[which] == k)}" for k in (1, 2, 3))
            lines.append(f"  {'deals' if number == 0 else '':<9} {hands}")
        return "\n".join(lines)


def explain(doubter: Doubter, view: BidView, key: NDArray[np.uint64], *, acts: bool = True) -> Explanation:
    """Why ``doubter``, or where it does not act the network in it, calls as it does with the hand of the one row."""
    return Explanation(doubter.think(view, key), int(view.seat[0]), acts, tuple(doubter.voice.shown(view)))
