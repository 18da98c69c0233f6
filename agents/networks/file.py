"""The file of a network that bids: whole numbers and a JSON header in an ``.npz`` that cannot run code.

===========================================  =======================================================================
member                                       what it holds
===========================================  =======================================================================
``header``                                   JSON as uint8: format, version, input layout, the layers' scales, who
                                             trained it on what, and the SHA-256 of all the rest
``policy_weight_0``, ``policy_weight_1`` ..  int16 (inputs, outputs) of each layer of the policy, first to last
``policy_bias_0`` ...                        int32 (outputs,)
``belief_weight_0``, ``belief_bias_0`` ...   the same of the belief, if it has one
===========================================  =======================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.networks.inputs import LAYOUT, MOST_ON, NUM_INPUTS
from agents.networks.network import Layer, Network, NetworkError, check
from bridge_env.bidders import SpecError
from bridge_env.calls import NUM_CALLS
from bridge_env.weights import read_weights, write_weights

FORMAT = "bridge-env network"
_EXPECTED = {"format": FORMAT, "version": 1, "inputs": LAYOUT}
_MOST_LAYERS = 8
_KINDS = {
    f"{head}_{part}_{number}": kind
    for head in ("policy", "belief")
    for part, kind in (("weight", "int16"), ("bias", "int32"))
    for number in range(_MOST_LAYERS)
}


class NetworkFileError(SpecError):
    """A file that holds no network that bids, or a damaged one; the message names the file and the fault."""


@dataclass(frozen=True, eq=False)
class Networks:
    """What a file holds.

    Attributes:
        policy: from the inputs to 38 calls.
        belief: from the inputs to what the others hold (``agents.networks.belief``), or None.
        trained: what trained it, as JSON can say it.
    """

    policy: Network
    belief: Network | None = None
    trained: Mapping[str, Any] = field(default_factory=dict)


def save(networks: Networks, path: str | os.PathLike[str]) -> None:
    """Write a file; a reader sees the old file or the new one, never a part."""
    scales, arrays = {}, {}
    for head, network in (("policy", networks.policy), ("belief", networks.belief)):
        if network is not None:
            scales[head] = [layer.scale for layer in network.layers]
            for number, layer in enumerate(network.layers):
                arrays[f"{head}_weight_{number}"], arrays[f"{head}_bias_{number}"] = layer.weight, layer.bias
    header = _EXPECTED | {"scales": scales, "trained": dict(networks.trained)}
    write_weights(path, header, arrays, _KINDS, compressed=True)


def load(path: str | os.PathLike[str]) -> Networks:
    """Read a file. Nothing in it is ever run.

    Raises:
        NetworkFileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    name = os.fspath(path)
    try:
        header, arrays = read_weights(name, "network", _EXPECTED, _KINDS)
        scales = dict(header["scales"])
        policy = _network("policy", scales, arrays, NUM_CALLS)
        belief = _network("belief", scales, arrays, None) if "belief" in scales else None
        return Networks(policy, belief, dict(header.get("trained", {})))
    except KeyError as error:
        raise NetworkFileError(f"policy:{name}: {error} is missing") from None
    except (ValueError, TypeError) as error:
        raise NetworkFileError(f"policy:{name}: {error}") from None


def _network(head: str, scales: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], outputs: int | None) -> Network:
    given = [float(scale) for scale in scales[head]]
    if not 1 <= len(given) <= _MOST_LAYERS:
        raise NetworkError(f"the {head} has {len(given)} layers; there are 1 to {_MOST_LAYERS}")
    layers = [Layer(arrays[f"{head}_weight_{i}"], arrays[f"{head}_bias_{i}"], scale) for i, scale in enumerate(given)]
    network = Network(tuple(layers))
    width = int(np.size(layers[-1].bias)) if outputs is None else outputs
    check(network, NUM_INPUTS, width, MOST_ON)
    return network
