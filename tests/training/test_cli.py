"""``bridge-env``: help, small outputs as they stand, progress, and how errors end."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import command as typed
from support.command import run

import training
from bridge_env.hands.deals import random_deals
from bridge_env.records.pbn import read_boards
from training.bench import measures
from training.cli.app import app, main
from training.cli.output import Bar
from training.runtime import runs
from training.runtime.cluster import ClusterError

COMMANDS = tuple(name for name in app if not name.startswith("-"))
HAND = "AKQ2.T98.J7.A543"


def refused(capsys, *words):
    """The one line of the error that ``words`` end in."""
    err = typed.refused(capsys, *words)
    assert err.startswith("bridge-env: error: ")
    assert err.count("\n") == 1
    return err.removeprefix("bridge-env: error: ").rstrip("\n")


def python(code, *, check=True, **options):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=check, **options)


def test_help_names_every_command_and_each_has_help(capsys):
    _, every, _ = run(capsys, "--help")
    for command in COMMANDS:
        assert re.search(rf"\b{command} +\w", every), command
        code, out, _ = run(capsys, command, "--help")
        assert code == 0
        assert out.startswith(f"Usage: bridge-env {command}")
        assert len(out.splitlines()) > 8


def examples():
    """Every line of a command's help that begins with ``bridge-env``, as words."""
    commands = [command for name in COMMANDS for command in (app[name], *app[name].subapps) if command.default_command]
    lines = [line for command in commands for line in command.default_command.__doc__.splitlines()]
    found = [re.findall(r"^ {8}bridge-env (\w+.*?)(?:  .*)?$", line) for line in lines]
    return sorted({command for match in found for command in match})


def test_the_examples_of_the_help_can_be_read():
    for command in examples():
        words = [quoted or word for quoted, word in re.findall(r'["\'](.*?)["\']|(\S+)', command)]
        words = words[: words.index(">")] if ">" in words else words
        if "--config" not in words and "--resume" not in words:
            app.parse_args(words, print_error=True, exit_on_error=False)


def test_help_is_quick_because_it_imports_nothing_heavy():
    heavy = "numba", "ray", "endplay", "torch", "matplotlib", "agents"
    code = f"import sys, training.cli.app as c; c.main(['--help']); print([m for m in {heavy} if m in sys.modules])"
    assert python(code).stdout.splitlines()[-1] == "[]"


def test_completion(capsys):
    code, out, _ = run(capsys, "completion", "bash")
    assert code == 0
    assert "evolve" in out


def test_options_come_from_toml(capsys, tmp_path):
    file = tmp_path / "match.toml"
    file.write_text("boards = 7\nseed = 5\n")
    code, out, _ = run(capsys, "match", "pass", "doubler", "--config", file, "--seed", 3)
    assert code == 0
    assert re.search("boards +7\n", out)
    assert re.search("seed +3\n", out)  # the command line goes before the file


def test_options_come_from_the_folder_of_a_run(capsys, tmp_path):
    runs.write_manifest(tmp_path, {"config": {"generations": -4}})
    assert "--generations is -4: expected int >= 0" in refused(capsys, "evolve", "--config", tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("boards: 7", "this is no TOML"),
        ("bords = 7", "bords"),
        ("boards = 'many'", 'unable to convert "many" into int'),
    ],
)
def test_a_faulty_file_of_options_is_refused(capsys, tmp_path, text, reason):
    file = tmp_path / "match.toml"
    file.write_text(text)
    assert reason in refused(capsys, "match", "pass", "doubler", "--config", file)


FIRST_DEAL = """\
Board 1     S K6
Dealer N    H 42
None vul    D KQJ864
            C KJ3
S AQT875       N        S J93
H AQ86      W     E     H JT
D 753          S        D AT9
C -                     C A7654
            S 42
            H K9753
            D 2
            C QT982
"""


def test_deal(capsys):
    assert run(capsys, "deal") == (0, FIRST_DEAL, "")
    code, out, _ = run(capsys, "deal", "--n", "3", "--start", "4")
    assert code == 0
    assert re.findall(r"^(?:Board|Dealer|\w+ vul)\S* ?\w*", out, re.MULTILINE) == [
        *("Board 5", "Dealer N", "NS vul "),
        *("Board 6", "Dealer E", "EW vul "),
        *("Board 7", "Dealer S", "All vul "),
    ]


