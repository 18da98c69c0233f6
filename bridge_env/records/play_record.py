"""Plays as records hold them, ``Board.play``: rows of four words a trick, columns by seat; to cards in order and back.

Nothing here raises for what a file contains: ``play_faults`` says of each board what is wrong with its play.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bridge_env.calls import NOTRUMP
from bridge_env.cards import CARD_NUMBERS, SEATS, card_text
from bridge_env.kernels import njit
from bridge_env.play import Plays, row_winner
from bridge_env.records.board import Board

PlayRows = tuple[tuple[str, ...], ...]


@njit
def _order_all(table, strain, history, after_gap):  # type: ignore[no-untyped-def]
    """Put tricks by column, int8 (N, 13, 4), into the order of play, each up to the first card that is not told."""
    for i in range(len(table)):
        first, n, gap = 0, 0, False
        for trick in range(13):
            for k in range(4):
                card = table[i, trick, (first + k) & 3]
                if card < 0:
                    gap = True
                elif gap:
                    after_gap[i] = True
                else:
                    history[i, n] = card
                    n += 1
            if gap:
                continue  # who leads on is not known; only cards that follow are looked for
            first = (first + row_winner(history[i], n - 4, strain[i])) & 3


def _tables(boards: Sequence[Board]) -> NDArray[np.int8]:
    table = np.full((len(boards), 13, 4), -1, np.int8)
    for i, board in enumerate(boards):
        for trick, row in enumerate((board.play or ())[:13]):
            table[i, trick] = [CARD_NUMBERS.get(word, -1) for word in row]
    return table


def play_orders(boards: Sequence[Board]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """The cards of every board in the order of play, up to the first that is not told: int8 (N, 52), padded with -1.

    Whether they are legal is not asked. A board without play, contract or leader has none.

    Returns:
        the cards, and of which boards cards follow one that is not told, bool (N,).
    """
    known = [i for i, b in enumerate(boards) if b.play and b.contract and not b.contract.passed_out]
    known = [i for i in known if boards[i].leader is not None]
    history, after_gap = np.full((len(boards), 52), -1, np.int8), np.zeros(len(boards), np.bool_)
    if known:
        some = [boards[i] for i in known]
        strain = np.array([b.contract.strain if b.contract else NOTRUMP for b in some], np.int64)
        part, gaps = np.full((len(some), 52), -1, np.int8), np.zeros(len(some), np.bool_)
        _order_all(_tables(some), strain, part, gaps)
        history[known], after_gap[known] = part, gaps
    return history, after_gap


def play_faults(boards: Sequence[Board], *, gaps: bool = True) -> list[str | None]:
    """Find what is wrong with the play of each board; None if nothing is, or if contract or leader are unknown.

    All boards are replayed together.

    Args:
        gaps: are cards that follow one that is not told wrong too?
    """
    faults: list[str | None] = [None] * len(boards)
    known: list[int] = []
    for i, board in enumerate(boards):
        if board.play is None or board.contract is None or board.leader is None:
            continue
        if board.contract.passed_out:
            faults[i] = "play: the board was passed out"
        elif len(board.play) > 13:
            faults[i] = f"play: {len(board.play)} tricks"
        elif board.leader != (board.contract.declarer + 1) & 3:
            faults[i] = f"play: {SEATS[board.leader]} leads against {board.contract}"
        else:
            known.append(i)
    if not known:
        return faults
    some = [boards[i] for i in known]
    history, after_gap = play_orders(some)
    contracts = [b.contract for b in some if b.contract is not None]
    plays, wrong = Plays.replay_legal(
        np.stack([b.owner for b in some]), [c.declarer for c in contracts], [c.strain for c in contracts], history
    )
    for k, i in enumerate(known):
        if wrong[k] >= 0:
            name, _, why = plays.fault_text(k, int(history[k, wrong[k]])).partition(f" is not legal at table {k} ")
            faults[i] = f"play: {name} is not legal {why}"
        elif gaps and after_gap[k]:
            faults[i] = f"play: cards follow one that is not told, after {plays.text(k) or 'no card'}"
    return faults


def record_rows(cards: Sequence[int], players: Sequence[int]) -> tuple[PlayRows | None, int | None]:
    """``play`` and ``leader`` of a ``Board``, from cards in the order of play (-1 ends them) and who played them."""
    told = [(int(c), int(p)) for c, p in zip(cards, players, strict=True) if c >= 0]
    if not told:
        return None, None
    leader = told[0][1]
    rows = []
    for start in range(0, len(told), 4):
        row = ["-"] * 4
        for card, player in told[start : start + 4]:
            row[(player - leader) & 3] = card_text(card)
        rows.append(tuple(row))
    return tuple(rows), leader
