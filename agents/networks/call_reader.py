"""Describe what calls show: each call of an auction, each seat so far, each legal call; and why a network calls.

By the systems of the seats where they follow systems. Where networks sit, by measured ranges, and for calls that are
too rare by hands that are drawn at the time. No hand of the board plays a part, but in ``explain``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.networks import belief
from agents.networks.meaning import auction_keys
from agents.networks.sampled_meanings import HANDS, NEVER_PASSED, SampledMeanings, Seated, sampled_meanings
from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.explain.auction_reader import shown_by_seats
from agents.systems.explain.explain import below_game, symbol_text
from agents.systems.explain.measured_text import measured_text, suits_of
from agents.systems.explain.player_terms import ANY, FLAG_TEXT, promise, symbols
from agents.systems.explain.position import Position, Rule
from agents.systems.explain.ranges import Ranges
from agents.systems.explain.seat_shown import SeatShown
from agents.systems.explain.sentences import counts_points, sentence, short_sentence, under
from agents.systems.explain.statements import (
    Statement,
    measured_ranges,
    measured_statement,
    statement,
    usual_statement,
)
from agents.systems.language.tree import System, place_of
from bridge_env.bidders.view import BidView, public_view
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NOTRUMP, PASS, call_text, level_of, strain_of
from bridge_env.rules.cards import SEATS, SUITS

if TYPE_CHECKING:  # it explains itself by this module
    from agents.networks.bidder import NetworkBidder

_LINES = 4  # of a system in the text of a call
_DRAWN = f"of {HANDS} hands drawn now; each range covers 95%"
_NOT_FORCING = "not forcing"
_LEFT_IN = 0.8  # a double that partner passes as often is for penalties; one that partner takes out as often, take-out
_NATURAL = 3  # cards of its suit that a natural bid promises; two are enough for one of a minor
_MOST_CALLS = 5  # calls of a network that are named
_LEAST = 0.005  # with at least this chance
_HCP = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])


@dataclass(frozen=True)
class Shows:
    """What a call shows."""

    text: str  # in a line
    note: str = ""  # its name or its force: ``Stayman, forcing``; empty where there is none
    lines: tuple[str, ...] = ()  # the conditions of the system's lines, one or the other
    artificial: bool = False  # it does not mean what it says, and is alerted
    how: str = ""  # by what it is known: a system and its line, how many hands were measured or drawn
    known: bool = True  # something is known of it; else the text says why not
    stated: Statement | None = None  # the text as ranges; None where it has none
    held: Ranges = field(default_factory=dict)  # what 19 in 20 hands hold that make it, where they are known

    def __str__(self) -> str:
        return f"{self.text} ({self.note})" if self.note else self.text

    def as_json(self) -> dict[str, object]:
        return {
            "text": self.text, "note": self.note, "lines": list(self.lines), "artificial": self.artificial,
            "how": self.how,
        }  # fmt: skip


@dataclass(frozen=True)
class SeatReading:
    """By what the calls of a seat are read."""

    spec: str  # of its bidder
    system: Hierarchy | None  # that it bids by
    network: NetworkBidder | None


class CallReader:
    """Reads auctions of four seats; ``draws`` hands, half a second each, for calls of networks not measured."""

    def __init__(self, seats: Sequence[SeatReading], draws: bool = True) -> None:
        self.by_seat, self.draws = seats, draws
        # seats without a system are read by one of the others'
        known = next((seat.system for seat in seats if seat.system), None) or Hierarchy(System("none"))
        systems = [seat.system or known for seat in seats]
        self.bidders = [
            HierarchyBidder(systems[s], systems[s ^ 2], (systems[(s + 1) & 1], systems[((s + 1) & 1) + 2]))
            for s in range(4)
        ]
        self._shown = lru_cache(maxsize=64)(self._shown_by_systems)

    def shows(self, calls: Sequence[int], dealer: int, vulnerability: int, made: int) -> Shows:
        """Return what the call ``made`` after ``calls`` shows."""
        seat = (dealer + len(calls)) & 3
        found = self.shows_at_once(calls, dealer, vulnerability, made)
        if found is not None:
            if made == DOUBLE and not found.note and self.draws and self.by_seat[seat].network:
                passed = sampled_meanings(self._seated(), (*calls, made), dealer, vulnerability).pass_chance
                found = replace(found, note=_force(made, passed))
            return found
        drawn = self._drawn([*calls, made], dealer, vulnerability)
        if self.by_seat[seat].system is None:
            return drawn
        position = self.position(calls, dealer, vulnerability)
        book = self._by_system(calls, dealer, vulnerability, made, position)
        if book.stated is not None and drawn.known:
            hands = sampled_meanings(self._seated(), (*calls, made), dealer, vulnerability).callers(seat)
            drawn = replace(drawn, held=book.stated.spread(position.rows(hands)))
        return _with_hands(book, drawn, made)

    def shows_at_once(self, calls: Sequence[int], dealer: int, vulnerability: int, made: int) -> Shows | None:
        """Return what ``made`` shows where no hands need be drawn for it, else None."""
        reading = self.by_seat[(dealer + len(calls)) & 3]
        by_book = self._by_system(calls, dealer, vulnerability, made) if reading.system else None
        if reading.network is None:
            unknown = Shows("Nothing is known of what this player's calls mean.", how=reading.spec, known=False)
            return by_book or unknown
        hands = _measured_call(reading.network, [*calls, made])
        if by_book is None:
            return hands
        in_words = by_book.stated is not None and not by_book.stated.usual
        if hands is None:
            return by_book if not self.draws or (in_words and made == PASS) else None
        return _with_hands(by_book, hands, made)

    def shows_of_all(self, calls: Sequence[int], dealer: int, vulnerability: int) -> dict[int, Shows]:
        """Return what each legal call after ``calls`` shows; for a network without a system hands are drawn, once."""
        reading = self.by_seat[(dealer + len(calls)) & 3]
        legal = np.flatnonzero(one_auction(calls, dealer, vulnerability).legal()[0]).tolist()
        if reading.system is not None:
            position = self.position(calls, dealer, vulnerability)
            shows = {call: self._by_system(calls, dealer, vulnerability, call, position) for call in legal}
            if reading.network is not None:
                for call in legal:
                    if found := _measured_call(reading.network, [*calls, call]):
                        shows[call] = _with_hands(shows[call], found, call)
            return shows
        if reading.network is None or not self.draws:
            return {call: self.shows(calls, dealer, vulnerability, call) for call in legal}
        here = sampled_meanings(self._seated(), tuple(calls), dealer, vulnerability)
        return {call: self.shows_at_once(calls, dealer, vulnerability, call) or _of_next(here, call) for call in legal}

    def seats(self, calls: Sequence[int], dealer: int, vulnerability: int, draw: bool = True) -> list[str]:
        """Return what seats N E S W have shown; empty before a call, and without ``draw`` where hands must be drawn."""
        by_system = self._shown(tuple(calls), dealer, vulnerability)
        out = [""] * 4
        for seat, reading in enumerate(self.by_seat):
            own = _up_to_last_call(calls, dealer, seat)
            if not own:
                continue
            if reading.system is not None:
                out[seat] = by_system[seat].short
            elif reading.network is None:
                out[seat] = "not known"
            elif measured := _measured(reading.network, own):
                out[seat] = _seat_text(measured[0], own)
            elif not self.draws:
                out[seat] = "not measured"
            elif draw:
                here = sampled_meanings(self._seated(), tuple(calls), dealer, vulnerability)
                ranges = here.ranges(seat)
                out[seat] = "not known" if ranges is None else _seat_text(ranges, own)
        return out

    def _shown_by_systems(self, calls: tuple[int, ...], dealer: int, vulnerability: int) -> dict[int, SeatShown]:
        """Return what those seats have shown that bid by systems and have called."""
        view = public_view(one_auction(calls, dealer, vulnerability))
        seats = [seat for seat, reading in enumerate(self.by_seat) if reading.system]
        if not seats:
            return {}
        return shown_by_seats(self.bidders[int(view.seat[0])], view, seats)

    def position(self, calls: Sequence[int], dealer: int, vulnerability: int) -> Position:
        """Return the position after ``calls``, its seat to call reading all by the systems."""
        view = public_view(one_auction(calls, dealer, vulnerability))
        return Position(self.bidders[int(view.seat[0])], view)

    def _by_system(
        self, calls: Sequence[int], dealer: int, vulnerability: int, made: int, position: Position | None = None
    ) -> Shows:
        """Return what ``made`` shows by the seat's system; without a statement where no line makes it."""
        position = position or self.position(calls, dealer, vulnerability)
        name, rules, found = position.bidder.own.system.name, position.usual_makers(made), statement(position, made)
        if not rules and made != PASS and found is None:
            after = self._shown((*calls, made), dealer, vulnerability)[position.seat]
            return Shows(f"{after.short}; no line of {name} makes this call", how=name, known=False)
        if found:
            shown = self._shown(tuple(calls), dealer, vulnerability).get(position.seat)
            found = found.clipped(shown.hcp) if shown else found
            text = found.short
        else:
            text = ANY if made == PASS else self._shown((*calls, made), dealer, vulnerability)[position.seat].short
        if found and made != PASS and not any(rule.tree or rule.artificial for rule in rules):
            text = f"{text}{_usual_points(position, made, found)}"
        lines = tuple(dict.fromkeys(symbols(promise(rule.needs)) for rule in rules if rule.needs))[:_LINES]
        either = any(len(clause) > 1 for rule in rules for clause in rule.needs)  # of which the text has only the hull
        more = len(lines) > 1 or either or (found is not None and found.usual)
        where = "no line" if not rules else place_of(rules[0].line) if rules[0].tree else "general rules"
        return Shows(
            text, _note(rules, made), lines if more else (),
            any(rule.artificial for rule in rules), f"{name}, {where}", stated=found,
        )  # fmt: skip

    def _drawn(self, through: Sequence[int], dealer: int, vulnerability: int) -> Shows:
        """Return what the last call of ``through`` shows on hands that are drawn for it."""
        if not self.draws:
            return Shows("Too rare to have been measured.", how="a network", known=False)
        found = sampled_meanings(self._seated(), tuple(through), dealer, vulnerability)
        ranges = found.ranges((dealer + len(through) - 1) & 3)
        if ranges is None:
            return Shows("What it shows is not known: it is almost never made here.", how=_DRAWN, known=False)
        if through[-1] == PASS:
            return _of_hands(ranges, through, _DRAWN)
        passed = found.pass_chance
        return _of_hands(ranges, through, f"{_DRAWN}; partner passes {passed:.0%}", _force(through[-1], passed))

    def _seated(self) -> Seated:
        return tuple(reading.network.networks.player if reading.network else None for reading in self.by_seat)