def test_deal_into_a_file(capsys, tmp_path):
    for name in ("deals.pbn", "deals.pbn.gz"):
        path = tmp_path / name
        assert run(capsys, "deal", "--n", "20", "--seed", "3", "--pbn", str(path)) == (0, f"{path}: 20 deals\n", "")
        read = read_boards(path)
        assert not read.problems
        assert [board.number for board in read.boards] == list(range(1, 21))
        assert all((b.owner == o).all() for b, o in zip(read.boards, random_deals(3, 0, 20), strict=True))


def test_bid_a_hand(capsys):
    code, out, err = run(
        capsys, "bid", "system:sayc", "--hand", "982.J943.T7.J652", "--dealer", "E", "--auction", "P,2N"
    )
    assert (code, err) == (0, "")
    first, says, because, *rest = out.splitlines()
    assert (first, says) == ("Pass", "  says      Pass: any other hand, usually 2 to 12 HCP")
    me, *others = rest[[line.startswith("  shown") for line in rest].index(True) :]
    assert re.fullmatch(r"  because   general rules, line \d+: P", because)
    assert me.startswith("  shown     W (me) ")
    assert [" ".join(line.split()) for line in others] == ["E 0-11 HCP", "S 20-21 HCP, balanced"]


def test_the_first_bid_waits_for_no_compiler(capsys, tmp_path):
    """With nothing compiled the kernels are read as Python, and say the same."""
    words = ["bid", "system:sayc", "--hand", "A8.KQ94.72.KQ652", "--auction", "1C P 1S P 2C P 3D P"]
    code, out, err = run(capsys, *words)
    first = python(
        f"import sys, training.cli as c; sys.exit(c.main({words!r}))",
        env={"PATH": "", "NUMBA_CACHE_DIR": str(tmp_path)},
    )
    assert (code, out, err) == (0, first.stdout, first.stderr)
    assert not list(tmp_path.rglob("*.nb?"))


def test_bid_a_hand_without_a_system(capsys):
    reason = "follows no bidding system that could give a reason\n"
    assert run(capsys, "bid", "pass", "--hand", HAND, "--vulnerability", "Both") == (0, f"Pass\n  pass {reason}", "")
    pair = "pair:pass,python:test_cli:TwoClubs"
    assert run(capsys, "bid", pair, "--hand", HAND, "--dealer", "S") == (0, f"2C\n  {pair} {reason}", "")


class TwoClubs:
    """A user's own bidder."""

    def bid(self, view, key):
        return (view.mask[:, 8] * 8).astype("int8")


def test_bid_boards(capsys):
    code, out, err = run(capsys, "bid", "python:test_cli:TwoClubs", "--opponents", "pass", "--boards", "2")
    assert (code, err) == (0, "")
    boards = out.split("\n\n\n")
    assert len(boards) == 2
    diagram, auction, result = boards[0].split("\n\n")
    assert diagram.splitlines()[0].startswith("Board 1     S ")
    assert auction.split() == ["West", "North", "East", "South", "2C", "Pass", "Pass", "Pass"]
    assert re.fullmatch(r"2C by N, \d+ tricks, (=|[+-]\d+): [+-]\d+", result)


def test_words(capsys):
    code, out, _ = run(capsys, "bid", "--words")
    assert code == 0
    assert "  rule20             hcp + the lengths of the two longest suits" in out
    assert "  fit:S              my cards of a suit + the least that partner has shown" in out


MATCH = """\
doubler against pass
  IMPs per board         +0.000 ± 0.000
  boards                 20
  boards from            20 boards of the judging split of solved_deals.bdl (#), seed 4
  dealer, vulnerability  by board number
  seed                   4
  seconds                #
"""


def test_match(capsys):
    code, out, err = run(capsys, "match", "doubler", "pass", "--boards", "20", "--seed", "4")
    assert (code, err) == (0, "")  # no progress bar: this is no terminal
    assert re.sub(r"[\d,]+ deals|(?<=seconds                )[\d.]+", "#", out) == MATCH


