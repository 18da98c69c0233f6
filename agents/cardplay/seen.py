"""From what one player has seen of a board to his view of it: the other hands are not known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.facts import voids
from bridge_env.auction import Auctions
from bridge_env.cards import SEATS, UNKNOWN, hand_text
from bridge_env.play import Plays, row_winner
from bridge_env.play_view import PlayView, play_view
from bridge_env.sampling import Places

Hand = NDArray[np.bool_]


def view_of_seen(
    auctions: Auctions, seat: int, hand: Hand, dummy: Hand | None = None, played: Sequence[int] = ()
) -> PlayView:
    """The view of ``seat``, who chooses the next card: one row.

    The laws of play are asked on one deal that holds what was seen; the view tells nothing of its other hands.

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
    places = places_of_seen(auctions, seat, hand, dummy, played)
    contracts = auctions.contracts()
    declarer, strain = int(contracts.declarer[0]), int(contracts.bid[0]) % 5
    plays = Plays.replay(_filled(places), declarer, strain, np.array([played], np.int8).reshape(1, -1))
    chooser = int(plays.decider[0])
    if chooser != seat:
        raise ValueError(f"it is {SEATS[chooser]}'s turn to play, not {SEATS[seat]}'s")
    return play_view(plays, contracts, auctions.vulnerability, auctions)


def places_of_seen(
    auctions: Auctions, seat: int, hand: Hand, dummy: Hand | None = None, played: Sequence[int] = ()
) -> Places:
    """Where the cards may lie for ``seat``, whosever turn it is; all else as ``view_of_seen`` has it."""
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
    known = np.full(52, UNKNOWN, np.uint8)
    known[hand] = seat
    if played:
        if dummy is None:
            raise ValueError("after the opening lead dummy's hand is needed")
        if (hand & dummy).any():
            raise ValueError(f"{SEATS[seat]} and dummy both hold {hand_text(hand & dummy)}")
        known[dummy] = declarer ^ 2
    players = _who_played(declarer, strain, played)
    for card, player in zip(played, players, strict=True):
        if known[card] == UNKNOWN:
            known[card] = player
    places = Places.of(known)
    for suit, player in voids(np.array(played, np.int64), np.array(players, np.int64)):
        places = places.without(player, suit)
    return places


def _who_played(declarer: int, strain: int, played: Sequence[int]) -> list[int]:
    order, leader = np.array(played, np.int8), (declarer + 1) & 3
    players: list[int] = []
    for start in range(0, len(played), 4):
        players += [(leader + i) & 3 for i in range(min(4, len(played) - start))]
        if start + 4 <= len(played):
            leader = (leader + int(row_winner(order, start, strain))) & 3
    return players


def _filled(places: Places) -> NDArray[np.uint8]:
    """Any deal of ``places``: cards that may lie in several hands are free among all the hands with room."""
    may_hold = places.may_hold
    certain = may_hold.sum(axis=0) == 1
    owner = np.where(certain, may_hold.argmax(axis=0), UNKNOWN).astype(np.uint8)
    room = 13 - np.array([(owner == s).sum() for s in range(4)])
    for card in np.flatnonzero(~certain):
        holder = int(np.flatnonzero(may_hold[:, card] & (room > 0))[0])
        owner[card], room[holder] = holder, room[holder] - 1
    return owner
