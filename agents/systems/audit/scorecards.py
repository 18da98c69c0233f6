"""Check scorecards: partner reads their calls as the rules have them, so the hands must not lie far from that.

A term that never adds points is only more to learn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from agents.systems.audit.lines import Lines, Place
from agents.systems.audit.responses import Responses
from agents.systems.audit.simulator import Simulator, probe_arrays
from agents.systems.engine.compiled import END_TERM, FIRST_TERM
from agents.systems.engine.state_cache import Queries
from agents.systems.engine.term_counts import count_terms
from agents.systems.language.constraints import term_text
from agents.systems.language.tree import Term
from bridge_env.rules.auction import VULNERABILITY, Auctions
from bridge_env.rules.calls import NUM_CALLS

MISLEADING, IDLE = "misleading scorecard", "idle term"  # findings begin so
_FEWEST = 30  # hands that must have made a card's call for a finding
_MOST_MISSED = 2.0  # points and cards, on average, by which they may lie outside what is read
_FEWEST_WEIGHED = 2000  # times that calls of a card must have been weighed, before a term of it counts as idle


class ScorecardChecks:
    """Count by how much the hands behind a scorecard's call lie outside what partner reads, and how often terms add."""

    def __init__(self, simulator: Simulator, lines: Lines) -> None:
        self.simulator, self.lines = simulator, lines
        self.compiled = simulator.system.compiled
        self.cards = np.array([line is not None and line.score is not None for line in lines.of_rules], np.bool_)
        self.missed: dict[Place, list[int]] = defaultdict(list)
        self.weighed = np.zeros(len(self.compiled.rules), np.int64)  # of a rule: hands for which its call was weighed
        self.counted = np.zeros(len(self.compiled.terms), np.int64)  # of a term: hands for which it added points

    def count(self, responses: Responses) -> None:
        """Count what hands have called."""
        if not self.cards.any():
            return
        state, calls, length = probe_arrays([responses.probes[probe] for probe in responses.probe.tolist()])
        queries = Queries(responses.hands.features, responses.hand, state, calls, length)
        rows, nodes = self.simulator.states.feature_rows(queries)
        auctions = Auctions.replay(calls, 0, state[:, VULNERABILITY])
        count_terms(self.compiled, rows, nodes, auctions.state, self.weighed, self.counted)
        by_card = (responses.rule >= 0) & self.cards[responses.rule]
        wanted = (np.arange(NUM_CALLS) == responses.call[:, None]) & by_card[:, None]
        missed = self.simulator.states.misdescription(queries, wanted)[wanted]
        for rule, points in zip(responses.rule[by_card].tolist(), missed.tolist(), strict=True):
            self.missed[self.lines.places[rule]].append(points)

    def findings(self) -> Iterator[tuple[Place, str]]:
        """Yield the scorecards whose calls mislead partner, and those with terms that never add points."""
        for place, missed in self.missed.items():
            if len(missed) >= _FEWEST and np.mean(missed) > _MOST_MISSED:
                text = f"its hands lie {np.mean(missed):.1f} points or cards outside what partner reads, on average"
                yield place, f"{MISLEADING}: {text} ({len(missed)} hands)"
        rules, by_place = self.compiled.rules, defaultdict[Place, list[int]](list)
        for rule in np.flatnonzero(rules[:, END_TERM] > rules[:, FIRST_TERM]).tolist():
            by_place[self.lines.places[rule]].append(rule)
        for place, of_line in by_place.items():
            weighed, line = int(self.weighed[of_line].sum()), self.lines.line(place)
            if line is None or line.score is None or weighed < _FEWEST_WEIGHED:
                continue
            spans = rules[of_line, FIRST_TERM, None] + np.arange(len(line.score.terms))
            for term, counted in zip(line.score.terms, self.counted[spans].sum(axis=0).tolist(), strict=True):
                if not counted:
                    yield place, f"{idle_finding(term)} for any of {weighed:,} calls"


def idle_finding(term: Term) -> str:
    """Return how the finding of a term that never adds points begins."""
    return f"{IDLE}: {term_text(term)} added nothing"
