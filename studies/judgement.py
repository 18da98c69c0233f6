"""Where judgement is worth most: a system bids, and in one kind of position a network by its book decides instead.

    python -m studies.judgement policy:by-the-book --boards 20000

The gain of every kind is against the system alone, on the same training boards and against the same strangers. Kinds
overlap; their gains do not add up, since later calls lean on earlier ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import NetworkBidder
from agents.networks.book import BY_GENERAL, BY_LINE, Asked, ByBook
from bridge_env.bidders import make
from bridge_env.calls import DOUBLE, FIRST_BID, PASS
from bridge_env.view import BidView
from training.match.boards import library_boards
from training.match.match import play

STRANGERS = ("policy:two-over-one", "policy:acol", "policy:standard")
Rows = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Position:
    """What kinds are told by: bool (N,) each, and int8 (N,) calls of the system and of the network."""

    we_opened: Rows
    i_bid: Rows
    partner_bid: Rows
    they_bid: Rows
    general: Rows
    line: Rows
    system: NDArray[np.int8]
    network: NDArray[np.int8]


#: Kinds of positions, and which rows are of the kind.
KINDS: dict[str, Callable[[Position], Rows]] = {
    "all": lambda p: np.ones(len(p.system), np.bool_),
    "openings": lambda p: ~(p.i_bid | p.partner_bid | p.they_bid),
    "first responses, they pass": lambda p: p.we_opened & ~p.they_bid & ~p.i_bid & p.partner_bid,
    "later calls, they pass": lambda p: p.we_opened & ~p.they_bid & p.i_bid,
    "we opened, they came in": lambda p: p.we_opened & p.they_bid,
    "they opened, our first call": lambda p: p.they_bid & ~p.we_opened & ~p.i_bid & ~p.partner_bid,
    "they opened, later calls": lambda p: p.they_bid & ~p.we_opened & (p.i_bid | p.partner_bid),
    "a line of the tree would call": lambda p: p.line,
    "a general rule would call": lambda p: p.general,
    "a general rule would call, and they have bid": lambda p: p.general & p.they_bid,
    "the system passes, the network acts": lambda p: (p.system == PASS) & (p.network != PASS),
    "the system acts, the network passes": lambda p: (p.system != PASS) & (p.network == PASS),
    "either doubles": lambda p: (p.system == DOUBLE) | (p.network == DOUBLE),
}


def main() -> None:
    """Print the gain of each kind."""
    parser = argparse.ArgumentParser(description="Tell in which kinds of positions a network gains over its system.")
    parser.add_argument("player", help="a network that bids by a book, such as policy:by-the-book")
    parser.add_argument("--boards", type=int, default=20000, help="training boards against each stranger (20000)")
    parser.add_argument("--seed", type=int, default=77, help="seed of the boards (77)")
    args = parser.parse_args()
    player = make(args.player)
    if not isinstance(player, NetworkBidder) or not isinstance(player.networks.player, ByBook):
        parser.error(f"{args.player} bids by no book")
    boards = library_boards(args.boards, args.seed, "training")
    alone = [play(Mixed(player, None), make(name), boards).imps.astype(float) for name in STRANGERS]
    for name, kind in KINDS.items():
        mixed = Mixed(player, kind)
        games = [play(mixed, make(stranger), boards).imps.astype(float) for stranger in STRANGERS]
        gain = np.mean([game - before for game, before in zip(games, alone, strict=True)], axis=0)
        error = gain.std(ddof=1) / len(gain) ** 0.5
        departures = mixed.left / (2 * len(STRANGERS) * len(boards))
        print(f"{name:45} {gain.mean():+.3f} ± {error:.3f}   {departures:.2f} other calls a table", flush=True)


class Mixed:
    """A bidder that bids by the book of a network, and as the network does in one kind of position."""

    def __init__(self, player: NetworkBidder, kind: Callable[[Position], Rows] | None) -> None:
        self.bidder, self.kind, self.left = player, kind, 0

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """The calls of a batch of views, int8 (N,)."""
        by_book = self.bidder.networks.player
        assert isinstance(by_book, ByBook)
        look = by_book.book.look(Asked.of_view(view))
        if self.kind is None:
            return look.call
        network = self.bidder.bid(view, key)
        chosen = self.kind(_position(view, look.made_by, look.call, network))
        self.left += int((chosen & (network != look.call)).sum())
        return np.where(chosen, network, look.call).astype(np.int8)


def _position(
    view: BidView, made_by: NDArray[np.int8], system: NDArray[np.int8], network: NDArray[np.int8]
) -> Position:
    number = np.arange(view.history.shape[1])
    acts = (view.history > PASS) & (number < view.length[:, None])
    mine = ((view.dealer[:, None] + number - view.seat[:, None]) & 3)[:, : acts.shape[1]]
    bids = np.pad(acts & (view.history >= FIRST_BID), ((0, 0), (0, 1)))  # a column more, for auctions without a bid
    first = bids.argmax(axis=1)
    ours = ((view.dealer + first - view.seat) & 1) == 0
    they = (acts & (mine % 2 == 1)).any(axis=1)
    return Position(
        ours & bids.any(axis=1), (acts & (mine == 0)).any(axis=1), (acts & (mine == 2)).any(axis=1), they,
        made_by == BY_GENERAL, made_by == BY_LINE, system, network,
    )  # fmt: skip


if __name__ == "__main__":
    main()
