"""State what a call shows, as ranges to which a hand can be held: by the lines that make it, else by hands that do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.systems.explain.measured_text import TAIL, named_suits, suits_of
from agents.systems.explain.position import SELDOM, Position, Rule, word_value
from agents.systems.explain.ranges import Ranges, distinct, hull, unite
from agents.systems.explain.sentences import counts_points, sentence, short_sentence
from agents.systems.language.tree import INFINITE
from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rules.calls import FIRST_BID, PASS

_FEW_HANDS = 15  # that make a call: of fewer nothing is measured
_MOST_WAYS = 3  # that one sentence lists
_SUITS = "CDHS"
_PLACES = ("best", "long", "stopper")  # words that leave a hand open


@dataclass(frozen=True)
class Statement:
    """What a call shows: its hand lies in one of the ways.

    Args:
        usual: measured on hands that make the call: 19 in 20 keep to each range.
    """

    ways: tuple[Ranges, ...]
    usual: bool = False

    def __str__(self) -> str:
        return self._written(sentence)

    @property
    def short(self) -> str:
        """Return it as pages have it: ``10+ HCP, 5+♠``."""
        return self._written(short_sentence)

    def missed(self, row: NDArray[np.int16]) -> Ranges:
        """Return the ranges of the nearest way that a hand misses, as its own values; none where it is as stated.

        Args:
            row: the hand's feature row int16 (NUM_COLUMNS,) at the position.
        """
        held = [{word: word_value(row, word) for word in way} for way in self.ways]
        found = [
            {word: (value, value) for word, value in own.items() if not way[word][0] <= value <= way[word][1]}
            for own, way in zip(held, self.ways, strict=True)
        ]
        return min(found, key=len)

    def clipped(self, hcp: tuple[int, int]) -> Statement:
        """Return the statement with no HCP outside ``hcp``, where a way leaves some."""

        def clip(way: Ranges) -> Ranges:
            low, high = max(way["hcp"][0], hcp[0]), min(way["hcp"][1], hcp[1])
            return way | {"hcp": (low, high)} if low <= high else way

        return replace(self, ways=tuple(clip(way) if "hcp" in way else way for way in self.ways))

    def widened(self, held: Ranges) -> Statement:
        """Return the statement stretched to what hands were found to hold, by the words that both have: of several
        ways, what holds of all of them; the same where that need not be stretched.
        """
        together = unite(self.ways)
        wider = _stretched(together, held)
        return self if wider == together else replace(self, ways=(wider,))

    def spread(self, rows: NDArray[np.int16]) -> Ranges:
        """Return the range of 19 in 20 hands in each of the statement's words.

        Args:
            rows: feature rows int16 (N, NUM_COLUMNS) of hands at the position.
        """
        words = {word for way in self.ways for word in way}
        values = {word: [word_value(row, word) for row in rows] for word in sorted(words)}
        ends = {
            word: np.quantile(each, [TAIL, 1 - TAIL], method="closest_observation") for word, each in values.items()
        }
        return {word: (int(low), int(high)) for word, (low, high) in ends.items()}

    def _written(self, write: Callable[[Ranges], str]) -> str:
        text = "; or ".join(dict.fromkeys(map(write, self.ways)))
        return f"usually {text}" if self.usual else text


def _stretched(way: Ranges, held: Ranges) -> Ranges:
    out = {
        word: (min(low, held[word][0]), max(high, held[word][1])) if word in held else (low, high)
        for word, (low, high) in way.items()
    }
    if "points" in out and "points" not in held and out.get("hcp", (0, 0))[0] < way.get("hcp", (0, 0))[0]:
        out["points"] = (min(out["hcp"][0], out["points"][0]), out["points"][1])  # they may be as few as the HCP
    return out


def statement(position: Position, call: int) -> Statement | None:
    """Return what the lines that make ``call`` say of the hand, stretched to the hands that make it by other rules;
    where they have no words, what hands usually hold that make it. None where hardly any hand does.
    """
    if call == PASS:  # what a line of the tree passes and what no line takes look the same to partner
        ways = [hull(rule.needs) for rule in position.rules if rule.call == call]
        ways = distinct(ways if any(not rule.needs for rule in position.rules) else [*ways, {}])
        return _in_words(position, call, ways)
    makers = position.usual_makers(call)
    found = _in_words(position, call, distinct(_ways(position, makers)))
    calls, numbers = position.likely_decisions
    made = calls == call
    others = made & ~np.isin(numbers, [rule.number for rule in makers])
    if position.weighed and made.sum() < _FEW_HANDS and (others.any() or not made.any()):
        return None  # scorecards make it
    if found is None or found.usual or others.sum() <= SELDOM * made.sum():
        return found
    if 2 * others.sum() > made.sum():
        return usual_statement(position, call) or found
    wider = found.widened(found.spread(position.rows(position.likely_hands[others])))
    return wider if all(map(sentence, wider.ways)) else usual_statement(position, call) or found


def _ways(position: Position, makers: Sequence[Rule]) -> Iterator[Ranges]:
    """Yield what each rule says; a general one, where the tree has an upper end, up to that of the hands it takes."""
    own = [hull(rule.needs) for rule in makers if rule.tree]
    ended = {word for way in own for word, (_, high) in way.items() if high < INFINITE}
    for rule in makers:
        way = hull(rule.needs)
        hands = position.likely_hands[position.likely_decisions[1] == rule.number]
        if not rule.tree and ended & way.keys() and len(hands):
            rows = position.rows(hands)
            most = {word: max(word_value(row, word) for row in rows) for word in ended & way.keys()}
            way |= {word: (way[word][0], min(way[word][1], high)) for word, high in most.items()}
        yield way


def _in_words(position: Position, call: int, ways: Sequence[Ranges]) -> Statement | None:
    """Return what the ways say; where they have no words, or too many, what hands usually hold that make ``call``."""
    if not ways or not all(map(_says_more, ways)):
        return usual_statement(position, call)
    together = unite(ways)
    if sentence(together) and (len(ways) > _MOST_WAYS or counts_points(together) or not all(map(counts_points, ways))):
        return Statement((together,))
    named = Statement(tuple(ways)) if len(ways) <= _MOST_WAYS else None
    return named if named and any(map(counts_points, ways)) else usual_statement(position, call) or named


def _says_more(way: Ranges) -> bool:
    """Return whether a way says more than where a fit or a stopper is."""
    return bool(sentence({word: ends for word, ends in way.items() if word.partition(":")[0] not in _PLACES}))


def usual_statement(position: Position, call: int) -> Statement | None:
    """Return what 19 in 20 hands hold that make ``call`` at the position; None where hardly any does."""
    makers = position.likely_hands[position.likely_decisions[0] == call]
    if len(makers) < _FEW_HANDS:
        return None
    artificial = any(rule.artificial for rule in position.usual_makers(call))
    return statement_of_hands(makers, [] if artificial else suits_of(call, position.last_bid + FIRST_BID))


def statement_of_hands(hands: NDArray[np.int16], named: Sequence[int] = ()) -> Statement:
    """Return what 19 in 20 of some hands hold, int16 (N, NUM_FEATURES); ``named`` as for ``measured_statement``."""
    ends = np.quantile(hands[:, HCP_AND_LENGTHS], [TAIL, 1 - TAIL], axis=0, method="closest_observation").T
    return measured_statement(ends.astype(np.uint8), named)


def measured_statement(ranges: NDArray[np.uint8], named: Sequence[int] = ()) -> Statement:
    """Return measured ranges, uint8 (5, 2), of HCP and C D H S, as a statement; suits as for ``named_suits``."""
    held = measured_ranges(ranges)
    suits = [held[suit] for suit in _SUITS]
    lengths = {_SUITS[suit]: suits[suit] for suit in named_suits(suits, named)}
    return Statement(({"hcp": held["hcp"]} | lengths,), usual=True)


def measured_ranges(ranges: NDArray[np.uint8]) -> Ranges:
    """Return measured ranges, uint8 (5, 2), of HCP and C D H S, by their words."""
    return {word: (low, high) for word, (low, high) in zip(("hcp", *_SUITS), ranges.tolist(), strict=True)}
