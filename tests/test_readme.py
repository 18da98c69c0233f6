"""Every snippet of the README and of the documentation runs, and the files that they link are there."""

import re
import subprocess
import sys

import pytest
from support.places import ROOT

from agents.hierarchy.engine.compiled import compile_system
from agents.hierarchy.language.text import parse_system

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES}
PYTHON = {
    f"{path.stem}-{number}": snippet
    for path, text in TEXTS.items()
    for number, snippet in enumerate(re.findall(r"```python\n(.*?)```", text, re.S))
}
SYSTEMS = [
    snippet
    for text in TEXTS.values()
    for snippet in re.findall(r"```text\n(.*?)```", text, re.S)
    if snippet.startswith("system:")
]


@pytest.mark.parametrize("snippet", PYTHON.values(), ids=PYTHON)
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


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\((?!http|#)([^)#]+)[^)]*\)", TEXTS[path]):
        assert (path.parent / target).exists(), target


def test_commands_exist():
    """Every ``bridge-env COMMAND`` that a page names in code answers with its help."""
    from training.cli.entry import main

    named = {
        command
        for text in TEXTS.values()
        for command in re.findall(r"(?:^    (?:\$ )?|`)bridge-env ([a-z]+)", text, re.M)
    }
    assert len(named) > 10
    for command in named:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