def test_match_writes_json(capsys, tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    words = ["match", "system:sayc", "pass", "--boards", 50, "--json", path, "--workers", 1]
    code, out, _ = run(capsys, *words)
    result = json.loads(path.read_text())
    assert code == 0
    assert {"mean_imps", "standard_error", "boards", "seed", "a", "b", "rows"} <= set(result)
    assert (result["a"], result["b"], result["boards"], result["seed"]) == ("system:sayc", "pass", 50, 1)
    assert f"IMPs per board         {result['mean_imps']:+.3f} ± {result['standard_error']:.3f}" in out
    assert len(result["rows"]) == 50
    assert set(result["rows"][0]) == {"board", "deal", "dealer", "vulnerability", "a_ns", "a_ew", "points", "imps"}
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]
    monkeypatch.chdir(tmp_path)
    _, out, err = run(capsys, "match", "pass", "doubler", "--boards", "4", "--json", "-")
    assert json.loads(out)["boards"] == 4
    assert "IMPs" in err
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_match_on_a_file_reports_boards_open_to_training(capsys, tmp_path):
    path = tmp_path / "deals.pbn"
    run(capsys, "deal", "--n", "12", "--pbn", str(path))
    code, out, _ = run(capsys, "match", "pass", "pass", "--deals", str(path), "--boards", "9")
    assert code == 0
    assert re.search(r"^  boards +9$", out, re.MULTILINE)
    assert re.search(r"^  dealer, vulnerability +of the file$", out, re.MULTILINE)
    assert re.search(r"^  open to training +\d+% of the boards$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("bid", "nobody"), "system:nobody: there is no such file, and no such system is shipped"),
        (("bid", "system:sayc", "--hand", "AKQ2"), "must have four suits (S.H.D.C)"),
        (("bid", "system:sayc", "--hand", HAND, "--auction", "1C 8C"), "'8C' is not a call"),
        (("bid", "system:sayc", "--hand", HAND, "--boards", "2"), "--boards and --deals are for whole boards"),
        (("bid", "system:sayc", "--auction", "1C"), "--auction goes with --hand"),
        (("match", "pass", "pass", "--deals", "nowhere.pbn"), "nowhere.pbn: No such file or directory"),
        (("match", "pass", "pass", "--json", "nowhere/x.json"), "--json nowhere/x.json: there is no folder nowhere"),
        (("match", "pass", "pass", "--report", "no/x.html"), "--report no/x.html: there is no folder no"),
        (("match", "pass", "pass", "--boards", 10**15), "not enough memory for this; ask for less at once (Unable to"),
        (("panel", "system:nobody"), "nobody"),
        (("panel", "pass", "--against", "policy:nobody"), "no such network is shipped"),
        (("panel", "pass", "--boards", "1"), 'Invalid value "1" for --boards'),
        (("exam", "system:nosuch"), "system:nosuch: there is no such file"),
        (("exam", "pass", "--area", "nosuch"), "the exam has no area 'nosuch'; there are openings, responses"),
        (("serve", "nobody:1"), "names no bidder"),
        (("serve", "system:sayc", "--play", "nobody"), "names no player of cards"),
        (("serve", "--port", "65536"), 'Invalid value "65536" for --port'),
        (("serve", "pass", "--host", "203.0.113.1"), "cannot listen on 203.0.113.1"),
        (("table", "--no-browser", "--port", "70000"), "65535"),
        (("table", "--no-browser", "nonsense:x"), "nonsense"),
        (("nothing",), 'Unknown command "nothing"'),
        (("match", "pass"), "parameter B requires an argument"),
        (("match", "pass", "pass", "--boards", "0"), "Must be >= 1"),
        (("deal", "--tricks"), "Unknown option: --tricks"),
    ],
)
def test_errors_end_in_one_line(capsys, words, reason):
    assert reason in refused(capsys, *words)


FAULTY_RUNS = [
    ("evolve --seed 9223372036854775808", "--seed is 9223372036854775808: expected int <= 9223372036854775807"),
    ("evolve --generations -1", "--generations is -1"),
    ("evolve --minutes -1", 'Invalid value "-1.0" for --minutes. Must be > 0.'),
    ("evolve --minutes 1 --hours 1", "give --minutes or --hours, not both"),
    ("evolve --address 127.0.0.1:1", "no Ray cluster on"),
    ("evolve --start nobody", "system:nobody"),
    ("evolve --resume nowhere", "nowhere"),
    ("evolve --resume nowhere --name x", "--name is for a new run"),
    ("train league --iterations 0", "--iterations is 0"),
    ("train league --decision-fraction 2", "--decision-fraction is 2"),
    ("train league --pool system:nobody", "nobody"),
    ("train league --start nobody", "nobody"),
    ("train league --start policy:two-over-one --workers 0", 'Invalid value "0" for --workers'),
    ("train league --hours 0", "--hours"),
    ("train league --minutes 1 --hours 1", "give --minutes or --hours, not both"),
    ("train league --device tpu", "--device is tpu; it must be cpu or cuda"),
    ("train league --batch 1", "--batch is 1"),
    ("train league --resume .", "not the folder of a run"),
    ("train league --book nosuch", "system:nosuch"),
    ("train league --book sayc --prior 0", "--prior is 0.0"),
    ("train ppo --opponents nobody", "system:nobody"),
    ("coach", "name a system"),
    ("coach nosuch.bidding", "no such file"),
    ("coach sayc --iterations 0", "--iterations is 0"),
    ("coach sayc --rounds 0", "--rounds is 0"),
    ("coach sayc --resume .", "leave SYSTEM away"),
    ("fit maps --side 0", "--side is 0: expected int >= 1"),
    ("fit maps --system nobody", "no such system"),
    ("fit policy nothing.pbn", "No such file"),
    ("fit policy system:nobody", "nobody"),
    ("fit policy system:sayc --epochs 0", "--epochs is 0"),
    ("fit policy system:sayc --layers=", "at least one hidden layer"),
    ("fit policy system:sayc --start system:sayc", "write policy:"),
]


