"""A changed partnership bid again on the boards that can notice, against the complete match; and changes in words."""

import re
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from support.bidders import TANGLE, line_at
from support.learners import Here

from agents.systems.changes.edits import (
    CompositeEdit,
    Insert,
    InsertGeneral,
    Replace,
    SetCards,
    SwapLines,
    differences,
    lines_of_calls,
    sub_hierarchies,
)
from agents.systems.changes.mutation import SeededRandom, placed
from agents.systems.changes.simplify import added, grouped, same_rules, without_empty
from agents.systems.changes.variation import vary
from agents.systems.language.paths import path_steps
from agents.systems.language.text import SystemTextError, parse_constraint, parse_system, system_text
from training.cli.app import main
from training.evaluation.duplicate import match
from training.evaluation.partnership_match import BoardRange, Partnership, duel, gains_and_changes, hierarchy, is_system
from training.evolution import run
from training.evolution.config import EvolveConfig
from training.evolution.generations import numbered
from training.evolution.proposals import Proposal, rule_edit, swaps, trial, trial_result
from training.evolution.refine.induce import Rule
from training.evolution.run import check_start
from training.evolution.selection import describe_edit

SAYC = numbered("sayc")
OTHER = "system: other\n1N 12-14 hcp, balanced\n1x 12+ hcp, 4+ x\nP\n(1x)\n  1y 7-15 hcp, 5+ y\n  X 12+ hcp\n"
THEM = Partnership(*(parse_system(OTHER + "when 0-7 last-level\n  P\n"),) * 2)
BOARDS = BoardRange(4, "training", 100, 300)
SMALL = Partnership(*(parse_system(TANGLE),) * 2)  # as many kinds of lines as sayc has, at a fiftieth of the time


def changes(count, base=SAYC, first=25):
    """Variations of a system, for one player or both, that compile; of sayc's first none is noticed on these boards."""
    number = 0
    for k in range(first, 10_000):
        edit = vary(base.first, SeededRandom("variation", k), {})
        pair = Proposal(edit, k % 3, "evolution").apply(base) if edit is not None else None
        if pair is not None:
            yield edit, pair
            number += 1
        if number == count:
            return


@lru_cache
def noticed():
    """A pair that differs from sayc so that some of the boards notice: the first player opens a weak no trump."""
    line = next(line for line in SAYC.first.lines if line.name == "1N")
    weak = replace(line, constraint=parse_constraint("12-14 hcp, balanced"))
    return Proposal(Replace((), line, (weak,), "weak no trump"), 0, "evolution").apply(SAYC)


@pytest.mark.slow
@pytest.mark.parametrize(("base", "count", "least"), [(SMALL, 40, 15), (SAYC, 6, 1)], ids=["tangle", "sayc"])
def test_only_boards_that_can_notice_are_bid_again_and_none_is_missed(base, count, least):
    seen, before = 0, duel(base, THEM, BOARDS).imps
    pairs = [pair for _, pair in changes(count, base)] + [noticed()] * (base is SAYC)
    for pair in pairs:
        full = duel(pair, THEM, BOARDS).imps.astype(int) - before
        assert np.array_equal(gains_and_changes(pair, base, THEM, BOARDS)[0], full)
        seen += bool(full.any())
    assert seen >= least


@pytest.mark.parametrize("path", ["", "1M", "(1m)-P-(1M)", "1H-(1S)-X-P-2H", "1M-P-1N", "(1N)-P-(2m)-P-(2M)"])
def test_a_new_line_anywhere_too(path):
    steps = path_steps(path)
    line = parse_system("3S 2+ S\nwhen 0-7 last-level\n  P").lines[0]
    new = Insert(steps, line, "new").apply(SAYC.first)
    pair = Partnership(new, new)
    full = duel(pair, THEM, BOARDS).imps.astype(int) - duel(SAYC, THEM, BOARDS).imps
    assert np.array_equal(gains_and_changes(pair, SAYC, THEM, BOARDS)[0], full)
    assert parse_system(system_text(new)) == new


def test_a_duel_is_the_duplicate_match():
    """The workers' short way has the result of ``match``, and any cut of the boards the same."""
    full = BoardRange(5, "judging", 0, 300)
    assert not duel(SAYC, SAYC, full).imps.any()
    against = duel(SAYC, THEM, full).imps
    parts = [duel(SAYC, THEM, part).imps for part in full.parts(100)]
    assert np.array_equal(np.concatenate(parts), against)
    passing = parse_system("system: passing\nP\nwhen 0-7 last-level\n  P\n")
    played = match("system:sayc", "pass", 300, 5)
    assert np.array_equal(duel(SAYC, Partnership(passing, passing), full).imps, played.imps)


