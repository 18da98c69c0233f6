"""Find bidding that no pair would agree to play: each check looks at the same hands in the same auctions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.labels import (
    ASKING,
    DOUBLES,
    NAMELESS,
    NO_BALANCE,
    NO_LENGTH,
    Holds,
    Label,
    labels_of,
    meaning_of_double,
)
from agents.systems.audit.probes import Responses
from agents.systems.audit.rows import NO_TRUMP, Rows, of_suit
from agents.systems.bidder import Hierarchy
from agents.systems.engine.compiled import (
    FLAG_BITS,
    RULE_CALL,
    RULE_END,
    RULE_FIRST,
    RULE_FLAGS,
    RULE_LINE,
    RULE_SPAN,
    SHOWS_NOTHING,
    SPAN_CALL,
    Compiled,
    first_general_rule,
)
from agents.systems.engine.decompile import clauses_of
from agents.systems.language.tree import Line, atoms_of, place_of, walk
from agents.systems.language.vocabulary import CONTEXT, WORDS
from bridge_env.hands.features import FEATURES
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, REDOUBLE, bid_call, call_text

_SHARE, _FEWEST = 0.05, 5  # of a line's hands, dealt as chance has it, that must break a promise for a finding
_EDGE = 0.0  # of promises that the weakest hand of a line must keep too
_FORCES, _TO_GAME = FLAG_BITS["forcing"] | FLAG_BITS["gf"], FLAG_BITS["gf"]
_LONGEST, _SHORTEST, _TOP5 = FEATURES["longest"], FEATURES["shortest"], FEATURES["top5:C"]
_POINTS, _SUPPORT = FEATURES["points"], FEATURES["support:C"]
_SLAM, _GRAND = bid_call(6, NO_TRUMP), bid_call(7, NO_TRUMP)
_SLAM_POINTS = {_SLAM: 32, _GRAND: 36}  # points of both hands, a point below what textbooks want
_NO_TRUMP_LEAST = (10, 18, 22)  # points of a natural opening at the one, two and three level
_OPENS_LEAST = 8  # points of one of a suit
_THREE_LEAST = 6  # cards of a suit that is bid at the three level by a jump, or opened there
_ANY_DOUBLE = 18  # points that both hands have shown before a double may have any hand
_GAME_POINTS = 21  # of both hands behind a call that forces to game, length counted
_RAISE_POINTS = 18  # of both hands behind a raise to game
_RAISE_SUPPORT, _RAISE_TRUMPS = 4, 5  # dummy points, or trumps, that make up for them, as a short suit does
_PARTNER_LEAST = 6  # points from which partner has shown values

Place = tuple[bool, int]  # of a line: is it a general rule, and its number


class Lines:
    """The lines of a system by the rules that they have become."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.system, compiled = hierarchy.system, hierarchy.compiled
        self.rules = rules = compiled.rules
        self.general = np.arange(len(rules)) >= first_general_rule(compiled)
        self.places: list[Place] = list(zip(self.general.tolist(), rules[:, RULE_LINE].tolist(), strict=True))
        #: of rules; None of those of last resort
        self.of_rules = [self.line(place) for place in self.places]
        #: of rules: do their conditions, or the terms of a scorecard, ask anything of the hand?
        self.ask = np.array([_asks(compiled, int(rule[RULE_FIRST]), int(rule[RULE_END])) for rule in rules], np.bool_)
        self.ask |= np.array([line is not None and _counts_hand(line) for line in self.of_rules])

    def line(self, place: Place) -> Line | None:
        """Return the line; None of a rule of last resort."""
        return self.system.line(*place)


def _counts_hand(line: Line) -> bool:
    """Return whether a scorecard has a term that speaks of the hand."""
    terms = line.score.terms if line.score is not None else ()
    words = {word for term in terms for word in term.words}
    return any(WORDS.get(word.replace(":x", ":S"), WORDS["S"]) not in CONTEXT for word in words)


def _asks(compiled: Compiled, first: int, end: int) -> bool:
    """Return whether clauses ask anything of the hand."""
    clauses = clauses_of(compiled, first, end)
    return any(atom[0] not in CONTEXT for clause in clauses for together in clause for atom in together)


@dataclass
class ViolationCount:
    """How often hands of a line break a promise, and one that does."""

    rows: int = 0
    bad: int = 0
    example: str = ""
    share: float = _SHARE  # of the hands that must break it for a finding


