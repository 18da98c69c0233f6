"""Slow, plain implementations of the scoring laws and of par: the oracles of tests/bridge_env/test_scoring.py.

Written from Law 77 of the Laws of Duplicate Bridge 2017, trick by trick and independent of the package's own
table.
"""

from __future__ import annotations

from functools import cache

STRAINS = ("C", "D", "H", "S", "NT")


def law_77(level: int, strain: str, doubles: int, vulnerable: bool, tricks: int) -> int:
    """Declarer's score. ``doubles``: 0, 1 (doubled) or 2 (redoubled)."""
    if tricks < 6 + level:
        return -undertrick_points(6 + level - tricks, doubles, vulnerable)
    trick_score = 0
    for odd_trick in range(1, level + 1):
        if strain in ("C", "D"):
            points = 20
        elif strain == "NT" and odd_trick == 1:
            points = 40
        else:
            points = 30
        trick_score += points * {0: 1, 1: 2, 2: 4}[doubles]
    total = trick_score
    for _ in range(6 + level, tricks):
        if doubles == 0:
            total += 20 if strain in ("C", "D") else 30
        elif doubles == 1:
            total += 200 if vulnerable else 100
        else:
            total += 400 if vulnerable else 200
    if level == 7:
        total += 1500 if vulnerable else 1000
    if level == 6:
        total += 750 if vulnerable else 500
    if trick_score < 100:
        total += 50
    else:
        total += 500 if vulnerable else 300
    if doubles == 1:
        total += 50
    if doubles == 2:
        total += 100
    return total


def undertrick_points(undertricks: int, doubles: int, vulnerable: bool) -> int:
    total = 0
    for number in range(1, undertricks + 1):
        if doubles == 0:
            total += 100 if vulnerable else 50
            continue
        if number == 1:
            points = 200 if vulnerable else 100
        elif number <= 3:
            points = 300 if vulnerable else 200
        else:
            points = 300
        total += points if doubles == 1 else 2 * points
    return total


def naive_par(tricks: list[list[int]], dealer: int, vulnerability: int) -> int:
    """NS's par by recursion over real decisions: pass, bid higher, double, redouble.

    ``tricks`` [seat][strain]. A side is one player here, and its better hand plays the contract.
    """

    def played(bid: int, side: int, doubles: int) -> int:
        level, strain = bid // 5 + 1, bid % 5
        took = max(tricks[side][strain], tricks[side + 2][strain])
        points = law_77(level, STRAINS[strain], doubles, bool(vulnerability >> side & 1), took)
        return points if side == 0 else -points

    def best(side: int, values: list[int]) -> int:
        return max(values) if side == 0 else min(values)

    @cache
    def decide(bid: int, holder: int) -> int:
        """NS's score when the side that does not hold ``bid`` decides."""
        actor = 1 - holder
        doubled = best(holder, [played(bid, holder, 1), played(bid, holder, 2)])
        choices = [played(bid, holder, 0), doubled]
        choices += [decide(higher, actor) for higher in range(bid + 1, 35)]
        return best(actor, choices)

    first = dealer % 2
    second_opens = best(1 - first, [0] + [decide(bid, 1 - first) for bid in range(35)])
    return best(first, [second_opens] + [decide(bid, first) for bid in range(35)])
