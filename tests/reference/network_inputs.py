"""The inputs of a network, slowly and from the words of their table: an oracle for ``agents.networks.inputs``."""

from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE

_POINTS = {12: 4, 11: 3, 10: 2, 9: 1}


def inputs_on(hand, calls, dealer, vulnerability, seat):
    """The set of inputs that are on, as names such as ("card", 51) in the order of the layout's table."""
    cards = [card for card in range(52) if hand[card]]
    names = {("card", card) for card in cards}
    for suit in range(4):
        ranks = [card % 13 for card in cards if card // 13 == suit]
        names.add(("length", suit, len(ranks)))
        names.add(("honours", suit, sum(_POINTS.get(rank, 0) for rank in ranks)))
    names.add(("points", min(31, sum(_POINTS.get(card % 13, 0) for card in cards))))
    us, them = bool(vulnerability & (1 << seat % 2)), bool(vulnerability & (1 << (1 - seat % 2)))
    names.add(("vulnerable", {(False, False): 0, (True, False): 1, (False, True): 2, (True, True): 3}[us, them]))
    names.add(("place", (seat - dealer) % 4))
    callers = [(dealer + i - seat) % 4 for i in range(len(calls))]
    bids = [(call - FIRST_BID, who) for call, who in zip(calls, callers, strict=True) if call >= FIRST_BID]
    opened = next((i for i, call in enumerate(calls) if call >= FIRST_BID), len(calls))
    names |= {("passed", callers[i]) for i in range(opened)}
    last = None
    doubling = 0
    for call, who in zip(calls, callers, strict=True):
        if call >= FIRST_BID:
            last, doubling = call - FIRST_BID, 0
            names.add(("bid", last, who))
        elif call == DOUBLE:
            doubling = 1
            names.add(("doubled", last, who))
        elif call == REDOUBLE:
            doubling = 2
            names.add(("redoubled", last, who))
        else:
            assert call == PASS
    names.add(("last", last if last is not None else 35))
    if bids:
        names.add(("held", bids[-1][1], doubling))
    for who in range(4):
        own = [bid for bid, by in bids if by == who]
        names.add(("newest", who, own[-1] if own else 35))
    names.add(("calls", min(5, callers.count(0))))
    return names


def number(name):
    """The number of an input by its name."""
    kind, *rest = name
    at = {
        "card": lambda c: c, "length": lambda s, n: 52 + 14 * s + n, "points": lambda n: 108 + n,
        "honours": lambda s, n: 140 + 11 * s + n, "vulnerable": lambda v: 184 + v, "place": lambda p: 188 + p,
        "passed": lambda w: 192 + w, "bid": lambda b, w: 196 + 12 * b + w, "doubled": lambda b, w: 200 + 12 * b + w,
        "redoubled": lambda b, w: 204 + 12 * b + w, "last": lambda b: 616 + b, "held": lambda w, d: 652 + 3 * w + d,
        "newest": lambda w, b: 664 + 36 * w + b, "calls": lambda n: 808 + n,
    }  # fmt: skip
    return at[kind](*rest)
