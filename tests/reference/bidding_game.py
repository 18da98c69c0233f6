"""The rest of an auction as a game with open hands, by trying every call; shares nothing with the agent's.

Slow: for auctions that are nearly at the top. ``naming`` plays by the laws to the end: a strain named in the look-ahead
counts for who declares. Without it a side declares a strain it has not yet named by whoever makes the last bid in it.
"""

from functools import cache

from reference.auction import DOUBLE, ONE_CLUB, PASS, REDOUBLE, SEVEN_NOTRUMP, LawAuction


def value(dealer, calls, leaf, trust, naming=False):
    """What the position after ``calls`` is worth to North-South; ``leaf`` (4, 35, 3) to declarer's side."""
    table = [(call, (dealer + number) % 4) for number, call in enumerate(calls)]

    def declarer(bidder, bid, named):
        strain = (bid - ONE_CLUB) % 5
        for call, seat in named:
            if call >= ONE_CLUB and (call - ONE_CLUB) % 5 == strain and (seat - bidder) % 2 == 0:
                return seat
        return bidder

    def score(bid, bidder, doubling, named):
        if bid is None:
            return 0.0
        seat = declarer(bidder, bid, named)
        worth = float(leaf[seat][bid - ONE_CLUB][doubling])
        return worth if seat % 2 == 0 else -worth

    @cache
    def best(bid, bidder, doubling, passes, seat, named):
        if passes == (4 if bid is None else 3):
            return score(bid, bidder, doubling, named)
        following = (seat + 1) % 4
        passing = best(bid, bidder, doubling, passes + 1, following, named)
        values = [passing]
        if bid is not None and doubling == 0 and (seat - bidder) % 2 == 1:
            values.append(best(bid, bidder, 1, 0, following, named))
        if bid is not None and doubling == 1 and (seat - bidder) % 2 == 0:
            values.append(best(bid, bidder, 2, 0, following, named))
        for higher in range(ONE_CLUB if bid is None else bid + 1, SEVEN_NOTRUMP + 1):
            after = (*named, (higher, seat)) if naming else named
            values.append(best(higher, seat, 0, 0, following, after))
        chosen = max(values) if seat % 2 == 0 else min(values)
        return trust[seat] * chosen + (1 - trust[seat]) * passing

    auction = LawAuction(dealer, list(calls))
    last = auction.last_bid()
    bid, bidder = (None, None) if last is None else (calls[last], (dealer + last) % 4)
    since = calls if last is None else calls[last + 1 :]
    doubling = 2 if REDOUBLE in since else 1 if DOUBLE in since else 0
    passes = 0
    for call in reversed(calls):
        if call != PASS:
            break
        passes += 1
    return best(bid, bidder, doubling, passes, (dealer + len(calls)) % 4, tuple(table))
