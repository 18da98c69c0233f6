"""What the rewards of the league are worth: estimated tricks beside exact ones, and what a perfect doubler would win.

    python -m studies.rewards policy:champion --boards 20000

On solved training deals one side draws its calls by their chances, as in a rollout of the league. Where its auction
leaves the likeliest one, both are scored twice: with exact tricks, and with tricks drawn from the estimator.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import NetworkBidder
from agents.networks.tables import Deals, play_on
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.double_dummy.estimator import embedded_estimator, quantile
from bridge_env.scoring import imps
from training.match.boards import library_boards

Points = NDArray[np.int64]


def main() -> None:
    """Print how rewards go together, and what a perfect doubler wins."""
    parser = argparse.ArgumentParser(description="Tell what the rewards of the league are worth.")
    parser.add_argument("player", help="a network, such as policy:champion")
    parser.add_argument("--boards", type=int, default=20000, help="solved training boards (20000)")
    parser.add_argument("--seed", type=int, default=77, help="seed of the boards (77)")
    args = parser.parse_args()
    player = make(args.player)
    if not isinstance(player, NetworkBidder):
        parser.error(f"{args.player} is no network")
    boards = library_boards(args.boards, args.seed, "training")
    exact = Deals.of(boards.owner, boards.tricks, boards.dealer.astype(np.int16), boards.vulnerability.astype(np.int16))
    key = streams.key("rewards", args.seed, np.arange(len(boards)))
    best = _bid(player, exact, np.full(len(boards), -1, np.int8), key)
    side = (np.arange(len(boards)) % 2).astype(np.int8)
    drawn = _bid(player, exact, side, key)
    rows = np.flatnonzero((best.history != drawn.history).any(axis=1))
    one, other = (
        _rewards(deals, best, drawn, side)[rows] for deals in (exact, replace(exact, tricks=_estimated(exact, key)))
    )
    error = (1 - np.corrcoef(one, other)[0, 1] ** 2) / len(rows) ** 0.5
    print(f"auctions that left the likeliest one: {len(rows):,} of {len(boards):,}")
    print(f"reward, exact tricks:     mean {one.mean():+.3f}, deviation {one.std():.2f} IMPs")
    print(f"reward, estimated tricks: mean {other.mean():+.3f}, deviation {other.std():.2f} IMPs")
    print(f"correlation {np.corrcoef(one, other)[0, 1]:.3f} ± {error:.3f}")
    print(f"the same sign where both are not 0: {_agree(one, other):.1%}")
    nobody = np.zeros(len(boards), np.bool_)
    plain, doubled = (exact.points(best, np.arange(len(boards)), what) for what in (nobody, ~nobody))
    lost = np.abs(imps(plain - doubled)).astype(float)
    error = lost.std(ddof=1) / len(lost) ** 0.5
    print(f"a perfect doubler wins {lost.mean():.3f} ± {error:.3f} IMPs a table from both sides,")
    print(f"on {(lost > 0).mean():.1%} of them")


def _bid(player: NetworkBidder, deals: Deals, samples: NDArray[np.int8], key: NDArray[np.uint64]) -> Auctions:
    """Auctions of the player in all seats; the side in ``samples`` (N,) draws its calls, -1 nobody."""
    auctions, everyone = Auctions(deals.dealer, deals.vulnerability), np.arange(len(deals))
    seated = np.zeros((len(deals), 2), np.int8)
    play_on(auctions, deals, everyone, [player.networks.player], seated, samples, key)
    return auctions


def _estimated(deals: Deals, key: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Tricks as the league draws them, int8 (N, 4, 5): a deal's luck is one side's, and so not the other's."""
    luck = streams.uniforms(streams.key(key, "estimated tricks"), 1)
    of_declarer = np.where(np.arange(4) & 1, 1 - luck, luck)
    return quantile(embedded_estimator().distribution(deals.owner), of_declarer[:, :, None])


def _rewards(deals: Deals, best: Auctions, drawn: Auctions, side: NDArray[np.int8]) -> NDArray[np.float64]:
    everyone, nobody = np.arange(len(deals)), np.zeros(len(deals), np.bool_)
    gained: Points = deals.points(drawn, everyone, nobody) - deals.points(best, everyone, nobody)
    return imps(np.where(side == 0, gained, -gained)).astype(float)


def _agree(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    both = (one != 0) & (other != 0)
    return float((np.sign(one) == np.sign(other))[both].mean())


if __name__ == "__main__":
    main()
