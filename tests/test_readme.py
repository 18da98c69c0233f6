"""Every snippet of the README runs, and the files that it links are there."""

import re
import subprocess
import sys

import pytest
from support.places import ROOT

from agents.hierarchy.engine.compiled import compile_system
from agents.hierarchy.language.text import parse_system

README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
SYSTEMS = [t for t in re.findall(r"```text\n(.*?)```", README, re.S) if t.startswith("system:")]


@pytest.mark.parametrize("snippet", PYTHON, ids=range(len(PYTHON)))
def test_python_snippets_run(snippet):
    if "sb3_contrib" in snippet:
        pytest.importorskip("sb3_contrib")
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for line in snippet.splitlines():
        expected = re.search(r"print\(.*#\s*(\S+)$", line)
        if expected:
            assert expected[1] in done.stdout


def test_system_snippets_are_systems():
    assert SYSTEMS
    for text in SYSTEMS:
        compile_system(parse_system(text))


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_commands_exist():
    """Every ``bridge-env COMMAND`` that the README names answers with its help."""
    from training.cli.entry import main

    for command in set(re.findall(r"bridge-env ([a-z]+)", README)) - {"in", "so"}:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
