"""The fit of scorecards: positions as the engine sees them, planted worth is found, runs can be stopped."""

import json

import numpy as np
import pytest
from numpy.typing import NDArray
from support.learners import Here

from agents.systems.language.text import load_system, parse_system, system_text
from agents.systems.library.shipped import read_system
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS
from training.configs import CardsConfig
from training.evaluation.partnership_match import BoardRange, Partnership
from training.evolution.refine.decisions import tables_of
from training.evolution.scorecards import run
from training.evolution.scorecards.blocks import blocks_of, scores_of
from training.evolution.scorecards.fit import Fit, fit_scores
from training.evolution.scorecards.positions import by_the_rules, cards_of, collect, weighed_positions
from training.evolution.scorecards.run import fit_cards
from training.evolution.scorecards.words import (
    ACTIONS,
    NUM_CARDS,
    SITUATIONS,
    TERMS,
    Scores,
    directions,
    unit_terms,
)

SAYC, ACOL = (read_system(name) for name in ("sayc", "acol"))
THEM = Partnership(ACOL, ACOL)
BOARDS = BoardRange(3, "training", 0, 256)


@pytest.fixture(scope="module")
def positions():
    return collect(Partnership(SAYC, SAYC), THEM, BOARDS, most=NUM_CALLS)


def some_scores(seed):
    """Scores in whole points with a few terms on every card."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(-9, 10, (NUM_CARDS, len(TERMS))) * (rng.random((NUM_CARDS, len(TERMS))) < 0.06)
    for number, action in enumerate(ACTIONS):
        if not action.call.endswith(":x"):
            weight[number :: len(ACTIONS), [term.speaks_of_suit for term in unit_terms()]] = 0
    return Scores(rng.integers(-20, 20, NUM_CARDS).astype(float), weight.astype(float))


def best_calls(positions, scores):
    """Return which calls have the highest score of their position, bool (C,): one of each.

    Of equal scores, the rules' call counts first, then the card and suit that stand first in the text.
    """
    card, call = cards_of(positions), positions.call.astype(np.int64)
    order = 1000 * positions.action.astype(np.int64) - 40 * ((call - FIRST_BID) % 5) + call
    total = scores.base[card] + 1e-2 * positions.book - 1e-6 * order
    for one in np.unique(card):
        rows = np.flatnonzero(card == one)
        total[rows] += positions.values[rows] @ scores.weight[one]
    best = np.full(len(positions), -np.inf)
    np.maximum.at(best, positions.position, total)
    highest: NDArray[np.bool_] = total >= best[positions.position]
    return highest


def gain(positions, label, scores):
    """Return what the calls with the highest scores are worth over the rules' calls, in IMPs a position."""
    chosen = best_calls(positions, scores) & np.isfinite(label)
    return float(np.where(chosen, label, 0).sum() / len(positions))


def test_positions_have_one_call_by_the_rules_and_it_is_worth_nothing(positions):
    assert len(positions) > 300
    assert (np.bincount(positions.position, weights=positions.book) == 1).all()
    assert (positions.worth[positions.book] == 0).all()
    assert np.isfinite(positions.worth).all()  # nobody says which calls are likely: all are played out
    assert np.nanmean(positions.worth[~positions.book]) < -1


def test_written_cards_choose_as_the_scores_do(positions):
    scores = some_scores(1)
    system = SAYC.with_cards(blocks_of(scores, positions))
    assert parse_system(system_text(system)) == system
    chosen = best_calls(positions, scores)
    us = Partnership(system, system)
    found = {}
    for table in tables_of(us, THEM, BOARDS):
        found |= {(table.number, board, tuple(row[:number])): int(row[number])
                  for board, row in enumerate(table.history) for number in range((row >= 0).sum())}  # fmt: skip
    checked = changed = 0
    plain = Partnership(by_the_rules(system), by_the_rules(system))
    start = 0
    for table in tables_of(plain, THEM, BOARDS):  # positions in the order in which they were collected
        at = weighed_positions(table)
        for offset, (board, number) in enumerate(zip(at.board.tolist(), at.number.tolist(), strict=True)):
            rows = np.flatnonzero(positions.position == start + offset)
            call = int(positions.call[rows[np.argmax(chosen[rows])]])
            before = tuple(table.history[board, :number])
            made = found.get((table.number, board, before))
            if made is not None:
                assert made == call, (before, board)
                checked += 1
                changed += made != table.history[board, number]
        start += len(at.board)
    assert start == len(positions)
    assert checked > 200
    assert changed > 40


