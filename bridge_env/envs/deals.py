"""Draw the boards of episodes.

==================  ======================================================================================
``deals=``          boards
==================  ======================================================================================
``"training"``      the shipped library's solved deals that are for training, each as one of the 96 deals
                    that suit permutations and turns of the table make of it: nothing is ever solved
``"judging"``       its deals that are for judging; no deal is in both, not even with its suits permuted
``"library"``       all of them
``"random"``        fresh random deals; only the contract reached (for par: the complete table)
``"estimated"``     fresh random deals whose tricks a network estimates: unlimited boards that need no solver.
                    The rewards are estimates, marked by ``info["estimated"]``
``"FILE.pbn"``      the boards of a PBN file in order, with their dealers and vulnerabilities
``"FILE.bdl"``      another library of solved deals (``bridge-env solve`` makes them), all of it
an owner array      these deals, uint8 (N, 52), in order
a ``DealSource``    your own
==================  ======================================================================================

A library is opened at the first draw.
"""

from __future__ import annotations

import os
import warnings
from functools import cached_property
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from bridge_env.double_dummy import Library, builtin_library
from bridge_env.double_dummy.boards import UNKNOWN, Boards, boards_of
from bridge_env.double_dummy.estimator import builtin_estimator, quantile
from bridge_env.double_dummy.symmetries import NUM_SYMMETRIES, draw_symmetries
from bridge_env.hands.deals import deals_of
from bridge_env.records.pbn import read_boards
from bridge_env.records.tables import tables_of
from bridge_env.rng import streams

_NAMES = '"training", "judging", "library", "random", "estimated", a path FILE.pbn or FILE.bdl'


class DealSource(Protocol):
    """A source of boards, the same for the same keys and numbers.

    ``bridge_env.double_dummy.boards.boards_of`` makes boards of arrays.
    """

    @property
    def solved(self) -> bool:
        """Whether all boards come with their tricks. Then they are drawn ahead in blocks, which is much faster."""
        ...

    def draw(self, key: NDArray[np.uint64], number: NDArray[np.int64]) -> Boards:
        """Draw a board for each of N episodes.

        Args:
            key: uint64 (N,), the episodes' own random streams, for a source that draws by chance.
            number: int64 (N,), for a source in order: the place of each episode's board, 0 and up. After seeding, table
                i begins at i and goes on by one, or as the env's argument ``order`` says.
        """
        ...


class LibraryDeals:
    """Solved deals drawn at random, each equally likely.

    For training, each deal is drawn as any of its 96 images (``bridge_env.double_dummy.symmetries``), which are solved
    too and on its side of the split.

    Args:
        split: ``"training"``, ``"judging"`` or ``"all"``.
        path: a library file; default: the shipped one.
    """

    solved = True

    def __init__(self, split: str = "training", path: str | os.PathLike[str] | None = None) -> None:
        self.split = split
        self.path = path

    @cached_property
    def library(self) -> Library:
        """Open the library at the first draw."""
        return builtin_library() if self.path is None else Library.open(self.path)

    def draw(self, key: NDArray[np.uint64], number: NDArray[np.int64]) -> Boards:
        owner, tricks = draw_symmetries(key, *self.records())
        return Boards(owner, *_unknown(len(key)), tricks=tricks)

    def records(self) -> tuple[NDArray[np.uint8], NDArray[np.intp], int]:
        """Return the arguments of ``draw_symmetries``: the library's records, indices of the split, images."""
        indices = self.library.split(self.split)
        if not len(indices):
            raise ValueError(f"{self.library!r} has no deals for {self.split!r}")
        return self.library.records, indices, NUM_SYMMETRIES if self.split == "training" else 1


class RandomDeals:
    """Fresh random deals, solved only as far as their contracts ask."""

    solved = False

    def draw(self, key: NDArray[np.uint64], number: NDArray[np.int64]) -> Boards:
        return boards_of(deals_of(streams.key(key, "random deal")))


class EstimatedDeals:
    """Fresh random deals, the same as of ``RandomDeals``, with tricks drawn from estimated distributions.

    All 20 entries of a table are drawn at one quantile of theirs, high for one side where it is low for the
    other: then each entry has its estimated distribution, so that the expected score of a contract is the
    estimator's, and tables are as consistent as hands of the same luck would make them.
    """

    solved = True
    estimated = True

    def draw(self, key: NDArray[np.uint64], number: NDArray[np.int64]) -> Boards:
        owner = deals_of(streams.key(key, "random deal"))
        luck = streams.uniforms(streams.key(key, "estimated tricks"), 1)
        of_declarer = np.where(np.arange(4) & 1, 1 - luck, luck)  # (N, 4)
        tricks = quantile(builtin_estimator().distribution(owner), of_declarer[:, :, None])
        return Boards(owner, *_unknown(len(key)), tricks=tricks)


class FixedDeals:
    """The boards of ``boards_of``, in order and then from the start again; each table begins at another one."""

    def __init__(self, boards: Boards) -> None:
        if not len(boards):
            raise ValueError("there is no board among the deals")
        self.boards = boards

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def solved(self) -> bool:
        return self.boards.solved

    def draw(self, key: NDArray[np.uint64], number: NDArray[np.int64]) -> Boards:
        return self.boards.take((number % len(self.boards)).astype(np.intp))


def pbn_deals(path: str | os.PathLike[str]) -> FixedDeals:
    """Read the boards of a PBN file, plain or gzipped, with their dealers, vulnerabilities and double-dummy tables.

    Boards that cannot be read are left out, with a warning that has their number and the first problem.

    Raises:
        ValueError: no board can be read.
    """
    found = read_boards(path)
    if lost := [problem for problem in found.problems if problem.board]:
        warnings.warn(f"left out {len(lost)} boards; {lost[0]}", UserWarning, stacklevel=2)
    if not found.boards:
        raise ValueError(f"{os.fspath(path)} has no board that can be read")
    return FixedDeals(
        boards_of(
            np.stack([board.owner for board in found.boards]),
            tricks=tables_of(found.boards),
            dealer=np.array([board.dealer for board in found.boards]),
            vulnerability=np.array([board.vulnerability for board in found.boards]),
        )
    )


def _unknown(count: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return dealer and vulnerability of a source that has none."""
    unknown = np.full(count, UNKNOWN, np.int8)
    return unknown, unknown


def resolve(deals: object) -> DealSource:
    """Return the deal source that the env's argument ``deals`` names; see the top of this module.

    Raises:
        ValueError: it names none; the message lists the choices.
        DealError: an array that does not hold deals.
        FileNotFoundError: there is no such file.
    """
    if isinstance(deals, str | os.PathLike):
        name = os.fspath(deals)
        if name in ("training", "judging", "library"):
            return LibraryDeals("all" if name == "library" else name)
        if name == "random":
            return RandomDeals()
        if name == "estimated":
            return EstimatedDeals()
        suffix = name.removesuffix(".gz").rpartition(".")[2].lower()
        if suffix in ("pbn", "bdl"):
            if not os.path.isfile(name):
                raise FileNotFoundError(f"deals={name!r}: there is no such file")
            return pbn_deals(name) if suffix == "pbn" else LibraryDeals("all", name)
    elif not isinstance(deals, type) and callable(getattr(deals, "draw", None)):
        return cast(DealSource, deals)
    elif isinstance(deals, np.ndarray | list | tuple):
        return FixedDeals(boards_of(np.array(deals)))  # a copy, because the caller may write to the array
    raise ValueError(f"deals={deals!r}: use one of {_NAMES}, an array of owners (N, 52), or a DealSource")
