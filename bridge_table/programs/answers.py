"""Answer questions of other programs by a bidder and a card player."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.card_values import Worth
from agents.cardplay.deals import Belief
from agents.cardplay.explain import thought_text
from agents.cardplay.known_cards import view_of_seen
from agents.cardplay.montecarlo import CardDecision, MonteCarlo
from agents.cardplay.options import TRICKS
from agents.cardplay.registry import Split, make_player
from agents.cardplay.table import declares
from agents.lookahead.explain import explain
from agents.lookahead.system_lookahead import SystemLookahead
from agents.meanings import Shows, reader
from agents.networks.bidder import NetworkBidder
from agents.text_api import read_states
from bridge_env.bidders.errors import BidderError, error_line, explain_call, legal_calls
from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.protocols import Bidder, CardPlayer, Explains
from bridge_env.bidders.registry import implements, make, player_at
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hand_text, parse_hand
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import NOTRUMP, PASS, bid_call, call_text
from bridge_env.rules.cards import SEATS
from bridge_env.sampling import Sample
from bridge_table.http.server import TIMEOUT
from bridge_table.programs.ben import meaning
from bridge_table.programs.question import CallAnswer, CardAnswer, Question, SampledDeals
from training.runtime.timeout import CallTimeout, call_with_timeout

_Result = TypeVar("_Result")
_ONE_NOTRUMP = bid_call(1, NOTRUMP)
_MAX_CANDIDATES = 5
_LEAST = 0.005  # probability of a candidate


class Answers:
    """Answers for one pair; no question depends on another.

    Args:
        opponents: spec of the other pair, for a bidder that reads their calls; None: as itself.
        timeout: seconds that bidder or player may take for an answer.

    Raises:
        SpecError: one of the specs names nothing.
    """

    def __init__(
        self, spec: str, opponents: str | None = None, play: str = "montecarlo", timeout: float = TIMEOUT
    ) -> None:
        self.spec, self.opponents, self.play, self.timeout = spec, opponents or spec, play, timeout
        self.bidder: Bidder = make(spec, partner=spec, opponents=opponents)
        self.players = [make_player(play, AuctionReader.of_sides(*self.sides(side))) for side in (0, 1)]

    def call(self, question: Question, details: bool = False) -> CallAnswer:
        """Return the call of the question's seat.

        Args:
            details: also explain how it was found, which may take long.

        Raises:
            ValueError: the question is faulty; the message says how.
            BidderError: the bidder fails, or its call is not legal.
        """
        auction = question.calls, question.dealer, question.vulnerability
        state = {
            "hand": hand_text(question.hand), "dealer": question.dealer, "vulnerability": question.vulnerability,
            "auction": [call_text(call) for call in question.calls],
        }  # fmt: skip
        view, key = read_states([state])
        seat = int(view.seat[0])
        if seat != question.seat:
            raise ValueError(f"it is for {SEATS[seat]} to call now, not for {SEATS[question.seat]}")
        key = _key(question, key)
        player = player_at(self.bidder, seat)

        def answer() -> CallAnswer:
            call = int(legal_calls(self.bidder, view, key)[0])
            shows = reader(*self.sides(seat & 1), details).call(*auction, call)
            why, deals = "", None
            if details and isinstance(player, SystemLookahead):
                thought = player.think(view, key)
                why, deals = explain(player, view, thought), _sampled(seat, thought.sample)
            elif details and implements(player, Explains):
                why = explain_call(player, view, key)  # type: ignore[arg-type]
            return CallAnswer(call, _candidates(player, view, call), meaning(shows), why, shows.artificial, deals)

        return self._guarded(self.spec, answer)

    def shows(self, question: Question) -> list[Shows]:
        """Return what each call of an auction shows, where the pair sits at the question's seat.

        Raises:
            ValueError: the auction is not legal.
            BidderError: the bidder's own explanation fails.
        """
        calls, state = question.calls, (question.dealer, question.vulnerability)
        one_auction(calls, *state)
        read = reader(*self.sides(question.seat & 1), True)
        return self._guarded(self.spec, lambda: [read.call(calls[:k], *state, made) for k, made in enumerate(calls)])

    def every(self, question: Question) -> dict[int, Shows]:
        """Return what each legal call would show, where the pair sits at the question's seat; raises as ``shows``."""
        state = question.calls, question.dealer, question.vulnerability
        if one_auction(*state).done[0]:
            raise ValueError("the auction is over")
        return self._guarded(self.spec, lambda: reader(*self.sides(question.seat & 1), True).every(*state))

    def card(self, question: Question, details: bool = False) -> CardAnswer:
        """Return the card of the hand whose turn it is; arguments and errors as of ``call``."""
        auctions = one_auction(question.calls, question.dealer, question.vulnerability)
        view = view_of_seen(auctions, question.seat, question.hand, question.dummy, question.played)
        key = _key(question, _card_key(question))
        player = _choosing(self.players[question.seat & 1], view)
        first = (int(view.declarer[0]) + 1) & 3
        turn = (question.seat - first) & 3 if question.played else None
        if not isinstance(player, MonteCarlo):
            card = int(self._guarded(self.play, lambda: player.play(view, key))[0])
            return CardAnswer(_legal(card, view, self.play), player=turn)
        (thought,) = self._guarded(self.play, lambda: player.think(view, key))
        card = _legal(thought.card, view, self.play)
        why = thought_text(thought, view, 0, str(player.options.score)) if details else ""
        if (belief := thought.belief) is None:
            return CardAnswer(card, why=why, player=turn)
        deals = SampledDeals(
            question.seat, belief.owner, belief.weight, _fitting(belief.sample), first, question.played
        )
        candidates, makes = _expected(thought, belief, view)
        return CardAnswer(card, candidates, why, deals, makes, turn)

    def warm_up(self) -> None:
        """Load what the first questions need, so that they are answered at once."""
        hand = parse_hand("KQJ2.A2.K32.AK32")
        with contextlib.suppress(BidderError):  # the first client gets the error
            self.call(Question(0, hand, 0, 0))
            self.card(Question(0, hand, 3, 0, (_ONE_NOTRUMP, PASS, PASS, PASS)))

    def sides(self, side: int) -> tuple[str, str]:
        """Return the specs of North-South and East-West where the pair sits at ``side``."""
        return (self.opponents, self.spec) if side else (self.spec, self.opponents)

    def _guarded(self, spec: str, work: Callable[[], _Result]) -> _Result:
        """Return the result of a bidder or player; whatever it raises is no fault of the question."""
        try:
            return call_with_timeout(self.timeout, work)
        except BidderError:
            raise
        except CallTimeout:
            raise BidderError(f"{spec} gave no answer within {self.timeout:g} seconds") from None
        except Exception as error:
            raise BidderError(f"{spec} failed: {error_line(error)}") from error


