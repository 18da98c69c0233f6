"""Hands half played."""

from __future__ import annotations

import numpy as np
from support.plays import contracts_of

from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.hands.deals import parse_deal
from bridge_env.rng import streams
from bridge_env.rules.cards import RANKS, SUITS
from bridge_env.rules.play import Plays


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
