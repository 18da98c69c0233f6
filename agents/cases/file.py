"""Read and write the file of a case base, one of ``bridge_env.io.weights``.

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

from agents.bidder_files import faults_of
from agents.cases import forest as trees
from agents.cases.base import CaseBase, Retained
from agents.cases.features import LAYOUT, SIZE
from agents.cases.forest import Forest
from agents.cases.metric import Layer, Member, metric_of
from bridge_env.io.weights import read_weights, write_weights

_EXPECTED = {"format": "bridge-env cases", "version": 3, "layout": LAYOUT}
_CASES = {
    "auction": "int8", "dealer": "uint8", "vulnerability": "uint8", "result": "int8", "board": "int32",
    "number": "int16", "hand": "uint8", "point": "int16",
}  # fmt: skip
_RETAINED = {"board": "int32", "number": "int16", "hand": "uint8", "point": "int16", "worth": "int8"}
_FORESTS = 2
_KINDS = trees.kinds(_FORESTS) | _CASES | {f"kept_{name}": kind for name, kind in _RETAINED.items()}


def save(base: CaseBase, path: str | os.PathLike[str]) -> None:
    """Write a case base; a reader sees the old file or the new one, never a part."""
    header_fields = {"k": base.k, "reader": base.reader, "fitted": dict(base.fitted)}
    arrays = {name: getattr(base, name) for name in _CASES}
    arrays |= {f"kept_{name}": getattr(base.retained, name) for name in _RETAINED}
    for which, member in enumerate(base.metric):
        for number, (weight, bias) in enumerate(member):
            arrays[f"weight_{which}_{number}"], arrays[f"bias_{which}_{number}"] = weight, bias
    write_weights(path, _EXPECTED | header_fields, arrays | trees.arrays(base.forests), _KINDS)


def load(path: str | os.PathLike[str]) -> CaseBase:
    """Read a case base. Nothing in it is ever run.

    Raises:
        BidderFileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    with faults_of(f"cases:{os.fspath(path)}"):
        header, arrays = read_weights(path, "case", _EXPECTED)
        cases = {kind: arrays.pop(kind) for kind in _CASES}
        retained = Retained(**{kind: arrays.pop(f"kept_{kind}") for kind in _RETAINED})
        names = [item.name for item in fields(Forest)]
        first, second = (Forest(*(arrays[f"trees_{which}_{name}"] for name in names)) for which in range(_FORESTS))
        return CaseBase(
            **cases, retained=retained, k=header["k"], reader=header["reader"],
            metric=_metric(arrays), forests=(first, second), fitted=header.get("fitted") or {},
        )  # fmt: skip


def _metric(arrays: Mapping[str, Any]) -> tuple[Member, ...]:
    members: list[list[Layer]] = []
    while f"weight_{len(members)}_0" in arrays:
        which = len(members)
        count = sum(name.startswith(f"weight_{which}_") for name in arrays)
        members.append([(arrays[f"weight_{which}_{i}"], arrays[f"bias_{which}_{i}"]) for i in range(count)])
    return metric_of(members, SIZE)
