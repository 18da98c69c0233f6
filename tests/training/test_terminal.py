"""Commands on streams of every kind: closed, full, without a terminal, or of few characters."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace

import pytest

from training.cli.entry import main
from training.cli.terminal import write_json

MAIN = f"{sys.executable} -c 'import sys; from training.cli.entry import main; sys.exit(main())'"
MATCH = "match pass doubler --boards 40"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    import os

    words = {**os.environ, **environment}
    return subprocess.run(["bash", "-c", command], capture_output=True, check=False, env=words, timeout=120)


@pytest.mark.parametrize("encoding", ["ascii", "cp437"])
def test_a_terminal_that_cannot_show_everything(encoding):
    both = f"from training.cli.entry import main; exit(main({MATCH.split()}) or main(['deal']))"
    done = shell(f'{sys.executable} -c "{both}"', PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode(encoding)
    assert ("±" if encoding != "ascii" else "+-") in said
    assert "?" not in said


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path, closed):
    out = tmp_path / "mit Leerzeichen ♠.json"
    done = shell(f"{MAIN} {MATCH} --json '{out}' {closed}")
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert json.loads(out.read_text(encoding="utf-8"))["boards"] == 40  # and nothing else was printed into it


def test_a_full_disk_behind_standard_output():
    done = shell(f"{MAIN} deal --n 40 > /dev/full")
    assert done.returncode == 2
    assert done.stderr.decode().strip().endswith("No space left on device")
    assert b"Exception ignored" not in done.stderr


def test_a_reader_that_has_seen_enough():
    done = shell(f"set -o pipefail; {MAIN} deal --n 3000 | head -1")
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""


def test_paths_with_blanks_and_of_any_language(tmp_path, capsys):
    folder = tmp_path / "Übung ♠ 1"
    folder.mkdir()
    pbn, lin, system = folder / "a b.pbn", folder / "ü.lin", folder / "mein système.bidding"
    assert main(["deal", "--n", "3", "--pbn", str(pbn)]) == 0
    assert main(["read", str(pbn), "--out", str(lin)]) == 0
    system.write_text("1C  12+ hcp\n", encoding="utf-8")
    assert main(["match", f"system:{system}", "pass", "--deals", str(pbn), "--boards", "1"]) == 0
    assert (
        main(["match", "doubler", "pass", "--boards", "3", "--play", "rule", "--keep", str(folder / "k e.jsonl")]) == 0
    )
    assert "error" not in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == sorted([pbn.name, lin.name, system.name, "k e.jsonl"])


def test_json_holds_no_nan(tmp_path):
    """NaN is no JSON, so most readers refuse a file that has it."""
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(Namespace(json=tmp_path / "a.json", stdout=sys.stdout), {"mean": float("nan")})
    assert not (tmp_path / "a.json").exists()
