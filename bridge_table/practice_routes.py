"""The requests of the pages of practice and of history: drills, saved boards, kinds of decisions, mistakes."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from bridge_env.rng import streams
from bridge_env.rules.calls import parse_call
from bridge_table.board.table import OVER
from bridge_table.board.views import state
from bridge_table.http.requests import Api, Json, RequestError, Spec
from bridge_table.learning import drills, history
from bridge_table.learning.drills import Drill
from bridge_table.learning.topics import TOPICS, title_of
from bridge_table.session import Session
from training.exam.positions import FULL, textbook

_MAX_BOARD = 10**9

Count = Annotated[int, Meta(ge=1, le=50)]  # questions of a drill

api = Api()


@api.get("topics")
async def topics(session: Session) -> Json:
    """Return the topics of drills."""
    return {"topics": [{"name": name, "title": title_of(name)} for name in TOPICS]}


@api.post("drills")
def drill_topic(
    session: Session, *, spec: Spec, topic: str, count: Count = 10, seed: Annotated[int, Meta(ge=0, le=2**31)] = 0,
    source: Literal["deals", "textbook"] = "deals",
) -> Json:  # fmt: skip
    """Begin a drill on a topic, ``any`` or ``cards``: on deals that the system bids, or of the textbook exam."""
    system = session.system(spec)
    if topic not in (*TOPICS, drills.ANY, drills.CARDS):
        raise RequestError(f"There is no topic {topic[:40]!r}.")
    if source == "textbook" and topic != drills.CARDS:
        chosen = [position for position in textbook().everybody if topic in (drills.ANY, position.area)]
        if topic == drills.ANY:
            order = streams.key("textbook drill", seed, np.arange(len(chosen)))
            chosen = [chosen[int(k)] for k in np.argsort(order, kind="stable")[:count]]
        return _begin(session, Drill(spec, textbook().titles, tuple(chosen)))
    return _begin(session, drills.Search(system, topic, count, seed).drill(spec))


@api.get("drills/{name}/question")
def question(session: Session, name: str, *, number: int) -> Json:
    """Return a question."""
    return drills.question(_drill_at(session, name, number), number)


@api.post("drills/{name}/answer")
def answer(session: Session, name: str, *, number: int, call: str) -> Json:
    """Score an answer; the first one to a mistake decides when it comes up again."""
    drill = _drill_at(session, name, number)
    first = number not in drill.answers
    out = drills.answer(drill, number, parse_call(call))
    if drill.mistakes and first:
        right = out["points"] == FULL
        out["due"] = history.reschedule(session.database, drill.mistakes[number], right)
    return out


@api.post("drills/{name}/again")
def again(session: Session, name: str) -> Json:
    """Begin a drill of the questions that were answered wrong."""
    drill = session.drills[name]
    wrong = [k for k, call in sorted(drill.answers.items()) if drill.questions[k].points(call) < FULL]
    if not wrong:
        raise RequestError("Nothing was answered wrong so far.", 409)
    questions, readers = (
        tuple(drill.questions[k] for k in wrong),
        tuple(drill.readers[k] for k in wrong if drill.readers),
    )
    return _begin(session, replace(drill, questions=questions, answers={}, mistakes=(), readers=readers))


def _drill_at(session: Session, name: str, number: int) -> Drill:
    drill = session.drills[name]
    if not 0 <= number < len(drill.questions):
        raise RequestError(f"The drill has {len(drill.questions)} questions.")
    return drill


def _begin(session: Session, drill: Drill) -> Json:
    return {"drill": session.drills.add(drill), "questions": len(drill.questions)}


@api.get("history")
def overview(session: Session) -> Json:
    """Return the sessions and the kinds of decisions."""
    return history.overview(session.database)


@api.get("history/boards")
def boards(
    session: Session,
    *,
    page: Annotated[int, Meta(ge=0, le=_MAX_BOARD // history.PAGE)] = 0,
    bidder: Spec = "",
    costly: bool = False,
) -> Json:
    """Return a page of saved boards, of a ``bidder`` or with ``costly`` decisions only."""
    return history.boards(session.database, page, bidder, costly)


@api.post("history/boards/{number:int}/open")
def open_board(session: Session, number: int) -> Json:
    """Open a saved board at a table where it is over; it counts no more, because its deal has."""
    board = history.saved_board(session.database, min(number, _MAX_BOARD))
    setup, deal, calls, cards = history.table_of(board)
    for spec in (*setup.specs, setup.control):
        session.check_spec(spec)
    table = session.open(setup, deal)
    table.begin_with(calls)
    table.cards, table.claimed, table.helped, table.phase = cards, board["claimed"], board["helped"], OVER
    return state(table, setup.people[0])


@api.get("mistakes")
def due(session: Session) -> Json:
    """Return how many costly calls are due."""
    return history.due(session.database)


@api.post("mistakes/drill")
def drill_mistakes(session: Session, *, spec: Spec, count: Count = 10) -> Json:
    """Begin a drill of the calls that are due; ``spec`` reads auctions whose own bidders are missing here."""
    session.check_spec(spec)

    def available(bidder: str) -> str:
        try:
            return session.check_spec(bidder)
        except ValueError:
            return spec

    drill = history.drill_of_due(session.database, spec, count)
    drill.readers = tuple((available(ns), available(ew)) for ns, ew in drill.readers)
    return _begin(session, drill)
