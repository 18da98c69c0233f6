"""Estimate double-dummy tricks by a network: a distribution over 0..13 for each of the 20 entries of a table.

The network is plain numpy here; ``training.estimators`` fits it. Two symmetries of the game are built in, not
learned:

- **Suits.** One encoder reads a suit as trumps, one as a side suit and one at no trump; the same ones read
  every suit. Their outputs are added up. So permuting suits permutes the estimates.
- **Seats.** Every layer has a group of channels for each seat, and its weights depend only on how far round the
  table one seat is from another. So turning the deal turns the estimates, and declarers share all weights.

An encoder maps the 13 cards of a suit for each seat, ranks 2 to A, through its layers to ``width`` channels a
seat; a strain's trunk, layers with a short cut around each, maps the sum to 14 outputs a declarer.

A linear layer over the cyclic group of four seats is done as two products of half the size: of the sums of
opposite seats and of their differences. Its weights are stored so, as P0, P1 (for sums) and Q0, Q1 (for
differences) of the map from seat q to seat q, q + 1.

An estimate is no exact result: matches are never scored with it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import ThreadpoolController

from bridge_env.compiled.jit import njit
from bridge_env.io.weights import Weights, read_weights, write_weights
from bridge_env.rules.cards import check_deals
from bridge_env.rules.scoring import SCORE_TABLE

ROLES = ("trump", "side", "notrump")
OUTCOMES = 14  # tricks 0..13
EXPECTED = {"format": "bridge-env trick estimator", "version": 1}
_ROWS = 64  # deals at a time: what a layer passes on then stays in a core's cache

Float32Array = NDArray[np.float32]


class TrickEstimator:
    """Estimates of whole double-dummy tables. Make one with :func:`load_estimator` or :func:`builtin_estimator`.

    Args:
        weights: by name, as :func:`layer_names` lists them: each layer float32 (4, inputs, outputs) a seat, with
            ``NAME_bias`` (outputs,).
        trained: how it was trained, as JSON.
        threads: how many work on the deals; None = one a core. The results are the same.
    """

    def __init__(
        self, weights: Mapping[str, ArrayLike], trained: Mapping[str, Any] | None = None, threads: int | None = None
    ) -> None:
        self.weights: Weights = {name: np.array(array, np.float32) for name, array in weights.items()}
        self.trained = dict(trained or {})
        self.threads = threads or os.cpu_count() or 1
        depth, blocks = (sum(f"{word}_{i}" in weights for i in range(len(weights))) for word in (ROLES[0], "block"))
        self._encoders = {role: [_Layer(self.weights, f"{role}_{i}") for i in range(depth)] for role in ROLES}
        self._blocks = [_Layer(self.weights, f"block_{i}") for i in range(blocks)]
        self._read = _Layer(self.weights, "read")

    def distribution(self, owner: ArrayLike) -> Float32Array:
        """Return the probability of each number of tricks.

        Args:
            owner: deals uint8 (N, 52).

        Returns:
            float32 (N, 4, 5, 14) [declarer seat, strain, tricks]; each row of 14 sums to 1.

        Raises:
            DealError: not deals.
        """
        deals = check_deals(owner)
        out = np.empty((len(deals), 4, 5, OUTCOMES), np.float32)
        starts = range(0, len(deals), _ROWS)
        # One thread for each product, and products side by side: threads within such small ones wait for each other.
        with _blas().limit(limits=1, user_api="blas"):
            if len(starts) <= 1 or self.threads == 1:
                for start in starts:
                    self._fill(deals, out, start)
            else:
                with ThreadPoolExecutor(min(self.threads, len(starts)), "bridge_env estimates") as pool:
                    for done in [pool.submit(self._fill, deals, out, start) for start in starts]:
                        done.result()
        return out

    def _fill(self, deals: NDArray[np.uint8], out: Float32Array, start: int) -> None:
        """Write the distributions of the ``_ROWS`` deals from ``start`` on."""
        rows = slice(start, start + _ROWS)
        logits = self._logits(_by_suit_and_seat(deals[rows]))
        logits -= logits.max(axis=-1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=-1, keepdims=True)
        out[rows] = logits.transpose(0, 2, 1, 3)

    def tricks(self, owner: ArrayLike) -> NDArray[np.int8]:
        """Return the medians of the distributions, int8 (N, 4, 5). Never score a match with estimates."""
        return quantile(self.distribution(owner), np.float32(0.5))

    def _logits(self, suits: Float32Array) -> Float32Array:
        """Return the outputs (n, 5, 4, 14) [strain, declarer] of suits (n, 4, 4 seats * 13 ranks)."""
        n = len(suits)
        rows = suits.reshape(4 * n, -1)
        trump, side, notrump = (_encode(self._encoders[role], rows).reshape(n, 4, -1) for role in ROLES)
        strains = np.empty((n, 5, trump.shape[-1]), np.float32)
        np.subtract(side.sum(axis=1, keepdims=True), side, out=strains[:, :4])
        strains[:, :4] += trump
        notrump.sum(axis=1, out=strains[:, 4])
        signal = strains.reshape(5 * n, -1)
        np.maximum(signal, 0, out=signal)
        for block in self._blocks:
            block.add_to(signal)
        return self._read(signal).reshape(n, 5, 4, OUTCOMES)


class _Layer:
    """A linear map of channels by seat (n, 4 * inputs) to (n, 4 * outputs), the same for every seat."""

    def __init__(self, weights: Weights, name: str) -> None:
        p0, p1, q0, q1 = weights[name]
        self._sums = np.block([[p0, p1], [p1, p0]])
        self._differences = np.block([[q0, q1], [-q1, q0]])
        self._bias = np.tile(weights[name + "_bias"], 2)

    def __call__(self, signal: Float32Array) -> Float32Array:
        sums, differences = self._halves(signal)
        out = np.empty((len(signal), 2 * sums.shape[1]), np.float32)
        _join(sums, differences, out)
        return out

    def relu(self, signal: Float32Array) -> Float32Array:
        """Return the map of ``signal``, with 0 for negative numbers."""
        out = self(signal)
        return np.maximum(out, 0, out=out)

    def add_to(self, signal: Float32Array) -> None:
        """Add the positive part of the map of ``signal`` to it: a residual layer."""
        sums, differences = self._halves(signal)
        _join_and_add(sums, differences, signal)

    def _halves(self, signal: Float32Array) -> tuple[Float32Array, Float32Array]:
        shape = len(signal), signal.shape[1] // 2
        sums, differences = np.empty(shape, np.float32), np.empty(shape, np.float32)
        _split(signal, sums, differences)
        return sums @ self._sums + self._bias, differences @ self._differences


# A pass over memory each; in numpy they would be three or four, and take as long as the products.


@njit(nogil=True)
def _split(signal, sums, differences):  # type: ignore[no-untyped-def]
    width = sums.shape[1]
    for row in range(len(signal)):
        for i in range(width):
            front, back = signal[row, i], signal[row, width + i]
            sums[row, i] = front + back
            differences[row, i] = front - back


@njit(nogil=True)
def _join(sums, differences, out):  # type: ignore[no-untyped-def]
    width = sums.shape[1]
    for row in range(len(out)):
        for i in range(width):
            out[row, i] = sums[row, i] + differences[row, i]
            out[row, width + i] = sums[row, i] - differences[row, i]


@njit(nogil=True)
def _join_and_add(sums, differences, out):  # type: ignore[no-untyped-def]
    zero, width = np.float32(0), sums.shape[1]
    for row in range(len(out)):
        for i in range(width):
            out[row, i] += max(sums[row, i] + differences[row, i], zero)
            out[row, width + i] += max(sums[row, i] - differences[row, i], zero)


def _encode(layers: list[_Layer], suits: Float32Array) -> Float32Array:
    signal = layers[0].relu(suits)
    for layer in layers[1:-1]:
        layer.add_to(signal)
    return layers[-1](signal)


def _by_suit_and_seat(owner: NDArray[np.uint8]) -> Float32Array:
    """Return deals (n, 52) as float32 (n, 4 suits, 4 seats * 13 ranks) of zeros and ones."""
    suits: NDArray[np.bool_] = owner.reshape(-1, 4, 1, 13) == np.arange(4, dtype=np.uint8)[:, None]
    return suits.reshape(-1, 4, 52).astype(np.float32)


_blas = lru_cache(maxsize=1)(ThreadpoolController)  # numpy's linear algebra; found once


# --- what follows from a distribution --------------------------------------------------------------------------


def quantile(distribution: Float32Array, q: ArrayLike) -> NDArray[np.int8]:
    """Return the ``q``-quantile: the fewest tricks not exceeded with probability ``q``. int8, one axis less.

    Args:
        distribution: (..., 14).
        q: 0..1, a scalar or an array that broadcasts to the other axes; 0.5 for medians.
    """
    below = np.cumsum(distribution, axis=-1)[..., :-1] < np.asarray(q, np.float32)[..., None]
    return below.sum(axis=-1, dtype=np.int8)


def expected_scores(distribution: ArrayLike, vulnerability: ArrayLike) -> Float32Array:
    """Return the expected points of every contract for declarer: float32 (N, 4, 35, 3) [declarer, bid, doubling].

    Scores are not linear in tricks, so this is the mean of the scores, not the score of the mean.

    Args:
        distribution: of tricks, (N, 4, 5, 14), as :meth:`TrickEstimator.distribution`.
        vulnerability: codes 0..3 (1: NS, 2: EW, 3: all), scalar or (N,).

    Raises:
        ValueError: a wrong shape or code.
    """
    chances = np.asarray(distribution, np.float32)
    if chances.ndim != 4 or chances.shape[1:] != (4, 5, OUTCOMES):
        raise ValueError(f"a distribution is (N, 4, 5, {OUTCOMES}); this array is {chances.shape}")
    codes = np.broadcast_to(np.asarray(vulnerability), len(chances))
    if ((codes < 0) | (codes > 3)).any():
        raise ValueError("vulnerability is a code 0..3")
    # SCORE_TABLE is [bid, doubling, vulnerable, tricks], bid = 5 * (level - 1) + strain.
    table = SCORE_TABLE.astype(np.float32).reshape(7, 5, 3, 2, OUTCOMES)
    both = np.einsum("ndst,lsxvt->vndlsx", chances, table, optimize=True)
    vulnerable = (codes[:, None] >> (np.arange(4) & 1)) & 1
    chosen = np.where(vulnerable[:, :, None, None, None] == 1, both[1], both[0])
    return np.ascontiguousarray(chosen.reshape(len(chances), 4, 35, 3), np.float32)


# --- the file --------------------------------------------------------------------------------------------------


def save_estimator(estimator: TrickEstimator, path: str | os.PathLike[str]) -> None:
    """Write an estimator's file, all or nothing."""
    write_weights(path, EXPECTED | {"trained": estimator.trained}, estimator.weights)


def load_estimator(path: str | os.PathLike[str]) -> TrickEstimator:
    """Read an estimator's file. Nothing in it is ever run.

    Raises:
        FileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    header, weights = read_weights(path, EXPECTED)
    return TrickEstimator(weights, header.get("trained"))


@lru_cache(maxsize=1)
def builtin_estimator() -> TrickEstimator:
    """Return the estimator that ships with the package; it is read once."""
    return load_estimator(Path(__file__).parents[1] / "data" / "estimator.npz")


def layer_names(depth: int, blocks: int) -> list[str]:
    """Return the layers of a network, each with its ``_bias`` beside it."""
    encoders = [f"{role}_{i}" for role in ROLES for i in range(depth)]
    return [*encoders, *(f"block_{i}" for i in range(blocks)), "read"]
