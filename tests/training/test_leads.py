"""Opening leads of a record beside a player's."""

from __future__ import annotations

import numpy as np
import pytest
from support.pbn import GAME

from training.cardplay.leads import compare_leads, lead_positions
from training.cli.entry import main

OTHER = GAME.replace("SJ S9 S2 SK\nD5 D2 DK DQ", "D4 D2 D7 DQ")


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "record.pbn"
    unplayed = GAME.partition("[Play")[0]
    bad = GAME.replace("SJ S9 S2 SK", "SJ CT S2 SK")
    path.write_text("\n".join([GAME, unplayed, bad, OTHER]))
    return path


def test_positions_are_those_of_the_leaders(record):
    view, leads = lead_positions(record, 10)
    assert leads.tolist() == [48, 15]  # SJ, D4
    assert view.seat.tolist() == [0, 0]
    assert view.length.tolist() == [0, 0]
    assert not view.dummy.any()
    assert view.mask.sum(axis=1).tolist() == [13, 13]
    assert (view.history[0] >= 0).sum() == 13
    assert len(lead_positions(record, 1)[1]) == 1


def test_shares_and_a_file_that_is_kept(record, tmp_path, capsys):
    keep = tmp_path / "leads.jsonl"
    found = compare_leads(record, "rule", "system:sayc", 10, keep=keep)
    view, _ = lead_positions(record, 10)
    assert view.mask[np.arange(2), found.chosen].all()  # legal leads
    shares = {name: share for name, share, _ in found.shares()}
    assert shares["the same card"] == np.mean(found.chosen == found.recorded)
    assert shares["the same card"] <= shares["or one touching it"] <= shares["the same suit"]
    with keep.open("a") as torn:
        torn.write('[3, "S')
    again = compare_leads(record, "rule", "system:sayc", 10, keep=keep)
    assert again.chosen.tolist() == found.chosen.tolist()
    assert keep.read_text().count("\n") == 3
    with pytest.raises(ValueError, match="holds something else: its player"):
        compare_leads(record, "random", "system:sayc", 10, keep=keep)
    assert main(["play", "--leads", str(record), "--player", "rule"]) == 0
    assert "2 opening leads, calls read as system:sayc" in capsys.readouterr().out


def test_a_record_without_leads(tmp_path):
    path = tmp_path / "none.pbn"
    path.write_text(GAME.partition("[Play")[0])
    with pytest.raises(ValueError, match="no board has an auction and an opening lead"):
        lead_positions(path, 5)
