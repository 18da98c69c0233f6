"""Check passes by general rules: where the tree passes too, its lines say what a pass shows, and every pass must."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.systems.audit.checks import Place, PromiseChecks
from agents.systems.audit.probes import ProbeAuction, Responses, Simulator
from agents.systems.engine.compiled import END_RULE, FIRST_RULE, RULE_CALL, RULE_LINE, RULE_SPAN, SPAN_CALL
from bridge_env.hands.features import LENGTH
from bridge_env.rules.calls import PASS

_SUITS = slice(1, 5)  # of what a seat has shown
_NAMES = "♣♦♥♠"


def check_passes(simulator: Simulator, promises: PromiseChecks, responses: Responses) -> None:
    """Count the hands that pass by general rules and lack a suit that a pass shows there by the tree."""
    passed = (responses.rule >= 0) & (responses.call == PASS) & responses.hands.likely[responses.hand]
    rows = np.flatnonzero(passed)
    rows = rows[promises.lines.general[responses.rule[rows]]]
    for number in np.unique(responses.probe[rows]).tolist():
        probe = responses.probes[number]
        place = _tree_pass(simulator, probe)
        if place is None:
            continue
        mine = rows[responses.probe[rows] == number]
        least = simulator.shown(replace(probe, calls=(*probe.calls, PASS)))[len(probe.calls) % 4, _SUITS, 0]
        cards = responses.features[mine, LENGTH : LENGTH + 4]
        for suit in np.flatnonzero(least >= 4).tolist():
            lacks = mine[cards[:, suit] < least[suit]]
            text = f"a pass shows {least[suit]}+{_NAMES[suit]} by this line, where general rules pass too"
            promises.count(place, text, responses, len(mine), lacks)


def _tree_pass(simulator: Simulator, probe: ProbeAuction) -> Place | None:
    """Return the first line of the tree that passes where a probe leads."""
    compiled = simulator.system.compiled
    for node in sorted(probe.nodes):
        rules = compiled.rules[slice(*compiled.parts[node, [FIRST_RULE, END_RULE]])]
        passes = rules[(rules[:, RULE_SPAN] == SPAN_CALL) & (rules[:, RULE_CALL] == PASS)]
        if len(passes):
            return False, int(passes[0, RULE_LINE])
    return None
