"""A slow reading of a bidding system's tree, straight from its lines: the oracle for the compiled engine.

It walks whole paths and tries every line; nothing is filled in beforehand. General rules, and
words that need what partner has shown, are not its business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from agents.systems.language.tree import Atom, Constraint, Line, Step, System

SUITS = "CDHS"
CHOICES = {"M": "SH", "m": "DC", "x": "SHDC", "y": "SHDC"}
GAME_LEVEL = {"C": 5, "D": 5, "H": 4, "S": 4, "N": 3}
NO_BID = "0"

Event = tuple[bool, str]  # theirs?, call as "P", "X", "XX", "1C" ... "7N"


def rank(bid: str) -> int:
    """Bids in order; below all of them where none was made."""
    return -1 if bid == NO_BID else 5 * int(bid[0]) + "CDHSN".index(bid[1])


def is_bid(call: str) -> bool:
    return call[0] in "1234567"


def hand_features(hand: str) -> dict[str, int]:
    """Of ``"AKQ2.T98.J7.A543"``, by the words of the language."""
    holding = dict(zip("SHDC", hand.split("."), strict=True))
    length = {s: len(holding[s]) for s in SUITS}
    lengths = sorted(length.values(), reverse=True)
    points = {s: sum({"A": 4, "K": 3, "Q": 2, "J": 1}.get(c, 0) for c in holding[s]) for s in SUITS}
    hcp = sum(points.values())
    out = {
        "hcp": hcp,
        "points": hcp + sum(max(0, n - 4) for n in lengths),
        "longest": lengths[0],
        "shortest": lengths[3],
        "balanced": int(lengths in ([4, 3, 3, 3], [4, 4, 3, 2], [5, 3, 3, 2])),
        "semibalanced": int(lengths in ([4, 3, 3, 3], [4, 4, 3, 2], [5, 3, 3, 2], [5, 4, 2, 2], [6, 3, 2, 2])),
        "aces": hand.count("A"),
        "kings": hand.count("K"),
        "controls": 2 * hand.count("A") + hand.count("K"),
        "losers": sum(losers(holding[s]) for s in SUITS),
        "rule20": hcp + lengths[0] + lengths[1],
        "zar": hcp + 2 * hand.count("A") + hand.count("K") + lengths[0] + lengths[1] + lengths[0] - lengths[3],
    }
    for s in SUITS:
        cards = holding[s]
        out |= {
            s: length[s],
            f"hcp:{s}": points[s],
            f"top3:{s}": sum(c in "AKQ" for c in cards),
            f"top5:{s}": sum(c in "AKQJT" for c in cards),
            f"stopper:{s}": int(any(c in cards and length[s] > i for i, c in enumerate("AKQJ"))),
            f"king:{s}": int("K" in cards),
            f"queen:{s}": int("Q" in cards),
            f"keycards:{s}": hand.count("A") + ("K" in cards),
            f"long:{s}": int(length[s] == lengths[0]),
            f"control:{s}": int("A" in cards or "K" in cards or length[s] < 2),
            f"support:{s}": hcp + sum(ruffing_value(length[t], length[s]) for t in SUITS if t != s),
            f"playing:{s}": sum(playing_tricks(holding[t], t == s) for t in SUITS),
        }
    return out


#: Honours (with the cards that they need beside them) -> playing tricks in halves, the best counts.
PLAYING = (
    ("AKQ", 6), ("AKJ", 5), ("AQJ", 5), ("AK", 4), ("AQT", 4), ("KQJ", 4), ("AQ", 3), ("AJT", 3), ("KQT", 3),
    ("KJT", 3), ("A", 2), ("KQ", 2), ("QJT", 2), ("Kx", 1), ("QJx", 1),
)  # fmt: skip


def playing_tricks(cards: str, trumps: bool) -> int:
    """In halves."""
    honours = [n for needed, n in PLAYING if set(needed) - {"x"} <= set(cards) and len(needed) <= len(cards)]
    beyond = len(cards) - 3
    length = 0 if beyond <= 0 else 2 * beyond if trumps else 2 * beyond - 1
    run = next((i for i, rank in enumerate("AKQJT98765432") if rank not in cards), 13)
    return max(max(honours, default=0) + length, 2 * run)


def losers(cards: str) -> int:
    return sum(honour not in cards for honour in "AKQ"[: len(cards)])


def ruffing_value(side_suit: int, trumps: int) -> int:
    if trumps < 3 or side_suit > 2:
        return 0
    return ((5, 3, 1) if trumps >= 4 else (3, 2, 1))[side_suit]


def suits_of(name: str, bindings: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Strains that a letter or a variable can stand for, in the order in which they are tried."""
    if name in "CDHSN":
        yield name, bindings
    elif name in bindings:
        yield bindings[name], bindings
    else:
        for suit in CHOICES.get(name, ""):
            if suit == bindings.get({"x": "y", "y": "x"}.get(name, "")):
                continue
            other = {"S": "H", "H": "S", "D": "C", "C": "D"}[suit]
            yield suit, bindings | {name: suit} | ({"o" + name: other} if name in ("M", "m") else {})


