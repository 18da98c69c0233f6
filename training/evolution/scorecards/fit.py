"""Fit the scores of cards to positions: imitation first, then reward, fewer terms, and whole numbers at last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from training.evolution.scorecards.positions import Positions, cards_of
from training.evolution.scorecards.words import (
    ACTIONS,
    EVERYWHERE,
    EVERYWHERE_ONLY,
    NUM_CARDS,
    OF_BOOK_ONLY,
    SCALE,
    SITUATIONS,
    TERMS,
    Scores,
    directions,
    unit_terms,
)

SHARP = 2.0  # how much higher scores begin for the reward than for imitation: a softer choice falls back on the rules
_LEAST, _MOST = -8.0, 12.0  # preferences (log odds) are clipped to these
EVERYWHERE_BELOW = 300  # with fewer terms the same cards for all situations gain more
TERMS_A_SITUATION = 25  # with fewer, situations had better be left out
_SHARD = 100_000  # positions a step
_JUDGING_SHARDS = 2  # by which terms are judged
_SWAPS, _SWAP_SHARE = 3, 0.25  # times that so many terms are tried in place of others
_LAST_RATE = 0.01  # at which scores become whole numbers: with more they overfit
_MOST_CHANGE = 30.0  # of a score by one term, so that its exponential is finite
_DECAY = 1e-5  # what squared weights cost
_BINS = 60  # of preferences, for each of which play-outs are averaged
_BOOK = TERMS.index("if book")
_OF_BOOK = [number for number, term in enumerate(TERMS) if term.startswith("if book")]


def labels(positions: Positions, share: float) -> NDArray[np.float32]:
    """Return each call's worth over the rules' call, float32 (C,), NaN where nothing says it: ``share`` of it is the
    average of calls with the player's preference, the rest the play-out.
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
    return np.where(np.isfinite(worth), share * average + (1 - share) * worth, average)


