"""The panel: its bidders, resuming, where matches are lost, and kinds of situations."""

import json

import numpy as np
import pytest

from agents.networks.shipped import read_networks, role, shipped_networks
from bridge_env.bidders.registry import make
from bridge_env.rules.calls import parse_call
from training.cli.app import main
from training.evaluation import panel, report
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match as play_match
from training.evaluation.situations import KINDS, kinds_of
from training.runtime.runs import Progress


class Opponents(Progress):
    """Notes the opponents that are played."""

    def __init__(self):
        self.played = []

    def say(self, what):
        self.played.append(what)


def test_strangers_and_gatekeepers_are_all_on_it():
    listed = dict.fromkeys(spec for _, spec in panel.opponents())
    for name in shipped_networks():
        what = role(read_networks(name))
        assert (f"policy:{name}" in listed) == (what in ("gatekeeper", "stranger"))
    groups = [group for group, _ in panel.opponents()]
    assert groups == sorted(groups, key=list(panel.GROUPS).index)
    assert {f"policy:{n}" for n in ("humans", "polish", "standard-met", "wbridge5")} == {
        spec for group, spec in panel.opponents() if group == "gatekeepers"
    }
    for _, spec in panel.opponents():
        make(spec)


@pytest.mark.parametrize(
    ("spec", "group"),
    [
        ("policy:humans", "gatekeepers"), ("policy:acol", "strangers"), ("policy:champion", "others"),
        ("policy:mine.onnx", "others"), ("reason:sayc", "others"), ("sayc", "families"), ("random", "no bidders"),
    ],
)  # fmt: skip
def test_a_bidder_stands_in_its_own_group(spec, group):
    assert panel.group_of(spec) == group


def test_lines_are_those_of_matches(tmp_path):
    result = panel.panel("system:acol", ["system:sayc", "pass", "policy:polish"], 60, 3)
    lines = result.rows
    for line in lines:
        match = play_match("system:acol", line.opponent, 60, 3)
        assert (line.mean_imps, line.standard_error) == (match.mean_imps, match.standard_error)
        assert match.boards.share_in_training() == 0
    text = str(result)
    assert list(result.to_dataframe()["group"]) == ["families", "no bidders", "gatekeepers"]
    assert text.index("policy:polish") < text.index("system:sayc") < text.index("pass")
    assert len(panel.markdown(lines)) == 2 + 3 + 3


def test_what_was_played_is_not_played_again(tmp_path):
    against = ["system:sayc", "pass"]
    shown = Opponents()
    played, log = shown.played, tmp_path / "panel.json"
    first = panel.panel("system:acol", against[:1], 40, log=log, progress=shown)
    again = panel.panel("system:acol", against, 40, log=log, progress=shown)
    assert played == ["system:sayc", "pass"]
    assert again.rows[0] == first.rows[0]
    panel.panel("system:acol", against, 41, log=log, progress=shown)
    assert len(played) == 4


def test_a_network_that_changed_is_played_again(tmp_path):
    from support.learners import random_networks

    from agents.networks import file as networks_file

    shown = Opponents()
    for seed in (1, 2, 2):
        networks_file.save(random_networks(seed), tmp_path / "n.npz")
        panel.panel(f"policy:{tmp_path / 'n.npz'}", ["pass"], 20, log=tmp_path / "panel.json", progress=shown)
    assert len(shown.played) == 2


def test_a_system_that_changed_is_played_again(tmp_path, monkeypatch):
    """Shipped systems have a name and no file of the user's: their text is their version."""
    shown, texts = Opponents(), ["one", "two", "two"]
    played = shown.played
    monkeypatch.setattr(panel, "system_text", lambda system: texts[len(played) if len(played) < 2 else 2])
    for _ in range(3):
        panel.panel("pass", ["system:sayc"], 20, log=tmp_path / "panel.json", progress=shown)
    assert len(played) == 2
    assert len(panel.read(tmp_path / "panel.json")) == 2


