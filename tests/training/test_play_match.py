"""Matches whose hands are played: the figures add up, the first fault ends the match."""

import json

import numpy as np
import pytest

from agents.cardplay.rule import RandomPlayer, RulePlayer
from bridge_env.rules.play import Plays
from bridge_env.rules.scoring import imps, score
from training.cli.app import main
from training.evaluation import cardplay
from training.evaluation.cardplay import FATES, CardPlayerError, Teams, boards_of_fate, play_hands
from training.evaluation.duplicate import match

BOARDS = 12


@pytest.fixture(scope="module")
def bidding():
    return match("doubler", "random", BOARDS, seed=3)


def teams(a, b):
    return Teams((None, None), (a, b))


def test_scores_are_those_of_the_tricks_taken(bidding):
    result = play_hands(bidding, teams("rule", "random"))
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
    assert (result.result.imps == imps(points[0] - points[1])).all()
    assert result.summary()["double_dummy_mean_imps"] == bidding.mean_imps
    declared = sum((t.contracts.declarer >= 0).sum() for t in bidding.tables)
    assert len(result.tricks_over(0)) + len(result.tricks_over(1)) == declared
    assert "IMPs per board, cards played" in str(result)


def test_the_same_players_at_both_tables_play_the_same_cards():
    bidding = match("doubler", "doubler", 8, seed=1)
    once = play_hands(bidding, teams("random", "random"))  # one table counts for both
    twice = play_hands(bidding, teams(RandomPlayer(), RandomPlayer()))
    assert once.boards == twice.boards
    assert all(board.cards[0] == board.cards[1] for board in once.boards)
    assert not once.result.imps.any()


class Faulty(RulePlayer):
    """Plays by rules, except with two certain cards in its hand."""

    def __init__(self, fault):
        super().__init__()
        self.fault = fault

    def play(self, view, key):
        cards, faulty = super().play(view, key), view.hand[:, 51] & view.hand[:, 38]
        return self.fault(cards, faulty) if faulty.any() else cards


def raising(cards, faulty):
    raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda cards, faulty: np.where(faulty, 77, cards), r"board \d+, A .*, for [NESW] after .* played 77"),
        (lambda cards, faulty: np.where(faulty, -1, cards), r"board \d+, A .* played -1, which is not legal"),
        (raising, r"player .*Faulty raised RuntimeError: no idea"),
        (lambda cards, faulty: cards[:0], r"player .*Faulty returned int8 \(0,\) for \d+ cards"),
    ],
)
def test_the_first_fault_ends_the_match(bidding, fault, message):
    with pytest.raises(CardPlayerError, match=message):
        play_hands(bidding, teams(Faulty(fault), "rule"))


def test_boards_are_played_alike_in_any_parts(bidding, monkeypatch):
    complete = play_hands(bidding, teams("random", "rule")).boards
    monkeypatch.setattr(cardplay, "_FAST_PART", 5)
    done = []
    assert play_hands(bidding, teams("random", "rule"), progress=done.append).boards == complete
    assert done == [0, 5, 5, 2]


def test_boards_of_one_fate_are_played_as_among_all():
    bidding = match("system:sayc", "system:sayc", 40, seed=2)
    full = play_hands(bidding, teams("rule", "random"))
    seen = 0
    for number, fate in enumerate(FATES):
        rows = boards_of_fate(bidding, fate)
        for table in bidding.tables:
            short = table.contracts.bid[rows] // 5 + 7 - table.tricks[rows]
            assert (np.clip(short, 0, 2) == number).all()
            assert (table.contracts.declarer[rows] >= 0).all()
        if not rows.size:
            continue
        seen += len(rows)
        some = play_hands(bidding, teams("rule", "random"), rows=rows)
        assert some.boards == [full.boards[i] for i in rows]
        assert some.bidding.boards.number.tolist() == bidding.boards.number[rows].tolist()
    assert seen > 10
    by_hand = [0, 0]
    for table, side in enumerate(bidding.tables):
        for i, board in enumerate(full.boards):
            if side.contracts.declarer[i] >= 0 and board.tricks[table] >= side.contracts.bid[i] // 5 + 7:
                by_hand[(int(side.contracts.declarer[i]) & 1) ^ table] += 1
    assert [sum(full.made(fate)[side][0] for fate in FATES) for side in (0, 1)] == by_hand
    assert "makes double dummy, made by A, by B" in str(full)


def test_a_player_for_declarer_and_another_for_defence(bidding):
    """A's declarers play by rules, its defenders at random: where A declares, the cards are those of rule against B."""
    mixed = play_hands(bidding, teams("rule+random", "rule"))
    plain, other = play_hands(bidding, teams("rule", "rule")), play_hands(bidding, teams("random", "rule"))
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


def test_a_match_with_play_at_the_command_line(tmp_path, capsys):
    out, keep = tmp_path / "out.json", tmp_path / "saved.jsonl"
    args = ["match", "doubler", "random", "--boards", "4", "--play", "rule", "--play-b", "random"]
    assert main([*args, "--json", str(out), "--keep", str(keep)]) == 0
    printed = capsys.readouterr().out
    assert "IMPs per board, cards played" in printed
    assert "at double-dummy tricks" in printed
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
