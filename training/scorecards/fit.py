"""Fit the scores of cards to positions: imitation first, then reward, fewer terms, and whole numbers at last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from training.scorecards.positions import Positions
from training.scorecards.words import ACTIONS, PASSES, SITUATIONS, TERMS, speaks_of_suit

CARDS = len(SITUATIONS) * len(ACTIONS)
SCALE = 8  # points of a card for one unit of the softmax
_LEAST, _MOST = -8.0, 12.0  # preferences (log odds) are clipped to these
_BINS = 60  # of preferences, for each of which play-outs are averaged
_BOOK = TERMS.index("if book")


@dataclass(frozen=True, eq=False)
class Scores:
    """Hold the scores of all cards, in units of the softmax or, rounded, in points."""

    base: NDArray[np.float64]  # (CARDS,)
    weight: NDArray[np.float64]  # (CARDS, terms)

    @property
    def terms(self) -> int:
        """Return how many terms the cards have."""
        return int((self.weight != 0).sum())


def labels(positions: Positions, share: float) -> NDArray[np.float32]:
    """Return what each call is worth over the rules' call: float32 (C,), NaN where nothing says it.

    Args:
        share: of a label that is the average worth of calls with the player's preference; the rest is the play-out.
    """
    worth, preference = positions.worth, np.clip(positions.preference, _LEAST, _MOST)
    if np.isnan(preference).all():
        return worth
    other = np.isfinite(worth) & ~positions.book
    order = np.argsort(preference[other], kind="stable")
    parts = [part for part in np.array_split(order, _BINS) if len(part)]
    x = [float(preference[other][part].mean()) for part in parts]
    y = [float(worth[other][part].mean()) for part in parts]
    average = np.where(positions.book, 0, np.interp(preference, x, y)).astype(np.float32)
    out: NDArray[np.float32] = np.where(np.isfinite(worth), share * average + (1 - share) * worth, average)
    return out


class Fit:
    """Fit cards to positions.

    Args:
        positions: to learn from.
        label: float32 (C,), what each call is worth over the rules' call.
    """

    def __init__(self, positions: Positions, label: NDArray[np.float32], seed: int = 0) -> None:
        torch.manual_seed(seed)
        card = positions.situation.astype(np.int64) * len(ACTIONS) + positions.action
        order = np.argsort(card, kind="stable")
        self.count = len(positions)
        self.position = torch.from_numpy(positions.position[order].astype(np.int64))
        self.book = torch.from_numpy(positions.book[order])
        self.ends = np.searchsorted(card[order], np.arange(CARDS + 1))
        known = np.isfinite(label[order])
        self.known = torch.from_numpy(known)
        self.label = torch.from_numpy(np.where(known, label[order], 0).astype(np.float32))
        preference = positions.preference[order]
        self.judged = bool(np.isfinite(preference).any())
        self.preference = torch.from_numpy(np.nan_to_num(preference, nan=-50.0))
        values = torch.from_numpy(positions.values[order].astype(np.float32))
        self.spread = values.std(0).clamp_min(0.1)
        self.mean = values.mean(0)
        self.values = values.sub_(self.mean).div_(self.spread)
        self.allowed = torch.ones(CARDS, len(TERMS))
        for number, action in enumerate(ACTIONS):
            of_action = slice(number, CARDS, len(ACTIONS))
            if not action.call.endswith(":x"):
                self.allowed[of_action, [speaks_of_suit(term) for term in range(len(TERMS))]] = 0
            if number == PASSES:
                self.allowed[of_action] = 0
                self.allowed[of_action, _BOOK] = 1

    def scores(self, base: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Return the score of each call, in the order of the cards; weights are for standardised terms."""
        parts = []
        for card in range(CARDS):
            first, end = self.ends[card], self.ends[card + 1]
            if first < end:
                parts.append(self.values[first:end] @ weight[card] + base[card])
        return torch.cat(parts)

    def chances(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the softmax of scores within each position."""
        most = torch.full((self.count,), -1e9).scatter_reduce(0, self.position, scores.detach(), "amax")
        raised = torch.exp(scores - most[self.position])
        return raised / torch.zeros(self.count).index_add(0, self.position, raised)[self.position]

    def learn(
        self, start: tuple[torch.Tensor, torch.Tensor] | None, steps: int, *, imitate: bool = False,
        allowed: torch.Tensor | None = None, rate: float = 0.05, decay: float = 1e-5,
        tick: Callable[[int, float], None] = lambda step, loss: None,
    ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        """Return base (CARDS,) and weights (CARDS, terms) after some steps of Adam on all positions."""
        allowed = self.allowed if allowed is None else allowed * self.allowed
        if start is None:
            base, weight = torch.zeros(CARDS), torch.zeros(CARDS, len(TERMS))
            weight[:, _BOOK] = 4.0 * self.spread[_BOOK] * self.allowed[:, _BOOK]
        else:
            base, weight = (part.clone() for part in start)
        base.requires_grad_(True)
        weight.requires_grad_(True)
        optimizer = torch.optim.Adam([base, weight], lr=rate)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, eta_min=rate / 20)
        target = self.chances(self.preference) if imitate else None
        for step in range(steps):
            chance = self.chances(self.scores(base, weight * allowed))
            if target is not None:
                loss = -(target * torch.log(chance.clamp_min(1e-9))).sum() / self.count
            else:
                loss = -(chance * self.label * self.known).sum() / self.count
            loss = loss + decay * (weight * allowed).square().sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            tick(step, float(loss.detach()))
        return base.detach(), (weight * allowed).detach()

    def importance(self, weight: torch.Tensor) -> torch.Tensor:
        """Return how much each term moves the scores of its card, summed over positions: (CARDS, terms)."""
        out = torch.zeros_like(weight)
        for card in range(CARDS):
            first, end = self.ends[card], self.ends[card + 1]
            if end > first + 1:
                out[card] = weight[card].abs() * self.values[first:end].std(0) * float(np.sqrt(end - first))
        return out

    def plain(self, base: torch.Tensor, weight: torch.Tensor) -> Scores:
        """Return scores for terms as they are counted."""
        by_value = weight / self.spread
        return Scores((base - by_value @ self.mean).double().numpy(), by_value.double().numpy())


def rounded(scores: Scores, scale: float = SCALE) -> Scores:
    """Return scores in whole points."""
    return Scores(np.round(scores.base * scale), np.round(scores.weight * scale))


def best_calls(positions: Positions, scores: Scores) -> NDArray[np.bool_]:
    """Return which calls have the highest score of their position, bool (C,); ties go to the rules' call."""
    card = positions.situation.astype(np.int64) * len(ACTIONS) + positions.action
    total = scores.base[card] + 1e-6 * positions.book
    for one in np.unique(card):
        rows = np.flatnonzero(card == one)
        total[rows] += positions.values[rows] @ scores.weight[one]
    best = np.full(len(positions), -np.inf)
    np.maximum.at(best, positions.position, total)
    highest: NDArray[np.bool_] = total >= best[positions.position]
    return highest


def gain(positions: Positions, label: NDArray[np.float32], scores: Scores) -> float:
    """Return what the calls with the highest scores are worth over the rules' calls, in IMPs a position."""
    chosen = best_calls(positions, scores) & np.isfinite(label)
    return float(np.where(chosen, label, 0).sum() / len(positions))
