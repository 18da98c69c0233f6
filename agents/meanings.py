"""Describe what calls show: each call of an auction, each seat so far, and each legal call.

By the systems of the seats where they follow systems. Where networks sit, by measured ranges, and for calls that are
too rare by hands that are drawn at the time. No hand of the board plays a part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.player_models import trivial
from agents.networks.bidder import NetworkBidder
from agents.networks.meaning import auction_keys
from agents.networks.sampled_meanings import HANDS, NEVER_PASSED, SampledMeanings, Seated, sampled_meanings
from agents.registry import network_at, spec_at, system_of
from agents.systems.bidder import HierarchyBidder
from agents.systems.explain.player_terms import promise, remark, symbols
from agents.systems.explain.position import rules_for
from agents.systems.explain.shown_text import measured_text, shown_text
from agents.systems.language.tree import place_of
from bridge_env.bidders.view import public_view
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NOTRUMP, PASS, level_of, strain_of

_LINES = 4  # of a system in the text of a call
_HARDLY = 0.1  # chance of a call, on the hands that explain it best, below which it shows nothing
_DRAWN = f"of {HANDS} hands drawn now nine in ten keep to each range"
_NATURAL = 3  # cards of its suit that a natural bid promises


@dataclass(frozen=True)
class Shows:
    """What a call shows."""

    text: str  # in a line
    note: str = ""  # its name or its force: ``Stayman, forcing``; empty where there is none
    lines: tuple[str, ...] = ()  # the conditions of the system's lines, one or the other
    artificial: bool = False  # it does not mean what it says, and is alerted
    how: str = ""
    known: bool = True  # something is known of it; else the text says why not

    def as_json(self) -> dict[str, object]:
        return {
            "text": self.text, "note": self.note, "lines": list(self.lines), "artificial": self.artificial,
            "how": self.how,
        }  # fmt: skip


class Reader:
    """Reads auctions of two partnerships.

    Args:
        north_south, east_west: their specs.
        draws: draw hands for calls of networks that were not measured, which takes half a second; else say nothing.
    """

    def __init__(self, north_south: str, east_west: str, draws: bool = True) -> None:
        self.draws = draws
        self.specs = [spec_at(north_south, east_west, seat) for seat in range(4)]
        self.networks = [network_at(north_south, east_west, seat) for seat in range(4)]
        systems = [system_of(spec) for spec in self.specs]
        known = next((system for system in systems if system is not None), trivial("pass"))
        self.has_system = [system is not None for system in systems]
        held = [system or known for system in systems]  # strangers are read by one of the systems
        self.bidders = [
            HierarchyBidder(held[s], held[s ^ 2], (held[(s + 1) & 1], held[((s + 1) & 1) + 2])) for s in range(4)
        ]

    def call(self, calls: Sequence[int], dealer: int, vulnerability: int, made: int) -> Shows:
        """Return what the call ``made`` after ``calls`` shows."""
        found = self.at_once(calls, dealer, vulnerability, made)
        return self._drawn([*calls, made], dealer, vulnerability) if found is None else found

    def at_once(self, calls: Sequence[int], dealer: int, vulnerability: int, made: int) -> Shows | None:
        """Return what ``call`` does where no hands need be drawn for it, else None."""
        seat = (dealer + len(calls)) & 3
        if self.has_system[seat]:
            found = self._by_system(calls, dealer, vulnerability, made)
            if found.known or self.networks[seat] is None or not self.draws:
                return replace(found, known=True)  # that no line makes it shows something too
        if self.networks[seat] is not None:
            return self._measured(seat, [*calls, made])
        return Shows("Nothing is known of what this player's calls mean.", how=self.specs[seat], known=False)

    def every(self, calls: Sequence[int], dealer: int, vulnerability: int) -> dict[int, Shows]:
        """Return what each legal call after ``calls`` shows; those of a network on the same hands, drawn once."""
        seat = (dealer + len(calls)) & 3
        legal = np.flatnonzero(one_auction(calls, dealer, vulnerability).legal()[0]).tolist()
        if self.networks[seat] is None or self.has_system[seat] or not self.draws:
            read = self._by_system if self.has_system[seat] else self.call
            return {call: read(calls, dealer, vulnerability, call) for call in legal}
        here = sampled_meanings(self._players(), tuple(calls), dealer, vulnerability)
        return {call: self._measured(seat, [*calls, call]) or _of_next(here, call) for call in legal}

    def seats(self, calls: Sequence[int], dealer: int, vulnerability: int, at_once: bool = False) -> list[str]:
        """Return what each seat has shown so far, N E S W, in words; empty before its first call.

        Args:
            at_once: leave a seat empty, too, for which hands must be drawn.
        """
        out = [""] * 4
        shown = self._shown(calls, dealer, vulnerability)
        for seat in range(4):
            own = [k for k in range(len(calls)) if (dealer + k) & 3 == seat]
            if not own:
                continue
            network = self.networks[seat]
            if self.has_system[seat]:
                out[seat] = shown_text(shown[seat], symbols=True)
            elif network is not None:
                if measured := _measured(network, calls[: own[-1] + 1]):
                    out[seat] = measured_text(measured[0])
                elif self.draws and at_once:
                    continue
                elif self.draws:
                    here = sampled_meanings(self._players(), tuple(calls), dealer, vulnerability)
                    out[seat] = measured_text(here.ranges(seat))
                else:
                    out[seat] = "not measured"
            else:
                out[seat] = "not known"
        return out

    def _shown(self, calls: Sequence[int], dealer: int, vulnerability: int) -> NDArray[np.int16]:
        view = public_view(one_auction(calls, dealer, vulnerability))
        shown: NDArray[np.int16] = self.bidders[int(view.seat[0])].meaning(view)[0]
        return shown

    def _by_system(self, calls: Sequence[int], dealer: int, vulnerability: int, made: int) -> Shows:
        view = public_view(one_auction(calls, dealer, vulnerability))
        bidder = self.bidders[int(view.seat[0])]
        rules = rules_for(bidder, view, made)
        after = shown_text(self._shown([*calls, made], dealer, vulnerability)[int(view.seat[0])], symbols=True)
        name = bidder.own.system.name
        if not rules:
            text = "any hand that no other call fits" if made == PASS else f"{after}; no line of {name} makes this call"
            return Shows(text, how=name, known=made == PASS)
        notes = list(dict.fromkeys(remark(rule.line) for rule in rules))
        lines = tuple(dict.fromkeys(symbols(promise(rule.needs)) for rule in rules))[:_LINES]
        text = after if not rules[0].tree or len(lines) > 1 else lines[0]
        where = place_of(rules[0].line) if rules[0].tree else "general rules"
        return Shows(
            text, _shared(notes), lines if lines != (text,) else (),
            any(rule.artificial for rule in rules), f"{name}, {where}",
        )  # fmt: skip

    def _measured(self, seat: int, calls: Sequence[int]) -> Shows | None:
        """Return what the last of ``calls`` was measured to show."""
        network = self.networks[seat]
        found = None if network is None else _measured(network, calls)
        if found is None:
            return None
        ranges, count = found
        how = f"measured on {count:,} hands; nine in ten keep to each range"
        return Shows(measured_text(ranges), artificial=_not_natural(ranges, calls), how=how)

    def _drawn(self, calls: Sequence[int], dealer: int, vulnerability: int) -> Shows:
        """Return what the last of ``calls`` shows on hands that are drawn for it."""
        if not self.draws:
            return Shows("Too rare to have been measured.", how="a network", known=False)
        found = sampled_meanings(self._players(), tuple(calls), dealer, vulnerability)
        if found.last_call_chance < _HARDLY:
            return Shows("This network hardly ever makes this call here.", how=_DRAWN, known=False)
        ranges, made = found.ranges((dealer + len(calls) - 1) & 3), calls[-1]
        force = "" if made == PASS else "forcing" if found.pass_chance <= NEVER_PASSED else "not forcing"
        passed = "" if made == PASS else f"; partner passes {found.pass_chance:.0%}"
        return Shows(measured_text(ranges), force, (), _not_natural(ranges, calls), _DRAWN + passed)

    def _players(self) -> Seated:
        return tuple(None if network is None else network.networks.player for network in self.networks)


def _of_next(here: SampledMeanings, call: int) -> Shows:
    """Return what ``call`` would show on the hands that were drawn before it."""
    ranges, share = here.next_ranges(call), float(here.chances[:, call].mean())
    if ranges is None:
        return Shows("Hardly ever made here.", how=f"made on {share:.1%} of {HANDS} hands drawn now", known=False)
    natural = not _not_natural(ranges, [*here.calls, call])
    return Shows(measured_text(ranges), artificial=not natural, how=f"made on {share:.0%} of {HANDS} hands drawn now")


def _shared(notes: Sequence[str]) -> str:
    """Return the one note of several lines, or the words with which all begin: Stayman, on a weak hand and on a strong
    one.
    """
    words = zip(*(re.findall(r"[^ ,:]+", note) for note in notes), strict=False)
    return notes[0] if len(notes) == 1 else " ".join(word for word, *_ in takewhile(lambda w: len({*w}) == 1, words))


@lru_cache(maxsize=16)
def reader(north_south: str, east_west: str, draws: bool = True) -> Reader:
    """Return the cached reader of two partnerships."""
    return Reader(north_south, east_west, draws)


# --- networks ------------------------------------------------------------------------------------------------


def _measured(network: NetworkBidder, calls: Sequence[int]) -> tuple[NDArray[np.uint8], int] | None:
    """Return the ranges of the last of ``calls``, and the hands they were measured on; None where it was not met
    enough.
    """
    meanings = network.meanings()
    if meanings is None:
        return None
    row = int(meanings.find(auction_keys(np.array([calls], np.int8))[0])[-1])
    return None if row < 0 else (meanings.ranges[row], int(meanings.count[row]))


def _not_natural(ranges: NDArray[np.uint8], calls: Sequence[int]) -> bool:
    """Return whether the last call bids a suit without promising three cards, or doubles one without length there."""
    made = calls[-1]
    if made >= FIRST_BID and strain_of(made) != NOTRUMP:
        return int(ranges[1 + strain_of(made), 0]) < _NATURAL - (level_of(made) == 1 and strain_of(made) < 2)
    bids = [call for call in calls if call >= FIRST_BID]
    if made == DOUBLE and bids and strain_of(bids[-1]) != NOTRUMP:
        return int(ranges[1 + strain_of(bids[-1]), 0]) < 2
    return False
