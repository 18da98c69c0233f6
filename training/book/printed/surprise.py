"""What would surprise a player of another system: calls by how often they are made and how far they are from its own.

The same auction is looked up in both systems. How far two calls are apart is measured on the hands that make them: by
how much points and suits differ, summed up. What follows from a call that is named already is not named again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.language.tree import System
from agents.hierarchy.telling.wording import of_call
from bridge_env.calls import PASS
from bridge_env.features import HCP_AND_LENGTHS
from training.book.measured.auctions import Group, Spoken, title
from training.book.measured.measure import Figures, held_of
from training.book.measured.points import Points, Walker
from training.book.measured.shows import shown
from training.book.printed.asking import Asker

FEWEST = 40  # hands behind a call that is compared
_RARE = 1 / 2_000  # a call that fewer deals have surprises nobody
_HANDS = 8_000  # asked where the other system makes the call too seldom
_ASKED_FEWEST = 20
_LEAST = 0.75  # calls nearer to each other are alike
_FORCE = 2.0  # how far a call that forces is from one that does not
_UNKNOWN = 6.0  # how far a call is from a system that does not have it
_FORCES = ("not forcing", "forcing")
_QUANTILES = np.linspace(0.05, 0.95, 19)
_WEIGHTS = np.array([0.5, 1.0, 1.0, 1.0, 1.0])  # a point of strength counts half a card


@dataclass(frozen=True)
class Surprise:
    """A call that means something else."""

    group: Group  # the call, at its auction
    per_deal: float  # how often a deal has it
    distance: float  # of its hands from those of the other system
    shows: str  # what it shows here
    instead: str  # what the other system's call shows; what the hands call there where it has no such call

    @property
    def auction(self) -> str:
        """``1!h-(2!c)-X``."""
        before = title(self.group.before).removesuffix("?") if self.group.before else ""
        return f"{before}{'P' if self.group.call == PASS else of_call(self.group.call)}"


def surprises(ours: Spoken, base: System) -> list[Surprise]:
    """The calls of a system that differ from those of ``base``, the most surprising first."""
    hierarchy = Hierarchy(base)
    theirs = Spoken(hierarchy, Walker(Points(base)), ours.table.seed, len(ours.table))
    known = {int(theirs.key[group.rows[0]]): group for group in theirs.groups(FEWEST)}
    asker, own = Asker(hierarchy, _HANDS), Asker(ours.table.bidder.own, _HANDS)
    found = []
    for group in ours.groups(max(FEWEST, int(_RARE * len(ours.table)))):
        other = known.get(int(ours.key[group.rows[0]]))
        held = theirs.held[other.rows] if other is not None else _asked(asker, group)
        mine = ours.held[group.rows]
        distance = _UNKNOWN if held is None else apart(mine, held)
        force = (own.forces(group.before, group.call), asker.forces(group.before, group.call))
        differs = held is not None and force[0] != force[1]
        if distance + _FORCE * differs >= _LEAST:
            shows, instead = (_words(mine), _words(held)) if held is not None else (_words(mine), "")
            if differs:
                shows, instead = (f"{text}, {_FORCES[f]}" for text, f in zip((shows, instead), force, strict=True))
            instead = instead or f"no such call: {_usual(asker, group, mine)}"
            if shows == instead:
                continue  # what is different cannot be told in ranges
            rate = len(group.rows) / len(ours.table)
            found.append(Surprise(group, rate, distance + _FORCE * differs, shows, instead))
    found.sort(key=lambda one: -one.per_deal * one.distance)
    return list(_first_differences(found))


def apart(mine: NDArray[np.int8], other: NDArray[np.int8]) -> float:
    """How far hands int8 (n, 5 or more), points and cards of C D H S, are from others: card by card, point by point."""
    a, b = (np.quantile(hands[:, :5].astype(float), _QUANTILES, axis=0) for hands in (mine, other))
    return float((np.abs(a - b).mean(axis=0) * _WEIGHTS).sum())


def _asked(asker: Asker, group: Group) -> NDArray[np.int8] | None:
    """The hands on which the other system makes the call; None where hardly any does."""
    hands = asker.behind(group.before, group.call)
    return held_of(hands.features) if len(hands) >= _ASKED_FEWEST else None


def _usual(asker: Asker, group: Group, mine: NDArray[np.int8]) -> str:
    """What the other system calls on hands of the points and suits that make the call here."""
    low, high = np.quantile(mine[:, :5], [0.1, 0.9], axis=0)
    held = asker.hands[:, HCP_AND_LENGTHS]
    rows = ((held >= low) & (held <= high)).all(axis=1)
    if rows.sum() < _ASKED_FEWEST:
        return "rare hands"
    calls, counts = np.unique(asker.calls(group.before)[rows], return_counts=True)
    return f"mostly {of_call(int(calls[counts.argmax()]))}"


def _words(held: NDArray[np.int8]) -> str:
    figures = Figures(len(held), len(held), len(held), parts=[held])
    said = shown(figures, lambda word, top: [(0, 37 if word == "hcp" else top)])
    return "any hand" if said is None else str(said)


def _first_differences(found: list[Surprise]) -> Iterator[Surprise]:
    """Without calls of auctions in which an earlier call is another."""
    every = {(*one.group.before, one.group.call) for one in found}
    for one in found:
        auction = (*one.group.before, one.group.call)
        if not any(auction[:k] in every for k in range(1, len(auction))):
            yield one
