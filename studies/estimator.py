"""Judge a trick estimator in detail, on the judging deals of the library of the package.

    python -m studies.estimator                                    # the estimator of the package
    python -m studies.estimator results/estimators/run-001/estimator.npz

Tables: hits in suits and at no trump, hits by the longest suit of the deal, expected scores of undoubled contracts,
whether the stated probabilities are right; a plot of these, ``reliability.png``.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import deal_features
from bridge_env.double_dummy import builtin_library
from bridge_env.double_dummy.estimator import builtin_estimator, expected_scores, load_estimator
from bridge_env.hands.features import FEATURES
from bridge_env.rules.scoring import SCORE_TABLE
from studies.tables import Found, run_study
from training.estimators.judge import hits_of, hits_table
from training.runtime.pages import drawn, table

_BINS = 10
_ROWS = 2000  # deals at a time

Rows = list[tuple[float, ...]]


def reliability(probabilities: NDArray[Any], tricks: NDArray[Any]) -> Rows:
    """Return bins of stated probabilities: their mean, the frequency of what they state, their number."""
    occurs = np.arange(probabilities.shape[-1]) == tricks[..., None]
    stated = probabilities.ravel()
    bins = np.minimum((stated * _BINS).astype(np.intp), _BINS - 1)
    count = np.bincount(bins, minlength=_BINS)
    mean, frequency = (np.bincount(bins, values, _BINS) / np.maximum(count, 1) for values in (stated, occurs.ravel()))
    return [(float(mean[i]), float(frequency[i]), int(count[i])) for i in range(_BINS) if count[i]]


def score_errors(probabilities: NDArray[Any], tricks: NDArray[Any]) -> Rows:
    """Return, for each level, the mean absolute error and the bias of expected scores, and the spread of exact ones.

    Points of undoubled contracts by all declarers in all strains, not vulnerable and vulnerable.
    """
    bids, errors, exact = np.arange(35), [], []
    for start in range(0, len(tricks), _ROWS):
        part = slice(start, start + _ROWS)
        for code in (0, 3):
            truth = SCORE_TABLE[bids, 0, code & 1, tricks[part][:, :, bids % 5]].astype(np.float64)
            errors.append(expected_scores(probabilities[part], code)[..., 0] - truth)
            exact.append(truth)
    off, true = (np.concatenate(parts).reshape(-1, 7, 5).swapaxes(0, 1) for parts in (errors, exact))
    return [(float(np.abs(o).mean()), float(o.mean()), float(t.std())) for o, t in zip(off, true, strict=True)]


def judge(file: Path | None = None, /, *, out: Path = Path("results/estimators/study")) -> Found:
    """Judge a trick estimator on the judging deals of the library of the package.

    Args:
        file: estimator.npz (default: that of the package)
        out: folder for the results
    """
    estimator, library = load_estimator(file) if file else builtin_estimator(), builtin_library()
    rows = library.split("judging")
    owner, tricks = library.owners(rows), library.tricks_at(rows)
    began = time.perf_counter()
    probabilities = estimator.distribution(owner)
    speed = len(rows) / (time.perf_counter() - began)
    hits, bins = hits_of(probabilities, tricks), reliability(probabilities, tricks)
    levels = score_errors(probabilities, tricks)
    longest = np.clip(deal_features(owner)[:, :, FEATURES["longest"]].max(axis=1), 5, 8)
    by_shape = {f"{n} or more" if n == 8 else f"{n} or less" if n == 5 else str(n):
                hits_of(probabilities[longest == n], tricks[longest == n])
                for n in range(5, 9) if (longest == n).sum() > 1}  # fmt: skip
    shapes = ((name, *(f"{hit.within[0]:.1f}" for hit in both)) for name, both in by_shape.items())
    scores = ((str(n), f"{a:.1f}", f"{b:+.2f}", f"{c:.1f}") for n, (a, b, c) in enumerate(levels, 1))
    stated = ((f"{mean:.3f}", f"{frequency:.3f}", f"{n:,.0f}") for mean, frequency, n in bins)
    tables = {
        f"{len(rows):,} judging deals, {speed:,.0f} a second": hits_table(hits),
        "By the longest suit of any hand": table(("longest suit", "suits exact %", "no trump exact %"), shapes),
        "Expected scores of undoubled contracts, points": table(
            ("level", "mean error", "bias", "spread of exact scores"), scores
        ),
        "Stated probabilities": table(("stated", "frequency", "entries"), stated),
    }
    for title, lines in tables.items():
        print(f"{title}\n", *lines, "", sep="\n")
    out.mkdir(parents=True, exist_ok=True)
    with drawn(out / "reliability.png", 4.6, 4.2) as axes:
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
        axes.plot([mean for mean, _, _ in bins], [frequency for _, frequency, _ in bins], "o-")
        axes.set(xlabel="stated probability", ylabel="frequency")
    by_longest = {name: [asdict(hit) for hit in both] for name, both in by_shape.items()}
    results = {"hits": [asdict(hit) for hit in hits], "reliability": bins, "levels": levels}
    return out, tables, results | {"by_longest_suit": by_longest}


if __name__ == "__main__":
    run_study("studies.estimator", judge)
