"""Check the terms of scorecards: one that never adds points is only more to learn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.checks import Lines, Place
from agents.systems.audit.probes import Responses, Simulator, arrays
from agents.systems.engine.compiled import END_TERM, FIRST_TERM
from agents.systems.engine.state_cache import Queries
from agents.systems.engine.term_counts import count_terms
from agents.systems.language.constraints import term_text
from bridge_env.rules.auction import VULNERABILITY, Auctions

IDLE = "idle term"
_FEWEST = 2000  # hands for which a line must have been weighed for a finding


@dataclass
class TermChecks:
    """Count for how many hands each term of the scorecards adds points."""

    simulator: Simulator
    lines: Lines
    weighed: NDArray[np.int64] = field(init=False)  # of a rule: hands for which its call was weighed
    counted: NDArray[np.int64] = field(init=False)  # of a term: hands for which it added points

    def __post_init__(self) -> None:
        compiled = self.simulator.system.compiled
        self.weighed = np.zeros(len(compiled.rules), np.int64)
        self.counted = np.zeros(len(compiled.terms), np.int64)

    def see(self, responses: Responses) -> None:
        """Count what hands have called."""
        if not len(self.counted):
            return
        state, calls, length = arrays([responses.probes[probe] for probe in responses.probe.tolist()])
        queries = Queries(responses.hands.features, responses.hand, state, calls, length)
        rows, nodes = self.simulator.states.feature_rows(queries)
        auctions = Auctions.replay(calls, 0, state[:, VULNERABILITY])
        count_terms(self.simulator.system.compiled, rows, nodes, auctions.state, self.weighed, self.counted)

    def findings(self) -> Iterator[tuple[Place, str]]:
        """Yield terms that never added anything, though their lines were weighed often."""
        rules, by_place = self.simulator.system.compiled.rules, dict[Place, list[int]]()
        for rule in np.flatnonzero(rules[:, END_TERM] > rules[:, FIRST_TERM]).tolist():
            by_place.setdefault(self.lines.places[rule], []).append(rule)
        for place, of_line in by_place.items():
            weighed, line = int(self.weighed[of_line].sum()), self.lines.line(place)
            if line is None or line.score is None or weighed < _FEWEST:
                continue
            spans = rules[of_line, FIRST_TERM, None] + np.arange(len(line.score.terms))
            for term, counted in zip(line.score.terms, self.counted[spans].sum(axis=0).tolist(), strict=True):
                if not counted:
                    yield place, f"{IDLE}: {term_text(term)} added nothing for any of {weighed:,} hands"
