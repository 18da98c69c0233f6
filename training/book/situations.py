"""Sort calls by their situation: what the player and partner have done so far, and which bid was last.

An auction that is too rare for a note of its own has a situation that is not. Situations come in several grains, the
finest first. Doubles have their own, by the level of the doubled bid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.rng.streams import key as hashed
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE

#: What a player has done: nothing, passed without having bid, or what his first or last bid or double was.
ACTS = (
    "", "passed before anybody bid", "passed their bid", "passed partner's bid", "opened 1x", "opened 1NT",
    "opened 2!c", "opened 2NT", "opened 2!d or higher", "doubled", "redoubled", "bid NT", "raised partner",
    "rebid my suit", "bid their suit", "bid a suit at level 1", "bid a suit", "jumped in a suit",
)  # fmt: skip
_OF_PARTNER = {"partner's": "my", "my": "his", "partner": "me"}
_HIS = tuple(re.sub("partner's|partner|my", lambda word: _OF_PARTNER[word[0]], act) for act in ACTS)  # seen by partner
_ONE, _NT1, _CLUBS, _NT2, _HIGH, _X, _XX, _NT, _RAISE, _REBID, _CUE, _NEW1, _NEW, _JUMP = range(4, len(ACTS))
#: Columns of a situation. ``early``: passed before anybody bid. ``first``, ``mine``: the player's first and last act.
#: ``owner``: whose the last bid is, 0 nobody's, 1 his own, 2 partner's, 3 theirs. ``act``, ``to``: the call itself.
FIELDS = (
    "early", "first", "mine", "partner_early", "partner", "owner", "level", "notrump", "doubled", "act", "to",
    "spoke", "partner_spoke", "about",
)  # fmt: skip
_GRAINS = (
    ("early", "first", "mine", "partner_early", "partner", "owner", "level", "notrump", "doubled", "act", "to"),
    ("early", "first", "mine", "partner", "owner", "level", "notrump", "act", "to"),
    ("early", "mine", "partner", "owner", "level", "act", "to"),
    ("mine", "owner", "level", "act", "to"),
    ("owner", "level", "act", "to"),
)
_DOUBLES = (
    ("about", "notrump", "act", "early", "mine", "partner_early", "partner"),
    ("about", "act", "spoke", "partner_spoke"),
)
GRAINS = len(_GRAINS)
#: Whose suits a situation speaks of, as names of ``deals.COLUMNS``: the one bid now, partner's, theirs, mine.
SUITS = ("x", "in partner's", "in theirs", "in mine")
_JUMPED = 1  # added to twice the level of a bid


def situations(
    history: NDArray[np.int8], dealer: NDArray[np.int16]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:  # fmt: skip
    """Return the situation of each call of auctions int8 (N, L), padded with -1.

    Returns:
        int8 (N, L, FIELDS); and int8 (N, L, 4), the suits of ``SUITS``, -1 where there is none.
    """
    n, longest = history.shape
    out, suits = np.zeros((n, longest, len(FIELDS)), np.int8), np.full((n, longest, 4), -1, np.int8)
    state = _AuctionHistory(n)
    for k in range(longest):
        rows = np.flatnonzero(history[:, k] >= PASS)
        seat = (dealer[rows].astype(np.int64) + k) & 3
        act, seen, of = state.see(rows, seat, history[rows, k].astype(np.int64))
        out[rows, k], suits[rows, k] = seen, of
        state.step(rows, seat, history[rows, k].astype(np.int64), act)
    return out, suits


class _AuctionHistory:
    """The acts, suits and bids of the seats of N auctions so far."""

    def __init__(self, n: int) -> None:
        self.first, self.last = np.zeros((n, 4), np.int8), np.zeros((n, 4), np.int8)
        self.early, self.named = np.zeros((n, 4), np.bool_), np.zeros((n, 4, 4), np.bool_)
        self.newest = np.full((n, 4), -1, np.int8)  # the last suit of each seat
        self.bid, self.holder, self.doubled = np.full(n, -1), np.zeros(n, np.int64), np.zeros(n, np.int64)

    def see(
        self, rows: NDArray[np.int64], seat: NDArray[np.int64], call: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the act that each call is, its situation, and the suits it speaks of."""
        partner, last = seat ^ 2, self.bid[rows]
        begun = last >= 0
        act, jump = self._act(rows, seat, call)
        holder = self.holder[rows]
        owner = np.where(begun, np.where(holder == seat, 1, np.where(holder == partner, 2, 3)), 0)
        level = np.where(begun, last // 5 + 1, 0)
        bid = call - FIRST_BID
        mine, his = self.last[rows, seat], self.last[rows, partner]
        seen = np.column_stack([
            self.early[rows, seat], self.first[rows, seat], mine, self.early[rows, partner], his, owner, level,
            begun & (last % 5 == 4), self.doubled[rows], act, np.where(bid >= 0, 2 * (bid // 5 + 1) + jump, 0),
            mine >= _ONE, his >= _ONE, np.minimum(level, 4),
        ])  # fmt: skip
        theirs = np.maximum(self.newest[rows, seat ^ 1], self.newest[rows, seat ^ 3])
        theirs = np.where((owner == 3) & (last % 5 < 4), last % 5, theirs)
        own = np.where((bid >= 0) & (bid % 5 < 4), bid % 5, -1)
        return act, seen, np.column_stack([own, self.newest[rows, partner], theirs, self.newest[rows, seat]])

    def _act(
        self, rows: NDArray[np.int64], seat: NDArray[np.int64], call: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the act of each call, 0 for a pass; and whether it skips a level."""
        bid, last = call - FIRST_BID, self.bid[rows]
        strain, suit = bid % 5, np.minimum(bid % 5, 3)
        jump = (bid >= 0) & (last >= 0) & (bid - last > 5)
        raised, again = self.named[rows, seat ^ 2, suit], self.named[rows, seat, suit]
        cue = self.named[rows, seat ^ 1, suit] | self.named[rows, seat ^ 3, suit]
        new = np.where(jump, _JUMP, np.where(bid < 5, _NEW1, _NEW))
        act = np.where(raised, _RAISE, np.where(again, _REBID, np.where(cue, _CUE, new)))
        act = np.where(strain == 4, _NT, act)
        opening = np.select([bid < 4, bid == 4, bid == 5, bid == 9], [_ONE, _NT1, _CLUBS, _NT2], _HIGH)
        act = np.where(last < 0, opening, act)
        return np.select([call == PASS, call == DOUBLE, call == REDOUBLE], [0, _X, _XX], act), jump

    def step(
        self, rows: NDArray[np.int64], seat: NDArray[np.int64], call: NDArray[np.int64], act: NDArray[np.int64]
    ) -> None:
        """Make the calls."""
        last = self.bid[rows]
        passed = np.where(last < 0, 1, np.where(((self.holder[rows] ^ seat) & 1) == 1, 2, 3))
        for acts, unset in ((self.first, self.first[rows, seat] < _ONE), (self.last, np.True_)):
            now = acts[rows, seat]
            acts[rows, seat] = np.where(act > 0, np.where(unset, act, now), np.where(now == 0, passed, now))
        self.early[rows, seat] |= (act == 0) & (last < 0)
        bids = np.flatnonzero(call >= FIRST_BID)
        at, bid = rows[bids], call[bids] - FIRST_BID
        self.bid[at], self.holder[at] = bid, seat[bids]
        self.doubled[rows] = np.where(call == PASS, self.doubled[rows], np.where(call < FIRST_BID, call, 0))
        suited = bid % 5 < 4
        self.newest[at[suited], seat[bids][suited]] = bid[suited] % 5
        at, by, suit = at[suited], seat[bids][suited], bid[suited] % 5
        self.named[at, by, suit] |= ~self.named[at, by ^ 2, suit]  # the suit is the partner's who named it first


def grain_keys(seen: NDArray[np.int8], grain: int, *, bare: bool = False) -> NDArray[np.uint64]:
    """Return a hash of each situation with its call: uint64 (n,); 0 where a double has no such grain.

    Args:
        bare: without the call, to count how often it might have been made; of a double only the level of what it
            doubles.
    """
    out = np.zeros(len(seen), np.uint64)
    doubles = is_double(seen)
    for which, grains in ((~doubles, _GRAINS), (doubles, _DOUBLES)):
        if grain < len(grains):
            rows = np.flatnonzero(which)
            names = grains[grain] if not bare else grains[grain][:-2] if grains is _GRAINS else _DOUBLES[1][:2]
            columns = seen[rows][:, [FIELDS.index(name) for name in names]].astype(np.int64)
            packed = columns @ (np.int64(32) ** np.arange(len(names)))  # no field has more than 32 values
            out[rows] = hashed(packed, grain + GRAINS * int(grains is _DOUBLES))
    return out


def is_double(seen: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which situations are those of a double or redouble."""
    doubles: NDArray[np.bool_] = np.isin(seen[:, FIELDS.index("act")], (_X, _XX))
    return doubles


def is_raise(seen: NDArray[np.int8]) -> bool:
    """Return whether the call of one situation raises partner's suit."""
    return bool(seen[FIELDS.index("act")] == _RAISE)


# --- words -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Situation:
    """A situation in words: the title of its chapter, the acts of both partners, the last bid.

    Such as ``Slam bids``, ``I opened 1x, then raised partner``, ``partner doubled``, ``(3x)-?``.
    """

    title: str
    mine: str
    partner: str
    last: str

    @property
    def order(self) -> tuple[object, ...]:
        """Return the key by which situations are sorted: those of any other calls come last."""
        others = "Any other", "else"
        return self.title, self.mine in others, self.mine, self.partner in others, self.partner, self.last

    def __str__(self) -> str:
        return f"{self.mine}; {self.partner}; {self.last}"


def describe_situation(seen: NDArray[np.int8], grain: int) -> Situation:
    """Describe one situation."""
    one = dict(zip(FIELDS, seen.tolist(), strict=True))
    if one["act"] in (_X, _XX):
        return Situation("Doubles and redoubles, by level", *_doubled(one, grain))
    slam = one["owner"] in (1, 2) and (one["to"] >= 10 or (one["to"] >= 8 and one["act"] == _NT))
    names = _GRAINS[grain]
    mine = _me(one, "first" in names) if "mine" in names else "Any other"
    partner = _partner(one, "partner_early" in names) if "partner" in names else "else"
    strain = "y" if "notrump" not in names else "NT" if one["notrump"] else "x"
    doubled = ("", "-X", "-XX")[one["doubled"]] if "doubled" in names else ""
    bid = f"{one['level']}{strain}{doubled}"
    last = f"{('to open', f'my {bid}', bid, f'({bid})')[one['owner']]}-?"
    return Situation("Slam bids" if slam else "Other calls, by situation", mine, partner, last)


def _doubled(one: dict[str, int], grain: int) -> tuple[str, str, str]:
    level = f"{one['about']}{' or more' if one['about'] == 4 else ''}"
    if grain == 1:
        both = [
            f"{name} {'bid' if one[of] else 'silent'}" for name, of in (("I", "spoke"), ("partner", "partner_spoke"))
        ]
        return f"Level {level}, any other", both[0], both[1]
    return f"Level {level}, {'NT' if one['notrump'] else 'a suit'}", _me(one, False), _partner(one, True)


def _me(one: dict[str, int], first: bool) -> str:
    acts = [ACTS[1]] if one["early"] else []
    acts += [ACTS[one["first"]]] if first and one["first"] > 1 else []
    acts += [ACTS[one["mine"]]] if one["mine"] > 1 and ACTS[one["mine"]] not in acts[-1:] else []
    return f"I {', then '.join(acts)}" if acts else "I have not called"


def _partner(one: dict[str, int], early: bool) -> str:
    if not one["partner"]:
        return "partner has not called"
    before = "passed, then " if early and one["partner_early"] and one["partner"] > 1 else ""
    return f"partner {before}{_HIS[one['partner']]}"


def call_words(seen: NDArray[np.int8]) -> str:
    """Return the call of one situation: ``Pass``, ``3 partner's``."""
    one = dict(zip(FIELDS, seen.tolist(), strict=True))
    act, level = one["act"], one["to"] // 2
    if act in (0, _X, _XX):
        return {0: "Pass", _X: "X", _XX: "XX"}[act]
    jump = "jump to " if one["to"] & _JUMPED else ""
    if act in (_NT, _NT1, _NT2):
        return f"{jump}{level}NT"
    suits = {_RAISE: "partner's", _REBID: "my suit", _CUE: "their suit", _CLUBS: "!c"}
    return f"{jump}{level} {suits.get(act, 'new suit')}".replace(" !c", "!c")
