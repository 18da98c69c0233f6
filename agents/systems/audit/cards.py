"""Check scorecards: partner reads their calls as the rules have them, so the hands must not lie far from that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from agents.systems.audit.checks import Lines, Place
from agents.systems.audit.probes import Responses, Simulator, arrays
from agents.systems.engine.state_cache import Queries
from bridge_env.rules.calls import NUM_CALLS

_FEWEST = 30  # hands that must have made a card's call for a finding
_MOST = 2.0  # points and cards, on average, by which they may lie outside what is read


@dataclass
class CardChecks:
    """Count by how much the hands behind a scorecard's call lie outside what partner reads."""

    simulator: Simulator
    lines: Lines
    missed: dict[Place, list[int]] = field(default_factory=lambda: defaultdict(list))

    def see(self, responses: Responses) -> None:
        """Count what hands have called."""
        lines = [self.lines.of_rule(rule) if rule >= 0 else None for rule in responses.rule.tolist()]
        rows = np.array([row for row, line in enumerate(lines) if line is not None and line.score is not None], int)
        if not len(rows):
            return
        state, calls, length = arrays([responses.probes[probe] for probe in responses.probe[rows].tolist()])
        begins = np.arange(len(rows) + 1)
        queries = Queries(responses.hands.features, responses.hand[rows], state, calls, length, begins)
        wanted = np.arange(NUM_CALLS) == responses.call[rows, None]
        missed = self.simulator.states.misdescription(queries, wanted)[wanted]
        for rule, points in zip(responses.rule[rows].tolist(), missed.tolist(), strict=True):
            self.missed[self.lines.places[rule]].append(points)

    def findings(self) -> Iterator[tuple[Place, str]]:
        """Yield the scorecards whose calls mislead partner."""
        for place, missed in self.missed.items():
            if len(missed) >= _FEWEST and np.mean(missed) > _MOST:
                text = f"its hands lie {np.mean(missed):.1f} points or cards outside what partner reads, on average"
                yield place, f"misleading scorecard: {text} ({len(missed)} hands)"
