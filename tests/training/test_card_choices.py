"""The study of card choices: equal players are equal, a poor one loses, worth is counted for the side that plays."""

from __future__ import annotations

import numpy as np
import pytest

from agents.cardplay.table import declares
from training.match.boards import library_boards
from training.studies.card_choices.__main__ import main
from training.studies.card_choices.choices import _points, choices, decisions


def test_who_plays_at_random_loses_to_the_rules_and_the_rules_lose_nothing_to_themselves():
    rule, again, random = choices(["rule", "rule", "random"], 30, 6, 1, played_by="rule")
    assert len(rule.cards) > 60
    for values in again.over(rule):
        assert not values.any()
    tricks, gained = random.over(rule)
    assert tricks.mean() < -0.1
    assert gained.mean() < -0.3


def test_every_trick_more_is_worth_more_to_the_side_that_plays():
    view, owner = decisions(library_boards(40, 3, "training"), 4, 3, "system:sayc", "rule")
    assert len(view) == len(owner)
    assert (view.length >= 1).all()
    left = 13 - view.length // 4
    fewer, more = _points(view, np.zeros(len(view), np.int8)), _points(view, left.astype(np.int8))
    assert (more > fewer).all()
    assert declares(view).any()
    assert not declares(view).all()


def test_the_command_prints_a_line_a_player(capsys):
    assert main(["rule", "random", "--boards", "4", "--each", "2"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 3
    assert out[1].startswith("rule: 0.0% other cards, +0.000 ± 0.000 tricks")


def test_more_decisions_than_a_board_has_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["rule", "--boards", "2", "--each", "37"])
    assert "at most 36" in capsys.readouterr().err
