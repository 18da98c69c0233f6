"""The requests of the page about systems: the book, comparisons, checks of a text, exams and matches."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from starlette.routing import Route

from agents.systems.language.text import system_text
from bridge_table.board.table import OVER
from bridge_table.board.views import state
from bridge_table.http.fields import Name, NoFields, RequestError, RequestFields, Spec, SystemText
from bridge_table.http.routing import Json, Router
from bridge_table.session import Session
from bridge_table.systems import books, versions
from bridge_table.systems.jobs import Jobs
from training.evaluation.duplicate import match

_MAX_BOARDS = 2000


class SpecFields(RequestFields):
    spec: Spec


class FiguresFields(SpecFields):
    deals: Annotated[int, Meta(ge=500, le=20_000)] = 5000
    boards: Annotated[int, Meta(ge=0, le=_MAX_BOARDS)] = 0


class PairFields(RequestFields):
    a: Spec
    b: Spec


class MatchFields(PairFields):
    boards: Annotated[int, Meta(ge=1, le=_MAX_BOARDS)] = _MAX_BOARDS
    seed: Annotated[int, Meta(ge=1, le=10**6)] = 1


class DraftFields(RequestFields):
    text: SystemText


class CheckFields(DraftFields):
    name: Name = "mine.bidding"


class ExamFields(SpecFields):
    against: Spec = ""


class BoardFields(RequestFields):
    board: int


class SystemRoutes:
    """What the page about systems may request."""

    def __init__(self, session: Session) -> None:
        self.session, self.jobs = session, Jobs()

    def routes(self, router: Router) -> list[Route]:
        return [
            *router.routes(("GET", "jobs/{name}", self.job), ("POST", "jobs/{name}/stop", self.stop), at_once=True),
            *router.routes(
                ("POST", "book", self.book),
                ("POST", "figures", self.figures),
                ("POST", "compare", self.compare),
                ("POST", "text", self.text),
                ("POST", "check", self.check),
                ("POST", "drafts", self.draft),
                ("POST", "exam", self.exam),
                ("POST", "matches", self.match),
                ("POST", "matches/{name}/open", self.open),
            ),
        ]

    # --- the book -----------------------------------------------------------------------------------------

    def book(self, fields: SpecFields) -> Json:
        return books.book_of(self.session.system(fields.spec))

    def figures(self, fields: FiguresFields) -> Json:
        """Measure a book in a background job."""
        system = self.session.system(fields.spec)
        return self.jobs.start(books.figures_of, system, fields.deals, 1, fields.boards).as_json()

    def job(self, fields: NoFields, name: str) -> Json:
        return self.jobs.get(name).as_json()

    def stop(self, fields: NoFields, name: str) -> Json:
        job = self.jobs.get(name)
        job.stop()
        return job.as_json()

    def compare(self, fields: PairFields) -> Json:
        return books.side_by_side(self.session.system(fields.a), self.session.system(fields.b))

    # --- a system that is being edited --------------------------------------------------------------------

    def text(self, fields: SpecFields) -> Json:
        return {"text": system_text(self.session.system(fields.spec))}

    def check(self, fields: CheckFields) -> Json:
        return versions.findings(fields.text, fields.name)

    def draft(self, fields: DraftFields) -> Json:
        """Return a spec for a text that is being edited, which other requests may use for a while."""
        return {"spec": self.session.draft(fields.text)}

    def exam(self, fields: ExamFields) -> Json:
        for spec in filter(None, (fields.spec, fields.against)):
            self.session.system(spec)
        return versions.papers(fields.spec, fields.against)

    def match(self, fields: MatchFields) -> Json:
        for spec in (fields.a, fields.b):
            self.session.system(spec)
        result = match(fields.a, fields.b, fields.boards, fields.seed)
        return versions.match_json(self.session.matches.add(result), result)

    def open(self, fields: BoardFields, name: str) -> Json:
        """Open a board of a match at a table where it is over, to be reviewed."""
        found = versions.replayed(self.session.matches.get(name), fields.board)
        if found is None:
            raise RequestError(f"The match has no board {fields.board}.", 404)
        setup, deal, calls = found
        table = self.session.open(setup, deal)
        table.begin_with(calls)
        table.phase = OVER
        return state(table, None)
