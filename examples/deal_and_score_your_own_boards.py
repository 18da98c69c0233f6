"""Deal boards that fit a description, bid them, solve them and score them.

    python examples/deal_and_score_your_own_boards.py

South has a weak no trump and North five spades with an opening hand. The last line says how often game makes.
"""

import numpy as np

import agents
from bridge_env.bidders.view import view_of
from bridge_env.double_dummy import ExactDoubleDummy
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.scoring import score
from bridge_env.sampling import KnownCards, hand, sample_deals


def main(count: int = 20):
    """Deal ``count`` boards and bid them with sayc in all seats; return contracts, tricks and North-South's points."""
    shown = {"S": hand(hcp=(12, 14), balanced=True), "N": hand(hcp=(12, 15), S=(5, 6))}
    deals = sample_deals(KnownCards.seen({}), shown, count, streams.key("my boards")).owner
    auctions = Auctions(np.full(count, 2, np.int16), np.zeros(count, np.int16))  # South deals, nobody is vulnerable
    sayc = agents.make("system:sayc")
    while not auctions.done.all():
        rows = np.flatnonzero(~auctions.done)
        auctions.step(sayc.bid(view_of(auctions, deals, rows), np.zeros(len(rows), np.uint64)), rows)
    bid, doubling, declarer = auctions.contracts()
    played = declarer >= 0
    tricks = np.zeros(count, np.int8)
    tricks[played] = ExactDoubleDummy().tricks_for(deals[played], declarer[played], bid[played] % 5)
    return auctions.contracts(), tricks, score(bid, doubling, declarer, 0, tricks)


if __name__ == "__main__":
    contracts, tricks, points = main()
    for row, (taken, worth) in enumerate(zip(tricks, points, strict=True)):
        print(f"{contracts.at(row)!s:<12} {taken:>2} tricks {worth:>6}")
    print(f"{np.mean(points >= 400):.0%} of the boards are games that make")
