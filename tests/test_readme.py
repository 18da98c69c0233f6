"""Every snippet of the README and of the documentation runs, and the files that they link are there."""

import importlib.util
import re
import tomllib

import pytest
from support.places import ROOT

from agents.systems.engine.compiler import compile_system
from agents.systems.library.shipped import read_system
from training.cli.app import app

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES}
SNIPPETS: dict[str, str] = {}  # with a name; the same snippet may stand on several pages
for path, text in TEXTS.items():
    for number, snippet in enumerate(re.findall(r"```python\n(.*?)```", text, re.S)):
        SNIPPETS.setdefault(snippet, f"{path.stem}-{number}")
SYSTEMS = [
    snippet
    for text in TEXTS.values()
    for snippet in re.findall(r"```text\n(.*?)```", text, re.S)
    if snippet.startswith("system:")
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what torch exports with
@pytest.mark.parametrize("snippet", SNIPPETS, ids=SNIPPETS.get)
def test_python_snippets_run(snippet, tmp_path, monkeypatch, capsys):
    for word, package in (("sb3", "sb3_contrib"), ("onnx", "onnxruntime"), ("import onnx", "onnx")):
        if word in snippet:
            pytest.importorskip(package)
    code = compile(snippet, "snippet", "exec")
    if snippet.startswith("# needs "):
        pytest.skip("it needs another library: make test-libraries")
    monkeypatch.chdir(tmp_path)  # it may write files
    exec(code, {"__name__": "__main__"})
    said = capsys.readouterr().out
    for line in snippet.splitlines():
        expected = re.search(r"print\(.*#\s*(\S+)$", line)
        if expected:
            assert expected[1] in said


def test_system_snippets_are_systems(tmp_path):
    assert SYSTEMS
    for number, text in enumerate(SYSTEMS):
        file = tmp_path / f"{number}.bidding"
        file.write_text(text)
        compile_system(read_system(str(file)))


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\((?!http|#)([^)#]+)[^)]*\)", TEXTS[path]):
        assert (path.parent / target).exists(), target


def test_commands_exist():
    """Every ``bridge-env COMMAND`` that a page names in code is one."""
    named = {
        command
        for text in TEXTS.values()
        for command in re.findall(r"(?:^    (?:\$ )?|`)bridge-env ([a-z]+)", text, re.M)
    }
    assert len(named) > 10
    assert named <= set(app)


def script(name):
    """Import a script of ``docs``."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_licence_of_every_dependency_is_listed():
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+?) \| (\w+) \|$", script("licences").page(), re.M)
    licences = {name: licence for name, _, licence, extra in rows if extra == "all"}
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.match(r"[\w-]+", text)[0] for text in needed} <= licences.keys()
    assert licences["gymnasium"].startswith("MIT")
    assert "not named" not in licences.values()


def test_every_module_says_what_it_is_for():
    page = script("modules").page()
    folders = re.findall(r"^## (\S+)\n\n(.*)$", page, re.M)
    assert "agents/systems/changes" in dict(folders)
    assert all(what.endswith((".", "`.")) for _, what in folders)
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.M)
    assert len(rows) > 300
    for name, what in rows:
        assert re.search(r"[.?`]$", what), f"{name}: {what!r}"
