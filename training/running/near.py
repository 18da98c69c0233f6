"""Guess which known name was meant by one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that asks whether something known was meant; empty where nothing is like it."""
    by_form = {name.replace("_", "-").lower(): name for name in known}
    near = difflib.get_close_matches(word.replace("_", "-").lower(), list(by_form), n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(by_form[form] for form in near)}?" if near else ""
