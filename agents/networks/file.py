"""The files of a network that bids: whole numbers and a JSON header in an ``.npz`` that cannot run code.

``NAME.npz`` holds the policy. ``NAME.belief.npz`` beside it, if there is one, holds the belief that belongs to it.

============================  ====================================================================================
member                        what it holds
============================  ====================================================================================
``header``                    JSON as uint8: format, version, input layout, the layers' scales, who trained it on
                              what, and the SHA-256 of all the rest; a belief's also names the policy that it is of
``weight_0``, ``weight_1`` ..  int16 (inputs, outputs) of each layer, first to last
``bias_0`` ...                int32 (outputs,)
============================  ====================================================================================
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from agents.networks.inputs import BELIEFS, LAYOUT, MOST_ON, NUM_INPUTS
from agents.networks.network import Layer, Network, NetworkError, check
from bridge_env.bidders import SpecError
from bridge_env.calls import NUM_CALLS
from bridge_env.weights import read_weights, write_weights

FORMAT, BELIEF_FORMAT = "bridge-env network", "bridge-env belief"
_EXPECTED = {"format": FORMAT, "version": 2, "inputs": LAYOUT}
_BELIEF_EXPECTED = _EXPECTED | {"format": BELIEF_FORMAT}
_MOST_LAYERS = 8
_KINDS = {f"{part}_{i}": kind for part, kind in (("weight", "int16"), ("bias", "int32")) for i in range(_MOST_LAYERS)}


class NetworkFileError(SpecError):
    """A file that holds no network that bids, or a damaged one; the message names the file and the fault."""


@dataclass(frozen=True, eq=False)
class Networks:
    """What the files of a network hold.

    Attributes:
        policy: from the inputs to 38 calls.
        belief: from the inputs to what the others hold (``agents.networks.belief``), or None.
        trained: what trained it, as JSON can say it.
    """

    policy: Network
    belief: Network | None = None
    trained: Mapping[str, Any] = field(default_factory=dict)


def belief_path(path: str | os.PathLike[str]) -> Path:
    """Return where the belief of a network's file lies."""
    return Path(path).with_name(f"{Path(path).stem}.belief.npz")


def save(networks: Networks, path: str | os.PathLike[str]) -> None:
    """Write the policy's file, and the belief's beside it if there is one; a reader never sees a part of a file."""
    _write(_EXPECTED | {"trained": dict(networks.trained)}, networks.policy, path)
    if networks.belief is not None:
        save_belief(networks, path)
    else:
        belief_path(path).unlink(missing_ok=True)  # that of another network


def save_belief(networks: Networks, path: str | os.PathLike[str]) -> None:
    """Write the belief's file alone, beside the policy's at ``path``."""
    assert networks.belief is not None
    _write(_BELIEF_EXPECTED | {"policy": digest(networks.policy)}, networks.belief, belief_path(path))


def load(path: str | os.PathLike[str]) -> Networks:
    """Read a policy's file, and the belief's beside it. Nothing in them is ever run.

    Raises:
        NetworkFileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    policy, header = _read(path, _EXPECTED, NUM_CALLS)
    belief = None
    if belief_path(path).is_file():
        belief, says = _read(belief_path(path), _BELIEF_EXPECTED, BELIEFS)
        if says.get("policy") != digest(policy):
            raise NetworkFileError(
                f"policy:{belief_path(path)}: this belief is of another network; fit it again, or remove it"
            )
    return Networks(policy, belief, dict(header.get("trained", {})))


def digest(network: Network) -> str:
    """Return a hash that identifies a network."""
    out = hashlib.sha256()
    for layer in network.layers:
        out.update(layer.weight.astype("<i2").tobytes() + layer.bias.astype("<i4").tobytes())
    return out.hexdigest()


def _write(header: Mapping[str, Any], network: Network, path: str | os.PathLike[str]) -> None:
    arrays: dict[str, NDArray[Any]] = {}
    for number, layer in enumerate(network.layers):
        arrays[f"weight_{number}"], arrays[f"bias_{number}"] = layer.weight, layer.bias
    scales = [layer.scale for layer in network.layers]
    write_weights(path, {**header, "scales": scales}, arrays, _KINDS, compressed=True)


def _read(path: str | os.PathLike[str], expected: Mapping[str, Any], outputs: int) -> tuple[Network, Mapping[str, Any]]:
    name = os.fspath(path)
    try:
        header, arrays = read_weights(name, "network", expected, _KINDS)
        scales = [float(scale) for scale in header["scales"]]
        if not 1 <= len(scales) <= _MOST_LAYERS:
            raise NetworkError(f"it has {len(scales)} layers; there are 1 to {_MOST_LAYERS}")
        layers = [Layer(arrays[f"weight_{i}"], arrays[f"bias_{i}"], scale) for i, scale in enumerate(scales)]
        network = Network(tuple(layers))
        check(network, NUM_INPUTS, outputs, MOST_ON)
        return network, header
    except KeyError as error:
        raise NetworkFileError(f"policy:{name}: {error} is missing") from None
    except (ValueError, TypeError) as error:
        raise NetworkFileError(f"policy:{name}: {error}") from None
