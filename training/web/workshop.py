"""The routes of the pages about systems and of practice: the book, the check, versions, matches and drills."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from agents.hierarchy.language.text import system_text
from bridge_env.calls import parse_call
from training.exam.positions import FULL, parse_exam
from training.http.asked import Asked, Refused
from training.http.body import body, query
from training.http.guard import Bucket
from training.http.thinking import Thinking
from training.web import books, drills, repeats, versions
from training.web.doors import answering
from training.web.errands import Errands
from training.web.session import Session
from training.web.table import OVER
from training.web.topics import TOPICS
from training.web.views import state

_TEXT = 256_000  # characters of a system
_TEXTBOOK = "textbook"
_MOST_DEALS = 20_000


class Workshop:
    """What the pages about systems and of practice may ask.

    Args:
        thinking: does what takes less than a second; the same as the table's.
    """

    def __init__(self, session: Session, thinking: Thinking) -> None:
        self.session, self.thinking = session, thinking
        self.errands = Errands(session.limits.errands)
        self.heavy = Bucket(session.limits.heavy_rate, session.limits.heavy_burst)

    def routes(self) -> list[Route]:
        """Paths as they are behind the token."""
        api = [
            ("/api/book", "POST", self.book),
            ("/api/figures", "POST", self.figures),
            ("/api/errands/{name}", "GET", self.errand),
            ("/api/errands/{name}/stop", "POST", self.stop),
            ("/api/compare", "POST", self.compare),
            ("/api/text", "POST", self.text),
            ("/api/check", "POST", self.check),
            ("/api/drafts", "POST", self.draft),
            ("/api/exam", "POST", self.exam),
            ("/api/matches", "POST", self.match),
            ("/api/matches/{name}/open", "POST", self.open),
            ("/api/topics", "GET", self.topics),
            ("/api/drills", "POST", self.drill),
            ("/api/drills/file", "POST", self.drill_file),
            ("/api/drills/{name}/question", "GET", self.question),
            ("/api/drills/{name}/answer", "POST", self.answer),
            ("/api/drills/{name}/wrong", "GET", self.wrong),
        ]
        return [Route(path, answering(door), methods=[method]) for path, method, door in api]

    # --- the book -----------------------------------------------------------------------------------------

    async def book(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        spec = asked.text("spec", 300)
        asked.done()
        return await self.thinking(lambda: books.book_of(self._system(spec)))

    async def figures(self, request: Request) -> dict[str, Any]:
        """Measure a book in a process of its own; the answer names the errand."""
        asked = await self._body(request)
        spec, deals = asked.text("spec", 300), asked.number("deals", 500, _MOST_DEALS, 5000)
        boards = asked.number("boards", 0, self.session.limits.match_boards, 0)
        asked.done()
        system = await self.thinking(lambda: self._system(spec))
        known = self.errands.latest((system, deals, boards))
        if known is None:
            self._heavy()
            known = self.errands.start(books.figures_of, system, deals, 1, boards, about=(system, deals, boards))
        return known.as_json()

    async def errand(self, request: Request) -> dict[str, Any]:
        query(request).done()
        return self.errands.find(request.path_params["name"]).as_json()

    async def stop(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        asked.done()
        return self.errands.stop(request.path_params["name"]).as_json()

    async def compare(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        a, b = asked.text("a", 300), asked.text("b", 300)
        asked.done()
        return await self.thinking(lambda: books.side_by_side(self._system(a), self._system(b)))

    # --- a system under the pen ---------------------------------------------------------------------------

    async def text(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        spec = asked.text("spec", 300)
        asked.done()

        def write() -> dict[str, Any]:
            system = self._system(spec)
            return {"name": system.name, "text": system_text(system)}

        return await self.thinking(write)

    async def check(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        text, name = asked.text("text", _TEXT), asked.text("name", 200, "mine.bidding")
        asked.done()
        return await self.thinking(lambda: versions.findings(text, name))

    async def draft(self, request: Request) -> dict[str, Any]:
        """A name for a text that is being edited, by which the other routes know it for a while."""
        asked = await self._body(request)
        text = asked.text("text", _TEXT)
        asked.done()
        return {"spec": await self.thinking(lambda: self.session.draft(text))}

    async def exam(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        spec, against = asked.text("spec", 300), asked.text("against", 300, "")
        asked.done()
        self._heavy()

        def sit() -> dict[str, Any]:
            for one in filter(None, (spec, against)):
                self._system(one)
            return versions.papers(spec, against)

        return await self.thinking(sit)

    async def match(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        a, b = asked.text("a", 300), asked.text("b", 300)
        boards, seed = (
            asked.number("boards", 1, self.session.limits.match_boards, 2000),
            asked.number("seed", 1, 10**6, 1),
        )
        asked.done()
        self._heavy()

        def play() -> dict[str, Any]:
            for one in (a, b):
                self._system(one)
            result = versions.match(a, b, boards, seed)
            return versions.match_told(self.session.keep_match(result), result)

        return await self.thinking(play)

    async def open(self, request: Request) -> dict[str, Any]:
        """A board of a match at a table where it is over, to be reviewed."""
        asked = await self._body(request)
        board = asked.number("board", 1, 10**6)
        asked.done()
        found = versions.replayed(self.session.match(request.path_params["name"]), board)
        if found is None:
            raise Refused(f"The match has no board {board}.", 404)
        setup, deal, calls = found

        def lay() -> dict[str, Any]:
            table = self.session.open(setup, deal)
            table.begin_with(calls)
            table.phase = OVER
            return state(table, None)

        return await self.thinking(lay)

    # --- practice -----------------------------------------------------------------------------------------

    async def topics(self, request: Request) -> dict[str, Any]:
        query(request).done()
        return {"topics": [{"name": topic.name, "title": topic.title} for topic in TOPICS.values()]}

    async def drill(self, request: Request) -> dict[str, Any]:
        """Questions on a topic: from deals that the system bids, or from the textbook exam."""
        asked = await self._body(request)
        spec, topic = asked.text("spec", 300), asked.choice("topic", tuple(TOPICS))
        count, seed = asked.number("count", 1, self.session.limits.drill, 10), asked.number("seed", 0, 2**31, 0)
        source = asked.choice("source", ("deals", _TEXTBOOK), "deals")
        asked.done()
        self._heavy()
        if source == _TEXTBOOK:
            return await self.thinking(lambda: self._keep(drills.drill_of_exam(
                self._spec(spec), versions.exam(), 100, lambda position: position.area == topic)))  # fmt: skip
        system = await self.thinking(lambda: self._system(spec))
        search = drills.Search(system, TOPICS[topic], count, seed)
        while not search.enough and not await request.is_disconnected():
            await self.thinking(search.look)  # some deals at a time, so that others are answered in between
        return await self.thinking(lambda: self._keep(search.drill(spec)))

    async def drill_file(self, request: Request) -> dict[str, Any]:
        """Questions of a file, such as one of wrong answers."""
        asked = await self._body(request)
        spec, text = asked.text("spec", 300), asked.text("text", _TEXT)
        name = asked.text("name", 200, "the file")
        asked.done()
        return await self.thinking(
            lambda: self._keep(drills.drill_of_exam(self._spec(spec), parse_exam(text, name), 200))
        )

    async def question(self, request: Request) -> dict[str, Any]:
        asked = query(request)
        drill = self.session.drill(request.path_params["name"])
        number = asked.number("number", 0, len(drill.questions) - 1)
        asked.done()
        return await self.thinking(lambda: drills.question(drill, number))

    async def answer(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        drill = self.session.drill(request.path_params["name"])
        number, call = asked.number("number", 0, len(drill.questions) - 1), parse_call(asked.text("call", 8))
        asked.done()
        first = number not in drill.given
        told = drills.answer(drill, number, call)
        if drill.mistakes and first:
            memory, mistake, right = self.session.memory, drill.mistakes[number], told["points"] == FULL
            told["due"] = await self.thinking(lambda: repeats.answered(memory, mistake, right))
        return told

    async def wrong(self, request: Request) -> dict[str, Any]:
        query(request).done()
        return drills.wrong_file(self.session.drill(request.path_params["name"]))

    # --- what several ask ---------------------------------------------------------------------------------

    def _keep(self, drill: drills.Drill) -> dict[str, Any]:
        return drills.begun(self.session.keep_drill(drill), drill)

    def _spec(self, spec: str) -> str:
        self._system(spec)
        return spec

    def _system(self, spec: str) -> Any:
        return books.written_system(spec, self.session.named)

    def _heavy(self) -> None:
        if not self.heavy.take():
            raise Refused("These are too many long questions at once; wait a second.", 429)

    async def _body(self, request: Request) -> Asked:
        return await body(request, self.session.limits.body)
