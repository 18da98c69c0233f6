"""Bidding systems that are too large, too deep or damaged: a clear error, in little time."""

import time

import pytest

from agents.systems.engine.compiled import compile_system
from agents.systems.language import limits
from agents.systems.language.text import SystemTextError, parse_system
from agents.systems.library.shipped import read_system


def nested(token, times, first="1C"):
    lines = [first, *(token for _ in range(times)), "X  8+ hcp"]
    return "\n".join("  " * indent + line for indent, line in enumerate(lines))


@pytest.mark.parametrize("times", [6, limits.DEEPEST - 3])
@pytest.mark.parametrize("token", ["(any)", "(any)-X-(any)"])
def test_nested_lines_of_any_are_refused_at_once(token, times):
    began = time.process_time()
    with pytest.raises(
        SystemTextError, match=r"mine:\d+: with this line the system stands for more than 50,000 auctions"
    ):
        parse_system(nested(token, times), source="mine")
    assert time.process_time() - began < 1


def test_in_one_line_too():
    with pytest.raises(SystemTextError, match="mine:1: with this line"):
        parse_system("1C" + "-(any)" * 6 + "-X  8+ hcp", source="mine")


def test_a_few_are_a_system():
    assert len(compile_system(parse_system(nested("(any)", 3))).children) > 10_000


@pytest.mark.parametrize("name", ["acol", "champion-strong", "empty"])
def test_positions_are_counted_as_the_compiler_finds_them(name, monkeypatch):
    """Never fewer, or a system could pass that does not fit."""
    system = read_system(name)
    assert limits.too_large(system) is None
    nodes = len(compile_system(system).children)
    monkeypatch.setattr(limits, "MOST_POSITIONS", nodes - 2)
    found = limits.too_large(system)
    assert nodes == 1 or (found is not None and found[1] >= nodes - 1)


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
