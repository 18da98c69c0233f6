"""Play cards by rules of thumb, compiled: the quick player to compare others with.

Leads: a defender the top of a sequence, fourth best, or against a suit contract a short suit; declarer trumps while
the opponents have some, then finesses, unless the calls place the missing honour behind, then winners, then low towards
the other hand's honours; defenders lead what partner has shown, and not what declarer and dummy have
(``agents.cardplay.placing``). Following: second hand low, third hand high, the last as cheaply as possible; ruff what
the opponents win; discard low cards of long suits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.placing import chances_of_next, leads_shown
from agents.cardplay.table import current_trick, declares, dummy_left, hand_opposite, hand_to_play
from bridge_env.bidders.play_view import PlayView
from bridge_env.compiled.jit import njit
from bridge_env.rng.streams import choose
from bridge_env.rules.calls import NOTRUMP
from bridge_env.rules.play import beats

_TEN, _JACK, _QUEEN, _KING, _ACE = range(8, 13)
_LIKELY, _SURE = 0.3, 0.6  # chance from which on declarer finesses; for a queen that may drop instead
_FEW = 4  # unseen cards of a suit, of which a queen drops more often than not


@njit
def _lowest(mask, suit):
    """Return the lowest card of a suit in the mask, or -1."""
    for card in range(13 * suit, 13 * suit + 13):
        if mask[card]:
            return card
    return -1


@njit
def _highest(mask, suit, nth=1):
    """Return the ``nth`` highest card of a suit in the mask, or -1."""
    for card in range(13 * suit + 12, 13 * suit - 1, -1):
        if mask[card]:
            nth -= 1
            if nth == 0:
                return card
    return -1


@njit
def _length(mask, suit):
    n = 0
    for card in range(13 * suit, 13 * suit + 13):
        n += mask[card]
    return n


@njit
def _master(card, unseen):
    """Return whether no unseen card of its suit beats it."""
    for other in range(card + 1, 13 * (card // 13) + 13):
        if unseen[other]:
            return False
    return True


@njit
def lead_from(hand, suit, strain):
    """Return the conventional card of a suit: top of a sequence, fourth best, low from an honour, else the top."""
    top = _highest(hand, suit)
    rank = top % 13
    length = _length(hand, suit)
    below = rank > 0 and hand[top - 1]
    if rank >= _TEN and below and (rank != _ACE or strain != NOTRUMP or length < 4):
        return top - 1 if rank == _ACE else top  # the king from ace-king
    if rank == _ACE and strain != NOTRUMP:
        return top
    if length >= 4:
        return _highest(hand, suit, 4)
    if length == 3 and rank >= _JACK:
        return _highest(hand, suit, 3)
    return top


@njit
def _defenders_suit(hand, strain, dummy, lead_values):
    """Return the suit that a defender leads; ``lead_values`` has what the calls add to each."""
    best, chosen = -1000, -1
    for suit in range(4):
        length = _length(hand, suit)
        if length == 0:
            continue
        top = _highest(hand, suit)
        rank = top % 13
        sequence = rank >= _TEN and rank > 0 and hand[top - 1]
        value = 10 * length + 2 * rank if strain == NOTRUMP else 2 * rank - 4 * length
        if sequence:
            value += 25 if rank >= _JACK else 8
        if strain not in (NOTRUMP, suit):
            if length == 1:
                value += 20
            if rank == _ACE and not sequence:
                value -= 25
            if rank == _KING and not sequence:
                value -= 12
        if suit == strain:
            value = -15
        else:
            value += lead_values[suit]
        shown = _highest(dummy, suit)
        if shown >= 0 and shown % 13 >= _QUEEN and not sequence:
            value += 4
        if value > best:
            best, chosen = value, suit
    return chosen


@njit
def _finesse(holding, suit, unseen):
    """Return the highest missing card if ``holding`` has the one below it, as the queen of ace-queen; or -1."""
    missing = _highest(unseen, suit)
    return missing if missing % 13 >= _QUEEN and holding[missing - 1] else -1


@njit
def _wanted(missing, unseen, chance):
    """Return whether to finesse for a missing card, if any, with this ``chance`` that it lies in front."""
    drops = missing % 13 == _QUEEN and _length(unseen, missing // 13) <= _FEW
    return missing >= 0 and chance >= (_SURE if drops else _LIKELY)


@njit
def _declarers_lead(hand, other, unseen, strain, next_has):
    if strain != NOTRUMP and _length(hand, strain) > 0:
        ours, theirs = _length(hand, strain) + _length(other, strain), _length(unseen, strain)
        if 0 < theirs < ours:
            top = _highest(hand, strain)
            missing = _finesse(other, strain, unseen)
            if _wanted(missing, unseen, next_has[missing]):
                return _lowest(hand, strain)
            if _master(top, unseen) or _highest(other, strain) < 0:
                return top
            return _lowest(hand, strain)
    best, chosen = -1000, -1
    for suit in range(4):
        top = _highest(hand, suit)
        if top < 0 or suit == strain:
            continue
        mine, partners = _length(hand, suit), _length(other, suit)
        across, own = _finesse(other, suit, unseen), _finesse(hand, suit, unseen)
        if _wanted(across, unseen, next_has[across]):
            value, card = 110 - mine, _lowest(hand, suit)
        elif partners > 0 and _wanted(own, unseen, 1 - next_has[own]):
            value, card = 3 * (mine + partners) - 40, _lowest(hand, suit)  # it is to be led from the other hand
        elif _master(top, unseen):
            value, card = 100 - mine, top
        else:
            across = _highest(other, suit)
            if across >= 0 and _master(across, unseen):
                value, card = 80 - mine, _lowest(hand, suit)
            else:
                value, card = 3 * (mine + partners) + (across % 13 if across > top else 0), _lowest(hand, suit)
        if value > best:
            best, chosen = value, card
    if chosen < 0:
        return _highest(hand, strain) if strain != NOTRUMP else -1
    return chosen


@njit
def _defenders_lead(hand, dummy, unseen, strain, lead_values):
    if strain == NOTRUMP:
        best, chosen = 0, -1
        for suit in range(4):  # winners of a suit that is established
            top, winners = _highest(hand, suit), 0
            for card in range(13 * suit + 12, 13 * suit - 1, -1):
                if hand[card] and _master(card, unseen):
                    winners += 1
            if winners >= 2 and winners > best:
                best, chosen = winners, top
        if chosen >= 0:
            return chosen
    return lead_from(hand, _defenders_suit(hand, strain, dummy, lead_values), strain)


@njit
def _discard(mask, strain):
    """Return a low card of the longest side suit."""
    best, chosen = -1, -1
    for suit in range(4):
        low = _lowest(mask, suit)
        if low < 0 or suit == strain:
            continue
        value = 20 * _length(mask, suit) - low % 13
        if low % 13 < _TEN:
            value += 30
        if chosen < 0 or value > best:
            best, chosen = value, low
    return chosen if chosen >= 0 else _lowest(mask, strain)


@njit
def _follow(mask, trick, place, other, dummy, unseen, strain, ours, next_has):
    """Return a card to a trick in progress; ``place`` 1..3 is mine in it."""
    best, taker = trick[0], 0
    for k in range(1, place):
        if beats(trick[k], best, strain):
            best, taker = trick[k], k
    partners = taker == place - 2 and place >= 2
    suit = trick[0] // 13
    low, cheapest = _lowest(mask, suit), -1
    for card in range(52):
        if mask[card] and beats(card, best, strain) and (cheapest < 0 or card % 13 < cheapest % 13):
            cheapest = card
    if low < 0:  # void
        sure = partners and (place == 3 or _master(best, unseen))
        if cheapest >= 0 and not sure:
            return cheapest
        return _discard(mask, strain)
    if cheapest < 0 or (partners and (place == 3 or _master(best, unseen))):
        return low
    if place == 3:
        return cheapest
    if place == 1:
        if trick[0] % 13 >= _TEN and not (ours and _highest(other, suit) > best):
            return cheapest  # cover an honour
        top = _highest(mask, suit)
        return top if _master(top, unseen) and top % 13 == _ACE and trick[0] % 13 >= _JACK else low
    # Third hand: as high as is needed against what can be seen on the left, and of touching cards the lowest.
    behind = _highest(dummy, suit) if not ours else -1
    top = _highest(mask, suit)
    if behind >= 0:
        for card in range(13 * suit, 13 * suit + 13):
            if mask[card] and card > best and card > behind:
                return card
    if ours and place == 2:
        missing = _finesse(mask, suit, unseen)
        if best < missing - 1 and _wanted(missing, unseen, 1 - next_has[missing]):
            top = missing - 1
    while top - 1 >= 13 * suit and mask[top - 1] and top - 1 > best:
        top -= 1
    return top


@njit
def _play_all(mask, other, dummy, unseen, trick, place, strain, ours, dummy_is_next, next_has, lead_values, out):
    nothing = np.zeros(52, np.bool_)
    for i in range(len(mask)):
        if place[i] > 0:
            seen = dummy[i] if dummy_is_next[i] else nothing
            out[i] = _follow(mask[i], trick[i], place[i], other[i], seen, unseen[i], strain[i], ours[i], next_has[i])
        elif ours[i]:
            out[i] = _declarers_lead(mask[i], other[i], unseen[i], strain[i], next_has[i])
        else:
            out[i] = _defenders_lead(mask[i], dummy[i], unseen[i], strain[i], lead_values[i])


class RulePlayer:
    """A ``CardPlayer`` that follows rules of thumb. It uses no random numbers and no memory beyond the view.

    Args:
        reader: of the auction; by default the calls tell nothing.
    """

    def __init__(self, reader: AuctionReader | None = None) -> None:
        self._reader = reader or AuctionReader()

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        ours = declares(view)
        other, dummy, hand = hand_opposite(view), dummy_left(view), hand_to_play(view)
        unseen = ~(view.played | hand | np.where(ours[:, None], other, dummy))
        dummy_is_next = ~ours & (((view.turn + 1) & 3) == (view.declarer ^ 2))
        ranges, declarers = self._reader.ranges(view), np.flatnonzero(ours)
        next_has = np.zeros(view.mask.shape, np.float32)
        next_has[declarers] = chances_of_next(view.take(declarers), ranges[declarers])
        out = np.empty(len(view), np.int8)
        _play_all(
            view.mask, other, dummy, unseen, current_trick(view), (view.length & 3).astype(np.int64),
            view.strain.astype(np.int64), ours, dummy_is_next, next_has, leads_shown(view, ranges), out,
        )  # fmt: skip
        return out


class RandomPlayer:
    """A ``CardPlayer`` that plays any legal card with equal chance."""

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return choose(key, view.mask).astype(np.int8)
