"""Bring ``results/`` and a few files of the repository into the site; make its generated pages."""

import importlib.util
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

from agents.hierarchy.language.words import words_markdown

ROOT = Path(__file__).parents[1]
_SHOWN = (".png", ".html", ".json", ".jsonl", ".bidding", ".npz", ".md", ".pbn")


def on_files(files, config):
    """Add what a page may link under ``results/``, the language reference, and the list of modules."""
    files.append(File.generated(config, "language.md", content=words_markdown()))
    files.append(File.generated(config, "modules.md", content=_modules().page()))
    for path in sorted((ROOT / "results").rglob("*")):
        if path.suffix in _SHOWN:
            name = path.relative_to(ROOT).as_posix()
            files.append(File(name, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def _modules():
    """The script beside this file, which is no package."""
    spec = importlib.util.spec_from_file_location("modules", ROOT / "docs" / "modules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_page_markdown(markdown, page, config, files):
    """``../results/x`` of a page in ``docs/`` is ``results/x`` of the site; other files of the repository are named."""
    depth = page.file.src_uri.count("/")

    def site(match):
        text, target = match[1], match[2]
        if target.startswith(("http", "#", "mailto:")):
            return match[0]
        base = "" if page.file.src_uri.startswith("results/") else "docs/"
        where = posixpath.normpath(posixpath.join(base + posixpath.dirname(page.file.src_uri), target))
        plain = where.split("#")[0]
        inside = plain.removeprefix("docs/")
        if files.get_file_from_path(inside) is None:
            return f"{text} (`{plain}`)"  # a file of the repository that the site does not hold
        return f"[{text}]({'../' * depth}{where.removeprefix('docs/')})"

    return re.sub(
        r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", site, re.sub(r"!\[([^\]]*)\]\(\.\./results/", r"![\1](results/", markdown)
    )
