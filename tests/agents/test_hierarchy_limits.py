"""Bidding systems that are too large, too deep or damaged, and variables: they mean only auctions of the laws."""

import time

import numpy as np
import pytest
from support.bidders import TANGLE

from agents.systems.engine.compiled import FIRST_RULE, RULE_CALL
from agents.systems.engine.compiler import compile_system
from agents.systems.language.text import DEEPEST, SystemTextError, parse_system
from agents.systems.library.shipped import read_system, shipped_systems
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE, call_text, parse_call


def nested(token, times, first="1C"):
    lines = [first, *(token for _ in range(times)), "X  8+ hcp"]
    return "\n".join("  " * indent + line for indent, line in enumerate(lines))


@pytest.mark.parametrize("times", [6, DEEPEST - 3])
@pytest.mark.parametrize("token", ["(any)", "(any)-X-(any)"])
def test_nested_lines_of_any_are_refused_at_once(token, times):
    began = time.process_time()
    with pytest.raises(
        SystemTextError, match=r"line \d+: with this line the system stands for more than 50,000 auctions"
    ):
        compile_system(parse_system(nested(token, times)))
    assert time.process_time() - began < 3


def test_in_one_line_too():
    with pytest.raises(SystemTextError, match="line 1: with this line"):
        compile_system(parse_system("1C" + "-(any)" * 6 + "-X  8+ hcp"))


def test_in_many_lines_too():
    began = time.process_time()
    with pytest.raises(SystemTextError, match="line 5: with this line"):
        compile_system(parse_system("\n".join(["1C", *["1C-(any)-X-(any)-X-(any)-X  8+ hcp"] * 1000])))
    assert time.process_time() - began < 3


def test_a_few_are_a_system():
    assert len(compile_system(parse_system(nested("(any)", 3))).children) > 10_000


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "\n".join("  " * i + ("(1C)", "1D")[i % 2] for i in range(100)),
            ":65: more than 64 lines lie below each other",
        ),
        ("\n".join(" " * i + "P" for i in range(5000)), ":65: more than 64 lines"),
        ("1C" + "-P" * 5000, ":1: a line has at most 64 calls"),
        (f"1C  {'9' * 5000} hcp", ":1: .* numbers go up to 99"),
        (f"1C  {'9' * 5000}+ hcp or 4 S", "numbers go up to 99"),
        (f"1C  {'x' * 100_000}", r":1: .{1,500}$"),
    ],
)
def test_what_is_too_deep_or_too_long(text, why):
    with pytest.raises(SystemTextError, match=why):
        parse_system(text, source="mine")


def illegal(compiled):
    """Auctions, as text, that the tree holds or in which it calls, and that the laws forbid; and how many were seen."""
    wrong, seen = [], 0
    waiting = [(int(compiled.roots[0]), -1, False, 0, ())]  # node, last bid, is it theirs, doublings, auction

    def allowed(call, theirs, bid, bid_is_theirs, doubled):
        if call == DOUBLE:
            return bid >= 0 and doubled == 0 and theirs != bid_is_theirs
        if call == REDOUBLE:
            return doubled == 1 and theirs == bid_is_theirs
        return call == PASS or call - FIRST_BID > bid

    while waiting:
        node, bid, bid_is_theirs, doubled, auction = waiting.pop()
        made = compiled.rules[slice(*compiled.groups[node, FIRST_RULE : FIRST_RULE + 2]), RULE_CALL]
        for call in made.tolist():
            seen += 1
            if not allowed(call, False, bid, bid_is_theirs, doubled):
                wrong.append((*auction, call_text(call)))
        for theirs, call in np.argwhere(compiled.children[node] >= 0).tolist():
            after = (*auction, f"({call_text(call)})" if theirs else call_text(call))
            seen += 1
            if not allowed(call, bool(theirs), bid, bid_is_theirs, doubled):
                wrong.append(after)
            place = (bid, bid_is_theirs, doubled)
            if call >= FIRST_BID:
                place = (call - FIRST_BID, bool(theirs), 0)
            elif call != PASS:
                place = (bid, bid_is_theirs, call)
            waiting.append((int(compiled.children[node, theirs, call]), *place, after))
    return wrong, seen


@pytest.mark.parametrize("name", [*shipped_systems(), "tangle"])
def test_no_impossible_auction(name):
    compiled = compile_system(parse_system(TANGLE) if name == "tangle" else read_system(name))
    wrong, seen = illegal(compiled)
    assert not wrong, wrong[:5]
    assert seen >= (len(compiled.children) - 1)


def calls_after(text, auction):
    compiled = compile_system(parse_system(text))
    node = int(compiled.roots[0])
    for call in auction.split():
        node = int(compiled.children[node, int(call.startswith("(")), parse_call(call.strip("()"))])
        if node < 0:
            return None
    rules = compiled.rules[slice(*compiled.groups[node, FIRST_RULE : FIRST_RULE + 2]), RULE_CALL]
    return [call_text(call) for call in rules.tolist()]


def test_a_variable_is_any_suit_that_can_be_bid():
    text = "1M 5+ M\n  1oM 4+ oM\n  2oM 5+ oM\n(1x)\n  1y 5+ y\n"
    assert calls_after(text, "1H") == ["1S", "2S"]
    assert calls_after(text, "1S") == ["2H"]  # 1S-1H is no auction
    assert calls_after(text, "(1D)") == ["1S", "1H"]
    assert calls_after(text, "(1S)") == []
    assert calls_after("1M 5+ M\nafter 1M-1oM\n  2M 6+ M\n", "1S 1H") is None
    assert calls_after("1M 5+ M\nafter 1M-1oM\n  2M 6+ M\n", "1H 1S") == ["2H"]
    assert calls_after("1M 5+ M\n  (lowest:y)\n    X 9+ hcp\n", "1H (1S)") == ["X"]


def test_a_line_that_no_suit_can_reach_is_a_fault():
    with pytest.raises(SystemTextError, match="no auction leads here"):
        compile_system(parse_system("1S 5+ S\n  1M 4+ M\n"))
