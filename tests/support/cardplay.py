"""Hands half played."""

from __future__ import annotations

import numpy as np
from support.plays import contracts_of

from bridge_env import streams
from bridge_env.cards import RANKS, SUITS, parse_deal
from bridge_env.play import Plays
from bridge_env.play_view import PlayView, play_view


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
