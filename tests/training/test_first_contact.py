"""What a newcomer types first: short names, misspelt options, files of the other kind."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.registry import make_system, system_of
from agents.text_api import call
from bridge_env.bidders.registry import SpecError, make
from bridge_env.records.lin import write_lin
from bridge_env.records.pbn import read_boards, write_boards
from training.cli.app import main
from training.evaluation.boards import pbn_boards
from training.evaluation.duplicate import match

# --- specs and options ------------------------------------------------------------------------------------


def test_the_name_of_a_system_is_enough():
    assert type(make("sayc")) is type(make_system("sayc"))
    assert system_of("sayc") is system_of("system:sayc")
    assert call("sayc", "AKQ2.T98.J7.A543") == call("system:sayc", "AKQ2.T98.J7.A543")
    short, full = match("sayc", "pass", 40), match("system:sayc", "pass", 40)
    assert (short.imps == full.imps).all()
    mixed = (
        match("pair:sayc,acol", "pair:acol,sayc", 20),
        match("pair:system:sayc,system:acol", "pair:system:acol,system:sayc", 20),
    )
    assert (mixed[0].imps == mixed[1].imps).all()


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("sayk", "did you mean sayc?"),
        ("passs", "did you mean pass?"),
        ("system:two-over-on", "did you mean two-over-one?"),
        ("sytem:sayc", "did you mean system:sayc?"),
        ("polcy:champion", "did you mean policy:champion?"),
        ("policy:champon", "did you mean champion"),
    ],
)
def test_specs_that_are_nearly_right(spec, hint):
    with pytest.raises(SpecError) as caught:
        make(spec)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["train", "ppo", "--learnin-rate", "1"], "did you mean --learning-rate?"),
        (["match", "sayc", "pass", "--bords", "3"], "did you mean --boards?"),
        (["mach", "sayc"], "did you mean match?"),
        (["fit", "estimator"], "did you mean estimators?"),
    ],
)
def test_options_and_commands_that_are_nearly_right(capsys, words, hint):
    assert main(words) == 2
    assert hint.lower() in capsys.readouterr().err.lower().replace('"', "")


def test_the_version_and_the_module(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("bridge-env ")
    done = subprocess.run([sys.executable, "-m", "bridge_env", "deal"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Board" in done.stdout or "N" in done.stdout


# --- files ------------------------------------------------------------------------------------------------


@pytest.fixture
def records(tmp_path):
    """The same boards, numbers 7, 3 and 12, as PBN and as LIN."""
    from dataclasses import replace

    main(["deal", "--n", "3", "--pbn", str(tmp_path / "a.pbn")])
    boards = [replace(b, number=n) for b, n in zip(read_boards(tmp_path / "a.pbn").boards, (7, 3, 12), strict=True)]
    write_boards(tmp_path / "a.pbn", boards)
    write_lin(tmp_path / "a.lin", boards)
    return tmp_path / "a.pbn", tmp_path / "a.lin"


def test_lin_is_taken_wherever_pbn_is_and_numbers_are_those_of_the_file(records, capsys):
    pbn, lin = (pbn_boards(path) for path in records)
    assert pbn.number.tolist() == lin.number.tolist() == [7, 3, 12]
    assert (pbn.owner == lin.owner).all()
    for path in records:
        capsys.readouterr()
        assert main(["bid", "sayc", "--deals", str(path)]) == 0
        assert "7" in capsys.readouterr().out
        assert main(["solve", "--deals", str(path), "--tricks", "estimate"]) == 0
        assert "12. " in capsys.readouterr().out


def test_boards_with_the_same_number_are_counted(records):
    text = records[0].read_text().replace('[Board "3"]', '[Board "7"]')
    records[0].write_text(text)
    assert pbn_boards(records[0]).number.tolist() == [1, 2, 3]


def test_a_file_of_no_boards_is_an_error(tmp_path, capsys):
    (tmp_path / "garbage").write_bytes(bytes(range(256)) * 20)
    assert main(["read", str(tmp_path / "garbage"), "--out", str(tmp_path / "out.pbn")]) == 2
    assert "no board could be read from" in capsys.readouterr().err
    assert not (tmp_path / "out.pbn").exists()


# --- one hand ---------------------------------------------------------------------------------------------


def test_a_hand_that_contradicts_its_own_calls_is_noted(capsys):
    assert main(["bid", "sayc", "--hand", "K8.AQ943.T72.J65", "--auction", "1C P 1S P"]) == 0
    assert "note: with this hand sayc would have called Pass, not 1C, at its turn 1" in capsys.readouterr().err
    assert main(["bid", "sayc", "--hand", "A8.KQ94.72.KQ652", "--auction", "1C P 1S P"]) == 0
    assert capsys.readouterr().err == ""
