"""Judge an estimator on deals that it never saw: hits, errors, calibration, expected scores, worst deals."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import deal_text, random_deals
from bridge_env.double_dummy.estimator import TrickEstimator, expected_scores, quantile
from bridge_env.double_dummy.library import Library
from bridge_env.scoring import SCORE_TABLE

GROUPS = {"suits": slice(0, 4), "no trump": slice(4, 5)}
_BINS = 10
_SPEED_DEALS = 8192


@dataclass(frozen=True)
class Hits:
    """Per cent of the medians that are exact, within one and within two tricks, with standard errors over deals."""

    group: str
    within: tuple[float, float, float]
    errors: tuple[float, float, float]
    mean_error: float  # of the medians, in tricks, whatever the sign
    log_loss: float  # nats an entry


@dataclass(frozen=True)
class Level:
    """Expected scores of undoubled contracts of a level against exact ones, points: all strains and declarers."""

    level: int
    mean_error: float  # of the expected score, whatever the sign
    bias: float
    spread: float  # standard deviation of the exact score, for comparison


@dataclass(frozen=True)
class Verdict:
    """All of it; ``reliability`` rows are stated chance, frequency and count."""

    deals: int
    hits: tuple[Hits, ...]
    reliability: tuple[tuple[float, float, int], ...]
    by_tricks: dict[str, list[dict[str, float]]]
    by_shape: tuple[tuple[str, int, tuple[Hits, ...]], ...]  # deals by the longest suit that a hand holds
    levels: tuple[Level, ...]
    worst: tuple[dict[str, Any], ...]
    deals_a_second: float


def judge(estimator: TrickEstimator, library: Library, worst: int = 12) -> Verdict:
    """Measure an estimator on all the judging deals of ``library``, none of them permuted.

    Args:
        worst: how many of the deals to name on which it errs most.
    """
    rows = library.split("judging")
    owner, tricks = library.owners(rows), library.tricks_at(rows)
    chances = estimator.distribution(owner)
    medians = quantile(chances, 0.5)
    return Verdict(
        deals=len(rows),
        hits=tuple(_hits(name, chances[:, :, part], medians[:, :, part], tricks[:, :, part])
                   for name, part in GROUPS.items()),
        reliability=_reliability(chances, tricks),
        by_tricks={name: _by_tricks(medians[:, :, part], tricks[:, :, part]) for name, part in GROUPS.items()},
        by_shape=_by_shape(owner, chances, medians, tricks),
        levels=_levels(chances, tricks),
        worst=_worst(owner, tricks, chances, worst),
        deals_a_second=speed(estimator),
    )  # fmt: skip


def speed(estimator: TrickEstimator) -> float:
    """Deals a second, all 20 entries; the best of three."""
    owner = random_deals(7, 0, _SPEED_DEALS)
    estimator.distribution(owner[:256])
    best = 0.0
    for _ in range(3):
        began = time.perf_counter()
        estimator.distribution(owner)
        best = max(best, _SPEED_DEALS / (time.perf_counter() - began))
    return best


def _of_the_truth(chances: NDArray[np.float32], tricks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the probability that an estimator gave to the true tricks."""
    return np.take_along_axis(chances, tricks[..., None].astype(np.intp), -1)[..., 0].astype(np.float64)


def _hits(group: str, chances: NDArray[Any], medians: NDArray[Any], tricks: NDArray[Any]) -> Hits:
    off = np.abs(medians - tricks)
    shares = [(off <= limit).mean(axis=(1, 2)) * 100 for limit in range(3)]  # of each deal: its entries go together
    loss = -np.log(np.maximum(_of_the_truth(chances, tricks), 1e-9)).mean()
    return Hits(
        group,
        tuple(float(share.mean()) for share in shares),  # type: ignore[arg-type]
        tuple(float(share.std(ddof=1) / len(share) ** 0.5) for share in shares),  # type: ignore[arg-type]
        float(off.mean()),
        float(loss),
    )


