"""Tell what calls show, in BEN's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from agents.meanings import Shows
from agents.programs.ben import answer_word
from bridge_env.calls import PASS


def explained_json(shows: Shows) -> dict[str, Any]:
    """What a call shows, as BEN tells it."""
    return {"explanation": said(shows), "Alert": shows.artificial}


def explained_all_json(calls: Sequence[int], shown: Sequence[Shows]) -> dict[str, Any]:
    """What each call of an auction shows, as BEN tells it: a list in HTML."""
    rows = [f"  <li>{escape(answer_word(c))} {escape(said(s))}</li>\n" for c, s in zip(calls, shown, strict=True)]
    return {"explanation": f"<ul>\n{''.join(rows)}</ul>", "bba_controlled": False}


def bids_json(shown: Mapping[int, Shows], sides: Sequence[str]) -> list[dict[str, Any]]:
    """What each legal call would show; the last one also tells the specs of both sides, as BEN has it."""
    rows: list[dict[str, Any]] = [
        {"bid": "P" if call == PASS else answer_word(call), "m": said(shows), "Alert": shows.artificial}
        for call, shows in shown.items()
    ]
    rows[-1] |= {"NS": sides[0], "EW": sides[1]}
    return rows


def said(shows: Shows) -> str:
    """What a call shows, in a line."""
    return f"{shows.text} ({shows.note})" if shows.note else shows.text
