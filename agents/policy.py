"""Let a trained policy bid: a masked multilayer perceptron in plain numpy, with weights and JSON in one file.

The file is one of ``bridge_env.weights``:

==============================  ====================================================================================
member                          what it holds
==============================  ====================================================================================
``header``                      JSON as uint8: format, version, observation layout, layers, activation, what trained
                                it, and the SHA-256 of all the rest
``weight_0``, ``weight_1`` ...  float32 (inputs, outputs) of each layer, first to last
``bias_0``, ``bias_1`` ...      float32 (outputs,)
==============================  ====================================================================================

The policy makes the legal call with the highest output, the lowest such call in a tie; no chance is used. Its sums are
exact (``agents.exact``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidder_files import faults_of
from agents.exact import Layer, rounded, through
from agents.outputs import highest_legal
from bridge_env.calls import NUM_CALLS
from bridge_env.observation import LAYOUT, OBSERVATION_SIZE
from bridge_env.view import BidView
from bridge_env.weights import read_weights, write_weights

POLICY_FORMAT = "bridge-env policy"
_EXPECTED = {"format": POLICY_FORMAT, "version": 1, "observation": LAYOUT, "activation": "relu"}
_MOST_LAYERS = 16


@dataclass(frozen=True, eq=False)
class Policy:
    """A perceptron that bids."""

    layers: tuple[Layer, ...]  # (weight, bias) of each layer, float64; ``policy`` makes them from any floats
    trained: Mapping[str, Any] = field(default_factory=dict)  # what trained it, as JSON can say it

    def logits(self, observation: NDArray[np.int8]) -> NDArray[np.float64]:
        """The outputs, float64 (N, 38), for observations (N, 480)."""
        return through(self.layers, observation.astype(np.float64))

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """The legal call with the highest output, for every row."""
        return highest_legal(self.logits, view)


def policy(layers: Sequence[tuple[Any, Any]], trained: Mapping[str, Any] | None = None) -> Policy:
    """A policy of the given (weight (inputs, outputs), bias (outputs,)) pairs, rounded as the file has them.

    Raises:
        ValueError: the layers do not lead from 480 inputs to 38 outputs, or their numbers are too large.
    """
    rows = rounded(layers, OBSERVATION_SIZE, "a policy", _MOST_LAYERS, 1.0)
    for array in (array for layer in rows for array in layer):
        array.flags.writeable = False
    if (width := len(rows[-1][1])) != NUM_CALLS:
        raise ValueError(f"the last layer has {width} outputs; there are {NUM_CALLS} calls")
    return Policy(rows, dict(trained or {}))


# --- the file ------------------------------------------------------------------------------------------------


def save(bidder: Policy, path: str | os.PathLike[str]) -> None:
    """Write a policy's file; a reader sees the old file or the new one, never a part."""
    header = _EXPECTED | {
        "layers": [list(weight.shape) for weight, _ in bidder.layers], "trained": dict(bidder.trained),
    }  # fmt: skip
    arrays = {}
    for number, (weight, bias) in enumerate(bidder.layers):
        arrays[f"weight_{number}"], arrays[f"bias_{number}"] = weight, bias
    write_weights(path, header, arrays)


def load(path: str | os.PathLike[str]) -> Policy:
    """Read a policy's file. Nothing in it is ever run.

    Raises:
        BidderFileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    with faults_of(f"policy:{os.fspath(path)}"):
        header, arrays = read_weights(path, "policy", _EXPECTED)
        layers = [(arrays[f"weight_{i}"], arrays[f"bias_{i}"]) for i in range(len(arrays) // 2)]
        return policy(layers, header.get("trained"))
