"""``--config``: options of a command from a file, or from the manifest of a run."""

from __future__ import annotations

import json

import pytest

from training.cli.config import parsed
from training.cli.entry import command_parser, main

LONG = [
    ["evolve"], ["train", "league"], ["train", "ppo"], ["panel", "system:sayc"], ["match", "pass", "system:sayc"],
    ["fit", "estimators"], ["fit", "cases", "x.pbn"], ["fit", "maps"], ["fit", "policy", "x.pbn"],
    ["fit", "belief", "policy:standard"], ["fit", "meanings", "policy:standard"],
]  # fmt: skip


@pytest.mark.parametrize("command", LONG, ids=" ".join)
def test_every_long_command_takes_its_options_from_a_file(command, tmp_path):
    file = tmp_path / "run.toml"
    out = f'out = "{tmp_path}/out"\n' if "policy" in command else ""  # which it cannot do without
    file.write_text(out + "seed = 23\n")
    assert parsed(command_parser(), [*command, "--config", str(file)]).seed == 23


@pytest.mark.parametrize("before", [True, False])
def test_the_command_line_goes_before_the_file(before, tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('boards = 64\nworkers = 3\nagainst = ["pass", "doubler"]\nwhere = true\n')
    line, config = ["--boards", "20000"], ["--config", str(file)]  # 20000 is what it would be anyway
    args = parsed(command_parser(), ["panel", "system:sayc", *(line + config if before else config + line)])
    assert (args.boards, args.workers, args.against, args.where) == (20000, 3, ["pass", "doubler"], True)


def test_the_manifest_of_a_run_serves_too(tmp_path):
    told = {"config": {"generations": 3, "start": "acol", "seed": 5}}
    (tmp_path / "manifest.json").write_text(json.dumps(told))
    for path in (tmp_path, tmp_path / "manifest.json"):
        args = parsed(command_parser(), ["evolve", "--config", str(path), "--seed", "6"])
        assert (args.generations, args.start, args.seed, args.boards) == (3, "acol", 6, None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bords = 5", "this command has no option --bords; did you mean boards?"),
        ("boards = many", "this is no TOML"),
        ('boards = "many"', "boards: 'many' is not a whole number from 2 up"),
        ("boards = [1, 2]", "boards takes one value, not [1, 2]"),
        ("boards = true", "boards takes one value, not True"),
        ('against = "pass"', "against takes a list, not 'pass'"),
        ("where = 1", "where is a switch: write true or false, not 1"),
        ('config = "other.toml"', "this command has no option --config"),
    ],
)
def test_a_faulty_file_is_told_before_anything_is_done(text, says, tmp_path, capsys):
    file = tmp_path / "run.toml"
    file.write_text(text)
    with pytest.raises(SystemExit, match="2"):
        main(["panel", "system:sayc", "--config", str(file)])
    assert f"--config {file}: {says}" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["run.yaml", "run.yml"])
def test_yaml_is_told_as_what_it_is(name, tmp_path, capsys):
    file = tmp_path / name
    file.write_text("boards: 5\n")
    with pytest.raises(SystemExit, match="2"):
        main(["panel", "system:sayc", "--config", str(file)])
    assert "this is no TOML but YAML; write 'boards = 8192' for 'boards: 8192'" in capsys.readouterr().err


def test_a_file_may_spell_options_as_the_command_line_does(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text("learning-rate = 0.25\n")
    assert parsed(command_parser(), ["train", "ppo", "--config", str(file)]).learning_rate == 0.25


def test_a_choice_is_checked(tmp_path, capsys):
    file = tmp_path / "run.toml"
    file.write_text('scoring = "beauty"')
    with pytest.raises(SystemExit, match="2"):
        main(["match", "pass", "pass", "--config", str(file)])
    assert "scoring: invalid choice: 'beauty'" in capsys.readouterr().err


def test_files_that_hold_no_options_are_told(tmp_path, capsys):
    for path, says in ((tmp_path / "none.toml", "No such file"), (tmp_path, "has no manifest.json with a config")):
        with pytest.raises(SystemExit, match="2"):
            main(["evolve", "--config", str(path)])
        assert says in capsys.readouterr().err


def test_a_run_that_goes_on_keeps_its_own_options(tmp_path, capsys):
    file = tmp_path / "run.toml"
    file.write_text("generations = 9")
    with pytest.raises(SystemExit, match="2"):
        main(["evolve", "--resume", str(tmp_path), "--config", str(file)])
    assert "--config is for a new run" in capsys.readouterr().err


def test_a_match_is_played_as_the_file_says(tmp_path, capsys):
    file = tmp_path / "match.toml"
    file.write_text(f'boards = 8\nseed = 4\njson = "{tmp_path}/match.json"\n')
    assert main(["match", "pass", "random", "--config", str(file)]) == 0
    assert len(json.loads((tmp_path / "match.json").read_text())["rows"]) == 8
    capsys.readouterr()
