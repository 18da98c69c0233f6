"""The doors' routes: BEN's ``/bid``, ``/lead``, ``/play``, ``/explain`` and more, BBO's ``/robot.php``, and ``/``."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bridge_table.http.apps import BROKEN, app_of
from bridge_table.http.asked import Refused, body
from bridge_table.http.guard import Guard, Limits
from bridge_table.http.thinking import Thinking
from bridge_table.programs import bbo, ben
from bridge_table.programs.answers import Answers, OwnFault
from bridge_table.programs.boards import board_steps, read_board
from bridge_table.programs.explained import (
    bids_json,
    cuebid_json,
    explained_all_json,
    explained_json,
    read_cuebid,
    said,
)
from bridge_table.programs.judging import claim_json, contracts_json

LIMITS = Limits(body=8192, rate=2000.0, burst=4000, waiting=64)
_LONGEST_QUERY, _LONGEST_FIELD = 4096, 1000
_LOG = logging.getLogger("bridge_env.serve")

Door = Callable[[dict[str, str]], Awaitable[Response]]
Asking = Callable[[Request], Awaitable[Response]]
Refuse = Callable[[str, int], Response]


class Doors:
    """What other programs may ask."""

    def __init__(self, answers: Answers, limits: Limits) -> None:
        self.answers, self.thinking = answers, Thinking(limits.waiting)

    def routes(self) -> list[Route]:
        doors: dict[str, tuple[Door, Refuse]] = {
            "/": (self.home, _error_json),
            ben.BID: (self.bid, _error_json),
            ben.LEAD: (self.lead, _error_json),
            ben.PLAY: (self.play, _error_json),
            ben.EXPLAIN: (self.explain, _error_json),
            ben.EXPLAIN_ALL: (self.explain_auction, _error_json),
            ben.CONTRACT: (self.contract, _error_json),
            ben.CLAIM: (self.claim, _error_json),
            ben.BIDS: (self.bids, _error_json),
            ben.BOARD: (self.board, _error_json),
            bbo.ROBOT: (self.robot, self._error_xml),
        }
        routes = [
            Route(path, _answering(lambda request, door=door: door(_fields(request)), refuse), methods=["GET"])  # type: ignore[misc]
            for path, (door, refuse) in doors.items()
        ]
        return [*routes, Route(ben.CUEBID, _answering(self.cuebid, _error_json), methods=["POST"])]

    async def home(self, fields: dict[str, str]) -> Response:
        told = {
            "program": "bridge-env", "bids": self.answers.spec, "plays": self.answers.play,
            "doors": [*ben.DOORS, bbo.ROBOT],
        }  # fmt: skip
        return JSONResponse(told)

    async def bid(self, fields: dict[str, str]) -> Response:
        question, details = ben.read_question(fields), ben.read_flag(fields, "details")
        answer = await self.thinking(lambda: self.answers.call(question, details))
        told = ben.call_json(answer, self.answers.spec)
        if details and question.calls:
            shown = await self.thinking(lambda: self.answers.shows(question))
            told["explanations"] = [[ben.answer_word(c), said(s)] for c, s in zip(question.calls, shown, strict=True)]
        return JSONResponse(told)

    async def lead(self, fields: dict[str, str]) -> Response:
        return await self._card(fields, False)

    async def play(self, fields: dict[str, str]) -> Response:
        if not fields.get("played"):
            raise Refused("No card was played yet: ask /lead for the opening lead.")
        return await self._card(fields, True)

    async def explain(self, fields: dict[str, str]) -> Response:
        question = ben.read_auction(fields)
        shown = await self.thinking(lambda: self.answers.shows(question))
        return JSONResponse(explained_json(shown[-1]))

    async def explain_auction(self, fields: dict[str, str]) -> Response:
        question = ben.read_auction(fields)
        shown = await self.thinking(lambda: self.answers.shows(question))
        return JSONResponse(explained_all_json(question.calls, shown))

    async def contract(self, fields: dict[str, str]) -> Response:
        question = ben.read_two_hands(fields)
        return JSONResponse(await self.thinking(lambda: contracts_json(question)))

    async def claim(self, fields: dict[str, str]) -> Response:
        question = ben.read_question(fields, True)
        left = 13 - len(question.played) // 4
        tricks = ben.read_number(fields, "tricks", 0, left, left)
        return JSONResponse(await self.thinking(lambda: claim_json(question, tricks)))

    async def bids(self, fields: dict[str, str]) -> Response:
        question = ben.read_position(fields)
        shown = await self.thinking(lambda: self.answers.every(question))
        return JSONResponse(bids_json(shown, self.answers.sides(question.seat & 1)))

    async def board(self, fields: dict[str, str]) -> Response:
        steps, told = board_steps(self.answers, read_board(fields)), dict[str, Any]()
        while not told:
            told = await self.thinking(lambda: next(steps))
        return JSONResponse(told)

    async def cuebid(self, request: Request) -> Response:
        question = read_cuebid(await body(request, LIMITS.body))
        return JSONResponse(cuebid_json(await self.thinking(lambda: self.answers.call(question))))

    async def robot(self, fields: dict[str, str]) -> Response:
        question, play = bbo.read_question(fields)
        if play:
            card = await self.thinking(lambda: self.answers.card(question))
            return _xml(bbo.card_xml(card, self.answers.play))
        call = await self.thinking(lambda: self.answers.call(question))
        return _xml(bbo.call_xml(call, self.answers.spec))

    async def _card(self, fields: dict[str, str], play: bool) -> Response:
        question, details = ben.read_question(fields, play), ben.read_flag(fields, "details")
        answer = await self.thinking(lambda: self.answers.card(question, details))
        return JSONResponse(ben.card_json(answer, self.answers.play, details))

    def _error_xml(self, sentence: str, status: int) -> Response:
        return _xml(bbo.error_xml(sentence, self.answers.spec), status)


def _fields(request: Request) -> dict[str, str]:
    """The fields of a query. Fields that no door knows are left alone: programs send users' names and the like."""
    if len(request.scope["query_string"]) > _LONGEST_QUERY:
        raise Refused(f"The question is too long; at most {_LONGEST_QUERY:,} characters are taken.", 414)
    out: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in out:
            raise Refused(f"The field {name[:40]!r} stands there twice.")
        if len(value) > _LONGEST_FIELD:
            raise Refused(f"{name[:40]!r} has more than {_LONGEST_FIELD:,} characters.", 413)
        if not value.isprintable():
            raise Refused(f"{name[:40]!r} holds a character that cannot be printed.")
        out[name] = value
    return out


