"""The doors of practice and history: drills, and what is kept of boards: sessions, kinds of decisions, mistakes."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import Route

from bridge_env.calls import parse_call
from bridge_table.board.table import OVER
from bridge_table.board.views import state
from bridge_table.doors import Doors, Steps, Told
from bridge_table.http.asked import Asked, Refused
from bridge_table.learning import drills, history, repeats
from bridge_table.learning.topics import TOPICS
from bridge_table.session import TEXT, Session
from training.exam.positions import FULL, Exam, Position, parse_exam, textbook

_TEXTBOOK = "textbook"
_FAR = 10**9  # the most boards that a page may ask for


class Practice:
    """What the pages of practice and of history may ask."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def routes(self, doors: Doors) -> list[Route]:
        return [
            *doors.routes(
                ("GET", "topics", self.topics),
                ("GET", "drills/{name}/wrong", self.wrong),
                at_once=True,
            ),
            *doors.routes(
                ("POST", "drills", self.drill),
                ("POST", "drills/file", self.drill_file),
                ("GET", "drills/{name}/question", self.question),
                ("POST", "drills/{name}/answer", self.answer),
                ("GET", "history", self.overview),
                ("GET", "history/boards", self.boards),
                ("POST", "history/boards/{number:int}/open", self.open),
                ("GET", "mistakes", self.due),
                ("POST", "mistakes/drill", self.drill_of_mistakes),
            ),
        ]

    # --- drills -------------------------------------------------------------------------------------------

    def topics(self, asked: Asked) -> Steps:
        yield None
        yield {"topics": [{"name": topic.name, "title": topic.title} for topic in TOPICS.values()]}

    def drill(self, asked: Asked) -> Steps:
        """Questions on a topic: from deals that the system bids, or from the textbook exam."""
        spec, topic = asked.text("spec", 300), asked.choice("topic", tuple(TOPICS))
        count, seed = asked.number("count", 1, self.session.limits.drill, 10), asked.number("seed", 0, 2**31, 0)
        source = asked.choice("source", ("deals", _TEXTBOOK), "deals")
        self.session.long_question()
        yield None
        if source == _TEXTBOOK:
            yield self._of_exam(spec, textbook(), 100, lambda position: position.area == topic)
        found = drills.Search(self.session.system(spec), TOPICS[topic], count, seed)
        while not found.enough:
            found.look()
            yield None  # some deals at a time, so that others are answered in between
        yield self._begun(found.drill(spec))

    def drill_file(self, asked: Asked) -> Steps:
        """Questions of a file, such as one of wrong answers."""
        spec, text = asked.text("spec", 300), asked.text("text", TEXT)
        name = asked.text("name", 200, "the file")
        yield None
        yield self._of_exam(spec, parse_exam(text, name), 200)

    def question(self, asked: Asked, name: str) -> Steps:
        drill = self.session.drills.find(name)
        number = asked.number("number", 0, len(drill.questions) - 1)
        yield None
        yield drills.question(drill, number)

    def answer(self, asked: Asked, name: str) -> Steps:
        drill = self.session.drills.find(name)
        number, call = asked.number("number", 0, len(drill.questions) - 1), parse_call(asked.text("call", 8))
        yield None
        first = number not in drill.given
        told = drills.answer(drill, number, call)
        if drill.mistakes and first:
            told["due"] = repeats.answered(self.session.memory, drill.mistakes[number], told["points"] == FULL)
        yield told

    def wrong(self, asked: Asked, name: str) -> Steps:
        drill = self.session.drills.find(name)
        yield None
        yield drills.wrong_file(drill)

    def _of_exam(
        self, spec: str, exam: Exam, most: int, choose: Callable[[Position], bool] = lambda position: True
    ) -> Told:
        self.session.system(spec)
        return self._begun(drills.drill_of_exam(spec, exam, most, choose))

    def _begun(self, drill: drills.Drill) -> Told:
        """What the person is told of a drill that begins."""
        return {"drill": self.session.drills.keep(drill), "questions": len(drill.questions)}

    # --- what is kept -------------------------------------------------------------------------------------

    def overview(self, asked: Asked) -> Steps:
        yield None
        yield history.overview(self.session.memory)

    def boards(self, asked: Asked) -> Steps:
        page = asked.number("page", 0, _FAR // history.PAGE, 0)
        yield None
        yield history.boards(self.session.memory, page)

    def open(self, asked: Asked, number: int) -> Steps:
        """A kept board at a table where it is over, to be reviewed; it counts no more, because its deal has."""
        yield None
        board = history.kept_board(self.session.memory, min(number, _FAR))
        setup, deal, calls, cards = history.laid(board)
        for spec in (setup.north_south, setup.east_west, setup.control):
            self.session.checked(spec)
        table = self.session.open(setup, deal)
        table.begin_with(calls)
        table.cards, table.claimed, table.helped, table.phase = cards, board["claimed"], board["helped"], OVER
        yield state(table, setup.people[0])

    def due(self, asked: Asked) -> Steps:
        yield None
        yield repeats.due(self.session.memory)

    def drill_of_mistakes(self, asked: Asked) -> Steps:
        """A drill of the calls that are due; ``spec`` reads auctions whose own bidders are not here any more."""
        spec, count = asked.text("spec", 300), asked.number("count", 1, self.session.limits.drill, 10)
        yield None
        self.session.checked(spec)
        found = repeats.drill_of_due(self.session.memory, spec, count)
        found.readers = tuple((self._here(ns, spec), self._here(ew, spec)) for ns, ew in found.readers)
        yield self._begun(found)

    def _here(self, bidder: str, instead: str) -> str:
        """A bidder, or another one in its place where this server does not have it."""
        try:
            return self.session.checked(bidder)
        except Refused:
            return instead