def test_the_first_difference_is_the_same_hand_after_the_same_auction():
    match = play_match("system:two-over-one", "policy:polish", 200, 4)
    found = report.differences(match)
    same = np.setdiff1d(np.arange(200), found.board)
    assert (match.imps[same] == 0).all()
    for i, board in enumerate(found.board):
        a, b = ([c for c in table.history[board] if c >= 0] for table in match.tables)
        at = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        ours_first = (match.boards.dealer[board] + at) % 2 == 0
        calls = (a[at], b[at]) if ours_first else (b[at], a[at])
        assert (found.ours[i], found.theirs[i]) == calls
        assert found.kind[i] == kinds_of(np.array([[*a[:at], -1]]), [at])[0]
    kinds = found.by_kind()
    assert sum(s.boards for s in kinds) == len(found.board)
    assert sum(s.mean for s in kinds) == pytest.approx(match.mean_imps)
    assert [s.mean for s in kinds] == sorted(s.mean for s in kinds)
    assert {s.what for s in kinds} <= set(KINDS)


def test_the_command(tmp_path, capsys):
    words = ["panel", "system:acol", "--against", "policy:polish", "pass", "--boards", "50"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert "abroad: gatekeepers" in capsys.readouterr().out
    lines = json.loads((tmp_path / "panel.json").read_text()).values()
    assert [line["opponent"] for line in lines] == ["policy:polish", "pass"]
    page = (tmp_path / "panel.md").read_text()
    assert "`bridge-env panel system:acol --against policy:polish pass --boards 50 --seed 1`" in page
    assert "| `policy:polish` |" in page


def test_the_gain_over_another_bidder_is_paired(tmp_path, capsys):
    (line,) = panel.panel("system:acol", ["system:sayc"], 60, 3, over="pass").rows
    boards = library_boards(60, 3)
    more = play_match("system:acol", "system:sayc", boards, 3).imps - play_match("pass", "system:sayc", boards, 3).imps
    assert line.gain == pytest.approx(more.mean())
    assert line.gain_error == pytest.approx(more.std(ddof=1) / 60**0.5)
    (same,) = panel.panel("system:acol", ["system:sayc"], 60, 3, over="system:acol").rows
    assert (same.gain, same.gain_error) == (0, 0)
    against = ["--against", "system:sayc", "system:acol"]  # nobody plays himself
    command = ["panel", "system:acol", "--over", "pass", *against, "--boards", "60", "--seed", "3"]
    assert main([*command, "--out", str(tmp_path)]) == 0
    gain = f"{line.gain:+.3f} ± {line.gain_error:.3f}"
    heard = capsys.readouterr()
    assert gain in heard.out
    assert "120/120" in heard.err  # the other bidder's boards count, too
    assert f"| {gain} |" in (tmp_path / "panel.md").read_text()


NEXT = {
    "opening": ["", "P P"],
    "response to one of a suit, undisturbed": ["1H P", "P P 1C P"],
    "response to another opening, undisturbed": ["1N P", "2C P"],
    "later calls of the opening side, undisturbed": ["1H P 2H P", "1H P 2H P 4H P"],
    "directly over their one-level opening": ["1H", "P 1N"],
    "over their higher opening": ["2H"],
    "they opened: later": ["1H P P", "1H P 2H", "1H 1S 2H 2S P"],
    "advancing partner's overcall or double": ["1H 1S P", "1H X 2H", "1H P 2H X P"],
    "we opened, they came in: our first call after it": ["1H 1S", "1H X", "1H P 1S 2C"],
    "we opened, they came in: later": ["1H 1S 2H P", "1H 1S P P"],
}


@pytest.mark.parametrize("kind", NEXT)
def test_kinds_of_next_calls(kind):
    for auction in NEXT[kind]:
        calls = [parse_call(word) for word in auction.split()]
        assert KINDS[kinds_of(np.array([[*calls, -1]], np.int8), [len(calls)])[0]] == kind, auction
