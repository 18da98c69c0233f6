"""The file of a case base, one of ``bridge_env.weights``.

========================  =========================================================================================
member                    what it holds
========================  =========================================================================================
``header``                JSON as uint8: format, version, layout of the features, the system by which calls are read,
                          ``k``, what it was fitted to
``auction`` ... ``point`` the arrays of ``CaseBase``, under their names and as its attributes say
``kept_board`` ...        the arrays of ``Retained``: ``kept_board``, ``kept_number``, ``kept_hand``, ``kept_point``,
                          ``kept_worth``
``weight_0_0 bias_0_0``   float32, the metric's layers: ``weight_0_1`` is the second layer of the first member, and so
                          on
``trees_0_root`` ...      the arrays of ``Forest``, of the first and the second forest
========================  =========================================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidder_files import faults_of
from agents.cases import forest as trees
from agents.cases.base import UNTRIED, CaseBase, Retained
from agents.cases.features import LAYOUT, SIZE
from agents.cases.forest import MOST_LEAVES, Forest
from agents.cases.metric import Layer, Member, dimensions, metric_of
from bridge_env.auction import MAX_CALLS, Auctions
from bridge_env.calls import NUM_CALLS
from bridge_env.weights import read_weights, write_weights

_EXPECTED = {"format": "bridge-env cases", "version": 3, "layout": LAYOUT}
_CASES = {
    "auction": "int8", "dealer": "uint8", "vulnerability": "uint8", "result": "int8", "board": "int32",
    "number": "int16", "hand": "uint8", "point": "int16",
}  # fmt: skip
_KEPT = {"board": "int32", "number": "int16", "hand": "uint8", "point": "int16", "worth": "int8"}
_FORESTS = 2
_KINDS = trees.kinds(_FORESTS) | _CASES | {f"kept_{name}": kind for name, kind in _KEPT.items()}
_MOST_NEIGHBOURS = 1000
_MOST_IMPS = 24


def save(base: CaseBase, path: str | os.PathLike[str]) -> None:
    """Write a case base; a reader sees the old file or the new one, never a part."""
    told = {"k": base.k, "reader": base.reader, "fitted": dict(base.fitted)}
    arrays = {name: getattr(base, name) for name in _CASES}
    arrays |= {f"kept_{name}": getattr(base.retained, name) for name in _KEPT}
    for which, member in enumerate(base.metric):
        for number, (weight, bias) in enumerate(member):
            arrays[f"weight_{which}_{number}"], arrays[f"bias_{which}_{number}"] = weight, bias
    write_weights(path, _EXPECTED | told, arrays | trees.arrays(base.forests), _KINDS)


def load(path: str | os.PathLike[str]) -> CaseBase:
    """Read a case base. Nothing in it is ever run.

    Raises:
        BidderFileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    with faults_of(f"cases:{os.fspath(path)}"):
        header, arrays = read_weights(path, "case", _EXPECTED, _KINDS)
        cases = {kind: arrays.pop(kind) for kind in _CASES}
        retained = Retained(**{kind: arrays.pop(f"kept_{kind}") for kind in _KEPT})
        names = [item.name for item in fields(Forest)]
        first, second = (Forest(*(arrays[f"trees_{which}_{name}"] for name in names)) for which in range(_FORESTS))
        base = CaseBase(
            **cases, retained=retained, k=header["k"], reader=header["reader"],
            metric=_metric(arrays), forests=(first, second), fitted=header.get("fitted") or {},
        )  # fmt: skip
        check(base)
        return base


def _metric(arrays: Mapping[str, Any]) -> tuple[Member, ...]:
    members: list[list[Layer]] = []
    while f"weight_{len(members)}_0" in arrays:
        which = len(members)
        count = sum(name.startswith(f"weight_{which}_") for name in arrays)
        members.append([(arrays[f"weight_{which}_{i}"], arrays[f"bias_{which}_{i}"]) for i in range(count)])
    return metric_of(members, SIZE)


def check(base: CaseBase) -> None:
    """Raises: ValueError: the arrays do not fit each other, or hold what no case holds."""
    for forest in base.forests:
        trees.check(forest, SIZE + dimensions(base.metric))
    if len(base.forests[0]) != len(base.forests[1]):
        raise ValueError("a base has two forests of as many trees")
    _check_shapes(base)
    if not len(base) or not 1 <= base.auction.shape[1] <= MAX_CALLS:
        raise ValueError("it holds no case")
    if type(base.k) is not int or not 1 <= base.k <= _MOST_NEIGHBOURS:
        raise ValueError(f"k is {base.k!r}, not 1 to {_MOST_NEIGHBOURS}")
    if not isinstance(base.reader, str) or not base.reader.startswith("system:"):
        raise ValueError(f"calls are read by {base.reader!r}, which is no system")
    boards, wide = base.auction.shape
    _within(base.dealer, 0, 3, "dealer")
    _within(base.vulnerability, 0, 3, "vulnerability")
    _within(base.auction, -1, NUM_CALLS - 1, "auction")
    for column, (least, most) in enumerate(((-2, 34), (0, 2), (-1, 3), (-1, 13))):
        _within(base.result[:, column], least, most, "result")
    for part in (base, base.retained):
        _within(part.board, 0, boards - 1, "board")
        _within(part.number, 0, wide - 1, "number")
        _within(part.point, 0, MOST_LEAVES - 1, "point")
        if (base.auction[part.board, part.number] < 0).any():
            raise ValueError("a case has no call")
        if (np.unpackbits(part.hand, axis=1, count=52).sum(axis=1) != 13).any() or (part.hand[:, 6] & 15).any():
            raise ValueError("a hand has not thirteen cards")
    worth = base.retained.worth
    _within(worth[worth != UNTRIED], -_MOST_IMPS, _MOST_IMPS, "worth")
    Auctions.replay(base.auction, base.dealer, base.vulnerability)  # says which call is not legal


def _check_shapes(base: CaseBase) -> None:
    boards, cases, kept = len(base.dealer), len(base.board), len(base.retained)
    places = len(base.forests[0])
    wide = base.auction.shape[1] if base.auction.ndim == 2 else 0
    shapes = {
        "auction": (boards, wide), "dealer": (boards,), "vulnerability": (boards,), "result": (boards, 4),
        "board": (cases,), "number": (cases,), "hand": (cases, 7), "point": (cases, places),
    }  # fmt: skip
    of_kept = {
        "board": (kept,), "number": (kept,), "hand": (kept, 7), "point": (kept, places), "worth": (kept, NUM_CALLS)
    }  # fmt: skip
    for part, expected in ((base, shapes), (base.retained, of_kept)):
        for name, shape in expected.items():
            if getattr(part, name).shape != shape:
                raise ValueError(f"{name} is {getattr(part, name).shape}, not {shape}")


def _within(array: NDArray[Any], least: int, most: int, name: str) -> None:
    if array.size and not least <= int(array.min()) <= int(array.max()) <= most:
        raise ValueError(f"{name} has values outside {least} to {most}")
