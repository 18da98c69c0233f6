"""Double-dummy tricks by Bo Haglund's and Soren Hein's DDS, the copy that endplay ships: a second opinion.

It solves samples of what ``ExactDoubleDummy`` solved again. Tests and ``bridge-env bench --solver`` compare the two.

DDS has its own orders: suits and strains S H D C NT, a holding as bits 2..14 for ranks 2..A. They are
converted here and nowhere else.

endplay is the extra ``dds``. It is imported at the first solve: that takes half a second and brings matplotlib along.
"""

from __future__ import annotations

import atexit
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import UInt8Array
from bridge_env.double_dummy.exact import ExactDoubleDummy, Int8Array
from bridge_env.optional_dependencies import missing

TABLES_PER_CALL, BOARDS_PER_CALL = 40, 200  # DDS refuses more

THEIR_STRAIN = np.array([3, 2, 1, 0, 4])  # C D H S NT <-> S H D C NT: its own inverse
_RANK_BITS = (1 << np.arange(2, 15)).astype(np.int32)
# DDS's records in 32-bit words: lengths of deal, ddTableResults and futureTricks, and offsets in them.
_BOARD_WORDS, _TABLE_WORDS, _FUTURE_WORDS = 24, 20, 54
_BOARD_HOLDINGS, _FUTURE_SCORE = 8, 41

# The batch calls of DDS share globals: never two at once in one process.
DDS_LOCK = threading.Lock()
_dds_threads = 0  # what the loaded DDS is set to; 0 = not set yet
_AT_EXIT = 60.0  # seconds to wait at the process's end for a call of DDS; the longest take some five


class DdsDoubleDummy(ExactDoubleDummy):
    """Exact tricks of any deal, solved by DDS. A ``bridge_env.protocols.DoubleDummy``.

    All else is as ``ExactDoubleDummy`` has it, but that a call of DDS cannot be stopped, and that a thread takes
    some 100 MB.
    """

    def __init__(self, threads: int | None = None, cache_size: int = 100_000) -> None:
        super().__init__(threads, cache_size)
        self._lock = DDS_LOCK

    def _solve(self, deals: UInt8Array, missing: NDArray[np.bool_], tricks: Int8Array) -> None:
        """Write the ``missing`` (N, 4, 5) entries of ``deals`` (N, 52) into ``tricks`` (N, 4, 5)."""
        if not missing.any():
            return
        dds = load_dds(self.threads)
        # Measured, in ms of CPU a deal: table 265; one strain for 1, 2, 4 declarers 22, 33, 55. All 20 entries one by
        # one cost as much as the table, so nearly all of them are better bought with the rest thrown in.
        whole = missing.sum(axis=(1, 2)) >= 17
        tables = np.flatnonzero(whole)
        for start in range(0, len(tables), TABLES_PER_CALL):
            batch = tables[start : start + TABLES_PER_CALL]
            tricks[batch] = _solve_tables(dds, deals[batch])
        # In the order (deal, strain, declarer): DDS keeps its memory between boards of one deal and strain,
        # which makes the second to fourth declarer cost a third of the first.
        deal, strain, declarer = np.nonzero((missing & ~whole[:, None, None]).transpose(0, 2, 1))
        for start in range(0, len(deal), BOARDS_PER_CALL):
            part = slice(start, start + BOARDS_PER_CALL)
            tricks[deal[part], declarer[part], strain[part]] = _solve_boards(
                dds, deals[deal[part]], declarer[part], strain[part]
            )


def load_dds(threads: int) -> Any:
    """endplay's ctypes layer over DDS, set to ``threads``. Call with the lock held.

    Raises:
        ModuleNotFoundError: endplay is not installed; the message says how to install it.
    """
    global _dds_threads  # noqa: PLW0603 - DDS has one setting a process, and this mirrors it
    if told := missing("dds", "endplay"):
        raise ModuleNotFoundError(told, name="endplay")
    import endplay._dds as dds

    if not _dds_threads:
        # DDS frees its memory when the process ends: a daemon thread that still solves then crashes it.
        atexit.register(DDS_LOCK.acquire, timeout=_AT_EXIT)
    if _dds_threads != threads:
        dds.SetMaxThreads(threads)
        _dds_threads = threads
    return dds


def holdings(deals: UInt8Array) -> NDArray[np.int32]:
    """Deals (N, 52) as DDS has them: int32 (N, 16) [4 * hand N E S W + suit S H D C], bits 2..14 = ranks."""
    held = deals.reshape(-1, 1, 4, 13) == np.arange(4, dtype=np.uint8)[None, :, None, None]
    bits = (held * _RANK_BITS).sum(axis=-1, dtype=np.int32)
    theirs: NDArray[np.int32] = bits[:, :, ::-1].reshape(-1, 16)
    return theirs


def _solve_tables(dds: Any, deals: UInt8Array) -> Int8Array:
    """Tables int8 (N, 4, 5) of at most 40 deals (N, 52)."""
    n = len(deals)
    asked, solved, par = dds.ddTableDeals(), dds.ddTablesRes(), dds.allParResults()
    # Both records are one 32-bit count followed by 32-bit words, so an array over their memory will do.
    words = np.frombuffer(asked, np.int32)
    words[0] = n
    words[1 : 1 + 16 * n] = holdings(deals).ravel()
    every_strain, no_par = [0] * 5, -1
    dds.CalcAllTables(asked, no_par, every_strain, solved, par)
    tables = np.frombuffer(solved, np.int32)[1 : 1 + _TABLE_WORDS * n].reshape(n, 5, 4)
    return tables[:, THEIR_STRAIN].transpose(0, 2, 1).astype(np.int8)


def _solve_boards(dds: Any, deals: UInt8Array, declarer: NDArray[np.intp], strain: NDArray[np.intp]) -> Int8Array:
    """Tricks int8 (N,) of at most 200 contracts (N,) on deals (N, 52)."""
    asked, _ = asked_boards(dds, deals, strain, (declarer + 1) % 4, 1)  # declarer's left-hand opponent leads
    return (13 - solved_boards(dds, asked, len(deals))[:, _FUTURE_SCORE]).astype(np.int8)


def asked_boards(
    dds: Any, hands: UInt8Array, strain: NDArray[np.intp], leader: NDArray[np.intp], wanted: int
) -> tuple[Any, NDArray[np.int32]]:
    """DDS's record of at most 200 positions (N, 52), and their words in it, int32 (N, 24), in which tricks may be set.

    Args:
        wanted: 1, one of the best cards; 2, all of them; 3, all cards.
    """
    n, asked = len(hands), dds.boards()
    words = np.frombuffer(asked, np.int32)
    words[0] = n
    boards, settings = np.split(words[1:], [_BOARD_WORDS * BOARDS_PER_CALL])
    boards = boards.reshape(BOARDS_PER_CALL, _BOARD_WORDS)[:n]
    boards[:, 0] = THEIR_STRAIN[strain]
    boards[:, 1] = leader
    boards[:, _BOARD_HOLDINGS:] = holdings(hands)
    best_result, always_search = -1, 1
    settings.reshape(3, BOARDS_PER_CALL)[:, :n] = [[best_result], [wanted], [always_search]]
    return asked, boards


def solved_boards(dds: Any, asked: Any, count: int) -> NDArray[np.int32]:
    """What DDS says of the ``count`` positions of a record, int32 (N, 54)."""
    solved = dds.solvedBoards()
    dds.SolveAllBoardsBin(asked, solved)
    return np.frombuffer(solved, np.int32)[1:].reshape(BOARDS_PER_CALL, _FUTURE_WORDS)[:count]
