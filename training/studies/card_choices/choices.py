"""Ask card players for a card at the same decisions, and value each card double dummy on the true deal.

Boards are bid by a system and played by one player; decisions after the opening lead are drawn from their play. What a
player did not know then is in the true deal, so on average over decisions a card that is worth more there was chosen
better. It is far less noisy than a match: both players stand before the same cards, and most of their cards are equal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.montecarlo import several, solve_cards
from agents.cardplay.registry import make_player
from agents.cardplay.table import declares
from agents.cardplay.whole import play_out
from bridge_env import streams
from bridge_env.auction import Auctions, Contracts
from bridge_env.play import Plays
from bridge_env.play_view import PlayView, play_view
from bridge_env.scoring import imps, score
from training.match.boards import Boards, library_boards
from training.match.match import play

PLAYED_BY = "montecarlo?deals=10&lead=solved"
"""Who plays the boards on which the decisions come up."""
LAST = 36  # cards played before the last decision that is drawn: nine tricks
_TOGETHER = 20  # decisions between two lines of progress


@dataclass(frozen=True)
class Choices:
    """The cards of one player at some decisions.

    Attributes:
        player: its spec.
        cards: int8 (N,).
        tricks: int8 (N,), what they take from there on, double dummy on the true deal.
        points: int64 (N,), the score of the board for the side that plays.
        seconds: of the processor.
    """

    player: str
    cards: NDArray[np.int8]
    tricks: NDArray[np.int8]
    points: NDArray[np.int64]
    seconds: float

    def over(self, other: Choices) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count tricks and IMPs more than another player's, int64 (N,) each."""
        return self.tricks.astype(np.int64) - other.tricks, imps(self.points - other.points).astype(np.int64)


def choices(
    specs: Sequence[str],
    boards: int,
    each: int,
    seed: int,
    system: str = "system:sayc",
    played_by: str = PLAYED_BY,
    progress: Callable[[str, int, int], object] = lambda player, done, of: None,
) -> list[Choices]:
    """Ask players, by spec, at up to ``each`` decisions of each of ``boards`` boards of the training split.

    Args:
        system: bids at all four seats.
        played_by: the player who plays the boards on which the decisions come up.
        progress: called with the player asked, the decisions done, and how many there are.

    Raises:
        ValueError: a spec names nothing, or there is no decision.
    """
    dealt = library_boards(boards, seed, "training")
    view, owner = decisions(dealt, each, seed, system, played_by)
    keys = streams.key("choice", seed, np.arange(len(view)))
    truth = np.concatenate(solve_cards(view, np.arange(len(view)), list(owner[:, None])))
    out = []
    for spec in specs:
        player, cards = make_player(spec, AuctionReader.of_sides(system, system)), []
        began = time.process_time()
        for start in range(0, len(view), _TOGETHER):
            progress(spec, start, len(view))
            rows = np.arange(start, min(start + _TOGETHER, len(view)))
            cards.append(player.play(view.take(rows), keys[rows]))
        seconds = time.process_time() - began
        chosen = np.concatenate(cards)
        tricks = truth[np.arange(len(view)), chosen]
        out.append(Choices(spec, chosen, tricks, _points(view, tricks), seconds))
    return out


def decisions(dealt: Boards, each: int, seed: int, system: str, played_by: str) -> tuple[PlayView, NDArray[np.uint8]]:
    """Draw decisions with a choice after the opening lead: as the players see them, and their deals uint8 (N, 52).

    Raises:
        ValueError: there is none, or more than ``LAST`` are wanted of a board.
    """
    if each > LAST:
        raise ValueError(f"of a board at most {LAST} decisions can be drawn, not {each}")
    bid = play(system, system, dealt, seed).tables[0]
    played = np.flatnonzero(bid.contracts.bid >= 0)
    dealt, contracts = dealt.take(played), Contracts(*(part[played] for part in bid.contracts))
    auctions = Auctions.replay(bid.history[played], dealt.dealer, dealt.vulnerability)
    plays = Plays(dealt.owner, contracts.declarer, contracts.bid % 5)
    player = make_player(played_by, AuctionReader.of_sides(system, system))
    seats = np.zeros((len(dealt), 4), np.int64)
    play_out(
        plays, contracts, dealt.vulnerability, auctions, [player], seats, streams.key("choices", seed, dealt.number)
    )
    rng = np.random.default_rng([seed, 17])
    row = np.repeat(np.arange(len(dealt)), each)
    number = np.concatenate([rng.choice(np.arange(1, LAST + 1), each, replace=False) for _ in range(len(dealt))])
    history = np.where(np.arange(52) < number[:, None], plays.history[row], -1)
    contracts = Contracts(*(part[row] for part in contracts))
    before = Plays.replay(dealt.owner[row], contracts.declarer, contracts.bid % 5, history)
    view = play_view(before, contracts, dealt.vulnerability[row], auctions.take(row))
    at = np.flatnonzero(several(view))
    if not at.size:
        raise ValueError("no card was to be chosen on these boards; take more of them, or more decisions of each")
    return view.take(at), dealt.owner[row[at]]


def _points(view: PlayView, tricks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Score the board for the side that plays, if it takes ``tricks`` from here on."""
    ours, gone = declares(view), view.length // 4
    total = np.where(ours, view.won + tricks, 13 - (gone - view.won) - tricks)
    points = score(view.bid, view.doubling, view.declarer, view.vulnerability, total).astype(np.int64)
    return np.where(view.seat % 2 == 0, points, -points)
