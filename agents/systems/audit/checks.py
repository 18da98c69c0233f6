"""Find bidding that no pair would agree to play: each check looks at the same hands in the same auctions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.labels import (
    DOUBLES,
    NO_BALANCE,
    NO_LENGTH,
    Holds,
    Label,
    labels_of,
    meaning_of_double,
)
from agents.systems.audit.lines import Lines, Place
from agents.systems.audit.probes import ProbeAuction
from agents.systems.audit.responses import NO_TRUMP, Responses, of_suit
from agents.systems.audit.simulator import Simulator
from agents.systems.engine.compiled import (
    EXACT_CALL,
    FLAG_BITS,
    RULE_CALL,
    RULE_FLAGS,
    RULE_FORM,
    RULE_LINE,
    SHOWS_NOTHING,
)
from agents.systems.engine.rule_order import call_of, rules_of
from agents.systems.language.tree import place_of
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
_NAMES = "♣♦♥♠"


@dataclass
class ViolationCount:
    """How often hands of a line break a promise, and one that does."""

    rows: int = 0
    bad: int = 0
    example: str = ""
    share: float = _SHARE  # of the hands that must break it for a finding


class PromiseChecks:
    """Count how often hands of lines break what these promise."""

    def __init__(self, simulator: Simulator, lines: Lines) -> None:
        self.simulator, self.lines = simulator, lines
        self.tally: dict[tuple[Place, str], ViolationCount] = defaultdict(ViolationCount)
        self.both_ways: dict[tuple[Place, str], str] = {}
        count, flags = len(lines.places), lines.rules[:, RULE_FLAGS]
        notes = [line.note if line is not None else "" for line in lines.of_rules]
        self.used = np.zeros(count, np.int64)
        by_label: dict[Label, NDArray[np.bool_]] = {}
        calls = np.where(lines.rules[:, RULE_FORM] == EXACT_CALL, lines.rules[:, RULE_CALL], FIRST_BID)
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

    def count(self, responses: Responses) -> None:
        known = responses.rule >= 0
        self.used += np.bincount(responses.rule[known], minlength=len(self.used))
        live = np.array([probe.live for probe in responses.probes], np.bool_)[responses.probe]
        everyone = responses.where(known & responses.likely & live)
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

    def count_passes(self, responses: Responses) -> None:
        """Count the hands that pass by general rules and lack a suit that a pass shows there by the tree."""
        passed = responses.where((responses.rule >= 0) & (responses.call == PASS) & responses.likely)
        passed = passed.where(self.lines.general[passed.rule])
        for number in np.unique(passed.probe).tolist():
            probe = passed.probes[number]
            place = self._tree_pass(probe)
            if place is None:
                continue
            rows = passed.where(passed.probe == number)
            least = self.simulator.shown(replace(probe, calls=(*probe.calls, PASS)))[len(probe.calls) % 4, 1:5, 0]
            for suit in np.flatnonzero(least >= 4).tolist():
                text = f"a pass shows {least[suit]}+{_NAMES[suit]} by this line, where general rules pass too"
                self._count_hands(place, text, rows, len(rows), np.flatnonzero(rows.cards[:, suit] < least[suit]))

    def _tree_pass(self, probe: ProbeAuction) -> Place | None:
        """Return the first line of the tree that passes where a probe leads."""
        compiled = self.simulator.system.compiled
        rules = (rule for node in sorted(probe.nodes) for rule in rules_of(compiled, node))
        passes = (rule for rule in rules if call_of(compiled, rule, -1) == PASS)
        return next((self.lines.places[rule] for rule in passes), None)

    def _agree(self, everyone: Responses) -> None:
        """Find calls that force with one hand and not with another, in the same auction."""
        rows = everyone.where((everyone.call != PASS) & self._written[everyone.rule])
        forces = (self.lines.rules[rows.rule, RULE_FLAGS] & _FORCES) != 0
        for probe, call, of in self._differing(rows, forces.astype(np.int64), 2):
            yes, no = of[1], of[0]
            text = f"{call_text(call)} forces by {self._where(yes)} and does not by {self._where(no)}"
            self.both_ways.setdefault((max(yes, no), text), str(rows.probes[probe]))

    def _one_meaning(self, everyone: Responses) -> None:
        """Find doubles and redoubles that mean two things in the same auction."""
        rows = everyone.where(np.isin(everyone.call, (DOUBLE, REDOUBLE)) & self._written[everyone.rule])
        rows = rows.where(self._doubles[rows.rule] >= 0)
        for probe, call, of in self._differing(rows, self._doubles[rows.rule], len(DOUBLES)):
            one, other = sorted(of)[:2]
            first, second = (f"{list(DOUBLES)[kind]} by {self._where(of[kind])}" for kind in (one, other))
            text = f"{call_text(call)} is {first} and {second}"
            self.both_ways.setdefault((max(of[one], of[other]), text), str(rows.probes[probe]))

    def _differing(
        self, rows: Responses, kinds: NDArray[np.int64], count: int
    ) -> Iterator[tuple[int, int, dict[int, Place]]]:
        """Yield probes, their calls that are of several kinds there, and a line of each kind.

        Where a general rule makes a call of the tree, the tree's meaning counts (docs/systems.md).
        """
        sizes = max(1, len(rows.probes)), NUM_CALLS, len(self._written), count
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

    def _suits(self, everyone: Responses) -> None:
        rows = everyone.where((everyone.level > 0) & self._natural[everyone.rule] & (everyone.strain < NO_TRUMP))
        strain = rows.strain
        cards = rows.cards_of(strain)
        with_partner = cards + of_suit(rows.partner, strain)
        ok = (cards >= 3) | (with_partner >= 7) | ((cards >= 2) & (with_partner >= 6))  # the last: a preference
        text = "a bid of a suit promises three cards, or a fit; else it is a convention (!artificial) with a name"
        self._add(rows, ok, text)

    def _openings(self, everyone: Responses) -> None:
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

    def _overcalls(self, everyone: Responses) -> None:
        """Check that a natural overcall holds its suit."""
        rows = everyone.where(everyone.coming_in & self._natural[everyone.rule] & (everyone.level > 0))
        rows = rows.where(rows.strain < NO_TRUMP)
        least = np.where(rows.level == 1, 4, 5)
        text = "who comes in by naming a suit promises five cards there, four at the one level"
        self._add(rows, rows.cards_of(rows.strain) >= least, text)
        jumps = rows.where((rows.level == 3) & (rows.call - 5 > rows.last_bid))
        text = f"a jump to three of a suit promises {_THREE_LEAST} cards there"
        self._add(jumps, jumps.cards_of(jumps.strain) >= _THREE_LEAST, text, _EDGE)

    def _trump_stacks(self, everyone: Responses) -> None:
        """Check that a pass of a take-out double at a low level holds trumps, not only cards of the suit."""
        rows = everyone.where(everyone.doubled_by_partner & (everyone.call == PASS) & (everyone.their_suit >= 0))
        rows = rows.where(rows.last_bid < bid_call(4, 0))
        honours = np.stack([rows.feature(_TOP5 + suit) for suit in range(4)], axis=1)
        # At the one level more must be beaten.
        wanted = np.where(rows.last_bid < bid_call(2, 0), 7, 6) - rows.in_theirs
        good = of_suit(honours, rows.their_suit) >= np.maximum(wanted, 0)
        text = "a pass of partner's take-out double promises trumps: five with two honours, one from the two level on"
        self._add(rows, (rows.in_theirs >= 4) & good, text)

    def _slams(self, everyone: Responses) -> None:
        for call, least in _SLAM_POINTS.items():
            rows = everyone.where(everyone.call == call)
            rows = rows.where(rows.feature(_LONGEST) <= 5)
            text = f"asks for {least} points of both hands, as the quantitative raise does"
            self._add(rows, rows.hcp + rows.partner_least >= least, f"{call_text(call)} without a long suit {text}")

    def _doubles_on_any_hand(self, everyone: Responses) -> None:
        """Check that a double asks something of the hand, unless both have shown what it needs."""
        rows = everyone.where(np.isin(everyone.call, (DOUBLE, REDOUBLE)) & ~self.lines.ask[everyone.rule])
        enough = rows.partner_least + rows.my_least >= _ANY_DOUBLE
        text = f"a double or redouble on any hand, where both hands have not shown {_ANY_DOUBLE} points"
        self._add(rows, enough | rows.forced_to_act, text, _EDGE)

    def _games(self, everyone: Responses) -> None:
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

    def _add(self, rows: Responses, ok: NDArray[np.bool_], text: str, share: float = _SHARE) -> None:
        """Count which of the rows, if there are any, are as the text says."""
        if not len(rows):
            return
        bad = np.flatnonzero(~ok)
        bad = bad[np.argsort(rows.rule[bad], kind="stable")]
        rules, counts = np.unique(rows.rule, return_counts=True)
        by_rule = np.split(bad, np.searchsorted(rows.rule[bad], rules[1:]))
        for rule, count, mine in zip(rules.tolist(), counts.tolist(), by_rule, strict=True):
            self._count_hands(self.lines.places[rule], text, rows, count, mine, share)

    def _count_hands(
        self, place: Place, text: str, rows: Responses, count: int, bad: NDArray[np.int64], share: float = _SHARE
    ) -> None:
        """Count so many hands of a line, and those that break a promise, in the rows ``bad``.

        Args:
            share: of the hands that must break it for a finding.
        """
        found = self.tally[place, text]
        found.share = share
        found.rows += count
        found.bad += len(bad)
        if len(bad) and not found.example:
            found.example = rows.example(bad[0])

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
