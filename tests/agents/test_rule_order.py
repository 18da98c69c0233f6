"""The order in which rules are visited, against the lines of the text."""

from __future__ import annotations

import numpy as np
from support.bidders import TANGLE

from agents.systems.engine.compiled import LAST_RESORT, RULE_LINE, compile_system, pool
from agents.systems.engine.rule_order import (
    NOWHERE,
    call_of,
    legal_call,
    parts,
    rules_of,
)
from agents.systems.language.text import parse_system
from agents.systems.library.shipped import read_system
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import LAST_BID, Auctions
from bridge_env.rules.calls import FIRST_BID

AFTER = """\
1M    5+ M, 11+ hcp
1C    12+ hcp
after 1M-1N
  2C    4+ C
  P
1M    11+ hcp, 4 M
when 3+ last-level
  X     12+ hcp
  lowest:M 6+ M
when 0-7 last-level
  game:N 20+ hcp
  P
"""


@njit(cache=False)  # a new caller in every process: what ``parts`` needs must not have stayed behind in a cache
def visited(pool, node, system, last_bid, out):
    n = 0
    for part in parts(pool, node, system):
        for rule in rules_of(pool, part):
            out[n, 0], out[n, 1], out[n, 2], out[n, 3] = part, rule, call_of(pool, rule, last_bid), len(out)
            n += 1
    return n


def visits(pooled, node, system, last_bid=-1):
    """(part, rule, call) of every rule, in order."""
    out = np.empty((len(pooled.rules), 4), np.int64)
    return out[: visited(pooled, node, system, last_bid, out), :3].tolist()


#: The numbers of the lines of last resort, one for each suit of their variables.
LAST = [
    line.number
    for block in LAST_RESORT
    for line in block.lines
    for _ in range({"M": 2, "x": 4}.get(line.path[0].token.partition(":")[2], 1))
]


def lines_of(pooled, found):
    return [int(pooled.rules[rule, RULE_LINE]) for _, rule, _ in found]


def test_the_node_comes_first_and_then_the_blocks_as_the_text_has_them():
    compiled = compile_system(parse_system(AFTER, name="after"))
    general = [8, 9, 9, 11, 12, *LAST]  # hearts and spades have a rule each
    root = int(compiled.roots[0])
    assert lines_of(compiled, visits(compiled, root, 0)) == [1, 1, 2, 6, 6, *general]
    opened = int(compiled.children[root, 0, FIRST_BID + 3])  # 1S: its node has no rules, only lines after "after"
    assert lines_of(compiled, visits(compiled, opened, 0)) == general
    answered = int(compiled.children[opened, 0, FIRST_BID + 4])
    assert lines_of(compiled, visits(compiled, answered, 0)) == [4, 5, *general]
    assert lines_of(compiled, visits(compiled, answered, NOWHERE)) == [4, 5]
    assert lines_of(compiled, visits(compiled, NOWHERE, 0)) == general
    assert visits(compiled, NOWHERE, NOWHERE) == []
    assert max(LAST) < -1


def test_systems_in_a_pool_are_visited_as_they_are_alone():
    alone = [compile_system(s) for s in (read_system("sayc"), parse_system(TANGLE, name="tangle"), read_system("acol"))]
    together = pool(alone)
    assert sum(len(s.children) for s in alone) == len(together.children)
    node, general = 0, len(together.children)
    for system, own in enumerate(alone):
        assert int(together.roots[system]) == node
        for of_system in (0, len(own.children) // 2, len(own.children) - 1, NOWHERE):
            in_pool = of_system + node if of_system >= 0 else NOWHERE
            expected, found = visits(own, of_system, 0, 7), visits(together, in_pool, system, 7)
            assert lines_of(together, found) == lines_of(own, expected)
            assert [call for _, _, call in found] == [call for _, _, call in expected]
            blocks = [part for part, _, _ in found if part != in_pool]
            assert all(general <= part < general + len(own.parts) - len(own.children) for part in blocks)
        node, general = node + len(own.children), general + len(own.parts) - len(own.children)


def test_legal_calls_are_those_that_the_laws_allow():
    text = "when 0-7 last-level\n  P\n  X\n  XX\n  2H\n  lowest:S\n  jump:C\n  game:H\n  slam:N\n"
    compiled = compile_system(parse_system(text, name="laws"))
    made = 0
    for auction in ([], [3], [3, 1], [3, 0, 0], [12], [3 + 18], [3, 1, 2], [3 + 33]):
        auctions = Auctions(np.zeros(1, np.int16), np.zeros(1, np.int16))
        for call in auction:
            auctions.step(np.array([call]))
        legal, last_bid = auctions.legal()[0], int(auctions.state[0, LAST_BID])
        for rule in range(len(compiled.rules)):
            call = call_of(compiled, rule, last_bid)
            assert legal_call(compiled, rule, auctions.state[0]) == (call if call >= 0 and legal[call] else -1)
            made += call >= 0 and legal[call]
    assert made > 25