class _Shard:
    """Hold some of the positions, their calls in the order of the cards."""

    def __init__(self, positions: Positions, label: NDArray[np.float32], rows: NDArray[np.int64]) -> None:
        card = cards_of(positions)[rows]
        order = np.argsort(card, kind="stable")
        self.ends = np.searchsorted(card[order], np.arange(NUM_CARDS + 1)).tolist()
        rows = rows[order]
        distinct, position = np.unique(positions.position[rows], return_inverse=True)
        self.count, self.position = len(distinct), torch.from_numpy(position.astype(np.int64))
        self.values = torch.from_numpy(positions.values[rows].astype(np.float32))
        self.label = torch.from_numpy(np.nan_to_num(label[rows], nan=0.0))
        self.preference = torch.from_numpy(np.nan_to_num(positions.preference[rows], nan=-50.0))

    def scores(self, base: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Return the score of each call."""
        pairs = [(card, self.ends[card], self.ends[card + 1]) for card in range(NUM_CARDS)]
        return torch.cat([self.values[at:end] @ weight[card] + base[card] for card, at, end in pairs if at < end])

    def chances(self, scores: torch.Tensor) -> torch.Tensor:
        """Return the softmax of scores within each position."""
        most = torch.full((self.count,), -1e9).scatter_reduce(0, self.position, scores.detach(), "amax")
        raised = torch.exp(scores - most[self.position])
        return raised / torch.zeros(self.count).index_add(0, self.position, raised)[self.position]


class Fit:
    """Fit cards to positions by the worth of each call over the rules' call, ``label`` float32 (C,), NaN where nothing
    says it; ``tick`` gets what is being learned, and which share of it is done.
    """

    def __init__(
        self, positions: Positions, label: NDArray[np.float32], seed: int = 0,
        tick: Callable[[str, float], None] = lambda what, share: None,
    ) -> None:  # fmt: skip
        self.tick = tick
        parts = np.random.default_rng(seed).integers(0, max(1, len(positions) // _SHARD), len(positions))
        of_row = parts[positions.position]
        self.shards = [_Shard(positions, label, np.flatnonzero(of_row == k)) for k in range(int(parts.max()) + 1)]
        self.judged = bool(np.isfinite(positions.preference).any())
        every = self.shards[0].values
        self.spread, self.mean = every.std(0).clamp_min(0.1), every.mean(0)
        for shard in self.shards:
            shard.values.sub_(self.mean).div_(self.spread)
        self.allowed = torch.ones(NUM_CARDS, len(TERMS))
        for number, action in enumerate(ACTIONS):
            of_action = slice(number, NUM_CARDS, len(ACTIONS))
            if not action.call.endswith(":x"):
                self.allowed[of_action, [term.speaks_of_suit for term in unit_terms()]] = 0
            if number in OF_BOOK_ONLY:
                self.allowed[of_action] = 0
                self.allowed[of_action, _OF_BOOK] = 1
        self.allowed[: EVERYWHERE * len(ACTIONS), -EVERYWHERE_ONLY:] = 0
        self.direction = torch.from_numpy(np.tile(directions(), (len(SITUATIONS), 1)).astype(np.float32))

    def learn(
        self, start: tuple[torch.Tensor, torch.Tensor] | None, steps: int, *, imitate: bool = False,
        allowed: torch.Tensor | None = None, rate: float = 0.03, scale: float = 0.0, what: str = "reward",
    ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        """Return base (NUM_CARDS,) and weights (NUM_CARDS, terms) after some steps of Adam on all positions.

        Args:
            start: what to begin with; None: the rules' calls.
            imitate: learn the player's calls in place of the labels.
            allowed: float32 (NUM_CARDS, terms), 1 where a card may have a term.
            scale: learn scores that are whole points once they are multiplied by this; 0: any scores.
            rate: the highest learning rate.
            what: its name.
        """
        allowed = self.allowed if allowed is None else allowed * self.allowed
        if start is None:
            base, weight = torch.zeros(NUM_CARDS), torch.zeros(NUM_CARDS, len(TERMS))
            weight[:, _BOOK] = 4.0 * self.spread[_BOOK] * self.allowed[:, _BOOK]
        else:
            base, weight = start[0].clone(), start[1] * allowed
        base.requires_grad_(True)
        weight.requires_grad_(True)
        optimizer = torch.optim.Adam([base, weight], lr=rate)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, max(steps, 1), eta_min=rate / 20)
        targets = [shard.chances(shard.preference) for shard in self.shards] if imitate else []
        for step in range(steps):
            shard = self.shards[step % len(self.shards)]
            chance = shard.chances(shard.scores(*self._rounded(base, weight * allowed, scale)))
            if imitate:
                target = targets[step % len(self.shards)]
                loss = -(target * torch.log(chance.clamp_min(1e-9))).sum() / shard.count
            else:
                loss = -(chance * shard.label).sum() / shard.count
            loss = loss + _DECAY * (weight * allowed).square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            with torch.no_grad():
                self._make_sense(weight)
            self.tick(what, step / steps)
        out = self._rounded(base, weight * allowed, scale)
        return out[0].detach(), out[1].detach()

    def _make_sense(self, weight: torch.Tensor) -> None:
        """Change weights so that no term speaks in the wrong direction, and none against the book's call by more than
        speaks for it.
        """
        weight.mul_((weight * self.direction >= 0).float())
        for_book = weight[:, _BOOK].clamp_min(0) / self.spread[_BOOK]
        weight[:, _OF_BOOK] = torch.maximum(weight[:, _OF_BOOK], -for_book[:, None] * self.spread[_OF_BOOK])

    def _rounded(self, base: torch.Tensor, weight: torch.Tensor, scale: float) -> tuple[torch.Tensor, torch.Tensor]:
        """Return scores rounded to whole points, whose gradients are those of the scores."""
        if not scale:
            return base, weight
        by_value = weight / self.spread
        start = base - by_value @ self.mean
        by_value = by_value + (torch.round(by_value * scale) / scale - by_value).detach()
        start = start + (torch.round(start * scale) / scale - start).detach()
        return start + by_value @ self.mean, by_value * self.spread

    def losses(self, base: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Return how much less a position's call is worth without each term, its average put into the card's start, 0
        where a card has no such term: (NUM_CARDS, terms).
        """
        out = torch.zeros_like(weight)
        for shard in self.shards[:_JUDGING_SHARDS]:
            scores = shard.scores(base, weight)
            chance = shard.chances(scores)
            worth = torch.zeros(shard.count).index_add(0, shard.position, chance * shard.label)
            for card, (at, end) in enumerate(pairwise(shard.ends)):
                if at == end:
                    continue
                of, label = shard.position[at:end], shard.label[at:end]
                doubt = chance[at:end] * (1 - chance[at:end]) + 1e-4
                for term in torch.nonzero(weight[card]).flatten().tolist():
                    value = shard.values[at:end, term]
                    less = weight[card, term] * (value - (value * doubt).sum() / doubt.sum())
                    more = chance[at:end] * torch.expm1(-less.clamp(-_MOST_CHANGE, _MOST_CHANGE))
                    without = worth.index_add(0, of, more * label) / torch.ones(shard.count).index_add(0, of, more)
                    out[card, term] += (worth - without).sum() / shard.count
        return out

    def slopes(self, base: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Return how steeply a position's call gains by more or less of each term, 0 where the term has the wrong
        direction: (NUM_CARDS, terms).
        """
        base, weight = base.clone(), weight.clone().requires_grad_(True)
        for shard in self.shards[:_JUDGING_SHARDS]:
            chance = shard.chances(shard.scores(base, weight))
            ((chance * shard.label).sum() / shard.count).backward()
        assert weight.grad is not None
        return weight.grad.abs() * (weight.grad * self.direction >= 0)

    def gains(self, base: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Return what the cards of each situation are worth: (SITUATIONS,), 0 where none has a term."""
        out = torch.zeros(NUM_CARDS)
        for shard in self.shards:
            worth = shard.chances(shard.scores(base, weight)) * shard.label
            for card, (at, end) in enumerate(pairwise(shard.ends)):
                out[card] += worth[at:end].sum()
        has_terms = (weight != 0).reshape(len(SITUATIONS), -1).any(1)
        return out.reshape(len(SITUATIONS), -1).sum(1) * has_terms

    def plain(self, base: torch.Tensor, weight: torch.Tensor) -> Scores:
        """Return scores for terms as they are counted."""
        by_value = weight / self.spread
        return Scores((base - by_value @ self.mean).double().numpy(), by_value.double().numpy())


def fit_scores(
    positions: Positions, label: NDArray[np.float32], most: int, seed: int = 0, *,
    tick: Callable[[str, float], None] = lambda what, share: None,
) -> Scores:  # fmt: skip
    """Return scores in whole points with at most ``most`` terms, by the worth of each call over the rules' call,
    ``label`` float32 (C,); ``tick`` as in ``Fit``.
    """
    if most < EVERYWHERE_BELOW:
        positions = replace(positions, situation=np.full_like(positions.situation, EVERYWHERE))
    fit, met = Fit(positions, label, seed, tick), len(np.unique(positions.situation))
    base, weight = fit.learn(None, 100, imitate=True, rate=0.1, what="imitation") if fit.judged else fit.learn(None, 0)
    base, weight = fit.learn((SHARP * base, SHARP * weight), 300)
    allowed = fit.allowed
    if most < TERMS_A_SITUATION * met:  # fewer situations gain more, each with enough terms
        worth = fit.gains(base, weight)
        least = torch.topk(worth, max(1, most // TERMS_A_SITUATION)).values[-1]
        of_best = (worth >= least).repeat_interleave(len(ACTIONS))[:, None].float()
        weight, allowed = weight * of_best, allowed * of_best
    at = _without_idle(fit, (base, weight), allowed, most)
    for swap in range(_SWAPS):
        present = (at[1] != 0).float()
        absent = fit.slopes(*at) * allowed * (1 - present)
        more = present + _highest(absent, int(_SWAP_SHARE * most)) * (absent > 0)
        at = fit.learn(at, 60, allowed=more, what=f"other terms, {swap + 1} of {_SWAPS}")
        at = _without_idle(fit, at, more, most)
    at = fit.learn(at, 60, allowed=(at[1] != 0).float(), rate=_LAST_RATE, scale=SCALE, what="whole numbers")
    scores = fit.plain(*at)
    return Scores(np.round(scores.base * SCALE), np.round(scores.weight * SCALE))


def _without_idle(
    fit: Fit, at: tuple[torch.Tensor, torch.Tensor], allowed: torch.Tensor, most: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return scores with at most ``most`` terms: those that lose least go first, and the others are fitted anew."""
    left = int((at[1] != 0).sum())
    while left > most:
        left = max(int(0.85 * left), most)
        losses = torch.where(at[1] != 0, fit.losses(*at), -torch.inf)
        allowed = _highest(losses, left) * allowed
        at = fit.learn(at, 40, allowed=allowed, what=f"{left} terms")
    return at


def _highest(values: torch.Tensor, count: int) -> torch.Tensor:
    """Return 1 for the highest values, 0 for the others: float32, as ``values``."""
    out = torch.zeros(values.numel())
    out[torch.topk(values.flatten(), count).indices] = 1
    return out.reshape(values.shape)
