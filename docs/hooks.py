"""Bring the README, ``results/`` and generated pages into the site; draw the pictures of its snippets."""

import ast
import contextlib
import importlib.util
import io
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

from agents.systems.explain.language_reference import words_markdown
from bridge_env import show
from bridge_env.display.notebook import ShowError
from training.evaluation import match
from training.evaluation.report import report

ROOT = Path(__file__).parents[1]
PICTURES = "notebook.md"  # its snippets are run and drawn
_SHOWN = (".png", ".html", ".json", ".jsonl", ".bidding", ".npz", ".md", ".pbn")


def on_files(files, config):
    """Add the README as the first page, ``results/``, the language reference, modules, licences, and a match report."""
    files.append(File.generated(config, "index.md", content=(ROOT / "README.md").read_text().replace("](docs/", "](")))
    files.append(File.generated(config, "language.md", content=words_markdown()))
    for name in ("modules", "licences"):
        files.append(File.generated(config, f"{name}.md", content=_script(name).page()))
    sample = report(match("system:two-over-one", "system:acol", 120, seed=1))
    files.append(File.generated(config, "match-report.html", content=sample.page))
    for path in sorted((ROOT / "results").rglob("*")):
        if path.suffix in _SHOWN:
            name = path.relative_to(ROOT).as_posix()
            files.append(File(name, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def _script(name):
    """Import a script beside this file, which is in no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_page_markdown(markdown, page, config, files):
    """Return the page with links to where the site has ``results/``; name files that the site does not have."""
    if page.file.src_uri == PICTURES:
        markdown = with_pictures(markdown)
    depth = page.file.src_uri.count("/")

    def site(match):
        text, target = match[1], match[2]
        if target.startswith(("http", "#", "mailto:")):
            return match[0]
        base = "" if page.file.src_uri.startswith(("results/", "index")) else "docs/"
        where = posixpath.normpath(posixpath.join(base + posixpath.dirname(page.file.src_uri), target))
        plain = where.split("#")[0]
        inside = plain.removeprefix("docs/")
        if files.get_file_from_path(inside) is None:
            return f"{text} (`{plain}`)"
        return f"[{text}]({'../' * depth}{where.removeprefix('docs/')})"

    return re.sub(
        r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", site, re.sub(r"!\[([^\]]*)\]\(\.\./results/", r"![\1](results/", markdown)
    )


def with_pictures(markdown):
    """Return the page with what the last line of each Python snippet draws below it."""
    return re.sub(
        r"```python\n(.*?)```\n", lambda found: f"{found[0]}\n{picture(found[1], {})}\n", markdown, flags=re.S
    )


def picture(code, names):
    """Run a snippet or a cell among ``names``; return what its last expression draws, empty where it draws nothing."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()):  # show prints outside a notebook
        exec(compile(tree, "<snippet>", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "<snippet>", "eval"), names)
        with contextlib.suppress(ShowError):
            return "" if value is None else show(value).drawing
    return ""
