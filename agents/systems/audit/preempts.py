"""Look at weak openings: their seat, vulnerability and suit, and whether the better suit is ever bid lower."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.lines import Lines, Place
from agents.systems.audit.probes import Hands, ProbeAuction, better_suit
from agents.systems.audit.responses import Responses
from agents.systems.audit.simulator import Simulator
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import FEATURES, HCP, LENGTH
from bridge_env.rules.calls import FIRST_BID, PASS, call_text

_WEAK = 12  # points that a preempt has at most
_FOURTH = 8  # points that an opening in fourth seat has at least
_TOP3, _TOP5 = FEATURES["top3:C"], FEATURES["top5:C"]
_COUNT, _SEED = 60_000, 3
_KIND = 40  # letters of a finding that identify its kind
_FEWEST = 3  # hands that must show it
_VULNERABLE = {False: "not vulnerable", True: "vulnerable"}


def preempts(simulator: Simulator, lines: Lines) -> Iterator[tuple[Place, str]]:
    """Yield findings about a system's weak openings at the two level and higher, of each kind one for a line."""
    hands = Hands.drawn(_COUNT, _SEED)
    seats = {(before, vul): simulator.see([_opening(before, vul)], hands) for before in range(4) for vul in (0, 1)}
    weak = _weak_rules(seats, len(lines.places))
    found: dict[tuple[Place, str], str] = {}
    for place, text in (*_bad(seats, weak, lines), *_alike(seats, weak, lines), *_lower(simulator, seats, weak, lines)):
        found.setdefault((place, text[:_KIND]), text)
    for (place, _), text in found.items():
        yield place, text


def _bad(seats: dict[tuple[int, int], Responses], weak: NDArray[np.bool_], lines: Lines) -> Iterator[tuple[Place, str]]:
    """Yield openings in a bad seat or on a bad suit."""
    for (before, vul), responses in seats.items():
        for k in _rows(responses, weak):
            hand, call, place = responses.hand[k], int(responses.call[k]), lines.places[responses.rule[k]]
            suit, f, held = (call - FIRST_BID) % 5, responses.hands.features[hand, 0], responses.hands.held[hand]
            if before == 3 and f[HCP] < _FOURTH:
                why = f"fewer than {_FOURTH} points, where a pass ends the board"
                yield place, f"opens {call_text(call)} in fourth seat on {why}"
            elif call < FIRST_BID + 10 and f[LENGTH + suit] < 6 and (f[_TOP5 + suit] < 3 or (before < 2 and vul)):
                good = "six cards, or five good ones not vulnerable or in third seat"
                yield place, f"a weak two promises {good}; not {hand_text(held)}"
            elif before < 3 and f[_TOP3 + suit] < 1 and f[_TOP5 + suit] < 2 and f[LENGTH + suit] < 8:
                good = "a top honour, or two of the top five, in a suit of less than eight cards"
                yield place, f"a preempt promises {good}; not {hand_text(held)}"


def _opening(passes: int, vulnerable: int) -> ProbeAuction:
    return ProbeAuction((PASS,) * passes, passes % 2, (1 << passes % 2) * vulnerable)


def _weak_rules(seats: dict[tuple[int, int], Responses], rules: int) -> NDArray[np.bool_]:
    """Return rules that open a suit at the two level or higher, never on more than a weak hand."""
    most = np.full(rules, -1, np.int16)  # as the features are: numpy compares them faster
    for responses in seats.values():
        known = responses.rule >= 0
        np.maximum.at(most, responses.rule[known], responses.hcp[known])
    weak = (most >= 0) & (most <= _WEAK)
    for responses in seats.values():
        other = (responses.rule >= 0) & ((responses.call < FIRST_BID + 5) | ((responses.call - FIRST_BID) % 5 == 4))
        weak[responses.rule[other]] = False
    return weak


def _rows(responses: Responses, weak: NDArray[np.bool_]) -> list[int]:
    return np.flatnonzero((responses.rule >= 0) & weak[responses.rule]).tolist()


def _alike(
    seats: dict[tuple[int, int], Responses], weak: NDArray[np.bool_], lines: Lines
) -> Iterator[tuple[Place, str]]:
    """Find three-level openings on the same hands at every vulnerability: down four doubled costs more than a game."""
    free, dear = seats[0, 0], seats[0, 1]
    threes = [k for k in _rows(free, weak) if 10 <= free.call[k] - FIRST_BID < 15]
    if threes and all(dear.call[k] == free.call[k] for k in threes):
        for rule in sorted({int(free.rule[k]) for k in threes}):
            yield lines.places[rule], "three-level openings are the same hands vulnerable and not vulnerable"


def _lower(
    simulator: Simulator, seats: dict[tuple[int, int], Responses], weak: NDArray[np.bool_], lines: Lines
) -> Iterator[tuple[Place, str]]:
    """Iterate over hands that bid their suit lower, or not at all, once an honour is moved into it."""
    for (before, vul), responses in seats.items():
        if before in (1, 3):
            continue
        for suit in range(4):
            rows = [k for k in _rows(responses, weak) if (responses.call[k] - FIRST_BID) % 5 == suit][:3000]
            if not rows:
                continue
            worse = responses.hands.held[responses.hand[rows]]
            better = better_suit(worse, suit)
            again = simulator.see([_opening(before, vul)], Hands.of(better))
            same = again.hcp == responses.hcp[rows]
            changed = (worse != better).any(axis=1) & same
            same_suit = (again.call >= FIRST_BID + 5) & ((again.call - FIRST_BID) % 5 == suit)
            lower = changed & ((again.call == PASS) | (same_suit & (again.call < responses.call[rows])))
            bad = np.flatnonzero(lower)
            if len(bad) >= _FEWEST:
                k = int(bad[0])
                opens, lower_call = call_text(int(responses.call[rows[k]])), call_text(int(again.call[k]))
                example = f"{hand_text(worse[k])} opens {opens}, {hand_text(better[k])} {lower_call}"
                where = f"{_VULNERABLE[bool(vul)]}, seat {before + 1}"
                yield lines.places[responses.rule[rows[k]]], f"the better suit is bid lower: {example} ({where})"
