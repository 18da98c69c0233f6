"""Completion in shells, as shtab writes it."""

import shutil
import subprocess

import pytest
from support.command import refused

from bridge_env.optional_dependencies import missing
from training.cli.completion import SHELLS
from training.cli.entry import main

wants_shtab = pytest.mark.skipif(bool(missing("completion", "shtab")), reason="shtab is an extra")


@wants_shtab
@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_can_read_its_script(shell, capsys, tmp_path):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("evolve", "--minutes", "completion", "--base"):
        assert word.removeprefix("--") in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True, timeout=60)


@wants_shtab
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [("ev", "evolve"), ("evolve --min", "--minutes"), ("train le", "league"), ("check mi", "mine.bidding")],
)
def test_bash_completes(words, found, capsys, tmp_path):
    main(["completion", "bash"])
    (tmp_path / "script").write_text(capsys.readouterr().out)
    (tmp_path / "mine.bidding").touch()
    given = ["bridge-env", *words.split()]
    code = f"""
source ./script
COMP_WORDS=({" ".join(given)}); COMP_CWORD={len(given) - 1}
completes=$(complete -p bridge-env | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$completes bridge-env "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
echo "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert found in done.stdout.split(), (done.stdout, done.stderr)


def test_without_shtab_it_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr("bridge_env.optional_dependencies.find_spec", lambda package: None)
    assert "shtab is not installed; install with: pip" in refused(capsys, "completion", "bash")
