"""The tricks of cards by DDS, an oracle for our own solver."""

from __future__ import annotations

import numpy as np

from bridge_env.double_dummy.dds import BOARDS_PER_CALL, DDS_LOCK, THEIR_STRAIN, asked_boards, load_dds, solved_boards
from bridge_env.double_dummy.positions import ALL_CARDS, NOT_LEGAL

# Offsets in DDS's records, in 32-bit words.
_TRICK_SUITS, _TRICK_RANKS = slice(2, 5), slice(5, 8)
_CARDS, _SUIT, _RANK, _EQUALS, _SCORE = 1, 2, 15, 28, 41


def dds_cards(left, strain, leader, trick, wanted=ALL_CARDS):
    """Return ``card_tricks`` of checked positions, all (N, ...), by DDS on one thread."""
    out = np.full((len(left), 52), NOT_LEGAL, np.int8)
    with DDS_LOCK:
        dds = load_dds(1)
        for start in range(0, len(left), BOARDS_PER_CALL):
            part = slice(start, start + BOARDS_PER_CALL)
            asked, boards = asked_boards(dds, left[part], strain[part], leader[part], wanted)
            there = trick[part] >= 0
            boards[:, _TRICK_SUITS] = np.where(there, THEIR_STRAIN[np.maximum(trick[part], 0) // 13], 0)
            boards[:, _TRICK_RANKS] = np.where(there, trick[part] % 13 + 2, 0)
            _write_values(solved_boards(dds, asked, len(boards)), out[part])
    return out


def _write_values(futures, out):
    """Write DDS's lists of cards, with equal ones, as values of all cards, (n, 52)."""
    row, k = np.nonzero(np.arange(13) < futures[:, _CARDS, None])
    suit = THEIR_STRAIN[futures[row, _SUIT + k]]
    ranks = futures[row, _EQUALS + k] | (1 << futures[row, _RANK + k])  # bits 2..14 for ranks 2..A
    value = futures[row, _SCORE + k].astype(np.int8)
    at, rank = np.nonzero(ranks[:, None] >> np.arange(2, 15) & 1)
    out[row[at], 13 * suit[at] + rank] = value[at]