def _of_next(here: SampledMeanings, call: int) -> Shows:
    """Return what ``call`` would show on the hands that were drawn before it."""
    ranges, share = here.next_ranges(call), float(here.chances[:, call].mean())
    if ranges is None:
        return Shows("Almost never made here.", how=f"made on {share:.1%} of {HANDS} hands drawn now", known=False)
    return _of_hands(ranges, [*here.calls, call], f"made on {share:.0%} of {HANDS} hands drawn now")


def _force(made: int, passed: float) -> str:
    """Return what partner must do after a call, a double's meaning, by how often partner passes it."""
    if made == DOUBLE:
        return (
            "for penalties" if passed >= _LEFT_IN else "take-out" if passed <= 1 - _LEFT_IN else "take-out or penalty"
        )
    if not below_game(made):
        return ""
    return FLAG_TEXT["forcing"] if passed <= NEVER_PASSED else _NOT_FORCING


def _of_hands(ranges: NDArray[np.uint8], through: Sequence[int], how: str, force: str = "") -> Shows:
    """Return what the last call of ``through`` shows by hands that make it."""
    stated, artificial = measured_statement(ranges), _not_natural(ranges, through)
    text = f"usually {_seat_text(ranges, through)}"
    note = ", ".join(filter(None, (force, FLAG_TEXT["artificial"] if artificial and through[-1] != DOUBLE else "")))
    return Shows(text, note, (), artificial, how, stated=stated, held=measured_ranges(ranges))


