"""Tell what calls show, in BEN's form."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from agents.meanings import Shows
from agents.programs.ben import answer_word


def explained_json(shows: Shows) -> dict[str, Any]:
    """What a call shows, as BEN tells it."""
    return {"explanation": said(shows), "Alert": shows.artificial}


def explained_all_json(calls: Sequence[int], shown: Sequence[Shows]) -> dict[str, Any]:
    """What each call of an auction shows, as BEN tells it: a list in HTML."""
    rows = [f"  <li>{escape(answer_word(c))} {escape(said(s))}</li>\n" for c, s in zip(calls, shown, strict=True)]
    return {"explanation": f"<ul>\n{''.join(rows)}</ul>", "bba_controlled": False}


def said(shows: Shows) -> str:
    """What a call shows, in a line."""
    return f"{shows.text} ({shows.note})" if shows.note else shows.text
