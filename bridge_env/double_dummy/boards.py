"""Represent boards: deals with dealer and vulnerability, and their double-dummy tricks as far as they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.double_dummy.exact import library_then_solver
from bridge_env.hands.canonical import is_judging
from bridge_env.rules.auction import Auctions
from bridge_env.rules.cards import check_deals
from bridge_env.rules.scoring import score

UNKNOWN = -1
UNKNOWN_TRICKS = -1
_DEFAULT: Any = None  # ``Boards`` replaces it, so that a field has the type of its array


@dataclass(frozen=True, eq=False)
class Boards:
    """N boards, for the envs and for matches. ``boards_of`` makes them of the caller's arrays and checks these.

    By default board i has the number i + 1, every board is a deal of its own, no tricks are known, and the source is
    empty.
    """

    owner: NDArray[np.uint8]  # (N, 52)
    # (N,), seat 0..3, or -1 where it is not known; int8 in the envs, int16 in matches
    dealer: NDArray[np.signedinteger[Any]]
    vulnerability: NDArray[np.signedinteger[Any]]  # (N,), code 0..3, or -1 where it is not known; as ``dealer``
    number: NDArray[np.int64] = _DEFAULT  # (N,), board numbers; a match's random streams hang on them
    base: NDArray[np.int64] = _DEFAULT  # (N,): boards with the same number here are images of one deal
    # (N, 4, 5), -1 where they are not known; then contracts are solved as they are reached
    tricks: NDArray[np.int8] = _DEFAULT
    source: str = ""  # where the boards are from, in words, for reports
    problems: tuple[str, ...] = ()  # of that source: boards that were left out, and why
    of_file: bool = False  # whether dealers and vulnerabilities are a file's, instead of the numbers'

    def __post_init__(self) -> None:
        n = len(self.owner)
        unknown = np.full((n, 4, 5), UNKNOWN_TRICKS, np.int8)
        defaults: dict[str, NDArray[Any]] = {"number": np.arange(1, n + 1), "base": np.arange(n), "tricks": unknown}
        for name, default in defaults.items():
            given = getattr(self, name)
            object.__setattr__(self, name, default if given is _DEFAULT else np.asarray(given, default.dtype))

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def solved(self) -> bool:
        """Whether all tricks of all boards are known."""
        return bool((self.tricks >= 0).all())

    def take(self, rows: slice | NDArray[np.intp]) -> Boards:
        """Take some of the boards."""
        return Boards(
            self.owner[rows], self.dealer[rows], self.vulnerability[rows], self.number[rows], self.base[rows],
            self.tricks[rows], self.source, self.problems, self.of_file,
        )  # fmt: skip

    def tricks_for(self, declarer: NDArray[np.int8], strain: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the exact tricks of one contract a board, int8 (N,); 0 where ``declarer`` is -1 (passed out)."""
        return contract_tricks(self.owner, self.tricks, declarer, strain)

    def points(self, auctions: Auctions) -> NDArray[np.int64]:
        """Score finished auctions, one a board, with exact tricks, NS-positive: int64 (N,)."""
        contracts = auctions.contracts()
        tricks = self.tricks_for(contracts.declarer, contracts.bid % 5)
        points = score(contracts.bid, contracts.doubling, contracts.declarer, self.vulnerability, tricks)
        return points.astype(np.int64)

    def share_in_training(self) -> float:
        """Return the share of boards that training may use, by the split of all deals."""
        return float(1.0 - is_judging(self.owner).mean()) if len(self) else 0.0


def boards_of(
    owner: ArrayLike, tricks: ArrayLike | None = None, dealer: ArrayLike = UNKNOWN, vulnerability: ArrayLike = UNKNOWN
) -> Boards:
    """Make boards from arrays, checked; ``dealer`` and ``vulnerability`` are scalars or (N,).

    Raises:
        DealError: not deals.
        ValueError: another array has a wrong shape or a number out of range.
    """
    deals = check_deals(owner)
    n = len(deals)
    table = np.full((n, 4, 5), UNKNOWN_TRICKS) if tricks is None else np.asarray(tricks)
    if table.shape != (n, 4, 5) or ((table < UNKNOWN_TRICKS) | (table > 13)).any():
        raise ValueError(f"{n} deals need tricks 0..13 (-1 = unknown) of shape ({n}, 4, 5)")
    codes = []
    for name, value in (("dealer", dealer), ("vulnerability", vulnerability)):
        a = np.broadcast_to(np.asarray(value), n)
        if ((a < UNKNOWN) | (a > 3)).any():
            raise ValueError(f"{name} must be 0..3, or -1 where it is not known")
        codes.append(a.astype(np.int8))
    return Boards(deals, codes[0], codes[1], tricks=table.astype(np.int8))


def contract_tricks(
    owner: NDArray[np.uint8], tricks: NDArray[np.int8], declarer: NDArray[np.int8], strain: NDArray[np.int8]
) -> NDArray[np.int8]:
    """Return the tricks of one contract a board, int8 (N,): those not known are looked up in the library or solved.

    Args:
        owner: uint8 (N, 52).
        tricks: int8 (N, 4, 5), -1 where they are not known.
        declarer: int8 (N,), seats; -1 where passed out, then 0 tricks.
        strain: int8 (N,).
    """
    out = np.zeros(len(owner), np.int8)
    played = np.flatnonzero(declarer >= 0)
    out[played] = tricks[played, declarer[played], strain[played]]
    unknown = np.flatnonzero(out < 0)
    if unknown.size:
        out[unknown] = library_then_solver().tricks_for(owner[unknown], declarer[unknown], strain[unknown])
    return out
