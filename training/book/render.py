"""Render the JSON model of a book as Markdown, HTML or JSON, and the difference of two systems as Markdown."""

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
        return json.dumps(book, ensure_ascii=False, indent=1) + "\n"
    worth = any("worth" in entry["figures"] for entry in book["entries"])
    return render(f"book{FORMATS[form]}", book=book, has_worth=worth, forcing=FORCING)


def render_difference(difference: dict[str, Any]) -> str:
    """Return the difference of two systems, of ``compare_systems``, in Markdown."""
    return render("difference.md", **difference)
