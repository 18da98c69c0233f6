"""The requests of the page about systems: the book, comparisons, checks of a text, exams and matches."""

from __future__ import annotations

import zlib
from typing import Annotated

from msgspec import Meta

from agents.systems.language.text import system_text
from bridge_table import systems
from bridge_table.board.seating import drop_system
from bridge_table.board.table import OVER
from bridge_table.board.views import state
from bridge_table.http.requests import Api, Json, Name, RequestError, Spec, SystemText
from bridge_table.session import Session
from training.evaluation.duplicate import match

_MAX_BOARDS = 2000

api = Api()

# --- the book -------------------------------------------------------------------------------------------------


@api.post("book")
def book(session: Session, *, spec: Spec) -> Json:
    """Return the calls of a system's book."""
    return systems.book_of(session.system(spec))


@api.post("card")
def card(session: Session, *, spec: Spec) -> Json:
    """Return a system's convention card."""
    return {"card": systems.card_of(session.system(spec))}


@api.post("figures")
def measure(session: Session, *, spec: Spec) -> Json:
    """Measure a book."""
    return systems.figures_of(session.system(spec))


@api.post("compare")
def compare(session: Session, *, a: Spec, b: Spec) -> Json:
    """Set two systems side by side."""
    return systems.side_by_side(session.system(a), session.system(b))


# --- a system that is being edited ----------------------------------------------------------------------------


@api.post("text")
def text_of(session: Session, *, spec: Spec) -> Json:
    """Return a system's text."""
    return {"text": system_text(session.system(spec))}


@api.post("check")
def check(session: Session, *, text: SystemText, name: Name = "mine.bidding") -> Json:
    """Return the faults of a text."""
    return systems.findings(text, name)


@api.post("drafts")
def draft(session: Session, *, text: SystemText) -> Json:
    """Return a spec for a text that is being edited, the same for the same text, which other requests may use."""
    return {"spec": drop_system(f"draft-{zlib.crc32(text.encode()):08x}", text)}


@api.post("exam")
def exam(session: Session, *, spec: Spec, against: Spec = "") -> Json:
    """Return a system's scores in the exam."""
    for one in filter(None, (spec, against)):
        session.system(one)
    return systems.papers(spec, against)


@api.post("matches")
def play_match(
    session: Session, *, a: Spec, b: Spec, boards: Annotated[int, Meta(ge=1, le=_MAX_BOARDS)] = _MAX_BOARDS,
    seed: Annotated[int, Meta(ge=1, le=10**6)] = 1,
) -> Json:  # fmt: skip
    """Play a match between two systems."""
    for spec in (a, b):
        session.system(spec)
    result = match(a, b, boards, seed)
    return systems.match_json(session.matches.add(result), result)


@api.post("matches/{name}/open")
def open_board(session: Session, name: str, *, board: int) -> Json:
    """Open a board of a match at a table where it is over, to be reviewed."""
    found = systems.replayed(session.matches[name], board)
    if found is None:
        raise RequestError(f"The match has no board {board}.", 404)
    setup, deal, calls = found
    table = session.open(setup, deal)
    table.begin_with(calls)
    table.phase = OVER
    return state(table, None)
