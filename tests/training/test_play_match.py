"""Matches whose hands are played: faults cost their own board, a kept file goes on, the numbers add up."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

from agents.cardplay.rule import RandomPlayer, RulePlayer
from bridge_env.play import Plays
from bridge_env.scoring import imps, score
from training.cardplay.match import Teams, play_match
from training.cardplay.result import DOWN_MORE, DOWN_ONE, MAKES, boards_of_fate
from training.cli.entry import main
from training.match.match import play

BOARDS = 12


@pytest.fixture(scope="module")
def bidding():
    return play("doubler", "random", BOARDS, seed=3)


def teams(a, b):
    return Teams((None, None), (a, b))


class Faulty(RulePlayer):
    """Plays by rules, except on the boards where the hand holds two certain cards: there it does ``what``."""

    def __init__(self, what):
        self.what = what

    def play(self, view, key):
        chosen = super().play(view, key)
        bad = view.hand[:, 51] & view.hand[:, 38]  # the major aces
        if not bad.any():
            return chosen
        return self.what(chosen, bad)


def illegal(chosen, bad):
    return np.where(bad, 77, chosen)


def failing(chosen, bad):
    raise RuntimeError("no idea")


def stuck(chosen, bad):
    threading.Event().wait(60)
    return chosen


def wrong_shape(chosen, bad):
    return chosen[:0]


def test_scores_are_those_of_the_tricks_taken(bidding):
    result = play_match(bidding, teams("rule", "random"))
    assert result.faults() == []
    points = []
    for table in (0, 1):
        contracts = bidding.tables[table].contracts
        for i, board in enumerate(result.boards):
            assert len(board.cards[table]) == (52 if contracts.declarer[i] >= 0 else 0)
            if not board.cards[table]:
                continue
            again = Plays.replay(
                bidding.boards.owner[i], contracts.declarer[i], contracts.bid[i] % 5, [board.cards[table]]
            )
            assert again.won[0] == board.tricks[table]
        tricks = [board.tricks[table] for board in result.boards]
        points.append(score(*contracts[:2], contracts.declarer, bidding.boards.vulnerability, tricks).astype(np.int64))
    assert (result.imps == imps(points[0] - points[1])).all()
    assert result.mean_imps()[0] == pytest.approx(imps(points[0] - points[1]).mean())
    assert result.mean_double_dummy()[0] == pytest.approx(bidding.mean_imps)
    declared = sum((t.contracts.declarer >= 0).sum() for t in bidding.tables)
    assert len(result.tricks_over(0)) + len(result.tricks_over(1)) == declared
    assert "IMPs per board, cards played" in str(result)


def test_the_same_players_at_both_tables_play_the_same_cards():
    bidding = play("doubler", "doubler", 8, seed=1)
    once = play_match(bidding, teams("random", "random"))  # one table stands for both
    twice = play_match(bidding, teams(RandomPlayer(), RandomPlayer()))
    assert once.boards == twice.boards
    assert all(board.cards[0] == board.cards[1] for board in once.boards)
    assert not once.imps.any()


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (illegal, "played 77, which is not legal"),
        (failing, "failed: RuntimeError: no idea"),
        (stuck, "gave no card within 0.1 seconds"),
        (wrong_shape, "was asked for 1 cards and gave int8"),
    ],
)
def test_a_faulty_player_costs_its_own_boards_alone(bidding, what, message):
    RulePlayer().play(*_warm(bidding))
    good = play_match(bidding, teams("rule", "rule"))
    result = play_match(bidding, teams(Faulty(what), "rule"), seconds=0.1)
    faulty = {i for i, board in enumerate(result.boards) if board.fault}
    assert 0 < len(faulty) < BOARDS
    assert set(result.kept.tolist()) == set(range(BOARDS)) - faulty
    for i in result.kept:
        assert result.boards[i] == good.boards[i]
    for i, told in zip(sorted(faulty), result.faults(), strict=True):
        assert told.startswith(f"board {bidding.boards.number[i]}: A ")
        assert "Faulty" in told
        assert message in told
    assert (result.imps == good.imps[result.kept]).all()
    assert len(result.faults()) == str(result).count("not played: board")


def _warm(bidding):
    from bridge_env.play_view import play_view

    contracts = bidding.tables[0].contracts
    rows = np.flatnonzero(contracts.declarer >= 0)
    plays = Plays(bidding.boards.owner, contracts.declarer, contracts.bid % 5)
    return play_view(plays, contracts, bidding.boards.vulnerability, rows=rows), np.zeros(len(rows), np.uint64)


def test_workers_change_nothing(bidding):
    assert play_match(bidding, teams("random", "rule"), rows=np.arange(4), workers=2).boards == (
        play_match(bidding, teams("random", "rule"), rows=np.arange(4)).boards
    )


def test_boards_of_one_fate_are_played_as_among_all():
    bidding = play("system:sayc", "system:sayc", 40, seed=2)
    whole = play_match(bidding, teams("rule", "random"))
    seen = 0
    for fate in (MAKES, DOWN_ONE, DOWN_MORE):
        rows = boards_of_fate(bidding, fate)
        for table in bidding.tables:
            short = table.contracts.bid[rows] // 5 + 7 - table.tricks[rows]
            assert (np.clip(short, 0, 2) == (MAKES, DOWN_ONE, DOWN_MORE).index(fate)).all()
            assert (table.contracts.declarer[rows] >= 0).all()
        if not rows.size:
            continue
        seen += len(rows)
        some = play_match(bidding, teams("rule", "random"), rows=rows)
        assert some.boards == [whole.boards[i] for i in rows]
        assert some.bidding.boards.number.tolist() == bidding.boards.number[rows].tolist()
        (made,) = [m for m in some.made() if sum(m.contracts)]
        assert (made.fate, sum(made.contracts)) == (fate, 2 * len(rows))
    assert seen > 10
    by_hand = [0, 0]
    for table, side in enumerate(bidding.tables):
        for i, board in enumerate(whole.boards):
            if side.contracts.declarer[i] >= 0 and board.tricks[table] >= side.contracts.bid[i] // 5 + 7:
                by_hand[(int(side.contracts.declarer[i]) & 1) ^ table] += 1
    assert [sum(m.made[who] for m in whole.made()) for who in (0, 1)] == by_hand
    assert "makes double dummy, made by A, by B" in str(whole)


def test_one_who_declares_and_another_who_defends(bidding):
    """A's declarers play by rules, its defenders at random: where A declares, the cards are those of rule against B."""
    mixed = play_match(bidding, teams("rule+random", "rule"))
    plain, other = play_match(bidding, teams("rule", "rule")), play_match(bidding, teams("random", "rule"))
    differ = 0
    for table, side in enumerate(bidding.tables):
        for i in np.flatnonzero(side.contracts.declarer >= 0):
            a_declares = (int(side.contracts.declarer[i]) & 1) == table
            same = (plain if a_declares else other).boards[i].cards[table]
            assert mixed.boards[i].cards[table] == same
            differ += plain.boards[i].cards[table] != other.boards[i].cards[table]
    assert differ
    with pytest.raises(ValueError, match="'nobody' names no player"):
        teams("rule+nobody", "rule").seated()