def test_a_trial_counts_each_board_once_and_each_opponent():
    pair = noticed()
    league = [THEM, SAYC]
    sums = trial(SAYC, [pair, SAYC], league, BOARDS)
    each = np.array([gains_and_changes(pair, SAYC, them, BOARDS)[0].astype(int) for them in league])
    assert sums[0, :2].tolist() == [each.sum(), (each.sum(axis=0) ** 2).sum()]
    assert sums[0, 3:].tolist() == [*each.sum(axis=1), *(each**2).sum(axis=1)]
    assert each.any(axis=0).sum() <= sums[0, 2] <= BOARDS.count
    assert not sums[1].any()
    found = trial_result(sums[0], BOARDS.count)
    board = each.mean(axis=0)
    assert found.gain == pytest.approx(board.mean())
    assert found.error == pytest.approx(board.std(ddof=1) / BOARDS.count**0.5)
    assert found.against == pytest.approx(each.mean(axis=1))
    assert found.errors == pytest.approx(each.std(axis=1, ddof=1) / BOARDS.count**0.5)


def test_a_change_that_makes_no_system_gains_nothing():
    """3S over 4H cannot be bid: compiling shows it, here or in the worker that tries it."""
    new = Proposal(Insert(path_steps("4H"), parse_system("3S 2+ S\nwhen 0-7 last-level\n  P").lines[0], "new"), 2, "x")
    assert new.apply(SAYC) is None
    unchecked = new.apply(SAYC, compiled=False)
    assert unchecked is not None
    assert not is_system(unchecked)
    pair = noticed()
    sums = trial(SAYC, [unchecked, pair], [THEM], BOARDS)
    assert not sums[0].any()
    assert not trial_result(sums[0], BOARDS.count).better_by(0.0)
    assert sums[1].any()


def test_no_gain_from_a_minority_of_the_league():
    sums = np.array([900, 5000, 60, 1000, -50, -50, 4000, 500, 500], np.int64)
    assert not trial_result(sums, 100).better_by(0.0)
    assert trial_result(np.array([900, 5000, 60, 850, 100, -50, 4000, 500, 500], np.int64), 100).better_by(0.0)
    assert not trial_result(np.zeros(9, np.int64), 100).better_by(0.0)


def test_variations_make_systems_that_read_back():
    system, kinds = SMALL.first, set()
    for k in range(150):
        edit = vary(system, SeededRandom("walk", k), {})
        changed = edit.apply(system) if edit is not None else None
        if changed is None:
            continue
        try:
            _ = hierarchy(changed).compiled
        except SystemTextError:
            continue  # such a call is not legal there: the proposal is dropped
        kinds.add(type(edit))
        assert parse_system(system_text(changed)) == changed
        system = changed
    assert kinds == {Replace, SwapLines}
    assert len(list(differences(SMALL.first, system))) > 20
    assert any(r.name == "P" and not r.constraint for r in system.blocks[-1].lines)  # something fits every hand


CARDS = """\
system: cards
1N  15-17 hcp, balanced
weigh when 1+ they-bid, 1+ i-bid    ; they bid on
  P      scores 0, 11 if book
  X      scores -60, 4 for each hcp
  bid:x  4+ shown:x scores -19, 4 for each x less shown:x, 8 if 6+ x, -22 if jump
when 0-7 last-level
  P
"""


def test_variations_of_scorecards_change_scores_alone():
    system, kinds = parse_system(CARDS), set()
    for k in range(200):
        edit = vary(system, SeededRandom("cards", k), {})
        if edit is None or "scores" not in system_text(system) or edit.apply(system) is None:
            continue
        changed = edit.apply(system)
        _ = hierarchy(changed).compiled
        assert parse_system(system_text(changed)) == changed
        if isinstance(edit, SetCards) or (isinstance(edit, Replace) and edit.old.score is not None):
            kinds.add(type(edit))
            assert [line for line in changed.blocks[-1].lines] == [line for line in system.blocks[-1].lines]
            system = changed
    assert kinds == {Replace, SetCards}
    assert len(system.blocks) > 2  # a situation was split