def _seat_text(ranges: NDArray[np.uint8], through: Sequence[int]) -> str:
    """Return what the last caller of ``through`` has shown, with the suit of a natural bid and of a double."""
    named = [] if _not_natural(ranges, through) else suits_of(through[-1], _last_bid(through))
    return measured_text(ranges, named)


def _usual_points(position: Position, made: int, found: Statement) -> str:
    """Return the usual HCP of hands that make a call whose statement counts no points; else nothing."""
    usual = None if any(map(counts_points, found.ways)) else usual_statement(position, made)
    return f", usually {short_sentence({'hcp': usual.ways[0]['hcp']})}" if usual else ""


def _note(rules: Sequence[Rule], made: int) -> str:
    """Return the names of the lines that make a call, one or the other, and the flags that all have that partner reads
    it by: those of the tree if there are any.
    """
    flags = [{*rule.line.flags} for rule in rules if rule.tree] or [{*rule.line.flags} for rule in rules]
    every = set.intersection(*({*own, "forcing"} if "gf" in own else own for own in flags)) if flags else set()
    if "gf" in every or made == DOUBLE:  # partner may pass a double for penalties
        every.discard("forcing")
    if not below_game(made):
        every.discard("invite")
    named = [rule for rule in rules if rule.artificial] or rules  # an alert has a name
    names = list(dict.fromkeys(rule.line.note for rule in named))
    words = [_one_or_other(names), *(FLAG_TEXT[flag] for flag in FLAG_TEXT if flag in every)]
    return ", ".join(dict.fromkeys(filter(None, words)))


