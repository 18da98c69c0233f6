"""Partnerships that learn against strangers: the same calls as in a match, gatekeepers refused, validators heard."""

from dataclasses import replace

import numpy as np
import pytest
from support.learners import Here

from agents.systems.audit.audit import audit_regressions
from agents.systems.changes.edits import Insert
from agents.systems.language.paths import path_steps
from agents.systems.language.text import constraint_text, parse_system
from agents.systems.library.shipped import read_system
from bridge_env.bidders.registry import SpecError
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match
from training.evaluation.network_opponents import stranger
from training.evaluation.partnership_match import BoardRange, Partnership, duel, gains_and_changes
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.config import EvolveConfig
from training.evolution.finalize import simplify_conditions
from training.evolution.proposals import Proposal, trial, trial_result
from training.evolution.refine.decisions import UNTRIED
from training.evolution.refine.tasks import count_task, label_task
from training.evolution.run import check_start
from training.evolution.selection import is_sayable, loses_to_validator
from training.runtime.runs import Progress

SAYC = Partnership(read_system("sayc"), read_system("sayc"))
WEAK = Insert((), parse_system("system: x\n1N 12-14 hcp, balanced").lines[0], "a weak no trump")
ACOL = "policy:acol"
BOARDS = BoardRange(3, "training", 0, 120)


def test_a_duel_with_a_stranger_is_the_match():
    boards = library_boards(120, 3, "training")
    assert np.array_equal(duel(SAYC, ACOL, BOARDS).imps, match("system:sayc", "policy:acol", boards, 3).imps)


def test_gains_against_a_stranger_are_those_of_complete_duels():
    changed = Partnership(WEAK.apply(SAYC.first), WEAK.apply(SAYC.second))
    full = duel(changed, ACOL, BOARDS).imps.astype(int) - duel(SAYC, ACOL, BOARDS).imps
    assert full.any()
    assert np.array_equal(gains_and_changes(changed, SAYC, ACOL, BOARDS)[0], full)


def test_calls_are_played_out_against_a_stranger():
    paths, _ = count_task(SAYC, ACOL, BOARDS)
    path, often = paths.most_common(1)[0]
    examples = label_task(SAYC, ACOL, BOARDS, {path: 20})[path]
    assert min(20, often) <= len(examples) <= 40  # of both tables
    assert (examples.worth != UNTRIED).sum() > 2 * len(examples)
    assert (examples.worth == 0).any(axis=1).all()  # the call that was made


@pytest.mark.parametrize("name", ["policy:humans", "policy:polish", "policy:wbridge5", "policy:standard-met"])
def test_gatekeepers_are_refused(name):
    with pytest.raises(SpecError, match="gatekeeper"):
        stranger(name)


@pytest.mark.parametrize("office", ["league", "validators"])
def test_a_run_against_gatekeepers_is_refused(office):
    with pytest.raises(SpecError, match="gatekeeper"):
        check_start(EvolveConfig(gatekeepers="", **{office: "policy:polish"}))


def test_a_training_opponent_cannot_validate():
    with pytest.raises(ValueError, match="is also in --league"):
        EvolveConfig(league="policy:acol", validators="policy:acol").check()


def test_what_loses_to_a_validator_is_rejected():
    config = EvolveConfig(validators="policy:acol")
    evaluator = ClusterEvaluator(Here(), (SAYC,), 1, Progress())
    wild = Insert((), parse_system("system: x\n7N 0+ hcp").lines[0], "suicide")
    worse = Partnership(wild.apply(SAYC.first), wild.apply(SAYC.second))
    assert loses_to_validator(SAYC, worse, config, evaluator, BOARDS)
    assert not loses_to_validator(SAYC, worse, replace(config, validators=""), evaluator, BOARDS)
    assert not loses_to_validator(SAYC, SAYC, config, evaluator, BOARDS)


def test_only_sayable_changes_are_tried():
    def with_rule(text, path=""):
        edit = Insert(path_steps(path), parse_system(f"system: x\n{text}").lines[0], "")
        return Proposal(edit, 2, "x").apply(SAYC, compiled=False)

    assert is_sayable(SAYC, with_rule("1N 12-14 hcp, balanced"))
    assert not is_sayable(SAYC, with_rule("1S 0-23 rule20, 5+ S, 11+ hcp"))
    assert not is_sayable(SAYC, with_rule("1S 11+ hcp, 5+ S, 2+ top5:D"))
    worse = with_rule("1S 0-23 rule20, 5+ S, 11+ hcp")
    line = worse.first.lines[0]
    better = Partnership(*(replace(s, lines=s.lines[1:]) for s in (worse.first, worse.second)))
    assert line.name == "1S"
    assert is_sayable(worse, better)  # what is dropped needs no excuse


def test_doubles_count_against_a_system_that_relies_on_opponents_that_never_double():
    """A system that bids slams on nothing gains nothing in a trial against strangers, who double or simply defend."""
    greedy = Insert((), parse_system("system: x\n6N 13+ hcp").lines[0], "slam on an opening")
    changed = Partnership(greedy.apply(SAYC.first), greedy.apply(SAYC.second))
    sums = trial(SAYC, [changed], [ACOL], BOARDS)
    assert trial_result(sums[0], BOARDS.count).gain < -2


@pytest.mark.slow
def test_rules_are_simplified_where_that_costs_nothing():
    """A condition that never matters goes; one that carries the rule stays."""
    rule = parse_system("system: x\n3S 8+ hcp, 7+ S, 0-9 losers, 0-5 H").lines[0]
    learned = Insert((), rule, "").apply(SAYC.first)
    evaluator = ClusterEvaluator(Here(), (SAYC,), 1, Progress())
    choose, check = BoardRange(3, "training", 0, 400), BoardRange(3, "training", 400, 400)
    plain, notes = simplify_conditions(learned, [SAYC.first], evaluator, choose, check)
    assert constraint_text(plain.lines[0].constraint) == "8+ hcp, 7+ S"
    assert "without 0-5 H" in notes[0]
    vital = parse_system("system: x\n7N 8+ hcp, 4+ aces, 4+ kings, 1+ quick").lines[0]
    learned = Insert((), vital, "").apply(SAYC.first)
    plain, _ = simplify_conditions(learned, [SAYC.first], evaluator, choose, check)
    assert "4+ kings" in constraint_text(plain.lines[0].constraint) or "4+ aces" in constraint_text(
        plain.lines[0].constraint
    )
    assert simplify_conditions(SAYC.first, [SAYC.first], evaluator, choose, check) == (SAYC.first, [])


def test_conditions_that_keep_a_rule_sound_are_not_left_out():
    """On two boards, where a rule never comes up, all its conditions could go; those of a take-out double stay."""
    rule = parse_system("system: x\nX 11-14 hcp, 0-1 H, 3+ S, 3+ D, 3+ C ; take-out !forcing").lines[0]
    silent = read_system("silent")
    learned = Insert(path_steps("(2H)"), rule, "").apply(silent)
    evaluator = ClusterEvaluator(Here(), (SAYC,), 1, Progress())
    choose, check = BoardRange(3, "training", 0, 2), BoardRange(3, "training", 2, 2)
    sound, notes = simplify_conditions(learned, [silent], evaluator, choose, check)
    assert notes
    assert sound != learned
    assert not audit_regressions(learned, sound)
