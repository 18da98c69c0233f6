"""Fit a case base: learn its similarity from training boards, and judge it on held-out boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase, nothing_retained
from agents.cases.features import SIZE, describe
from agents.cases.forest import Forest
from agents.cases.metric import Member, metric_of, points
from bridge_env.bidders import make
from bridge_env.double_dummy.canonical import is_judging
from training.cases.network import Lessons, Schooling, hands_of_others, metric
from training.cases.states import States
from training.cases.trees import Growing, grown

_ROWS = 16_384
_LEARNING, _GROWING = 0.8, 0.2  # shares of the time, about


@dataclass(frozen=True)
class CasesConfig:
    """The settings of the fit of a case base."""

    k: int = 5  # how many of the nearest cases vote
    reader: str = "system:sayc"  # the system by which calls are read
    learning: Schooling = field(default_factory=Schooling)  # how the metric is learned
    growing: Growing = field(default_factory=Growing)  # how the forests are

    @classmethod
    def of(cls, epochs: int | None, members: int | None, trees: int | None, seed: int) -> CasesConfig:
        """Return the settings with those that are given in place of the usual ones."""
        learning, growing = Schooling(seed=seed), Growing(seed=seed)
        return cls(
            learning=replace(learning, epochs=epochs or learning.epochs, members=members or learning.members),
            growing=replace(growing, trees=trees or growing.trees),
        )


def described(states: States, reader: str) -> NDArray[np.int8]:
    """The features of states, int8 (N, SIZE)."""
    bidder: Any = make(reader)
    out = np.empty((len(states), SIZE), np.int8)
    for start in range(0, len(states), _ROWS):
        rows = np.arange(start, min(start + _ROWS, len(states)))
        view = states.view.take(rows)
        suggested, _, shown = bidder.decide(view)
        out[rows] = np.clip(describe(view, shown, suggested), -128, 127)
    return out


def training_rows(states: States) -> NDArray[np.bool_]:
    """Return which states belong to boards of the training part of all deals."""
    training: NDArray[np.bool_] = ~is_judging(states.owner)[states.board]
    return training


def case_base(
    states: States, config: CasesConfig, also: Sequence[States] = (), progress: Callable[[float], None] | None = None
) -> CaseBase:
    """A base of all ``states``, with forests and a metric learned from them; this first from others' auctions too.

    Raises:
        ValueError: there are fewer openings or other calls than cases that vote.
    """
    if min(int(states.opened.sum()), int((~states.opened).sum())) <= config.k:
        raise ValueError(f"{len(states)} recorded calls are too few: {config.k} cases vote on a call")
    sources = [states, *also]
    rows = [described(source, config.reader) for source in sources]
    lessons = Lessons(
        np.concatenate(rows),
        np.concatenate([source.called for source in sources]),
        np.concatenate([hands_of_others(s.owner, s.board, s.view.seat) for s in sources]),
        np.repeat(np.arange(len(sources)), [len(source) for source in sources]),
    )
    tell = progress or (lambda share: None)
    members = metric_of(metric(lessons, config.learning, lambda share: tell(_LEARNING * share)), SIZE)
    forests = grown_forests(states, rows[0], members, config.growing, lambda share: tell(_LEARNING + _GROWING * share))
    fitted = {"also": [len(source) for source in also], **asdict(config)}
    return assembled(states, rows[0], members, forests, config, fitted)


def grown_forests(
    states: States, rows: NDArray[np.int8], members: tuple[Member, ...], how: Growing,
    progress: Callable[[float], object] = lambda share: None,
) -> tuple[Forest, Forest]:  # fmt: skip
    """Forests of openings and of other calls, over states and their coordinates."""
    parts = (rows[start : start + _ROWS].astype(np.int16) for start in range(0, len(rows), _ROWS))
    told = np.concatenate([np.concatenate([part, points(members, part)], axis=1) for part in parts])
    out = []
    for kind in (False, True):
        some = np.flatnonzero(states.opened == kind)
        done, share = int(kind) * (~states.opened).mean(), len(some) / len(states)

        def tell(grown: float, done: float = done, share: float = share) -> None:
            progress(done + share * grown)

        out.append(grown(told[some], states.called[some], how, tell))
    return out[0], out[1]


def assembled(
    states: States, rows: NDArray[np.int8], members: tuple[Member, ...], forests: tuple[Forest, Forest],
    config: CasesConfig, fitted: Mapping[str, Any] | None = None,
) -> CaseBase:  # fmt: skip
    """A base of all ``states``, described in ``rows``, with a metric and forests."""
    boards, board = np.unique(states.board, return_inverse=True)
    first = np.unique(board, return_index=True)[1]  # the first case of each board
    view = states.view
    wide = int(view.length.max()) + 1
    auction = np.full((len(boards), wide), -1, np.int8)
    auction[board, view.length] = states.called
    places = len(forests[0])
    base = CaseBase(
        auction=auction, dealer=view.dealer[first].astype(np.uint8),
        vulnerability=view.vulnerability[first].astype(np.uint8), result=states.result[boards].astype(np.int8),
        board=board.astype(np.int32), number=view.length.astype(np.int16), hand=np.packbits(view.hand, axis=1),
        point=np.zeros((len(states), places), np.int16), retained=nothing_retained(places),
        k=config.k, reader=config.reader, metric=members, forests=forests,
        fitted={**(fitted or {}), "states": len(states), "boards": len(boards)},
    )  # fmt: skip
    parts = (slice(start, start + _ROWS) for start in range(0, len(rows), _ROWS))
    places_of = (base.places(rows[part].astype(np.int16), states.opened[part]) for part in parts)
    base = replace(base, point=np.concatenate(list(places_of)))
    return base