def _one_or_other(names: Sequence[str]) -> str:
    """Return one name, the words with which all begin (Stayman, on a weak hand and on a strong one), or all."""
    if len(names) < 2 or not all(names):
        return names[0] if len(names) == 1 else ""
    words = zip(*(re.findall(r"[^ ,:]+", name) for name in names), strict=False)
    if shared := " ".join(word for word, *_ in takewhile(lambda each: len({*each}) == 1, words)):
        return shared
    return " or ".join(name for name in names if not any(name != other and name in other for other in names))


def shows_by_network(bidder: NetworkBidder, view: BidView, call: int) -> Shows:
    """Return what ``call`` shows in the one row of ``view`` where all bid as this network does."""
    book, calls = bidder.networks.book, view.history[0, : int(view.length[0])].tolist()
    reader = CallReader([SeatReading("", book.hierarchy if book else None, bidder)] * 4)
    return reader.shows(calls, int(view.dealer[0]), int(view.vulnerability[0]), call)


def _with_hands(book: Shows, hands: Shows, made: int) -> Shows:
    """Return what a call shows by its book, stretched to the hands that make it; by those alone where the book has no
    words for it, or no line.
    """
    if not book.known and hands.known and made != PASS:
        return replace(hands, text=f"{hands.text}; a private agreement: {book.how} has no line for it")
    wider = None if book.stated is None or book.stated.usual else book.stated.widened(hands.held)
    forces = (FLAG_TEXT["forcing"], FLAG_TEXT["gf"]) if _NOT_FORCING in hands.note else ()  # the network passes it
    note = ", ".join(part for part in book.note.split(", ") if part not in forces)
    if wider is None or not all(map(sentence, wider.ways)):
        return replace(hands, note=note or hands.note, how=f"{book.how}; {hands.how}")
    stated = replace(wider, usual=True)
    stretched = f": {book.text}; stretched by judgement, {hands.how}" if wider != book.stated else ""
    return replace(book, text=stated.short, note=note, how=f"{book.how}{stretched}", stated=stated)


