"""Explain what the calls of a match show: by the systems of the seats, or by measurements of networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.meanings import Reader, Shows
from bridge_env.bidders.registry import SpecError
from bridge_env.rules.calls import PASS

LONGEST = 160  # characters of a text


@dataclass
class Explainer:
    """Explains calls of both tables; each position is read once, at whatever table and seat it came up."""

    a: str  # the specs of the teams; bidders without a spec are not explained
    b: str
    _readers: dict[bool, Reader | None] = field(default_factory=dict)
    _known: dict[tuple[object, ...], Shows | None] = field(default_factory=dict)

    def notes(
        self, calls: Sequence[int], dealer: int, vulnerability: int, table: int
    ) -> tuple[dict[int, str], set[int]]:
        """Return what the calls of an auction show, by their place, and the places of those that are alerted.

        Passes are left out, and calls of which nothing is known.

        Args:
            calls: from the dealer on.
            table: 0 where A sits North-South, 1 where it sits East-West.
        """
        notes, alerts = {}, set()
        for place, call in enumerate(calls):
            if call == PASS:
                continue
            shows = self._shows(tuple(calls[:place]), call, dealer, vulnerability, table)
            if shows is None or not shows.known:
                continue
            notes[place] = _line(shows)
            if shows.artificial:
                alerts.add(place)
        return notes, alerts

    def _shows(self, before: tuple[int, ...], call: int, dealer: int, vulnerability: int, table: int) -> Shows | None:
        """Return what a call shows. A position means the same wherever it is dealt: it is turned until North deals."""
        a_sits_ns, turned = table == 0, dealer & 1 and not self._pairs
        if turned:
            a_sits_ns, vulnerability = not a_sits_ns, (vulnerability >> 1) | (vulnerability & 1) << 1
        seat = dealer if self._pairs else 0
        key = (a_sits_ns, seat, vulnerability, before, call)
        if key not in self._known:
            reader = self._reader(a_sits_ns)
            self._known[key] = None if reader is None else reader.call(before, seat, vulnerability, call)
        return self._known[key]

    @property
    def _pairs(self) -> bool:
        """Return whether a pair of two different bidders plays: then the seats matter."""
        return any(spec.startswith("pair:") for spec in (self.a, self.b))

    def _reader(self, a_sits_ns: bool) -> Reader | None:
        if a_sits_ns not in self._readers:
            try:
                sides = (self.a, self.b) if a_sits_ns else (self.b, self.a)
                self._readers[a_sits_ns] = Reader(*sides, draws=False)
            except SpecError:  # bidders that were handed over as objects
                self._readers[a_sits_ns] = None
        return self._readers[a_sits_ns]


def _line(shows: Shows) -> str:
    text = f"{shows.note}: {shows.text}" if shows.note else shows.text
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