class PromiseChecks:
    """Count how often hands of lines break what these promise."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.tally: dict[tuple[Place, str], ViolationCount] = defaultdict(ViolationCount)
        self.both_ways: dict[tuple[Place, str], str] = {}
        count, flags = len(lines.places), lines.rules[:, RULE_FLAGS]
        notes = [line.note if line is not None else "" for line in lines.of_rules]
        self.used = np.zeros(count, np.int64)
        by_label: dict[Label, NDArray[np.bool_]] = {}
        calls = np.where(lines.rules[:, RULE_SPAN] == SPAN_CALL, lines.rules[:, RULE_CALL], FIRST_BID)
        for rule, (note, call) in enumerate(zip(notes, calls.tolist(), strict=True)):
            for label in labels_of(note, call):
                by_label.setdefault(label, np.zeros(count, np.bool_))[rule] = True
        # Last resorts mean nothing, nor do scorecards that ask nothing of the hand.
        self._written = (lines.rules[:, RULE_LINE] > 0) & ((flags & SHOWS_NOTHING) == 0)
        self._labelled: list[tuple[str, Holds, NDArray[np.bool_]]] = [
            (f"a call noted {label.name!r} promises {label.promises}", label.holds, rules)
            for label, rules in by_label.items()
        ]
        vague = np.array([NO_LENGTH.match(note) or NO_BALANCE.match(note) for note in notes], np.bool_)
        self._natural = ((flags & FLAG_BITS["artificial"]) == 0) & ~vague
        self._doubles = np.array([meaning_of_double(note) for note in notes], np.int64)

    def see(self, responses: Responses) -> None:
        known = responses.rule >= 0
        self.used += np.bincount(responses.rule[known], minlength=len(self.used))
        likely = known & responses.hands.likely[responses.hand]
        likely &= np.array([probe.live for probe in responses.probes], np.bool_)[responses.probe]
        everyone = Rows(responses, np.flatnonzero(likely))
        self._agree(everyone)
        self._one_meaning(everyone)
        for text, holds, rules in self._labelled:
            rows = everyone.where(rules[everyone.rule])
            self._add(rows, holds(rows), text)
        self._suits(everyone)
        self._openings(everyone)
        self._overcalls(everyone)
        self._trump_stacks(everyone)
        self._slams(everyone)
        self._doubles_on_any_hand(everyone)
        self._games(everyone)

    def _agree(self, everyone: Rows) -> None:
        """Find calls that force with one hand and not with another, in the same auction."""
        rows = everyone.where((everyone.call != PASS) & self._written[everyone.rule])
        forces = (self.lines.rules[rows.rule, RULE_FLAGS] & _FORCES) != 0
        for probe, call, of in self._differing(rows, forces.astype(np.int64), 2):
            yes, no = of[1], of[0]
            text = f"{call_text(call)} forces by {self._where(yes)} and does not by {self._where(no)}"
            self.both_ways.setdefault((max(yes, no), text), str(rows.responses.probes[probe]))

    def _one_meaning(self, everyone: Rows) -> None:
        """Find doubles and redoubles that mean two things in the same auction."""
        rows = everyone.where(np.isin(everyone.call, (DOUBLE, REDOUBLE)) & self._written[everyone.rule])
        rows = rows.where(self._doubles[rows.rule] >= 0)
        for probe, call, of in self._differing(rows, self._doubles[rows.rule], len(DOUBLES)):
            one, other = sorted(of)[:2]
            first, second = (f"{DOUBLES[kind].name} by {self._where(of[kind])}" for kind in (one, other))
            text = f"{call_text(call)} is {first} and {second}"
            self.both_ways.setdefault((max(of[one], of[other]), text), str(rows.responses.probes[probe]))

    def _differing(
        self, rows: Rows, kinds: NDArray[np.int64], count: int
    ) -> Iterator[tuple[int, int, dict[int, Place]]]:
        """Yield probes, their calls that are of several kinds there, and a line of each kind.

        Where a general rule makes a call of the tree, the tree's meaning counts (docs/systems.md).
        """
        sizes = max(1, len(rows.responses.probes)), NUM_CALLS, len(self._written), count
        rules = np.unique(np.ravel_multi_index((rows.probe, rows.call, rows.rule, kinds), sizes))
        key = np.stack(np.unravel_index(rules, sizes), axis=1)
        again = np.flatnonzero((key[1:, :2] == key[:-1, :2]).all(axis=1))
        general = self.lines.general
        for probe, call in sorted({(int(key[k, 0]), int(key[k, 1])) for k in again}):
            mine = key[(key[:, 0] == probe) & (key[:, 1] == call)]
            if general[mine[:, 2]].any() and not general[mine[:, 2]].all():
                mine = mine[~general[mine[:, 2]]]
            of = {int(kind): self.lines.places[int(rule)] for rule, kind in mine[::-1, 2:]}
            if len(of) > 1:
                yield probe, call, of

    def _suits(self, everyone: Rows) -> None:
        rows = everyone.where((everyone.level > 0) & self._natural[everyone.rule] & (everyone.strain < NO_TRUMP))
        strain = rows.strain
        cards = rows.cards_of(strain)
        with_partner = cards + of_suit(rows.partner, strain)
        ok = (cards >= 3) | (with_partner >= 7) | ((cards >= 2) & (with_partner >= 6))  # the last: a preference
        text = "a bid of a suit promises three cards, or a fit; else it is a convention (!artificial) with a name"
        self._add(rows, ok, text)

    def _openings(self, everyone: Rows) -> None:
        """Check that natural openings are what their names say: no trump is balanced, one of a suit has values."""
        rows = everyone.where(everyone.opening & self._natural[everyone.rule] & (everyone.level > 0))
        no_trump = rows.where((rows.strain == NO_TRUMP) & (rows.level <= 3))
        balanced = (no_trump.cards.min(axis=1) >= 2) & (no_trump.cards.max(axis=1) <= 6)
        least = np.take([0, *_NO_TRUMP_LEAST], no_trump.level)
        text = f"an opening of no trump promises two cards in each suit and, by level, {_NO_TRUMP_LEAST} points"
        self._add(no_trump, balanced & (no_trump.hcp >= least), text)
        one = rows.where((rows.strain < NO_TRUMP) & (rows.level == 1))
        text = f"an opening of one of a suit promises {_OPENS_LEAST} points; else it is a convention"
        self._add(one, one.hcp >= _OPENS_LEAST, text)
        three = rows.where((rows.strain < NO_TRUMP) & (rows.level == 3))
        text = f"an opening of three of a suit promises {_THREE_LEAST} cards there"
        self._add(three, three.cards_of(three.strain) >= _THREE_LEAST, text, _EDGE)

    def _overcalls(self, everyone: Rows) -> None:
        """Check that a natural overcall holds its suit."""
        rows = everyone.where(everyone.coming_in & self._natural[everyone.rule] & (everyone.level > 0))
        rows = rows.where(rows.strain < NO_TRUMP)
        least = np.where(rows.level == 1, 4, 5)
        text = "who comes in by naming a suit promises five cards there, four at the one level"
        self._add(rows, rows.cards_of(rows.strain) >= least, text)
        jumps = rows.where((rows.level == 3) & (rows.call - 5 > rows.last_bid))
        text = f"a jump to three of a suit promises {_THREE_LEAST} cards there"
        self._add(jumps, jumps.cards_of(jumps.strain) >= _THREE_LEAST, text, _EDGE)

    def _trump_stacks(self, everyone: Rows) -> None:
        """Check that a pass of a take-out double at a low level holds trumps, not only cards of the suit."""
        rows = everyone.where(everyone.doubled_by_partner & (everyone.call == PASS) & (everyone.their_suit >= 0))
        rows = rows.where(rows.last_bid < bid_call(4, 0))
        honours = np.stack([rows.feature(_TOP5 + suit) for suit in range(4)], axis=1)
        # At the one level more must be beaten.
        wanted = np.where(rows.last_bid < bid_call(2, 0), 7, 6) - rows.in_theirs
        good = of_suit(honours, rows.their_suit) >= np.maximum(wanted, 0)
        text = "a pass of partner's take-out double promises trumps: five with two honours, one from the two level on"
        self._add(rows, (rows.in_theirs >= 4) & good, text)

    def _slams(self, everyone: Rows) -> None:
        for call, least in _SLAM_POINTS.items():
            rows = everyone.where(everyone.call == call)
            rows = rows.where(rows.feature(_LONGEST) <= 5)
            text = f"asks for {least} points of both hands, as the quantitative raise does"
            self._add(rows, rows.hcp + rows.partner_least >= least, f"{call_text(call)} without a long suit {text}")

    def _doubles_on_any_hand(self, everyone: Rows) -> None:
        """Check that a double asks something of the hand, unless both have shown what it needs."""
        rows = everyone.where(np.isin(everyone.call, (DOUBLE, REDOUBLE)) & ~self.lines.ask[everyone.rule])
        enough = rows.partner_least + rows.my_least >= _ANY_DOUBLE
        text = f"a double or redouble on any hand, where both hands have not shown {_ANY_DOUBLE} points"
        self._add(rows, enough | rows.forced_to_act, text, _EDGE)

    def _games(self, everyone: Rows) -> None:
        """Check that the weakest hands behind a raise to game, and a call that forces there, have something for it."""
        free = everyone.where(~everyone.forced_to_act)
        forces = (self.lines.rules[free.rule, RULE_FLAGS] & _TO_GAME) != 0
        rows = free.where(forces & (free.partner_least >= _PARTNER_LEAST))
        text = f"forces to game on less than {_GAME_POINTS} points of both hands, length or shortness counted"
        best = np.stack([rows.feature(_SUPPORT + suit) for suit in range(4)], axis=1)
        fitting = np.where(rows.cards + rows.partner >= 8, best, 0).max(axis=1, initial=0)
        self._add(rows, np.maximum(rows.feature(_POINTS), fitting) + rows.partner_least >= _GAME_POINTS, text, _EDGE)
        raises = free.where(free.raises_to_game & self._natural[free.rule] & ~self.lines.general[free.rule])
        support = of_suit(np.stack([raises.feature(_SUPPORT + s) for s in range(4)], axis=1), raises.strain)
        values = (raises.hcp + raises.partner_least >= _RAISE_POINTS) | (support >= _RAISE_SUPPORT)
        shape = (raises.cards_of(raises.strain) >= _RAISE_TRUMPS) | (raises.feature(_SHORTEST) <= 1)
        text = f"a raise to game on nothing: no values, no short suit, fewer than {_RAISE_TRUMPS} trumps"
        self._add(raises, values | shape, text, _EDGE)

    def _add(self, rows: Rows, ok: NDArray[np.bool_], text: str, share: float = _SHARE) -> None:
        """Count which of the rows, if there are any, are as the text says."""
        if not len(rows):
            return
        bad = np.flatnonzero(~ok)
        bad = bad[np.argsort(rows.rule[bad], kind="stable")]
        rules, counts = np.unique(rows.rule, return_counts=True)
        by_rule = np.split(rows.at[bad], np.searchsorted(rows.rule[bad], rules[1:]))
        for rule, count, mine in zip(rules.tolist(), counts.tolist(), by_rule, strict=True):
            self.count(self.lines.places[rule], text, rows.responses, count, mine, share)

    def count(
        self, place: Place, text: str, responses: Responses, rows: int, bad: NDArray[np.int64], share: float = _SHARE
    ) -> None:
        """Count hands of a line, in so many rows, and those that break a promise, in the rows ``bad``.

        Args:
            share: of the hands that must break it for a finding.
        """
        found = self.tally[place, text]
        found.share = share
        found.rows += rows
        found.bad += len(bad)
        if len(bad) and not found.example:
            found.example = responses.example(bad[0])

    def _where(self, place: Place) -> str:
        line = self.lines.line(place)
        if line is None:
            return "a rule of last resort"
        return f"{'general rule, ' if place[0] else ''}{place_of(line)}"

    def findings(self) -> Iterator[tuple[Place, str]]:
        for (place, text), found in self.tally.items():
            if found.bad >= max(found.share * found.rows, _FEWEST) and self.lines.line(place) is not None:
                percent = f"{100 * found.bad / found.rows:.0f}%"
                yield place, f"{text}; {percent} of the hands have not, such as {found.example}"
        for (place, text), auction in self.both_ways.items():
            yield place, f"{text}, and partner cannot tell: {auction}"


def names(lines: Lines) -> Iterator[tuple[Place, str]]:
    """Yield conventions without a name, and asking calls that partner may pass."""
    parents = {line.number: above for above in walk(lines.system.lines) for line in above.lines}
    for place in sorted(set(lines.places)):
        line = lines.line(place)
        if line is None or line.after:
            continue
        note = line.note
        forces = "gf" in line.flags or "forcing" in line.flags
        above = None if place[0] else parents.get(place[1])
        while above is not None and above.path[-1].theirs:
            above = parents.get(above.number)
        if note == "learned":
            yield place, "'learned' names nothing: say what the call means"
        elif "artificial" in line.flags and NAMELESS.match(note) and (above is None or NAMELESS.match(above.note)):
            words = {atom.word for atom in atoms_of(line.constraint)}
            if not words & {"aces", "kings", "keycards"} and not any(word.startswith("keycards") for word in words):
                yield place, "an artificial call without a name, which answers none that has one"
        if not note and line.path[-1].token in ("X", "XX"):
            yield place, "a double or redouble without a label: say what it means"
        if ASKING.match(note) and not forces and line.path[-1].token != "P":
            yield place, f"{note!r} asks partner to answer, and does not force"
