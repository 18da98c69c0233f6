"""Figures of pages are those of their commands: what differs fails, what is stale is named."""

import importlib.util
import json

import pytest
from support.places import ROOT

from training.match import panel

_SPEC = importlib.util.spec_from_file_location("figures", ROOT / "docs" / "figures.py")
figures = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(figures)

TABLE = """# Strength

<!-- figures of panel: columns against rows -->

| against | `pass` | gain of `pass` over `random` | aim |
| --- | ---: | ---: | ---: |
| `system:silent`, who doubles | **+9.99 ± 9.99** | | 3 |
| code words against `system:silent` | 1.0 | | |

That is all.
"""


@pytest.fixture
def root(tmp_path):
    """A repository of one panel and its page, and of a page with a table."""
    figures.panels.cache_clear()
    figures.rows_of.cache_clear()
    folder = tmp_path / "results" / "panel"
    folder.mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# Nothing\n")
    keyed = ["pass", panel.version("pass"), "system:silent", panel.version("system:silent"), 100, 1]
    line = panel.Line("families", "system:silent", -1.234, 0.056, 100, 2.5, 0.5, 0.125)
    (folder / "panel.json").write_text(json.dumps({json.dumps([*keyed, "random", ""]): vars(line)}))
    (folder / "panel.md").write_text("\n".join(["# pass", "", *panel.markdown([line]), ""]))
    entry = {"command": "bridge-env panel pass --against system:silent --out results/panel", "sha256": "", "seconds": 9}
    (tmp_path / "results" / "pages.json").write_text(json.dumps({"results/panel/panel.md": entry}))
    (tmp_path / "results" / "strength.md").write_text(TABLE)
    figures.record(tmp_path, ["results/panel/panel.md"])
    assert figures.main(["--fill"], tmp_path) == 0
    return tmp_path


def _says(root, capsys, most=0, words=()):
    """The exit status, and all that is printed."""
    figures.panels.cache_clear()
    figures.rows_of.cache_clear()
    capsys.readouterr()
    status = figures.main(list(words), root, most)
    told = capsys.readouterr()
    return status, told.out + told.err


def test_tables_are_filled_from_the_panel(root, capsys):
    text = (root / "results" / "strength.md").read_text()
    assert "| `system:silent`, who doubles | **-1.23 ± 0.06** | +0.50 ± 0.12 | 3 |" in text
    assert "| code words against `system:silent` | 2.5 | | |" in text
    status, told = _says(root, capsys)
    assert (status, "3 cells filled" in told) == (0, True)


def test_a_page_edited_by_hand_fails(root, capsys):
    for page, old, new in (("strength.md", "-1.23", "-1.22"), ("panel/panel.md", "-1.234", "+1.234")):
        path = root / "results" / page
        text = path.read_text()
        path.write_text(text.replace(old, new))
        status, told = _says(root, capsys)
        assert status == 1
        assert f"results/{page}: " in told
        path.write_text(text)
    assert _says(root, capsys)[0] == 0


def test_a_pair_that_no_panel_played_is_told(root, capsys):
    path = root / "results" / "strength.md"
    path.write_text(path.read_text().replace("`system:silent`, who", "`system:sayc`, who"))
    status, told = _says(root, capsys)
    assert status == 1
    assert "nothing in results/panel says `pass` against `system:sayc`" in told


def test_a_panel_without_its_page_is_named(root, capsys):
    (root / "results" / "panel" / "panel.md").unlink()
    status, told = _says(root, capsys)
    assert status == 1
    assert "results/panel/panel.json: its page results/panel/panel.md is missing" in told


def test_what_was_made_with_another_version_is_named_and_does_not_fail(root, capsys):
    system = root / "mine.bidding"
    system.write_text((ROOT / "agents" / "hierarchy" / "systems" / "silent.bidding").read_text())
    page = root / "results" / "book.md"
    page.write_text("# A book of +1.50 IMPs\n")
    index = root / "results" / "pages.json"
    pages = json.loads(index.read_text())
    made_with = {"mine.bidding": None, f"system:{system}": None, "system:sayc": None}
    pages["results/book.md"] = {"command": "bridge-env book mine", "sha256": "", "made_with": made_with}
    index.write_text(json.dumps(pages))
    status, told = _says(root, capsys, words=["--record", "results/book.md"])
    assert (status, "stale" in told) == (0, False)
    system.write_text(system.read_text() + "\n2C    23+ hcp\n")
    figures.version.cache_clear()
    status, told = _says(root, capsys)
    assert status == 0
    assert f"results/book.md (other versions: mine.bidding, system:{system})" in told


def test_newcomers_of_the_panel_are_named(root, capsys):
    index = root / "results" / "pages.json"
    index.write_text(index.read_text().replace(" --against system:silent", ""))
    status, told = _says(root, capsys)
    assert status == 0
    assert "results/panel/panel.md (other versions: doubler, policy:" in told


def test_figures_without_a_source_may_not_grow(root, capsys):
    page = root / "README.md"
    page.write_text("# Gains\n\nIt gains +1.23 ± 0.06.\n")
    status, told = _says(root, capsys, words=["--list"])
    assert status == 1
    assert "README.md:3: +1.23 ± 0.06" in told
    assert _says(root, capsys, most=1)[0] == 0
    for sentence in (
        "It loses -1.2 ± 0.06 ([panel](results/panel/panel.md)).",
        "It gains 1.23, figures of commit `1a2b3c4`.",
    ):
        page.write_text(f"# Gains\n\n{sentence}\n")
        status, told = _says(root, capsys)
        assert status == 0, told


def test_a_quoted_figure_must_be_what_the_linked_page_holds(root, capsys):
    page = root / "README.md"
    for figure in ("+1.2 ± 0.06", "-1.24 ± 0.06", "-1.2 ± 0.05"):
        page.write_text(f"# Gains\n\n{figure} ([panel](results/panel/panel.md))\n")
        assert _says(root, capsys)[0] == 1, figure


def test_history_is_a_section_with_those_below_it(root, capsys):
    page = root / "results" / "strength.md"
    old = "# B\n\nFigures of commit `1a2b3c4`.\n\n### C\n\n+1.20 ± 0.10\n\n```text\n# +1.25\n```"
    page.write_text(f"# A\n\n+1.10 ± 0.10\n\n#{old}\n\n## D\n\n+1.30 ± 0.10\n")
    _, told = _says(root, capsys, words=["--list"])
    assert "2 figures of earlier commits, 2 without a source" in told
    assert "+1.20" not in told


def test_stale_pages_are_made_again_by_their_commands(root, capsys):
    """The line of the version of today takes the place of the older one's."""
    index = root / "results" / "pages.json"
    pages = json.loads(index.read_text())
    kept = root / "results" / "panel" / "panel.json"
    kept.write_text(kept.read_text().replace(panel.version("system:silent"), "older"))
    pages["results/panel/panel.md"]["command"] = (
        "bridge-env panel pass --against system:silent --over random --boards 100 --out results/panel"
    )
    index.write_text(json.dumps(pages))
    _, told = _says(root, capsys)
    assert "results/panel/panel.md (other versions: system:silent)" in told
    status, told = _says(root, capsys, words=["--renew"])
    assert status == 0
    status, told = _says(root, capsys)
    assert (status, "stale" in told) == (0, False)
    assert len(json.loads(kept.read_text())) == 1
