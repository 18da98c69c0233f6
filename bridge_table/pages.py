"""Serve the files of the pages; the head and the links that all pages share are added to each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from string import Template

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

_STATIC = files("bridge_table") / "static"
_TYPES = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
          "svg": "image/svg+xml"}  # fmt: skip
_FRAME = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>$title</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
$styles
<script type="module" src="$name.js"></script>
</head>
<body>
<a class="skip" href="#$to">Skip to $skip</a>
$body</body>
</html>
""")
_PAGES_NAV = """\
<nav aria-label="Pages">
    <a class="button" href="./">Table</a>
    <a class="button" href="systems.html">Systems</a>
    <a class="button" href="practice.html">Practice</a>
    <a class="button" href="history.html">History</a>
  </nav>"""


@dataclass(frozen=True)
class _Page:
    """The fields of a page's head; its script has its name."""

    title: str  # of the window, before that of all pages
    skip: str  # the main part, in words: the keyboard's first link leads there
    styles: tuple[str, ...] = ()  # besides the one that all pages have
    to: str = "main"  # the id of that part


_PAGES = {
    "index": _Page("", "the table", ("table",), "table"),
    "seat": _Page("Your seat", "the table", ("table",), "table"),
    "together": _Page("Other people", "the choice"),
    "join": _Page("A challenge", "the challenge"),
    "editor": _Page("A board put together", "the board", ("table", "editor")),
    "systems": _Page("Systems", "the system", ("pages",)),
    "practice": _Page("Practice", "practice", ("table", "pages")),
    "history": _Page("History", "the history", ("pages",)),
}


async def static(request: Request) -> Response:
    """Return a file of the pages; there are no folders, and nothing else is served."""
    return page(request.path_params.get("file", "index.html"))


def page(name: str) -> Response:
    """Return a file of the pages by its name."""
    stem, _, kind = name.rpartition(".")
    known = {str(entry.name): entry for entry in _STATIC.iterdir()}
    if name not in known or kind not in _TYPES:
        return JSONResponse({"error": "There is no such page."}, 404)
    content = known[name].read_bytes()
    return Response(framed(stem, content.decode()) if kind == "html" else content, media_type=_TYPES[kind])


def framed(name: str, text: str) -> str:
    """Return a page with the head and the links that pages share."""
    about = _PAGES[name]
    styles = "\n".join(f'<link rel="stylesheet" href="{style}.css">' for style in ("style", *about.styles))
    here = f'href="{name}.html"'
    title = " \u2013 ".join(filter(None, (about.title, "Bridge table")))
    body = Template(text).substitute(pages=_PAGES_NAV.replace(here, f'{here} aria-current="page"'))
    return _FRAME.substitute(title=title, styles=styles, name=name, to=about.to, skip=about.skip, body=body)
