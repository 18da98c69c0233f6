"""Find a hand for a line that the common hands never come to; or the lines that take every such hand before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.probes import Hands, Key, ProbeAuction, draw_hands
from agents.systems.audit.simulator import Simulator, probe_arrays
from agents.systems.engine.auction_state import LEVEL_COLUMN
from agents.systems.engine.compiled import (
    RULE_CALL,
    RULE_LINE,
    Alternatives,
    Compiled,
    clauses_of,
    first_general_rule,
)
from agents.systems.engine.rule_order import conditions_of, level_of, rules_of
from agents.systems.engine.state_cache import Queries
from bridge_env.hands.features import HCP, LENGTH, POINTS, hand_features

_MOST_PROBES = 24  # of one line, in which a hand is looked for
_MOST_HANDS = 12_000  # looked at in one probe


class HandPool:
    """Many hands of all kinds, from which to look for some."""

    def __init__(self, count: int = 300_000) -> None:
        self.held = draw_hands(count, 2)
        self.features = hand_features(self.held)

    def within(self, shown: NDArray[np.int16]) -> Hands:
        """Return hands in ranges of strength and lengths: int16 (QUANTITIES, 2)."""
        f = self.features
        fit = (np.maximum(f[:, HCP], f[:, POINTS]) >= shown[0, 0]) & (f[:, HCP] <= shown[0, 1])
        for suit in range(4):
            fit &= (f[:, LENGTH + suit] >= shown[1 + suit, 0]) & (f[:, LENGTH + suit] <= shown[1 + suit, 1])
        return Hands.of(self.held[np.flatnonzero(fit)[:_MOST_HANDS]])


class Reach:
    """Looks for hands that come to positions of a system."""

    def __init__(self, simulator: Simulator, pool: HandPool) -> None:
        self.simulator, self.pool = simulator, pool
        self._known: dict[Key, bool] = {}  # whether some hand makes the last call of an auction

    def by_partner(self, probe: ProbeAuction) -> bool:
        """Return whether some hand makes partner's last call, and all earlier ones."""
        turn = len(probe.calls) - 2
        if turn < 0:
            return True
        key = probe.calls[: turn + 1], probe.side, probe.vulnerability
        if key not in self._known:
            drawn = self._drawn(probe, turn)
            self._known[key] = len(self._callers(drawn, probe, range(turn % 4, turn + 1, 4))) > 0
        return self._known[key]

    def takers(self, line: int, probes: Sequence[ProbeAuction]) -> Counter[int]:
        """Look for a hand that comes to a line of the tree, in probes that lead to its nodes.

        Returns:
            The lines that took the hands which meet its conditions and have bid as its path says (-1: a general rule),
            and how many; itself among them where it is reached.
        """
        compiled, found = self.simulator.system.compiled, Counter[int]()
        for place in np.linspace(0, len(probes) - 1, min(len(probes), _MOST_PROBES)).astype(int).tolist():
            probe, turn = probes[place], len(probes[place].calls)
            drawn = self._drawn(probe, turn)
            coming = self._callers(drawn, probe, range(turn % 4, turn, 4), self._fitting(drawn, probe, line))
            if not len(coming):
                continue
            rules = self.simulator.see([probe.upto(turn, coming)], drawn).rule
            by_tree = (rules >= 0) & (rules < first_general_rule(compiled))
            found.update(np.where(by_tree, compiled.rules[rules, RULE_LINE], -1).tolist())
            if line in found:
                break
        return found

    def _drawn(self, probe: ProbeAuction, turn: int) -> Hands:
        """Return hands of the pool that fit what the seat to call at a turn has shown."""
        return self.pool.within(self.simulator.shown(probe.upto(turn))[turn % 4])

    def _callers(
        self, drawn: Hands, probe: ProbeAuction, turns: range, hands: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Return those of the hands (default: all) that make the calls of a probe at some turns."""
        found = np.arange(len(drawn.held)) if hands is None else hands
        for turn in turns:
            if len(found):
                found = found[self.simulator.see([probe.upto(turn, found)], drawn).call == probe.calls[turn]]
        return found

    def _fitting(self, drawn: Hands, probe: ProbeAuction, line: int) -> NDArray[np.int64]:
        """Return the hands that meet the conditions of a line of the tree."""
        compiled, n = self.simulator.system.compiled, len(drawn.held)
        queries = Queries(drawn.features, np.arange(n), *probe_arrays([probe] * n))
        rows, _ = self.simulator.states.feature_rows(queries)
        fits = np.zeros(n, np.bool_)
        for rule in rules_of(compiled, next(node for node in probe.nodes if line in lines_at(compiled, node))):
            if compiled.rules[rule, RULE_LINE] == line:
                rows[:, LEVEL_COLUMN] = level_of(compiled.rules[rule, RULE_CALL])
                fits |= _meet(rows, clauses_of(compiled, *conditions_of(compiled, rule)))
        return np.flatnonzero(fits)


def _meet(rows: NDArray[np.int16], clauses: Sequence[Alternatives]) -> NDArray[np.bool_]:
    """Return which feature rows (N, NUM_COLUMNS) meet clauses: bool (N,)."""
    out = np.ones(len(rows), np.bool_)
    for clause in clauses:
        ways = [[(rows[:, column] >= low) & (rows[:, column] <= high) for column, low, high in way] for way in clause]
        out &= np.any([np.all(way, axis=0) for way in ways], axis=0)
    return out


def lines_at(compiled: Compiled, node: int) -> set[int]:
    """Return the lines of the tree that may call at a node."""
    return set(compiled.rules[list(rules_of(compiled, node)), RULE_LINE].tolist())
