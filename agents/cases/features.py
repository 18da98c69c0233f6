"""Encode a state as small integers, and map it to a point by a learned metric: near points are states with like calls.

The integers are the hand as conventions describe it, and what the auction has shown. Nothing depends on the seat: seats
are counted from the one that calls (0 me, 1 left, 2 partner, 3 right).

A metric is perceptrons with one output for each coordinate, learned with their cases (``training.cases.fit``): each
adds some coordinates, integers, -256 to 256. Sums are exact in whatever order, so that a batch equals its rows on any
machine: weights are multiples of 2**-16, inputs are integers, and what a layer passes on is rounded to multiples of
2**-12.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.columns import QUANTITY, TOP
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import FEATURES, hand_features
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS

LAYOUT = "cases 2"  # changes whenever a column does
LAST_CALLS = 12

#: Columns of ``FEATURES`` that are also encoded as one of several marks: from, and how many.
_MARKED: tuple[tuple[str, int, int], ...] = (
    ("hcp", 0, 25), ("points", 0, 28),
    *((f"length:{suit}", 0, 9) for suit in "CDHS"), *((f"suit_hcp:{suit}", 0, 11) for suit in "CDHS"),
    *((f"top3:{suit}", 0, 4) for suit in "CDHS"), *((f"top5:{suit}", 0, 6) for suit in "CDHS"),
    ("zar", 10, 30), ("rule20", 10, 20), ("losers", 1, 11), ("controls", 0, 10), ("quick", 0, 10),
    ("aces", 0, 5), ("kings", 0, 5),
)  # fmt: skip
_NUMBER_OF_MARKS = sum(count for _, _, count in _MARKED)
_HCP = FEATURES["hcp"]
_QUANTITIES = [QUANTITY[name] for name in ("strength", "C", "D", "H", "S", "aces")]  # of what seats show
_LENGTHS = slice(FEATURES["length:C"], FEATURES["length:C"] + 4)
_COUNTS = FEATURES["king:C"]  # columns of ``FEATURES``; those behind are among the cards
HAND_SIZE = _COUNTS + _NUMBER_OF_MARKS + 52
_AUCTION_SIZE = (LAST_CALLS + 4 + 2) * NUM_CALLS + 48 + 30 + 4 + 4 + 2
SIZE = HAND_SIZE + _AUCTION_SIZE

SCALE = 256  # coordinates lie within it
_WEIGHT_STEP, _SIGNAL_STEP = 2.0**-16, 2.0**-12
_LARGEST_INPUT = 128.0
_LARGEST_SIGNAL = 4096.0  # that a layer passes on: far more than states make of it
Layer = tuple[NDArray[np.float64], NDArray[np.float64]]  # weight (inputs, outputs), bias (outputs,)
Member = tuple[Layer, ...]
Int16Array = NDArray[np.int16]


def describe(view: BidView, shown: Int16Array, suggested: NDArray[np.int8]) -> Int16Array:
    """Return rows int16 (N, SIZE).

    Args:
        shown: int16 (N, 4, QUANTITIES, 2), what each seat has shown: ``HierarchyBidder.meaning``.
        suggested: int8 (N,), the call of the system by which calls are read.
    """
    f = hand_features(view.hand)[:, :_COUNTS]
    cards = view.hand.astype(np.int16)
    return np.concatenate(
        [f, _marks(f), cards, _auction(view), _shown_ranges(view, shown, f), _marked(suggested, NUM_CALLS)], axis=1
    )


def _marks(f: Int16Array) -> Int16Array:
    out = np.zeros((len(f), _NUMBER_OF_MARKS), np.int16)
    rows, start = np.arange(len(f)), 0
    for name, least, count in _MARKED:
        out[rows, start + np.clip(f[:, FEATURES[name]] - least, 0, count - 1)] = 1
        start += count
    return out


def _auction(view: BidView) -> Int16Array:
    """Return the last calls in turn, all calls of each seat, the legal calls, the length and the opener."""
    rows, length = np.arange(len(view)), view.length.astype(np.int64)
    history = view.history if view.history.shape[1] else np.full((len(view), 1), -1, np.int8)
    last = []
    for back in range(1, LAST_CALLS + 1):
        number = length - back
        last.append(_marked(np.where(number >= 0, history[rows, np.maximum(number, 0)], -1), NUM_CALLS))
    by_seat = np.zeros((len(view), 4, NUM_CALLS), np.int16)
    for at in range(history.shape[1]):
        there = np.flatnonzero(history[:, at] >= 0)
        by_seat[there, (at - length[there]) % 4, history[there, at]] = 1
    bid = history >= FIRST_BID
    opened = np.asarray(bid.any(axis=1))
    opener = (_marked(np.minimum(bid.argmax(axis=1), 3), 4) * opened[:, None]).astype(np.int16)
    us = view.seat & 1
    vulnerable = np.stack([(view.vulnerability >> us) & 1, (view.vulnerability >> (1 - us)) & 1], axis=1)
    return np.concatenate(
        [*last, by_seat.reshape(len(view), -1), view.mask.astype(np.int16), _marked(np.minimum(length, 3), 4), opener,
         vulnerable.astype(np.int16)], axis=1,
    )  # fmt: skip


def _marked(number: NDArray[Any], count: int) -> Int16Array:
    """Return a one at each number, int16 (N, count); none for a number outside."""
    return (number[:, None] == np.arange(count)).astype(np.int16)


def _shown_ranges(view: BidView, shown: Int16Array, f: Int16Array) -> Int16Array:
    """Return what each seat has shown, and with the hand's points and lengths added."""
    order = (view.seat.astype(np.int64)[:, None] + np.arange(4)) % 4
    ranges = np.clip(shown[np.arange(len(view))[:, None], order], 0, TOP[:, None])[:, :, _QUANTITIES]
    mine = np.concatenate([f[:, [_HCP]], f[:, _LENGTHS]], axis=1)
    both = ranges[:, 1:, :5] + mine[:, None, :, None]
    return np.concatenate([ranges.reshape(len(view), 48), both.reshape(len(view), 30)], axis=1).astype(np.int16)


def metric_of(members: Sequence[Sequence[tuple[Any, Any]]], inputs: int) -> tuple[Member, ...]:
    """Return members of (weight (inputs, outputs), bias (outputs,)) pairs, rounded to multiples of 2**-16.

    Raises:
        ValueError: one has layers that do not fit each other.
    """
    out = []
    for member in members:
        layers, width = list[Layer](), inputs
        for pair in member:
            weight, bias = (np.round(np.asarray(a, np.float64) / _WEIGHT_STEP) * _WEIGHT_STEP for a in pair)
            if weight.shape != (width, len(bias)):
                raise ValueError(f"layer {len(layers)} is {weight.shape} with bias {bias.shape}, after {width} outputs")
            width = len(bias)
            layers.append((weight, bias))
        out.append(tuple(layers))
    return tuple(out)


def points(metric: Sequence[Member], rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the points int16 (N, D) of described states."""
    coordinates = [np.empty((len(rows), 0), np.int16)]
    for member in metric:
        signal = np.clip(rows, -_LARGEST_INPUT, _LARGEST_INPUT).astype(np.float64)
        for number, (weight, bias) in enumerate(member):
            if number:
                signal = np.round(np.clip(signal, 0.0, _LARGEST_SIGNAL) / _SIGNAL_STEP) * _SIGNAL_STEP
            signal = signal @ weight + bias
        coordinates.append(np.rint(SCALE * signal / (1 + np.abs(signal))).astype(np.int16))
    return np.concatenate(coordinates, axis=1)
