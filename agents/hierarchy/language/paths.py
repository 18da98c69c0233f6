"""Write an auction as the lines of a system do: the calls that lead to a decision, with named suits.

The same position has two readings. Exactly: ``1H-(1S)-2H``. By kinds: ``1M-(1oM)-2M``, where the first major and
minor to be named are M and m, the others oM and om; so what is learned for hearts serves spades.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.hierarchy.engine.compiled import SPAN_CODES, span_call
from agents.hierarchy.language.tree import Step
from bridge_env.calls import FIRST_BID, PASS

SUIT_NAMES = ("C", "D", "H", "S")


@dataclass(frozen=True)
class Path:
    """One reading of a position.

    Attributes:
        steps: the calls so far: ours, and theirs other than pass. What goes without saying is left out.
        names: of the four suits: minors first.
        suits: which suit each name stands for here, 0..3.
    """

    steps: tuple[Step, ...]
    names: tuple[str, str, str, str] = SUIT_NAMES
    suits: tuple[int, int, int, int] = (0, 1, 2, 3)

    @cached_property
    def text(self) -> str:
        """As a line has it: ``1M-(1oM)-2M``; empty before the opening."""
        return "-".join(str(step) for step in self.steps)

    def call(self, token: str, last_bid: int) -> int:
        """The call that ``lowest:M``, ``2om``, ``3N`` or ``X`` stands for here; -1 for none or one too low."""
        return call_of(token, dict(zip(self.names, self.suits, strict=True)), last_bid)


def call_of(token: str, suits: Mapping[str, int], last_bid: int) -> int:
    """The call that a token stands for, with the suits 0..3 that its names are; -1 for none or one too low."""
    if token in ("P", "X", "XX"):
        return ("P", "X", "XX").index(token)
    span, _, name = token.partition(":")
    strain = 4 if (name or token[1:]) == "N" else suits[name or token[1:]]
    if name:
        return span_call(SPAN_CODES[span], strain, last_bid)
    bid = 5 * (int(token[0]) - 1) + strain
    return FIRST_BID + bid if bid > last_bid else -1


def readings(calls: Sequence[int], dealer: int, side: int) -> list[Path]:
    """The ways to write a position for ``side`` (0 for NS) to call: exactly, then by kinds where a suit was named."""
    said: list[tuple[int, bool]] = []
    for i, call in enumerate(calls):
        theirs = bool((dealer + i + side) & 1)
        if call != PASS or (said and not theirs):
            said.append((int(call), theirs))
    exact = Path(tuple(step_of(call, theirs) for call, theirs in said))
    by_kind = _named_by_kind([call for call, _ in said])
    if by_kind is None:
        return [exact]
    names, suits = by_kind
    of_suit = tuple(names[suits.index(s)] for s in range(4))
    return [exact, Path(tuple(step_of(call, theirs, of_suit) for call, theirs in said), names, suits)]


def step_of(call: int, theirs: bool = False, of_suit: tuple[str, ...] = SUIT_NAMES) -> Step:
    """A call as a step; ``of_suit`` names the four suits."""
    if call < FIRST_BID:
        return Step(("P", "X", "XX")[call], theirs)
    level, strain = divmod(call - FIRST_BID, 5)
    return Step(f"{level + 1}{of_suit[strain] if strain < 4 else 'N'}", theirs)


def _named_by_kind(
    calls: Sequence[int],
) -> tuple[tuple[str, str, str, str], tuple[int, int, int, int]] | None:
    """Names and suits with the first-named minor and major in front; None where no suit was named."""
    minor = major = -1
    for call in calls:
        if call < FIRST_BID:
            continue
        strain = (call - FIRST_BID) % 5
        if strain < 2 and minor < 0:
            minor = strain
        elif 2 <= strain < 4 and major < 0:
            major = strain
    if minor < 0 and major < 0:
        return None
    low = (minor, 1 - minor) if minor >= 0 else (0, 1)
    high = (major, 5 - major) if major >= 0 else (2, 3)
    names = (("m", "om") if minor >= 0 else SUIT_NAMES[:2]) + (("M", "oM") if major >= 0 else SUIT_NAMES[2:])
    return names, (*low, *high)


def path_steps(path: str) -> tuple[Step, ...]:
    """``1M-(1oM)`` as steps."""
    return tuple(Step(t.strip("()"), t.startswith("(")) for t in path.split("-") if t)
