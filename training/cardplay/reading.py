"""Measure what reading the calls of a bidder is worth at the opening lead: in drawn deals, and in the leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deals import AUCTION, believed_deals
from agents.cardplay.montecarlo import solve_cards
from agents.cardplay.registry import make_player
from bridge_env import streams
from bridge_env.features import HCP, LENGTH, hand_features
from bridge_env.play import Plays
from bridge_env.play_view import PlayView, play_view
from bridge_env.scoring import imps, score
from training.match.boards import library_boards
from training.match.match import bid_out, seat_teams

_DRAWN = 100  # deals that tell where a card seems to lie


@dataclass(frozen=True)
class Reading:
    """N opening leads, with the calls read (0) and read otherwise (1)."""

    right: NDArray[np.float64]  # (N, 2), the share of hidden cards that lie where they really do, mean over drawn deals
    points: NDArray[np.float64]  # (N, 2), by how many high-card points the mean of the drawn deals misses a hidden hand
    cards: NDArray[np.float64]  # (N, 2), by how many cards it misses its length in a suit
    tricks: NDArray[np.float64]  # (N, 2), the leader's side's, double dummy after the lead
    imps: NDArray[np.float64]  # (N,), of the first lead against the second

    def rows(self) -> list[tuple[str, float, float, float, float]]:
        """Name, read, read otherwise, mean difference, and the standard error of that."""
        out = []
        told = {"cards right": self.right, "points off": self.points, "cards off": self.cards, "tricks": self.tricks}
        for name, both in told.items():
            out.append((name, *both.mean(axis=0).tolist(), *_mean(both[:, 0] - both[:, 1])))
        return [*out, ("IMPs", float(self.imps.mean()), 0.0, *_mean(self.imps))]


def judge_reading(
    bidder: str,
    beside: str | None,
    player: str,
    count: int,
    seed: int = 1,
    *,
    progress: Callable[[int], object] = lambda boards: None,
) -> Reading:
    """Let all seats bid ``count`` boards by ``bidder``, and ask for the leads. The boards are of the training split.

    Args:
        beside: how calls are read otherwise: as this bidder's; None: not at all.
        player: the spec of a card player.
        seed: of the boards and of the players' chance.
        progress: called with 1 after each board.

    Raises:
        ValueError: a spec that is faulty, or no board that is played.
    """
    boards = library_boards(count, seed, "training")
    auctions = bid_out(*seat_teams(bidder, bidder), boards, seed).take(np.arange(count))  # the first table
    contracts = auctions.contracts()
    played = np.flatnonzero(contracts.bid >= 0)
    if not len(played):
        raise ValueError(f"{bidder} passes all of these boards out; ask for more --boards")
    plays = Plays(boards.owner[played], contracts.declarer[played], contracts.bid[played] % 5)
    contracts = auctions.take(played).contracts()
    view = play_view(plays, contracts, boards.vulnerability[played], auctions.take(played))
    readers = AuctionReader.of_sides(bidder, bidder), AuctionReader.of_sides(beside, beside)
    players = [make_player(player, reader) for reader in readers]
    key = streams.key("reading", seed, boards.number[played])
    guessed, tricks = np.zeros((3, len(played), 2)), np.zeros((len(played), 2))
    leads = np.zeros((len(played), 2), np.int64)
    for row in range(len(played)):
        one, owner = view.take(np.array([row])), plays.owner[row]
        for k, reader in enumerate(readers):
            guessed[:, row, k] = _guessed(one, reader, owner, key[row])
            leads[row, k] = players[k].play(one, key[[row]])[0]
        (exact,) = solve_cards(one, np.array([0]), [owner[None]])
        tricks[row] = exact[0, leads[row]]
        progress(1)
    made = [
        score(contracts.bid, contracts.doubling, contracts.declarer, view.vulnerability, 13 - tricks[:, k].astype(int))
        for k in (0, 1)
    ]
    gain = imps(made[0] - made[1]) * np.where(view.seat & 1, -1, 1)
    right, points, cards = guessed
    return Reading(right, points, cards, tricks, gain.astype(np.float64))


def _guessed(view: PlayView, reader: AuctionReader, owner: NDArray[np.uint8], key: np.uint64) -> tuple[float, ...]:
    """How well drawn deals tell the deal ``owner`` (52,): cards right, points and cards of a suit off."""
    belief = believed_deals(view, 0, reader, _DRAWN, key, AUCTION)
    hidden = np.flatnonzero(~view.hand[0])
    right = belief.weight @ (belief.owner[:, hidden] == owner[hidden])
    points, cards = [], []
    for seat in {0, 1, 2, 3} - {int(view.seat[0])}:
        drawn, true = (hand_features(deals == seat).astype(np.float64) for deals in (belief.owner, owner[None]))
        off = np.abs(belief.weight @ drawn - true[0])
        points.append(off[HCP])
        cards.append(off[LENGTH : LENGTH + 4].mean())
    return float(right.mean()), float(np.mean(points)), float(np.mean(cards))


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
