"""The requests of the pages of practice and of history: drills, saved boards, kinds of decisions, mistakes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta
from starlette.routing import Route

from bridge_env.rules.calls import parse_call
from bridge_table.board.table import OVER
from bridge_table.board.views import state
from bridge_table.http.fields import Name, NoFields, RequestError, RequestFields, Spec, SystemText
from bridge_table.http.routing import Json, Router
from bridge_table.learning import drills, history, spaced_repetition
from bridge_table.learning.drills import Drill
from bridge_table.learning.topics import TOPICS
from bridge_table.session import Session
from training.exam.positions import FULL, parse_exam, textbook

_MAX_BOARD = 10**9
_MAX_OF_FILE, _MAX_OF_TEXTBOOK = 200, 100  # questions

Count = Annotated[int, Meta(ge=1, le=50)]  # questions of a drill


class DrillFields(RequestFields):
    spec: Spec
    topic: str
    count: Count = 10
    seed: Annotated[int, Meta(ge=0, le=2**31)] = 0
    source: Literal["deals", "textbook"] = "deals"


class DrillFileFields(RequestFields):
    spec: Spec
    text: SystemText
    name: Name = "the file"


class QuestionFields(RequestFields):
    number: int


class AnswerFields(QuestionFields):
    call: str


class MistakeFields(RequestFields):
    spec: Spec
    count: Count = 10


class PageFields(RequestFields):
    page: Annotated[int, Meta(ge=0, le=_MAX_BOARD // history.PAGE)] = 0


class PracticeRoutes:
    """What the pages of practice and of history may request."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def routes(self, router: Router) -> list[Route]:
        return [
            *router.routes(("GET", "topics", self.topics), at_once=True),
            *router.routes(
                ("POST", "drills", self.drill),
                ("POST", "drills/file", self.drill_file),
                ("GET", "drills/{name}/question", self.question),
                ("POST", "drills/{name}/answer", self.answer),
                ("GET", "drills/{name}/wrong", self.wrong),
                ("GET", "history", self.overview),
                ("GET", "history/boards", self.boards),
                ("POST", "history/boards/{number:int}/open", self.open),
                ("GET", "mistakes", self.due),
                ("POST", "mistakes/drill", self.drill_of_mistakes),
            ),
        ]

    # --- drills -------------------------------------------------------------------------------------------

    def topics(self, fields: NoFields) -> Json:
        return {"topics": [{"name": topic.name, "title": topic.title} for topic in TOPICS.values()]}

    def drill(self, fields: DrillFields) -> Json:
        """Begin a drill on a topic: on deals that the system bids, or of the textbook exam."""
        system, topic = self.session.system(fields.spec), TOPICS.get(fields.topic)
        if topic is None:
            raise RequestError(f"There is no topic {fields.topic[:40]!r}.")
        if fields.source == "textbook":
            chosen = [position for position in textbook().everybody if position.area == topic.name]
            return self._begin(drills.drill_of_positions(fields.spec, chosen, textbook().titles, _MAX_OF_TEXTBOOK))
        search = drills.Search(system, topic, fields.count, fields.seed)
        return self._begin(search.drill(fields.spec))

    def drill_file(self, fields: DrillFileFields) -> Json:
        """Begin a drill of the questions of a file, such as one of wrong answers."""
        self.session.system(fields.spec)
        exam = parse_exam(fields.text, fields.name)
        return self._begin(drills.drill_of_positions(fields.spec, exam.everybody, exam.titles, _MAX_OF_FILE))

    def question(self, fields: QuestionFields, name: str) -> Json:
        return drills.question(self._drill_at(name, fields.number), fields.number)

    def answer(self, fields: AnswerFields, name: str) -> Json:
        drill, number = self._drill_at(name, fields.number), fields.number
        first = number not in drill.given
        out = drills.answer(drill, number, parse_call(fields.call))
        if drill.mistakes and first:
            right = out["points"] == FULL
            out["due"] = spaced_repetition.reschedule(self.session.database, drill.mistakes[number], right)
        return out

    def wrong(self, fields: NoFields, name: str) -> Json:
        return drills.wrong_file(self.session.drills.get(name))

    def _drill_at(self, name: str, number: int) -> Drill:
        drill = self.session.drills.get(name)
        if not 0 <= number < len(drill.questions):
            raise RequestError(f"The drill has {len(drill.questions)} questions.")
        return drill

    def _begin(self, drill: Drill) -> Json:
        return {"drill": self.session.drills.add(drill), "questions": len(drill.questions)}

    # --- saved boards -------------------------------------------------------------------------------------

    def overview(self, fields: NoFields) -> Json:
        return history.overview(self.session.database)

    def boards(self, fields: PageFields) -> Json:
        return history.boards(self.session.database, fields.page)

    def open(self, fields: NoFields, number: int) -> Json:
        """Open a saved board at a table where it is over; it counts no more, because its deal has."""
        board = history.saved_board(self.session.database, min(number, _MAX_BOARD))
        setup, deal, calls, cards = history.table_of(board)
        for spec in (setup.north_south, setup.east_west, setup.control):
            self.session.check_spec(spec)
        table = self.session.open(setup, deal)
        table.begin_with(calls)
        table.cards, table.claimed, table.helped, table.phase = cards, board["claimed"], board["helped"], OVER
        return state(table, setup.people[0])

    def due(self, fields: NoFields) -> Json:
        return spaced_repetition.due(self.session.database)

    def drill_of_mistakes(self, fields: MistakeFields) -> Json:
        """Begin a drill of the calls that are due; ``spec`` reads auctions whose own bidders are missing here."""
        self.session.check_spec(fields.spec)
        drill = spaced_repetition.drill_of_due(self.session.database, fields.spec, fields.count)
        drill.readers = tuple(
            (self._available(ns, fields.spec), self._available(ew, fields.spec)) for ns, ew in drill.readers
        )
        return self._begin(drill)

    def _available(self, bidder: str, instead: str) -> str:
        try:
            return self.session.check_spec(bidder)
        except RequestError:
            return instead
