"""The Laws of the auction, read slowly: lists and loops, nothing shared with ``bridge_env.rules.auction``.

This is the oracle. It holds the list of calls and computes everything from the start each time.
Calls are numbers: Pass 0, X 1, XX 2, bids 3 (1C) to 37 (7NT).
"""

PASS, DOUBLE, REDOUBLE, ONE_CLUB, SEVEN_NOTRUMP = 0, 1, 2, 3, 37


class LawAuction:
    """One auction: the dealer (0..3) and the calls in order."""

    def __init__(self, dealer: int, calls: list[int] | None = None) -> None:
        self.dealer = dealer
        self.calls: list[int] = [] if calls is None else calls

    def seat_of(self, number: int) -> int:
        """Law 17: the dealer calls first, then each player in clockwise rotation."""
        seat = self.dealer
        for _ in range(number):
            seat = 0 if seat == 3 else seat + 1
        return seat

    def turn(self) -> int:
        return (self.dealer + len(self.calls)) % 4

    def ended(self) -> bool:
        """Law 22: four passes and no bid, or three passes in rotation after any other call."""
        if self.calls == [PASS] * 4:
            return True
        return self.calls[-3:] == [PASS] * 3 and self.last_bid() is not None

    def last_bid(self) -> int | None:
        """Return the place of the last bid in the auction."""
        for number in range(len(self.calls) - 1, -1, -1):
            if self.calls[number] >= ONE_CLUB:
                return number
        return None

    def last_call_not_pass(self) -> int | None:
        for number in range(len(self.calls) - 1, -1, -1):
            if self.calls[number] != PASS:
                return number
        return None

    def legal(self) -> list[int]:
        """Every call that the player in turn may make, in increasing order; Pass alone when all is over."""
        if self.ended():
            return [PASS]
        bid = self.last_bid()
        if bid is None:
            return [PASS, *range(ONE_CLUB, SEVEN_NOTRUMP + 1)]
        last = self.last_call_not_pass()
        assert last is not None
        made_by_opponents = (len(self.calls) - last) % 2 == 1
        allowed = [PASS]
        if last == bid and made_by_opponents:  # Law 19A: the last call other than pass is an opponent's bid
            allowed.append(DOUBLE)
        if self.calls[last] == DOUBLE and made_by_opponents:  # Law 19B: ... is an opponent's double
            allowed.append(REDOUBLE)
        allowed.extend(range(self.calls[bid] + 1, SEVEN_NOTRUMP + 1))  # Law 18: a bid supersedes lower ones
        return allowed

    def contract(self) -> tuple[int, int, int]:
        """(bid 0..34, doubling 0..2, declarer), or (-1, 0, -1): declarer is the first of the side to bid the strain."""
        number = self.last_bid()
        if number is None:
            return -1, 0, -1
        bid = self.calls[number] - ONE_CLUB
        doubling = 0
        for call in self.calls[number:]:
            if call == DOUBLE:
                doubling = 1
            if call == REDOUBLE:
                doubling = 2
        side = self.seat_of(number) % 2
        for earlier, call in enumerate(self.calls):
            if call >= ONE_CLUB and (call - ONE_CLUB) % 5 == bid % 5 and self.seat_of(earlier) % 2 == side:
                return bid, doubling, self.seat_of(earlier)
        raise AssertionError("the last bid itself names the strain")
