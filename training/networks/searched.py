"""Search at a network's own decisions: what each of its likely calls is worth over deals that fit the auction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import NetworkBidder
from agents.networks.file import Networks
from agents.networks.inputs import Sparse, inputs_of
from agents.networks.shipped import read_networks
from agents.reasoning.doubting import Doubter
from agents.reasoning.options import Options
from agents.reasoning.voices import NetworkVoice
from bridge_env import streams
from bridge_env.bidders import make
from bridge_env.calls import NUM_CALLS
from bridge_env.weights import WeightsError, read_weights, write_weights
from training.match.boards import library_boards
from training.networks.belief_fit import decisions
from training.running.runs import RunError

BOARDS = 50
"""Boards of a task, each bid at two tables."""
CANDIDATES = Options().candidates
_EXPECTED = {"format": "bridge-env search", "version": 1}
_KINDS = {"numbers": "uint16", "lengths": "uint8", "mask": "uint8", "calls": "int8", "gain": "float32"}


@dataclass(frozen=True)
class Searched:
    """N decisions of a network.

    Attributes:
        rows: the inputs that are on.
        mask: bool (N, 38), the legal calls.
        calls: int8 (N, CANDIDATES), the calls that were weighed, its usual one first; -1 behind the last.
        gain: float32 (N, CANDIDATES), IMPs that each gains over the usual call on average; 0 behind the last.
    """

    rows: Sparse
    mask: NDArray[np.bool_]
    calls: NDArray[np.int8]
    gain: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.calls)

    @property
    def hard(self) -> NDArray[np.bool_]:
        """Where there was a choice, bool (N,)."""
        open_: NDArray[np.bool_] = self.calls[:, 1] >= 0
        return open_

    def write(self, path: Path) -> None:
        """Write a file that ``read`` takes."""
        numbers, starts = self.rows
        arrays = {
            "numbers": numbers, "lengths": np.diff(starts), "mask": np.packbits(self.mask, axis=1),
            "calls": self.calls, "gain": self.gain,
        }  # fmt: skip
        write_weights(path, _EXPECTED, arrays, _KINDS, compressed=True)


def search(networks: Networks, pool: Sequence[str], samples: int, seed: int, number: int) -> Searched:
    """Search at all decisions that a network has on some training boards, at both tables of each.

    Args:
        networks: with a belief.
        pool: networks that it meets besides itself, and by which opponents' calls are read.
        samples: deals for each decision.
        number: of the boards: ``BOARDS`` of them from ``number * BOARDS`` on. They meet everybody in turn.
    """
    assert networks.belief is not None
    me = NetworkBidder(networks)
    others = [me, *(make(spec) for spec in pool)]
    boards = library_boards(BOARDS, seed, "training", start=number * BOARDS)
    view, _ = decisions(me, others[number % len(others)], boards, seed)
    models = [networks.player, *(read_networks(spec.partition(":")[2]).player for spec in pool)]
    doubter = Doubter(NetworkVoice(me), networks.belief, models, Options(samples=samples))
    worths = doubter.worths(view, streams.key("search", seed, number, np.arange(len(view))))
    calls = np.full((len(view), CANDIDATES), -1, np.int8)
    gain = np.zeros((len(view), CANDIDATES), np.float32)
    calls[:, : worths.calls.shape[1]] = worths.calls
    gain[:, : worths.gain.shape[1]] = np.nan_to_num(worths.gain)
    return Searched(inputs_of(view), view.mask, calls, gain)


def read(paths: Sequence[Path]) -> tuple[Searched, NDArray[np.int64]]:
    """Read files of decisions, one behind the other; and which file each decision is of, int64 (N,).

    Raises:
        RunError: a file is damaged.
        OSError: it cannot be read.
    """
    parts = []
    for path in paths:
        try:
            parts.append(read_weights(path, "search", _EXPECTED, _KINDS)[1])
        except WeightsError as error:
            raise RunError(f"{path}: {error}; remove the file, and --resume searches these boards again") from None
    numbers, lengths, mask, calls, gain = (np.concatenate([part[name] for part in parts]) for name in _KINDS)
    starts = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))])
    which = np.repeat(np.arange(len(parts)), [len(part["calls"]) for part in parts])
    return Searched((numbers, starts), np.unpackbits(mask, axis=1, count=NUM_CALLS).astype(bool), calls, gain), which
