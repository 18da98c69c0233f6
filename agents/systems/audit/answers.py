"""Find calls that other hands make after a change, while partner's answers still count on the hands before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.probes import FEW_VARIANTS, OURS, Hands, Key, ProbeAuction, Simulator
from agents.systems.bidder import Hierarchy
from agents.systems.changes.equivalence import differing_nodes
from agents.systems.engine.compiled import END_RULE, FIRST_RULE, Compiled
from agents.systems.language.tree import System
from bridge_env.rules.calls import call_text

_HANDS = 2000
_SHARE = 0.5  # of the hands that make a call, which must have made it before
_FEWEST = 20  # of these hands


def outdated_answers(before: System, after: System) -> list[str]:
    """Return the calls most of whose hands are new in ``after``, though no line that answers them has changed."""
    old, new = Hierarchy(before), Hierarchy(after)
    was, now = differing_nodes(old.compiled, new.compiled)
    both = (was >= 0) & (now >= 0)
    changed = set(now.tolist())
    earlier = {key: calls for key, (_, calls) in _callers(old, set(was[both].tolist())).items()}
    found = []
    for key, (probe, calls) in _callers(new, set(now[both].tolist())).items():
        if key not in earlier:
            continue
        for call in np.unique(calls[calls >= 0]).tolist():
            hands = calls == call
            if hands.sum() < _FEWEST or (earlier[key][hands] == call).mean() >= _SHARE:
                continue
            answers = {n for node in probe.nodes for n in _answers(new.compiled, node, call)}
            if answers and not answers & changed:
                found.append(str(probe).replace("?", call_text(call)))
    return sorted(set(found))


def _callers(system: Hierarchy, nodes: set[int]) -> dict[Key, tuple[ProbeAuction, NDArray[np.int8]]]:
    """Return what each hand calls at the probes of some nodes, int8 (hands,), -1 of hands that do not come there."""
    simulator, found = Simulator(system, Hands.drawn(_HANDS, 1)), {}
    for responses in simulator.play(simulator.probes(FEW_VARIANTS, nodes)):
        for number, probe in enumerate(responses.probes):
            if probe.nodes:
                here, calls = responses.probe == number, np.full(_HANDS, -1, np.int8)
                calls[responses.hand[here]] = responses.call[here]
                found[probe.key] = probe, calls
    return found


def _answers(compiled: Compiled, node: int, call: int) -> set[int]:
    """Return the nodes with rules that lie behind a call."""
    waiting, found = [int(compiled.children[node, OURS, call])], set[int]()
    while waiting:
        at = waiting.pop()
        if at >= 0:
            waiting += np.unique(compiled.children[at]).tolist()
            if compiled.parts[at, END_RULE] > compiled.parts[at, FIRST_RULE]:
                found.add(at)
    return found
