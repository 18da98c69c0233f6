"""Read and write calls and auctions as the lines of a system have them: ``2x``, ``lowest:M``, calls with named suits.

The same position has two readings. Exactly: ``1H-(1S)-2H``. By kinds: ``1M-(1oM)-2M``, where the first major and
minor to be named are M and m, the others oM and om; so a rule learned for hearts serves spades.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from agents.systems.language.tree import Step
from bridge_env.rules.calls import FIRST_BID, NUM_BIDS, PASS, bid_call

SUIT_NAMES = ("C", "D", "H", "S")
CALL_FORMS = ("lowest", "jump", "game", "slam", "grand")
#: In scorecards: the cheapest bid, the one above it or game, at the five level or below, in no trump at the three.
ANY_BID = "bid"
ANY_BID_FORMS, HIGHEST, HIGHEST_NOTRUMP = ("lowest", "jump", "game"), 5, 3
#: Their codes in kernels; 0 is a call of its own.
FORM_CODES = {name: code for code, name in enumerate(CALL_FORMS, 1)}
STRAINS = {name: strain for strain, name in enumerate((*SUIT_NAMES, "N"))}
_PLAIN = ("P", "X", "XX")  # by their numbers as calls
_CHOICES = {"M": (3, 2), "m": (1, 0), "x": (3, 2, 1, 0), "y": (3, 2, 1, 0)}

Bindings = tuple[tuple[str, int], ...]  # suit variables and their suits, sorted


def strains_of(name: str, bindings: Bindings) -> Iterator[tuple[int, Bindings]]:
    """Yield the strains that ``name`` can be, high suits first, with what that binds."""
    bound = dict(bindings)
    if name in STRAINS:
        yield STRAINS[name], bindings
    elif name in bound:
        yield bound[name], bindings
    else:
        taken = bound.get({"x": "y", "y": "x"}.get(name, ""), -1)
        for suit in _CHOICES.get(name, ()):
            if suit != taken:
                more = [(name, suit)]
                if name in ("M", "m"):
                    more.append((f"o{name}", (5 if name == "M" else 1) - suit))
                yield suit, tuple(sorted([*bindings, *more]))


@lru_cache(maxsize=1 << 14)
def token_readings(token: str, bindings: Bindings, last_bid: int) -> tuple[tuple[int, Bindings], ...]:
    """Return the calls that ``token`` can be after ``last_bid`` (-1 none), with what they bind; maybe too low."""
    return tuple(_readings(token, bindings, last_bid))


def _readings(token: str, bindings: Bindings, last_bid: int) -> Iterator[tuple[int, Bindings]]:
    if token in _PLAIN:
        yield _PLAIN.index(token), bindings
        return
    if token == "any":
        for bid in range(last_bid + 1, NUM_BIDS):
            yield FIRST_BID + bid, bindings
        return
    if token.endswith("any"):
        for strain in range(5):
            yield bid_call(int(token[0]), strain), bindings
        return
    form, _, name = token.partition(":")
    if form == ANY_BID:
        for one in ANY_BID_FORMS:
            yield from token_readings(f"{one}:{name}", bindings, last_bid)
        return
    for strain, bound in strains_of(name or token[1:], bindings):
        call = form_call(FORM_CODES[form], strain, last_bid) if name else bid_call(int(token[0]), strain)
        if call >= 0:
            yield call, bound


def form_call(form: int, value: int, last_bid: int) -> int:
    """Return the call of a form after ``last_bid`` (-1 none); -1 where there is none."""
    if form == 0:
        return value
    lowest = value if value > last_bid else value + 5 * ((last_bid - value) // 5 + 1)
    bid = lowest
    if form == 2:
        bid = lowest + 5
    elif form == 3:
        bid = value + (10 if value == 4 else (15 if value >= 2 else 20))
    elif form == 4:
        bid = value + 25
    elif form == 5:
        bid = value + 30
    if bid < lowest or bid > 34:
        return -1
    return bid + 3


def call_of(token: str, suits: Mapping[str, int], last_bid: int) -> int:
    """Return the call of a token, with the suits 0..3 that its names are; -1 for none or one too low."""
    call = next((call for call, _ in token_readings(token, tuple(suits.items()), last_bid)), -1)
    return call if call < FIRST_BID or call - FIRST_BID > last_bid else -1


@dataclass(frozen=True)
class Path:
    """One reading of a position."""

    steps: tuple[Step, ...]  # the calls so far: ours, and theirs other than pass. What goes without saying is left out
    names: tuple[str, str, str, str] = SUIT_NAMES  # of the four suits: minors first
    suits: tuple[int, int, int, int] = (0, 1, 2, 3)  # the suit of each name here, 0..3

    @cached_property
    def text(self) -> str:
        """Return the path as a line has it: ``1M-(1oM)-2M``; empty before the opening."""
        return "-".join(str(step) for step in self.steps)

    def call(self, token: str, last_bid: int) -> int:
        """Return the call of ``lowest:M``, ``2om``, ``3N`` or ``X`` here; -1 for none or one too low."""
        return call_of(token, dict(zip(self.names, self.suits, strict=True)), last_bid)


def readings(calls: Sequence[int], dealer: int, side: int) -> list[Path]:
    """Return the ways to write a position for ``side`` (0 for NS): exactly, then by kinds where a suit was named."""
    calls_made: list[tuple[int, bool]] = []
    for i, call in enumerate(calls):
        theirs = bool((dealer + i + side) & 1)
        if call != PASS or (calls_made and not theirs):
            calls_made.append((int(call), theirs))
    exact = Path(tuple(step_of(call, theirs) for call, theirs in calls_made))
    by_kind = _named_by_kind([call for call, _ in calls_made])
    if by_kind is None:
        return [exact]
    names, suits = by_kind
    of_suit = tuple(names[suits.index(s)] for s in range(4))
    return [exact, Path(tuple(step_of(call, theirs, of_suit) for call, theirs in calls_made), names, suits)]


def step_of(call: int, theirs: bool = False, of_suit: tuple[str, ...] = SUIT_NAMES) -> Step:
    """Return a call as a step; ``of_suit`` names the four suits."""
    if call < FIRST_BID:
        return Step(_PLAIN[call], theirs)
    level, strain = divmod(call - FIRST_BID, 5)
    return Step(f"{level + 1}{of_suit[strain] if strain < 4 else 'N'}", theirs)


def _named_by_kind(
    calls: Sequence[int],
) -> tuple[tuple[str, str, str, str], tuple[int, int, int, int]] | None:
    """Return names and suits with the first-named minor and major in front; None where no suit was named."""
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
    """Return ``1M-(1oM)`` as steps."""
    return tuple(Step(t.strip("()"), t.startswith("(")) for t in path.split("-") if t)
