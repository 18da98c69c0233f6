"""Let any model bid that has an output for every call: the highest one that is legal is made.

A model is a function, a network over the env's observations, or one in an ONNX file: ``policy:FILE.onnx``, run by
onnxruntime.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.networks.file import Networks
from bridge_env.bidders.observation import OBSERVATION_SIZE, observe
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import BidView
from bridge_env.io.optional_dependencies import missing
from bridge_env.rules.calls import NUM_CALLS

_ROWS = 8192  # bid at a time, to bound memory
SUFFIX = ".onnx"
_TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int8)": np.int8, "tensor(uint8)": np.uint8, "tensor(int32)": np.int32, "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}  # fmt: skip


def highest_legal(outputs: Callable[[NDArray[Any]], ArrayLike], view: BidView) -> NDArray[np.int8]:
    """Return for every row the legal call with the highest output, the lowest such call in a tie: int8 (N,).

    Args:
        outputs: from observations int8 (N, 480), ``bridge_env.bidders.observation``, to numbers (N, 38).

    Raises:
        ValueError: they are of another shape, or the highest is no number.
    """
    calls = np.empty(len(view), np.int8)
    for start in range(0, len(view), _ROWS):
        part = view.take(np.arange(start, min(start + _ROWS, len(view))))
        numbers = np.asarray(outputs(observe(part)))
        if numbers.shape != part.mask.shape:
            raise ValueError(
                f"outputs of shape {numbers.shape} for {len(part)} turns; it must be ({len(part)}, {NUM_CALLS})"
            )
        chosen = np.where(part.mask, numbers, -np.inf)
        calls[start : start + len(part)] = chosen.argmax(axis=1)  # the place of a NaN, where there is one
        if not np.isfinite(chosen.max(axis=1)).all():
            raise ValueError("outputs that are no finite numbers")
    return calls


@dataclass(frozen=True)
class Outputs:
    """A bidder that makes the legal call with the highest output of a function.

    Attributes:
        function: from observations float32 (N, 480) to outputs (N, 38), such as the logits of a torch module.
    """

    function: Callable[[NDArray[np.float32]], ArrayLike]

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Return the legal call with the highest output, for every row."""
        return highest_legal(lambda seen: self.function(seen.astype(np.float32)), view)


@dataclass(frozen=True, eq=False)
class ObservationPolicy:
    """A bidder that makes the legal call with the highest output of a network over the env's observations.

    ``agents.networks.file.save(policy.networks, path)`` writes the file that ``policy:FILE`` plays.
    """

    networks: Networks  # with ``inputs`` of ``bridge_env.bidders.observation.LAYOUT``

    def outputs(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the outputs, float32 (N, 38), for observations (N, 480) of zeros and ones."""
        rows, numbers = np.nonzero(observation)
        starts = np.searchsorted(rows, np.arange(len(observation) + 1))
        return self.networks.policy.outputs(numbers.astype(np.uint16), starts)

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Return the legal call with the highest output, for every row."""
        return highest_legal(self.outputs, view)


class OnnxPolicy:
    """A bidder that makes the legal call with the highest output of an ONNX network.

    The network takes observations (N, 480), N left open, and its first output is (N, 38). Its floats may end in other
    bits on another machine or in another batch, so two calls that are all but equal may change places.

    Args:
        path: of the file. One thread runs it.

    Raises:
        SpecError: onnxruntime is not installed, cannot read the file, or the network has other inputs or outputs.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        spec = f"policy:{path}"
        if wanting := missing("onnx", "onnxruntime"):
            raise SpecError(f"{spec}: {wanting}")
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session: Any = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a class of its own for each fault
            raise SpecError(f"{spec}: onnxruntime cannot read it: {str(error).splitlines()[0]}") from error
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or not _fits(inputs[0], OBSERVATION_SIZE) or not _fits(outputs[0], NUM_CALLS):
            names = ", ".join(f"{tensor.name} {tensor.type} {tensor.shape}" for tensor in (*inputs, outputs[0]))
            raise SpecError(
                f"{spec}: its inputs and first output are {names}; one input (N, {OBSERVATION_SIZE}) and "
                f"an output (N, {NUM_CALLS}) are wanted, with N left open (torch.onnx.export: dynamic_axes)"
            )
        self._input, self._output, self._type = inputs[0].name, outputs[0].name, _TYPES[inputs[0].type]

    def __reduce__(self) -> tuple[Any, ...]:
        return OnnxPolicy, (self.path,)

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Return the legal call with the highest output, for every row."""
        run, names = self._session.run, [self._output]
        return highest_legal(lambda seen: run(names, {self._input: seen.astype(self._type)})[0], view)


def _fits(tensor: Any, width: int) -> bool:
    """Return whether a tensor has rows of this width, any number of them, of a type that numpy has."""
    shape = tensor.shape
    return len(shape) == 2 and not isinstance(shape[0], int) and shape[1] in (width, None) and tensor.type in _TYPES