def test_scorecards_are_taken_from_others():
    mine, theirs = parse_system(CARDS), parse_system(CARDS.replace("-60", "-50").replace("11 if", "9 if"))
    single = [edit for edit in differences(mine, theirs) if isinstance(edit, Replace)]
    assert [edit.old.name for edit in single] == ["P", "X"]
    assert single[1].apply(single[0].apply(mine)).blocks == theirs.blocks
    plain = replace(mine, blocks=mine.blocks[1:])
    (edit,) = differences(plain, theirs)
    assert edit.apply(plain) == theirs
    assert edit.apply(mine).blocks == theirs.blocks


def test_own_calls_are_known_by_their_lines():
    before = parse_system("1N 12-14 hcp, balanced\n  2C 8+ hcp ; Stayman\n1M 11+ hcp, 5+ M\n(1N)\n  X 14+ hcp")
    for text, same in (("12-14", False), ("8+ hcp", True), ("11+ hcp", True)):
        after = parse_system(system_text(before).replace(text, "15-17" if text == "12-14" else "9+ hcp"))
        assert (lines_of_calls(before, {"1N"}) == lines_of_calls(after, {"1N"})) == same
    assert len(lines_of_calls(before, {"1N", "1N-2C", "(1N)-X"})) == 3
    with pytest.raises(ValueError, match=r"--keep 7N: sayc has no line"):
        check_start(EvolveConfig(keep="1NT, 7NT"))


def test_an_edit_finds_its_line_where_others_were_put_in_front():
    rule = Rule("1M", "3S", parse_system("3S 7+ S\nwhen 0-7 last-level\n  P").lines[0].constraint, 1.0, 5)
    later = rule_edit(rule).apply(SAYC.first)
    for edit, pair in changes(3):
        both = edit.apply(later)
        assert both is not None, edit.what
        assert both != later
        if pair.first != SAYC.first:
            assert set(_texts(pair.first)) <= set(_texts(both))
    assert Replace(("1M",), SAYC.first.lines[0], (), "dropped").apply(SAYC.first) is None


def _texts(system):
    return [(line.name, line.constraint, line.flags) for _, _, line in placed(system)]


def test_partners_offer_each_other_what_they_do_differently():
    _, changed = next(c for c in changes(40, first=0) if c[1].first != SAYC.first and c[1].second == SAYC.second)
    offers = swaps([changed], 0, 10, SeededRandom("swap"))
    assert {o.player for o in offers} == {0, 1}
    after = [o.apply(changed) for o in offers]
    assert any(pair is not None and pair.first == pair.second == changed.first for pair in after)
    assert any(pair is not None and pair.first == pair.second == SAYC.first for pair in after)
    assert swaps([SAYC], 0, 10, SeededRandom("swap")) == []
    assert swaps([SAYC, changed], 0, 10, SeededRandom("swap"))


def test_a_complete_sub_hierarchy_is_taken_over():
    donor = SAYC.first
    for path, call in (("1M", "3S"), ("1M-(2m)", "3H"), ("1N", "3D")):
        donor = rule_edit(Rule(path, call, (), 1.0, 5)).apply(donor)
    edits = list(differences(SAYC.first, donor))
    taken = {edit.what: edit for edit in sub_hierarchies(edits)}
    assert set(taken) == {"takes all of 1M"}
    after = taken["takes all of 1M"].apply(SAYC.first)
    assert {e.what for e in differences(after, donor)} == {"takes 3D"}
    general = InsertGeneral(SAYC.first.blocks[-1].when, donor.lines[0].lines[0], "x").apply(SAYC.first)
    assert [type(e) for e in differences(SAYC.first, general)] == [Replace]
    new = parse_constraint("ours, 3 last-level")
    general = InsertGeneral(new, donor.lines[0].lines[0], "x").apply(SAYC.first)
    brought = list(differences(SAYC.first, general))
    assert [type(e) for e in brought] == [InsertGeneral]
    assert brought[0].apply(SAYC.first) == general


