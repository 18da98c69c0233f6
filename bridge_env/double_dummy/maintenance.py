"""Maintain libraries of solved deals: inspect, verify, merge, import."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bridge_env import streams
from bridge_env.calls import STRAINS
from bridge_env.cards import SEATS
from bridge_env.double_dummy.dds import DdsDoubleDummy
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import Library, LibraryError, write_records
from bridge_env.double_dummy.packing import DEAL_BYTES
from bridge_env.protocols import DoubleDummy

PathLike = str | os.PathLike[str]

OUR_SOLVER = "bridge_env.double_dummy.own"
"""What the record of a library says of the solver that made it."""


def info(path: PathLike) -> dict[str, Any]:
    """Describe a library: file name, bytes, deals, those for training and for judging, how it was made.

    Raises:
        LibraryError: not a whole, sound library.
    """
    library = Library.open(path)
    return {
        "file": library.path.name,
        "bytes": library.path.stat().st_size,
        "deals": len(library),
        "training": len(library.split("training")),
        "judging": len(library.split("judging")),
        "made": library.made,
    }


def verify(path: PathLike, sample: int = 20, *, solver: DoubleDummy | None = None, seed: int = 0) -> int:
    """Check a library: its checksum, every deal and entry, and a random sample solved again.

    Args:
        sample: deals to solve again, about 0.4 s of CPU each.
        solver: what solves them; None = ``second_opinion`` of the library's record.
        seed: names the sample.

    Returns:
        How many deals were solved again: ``sample``, or all there are.

    Raises:
        LibraryError: what is wrong, and where.
    """
    library = Library.open(path)
    solver = solver or second_opinion(library.made)
    return verify_sample(library.path.name, library.owners(), library.tricks_at(), sample, solver=solver, seed=seed)


def second_opinion(made: Mapping[str, Any], threads: int | None = None) -> ExactDoubleDummy:
    """Return a solver that shares no line with the one that made a library: DDS for ours, ours for all else."""
    ours = OUR_SOLVER in str(made)  # also as one of several that were merged
    return DdsDoubleDummy(threads) if ours else ExactDoubleDummy(threads)


def verify_sample(
    name: str,
    owner: ArrayLike,
    tricks: ArrayLike,
    sample: int,
    *,
    solver: DoubleDummy | None = None,
    seed: int = 0,
) -> int:
    """Solve ``sample`` random deals of ``owner`` (N, 52) again and compare with ``tricks`` (N, 4, 5).

    ``solver`` None is ``ExactDoubleDummy()``.

    Returns:
        How many were solved.

    Raises:
        LibraryError: an entry differs; names the deal, the entry and both numbers, and ``name``.
    """
    deals, tables = np.asarray(owner, np.uint8), np.asarray(tricks)
    chosen = np.sort(np.argsort(streams.key("verify", seed, np.arange(len(deals))))[:sample])
    solved = (solver or ExactDoubleDummy()).tricks(deals[chosen])
    wrong = np.argwhere(solved != tables[chosen])
    if wrong.size:
        row, seat, strain = wrong[0]
        deal = chosen[row]
        raise LibraryError(
            f"{name}: deal {deal} gives {SEATS[seat]} {tables[deal, seat, strain]} tricks in "
            f"{STRAINS[strain]}; solved again it is {solved[row, seat, strain]}"
        )
    return len(chosen)


def merge(paths: Sequence[PathLike], out: PathLike) -> int:
    """Merge several libraries into one, in their order, without duplicate deals.

    Returns:
        How many deals ``out`` holds.

    Raises:
        LibraryError: one is not a whole, sound library, or two disagree about a deal.
    """
    libraries = [Library.open(path) for path in paths]
    records = np.concatenate([library.records for library in libraries])
    deals = np.ascontiguousarray(records[:, :DEAL_BYTES]).view(f"S{DEAL_BYTES}").ravel()
    _, first, which = np.unique(deals, return_index=True, return_inverse=True)
    first_of = first[which]  # for every record the index of the first one with the same deal
    differs = np.flatnonzero((records != records[first_of]).any(axis=1))
    if differs.size:
        ends = np.cumsum([len(library) for library in libraries])
        a, b = (int(np.searchsorted(ends, i, "right")) for i in (first_of[differs[0]], differs[0]))
        raise LibraryError(f"{libraries[a].path} and {libraries[b].path} disagree about a deal: verify both")
    kept = records[first_of == np.arange(len(records))]
    origins = _origins([library.made for library in libraries])
    whole_range = len(origins) == 1 and origins[0].get("count") == len(kept)
    write_records(out, kept, origins[0] if whole_range else {"merged": origins})
    return len(kept)


def _origins(made: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The records of merged libraries as one flat list, in which a range of deals and the next are one range."""
    origins: list[dict[str, Any]] = []
    for record in made:
        for origin in _origins(_merged(record)) if _merged(record) else [dict(record)]:
            if origins and _goes_on(origins[-1], origin):
                origins[-1]["count"] += origin["count"]
                if "verified" in origin or "verified" in origins[-1]:
                    origins[-1]["verified"] = origins[-1].get("verified", 0) + origin.get("verified", 0)
            else:
                origins.append(origin)
    return origins


def _merged(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The records of which this one was merged; none where it was not, or says something else by the word."""
    merged = record.get("merged")
    return merged if isinstance(merged, list) and all(isinstance(one, dict) for one in merged) else []


def _goes_on(origin: Mapping[str, Any], following: Mapping[str, Any]) -> bool:
    """Does ``following`` record the range of deals right after that of ``origin``, solved in the same way?"""
    own = ("start", "count", "verified", "verified_seed")
    same = [{k: v for k, v in record.items() if k not in own} for record in (origin, following)]
    whole = [record.get(k, 0) for record in (origin, following) for k in ("start", "count", "verified")]
    ranges = all(k in record for record in (origin, following) for k in ("start", "count"))
    return (
        ranges
        and all(type(number) is int for number in whole)
        and same[0] == same[1]
        and origin["start"] + origin["count"] == following["start"]
    )