def _answering(door: Asking, refuse: Refuse) -> Asking:
    """The door's answer, and every fault as a sentence in the door's form."""

    async def answer(request: Request) -> Response:
        try:
            return await door(request)
        except Refused as refused:
            return refuse(str(refused), refused.status)
        except OwnFault as fault:
            _LOG.error("%s", fault)
            return refuse(f"{fault.spec} gave no answer that can be used; the server's terminal tells why.", 500)
        except ValueError as error:
            return refuse(_sentence(str(error)), 400)
        except Exception as error:
            _LOG.exception("a request failed", exc_info=error)
            return refuse(BROKEN, 500)

    return answer


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _error_json(sentence: str, status: int) -> Response:
    return JSONResponse({"error": sentence}, status)


def _xml(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="application/xml")


def make_app(
    answers: Answers, *, host: str = "127.0.0.1", port: int | None = None, limits: Limits = LIMITS,
    origins: Collection[str] = (), names: Collection[str] = (),
) -> Guard:  # fmt: skip
    """The doors as an ASGI app.

    Args:
        answers: what is behind them.
        host, port: where it will listen; Host headers must say so.
        origins: of pages that may ask; names: by which this machine may be called.
    """
    told = {
        404: f"There is no such door; there are {', '.join(ben.DOORS)} and {bbo.ROBOT}.",
        405: f"Questions are asked by GET, with all they say in the address; {ben.CUEBID} alone by POST.",
    }
    app = app_of(Doors(answers, limits).routes(), told)
    return Guard(app, None, host, port, limits, "bridge-env serve", origins, names)
