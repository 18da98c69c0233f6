"""``bridge-env sweep``: what it refuses, how it goes on, and its table against the verdicts of its runs."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest
from support.command import refused

from training.cli.entry import main
from training.match import panel
from training.match.judge import Row
from training.running import lock, runs
from training.sweep import plan, processes
from training.sweep.figures import figures, table, verdict

RATES = """
command = "train ppo"
seeds = [1, 2]
[settings]
steps = 100
minutes = 0
[vary]
learning_rate = [1e-3, 3e-3]
"""

# In place of a run: it writes what one would, with a verdict that settings and seed tell; it fails, or waits to be
# stopped, where a file beside the sweep says so.
STUB = """
import json, os, signal, sys, threading, time
from dataclasses import asdict
from pathlib import Path
from training.networks.configs import PPOConfig
from training.running import lock, runs
threading.Thread(target=lambda: (os.read(0, 1), os.kill(os.getpid(), signal.SIGTERM)), daemon=True).start()
words = sys.argv[1:]
given = dict(word[2:].split("=", 1) for word in words if "=" in word)
if "--resume" in words:
    folder = Path(words[words.index("--resume") + 1])
    config = runs.config_of(folder, PPOConfig)
else:
    folder = Path(words[words.index("--out") + 1]) / "train" / words[words.index("--name") + 1]
    folder.mkdir(parents=True)
    config = PPOConfig(0.0, 100, int(given["seed"]), learning_rate=float(given["learning-rate"]))
    runs.write_manifest(folder, {"config": asdict(config)})
lock.hold(folder)
(folder / "checkpoint.json").write_text("{}")
around = folder.parents[4]
if (around / f"fail-{folder.name}").exists():
    print("bridge-env: error: no luck", file=sys.stderr)
    sys.exit(2)
while (around / f"wait-{folder.name}").exists():
    time.sleep(0.05)
