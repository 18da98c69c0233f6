"""Explain what the calls of a match show: by the systems of the seats, or by measurements of networks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from agents.meanings import Reader
from bridge_env.bidders.registry import SpecError
from bridge_env.rules.calls import PASS

LONGEST = 160  # characters of a text


class Explainer:
    """Explains the calls of A and B, given by spec, at both tables; bidders without a spec are not explained."""

    def __init__(self, a: str, b: str) -> None:
        try:
            self._readers = [Reader(*sides, draws=False) for sides in ((a, b), (b, a))]
        except SpecError:  # bidders that were handed over as objects
            self._readers = []
        self._shows = cache(lambda table, *position: self._readers[table].call(*position))

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
        for place, call in enumerate(calls if self._readers else ()):
            if call == PASS:
                continue
            shows = self._shows(table, tuple(calls[:place]), dealer, vulnerability, call)
            if shows.known:
                text = f"{shows.note}: {shows.text}" if shows.note else shows.text
                notes[place] = text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
            if shows.known and shows.artificial:
                alerts.add(place)
        return notes, alerts
