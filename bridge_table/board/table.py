"""One board at the table: its seats, calls and cards, and what may happen next by the rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.registry import make_player
from bridge_env.bidders.errors import legal_calls
from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.bidders.view import BidView, view_of
from bridge_env.double_dummy.positions import card_tricks
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import Contract, call_text
from bridge_env.rules.cards import SEATS, card_text
from bridge_env.rules.play import Plays
from bridge_table.board.dealing import Deal
from bridge_table.board.seating import bidder_at
from bridge_table.http.requests import RequestError

BIDDING, BID, PLAYING, OVER = "bidding", "bid", "playing", "over"


@dataclass(frozen=True)
class Setup:
    """How a board is set up."""

    people: tuple[int, ...]  # the seats that people hold
    north_south: str  # spec of the bidder; on a person's side of partner, and for reading the person's calls
    east_west: str  # the same
    control: str  # the spec of the pair that holds the people's seats at the other table
    player: str = "montecarlo"  # card player of the other seats
    # the specs of both sides at the other table; None: the control pair and the people's opponents
    other: tuple[str, str] | None = None
    replay: bool = False  # a board that two systems bid, shown to people; it is no result of theirs

    @property
    def specs(self) -> tuple[str, str]:
        """The specs of North-South and of East-West."""
        return self.north_south, self.east_west

    @property
    def side(self) -> int:
        """The side of the result: the people's, 0 where nobody sits."""
        return self.people[0] & 1 if self.people else 0


