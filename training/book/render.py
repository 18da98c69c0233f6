"""Render the JSON model of a book, or of the difference of two systems, as Markdown, HTML or JSON."""

from __future__ import annotations

import json
from typing import Any

from training.book.model import FORCING
from training.runtime.pages import render

#: Formats by name, and the ending of files in them.
FORMATS = {"markdown": ".md", "html": ".html", "json": ".json"}


def render_book(book: dict[str, Any], form: str) -> str:
    """Return a book in one of ``FORMATS``.

    Args:
        book: as ``training.book.model`` describes it.
    """
    if form == "json":
        return _json(book)
    figures = [entry["figures"] for entry in book["entries"]]
    columns = {"examples": any(f["examples"] for f in figures), "worth": any("worth" in f for f in figures)}
    return render(f"book{FORMATS[form]}", book=book, columns=columns, forcing=FORCING)


def render_difference(difference: dict[str, Any], form: str) -> str:
    """Return the difference of two systems, of ``Difference.model``, in one of ``FORMATS``."""
    return _json(difference) if form == "json" else render(f"difference{FORMATS[form]}", **difference)


def _json(model: dict[str, Any]) -> str:
    return json.dumps(model, ensure_ascii=False, indent=1) + "\n"