def _measured_call(network: NetworkBidder, through: Sequence[int]) -> Shows | None:
    """Return what the last call of ``through`` was measured to show; None where it was not met enough."""
    measured = _measured(network, through)
    if measured is None:
        return None
    return _of_hands(measured[0], through, f"measured on {measured[1]:,} hands; each range covers 95%")


def _measured(network: NetworkBidder, through: Sequence[int]) -> tuple[NDArray[np.uint8], int] | None:
    """Return the ranges of the last call of ``through`` and how many hands were measured, if it was met enough."""
    meanings = network.meanings()
    if meanings is None:
        return None
    row = int(meanings.find(auction_keys(np.array([through], np.int8))[0])[-1])
    return None if row < 0 else (meanings.ranges[row], int(meanings.count[row]))


def _not_natural(ranges: NDArray[np.uint8], through: Sequence[int]) -> bool:
    """Return whether the last call bids a suit new to its side without three cards, or doubles one without length."""
    made = through[-1]
    if made >= FIRST_BID and strain_of(made) != NOTRUMP:
        if any(call >= FIRST_BID and strain_of(call) == strain_of(made) for call in through[-3::-2]):
            return False
        return int(ranges[1 + strain_of(made), 0]) < _NATURAL - (level_of(made) == 1 and strain_of(made) < 2)
    return made == DOUBLE and any(ranges[1 + suit, 0] < 2 for suit in suits_of(made, _last_bid(through)))


def _up_to_last_call(calls: Sequence[int], dealer: int, seat: int) -> Sequence[int]:
    """Return the calls up to the last one of ``seat``; none if it has not called."""
    since = (dealer + len(calls) - 1 - seat) & 3
    return calls[: max(len(calls) - since, 0)]


def _last_bid(calls: Sequence[int]) -> int:
    return next((call for call in reversed(calls) if call >= FIRST_BID), -1)


def explain(bidder: NetworkBidder, view: BidView) -> str:
    """Explain the call of ``bidder`` for the one row of ``view``."""
    chances = bidder.probabilities(view)[0]
    order = [int(c) for c in np.argsort(-chances, kind="stable")[:_MOST_CALLS] if chances[c] >= _LEAST]
    considered = ", ".join(f"{call_text(c)} {100 * chances[c]:.1f}%" for c in order)
    says = f"  says      {symbol_text(order[0])}: {shows_by_network(bidder, view, order[0])}"
    lines = [call_text(order[0]), f"  considers {considered}", says, *under("shown", shown(bidder, view))]
    if bidder.networks.belief is not None:
        believed = belief.chances(bidder.networks.belief, view)[0]
        lines += under("believes", average_hands(believed, int(view.seat[0])))
    return "\n".join(lines)


def shown(bidder: NetworkBidder, view: BidView) -> list[str]:
    """Describe what other seats have shown before the one row of ``view``, measured, else by hands drawn now."""
    calls, dealer = view.history[0, : int(view.length[0])].tolist(), int(view.dealer[0])
    out = []
    for offset in (1, 2, 3):
        seat = (int(view.seat[0]) + offset) & 3
        own = _up_to_last_call(calls, dealer, seat)
        if not own:
            text = "no call yet"
        elif measured := _measured(bidder, own):
            text = _seat_text(measured[0], own)
        else:
            found = sampled_meanings((bidder.networks.player,) * 4, tuple(calls), dealer, int(view.vulnerability[0]))
            ranges = found.ranges(seat)
            text = "not known" if ranges is None else _seat_text(ranges, own)
            text = f"{text} (of {HANDS} hands drawn now)"
        out.append(f"{SEATS[seat]}  {text}")
    return out


def average_hands(chances: NDArray[np.float64], seat: int) -> list[str]:
    """Return average points and lengths of left, partner and right, of the chances (52, 3) that they hold each card."""
    out = []
    for which in range(3):
        suits = chances[:, which].reshape(4, 13)
        cards = " ".join(f"{suits[suit].sum():.1f} {SUITS[suit]}" for suit in (3, 2, 1, 0))
        out.append(f"{SEATS[(seat + which + 1) % 4]}  on average {(suits * _HCP).sum():.1f} hcp, {cards}")
    return out
