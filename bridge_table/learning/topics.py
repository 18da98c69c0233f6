"""Sort decisions into topics to practise, by the auction, the hand and the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NOTRUMP, PASS, level_of, strain_of
from training.exam.positions import textbook

_ONE_NOTRUMP, _TWO_CLUBS, _TWO_NOTRUMP, _FOUR_NOTRUMP = (FIRST_BID + n for n in (4, 5, 9, 19))


@dataclass(frozen=True)
class Decision:
    """A decision: the auction as the player to call sees it, what the player holds, and the call that was made."""

    # (player, call), from the first on; player: 0 mine, 1 the left opponent's, 2 partner's, 3 the right one's
    calls: tuple[tuple[int, int], ...]
    lengths: tuple[int, ...]  # of clubs, diamonds, hearts and spades
    hcp: int  # high-card points
    made: int  # the call

    @classmethod
    def of(cls, auction: Sequence[int], features: NDArray[np.int16], made: int) -> Decision:
        """Return the decision after ``auction``, calls from the dealer on, with a hand of these features."""
        n = len(auction)
        calls = tuple(((i - n) & 3, call) for i, call in enumerate(auction))
        hcp, *lengths = features[HCP_AND_LENGTHS].tolist()
        return cls(calls, tuple(lengths), hcp, made)

    def bids(self, *players: int) -> list[int]:
        """Return the calls of some players without passes."""
        return [call for player, call in self.calls if player in players and call != PASS]

    def opening_of(self, *players: int) -> int:
        """Return the first bid of the auction if one of these players made it, else 0."""
        player, bid = next(((player, call) for player, call in self.calls if call >= FIRST_BID), (0, 0))
        return bid if player in players else 0

    @property
    def mine(self) -> list[int]:
        return self.bids(0)

    @property
    def partners(self) -> list[int]:
        return self.bids(2)

    @property
    def ours(self) -> list[int]:
        return self.bids(0, 2)

    @property
    def theirs(self) -> list[int]:
        return self.bids(1, 3)


def _is_suit(bid: int) -> bool:
    return FIRST_BID <= bid < _ONE_NOTRUMP


def _is_response(m: Decision) -> bool:
    return _is_suit(m.opening_of(2)) and not m.theirs and not m.mine


def _is_raise(m: Decision) -> bool:
    return _is_response(m) and (suit := strain_of(m.opening_of(2))) >= 2 and m.lengths[suit] >= 3


def _is_overcall(m: Decision) -> bool:
    over_them = _is_suit(m.opening_of(1, 3)) and not m.ours and len(m.theirs) == 1
    return over_them and m.made != DOUBLE and (m.made != PASS or m.hcp >= 8)


def _is_takeout(m: Decision) -> bool:
    """Return whether it is a double of their opening, a hand that comes close, or partner's answer to the double."""
    opened = m.opening_of(1, 3)
    if not opened or strain_of(opened) == NOTRUMP or level_of(opened) > 3:
        return False
    if not m.ours:
        return m.made == DOUBLE or (m.hcp >= 11 and m.lengths[strain_of(opened)] <= 3 and len(m.theirs) == 1)
    return m.partners == [DOUBLE] and not m.mine


def _is_negative_double(m: Decision) -> bool:
    """Return whether partner opened, the right opponent overcalled in a suit, and it is our first call."""
    if not m.opening_of(2) or m.mine or len(m.theirs) != 1 or m.calls[-1] != (3, m.theirs[0]):
        return False
    return m.theirs[0] >= FIRST_BID and strain_of(m.theirs[0]) != NOTRUMP and (m.made != PASS or m.hcp >= 6)


def _is_competition(m: Decision) -> bool:
    last = m.bids(0, 1, 2, 3)[-1:]
    return bool(m.ours and m.theirs) and len(m.ours + m.theirs) >= 3 and last[0] < FIRST_BID + 15


def _is_slam(m: Decision) -> bool:
    """Return whether it asks for aces or key cards, answers, or bids on the way to six."""
    return not m.theirs and (m.made >= _FOUR_NOTRUMP or max(m.partners[-1:], default=0) >= _FOUR_NOTRUMP)


#: Whether a decision belongs to a topic, by the name of the exam's area; of several the narrowest comes first.
TOPICS: dict[str, Callable[[Decision], bool]] = {
    "openings": lambda m: not m.opening_of(0, 1, 2, 3),
    "slam": _is_slam,
    "strong": lambda m: m.opening_of(0, 2) in (_TWO_CLUBS, _TWO_NOTRUMP) and not m.theirs,
    "1nt": lambda m: m.opening_of(0, 2) == _ONE_NOTRUMP and not m.theirs,
    "raises": _is_raise,
    "responses": _is_response,
    "opener": lambda m: _is_suit(m.opening_of(0)) and not m.theirs and len(m.mine) == len(m.partners) == 1,
    "responder": lambda m: _is_suit(m.opening_of(2)) and not m.theirs and len(m.mine) == 1 and len(m.partners) >= 2,
    "takeout": _is_takeout,
    "doubles": _is_negative_double,
    "their-doubles": lambda m: bool(m.opening_of(0, 1, 2, 3)) and m.calls[-1] == (3, DOUBLE),
    "their-notrump": lambda m: m.opening_of(1, 3) == _ONE_NOTRUMP and not m.ours and len(m.theirs) == 1,
    "preempts": lambda m: m.opening_of(1, 3) > _TWO_CLUBS and m.opening_of(1, 3) != _TWO_NOTRUMP and not m.mine,
    "overcalls": _is_overcall,
    "competing": _is_competition,
    "interference": lambda m: bool(m.opening_of(0, 2) and m.theirs),
}
#: Kinds of decisions that belong to no topic, with their titles.
OTHER_KINDS = {
    "other": "Other calls",
    "lead": "Opening leads",
    "declarer": "Play as declarer",
    "defence": "Defence",
}


def title_of(kind: str) -> str:
    """Return the title of a topic, as the exam has it, or of another kind of decision."""
    return {**textbook().titles, **OTHER_KINDS}.get(kind, kind)


def topic_of(decision: Decision) -> str | None:
    """Return the narrowest topic of a decision; None where it belongs to none."""
    return next((name for name, fits in TOPICS.items() if fits(decision)), None)