mean = 1000 * config.learning_rate + config.seed
row = {"what": "against pass", "mean_imps": mean, "standard_error": 0.3, "boards": 50}
(folder / "verdict.json").write_text(json.dumps({"rows": [row]}))
"""
SWEEP = f"""
import sys
from training.sweep import plan, processes
processes._CHILD, plan.Sweep.check_starts = {STUB!r}, lambda sweep: None
from training.cli.entry import main
sys.exit(main())
"""


@pytest.fixture
def rates(tmp_path):
    file = tmp_path / "rates.toml"
    file.write_text(RATES)
    return file


@pytest.fixture
def stub(monkeypatch):
    monkeypatch.setattr(processes, "_CHILD", STUB)
    monkeypatch.setattr(plan.Sweep, "check_starts", lambda sweep: None)


def words(rates, *more):
    return ["sweep", str(rates), "--out", str(rates.parent / "out"), *more]


def folder_of(rates):
    return rates.parent / "out" / "sweep" / "rates"


def ran(rates):
    """The commands of each trial, as the logs tell them."""
    logs = sorted(folder_of(rates).glob("*.log"))
    return {log.stem: [line for line in log.read_text().split("\n") if line.startswith("$ ")] for log in logs}


def until(condition):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it does not come to this")


# --- what it reads -----------------------------------------------------------------------------------------


def test_every_setting_runs_with_every_seed(tmp_path):
    vary = {"start": ["policy:acol", "nothing"], "entropy": [0, 0.004]}
    content = {"command": "train league", "seeds": [1, 2], "settings": {"judge": 100, "pool": ""}, "vary": vary}
    sweep = plan.read(content, "it")
    assert sweep.told()[1:3] == ["entropy 0, start nothing", "entropy 0.004, start policy:acol"]
    trials = sweep.trials(tmp_path)
    assert [(trial.setting, trial.seed) for trial in trials] == [(s, seed) for seed in (1, 2) for s in (1, 2, 3, 4)]
    assert trials[6].words() == [
        "train", "league", "--out", str(tmp_path), "--name", "setting-3-seed-2", "--seed=2", "--judge=100", "--pool=",
        "--entropy=0.004", "--start=policy:acol",
    ]  # fmt: skip
    assert (trials[6].config().seed, trials[6].config().entropy) == (2, 0.004)
    begun = trials[6].folder
    begun.mkdir(parents=True)
    (begun / "checkpoint.npz").touch()
    assert trials[6].words() == ["train", "league", "--resume", str(begun), "--judge=100"]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("train ppo", "train pop", "command: 'train pop' is none that can be swept; did you mean train ppo?"),
        ("train ppo", "match", "'match' is none that can be swept; write train league or train ppo or evolve"),
        ('command = "train ppo"', "", "command: is missing"),
        ("[settings]", "[setings]", "there is no key 'setings' here; did you mean settings?"),
        ("[settings]\nsteps", "steps", "no key 'steps' here; settings of the command stand under [settings]"),
        ("[1, 2]", '[1, "two"]', "seeds[1]: 'two' is no whole number"),
        ("[1, 2]", "[1, -2]", "seeds[1]: -2 is not from 0"),
        ("[1, 2]", "[]", "seeds: the list is empty"),
        ("[1, 2]", "[2, 2]", "seeds: a value stands there twice"),
        ("steps", "stesp", "'train ppo' has no setting stesp; did you mean steps?"),
        ("steps", "seed", "seed is no setting of a sweep: write the seeds at the top"),
        ("steps", "workers", "'train ppo' has no setting workers"),
        ("steps = 100", 'steps = "many"', "settings: steps: 'many' is no whole number"),
        ("steps = 100", "learning-rate = 1e-3", "learning_rate stands under [settings] and under [vary]"),
        ("[1e-3, 3e-3]", "1e-3", "vary.learning_rate: 0.001 is no list"),
        ("[1e-3, 3e-3]", '[1e-3, "x"]', "vary: learning_rate[1]: 'x' is no number"),
        ("[1e-3, 3e-3]", "[1e-3, 0.001]", "vary.learning_rate: a value stands there twice"),
        ("[vary]", "[vary", "this is no TOML"),
    ],
)
def test_a_faulty_file_is_told_with_its_key(rates, capsys, before, after, says):
    rates.write_text(RATES.replace(before, after, 1))
    assert main(words(rates)) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"bridge-env: error: {rates}: ")
    assert says in said
    assert [path.name for path in rates.parent.iterdir()] == ["rates.toml"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "name a file"),
        (["a.toml", "--resume", "b"], "one of them"),
        (["nowhere.toml"], "nowhere.toml: No such file"),
        (["--resume", "nowhere"], "nowhere is not the folder of a sweep"),
        (["--resume", "nowhere", "--name", "x"], "--name is for a new sweep"),
        (["a.toml", "--name", "../x"], "a run's name is a folder's"),
    ],
)
def test_faulty_words_are_told(capsys, tmp_path, given, says):
    assert says in refused(capsys, "sweep", "--out", tmp_path, *given)
    assert list(tmp_path.iterdir()) == []


def test_what_a_command_refuses_is_refused_before_anything_runs(rates, capsys):
    pytest.importorskip("ray")
    text = 'command = "evolve"\nseeds = [1, 2]\n[vary]\n'
    for line, says in (
        ('league = ["policy:acol", "policy:humans"]', "setting 2 (league policy:humans): --gatekeepers: policy:humans"),
        ("generations = [1, -1]", "setting 2 (generations -1): --generations is -1"),
        ('start = ["sayc", "sayk"]', "setting 2 (start sayk): "),
    ):
        rates.write_text(f"{text}{line}\n")
        assert says in refused(capsys, *words(rates))
    assert [path.name for path in rates.parent.iterdir()] == ["rates.toml"]


def test_the_league_refuses_gatekeepers_in_a_sweep_too(rates, capsys):
    pytest.importorskip("torch")
    pytest.importorskip("ray")
    rates.write_text(
        'command = "train league"\nseeds = [1]\n[settings]\nstart = "policy:acol"\npool = "policy:humans"\n'
    )
    assert "setting 1 (as given): policy:humans is a gatekeeper" in refused(capsys, *words(rates))


def test_options_that_the_command_does_not_have_are_refused(rates, capsys, stub):
    assert "--workers: 'bridge-env train ppo' has no such option" in refused(capsys, *words(rates, "--workers", "2"))
    rates.write_text('command = "evolve"\nseeds = [1, 2]\n[vary]\nproposals = [3]\n')
    assert main(words(rates, "--workers", "2", "--address", "auto", "--dry-run")) == 0
    assert capsys.readouterr().out.count("--proposals=3 --workers=2 --address=auto") == 2


# --- how it runs -------------------------------------------------------------------------------------------


def test_a_dry_run_lists_the_trials_and_leaves_nothing(rates, capsys, stub):
    assert main(words(rates, "--dry-run")) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[2] == "setting-2-seed-1  new    learning_rate 0.003"
    assert out[3].endswith("--name setting-2-seed-1 --seed=1 --steps=100 --minutes=0 --learning-rate=0.003")
    assert len(out) == 8
    assert [path.name for path in rates.parent.iterdir()] == ["rates.toml"]


def test_a_sweep_ends_with_a_table_and_does_nothing_twice(rates, capsys, stub):
    assert main(words(rates, "--at-once", "2")) == 0
    out = capsys.readouterr().out
    assert "setting-2-seed-1 begins: learning_rate 0.003; output in " in out
    assert "; 4 of 4\n" in out
    row = "  2: learning_rate 0.003      +4.500  0.212   0.707   +2.000 ± 0.300      2      100"
    assert (
        f"\nagainst pass\n  1: learning_rate 0.001      +2.500  0.212   0.707                       2      100\n{row}"
        in out
    )
    assert row in (folder_of(rates) / "report.md").read_text()
    told = json.loads((folder_of(rates) / "sweep.json").read_text())
    assert told["varied"] == [{"learning_rate": 0.001}, {"learning_rate": 0.003}]
    assert told["figures"][1]["difference"] == pytest.approx(2)
    before = ran(rates)
    assert [len(commands) for commands in before.values()] == [1, 1, 1, 1]
    for again in (words(rates), ["sweep", "--resume", str(folder_of(rates))]):
        assert main(again) == 0
        assert "4 of them ended before" in (out := capsys.readouterr().out)
        assert row in out
    assert ran(rates) == before


def test_a_trial_that_fails_holds_up_no_other_and_is_tried_again(rates, capsys, stub):
    fault = rates.parent / "fail-setting-1-seed-1"
    fault.touch()
    assert main(words(rates)) == 1
    out = capsys.readouterr().out
    assert "setting-1-seed-1 FAILED, exit code 2: no luck; 1 of 4\n" in out
    assert "1 of 4 trials failed; this tries them again: bridge-env sweep --resume " in out
    assert f"1: learning_rate 0.001      +3.000  0.300{'':31}1{'':7}50" in out
    assert "2: learning_rate 0.003      +4.500  0.212   0.707   +2.000 ± 0.424      2      100" in out
    assert "- setting-1-seed-1: exit code 2: no luck" in (folder_of(rates) / "report.md").read_text()
    fault.unlink()
    assert main(words(rates)) == 0
    assert "goes on" in capsys.readouterr().out
    commands = ran(rates)
    assert [len(found) for found in commands.values()] == [2, 1, 1, 1]
    assert commands["setting-1-seed-1"][1].endswith(f"--resume {folder_of(rates)}/train/setting-1-seed-1")


def test_a_verdict_that_is_not_the_sweeps_is_left_out(rates, capsys, stub):
    assert main(words(rates)) == 0
    other, damaged = (folder_of(rates) / "train" / f"setting-1-seed-{seed}" for seed in (1, 2))
    manifest = runs.read_manifest(other)
    runs.write_manifest(other, {"config": manifest["config"] | {"tables": 7}})
    (damaged / "verdict.json").write_text('{"rows": [{}]}')
    capsys.readouterr()
    assert main(words(rates)) == 1
    out = capsys.readouterr().out
    assert "its settings are not those of the sweep" in out
    assert "verdict.json: rows[0].what: is missing" in out
    assert "1: learning_rate" not in out


def test_another_sweep_of_the_same_name_is_refused(rates, capsys, stub):
    assert main(words(rates)) == 0
    rates.write_text(RATES.replace("[1, 2]", "[1, 3]").replace("steps", "tables").replace("3e-3", "4e-3"))
    assert main(words(rates)) == 2
    said = capsys.readouterr().err
    assert (
        "was begun otherwise: seeds was [1, 2], and is [1, 3] now; settings.steps was 100, and is not given now" in said
    )
    assert "vary.learning_rate was [0.001, 0.003], and is [0.001, 0.004] now" in said
    rates.write_text(RATES.replace("1e-3", "0.001"))  # the same in other words
    assert main(words(rates)) == 0
    (rates.parent / "out" / "sweep" / "mine").mkdir()
    (rates.parent / "out" / "sweep" / "mine" / "diary.txt").touch()
    capsys.readouterr()
    assert "is not the folder of a sweep; choose another --name" in refused(capsys, *words(rates, "--name", "mine"))
    (folder_of(rates) / runs.MANIFEST).write_text('{"kind": "sweep", "config": {"command": "train ppo", "seeds": 1}}')
    assert "manifest.json: config: seeds: 1 is no list" in refused(capsys, "sweep", "--resume", str(folder_of(rates)))


def is_free(folder):
    try:
        with lock.held(folder):
            return True
    except lock.InUse:
        return False


def begun(rates, trial):
    """A sweep in a process of its own, whose first trial waits."""
    (rates.parent / f"wait-{trial}").touch()
    process = subprocess.Popen([sys.executable, "-c", SWEEP, *words(rates)], stderr=subprocess.PIPE, text=True)
    until((folder_of(rates) / "train" / trial / "checkpoint.json").exists)
    return process


def test_a_sweep_that_is_stopped_says_how_to_go_on(rates, capsys, stub):
    process = begun(rates, "setting-1-seed-1")
    assert main(words(rates)) == 2  # two at once
    assert f"{folder_of(rates)} is in use by process {process.pid}" in capsys.readouterr().err
    process.send_signal(signal.SIGTERM)  # other signals end a match alike
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 143
    folder = folder_of(rates)
    assert f"stopped; what was done before is kept in {folder}; go on: bridge-env sweep --resume {folder}" in said
    assert list(ran(rates)) == ["setting-1-seed-1"]
    (rates.parent / "wait-setting-1-seed-1").unlink()
    assert main(["sweep", "--resume", str(folder_of(rates))]) == 0
    assert [len(commands) for commands in ran(rates).values()] == [2, 1, 1, 1]


def test_a_sweep_that_is_killed_leaves_no_trial_behind(rates, stub):
    process = begun(rates, "setting-1-seed-1")
    process.kill()
    process.wait()
    until(lambda: is_free(folder_of(rates) / "train" / "setting-1-seed-1"))  # with the sweep its trial ends
    (rates.parent / "wait-setting-1-seed-1").unlink()
    assert main(words(rates)) == 0
    assert [len(commands) for commands in ran(rates).values()] == [2, 1, 1, 1]


def test_a_trial_that_was_killed_before_it_could_be_resumed_begins_again(rates, capsys, stub):
    folder = folder_of(rates) / "train" / "setting-1-seed-1"
    sweep = plan.read(
        {"command": "train ppo", "seeds": [1], "settings": {"steps": 100, "minutes": 0, "learning_rate": 1e-3}}, ""
    )
    plan.begin(folder_of(rates), sweep)
    folder.mkdir(parents=True)
    (folder / runs.MANIFEST).write_text("{}")
    assert main(["sweep", "--resume", str(folder_of(rates))]) == 0
    assert "setting-1-seed-1 begins: as given" in capsys.readouterr().out


# --- the figures -------------------------------------------------------------------------------------------


def test_figures():
    of = {1: {1: (1.0, 0.3), 2: (2.0, 0.4)}, 2: {1: (1.5, 0.3), 2: (4.5, 0.4)}, 3: {2: (2.5, 0.4)}}
    verdicts = {
        setting: {seed: [Row("against pass", mean, error, 100)] for seed, (mean, error) in seeds.items()}
        for setting, seeds in of.items()
    }
    verdicts[3][2].append(Row("against doubler", 0.0, 0.1, 10))
    first, second, third, alone = figures(verdicts)
    assert (first.mean, first.error, first.spread, first.seeds, first.boards) == (
        1.5,
        0.25,
        pytest.approx(0.5**0.5),
        2,
        200,
    )
    assert first.difference is None
    assert (second.difference, second.difference_error) == (
        1.5,
        pytest.approx(1.0),
    )  # the seeds differ more than boards
    assert (third.spread, third.difference, third.difference_error) == (None, 0.5, pytest.approx(0.4 * 2**0.5))
    assert (alone.against, alone.difference, alone.seeds) == ("against doubler", None, 1)
    assert len(table([first, second, third, alone], ["a", "b", "c"]).splitlines()) == 9


# --- real runs ---------------------------------------------------------------------------------------------

REAL = """
command = "train ppo"
seeds = [1, 2]
[settings]
steps = 2000
minutes = 0
tables = 64
evaluate = 20
judge = 20
layers = "16"
critic = "16"
[vary]
learning_rate = [3e-2]
"""


@pytest.mark.slow
@pytest.mark.long
def test_real_runs_are_resumed_after_a_kill_and_summed_up_by_their_verdicts(rates, capsys):
    pytest.importorskip("sb3_contrib")
    rates.write_text(REAL)
    code = "import sys; from training.cli.entry import main; sys.exit(main())"
    process = subprocess.Popen([sys.executable, "-c", code, *words(rates)])
    first, second = (folder_of(rates) / "train" / f"setting-1-seed-{seed}" for seed in (1, 2))
    for _ in range(6000):
        if (second / "checkpoint.json").exists():
            break
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    ended = (first / "verdict.json").stat().st_mtime_ns
    assert main(words(rates)) == 0
    assert (first / "verdict.json").stat().st_mtime_ns == ended
    assert [len(commands) for commands in ran(rates).values()] == [1, 2]
    told = json.loads((folder_of(rates) / "sweep.json").read_text())["figures"]
    verdicts = [json.loads((folder / "verdict.json").read_text())["rows"] for folder in (first, second)]
    for one, two in zip(*verdicts, strict=True):
        figure = next(f for f in told if f["against"] == one["what"])
        assert figure["mean"] == pytest.approx((one["mean_imps"] + two["mean_imps"]) / 2)
        assert figure["error"] == pytest.approx(math.hypot(one["standard_error"], two["standard_error"]) / 2)
        assert (figure["seeds"], figure["boards"]) == (2, 40)
    assert "against pass, its control pair" in capsys.readouterr().out


def test_a_league_that_settled_for_its_cores_is_of_the_sweep(tmp_path, monkeypatch):
    content = {"command": "train league", "seeds": [1], "vary": {"entropy": [0.0, 0.01]}}
    first, second = plan.read(content, "here").trials(tmp_path)
    for trial in (first, second):
        trial.folder.mkdir(parents=True)
    runs.write_manifest(first.folder, {"config": asdict(first.config().settled(16))})
    runs.write_manifest(second.folder, {"config": asdict(replace(second.config(), entropy=0.5).settled(16))})
    monkeypatch.setattr(panel, "read", lambda _file: {"line": panel.Line("", "pass", 1.0, 0.1, 50, 0.0, None, None)})
    assert verdict(first) == [Row("against pass", 1.0, 0.1, 50)]
    with pytest.raises(runs.RunError, match="settings are not those of the sweep"):
        verdict(second)
