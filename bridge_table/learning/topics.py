"""Sort decisions into topics to practise, by the auction, the hand and the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NOTRUMP, PASS, level_of, strain_of

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

    @property
    def opening(self) -> tuple[int, int] | None:
        """The player of the first bid, and the bid."""
        return next(((player, call) for player, call in self.calls if call >= FIRST_BID), None)

    @property
    def undisturbed(self) -> bool:
        """Whether the opponents have only passed."""
        return not self.bids(1, 3)

    @property
    def last(self) -> int:
        """The last call that was no pass; a pass where there is none."""
        return next((call for _, call in reversed(self.calls) if call != PASS), PASS)


def _opened_by(decision: Decision, *players: int) -> int | None:
    """Return the opening bid, if one of these players made it."""
    opening = decision.opening
    return opening[1] if opening is not None and opening[0] in players else None


def _one_of_suit(call: int | None) -> bool:
    return call is not None and call < _ONE_NOTRUMP


def _responses(m: Decision) -> bool:
    return _one_of_suit(_opened_by(m, 2)) and m.undisturbed and not m.bids(0)


def _raises(m: Decision) -> bool:
    opened = _opened_by(m, 2)
    if not _responses(m) or opened is None or strain_of(opened) < 2:
        return False
    return m.lengths[strain_of(opened)] >= 3


def _one_notrump(m: Decision) -> bool:
    return _opened_by(m, 0, 2) == _ONE_NOTRUMP and m.undisturbed


def _strong(m: Decision) -> bool:
    return _opened_by(m, 0, 2) in (_TWO_CLUBS, _TWO_NOTRUMP) and m.undisturbed


def _opener(m: Decision) -> bool:
    return _one_of_suit(_opened_by(m, 0)) and m.undisturbed and len(m.bids(0)) == 1 and len(m.bids(2)) == 1


def _responder(m: Decision) -> bool:
    return _one_of_suit(_opened_by(m, 2)) and m.undisturbed and len(m.bids(0)) == 1 and len(m.bids(2)) >= 2


def _over_them(m: Decision) -> bool:
    """They opened one of a suit, and our side has not come in."""
    return _one_of_suit(_opened_by(m, 1, 3)) and not m.bids(0, 2)


def _overcalls(m: Decision) -> bool:
    return _over_them(m) and len(m.bids(1, 3)) == 1 and m.made != DOUBLE and (m.made != PASS or m.hcp >= 8)


def _takeout(m: Decision) -> bool:
    """Doubles of their opening; hands that come close; and partner's answers to the double."""
    opened = _opened_by(m, 1, 3)
    if opened is None or strain_of(opened) == NOTRUMP or level_of(opened) > 3:
        return False
    if not m.bids(0, 2):
        return m.made == DOUBLE or (m.hcp >= 11 and m.lengths[strain_of(opened)] <= 3 and len(m.bids(1, 3)) == 1)
    return m.bids(2) == [DOUBLE] and not m.bids(0)


def _negative(m: Decision) -> bool:
    """Partner opened, the right opponent overcalled in a suit: our first call."""
    theirs = m.bids(1, 3)
    return (
        _opened_by(m, 2) is not None and not m.bids(0) and len(theirs) == 1 and m.calls[-1] == (3, theirs[0])
        and theirs[0] >= FIRST_BID and strain_of(theirs[0]) != NOTRUMP and (m.made != PASS or m.hcp >= 6)
    )  # fmt: skip


def _interference(m: Decision) -> bool:
    return _opened_by(m, 0, 2) is not None and not m.undisturbed


def _competing(m: Decision) -> bool:
    """Both sides have bid, or nobody over their opening so far and it would be passed out."""
    both = bool(m.bids(0, 2)) and bool(m.bids(1, 3))
    return both and len(m.bids(0, 1, 2, 3)) >= 3 and m.last < FIRST_BID + 15


def _their_notrump(m: Decision) -> bool:
    return _opened_by(m, 1, 3) == _ONE_NOTRUMP and not m.bids(0, 2) and len(m.bids(1, 3)) == 1


def _preempts(m: Decision) -> bool:
    opened = _opened_by(m, 1, 3)
    return opened is not None and opened > _TWO_CLUBS and opened != _TWO_NOTRUMP and not m.bids(0)


def _slam(m: Decision) -> bool:
    """Asking for aces or key cards, answering, and bids on the way to six."""
    partner = m.bids(2)
    answering = bool(partner) and partner[-1] >= _FOUR_NOTRUMP and m.undisturbed
    return (m.made >= _FOUR_NOTRUMP and m.undisturbed) or answering


@dataclass(frozen=True)
class Topic:
    """A topic, under the name and title of the exam's area."""

    name: str
    title: str
    fits: Callable[[Decision], bool]  # whether a decision belongs to it


TOPICS = {
    topic.name: topic
    for topic in (
        Topic("openings", "Opening bids", lambda m: m.opening is None),
        Topic("responses", "Responses to one of a suit", _responses),
        Topic("raises", "Raises of a major", _raises),
        Topic("1nt", "Responses to one no trump, and what follows", _one_notrump),
        Topic("strong", "Two clubs and two no trump", _strong),
        Topic("opener", "Opener's rebids", _opener),
        Topic("responder", "Responder's rebids", _responder),
        Topic("slam", "Slam bidding", _slam),
        Topic("overcalls", "Overcalls and two-suiters", _overcalls),
        Topic("takeout", "Takeout doubles and answers to them", _takeout),
        Topic("doubles", "Negative doubles, and what else is bid over their overcall", _negative),
        Topic("interference", "Our side after their overcall", _interference),
        Topic("competing", "Competing", _competing),
        Topic("their-notrump", "Defence to one no trump", _their_notrump),
        Topic("preempts", "Defence to weak twos and preempts", _preempts),
        Topic("their-doubles", "After their doubles", lambda m: bool(m.opening) and m.calls[-1:] == ((3, DOUBLE),)),
    )
}

# Of several topics that a decision belongs to, the narrowest comes first.
_NARROW_FIRST = (
    "openings", "slam", "strong", "1nt", "raises", "responses", "opener", "responder", "takeout", "doubles",
    "their-doubles", "their-notrump", "preempts", "overcalls", "competing", "interference",
)  # fmt: skip


def topic_of(decision: Decision) -> Topic | None:
    """Return the narrowest topic of a decision; None where it belongs to none."""
    return next((TOPICS[name] for name in _NARROW_FIRST if TOPICS[name].fits(decision)), None)