def _key(question: Question, default: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return default if question.key is None else np.array([question.key % 2**64], np.uint64)


def _card_key(question: Question) -> NDArray[np.uint64]:
    """Return a random stream that depends on the question alone."""
    key = streams.key("serve", question.seat, question.dealer, question.vulnerability)
    for number in (*question.calls, -1, *np.flatnonzero(question.hand).tolist(), -1, *question.played):
        key = streams.key(key, number)
    return np.atleast_1d(np.asarray(key, np.uint64))


def _candidates(player: Bidder, view: BidView, made: int) -> tuple[tuple[int, float], ...]:
    """Return the call ``made``, then a network's other likely calls, the likeliest first, with probabilities."""
    if not isinstance(player, NetworkBidder):
        return ((made, 1.0),)
    chances = player.probabilities(view)[0]
    order = np.argsort(-chances, kind="stable")[:_MAX_CANDIDATES].tolist()
    likely = [made, *(call for call in order if call != made and chances[call] >= _LEAST)]
    return tuple((call, float(chances[call])) for call in likely)


def _sampled(seat: int, sample: Sample | None) -> SampledDeals | None:
    """Return deals whose N is the seat to call, as they lie at the table."""
    if sample is None:
        return None
    return SampledDeals(seat, ((sample.owner + seat) & 3).astype(np.uint8), sample.weight, _fitting(sample))


def _fitting(sample: Sample) -> float:
    return float(sample.weight @ (sample.violation == 0))


def _choosing(player: CardPlayer, view: PlayView) -> CardPlayer:
    """Return the player that chooses the card, where one declares and another defends."""
    while isinstance(player, Split):
        player = player.declarer if declares(view)[0] else player.defender
    return player


def _expected(
    thought: CardDecision, belief: Belief, view: PlayView
) -> tuple[tuple[tuple[int, float], ...], tuple[float, ...]]:
    """Return the cards considered, the answer first, then the best, with the tricks that the side may expect from here
    on; and the probability that the contract makes after each, double dummy on the sampled deals."""
    best = np.argsort(-thought.average, kind="stable").tolist()
    order = sorted(best, key=lambda at: int(thought.cards[at]) != thought.card)
    tricks, worth = belief.weight @ thought.tricks, Worth(view, 0, belief.owner, TRICKS)
    chances = belief.weight @ (worth.declarers(thought.tricks) >= 6 + worth.level)
    return tuple((int(thought.cards[at]), float(tricks[at])) for at in order), tuple(float(chances[at]) for at in order)


def _legal(card: int, view: PlayView, spec: str) -> int:
    if not 0 <= card < 52 or not view.mask[0, card]:
        raise BidderError(f"{spec} played a card that is not legal: {card}")
    return card
