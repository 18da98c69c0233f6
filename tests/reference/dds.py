"""Tables and cards by DDS (Bo Haglund, Soren Hein), the copy that endplay ships: an oracle for our solver.

DDS has its own orders: suits and strains S H D C NT, a holding as bits 2..14 for ranks 2..A.
"""

from __future__ import annotations

import numpy as np
import pytest

from bridge_env.double_dummy.positions import ALL_CARDS, NOT_LEGAL

dds = pytest.importorskip("endplay._dds")

TABLES_PER_CALL, BOARDS_PER_CALL = 40, 200  # DDS refuses more
THEIR_STRAIN = np.array([3, 2, 1, 0, 4])  # C D H S NT <-> S H D C NT: its own inverse
_RANK_BITS = (1 << np.arange(2, 15)).astype(np.int32)

# DDS's records in 32-bit words: lengths of deal, ddTableResults and futureTricks, and offsets in them.
_BOARD_WORDS, _TABLE_WORDS, _FUTURE_WORDS = 24, 20, 54
_TRICK_SUITS, _TRICK_RANKS, _HOLDINGS = slice(2, 5), slice(5, 8), slice(8, 24)
_CARDS, _SUIT, _RANK, _EQUALS, _SCORE = 1, 2, 15, 28, 41


def dds_tables(deals: np.ndarray) -> np.ndarray:
    """Return tables int8 (N, 4, 5) of deals uint8 (N, 52)."""
    dds.SetMaxThreads(1)
    out = []
    for start in range(0, len(deals), TABLES_PER_CALL):
        part = deals[start : start + TABLES_PER_CALL]
        request, solved, par = dds.ddTableDeals(), dds.ddTablesRes(), dds.allParResults()
        # Both records are one 32-bit count followed by 32-bit words.
        words = np.frombuffer(request, np.int32)
        words[0] = len(part)
        words[1 : 1 + 16 * len(part)] = _holdings(part).ravel()
        every_strain, no_par = [0] * 5, -1
        dds.CalcAllTables(request, no_par, every_strain, solved, par)
        tables = np.frombuffer(solved, np.int32)[1 : 1 + _TABLE_WORDS * len(part)].reshape(-1, 5, 4)
        out.append(tables[:, THEIR_STRAIN].transpose(0, 2, 1).astype(np.int8))
    return np.concatenate(out)


def dds_cards(left, strain, leader, trick, wanted=ALL_CARDS):
    """Return ``card_tricks`` of checked positions, all (N, ...), by DDS on one thread."""
    dds.SetMaxThreads(1)
    out = np.full((len(left), 52), NOT_LEGAL, np.int8)
    for start in range(0, len(left), BOARDS_PER_CALL):
        part = slice(start, start + BOARDS_PER_CALL)
        count = len(left[part])
        request, solved = dds.boards(), dds.solvedBoards()
        words = np.frombuffer(request, np.int32)
        words[0] = count
        boards, settings = np.split(words[1:], [_BOARD_WORDS * BOARDS_PER_CALL])
        boards = boards.reshape(BOARDS_PER_CALL, _BOARD_WORDS)[:count]
        boards[:, 0], boards[:, 1] = THEIR_STRAIN[strain[part]], leader[part]
        played = trick[part] >= 0
        boards[:, _TRICK_SUITS] = np.where(played, THEIR_STRAIN[np.maximum(trick[part], 0) // 13], 0)
        boards[:, _TRICK_RANKS] = np.where(played, trick[part] % 13 + 2, 0)
        boards[:, _HOLDINGS] = _holdings(left[part])
        best_result, always_search = -1, 1
        settings.reshape(3, BOARDS_PER_CALL)[:, :count] = [[best_result], [wanted], [always_search]]
        dds.SolveAllBoardsBin(request, solved)
        futures = np.frombuffer(solved, np.int32)[1:].reshape(BOARDS_PER_CALL, _FUTURE_WORDS)[:count]
        _write_values(futures, out[part])
    return out


def _holdings(deals):
    """Return deals (N, 52) as DDS has them: int32 (N, 16) [4 * hand N E S W + suit S H D C], bits 2..14 = ranks."""
    held = deals.reshape(-1, 1, 4, 13) == np.arange(4, dtype=np.uint8)[None, :, None, None]
    bits = (held * _RANK_BITS).sum(axis=-1, dtype=np.int32)
    return bits[:, :, ::-1].reshape(-1, 16)


def _write_values(futures, out):
    """Write DDS's lists of cards, with equal ones, as values of all cards, (n, 52)."""
    row, k = np.nonzero(np.arange(13) < futures[:, _CARDS, None])
    suit = THEIR_STRAIN[futures[row, _SUIT + k]]
    ranks = futures[row, _EQUALS + k] | (1 << futures[row, _RANK + k])  # bits 2..14 for ranks 2..A
    value = futures[row, _SCORE + k].astype(np.int8)
    at, rank = np.nonzero(ranks[:, None] >> np.arange(2, 15) & 1)
    out[row[at], 13 * suit[at] + rank] = value[at]