def test_scores_are_read_from_written_cards(positions):
    scores = some_scores(1)
    found = scores_of(SAYC.with_cards(blocks_of(scores, positions)))
    met = np.unique(cards_of(positions))
    assert (found.weight[met] == scores.weight[met]).all()
    passing = scores.base[met - met % len(ACTIONS)]  # a pass starts with nothing
    assert (found.base[met] == scores.base[met] - passing).all()
    judged = collect(Partnership(SAYC, SAYC), THEM, BoardRange(3, "training", 0, 64), found)
    total = found.base[cards_of(judged)] + (judged.values * found.weight[cards_of(judged)]).sum(axis=1)
    of_rules = total[judged.book][judged.position]
    np.testing.assert_allclose(judged.preference * 8, total - of_rules, atol=1e-3)
    assert np.isnan(judged.worth).any()  # only calls that the scores prefer are played out


@pytest.mark.slow
def test_planted_worth_is_found_by_few_terms(positions):
    theirs, double = TERMS.index("if 4+ in-theirs"), positions.action == 1
    label = np.where(double & (positions.values[:, theirs] == 1), 6.0, np.where(positions.book, 0.0, -3.0))
    label = np.where(positions.book, 0.0, label).astype(np.float32)
    best = gain(positions, label, Scores(*perfect(theirs)))
    scores = fit_scores(positions, label, 40)
    assert scores.terms <= 40
    assert (scores.weight == np.round(scores.weight)).all()
    assert gain(positions, label, scores_of(SAYC.with_cards(blocks_of(scores, positions)))) > 0.7 * best > 0.1
    assert len(np.unique(cards_of(positions))) > 50


def test_what_a_term_is_worth_is_what_calls_lose_without_it(positions):
    label = np.random.default_rng(1).normal(size=len(positions.call)).astype(np.float32)
    fit = Fit(positions, label)
    base, weight = fit.learn(None, 20, rate=0.1)
    assert (weight.numpy() * np.tile(directions(), (len(SITUATIONS), 1)) >= 0).all()
    losses, met = fit.losses(base, weight), np.unique(cards_of(positions))
    (shard,) = fit.shards

    def worth(base, weight):
        return float((shard.chances(shard.scores(base, weight)) * shard.label).sum()) / shard.count

    chance = shard.chances(shard.scores(base, weight))
    for card in np.random.default_rng(2).choice(met, 6, replace=False):
        of = slice(*shard.ends[card : card + 2])
        doubt = chance[of] * (1 - chance[of]) + 1e-4
        for term in np.flatnonzero(weight[card])[:5]:
            without, start = weight.clone(), base.clone()
            without[card, term] = 0
            start[card] += weight[card, term] * (shard.values[of, term] * doubt).sum() / doubt.sum()
            assert float(losses[card, term]) == pytest.approx(worth(base, weight) - worth(start, without), abs=1e-6)


def perfect(theirs):
    base, weight = np.full(NUM_CARDS, -100.0), np.zeros((NUM_CARDS, len(TERMS)))
    weight[:, TERMS.index("if book")] = 110
    base[1 :: len(ACTIONS)], weight[1 :: len(ACTIONS), theirs] = -100, 200
    return base, weight


def test_a_run_ends_in_a_file_that_plays_and_resumes(tmp_path, monkeypatch):
    """With scores drawn by chance: to fit them takes half a minute, and is tested above."""
    monkeypatch.setattr(run, "Cluster", lambda workers: Here())
    monkeypatch.setattr(run, "fit_scores", lambda *_, **__: some_scores(1))
    config = CardsConfig(system="sayc", against="policy:acol", boards=64, rounds=1, judge=64)
    result = fit_cards(config, tmp_path, name="few")
    assert any(block.weighs for block in load_system(result.file).blocks)
    assert [gain.boards for gain in result.gains] == [64]
    stored = json.loads((result.folder / "results.json").read_text())
    monkeypatch.setattr(run, "collect", None)  # play-outs are read, all else is done anew
    again = fit_cards(config, tmp_path, resume=result.folder)
    assert again.system == result.system
    assert json.loads((result.folder / "results.json").read_text()) == stored
