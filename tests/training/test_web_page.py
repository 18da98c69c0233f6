"""The page's files: small, from nowhere else, readable in light and dark, and of one piece."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from support.page import Page

STATIC = Path(str(files("training.web") / "static"))
SCRIPTS = sorted(STATIC.glob("*.js"))
STYLES = sorted(STATIC.glob("*.css"))
STYLE = (STATIC / "style.css").read_text()
PAGES = sorted(STATIC.glob("*.html"))


def scripts_of(page):
    """The modules that a page loads, with those that they load themselves."""
    found = set(re.findall(r'<script type="module" src="([^"]+)"', page.read_text()))
    waiting = list(found)
    while waiting:
        new = set(re.findall(r'from "\./([^"]+)"', (STATIC / waiting.pop()).read_text())) - found
        found |= new
        waiting += new
    return {STATIC / name for name in found}


def test_the_page_is_light_and_loads_nothing_from_elsewhere():
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 300_000
    for path in PAGES:
        page = Page()
        page.feed(path.read_text())
        for address in page.loads:
            assert address.startswith("#") or address == "./" or (STATIC / address).is_file(), address
    for path in (*SCRIPTS, *STYLES):
        text = path.read_text()
        assert not re.search(r"https?://|url\(|@import|//cdn", text), path
        for module in re.findall(r'from "([^"]+)"', text):
            assert (STATIC / module).is_file(), (path, module)


def test_nothing_is_put_into_the_page_as_html():
    for path in SCRIPTS:
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", path.read_text()), path


def test_scripts_use_what_their_page_has():
    used_somewhere = set()
    for page in PAGES:
        ids = set(re.findall(r'id="([^"]+)"', page.read_text()))
        used_somewhere |= scripts_of(page)
        for path in scripts_of(page):
            text = path.read_text()
            used = set(re.findall(r'\bat\("([^"]+)"\)', text)) | set(re.findall(r'getElementById\("([^"]+)"\)', text))
            assert used <= ids, (page, path)
    assert used_somewhere == set(SCRIPTS)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_whole(path):
    subprocess.run(["node", "--check", "--input-type=module"], input=path.read_bytes(), check=True, capture_output=True)


# --- contrast --------------------------------------------------------------------------------------------------


def colours(dark):
    """The colours of the style by name."""
    light, _, rest = STYLE.partition("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", light))
    return found | (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", rest[: rest.index("}\n}")])) if dark else {})


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


TEXTS = [(ink, ground) for ground in ("page", "panel") for ink in
         ("ink", "quiet", "clubs", "diamonds", "hearts", "spades", "good", "bad", "vul", "accent")]  # fmt: skip
TEXTS += [(ink, "felt") for ink in ("felt-ink", "felt-quiet", "clubs", "diamonds", "hearts", "spades", "accent")]
TEXTS += [("on-accent", "accent"), ("on-vul", "vul"), ("warn-ink", "warn")]
EDGES = [("edge", "page"), ("edge", "panel"), ("focus", "page"), ("focus", "panel"), ("focus", "felt")]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast_meets_wcag_aa(dark):
    known = colours(dark)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for ink, ground in TEXTS:
        assert contrast(known[ink], known[ground]) >= 4.5, (ink, ground, contrast(known[ink], known[ground]))
    for line, ground in EDGES:
        assert contrast(known[line], known[ground]) >= 3, (line, ground)
