"""Find a hand for a line that the common hands never come to; or the lines that take every such hand before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.probes import Hands, ProbeAuction, Simulator, arrays, draw_hands
from agents.systems.engine.auction_state import LEVEL_COLUMN
from agents.systems.engine.compiled import (
    END_RULE,
    FIRST_RULE,
    RULE_CALL,
    RULE_LINE,
    Alternatives,
    Compiled,
    first_general_rule,
)
from agents.systems.engine.decompile import clauses_of
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

    def within(self, shown: NDArray[np.int16]) -> NDArray[np.int64]:
        """Return hands, by number, in ranges of strength and lengths: int16 (5, 2)."""
        f = self.features
        fit = np.maximum(f[:, HCP], f[:, POINTS]) >= shown[0, 0]
        fit &= f[:, HCP] <= shown[0, 1]
        for suit in range(4):
            fit &= (f[:, LENGTH + suit] >= shown[1 + suit, 0]) & (f[:, LENGTH + suit] <= shown[1 + suit, 1])
        return np.flatnonzero(fit)


class Partner:
    """Whether partner makes the calls of probes with any hand, cached by auction."""

    def __init__(self, simulator: Simulator, pool: HandPool) -> None:
        self.simulator, self.pool = simulator, pool
        self._known: dict[tuple[tuple[int, ...], int, int], bool] = {}

    def can(self, probe: ProbeAuction) -> bool:
        """Return whether some hand makes partner's last call, and all earlier ones."""
        at = len(probe.calls) - 2
        if at < 0:
            return True
        key = probe.calls[: at + 1], probe.side, probe.vulnerability
        if key not in self._known:
            before = ProbeAuction(probe.calls[:at], probe.side, probe.vulnerability)
            hands = self.pool.within(_shown(self.simulator, before)[at % 4])[:_MOST_HANDS]
            drawn = Hands.of(self.pool.held[hands])
            coming = _as_called(self.simulator, drawn, before, np.arange(len(hands)))
            before.coming = coming
            self._known[key] = bool(len(coming)) and probe.calls[at] in self.simulator.see([before], drawn).call
        return self._known[key]


def reach(simulator: Simulator, pool: HandPool, line: int, probes: Sequence[ProbeAuction]) -> Counter[int]:
    """Look for a hand that comes to a line of the tree, in probes that lead to its nodes.

    Returns:
        The lines that took the hands which meet its conditions and have bid as its path says (-1: a general rule),
        and how many; itself among them where it is reached.
    """
    compiled = simulator.system.compiled
    takers: Counter[int] = Counter()
    for probe in _spread(probes, _MOST_PROBES):
        node = next(node for node in probe.nodes if line in lines_at(compiled, node))
        hands = pool.within(_shown(simulator, probe)[len(probe.calls) % 4])[:_MOST_HANDS]
        if not len(hands):
            continue
        drawn = Hands.of(pool.held[hands])
        (state, calls, length), n = arrays([probe]), len(hands)
        everyone = Queries(drawn.features, np.arange(n), state.repeat(n, 0), calls.repeat(n, 0), length.repeat(n))
        rows, _ = simulator.states.feature_rows(everyone)
        wanted = np.zeros(len(hands), np.bool_)
        for rule in rules_of(compiled, node):
            if compiled.rules[rule, RULE_LINE] == line:
                rows[:, LEVEL_COLUMN] = level_of(compiled.rules[rule, RULE_CALL])
                wanted |= _meet(rows, clauses_of(compiled, *conditions_of(compiled, rule)))
        coming = _as_called(simulator, drawn, probe, np.flatnonzero(wanted))
        if not len(coming):
            continue
        responses = simulator.see([ProbeAuction(probe.calls, probe.side, probe.vulnerability, coming=coming)], drawn)
        lines = np.where(responses.rule < 0, -1, compiled.rules[responses.rule, RULE_LINE])
        lines[responses.rule >= first_general_rule(compiled)] = -1
        takers.update(lines.tolist())
        if line in lines:
            break
    return takers


def _meet(rows: NDArray[np.int16], clauses: Sequence[Alternatives]) -> NDArray[np.bool_]:
    """Return which feature rows (N, NUM_COLUMNS) meet clauses: bool (N,)."""
    out = np.ones(len(rows), np.bool_)
    for clause in clauses:
        ways = [[(rows[:, column] >= low) & (rows[:, column] <= high) for column, low, high in way] for way in clause]
        out &= np.any([np.all(way, axis=0) for way in ways], axis=0)
    return out


def _shown(simulator: Simulator, probe: ProbeAuction) -> NDArray[np.int16]:
    """Return what the seats have shown in a probe: (4, 5, 2)."""
    at = ProbeAuction(probe.calls, probe.side, probe.vulnerability, coming=np.empty(0, np.int64))
    found: NDArray[np.int16] = simulator.see([at]).shown[0]
    return found


def _as_called(simulator: Simulator, drawn: Hands, probe: ProbeAuction, hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return those of the hands that make their seat's own calls up to a probe."""
    for at in range(len(probe.calls) % 4, len(probe.calls), 4):
        if not len(hands):
            break
        before = ProbeAuction(probe.calls[:at], probe.side, probe.vulnerability, coming=hands)
        responses = simulator.see([before], drawn)
        hands = hands[responses.call == probe.calls[at]]
    return hands


def lines_at(compiled: Compiled, node: int) -> set[int]:
    """Return the lines of the tree that may call at a node."""
    first, end = compiled.parts[node, FIRST_RULE : END_RULE + 1]
    return set(compiled.rules[first:end, RULE_LINE].tolist())


def _spread(probes: Sequence[ProbeAuction], most: int) -> Sequence[ProbeAuction]:
    if len(probes) <= most:
        return probes
    return [probes[k] for k in np.linspace(0, len(probes) - 1, most).astype(int)]
