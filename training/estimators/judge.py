"""Judge an estimator on deals that it never saw: exact medians, and those within one and two tricks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.double_dummy.estimator import TrickEstimator, quantile
from bridge_env.double_dummy.library import Library
from training.evaluation.boards import mean_and_error
from training.runtime.pages import table

GROUPS = {"suits": slice(0, 4), "no trump": slice(4, 5)}
_PUBLISHED = {
    "suits": ("best published, spades alone (2009)", 53.11, 96.48, 99.88),
    "no trump": ("best published (2009)", 37.80, 84.31, 97.34),
}


@dataclass(frozen=True)
class Hits:
    """Hold per cent of medians that are exact, within one and within two tricks, with standard errors over deals."""

    group: str
    within: tuple[float, ...]
    errors: tuple[float, ...]
    mean_error: float  # absolute, of the medians, in tricks
    log_loss: float  # nats an entry


def judge(estimator: TrickEstimator, library: Library) -> tuple[Hits, ...]:
    """Return the hits in suits and at no trump on all judging deals of a library, none of them permuted."""
    rows = library.split("judging")
    return hits_of(estimator.distribution(library.owners(rows)), library.tricks_at(rows))


def hits_of(probabilities: NDArray[np.float32], tricks: NDArray[np.int8]) -> tuple[Hits, ...]:
    """Return the hits of distributions float32 (N, 4, 5, 14), given the true tricks int8 (N, 4, 5)."""
    off = np.abs(quantile(probabilities, 0.5) - tricks)
    true = np.take_along_axis(probabilities, tricks[..., None].astype(np.intp), -1)[..., 0].astype(np.float64)
    loss = -np.log(np.maximum(true, 1e-9))
    out = []
    for group, strains in GROUPS.items():
        part = off[:, :, strains]
        shares = ((part <= limit).mean(axis=(1, 2)) * 100 for limit in range(3))  # of deals, whose entries correlate
        within, errors = zip(*map(mean_and_error, shares), strict=True)
        out.append(Hits(group, within, errors, float(part.mean()), float(loss[:, :, strains].mean())))
    return tuple(out)


def hits_table(hits: Sequence[Hits]) -> list[str]:
    """Return the lines of a table of hits beside the published ones."""
    cells = []
    for hit in hits:
        within = (f"{share:.2f} ± {error:.2f}" for share, error in zip(hit.within, hit.errors, strict=True))
        cells.append([hit.group, *within, f"{hit.mean_error:.3f}", f"{hit.log_loss:.3f}"])
        name, *published = _PUBLISHED[hit.group]
        cells.append([name, *(f"{share:.2f}" for share in published), "", ""])
    return table(("", "exact %", "within one %", "within two %", "mean error, tricks", "nats an entry"), cells)