def test_lines_for_one_place_come_under_one_heading_where_order_allows():
    system = SMALL.first
    rules = [("1M", "3S"), ("(1m)", "2N"), ("(1D)", "3H"), ("1M", "3H"), ("(1m)", "3S")]
    for k, (path, call) in enumerate(rules):
        constraint = parse_system(f"3S {k + 1}+ S\nwhen 0-7 last-level\n  P").lines[0].constraint
        system = rule_edit(Rule(path, call, constraint, 1.0, 5)).apply(system)
    tidy = grouped(system)
    names = [line.name for line in tidy.lines[:4]]
    assert names.count("1M") == 1
    assert names.count("(1m)") == 2  # (1D) is between them, and speaks of the same auctions
    assert same_rules(hierarchy(system).compiled, hierarchy(tidy).compiled)
    assert not same_rules(hierarchy(system).compiled, hierarchy(SMALL.first).compiled)
    pair, other = Partnership(system, system), Partnership(tidy, tidy)
    assert np.array_equal(duel(pair, THEM, BOARDS).history, duel(other, THEM, BOARDS).history)


def test_added_lines_can_be_dropped_again_one_by_one():
    line = parse_system("3S 2+ S\nwhen 0-7 last-level\n  P").lines[0]
    new = Insert(path_steps("1M-(2m)"), line, "new").apply(SAYC.first)
    drops = list(added(SAYC.first, new))
    assert len(drops) == 1
    assert without_empty(drops[0].apply(new)) == SAYC.first
    assert list(added(SAYC.first, SAYC.first)) == []


SYSTEM = parse_system(
    """system: toy
1N    15-17 hcp, balanced
  2C    8+ hcp, 4 H or 4 S   ; Stayman !forcing
P     0-13 hcp
when 0-7 last-level
  P
"""
)
NOTRUMP, STAYMAN, PASSES = (line_at(SYSTEM, at) for at in (("lines", 0), ("lines", 0, 0), ("lines", 1)))


def changed(line, text, **more):
    return replace(line, constraint=parse_constraint(text), **more)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (
            Replace((), PASSES, (changed(PASSES, "0-12 hcp"),), "P 0-13 hcp: 0-13 -> 0-12"),
            "opening: Pass: 0-13 HCP → 0-12 HCP",
        ),
        (
            Replace(("1N",), STAYMAN, (changed(STAYMAN, "7+ hcp, 4 H or 4 S"),), ""),
            "after 1NT: 2♣: 8+ HCP; 4♥ or 4♠ → 7+ HCP; 4♥ or 4♠",
        ),
        (Replace(("1N",), STAYMAN, (), ""), "after 1NT: dropped: 2♣ 8+ HCP; 4♥ or 4♠ (Stayman, forcing)"),
        (Insert(path_steps("1N-(2C)"), PASSES, ""), "after 1NT - (2♣): new: Pass 0-13 HCP"),
        (
            InsertGeneral(parse_constraint("0-7 last-level"), PASSES, ""),
            "where the last bid is at level 0-7: new: Pass 0-13 HCP",
        ),
        (SwapLines((), NOTRUMP, PASSES, ""), "opening: Pass 0-13 HCP goes before 1NT 15-17 HCP, balanced"),
        (
            CompositeEdit((Insert((), NOTRUMP, ""), Insert(path_steps("1N"), STAYMAN, "")), ""),
            "opening: new: 1NT 15-17 HCP, balanced; with it after 1NT: new: 2♣ 8+ HCP",
        ),
    ],
)
def test_a_change_in_words(edit, words):
    assert describe_edit(edit).startswith(words)


def test_a_run_that_is_bounded_by_time_is_judged_and_can_be_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "Cluster", lambda *_: Here())
    (tmp_path / "toy.bidding").write_text("system: toy\n4S    5+ S, 8+ hcp\nP\nwhen 0-7 last-level\n  P\n")
    toy = str(tmp_path / "toy.bidding")
    words = ["--start", toy, "--control", toy, "--league", "silent", "--validators", "", "--gatekeepers", "",
             "--operators", "tuning", "--study", "400", "--boards", "300", "--confirm", "600",
             "--judge", "64"]  # fmt: skip
    command = ["evolve", "--minutes", "0.0001", "--workers", "1", "--partnerships", "1", "--name", "a"]
    assert main([*command, "--out", str(tmp_path), *words]) == 0
    folder = tmp_path / "evolve" / "a"
    report = (folder / "report.md").read_text()
    assert re.search(r"--generations [1-9]", report)  # as many as the time was for
    assert "beside each change" in report or "Nothing." in report
    assert "[What differs in the end](diff.md)" in report
    assert (folder / "diff.md").read_text().startswith("# toy to evolved")
    assert not (folder / "best.bidding").exists()  # evolved.bidding is there
