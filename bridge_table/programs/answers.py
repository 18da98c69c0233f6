"""Answer questions of other programs by a bidder and a card player, in BEN's form and at BEN's endpoints."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents.cardplay.auction import AuctionReader
from agents.cardplay.card_values import Worth
from agents.cardplay.deals import BelievedDeals
from agents.cardplay.known_cards import view_of_seen
from agents.cardplay.montecarlo import CardDecision, MonteCarlo
from agents.cardplay.options import TRICKS
from agents.cardplay.registry import Split, make_player
from agents.cardplay.table import declares
from agents.lookahead.explain import explain
from agents.lookahead.game_lookahead import GameLookahead
from agents.lookahead.lookahead import Lookahead
from agents.networks.bidder import NetworkBidder
from agents.networks.call_reader import CallReader
from agents.registry import reader_of
from bridge_env.bidders.errors import BidderError, error_line, explain_call, legal_calls
from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.protocols import Bidder, Explains
from bridge_env.bidders.registry import implements, make, player_at
from bridge_env.bidders.view import BidView, view_of
from bridge_env.hands.deals import parse_hand
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import NOTRUMP, PASS, bid_call
from bridge_env.rules.cards import SEATS, UNKNOWN, card_text
from bridge_table.http.requests import Json, RequestError, SerialWorker, make_starlette, read_fields
from bridge_table.http.server import TIMEOUT, is_local
from bridge_table.programs import ben
from bridge_table.programs.ben import Question

_ONE_NOTRUMP = bid_call(1, NOTRUMP)
_MAX_CANDIDATES = 5
_LEAST = 0.005  # probability of a candidate


class Answers:
    """Answers for one pair, against ``opponents`` (None: as itself); raise ``SpecError`` where a spec names nothing."""

    def __init__(self, spec: str, opponents: str | None = None, play: str = "montecarlo") -> None:
        self.spec, self.opponents, self.play = spec, opponents or spec, play
        self.bidder: Bidder = make(spec, partner=spec, opponents=opponents)
        self.players = [make_player(play, AuctionReader.of_sides(*self.sides(side))) for side in (0, 1)]

    def call(self, question: Question, details: bool = False) -> dict[str, Any]:
        """Return the call of the question's seat in BEN's form, with ``details`` also how it was found, which may take
        long; raise ``ValueError`` where the question is faulty, ``BidderError`` where the bidder fails.
        """
        auctions = one_auction(question.calls, question.dealer, question.vulnerability)
        if auctions.done[0]:
            raise ValueError("the auction is over")
        seat = int(auctions.turn[0])
        if seat != question.seat:
            raise ValueError(f"it is for {SEATS[seat]} to call now, not for {SEATS[question.seat]}")
        view = view_of(auctions, np.where(question.hand, seat, UNKNOWN).astype(np.uint8)[None])
        player, key = player_at(self.bidder, seat), _key(question)
        call = int(legal_calls(self.bidder, view, key)[0])
        shows = self.reader(seat, details).shows(question.calls, question.dealer, question.vulnerability, call)
        out = {
            "bid": ben.answer_word(call), "who": self.spec, "alert": shows.artificial,
            "candidates": _candidates(player, view, call), "explanation": str(shows),
        }  # fmt: skip
        if details and isinstance(player, Lookahead | GameLookahead):
            out["why"] = explain(player, view, player.think(view, key))
        elif details and implements(player, Explains):
            out["why"] = explain_call(player, view, key)  # type: ignore[arg-type]
        return out

    def card(self, question: Question) -> dict[str, Any]:
        """Return the card of the hand whose turn it is in BEN's form; errors as of ``call``."""
        auctions = one_auction(question.calls, question.dealer, question.vulnerability)
        view = view_of_seen(auctions, question.seat, question.hand, question.dummy, question.played)
        try:
            return self._card(question, view)
        except BidderError:
            raise
        except Exception as error:  # no fault of the question
            raise BidderError(f"{self.play} failed: {error_line(error)}") from error

    def _card(self, question: Question, view: PlayView) -> dict[str, Any]:
        key, player = _key(question), self.players[question.seat & 1]
        while isinstance(player, Split):
            player = player.declarer if declares(view)[0] else player.defender
        if not isinstance(player, MonteCarlo):
            card = int(player.play(view, key)[0])
            return {"card": _legal(card, view, self.play), "who": self.play, "candidates": []}
        (thought,) = player.think(view, key)
        out: dict[str, Any] = {"card": _legal(thought.card, view, self.play), "who": self.play, "candidates": []}
        if (belief := thought.belief) is not None:
            out["candidates"] = _expected(thought, belief, view)
        return out

    def warm_up(self) -> None:
        """Load what the first questions need, so that they are answered at once."""
        hand = parse_hand("KQJ2.A2.K32.AK32")
        with contextlib.suppress(BidderError):  # the first client gets the error
            self.call(Question(0, hand, 0, 0))
            self.card(Question(0, hand, 3, 0, (_ONE_NOTRUMP, PASS, PASS, PASS)))

    def sides(self, side: int) -> tuple[str, str]:
        """Return the specs of North-South and East-West where the pair sits at ``side``."""
        return (self.opponents, self.spec) if side else (self.spec, self.opponents)

    def reader(self, seat: int, draws: bool = True) -> CallReader:
        """Return what reads calls where the pair sits at ``seat``."""
        return reader_of(*self.sides(seat & 1), draws)