def _reliability(chances: NDArray[Any], tricks: NDArray[Any]) -> tuple[tuple[float, float, int], ...]:
    """Of all that was given a chance of about p, how often was it so?"""
    so = np.arange(chances.shape[-1]) == tricks[..., None]
    stated = chances.ravel()
    bins = np.minimum((stated * _BINS).astype(np.intp), _BINS - 1)
    count = np.bincount(bins, minlength=_BINS)
    said = np.bincount(bins, stated, _BINS) / np.maximum(count, 1)
    was = np.bincount(bins, so.ravel(), _BINS) / np.maximum(count, 1)
    return tuple((float(said[i]), float(was[i]), int(count[i])) for i in range(_BINS) if count[i])


def _by_tricks(medians: NDArray[Any], tricks: NDArray[Any]) -> list[dict[str, float]]:
    """Hits by the true number of tricks."""
    off = medians.astype(np.int64) - tricks
    found = []
    for true in range(14):
        here = off[tricks == true]
        if here.size:
            found.append({
                "tricks": true, "entries": int(here.size), "exact": float((here == 0).mean() * 100),
                "within_one": float((np.abs(here) <= 1).mean() * 100), "bias": float(here.mean()),
            })  # fmt: skip
    return found


def _by_shape(
    owner: NDArray[np.uint8], chances: NDArray[Any], medians: NDArray[Any], tricks: NDArray[Any]
) -> tuple[tuple[str, int, tuple[Hits, ...]], ...]:
    """Hits by how freakish the deal is."""
    longest = _longest_suit(owner)
    found = []
    for name, here in (
        ("5 or less", longest <= 5),
        ("6", longest == 6),
        ("7", longest == 7),
        ("8 or more", longest >= 8),
    ):
        if here.sum() > 1:
            hits = (_hits(group, chances[here][:, :, part], medians[here][:, :, part], tricks[here][:, :, part])
                    for group, part in GROUPS.items())  # fmt: skip
            found.append((name, int(here.sum()), tuple(hits)))
    return tuple(found)


def _longest_suit(owner: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Of all four hands, int64 (N,)."""
    holds = owner.reshape(-1, 4, 1, 13) == np.arange(4)[:, None]
    longest: NDArray[np.int64] = holds.sum(-1).max(axis=(1, 2))
    return longest


def _levels(chances: NDArray[Any], tricks: NDArray[Any]) -> tuple[Level, ...]:
    found = []
    off: list[list[NDArray[Any]]] = [[] for _ in range(7)]
    exact: list[list[NDArray[Any]]] = [[] for _ in range(7)]
    for start in range(0, len(tricks), 2000):
        part = slice(start, start + 2000)
        for code in (0, 3):
            expected = expected_scores(chances[part], code)[..., 0]  # (n, 4, 35)
            for level in range(7):
                truth = np.stack(
                    [SCORE_TABLE[5 * level + s, 0, code & 1][tricks[part, :, s]] for s in range(5)], axis=2
                ).astype(np.float64)
                off[level].append((expected[:, :, 5 * level : 5 * level + 5] - truth).ravel())
                exact[level].append(truth.ravel())
    for level in range(7):
        error, truth = np.concatenate(off[level]), np.concatenate(exact[level])
        found.append(Level(level + 1, float(np.abs(error).mean()), float(error.mean()), float(truth.std())))
    return tuple(found)


def _worst(
    owner: NDArray[np.uint8], tricks: NDArray[np.int8], chances: NDArray[Any], count: int
) -> tuple[dict[str, Any], ...]:
    """The deals whose tables were the least likely in its eyes, with the entry that surprised it most."""
    surprise = -np.log(np.maximum(_of_the_truth(chances, tricks), 1e-9))  # (N, 4, 5)
    found = []
    for row in np.argsort(-surprise.sum(axis=(1, 2)), kind="stable")[:count]:
        seat, strain = np.unravel_index(int(surprise[row].argmax()), (4, 5))
        median = quantile(chances[row, seat, strain], 0.5)
        found.append({
            "deal": deal_text(owner[row]), "contract": f"{'CDHSN'[strain]} by {'NESW'[seat]}",
            "tricks": int(tricks[row, seat, strain]), "estimate": int(median),
            "mean_surprise": float(surprise[row].mean()), "longest_suit": int(_longest_suit(owner[row][None])[0]),
            "most_tricks": int(tricks[row].max()),
        })  # fmt: skip
    return tuple(found)
