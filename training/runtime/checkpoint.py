"""Save and load the state of a learner: weights and Adam's moments, as arrays that cannot run code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bridge_env.io.json_files import check_type
from bridge_env.io.weights import WeightsError, read_weights, write_weights
from training.runtime.runs import RunError

_EXPECTED = {"format": "bridge-env learner", "version": 1}

Arrays = dict[str, NDArray[Any]]


def learner_arrays(name: str, model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> Arrays:
    """Return a model's weights and its optimizer's moments by name."""
    out = {}
    for number, parameter in enumerate(model.parameters()):
        out[f"{name}.{number}"] = parameter.detach().numpy().copy()
        state = optimizer.state.get(parameter, {})
        for moment in ("exp_avg", "exp_avg_sq"):
            if moment in state:
                out[f"{name}.{number}.{moment}"] = state[moment].numpy().copy()
                out[f"{name}.step"] = np.array([float(state["step"])], np.float32)
    return out


def load_learner(name: str, arrays: Arrays, model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Load the arrays of ``learner_arrays`` into a model and its optimizer."""
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.copy_(torch.from_numpy(arrays[f"{name}.{number}"]))
            if f"{name}.step" in arrays:
                optimizer.state[parameter] = {
                    "step": torch.tensor(float(arrays[f"{name}.step"][0])),
                    "exp_avg": torch.from_numpy(arrays[f"{name}.{number}.exp_avg"].copy()),
                    "exp_avg_sq": torch.from_numpy(arrays[f"{name}.{number}.exp_avg_sq"].copy()),
                }


def save(path: Path, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> None:
    """Write arrays (float32) and a state that JSON can represent, atomically."""
    write_weights(path, _EXPECTED | {"state": dict(state)}, arrays)


def load(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the state of a checkpoint.

    Raises:
        RunError: there is no such file, or it is damaged.
    """
    try:
        header, arrays = read_weights(path, "checkpoint", _EXPECTED)
    except WeightsError as error:
        raise RunError(f"{path}: {error}") from None
    return arrays, check_type(header.get("state"), dict[str, Any], f"{path}: state", RunError)