@dataclass
class Table:
    """A board in progress. Everything follows from the deal, the calls and the cards."""

    name: str
    setup: Setup
    deal: Deal
    calls: list[int] = field(default_factory=list)
    cards: list[int] = field(default_factory=list)
    phase: str = BIDDING  # bidding; bid (the auction is over, nothing was shown); playing; over (everything is shown)
    claimed: int | None = None  # tricks of declarer's side that ended the play early
    helped: int = 0  # hints, calls or cards taken back, and claims that were refused
    review: dict[str, Any] | None = None  # once it is over
    counts: bool | None = None  # whether it is a result of the session, once its review was seen

    @property
    def at(self) -> int:
        """The number of calls and cards so far."""
        return len(self.calls) + len(self.cards)

    @property
    def auctions(self) -> Auctions:
        return one_auction(self.calls, self.deal.dealer, self.deal.vulnerability)

    @property
    def contract(self) -> Contract:
        """Final once the auction is over."""
        return self.auctions.contracts().at(0)

    @property
    def plays(self) -> Plays:
        contract = self.contract
        history = np.full((1, 52), -1, np.int8)
        history[0, : len(self.cards)] = self.cards
        plays = Plays.replay(self.deal.owner[None], contract.declarer, max(contract.strain, 0), history)
        if self.claimed is not None:
            plays.claim(self.claimed)
        return plays

    def turn(self) -> int | None:
        """Return the hand that the next call or card comes from."""
        if self.phase == BIDDING:
            return int(self.auctions.turn[0])
        return int(self.plays.turn[0]) if self.phase == PLAYING else None

    def chooser(self) -> int | None:
        """Return the seat of the person who chooses it; None where a bidder or a player does."""
        turn = self.turn()
        if turn is None or self.phase == BIDDING:
            return turn if turn in self.setup.people else None
        decider = int(self.plays.decider[0])
        if decider in self.setup.people:
            return decider
        declarer = self.contract.declarer
        # A person whose partner declares takes declarer's place: dummy has nothing to do.
        return declarer ^ 2 if decider == declarer and declarer ^ 2 in self.setup.people else None

    def visible(self, seat: int | None) -> list[bool]:
        """Return which of the dealt hands ``seat`` may see, N E S W; None: a spectator of a table without people."""
        if self.phase == OVER or seat is None:
            return [True] * 4
        out = [hand == seat for hand in range(4)]
        if self.phase == PLAYING and self.cards:
            dummy = self.contract.declarer ^ 2
            out[dummy] = True
            if seat == dummy and dummy ^ 2 not in self.setup.people:
                out[dummy ^ 2] = True  # a person in dummy's seat plays for a declarer who is no person
        return out

    def call(self, seat: int | None, call: int, at: int) -> None:
        """Make a person's call."""
        self._expect(seat, at, BIDDING)
        self._make(call)

    def begin_with(self, calls: list[int]) -> None:
        """Begin with calls made elsewhere, so that the result counts as helped; raise ``IllegalCall`` where one is not
        legal.
        """
        for call in calls:
            if self.phase != BIDDING:
                raise RequestError(f"{call_text(call)} comes after the end of the auction.")
            self._make(call)
            self.helped = 1

    def view(self) -> BidView:
        """Return what the seat to call knows."""
        return view_of(self.auctions, self.deal.owner[None])

    def key(self, number: int, what: str = "call") -> NDArray[np.uint64]:
        """Return the random stream of a call or card; it depends on the cards and its number."""
        return streams.key("table", what, self.deal.number, int(self.deal.owner.astype(np.int64) @ _WEIGHTS),
                           np.array([number]))  # fmt: skip

    def _make(self, call: int) -> None:
        auctions = self.auctions
        auctions.step(call)
        self.calls.append(call)
        if auctions.done[0]:
            self.phase = BID if self.calls and not self.contract.passed_out else OVER

    def step(self, at: int) -> None:
        """Make the call or play the card of the bidder or player to go on, ``at`` calls and cards having been seen;
        raise ``RequestError`` where it is nobody's turn, ``BidderError`` where it fails and the table stays as it is.
        """
        if self.phase not in (BIDDING, PLAYING):
            raise RequestError("It is nobody's turn.", 409)
        if self.chooser() is not None:
            raise RequestError(f"It is for the person at {SEATS[self.chooser() or 0]} to go on.", 409)
        self._expect_at(at)
        setup = self.setup
        if self.phase == PLAYING:
            make: Callable[[int], None] = self._play_card
            player = make_player(setup.player, AuctionReader.of_sides(*setup.specs))
            choice: NDArray[np.integer[Any]] = player.play(self.play_view(), self.key(len(self.cards), "card"))
        else:
            make, seat = self._make, int(self.auctions.turn[0])
            bidder = bidder_at(*setup.specs, seat)
            choice = legal_calls(bidder, self.view(), self.key(len(self.calls)))
        self._expect_at(at)  # a later request may have been quicker than a slow bidder
        make(int(choice[0]))

    def play(self) -> None:
        if self.phase != BID:
            raise RequestError("The play begins when the auction is over, and before the hands are shown.", 409)
        self.phase = PLAYING

    def show(self) -> None:
        """End the board after the auction, and show everything."""
        if self.phase == BIDDING:
            raise RequestError("The hands are shown when the auction is over.", 409)
        if self.phase == PLAYING and self.cards:
            self.claimed = self.best_for_declarer(self.plays)  # tricks won and lost stay; the rest is double dummy
        self.phase = OVER

    def play_view(self) -> PlayView:
        """Return what the player to choose knows."""
        auctions = self.auctions
        return play_view(self.plays, auctions.contracts(), np.array([self.deal.vulnerability], np.int16), auctions)

    def card(self, seat: int | None, card: int, at: int) -> None:
        """Play a person's card, from the hand whose turn it is."""
        self._expect(seat, at, PLAYING)
        self._play_card(card)

    def _play_card(self, card: int) -> None:
        plays = self.plays
        if not plays.legal()[0, card]:
            raise RequestError(f"{card_text(card)} cannot be played now.")
        plays.step(card)
        self.cards.append(card)
        if plays.done[0]:
            self.phase = OVER

    def claim(self, seat: int | None, tricks: int) -> None:
        """Claim ``tricks`` of those that are left for the claimer's side. It is accepted if double dummy allows it."""
        if self.phase != PLAYING or seat not in self.setup.people:
            raise RequestError("A claim is for a person at the table, in the play.", 409)
        plays = self.plays
        left = 13 - int(plays.tricks[0])
        if not 0 <= tricks <= left:
            raise RequestError(f"{tricks} tricks cannot be claimed; {left} are left.")
        declares = (seat ^ self.contract.declarer) & 1 == 0
        best = self.best_for_declarer(plays)
        if tricks > (best if declares else left - best):
            self.helped += 1  # that shows something of the hidden hands
            raise RequestError(
                "The other side does not agree: the best play does not leave you so many. The board counts as helped.",
                409,
            )
        self.claimed = tricks if declares else left - tricks
        self.phase = OVER

    def best_for_declarer(self, plays: Plays) -> int:
        """Return how many of the tricks left declarer's side takes double dummy."""
        start = len(self.cards) & ~3
        trick = np.full((1, 3), -1, np.int8)
        trick[0, : len(self.cards) - start] = self.cards[start:]
        best = int(card_tricks(plays.left, plays.strain, plays.leader, trick).max())
        declares = (int(plays.turn[0]) ^ self.contract.declarer) & 1 == 0
        return best if declares else 13 - int(plays.tricks[0]) - best

    def undo(self, seat: int | None) -> None:
        """Take back the latest call or card that a person chose, and what came after it."""
        if seat not in self.setup.people:
            raise RequestError("Only a person at the table may take back.", 409)
        if self.phase == OVER:
            raise RequestError("The hands have been shown; nothing can be taken back.", 409)
        if self.phase != PLAYING:
            own = [k for k in range(len(self.calls)) if (self.deal.dealer + k) & 3 in self.setup.people]
            if not own:
                raise RequestError("No call of yours can be taken back.", 409)
            del self.calls[own[-1] :]
            self.phase = BIDDING
        else:
            before = list(self.cards)
            while self.cards and (len(self.cards) == len(before) or self.chooser() is None):
                self.cards.pop()
            if self.chooser() is None or not before:
                self.cards = before
                raise RequestError("No card of yours can be taken back.", 409)
        self.helped += 1

    def _expect(self, seat: int | None, at: int, phase: str) -> None:
        what = "call" if phase == BIDDING else "card"
        if self.phase != phase:
            raise RequestError(f"No {what} can be made now: the board is {self.phase}.", 409)
        if seat is None or seat not in self.setup.people or seat != self.chooser():
            raise RequestError(f"It is not for you to {what if what == 'call' else 'play'} now.", 409)
        self._expect_at(at)

    def _expect_at(self, at: int) -> None:
        if at != self.at:
            raise RequestError("The table has moved on; request its state again.", 409)


_WEIGHTS = np.arange(1, 53, dtype=np.int64) ** 3
