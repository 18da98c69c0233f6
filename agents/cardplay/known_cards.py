"""Derive the facts of a card player: which seats may hold each card, given all cards seen, and his view of a board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.hands.deals import hand_text
from bridge_env.rules.auction import Auctions
from bridge_env.rules.cards import SEATS, UNKNOWN
from bridge_env.rules.play import Plays, row_winner
from bridge_env.sampling import KnownCards

Hand = NDArray[np.bool_]


def places_of(view: PlayView, row: int) -> KnownCards:
    """Return where each card may lie, as seen by the player to choose in one row of ``view``.

    His own hand and dummy are known, as are the cards that the others have played. A seat that did not follow suit
    holds no further card of it. Hands have thirteen cards: played ones stay with their players, because calls and leads
    were made with thirteen cards.
    """
    length = int(view.length[row])
    cards, players = view.cards[row, :length].astype(np.int64), view.players[row, :length].astype(np.int64)
    return _places(known_hands(view, row), cards, players)


def _places(known: Sequence[tuple[int, Hand]], cards: NDArray[np.int64], players: NDArray[np.int64]) -> KnownCards:
    """Return where cards may lie, by hands that are ``known`` and the ``cards`` that ``players`` played, in order."""
    owner = np.full(52, UNKNOWN, np.uint8)
    for seat, hand in known:
        owner[hand] = seat
    for card, seat in zip(cards, players, strict=True):
        if owner[card] == UNKNOWN:
            owner[card] = seat
    may_hold = (owner == np.arange(4)[:, None]) | (owner == UNKNOWN)
    for suit, seat in voids(cards, players):
        may_hold[seat, 13 * suit : 13 * suit + 13] &= owner[13 * suit : 13 * suit + 13] == seat
    return KnownCards(may_hold).propagated()


def known_hands(view: PlayView, row: int) -> list[tuple[int, NDArray[np.bool_]]]:
    """Return the seats whose thirteen cards the player knows, with the cards, bool (52,)."""
    known = [(int(view.seat[row]), view.hand[row])]
    if view.dummy[row].any():
        known.append((int(view.declarer[row]) ^ 2, view.dummy[row]))
    return known


def hidden_seats(view: PlayView, row: int) -> list[int]:
    """Return the seats whose hands the player does not see."""
    known = {seat for seat, _ in known_hands(view, row)}
    return [seat for seat in range(4) if seat not in known]


def voids(cards: NDArray[np.int64], players: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return (suit, seat) wherever a seat did not follow suit; cards (L,) in order, and their players (L,)."""
    led = cards[np.arange(len(cards)) & ~3] // 13
    off = np.flatnonzero(cards // 13 != led)
    return [(int(led[k]), int(players[k])) for k in off]


def view_of_seen(
    auctions: Auctions, seat: int, hand: Hand, dummy: Hand | None = None, played: Sequence[int] = ()
) -> PlayView:
    """Return the view of ``seat``, which chooses the next card: one row.

    The laws of play are applied to one deal that holds what was seen; the view shows nothing of its other hands.

    Args:
        auctions: one, which is over.
        seat: 0..3; declarer where dummy is to play.
        hand: bool (52,), the thirteen cards that were dealt to ``seat``.
        dummy: bool (52,), those that were dealt to dummy; needed after the opening lead.
        played: the cards so far in the order of play, 0..51.

    Raises:
        ValueError: the auction is not over, it is not for ``seat`` to choose, or no deal holds all that was seen.
        IllegalCard: a card was played against the laws.
    """
    if not auctions.done[0]:
        raise ValueError(f"the auction is not over: {auctions.text(0) or 'there was no call'}")
    contracts = auctions.contracts()
    declarer, strain = int(contracts.declarer[0]), int(contracts.bid[0]) % 5
    if declarer < 0:
        raise ValueError("the board was passed out, so no card is played")
    if len(played) > 51:
        raise ValueError("all cards have been played")
    if seat == declarer ^ 2:
        raise ValueError(f"{SEATS[seat]} is dummy; ask as {SEATS[declarer]}, declarer, who plays dummy's cards")
    known = [(seat, hand)]
    if played:
        if dummy is None:
            raise ValueError("after the opening lead dummy's hand is needed")
        if (hand & dummy).any():
            raise ValueError(f"{SEATS[seat]} and dummy both hold {hand_text(hand & dummy)}")
        known.append((declarer ^ 2, dummy))
    places = _places(known, np.array(played, np.int64), _players_of(declarer, strain, played))
    plays = Plays.replay(_filled(places), declarer, strain, np.array([played], np.int8).reshape(1, -1))
    chooser = int(plays.decider[0])
    if chooser != seat:
        raise ValueError(f"it is {SEATS[chooser]}'s turn to play, not {SEATS[seat]}'s")
    return play_view(plays, contracts, auctions.vulnerability, auctions)


def _players_of(declarer: int, strain: int, played: Sequence[int]) -> NDArray[np.int64]:
    order, leader = np.array(played, np.int8), (declarer + 1) & 3
    players: list[int] = []
    for start in range(0, len(played), 4):
        players += [(leader + i) & 3 for i in range(min(4, len(played) - start))]
        if start + 4 <= len(played):
            leader = (leader + int(row_winner(order, start, strain))) & 3
    return np.array(players, np.int64)


def _filled(places: KnownCards) -> NDArray[np.uint8]:
    """Return any deal of ``places``: cards that may lie in several hands are free among all the hands with room."""
    may_hold = places.may_hold
    certain = may_hold.sum(axis=0) == 1
    owner = np.where(certain, may_hold.argmax(axis=0), UNKNOWN).astype(np.uint8)
    room = 13 - np.array([(owner == s).sum() for s in range(4)])
    for card in np.flatnonzero(~certain):
        holder = int(np.flatnonzero(may_hold[:, card] & (room > 0))[0])
        owner[card], room[holder] = holder, room[holder] - 1
    return owner
