"""Random plays of boards, and the laws of play once more."""

from __future__ import annotations

import numpy as np
from reference.play import LawPlay

from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.hands.deals import parse_deal, random_deals
from bridge_env.rng import streams
from bridge_env.rules.auction import Contracts
from bridge_env.rules.cards import RANKS, SUITS
from bridge_env.rules.play import Plays


def random_plays(count: int, seed: int, cards: int = 52) -> tuple[Plays, list[np.ndarray]]:
    """Boards with random contracts after random legal cards, and the legal masks before each card."""
    rng = np.random.default_rng(seed)
    plays = Plays(random_deals(seed, 0, count), rng.integers(4, size=count), rng.integers(5, size=count))
    masks = []
    for _ in range(cards):
        masks.append(plays.legal())
        plays.step((rng.random((count, 52)) * masks[-1]).argmax(axis=1))
    return plays, masks


def law_card(card: int) -> tuple[int, int]:
    return card // 13, card % 13 + 2


def law_play(plays: Plays, row: int) -> LawPlay:
    hands = [{law_card(int(c)) for c in np.flatnonzero(plays.owner[row] == seat)} for seat in range(4)]
    return LawPlay(hands, int(plays.declarer[row]), int(plays.strain[row]))


def contracts_of(plays: Plays) -> Contracts:
    bid = (10 + plays.strain).astype(np.int8)
    return Contracts(bid, np.zeros(len(plays), np.int8), plays.declarer.astype(np.int8))


def card(text: str) -> int:
    return 13 * SUITS.index(text[0]) + RANKS.index(text[1])


def cards(text: str) -> list[int]:
    return [card(word) for word in text.split()]


def keys(count: int) -> np.ndarray:
    return streams.key("test", np.arange(count))


def after(deal: str, declarer: int, strain: int, played: str) -> tuple[Plays, PlayView]:
    """One board after some cards, at the level of three."""
    plays = Plays.replay(parse_deal(deal), declarer, strain, [cards(played)] if played else np.empty((1, 0)))
    return plays, play_view(plays, contracts_of(plays), 0)