@pytest.mark.parametrize(("words", "reason"), FAULTY_RUNS)
def test_faulty_words_are_named_and_leave_no_folder(capsys, tmp_path, words, reason):
    assert reason in typed.refused(capsys, *words.split(), "--out", tmp_path / "results")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def wait():
    """Return a function that makes another one the command ``wait``."""
    yield lambda function: app.command(function, name="wait")
    del app["wait"]


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "\nbridge-env: stopped\n"),
        (ClusterError("no Ray"), 2, "bridge-env: error: no Ray\n"),
        (OSError(28, "No space left on device", "x.json"), 2, "bridge-env: error: x.json: No space left on device\n"),
    ],
)
def test_how_a_command_ends(capsys, wait, error, code, text):
    @wait
    def fails():
        raise error

    assert run(capsys, "wait") == (code, "", text)


def test_faults_of_the_program_are_not_hidden(wait):
    @wait
    def fails():
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        main(["wait"])


def test_a_reader_that_has_seen_enough():
    code = "import sys, training.cli.app as c; sys.exit(c.main(['deal', '--n', '2000']))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"Board 1")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def in_folder(folder, code):
    """Run code as in a folder in which ``bridge-env`` was started: Python itself does not look there."""
    root = str(Path(training.__file__).parents[1])
    return python(
        f"import os, sys; sys.path[0] = {root!r}; os.chdir({str(folder)!r}); import training.cli as c; {code}"
    )


def test_only_bidders_are_imported_from_the_current_folder(tmp_path):
    """uvicorn tries whether there is a ``uvloop``: one in the folder in which ``bridge-env serve`` was started ran."""
    for name in ("uvloop", "my_own_bots"):
        (tmp_path / f"{name}.py").write_text("from bridge_env.bidders.builtin import PassBidder as make\n")
    words = ["--hand", HAND]
    code = (
        f"from importlib.util import find_spec; c.main({['bid', 'pass', *words]}); print(find_spec('uvloop'));"
        f"sys.exit(c.main({['bid', 'python:my_own_bots:make', *words]}))"
    )
    one, other = in_folder(tmp_path, code).stdout.split("None\n")
    assert one.startswith("Pass\n")
    assert other.startswith("Pass\n")


def test_a_bar_shows_texts_totals_and_notes(capsys):
    with Bar(10, "it") as bar:
        bar.say("imitating 5%")
        assert "imitating 5%" in capsys.readouterr().err
    with Bar(1000, "it") as bar:
        bar.to(900)
        assert bar._bar.initial == 900  # an earlier run's results are no speed
        bar.to(901)
    assert "901/1000" in capsys.readouterr().err
    with Bar(what="learning") as bar:
        bar.share(0.5)
        bar.share(1.01)
    assert "learning: 100%" in capsys.readouterr().err


@pytest.mark.parametrize("report", [lambda bar: bar.add(3), lambda bar: bar.share(1.0), lambda bar: bar.say("now")])
def test_brief_bars_show_nothing_without_a_terminal(capsys, report):
    with Bar(brief=True) as bar:
        report(bar)
    assert not capsys.readouterr().err


def test_rates_are_counts_over_time(monkeypatch):
    monkeypatch.setattr(measures, "SECONDS", 0.01)
    found = measures.rate("nothing", "things/s", lambda: 7, 3)
    assert 0 < found.least <= found.median <= found.most


@pytest.mark.weekly
@pytest.mark.slow
def test_the_command_writes_a_table(tmp_path, monkeypatch, capsys):
    """Everything is done once, in part on fewer tables."""
    monkeypatch.setattr(measures, "SECONDS", 1e-9)
    for name, size in (("TABLES", 64), ("STEPS", 512)):
        monkeypatch.setattr(measures, name, size)
    assert main(["bench", "--repetitions", "1", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "bench.md").read_text()
    assert "batch 4,096" in page
    assert "bridge-env, one env" in page
    assert " 0.0 |" not in page
    assert "written:" in capsys.readouterr().out