class Counting(RandomPlayer):
    asked = 0

    def play(self, view, key):
        Counting.asked += len(view)
        return super().play(view, key)


def test_a_kept_match_goes_on_where_it_stopped(bidding, tmp_path):
    file = tmp_path / "match.jsonl"
    whole = play_match(bidding, teams(Counting(), "rule"), keep=tmp_path / "whole.jsonl")
    every = Counting.asked

    def interrupt(boards):
        raise KeyboardInterrupt

    first = iter([None, None, interrupt])

    def progress(boards):
        if (act := next(first)) is not None:
            act(boards)

    with pytest.raises(KeyboardInterrupt):
        play_match(bidding, teams(Counting(), "rule"), keep=file, progress=progress)
    with file.open("a") as torn:
        torn.write('{"board": 9, "cards": ["S')
    assert 1 < len(file.read_text().splitlines()) - 1 < BOARDS
    Counting.asked = 0
    again = play_match(bidding, teams(Counting(), "rule"), keep=file)
    assert 0 < Counting.asked < every
    assert again.boards == whole.boards
    assert (again.imps == whole.imps).all()
    Counting.asked = 0
    assert play_match(bidding, teams(Counting(), "rule"), keep=file).boards == whole.boards
    assert Counting.asked == 0
    with pytest.raises(ValueError, match="holds something else: its play_b is 'rule', not 'random'"):
        play_match(bidding, teams(Counting(), "random"), keep=file)


def test_boards_that_were_not_played_to_their_end_are_tried_again(bidding, tmp_path):
    file = tmp_path / "kept.jsonl"
    first = play_match(bidding, teams(Faulty(failing), "rule"), keep=file)
    assert first.faults()
    lines = len(file.read_text().splitlines())
    again = play_match(bidding, teams(Faulty(lambda chosen, bad: chosen), "rule"), keep=file)
    assert again.faults() == []
    assert again.fresh == len(first.faults())
    assert len(file.read_text().splitlines()) == lines + again.fresh
    assert play_match(bidding, teams(Faulty(failing), "rule"), keep=file).boards == again.boards


def test_a_match_with_play_at_the_command_line(tmp_path, capsys):
    out, keep = tmp_path / "out.json", tmp_path / "kept.jsonl"
    args = ["match", "doubler", "random", "--boards", "4", "--play", "rule", "--play-b", "random"]
    assert main([*args, "--json", str(out), "--keep", str(keep)]) == 0
    said = capsys.readouterr().out
    assert "IMPs per board, cards played" in said
    assert "at double-dummy tricks" in said
    content = json.loads(out.read_text())
    assert content["play"]["boards_played"] == 4
    assert [row["board"] for row in content["play"]["rows"]] == [1, 2, 3, 4]
    assert len(keep.read_text().splitlines()) == 5
    assert main(["match", "pass", "pass", "--boards", "2", "--play-b", "rule"]) == 2
    assert main(["match", "pass", "pass", "--boards", "2", "--play", "nobody"]) == 2
    assert "names no player of cards" in capsys.readouterr().err
    assert main(["match", "pass", "pass", "--boards", "2", "--only", "makes"]) == 2
    assert main(["match", "pass", "pass", "--boards", "2", "--play", "rule", "--only", "makes"]) == 2
    assert "boards fits --only makes" in capsys.readouterr().err


class Forger:
    """Declares every card playable in what it was handed, then plays one that was not."""

    def play(self, view, key):
        card = (~view.mask).argmax(axis=1).astype(np.int8)
        view.mask[:] = True
        return card


def test_playable_cards_are_not_looked_up_in_what_a_player_could_write_to(bidding):
    result = play_match(bidding, teams(Forger(), "rule"))
    assert result.faults()
    assert all("which is not legal" in told for told in result.faults())
    assert not {i for i, board in enumerate(result.boards) if board.cards[0]} & set(result.kept.tolist())
