"""Steps of single lines: what decisions lie near them, what they promise, and that tuning mends a faulty bound."""

import numpy as np
import pytest
from support.learners import Here

from agents.systems.bidder import Hierarchy, bid_out
from agents.systems.changes.mutation import placed
from agents.systems.language.text import constraint_text, parse_system
from bridge_env.rules.calls import NUM_CALLS, first_calls
from training.evaluation.partnership_match import BoardRange, Partnership, duel, gains_and_changes
from training.evolution import cluster_evaluator, generations
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.config import EvolveConfig
from training.evolution.proposals import TUNING
from training.evolution.refine import line_steps
from training.evolution.refine.decisions import play_out, tables_of
from training.evolution.selection import select_proposals
from training.runtime.runs import Progress

ACOL = "policy:acol"
BOARDS = BoardRange(3, "training", 0, 300)


def numbered(name):
    return generations.numbered(name)


@pytest.fixture(scope="module")
def sayc():
    return numbered("sayc")


@pytest.fixture(scope="module")
def tables(sayc):
    """Both tables, with all decisions and the rows, keys and calls of their steps."""
    found = []
    for table in tables_of(sayc, ACOL, BOARDS):
        made = table.decisions()
        found.append((table, made, line_steps.all_steps(table, made.row, made.number)))
    return found


def changed_calls(table, made, changed):
    """Return the calls of a changed system that differ, one decision on: {row of the decision: call}."""
    boards, calls = table.boards, np.ascontiguousarray(first_calls(table.history[made.row], made.number))
    after = bid_out((changed,) * 4, table.features, boards.dealer[made.row], boards.vulnerability[made.row], made.row,
                    calls, made.number)  # fmt: skip
    now, before = after.history[np.arange(len(made.row)), made.number], table.history[made.row, made.number]
    return {int(row): int(now[row]) for row in np.flatnonzero(now != before)}


@pytest.mark.slow
def test_a_change_makes_the_calls_that_its_step_predicts(sayc, tables):
    """But for few: where the line has called before, its partner reads that call anew. The duel that confirms knows."""
    gains = line_steps.sum_gains(line_steps.table_gains(table, 0) for table, _, _ in tables)
    often = dict(sorted(gains.items(), key=lambda item: -item[1].decisions)[:5])
    tried = same = 0
    for edit, gain in line_steps.step_edits(sayc.first, often):
        change, changed = next(c for c, g in often.items() if g is gain), Hierarchy(edit.apply(sayc.first))
        for table, made, (row, key, call) in tables:
            actual = changed_calls(table, made, changed)
            mine = [line_steps._step(k) == change for k in key.tolist()]
            same += sum(actual.get(r) == c for r, c in zip(row[mine].tolist(), call[mine].tolist(), strict=True))
            tried += sum(mine)
    assert tried > 150
    assert same >= 0.99 * tried


def test_a_gain_is_the_sum_of_its_play_outs(tables):
    table, made, (row, key, call) = tables[0]
    tried = np.zeros((len(made.row), NUM_CALLS), np.bool_)
    tried[row, call] = True
    worth = play_out(table, made.row, made.number, tried).astype(int)
    gains = line_steps.table_gains(table, 0)
    for change in sorted(gains, key=lambda c: -gains[c].decisions)[:20]:
        mine = [worth[r, c] for r, k, c in zip(row, key, call, strict=True) if line_steps._step(int(k)) == change]
        assert gains[change] == line_steps.StepGain(sum(mine), sum(v * v for v in mine), len(mine))


def test_every_kind_of_change_is_an_edit(sayc):
    promised = line_steps.step_gains_task(sayc, ACOL, BOARDS, 0)
    kinds = {change.kind for change in promised}
    assert kinds == set(range(6))
    lines = {line.number: line for _, _, line in placed(sayc.first)}
    for kind in kinds:
        some = dict([(c, p) for c, p in promised.items() if c.kind == kind][:4])
        for edit, _ in line_steps.step_edits(sayc.first, some):
            after = edit.apply(sayc.first)
            assert after is not None
            removed = {constraint_text(line.constraint) for line in lines.values()} - {
                constraint_text(line.constraint) for _, _, line in placed(after)
            }
            assert len(removed) <= 1  # one line, and no other


def test_rules_of_last_resort_are_no_lines(sayc):
    change = line_steps.LineStep(-3, line_steps.WITHOUT_LINE)
    assert list(line_steps.step_edits(sayc.first, {change: line_steps.StepGain(9, 9, 9)})) == []


def test_general_rules_too_are_bid_again_only_where_another_call_is_made(sayc):
    """The filter on our own decisions is exact: the same gains as in complete duels."""
    promised = line_steps.step_gains_task(sayc, ACOL, BOARDS, 0)
    general = {line.number for address, _, line in placed(sayc.first) if address[0] == "blocks"}
    often = sorted((c for c in promised if c.line in general), key=lambda c: -promised[c].decisions)
    found = 0
    for edit, _ in line_steps.step_edits(sayc.first, {c: promised[c] for c in often[:2]}):
        system = edit.apply(sayc.first)
        changed = Partnership(system, system)
        gain, touched = gains_and_changes(changed, sayc, ACOL, BOARDS)
        now, then = duel(changed, ACOL, BOARDS), duel(sayc, ACOL, BOARDS)
        assert np.array_equal(gain, now.imps.astype(int) - then.imps)
        found += int(touched.sum())
    assert found > 0


def test_every_opponent_has_boards_of_its_own(sayc, monkeypatch):
    met = []

    def none(us, them, board_range, player, judge):
        met.append((them, board_range.start, board_range.count))
        return {}

    monkeypatch.setattr(cluster_evaluator, "step_gains_task", none)
    league = (sayc, ACOL, numbered("acol"))
    assert ClusterEvaluator(Here(), league, 1, Progress()).steps(sayc, BoardRange(1, "training", 50, 300)) == []
    assert met == [(them, 50 + 100 * k, 100) for k, them in enumerate(league)]


def test_tuning_mends_a_bound():
    """Game on four cards: every step away from it gains."""
    system = parse_system("system: x\n4M 10+ hcp, 4+ M\n1m 12+ hcp, 3+ m\n")
    us = Partnership(system, system)
    league = (numbered("sayc"),)
    config = EvolveConfig(operators=TUNING, boards=512, study=1024, confirm=1024, partnerships=1)
    evaluator = ClusterEvaluator(Here(), league, 1, Progress())
    steps = evaluator.steps(us, evaluator.board_range(0, config.study))
    assert any("4+ M -> 5+ M" in step.edit.what for step in steps)
    assert all(step.operator == TUNING for step in steps)
    after, accepted = select_proposals(us, steps, config, evaluator, config.study)
    assert any("4M" in text for text in accepted)
    fresh = evaluator.board_range(9000, 1000)
    assert duel(after, league[0], fresh).imps.mean() > duel(us, league[0], fresh).imps.mean() + 0.2
