"""The kinds of golden behaviour, a module each: ``CASES`` by name, and ``SLOW``, those that take more than seconds."""

from __future__ import annotations

from types import ModuleType

from tests.golden import bidding, books, environments, explanations, records, runs, scores

KINDS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module
    for module in (environments, scores, records, bidding, explanations, books, runs)
}


def cases(slow: bool) -> list[tuple[str, str]]:
    """Return the kind and the name of all cases that are slow, or of all that are not."""
    return [(kind, name) for kind, module in KINDS.items() for name in module.CASES if (name in module.SLOW) == slow]
