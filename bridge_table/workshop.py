"""The doors of the page about systems: the book, two side by side, the pen's check, versions and matches."""

from __future__ import annotations

from starlette.routing import Route

from agents.hierarchy.language.text import system_text
from bridge_table.board.table import OVER
from bridge_table.board.views import state
from bridge_table.doors import Doors, Steps
from bridge_table.http.asked import Asked, Refused
from bridge_table.session import TEXT, Session
from bridge_table.systems import books, versions
from bridge_table.systems.errands import Errands
from training.match.duplicate import match

_MOST_DEALS = 20_000


class Workshop:
    """What the page about systems may ask."""

    def __init__(self, session: Session) -> None:
        self.session, self.errands = session, Errands(session.limits.errands)

    def routes(self, doors: Doors) -> list[Route]:
        return [
            *doors.routes(
                ("GET", "errands/{name}", self.errand),
                ("POST", "errands/{name}/stop", self.stop),
                at_once=True,
            ),
            *doors.routes(
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

    def book(self, asked: Asked) -> Steps:
        spec = asked.text("spec", 300)
        yield None
        yield books.book_of(self.session.system(spec))

    def figures(self, asked: Asked) -> Steps:
        """Measure a book in a process of its own; the answer names the errand."""
        spec, deals = asked.text("spec", 300), asked.number("deals", 500, _MOST_DEALS, 5000)
        boards = asked.number("boards", 0, self.session.limits.match_boards, 0)
        yield None
        system = self.session.system(spec)
        known = self.errands.latest((system, deals, boards))
        if known is None:
            self.session.long_question()
            known = self.errands.start(books.figures_of, system, deals, 1, boards, about=(system, deals, boards))
        yield known.as_json()

    def errand(self, asked: Asked, name: str) -> Steps:
        found = self.errands.find(name)
        yield None
        yield found.as_json()

    def stop(self, asked: Asked, name: str) -> Steps:
        yield None
        yield self.errands.stop(name).as_json()

    def compare(self, asked: Asked) -> Steps:
        a, b = asked.text("a", 300), asked.text("b", 300)
        yield None
        yield books.side_by_side(self.session.system(a), self.session.system(b))

    # --- a system under the pen ---------------------------------------------------------------------------

    def text(self, asked: Asked) -> Steps:
        spec = asked.text("spec", 300)
        yield None
        yield {"text": system_text(self.session.system(spec))}

    def check(self, asked: Asked) -> Steps:
        text, name = asked.text("text", TEXT), asked.text("name", 200, "mine.bidding")
        yield None
        yield versions.findings(text, name)

    def draft(self, asked: Asked) -> Steps:
        """A name for a text that is being edited, by which the other doors know it for a while."""
        text = asked.text("text", TEXT)
        yield None
        yield {"spec": self.session.draft(text)}

    def exam(self, asked: Asked) -> Steps:
        spec, against = asked.text("spec", 300), asked.text("against", 300, "")
        self.session.long_question()
        yield None
        for one in filter(None, (spec, against)):
            self.session.system(one)
        yield versions.papers(spec, against)

    def match(self, asked: Asked) -> Steps:
        a, b = asked.text("a", 300), asked.text("b", 300)
        boards, seed = (
            asked.number("boards", 1, self.session.limits.match_boards, 2000),
            asked.number("seed", 1, 10**6, 1),
        )
        self.session.long_question()
        yield None
        for one in (a, b):
            self.session.system(one)
        result = match(a, b, boards, seed)
        yield versions.match_told(self.session.matches.keep(result), result)

    def open(self, asked: Asked, name: str) -> Steps:
        """A board of a match at a table where it is over, to be reviewed."""
        board, match = asked.number("board", 1, 10**6), self.session.matches.find(name)
        yield None
        found = versions.replayed(match, board)
        if found is None:
            raise Refused(f"The match has no board {board}.", 404)
        setup, deal, calls = found
        table = self.session.open(setup, deal)
        table.begin_with(calls)
        table.phase = OVER
        yield state(table, None)
