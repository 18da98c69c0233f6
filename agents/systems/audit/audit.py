"""Check that a system bids soundly, by every check over the same probes, and find what a change makes unsound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.checks import PromiseChecks
from agents.systems.audit.lines import Lines, Place, names
from agents.systems.audit.preempts import preempts
from agents.systems.audit.probes import Hands, Key, ProbeAuction
from agents.systems.audit.reach import HandPool, Reach, lines_at
from agents.systems.audit.scorecards import ScorecardChecks
from agents.systems.audit.simulator import FEW_VARIANTS, OURS, Simulator
from agents.systems.bidder import Hierarchy
from agents.systems.changes.equivalence import differing_nodes
from agents.systems.engine.compiled import Compiled
from agents.systems.engine.rule_order import rules_of
from agents.systems.language.text import constraint_text, numbered_anew
from agents.systems.language.tree import Line, System, place_of, walk
from bridge_env.rules.calls import call_text

DEAD = "no hand comes to this line"
_HANDS, _FEW_HANDS = 4000, 2000
_BOARDS, _SEED = 8000, 5
_ARTIFICIAL = 1  # cards of a suit that they bid: whoever shows no more of it bids it in another sense than we do
_MOST_NODES = 40  # at which a change is looked at; one of general rules is looked at there too
_SHARE = 0.5  # of the hands that make a call, which must have made it before
_MOST_CACHED = 4  # systems
_FEWEST_CALLS = 20  # of these hands
_KIND = 40  # letters of a finding that identify its kind
_STRENGTH = ("they-min", "they-max")  # of what they bid: our own bids may never be so strong, or so weak

#: The findings of the last systems: mending needs them again, with another ``tick``.
_cache: dict[tuple[System, tuple[int, ...]], list[tuple[Place, str]]] = {}


def audit_system(system: Hierarchy, tick: Callable[[int, int], None] | None = None) -> list[tuple[Place, str]]:
    """Return the places of unsound lines (is it a general rule, and the line's number) with the faults.

    Args:
        tick: gets how many of all probes are done.
    """
    lines = chain(walk(system.system.lines), *(block.lines for block in system.system.blocks))
    key = system.system, tuple(line.number for line in lines)  # equal systems may have their lines at other numbers
    if key not in _cache:
        if len(_cache) >= _MOST_CACHED:
            _cache.clear()
        _cache[key] = _audit(system, tick)
    return list(_cache[key])


def _audit(system: Hierarchy, tick: Callable[[int, int], None] | None) -> list[tuple[Place, str]]:
    lines, simulator = Lines(system), Simulator(system, Hands.drawn(_HANDS, 1))
    probes = simulator.probes()
    promises, cards = _promise_checks(simulator, lines, probes, tick), ScorecardChecks(simulator, lines)
    for responses in simulator.self_play(_BOARDS, _SEED):
        promises.count(responses)
        cards.count(responses)
    found = [
        *promises.findings(),
        *cards.findings(),
        *names(lines),
        *preempts(simulator, lines),
        *_dead(simulator, lines, promises, probes),
    ]
    return sorted(set(found))


def _promise_checks(
    simulator: Simulator,
    lines: Lines,
    probes: list[ProbeAuction],
    tick: Callable[[int, int], None] | None = None,
) -> PromiseChecks:
    """Count what hands call at probes, against what the lines promise."""
    promises, done = PromiseChecks(simulator, lines), 0
    for responses in simulator.respond(probes):
        promises.count(responses)
        promises.count_passes(responses)
        done += len(responses.probes)
        if tick is not None:
            tick(done, len(probes))
    return promises


_hand_pool = cache(HandPool)


def _against_others(line: Line | None) -> bool:
    """Return whether a line speaks of bids in another sense than ours: no auction with itself need come to it."""
    alone = () if line is None else (clause[0] for clause in line.constraint if len(clause) == 1)
    atoms = [atom for alternative in alone for atom in alternative]
    return any(a.word in _STRENGTH or (a.word.startswith("theirs:") and a.hi <= _ARTIFICIAL) for a in atoms)


def _dead(
    simulator: Simulator, lines: Lines, promises: PromiseChecks, probes: list[ProbeAuction]
) -> Iterator[tuple[Place, str]]:
    """Yield lines to which no hand comes that has bid as their path says, and answers to calls never made."""
    compiled = simulator.system.compiled
    where: dict[int, list[ProbeAuction]] = {
        n: [] for node in range(len(compiled.children)) for n in lines_at(compiled, node)
    }
    for probe in probes:
        for node in probe.nodes:
            for number in lines_at(compiled, node):
                where[number].append(probe)
    used = {number for general, number in (lines.places[rule] for rule in promises.used.nonzero()[0]) if not general}
    reach = Reach(simulator, _hand_pool())
    for number, here in sorted(where.items()):
        if _against_others(lines.line((False, number))):
            continue
        live = [probe for probe in here if probe.live] or [probe for probe in here if reach.by_partner(probe)]
        if not here:
            yield (False, number), f"{DEAD}: no auction leads here; between two calls of theirs name our pass"
        elif not live:
            yield (False, number), f"{DEAD}: partner never calls so ({here[0]})"
        elif number not in used and number not in (takers := reach.takers(number, live)):
            first = [lines.line((False, n)) for n, _ in takers.most_common(3)]
            taken = ["general rules" if line is None else place_of(line) for line in first]
            why = f"{', '.join(taken)} come before it" if taken else "no hand that has bid so has what it asks for"
            yield (False, number), f"{DEAD}: {why}"


# --- the gate of learned systems --------------------------------------------------------------------------------------


def audit_regressions(before: System, after: System) -> list[str]:
    """Return the findings in ``after`` that ``before`` has not, at the nodes whose rules differ."""
    old, new = _before(before), Hierarchy(numbered_anew(after))
    was, now = differing_nodes(old.compiled, new.compiled)
    if len(was) > _MOST_NODES:
        chosen = np.linspace(0, len(was) - 1, _MOST_NODES).astype(int)
        was, now = was[chosen], now[chosen]
    found = _findings_at(new, set(now[now >= 0].tolist()))
    return sorted(set(found) - set(_findings_at(old, set(was[was >= 0].tolist())))) if found else []


@lru_cache(maxsize=4)
def _before(system: System) -> Hierarchy:
    """Return a system that many changes are compared with, compiled."""
    return Hierarchy(numbered_anew(system))


def _findings_at(system: Hierarchy, nodes: set[int]) -> list[str]:
    """Return the findings at some nodes of the tree; quick, without dead lines and scorecards."""
    lines, simulator = Lines(system), Simulator(system, Hands.drawn(_FEW_HANDS, 1))
    promises = _promise_checks(simulator, lines, simulator.probes(FEW_VARIANTS, nodes))
    found = [*promises.findings(), *names(lines), *(preempts(simulator, lines) if 0 in nodes else ())]
    return sorted({f"{_line_text(lines.line(place))}: {text[:_KIND].split(';')[0]}" for place, text in found})


def _line_text(line: Line | None) -> str:
    return "" if line is None else f"{line.name} {constraint_text(line.constraint)}"


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
            if hands.sum() < _FEWEST_CALLS or (earlier[key][hands] == call).mean() >= _SHARE:
                continue
            answers = {n for node in probe.nodes for n in _answers(new.compiled, node, call)}
            if answers and not answers & changed:
                found.append(str(probe).replace("?", call_text(call)))
    return sorted(set(found))


def _callers(system: Hierarchy, nodes: set[int]) -> dict[Key, tuple[ProbeAuction, NDArray[np.int8]]]:
    """Return what each hand calls at the probes of some nodes, int8 (hands,), -1 of hands that do not come there."""
    simulator, found = Simulator(system, Hands.drawn(_FEW_HANDS, 1)), {}
    for responses in simulator.respond(simulator.probes(FEW_VARIANTS, nodes)):
        for number, probe in enumerate(responses.probes):
            if probe.nodes:
                here, calls = responses.probe == number, np.full(_FEW_HANDS, -1, np.int8)
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
            if rules_of(compiled, at):
                found.add(at)
    return found