def _key(question: Question) -> NDArray[np.uint64]:
    """Return a random stream that depends on the question alone."""
    key = streams.key("serve", question.seat, question.dealer, question.vulnerability)
    for number in (*question.calls, -1, *np.flatnonzero(question.hand).tolist(), -1, *question.played):
        key = streams.key(key, number)
    return np.atleast_1d(np.asarray(key, np.uint64))


def _candidates(player: Bidder, view: BidView, made: int) -> list[dict[str, Any]]:
    """Return the call ``made``, then a network's other likely calls, the likeliest first, with probabilities."""
    if not isinstance(player, NetworkBidder):
        return [{"call": ben.answer_word(made), "insta_score": 1.0}]
    chances = player.probabilities(view)[0]
    order = np.argsort(-chances, kind="stable")[:_MAX_CANDIDATES].tolist()
    likely = [made, *(call for call in order if call != made and chances[call] >= _LEAST)]
    return [{"call": ben.answer_word(call), "insta_score": round(float(chances[call]), 4)} for call in likely]


def _expected(thought: CardDecision, belief: BelievedDeals, view: PlayView) -> list[dict[str, Any]]:
    """Return the cards considered, the answer first, then the best: the tricks that the side may expect from here on,
    and the probability that the contract makes, double dummy on the sampled deals."""
    best = np.argsort(-thought.average, kind="stable").tolist()
    order = sorted(best, key=lambda at: int(thought.cards[at]) != thought.card)
    tricks, worth = belief.weight @ thought.tricks, Worth(view, 0, belief.owner, TRICKS)
    chances = belief.weight @ (worth.declarers(thought.tricks) >= 6 + worth.level)
    return [
        {"card": card_text(int(thought.cards[at])), "expected_tricks_dd": round(float(tricks[at]), 3),
         "p_make_contract": round(float(chances[at]), 3)}
        for at in order
    ]  # fmt: skip


def _legal(card: int, view: PlayView, spec: str) -> str:
    """Return the text of a card; raise ``BidderError`` where it is not legal."""
    if not 0 <= card < 52 or not view.mask[0, card]:
        raise BidderError(f"{spec} played a card that is not legal: {card}")
    return card_text(card)


def answer_explain(answers: Answers, fields: ben.Fields) -> Json:
    """Return what the last call shows."""
    question = fields.question(False)
    if not question.calls:
        raise RequestError("'ctx' holds no call to be explained.")
    one_auction(question.calls, question.dealer, question.vulnerability)  # an illegal one is an error
    *before, made = question.calls
    shows = answers.reader(question.seat).shows(before, question.dealer, question.vulnerability, made)
    return {"explanation": str(shows), "Alert": shows.artificial}


def answer_bids(answers: Answers, fields: ben.Fields) -> Json:
    """Return what every legal call would show; the last row also has the specs of both sides, as in BEN."""
    question = fields.question(False)
    state = question.calls, question.dealer, question.vulnerability
    if one_auction(*state).done[0]:
        raise ValueError("the auction is over")
    north_south, east_west = answers.sides(question.seat & 1)
    rows: list[dict[str, Any]] = [
        {"bid": "P" if call == PASS else ben.answer_word(call), "m": str(shows), "Alert": shows.artificial}
        for call, shows in answers.reader(question.seat).shows_of_all(*state).items()
    ]
    rows[-1] |= {"NS": north_south, "EW": east_west}
    return rows


_ENDPOINTS: dict[str, Callable[[Answers, ben.Fields], Json]] = {
    ben.BID: lambda answers, fields: answers.call(fields.question(True), fields.details),
    ben.LEAD: lambda answers, fields: answers.card(fields.question(True)),
    ben.PLAY: lambda answers, fields: answers.card(fields.question(True)),
    "/explain": answer_explain,
    "/bids": answer_bids,
}  # fmt: skip


def make_app(answers: Answers, *, host: str = "127.0.0.1", timeout: float = TIMEOUT) -> Starlette:
    """Return the server as an ASGI app; on a ``host`` of this machine alone, Host headers must name it. ``timeout`` is
    in seconds for an answer.
    """
    worker = SerialWorker(timeout)

    def route(path: str, answer: Callable[[Answers, ben.Fields], Json]) -> Route:
        async def endpoint(request: Request) -> Response:
            fields = await read_fields(request, ben.Fields)
            return JSONResponse(await worker(lambda: answer(answers, fields)))

        return Route(path, endpoint, methods=["GET"])

    async def home(request: Request) -> Response:
        found = {"program": "bridge-env", "bids": answers.spec, "plays": answers.play, "endpoints": [*_ENDPOINTS]}
        return JSONResponse(found)

    hosts = ["127.0.0.1", "localhost", "::1"] if is_local(host) else ["*"]
    middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)]
    routes = [Route("/", home, methods=["GET"]), *(route(*row) for row in _ENDPOINTS.items())]
    return make_starlette(routes, middleware)