def readings(token: str, bindings: dict[str, str], last: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Calls that ``token`` can stand for after the bid ``last``, and what suits that fixes."""
    if token in ("P", "X", "XX"):
        yield token, bindings
    elif token.endswith("any"):
        for level in token[:-3] or "1234567":
            yield from ((level + strain, bindings) for strain in "CDHSN")
    elif ":" in token:
        form, name = token.split(":")
        for strain, bound in suits_of(name, bindings):
            lowest = next((f"{level}{strain}" for level in range(1, 8) if rank(f"{level}{strain}") > rank(last)), None)
            if lowest is None:
                continue
            wanted = {
                "lowest": int(lowest[0]),
                "jump": int(lowest[0]) + 1,
                "game": GAME_LEVEL[strain],
                "slam": 6,
                "grand": 7,
            }[form]
            if int(lowest[0]) <= wanted <= 7:
                yield f"{wanted}{strain}", bound
    else:
        for strain, bound in suits_of(token[1:], bindings):
            yield token[0] + strain, bound


def holds(constraint: Constraint, hand: dict[str, int], bindings: dict[str, str]) -> bool:
    return all(
        any(all(atom_holds(atom, hand, bindings) for atom in alternative) for alternative in clause)
        for clause in constraint
    )


def atom_holds(atom: Atom, hand: dict[str, int], bindings: dict[str, str]) -> bool:
    def suit(name: str) -> str:
        return bindings.get(name, name)

    stem, _, of = atom.word.partition(":")
    first, dash, second = atom.word.partition("-")
    if dash and suit(first) in SUITS:
        value = hand[suit(first)] - hand[suit(second)]
    elif of:
        value = hand[f"{stem}:{suit(of)}"]
    else:
        value = hand[suit(stem)]
    return atom.lo <= value <= atom.hi


def paths(lines: Sequence[Line], before: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Line]]:
    """Every line with the whole path from the opening to it, in the order of the text."""
    for line in lines:
        path = before + line.path
        yield path, line
        yield from paths(line.lines, path)


def follow(path: Sequence[Step], events: Sequence[Event]) -> tuple[dict[str, str], str] | None:
    """The suits fixed and the last bid where ``path`` is exactly ``events``; None where it is not."""
    bindings: dict[str, str] = {}
    last, at = NO_BID, 0
    for step in path:
        if step.token == "P" and last == NO_BID:
            continue
        if at == len(events) or step.theirs != events[at][0]:
            return None
        said = events[at][1]
        found = next((bound for call, bound in readings(step.token, bindings, last) if call == said), None)
        if found is None:
            return None
        bindings, last, at = found, said if is_bid(said) else last, at + 1
    return (bindings, last) if at == len(events) else None


class Tree:
    """The tree of a system."""

    def __init__(self, system: System) -> None:
        found = list(paths(system.lines))
        self.starts = {path[:end] for path, _ in found for end in range(1, len(path) + 1)}
        self.lines: dict[tuple[Step, ...], list[tuple[int, Step, Line]]] = {}  # by what comes before, with their order
        for number, (path, line) in enumerate(found):
            if not line.after:
                self.lines.setdefault(path[:-1], []).append((number, path[-1], line))
        self.goes_on = lru_cache(maxsize=None)(self._goes_on)
        self.rules = lru_cache(maxsize=None)(self._rules)

    def _goes_on(self, events: tuple[Event, ...]) -> bool:
        """Does any line speak of this start of an auction?"""
        return any(follow(start, events) is not None for start in self.starts)

    def _rules(self, events: tuple[Event, ...]) -> list[tuple[str, Line, dict[str, str]]]:
        """The calls that lines offer after ``events``, in order."""
        out = []
        for before, lines in self.lines.items():
            place = follow(before, events)
            if place is not None:
                for number, step, line in lines:
                    out += [(number, call, line, bound) for call, bound in readings(step.token, *place)]
        out.sort(key=lambda rule: rule[0])
        return [rule[1:] for rule in out]

    def call(
        self, calls: Sequence[str], legal: set[str], hand: str, context: Mapping[str, int] | None = None
    ) -> tuple[str, Line] | None:
        """What the tree makes the next player call, and by which line; None outside the tree.

        Args:
            calls: the auction so far.
            legal: the calls that the laws allow now.
            hand: such as ``"AKQ2.T98.J7.A543"``.
            context: what the auction says to this player, by the words of the language, where lines speak of it.
        """
        events: tuple[Event, ...] = ()
        opened = False
        for i, call in enumerate(calls):
            theirs = bool((len(calls) - i) % 2)
            opened = opened or is_bid(call)
            if not opened:
                continue
            if call == "P" and theirs and not self.goes_on((*events, (theirs, call))):
                continue  # their pass goes without saying
            events += ((theirs, call),)
        features = hand_features(hand) | dict(context or {})
        for call, line, bindings in self.rules(events):
            features["level"] = int(call[0]) if is_bid(call) else 0
            if call in legal and holds(line.constraint, features, bindings):
                return call, line
        return None
