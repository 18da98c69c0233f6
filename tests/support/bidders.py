"""Positions to call at, systems, bidders and hands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.systems.changes.mutation import placed, with_lines
from bridge_env.double_dummy.boards import boards_of
from bridge_env.envs.deals import FixedDeals
from bridge_env.hands.deals import parse_hand, random_deals
from bridge_env.hands.features import FEATURES, hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS, REDOUBLE, parse_call


def calls(text: str) -> tuple[int, ...]:
    """``"1C P 2H"`` as calls."""
    return tuple(parse_call(word) for word in text.split())


def positions(count, seed):
    """Views of ``count`` random deals after random legal calls: wild auctions, all seats, no finished rows."""
    rng = np.random.default_rng(seed)
    owner = random_deals(seed, 0, count)
    auctions = Auctions(rng.integers(4, size=count), rng.integers(4, size=count))
    length = np.minimum(rng.geometric(0.08, count) - 1, 60)
    for number in range(int(length.max())):
        rows = np.flatnonzero(length > number)
        mask = auctions.take(rows).legal()
        weight = rng.random(mask.shape) * mask
        weight[:, PASS] += rng.random(len(rows)) * 0.7
        weight[:, 3:] *= np.arange(NUM_CALLS - 3, 0, -1) ** 0.02  # lower bids a little more often
        before = auctions.take(rows)
        before.step(weight.argmax(axis=1))
        rows = rows[~before.done]  # a call that would end the auction is not made
        auctions.state[rows], auctions.history[rows] = before.state[~before.done], before.history[~before.done]
    assert not auctions.done.any()
    return auctions, owner, streams.key("test", seed, np.arange(count))


def longest_auction() -> list[int]:
    """Build the longest legal auction: three passes, then every bid doubled and redoubled late; 319 calls."""
    calls = [PASS] * 3
    for bid in range(NUM_BIDS):
        calls += [FIRST_BID + bid, PASS, PASS, DOUBLE, PASS, PASS, REDOUBLE, PASS, PASS]
    return [*calls, PASS]


ID = "bridge_env:bridge_env/Bidding-v0"
QUIET = {"partner": "pass", "opponents": "pass", "control": "pass"}
# Two deals of the shipped library: East makes twelve tricks at no trump, and North nine in hearts.
SLAM = "N:K96.J53.75.QJ765 AQ7.KQT.932.K943 T54.A9762.KJ6.T2 J832.84.AQT84.A8"
PART = "N:Q63.AQJ876.9.J93 AT87.532.K842.KQ K9.T4.QJ65.A8762 J542.K9.AT73.T54"


def some_deals() -> FixedDeals:
    """Eleven deals with tricks that are made up; some say their dealer and vulnerability."""
    tricks, codes = np.arange(11 * 20).reshape(11, 4, 5) % 14, np.arange(11) % 5 - 1
    return FixedDeals(boards_of(random_deals(3, 0, 11), tricks, codes, codes))


class Unsolved:
    """Deals without tricks, which are solved at once: every declarer takes eight.

    Attributes:
        requests: the size of each request.
    """

    solved = False

    def __init__(self) -> None:
        self.requests: list[int] = []

    def draw(self, key, number):
        return boards_of(random_deals(5, 0, 50)[number % 50])

    def tricks(self, owner):
        return self._found((len(owner), 4, 5))

    def tricks_for(self, owner, declarer, strain):
        return self._found((len(owner),))

    def _found(self, shape):
        found = np.full(shape, 8, np.int8)
        self.requests.append(found.size)
        return found


def boards(count, seed):
    """Deals, and the dealers and vulnerabilities of the first boards."""
    numbers = np.arange(count)
    return random_deals(seed, 0, count), (numbers % 4).astype(np.int16), (numbers // 4 % 4).astype(np.int16)


def line_at(system, address):
    """Return the line at an address, or None."""
    return next((line for at, _, line in placed(system) if at == address), None)


def with_constraint(system, address, constraint):
    """Replace the constraint at an address; return the system unchanged if it has no line there."""
    line = line_at(system, address)
    return system if line is None else with_lines(system, address, (replace(line, constraint=constraint),))


# A small system in which every construction of the language meets the others.
TANGLE = """\
1M    5+ M, M > oM, 11+ hcp
  3oM   4+ oM, 3+ M
  (X)
    XX    10+ hcp
  (lowest:y)
    X     3+ oM
    jump:y 0-2 y, 4+ M
    lowest:N stopper:y
    (P)
      P
  2x    4+ x, x > M or 5+ x
    3y    4+ y, y >= x
    slam:x 4+ x, 14+ hcp
  P     0-5 hcp
    (any)
      X     2+ aces
1m    11+ hcp, m >= om
after 1m-1M
  2M    3+ M, 11-15 support:M
  (2any)
    game:M 4+ M
P     0-10 hcp
(1x)
  X     12+ hcp, 0-2 x
  1y    5+ y, long:y
  (1y)
    2x    5+ x
  (P)
    2N    20+ hcp
when 0-7 last-level
  lowest:x 4+ x, 8+ hcp, 1-2 level
  P
"""

# Calls that force, for a round and to game, with few answers: players are left alone with them.
FORCING = """\
2C    18+ hcp                              ; !gf
1M    5+ M, 11+ hcp
  2m    10+ hcp, 4+ m                      ; !forcing
  lowest:N 6-12 hcp                        ; !forcing
  3m    4+ M, 13+ hcp                      ; !gf
    P     0-14 hcp
  2M    3+ M, 4-9 hcp
1x    11+ hcp, long:x
  1y    4+ y, 6+ hcp                       ; !forcing
    P     0-12 hcp
  jump:y 5+ y, 14+ hcp                     ; !gf
  3x    5+ x, 12+ hcp                      ; !gf
(1x)
  X     12+ hcp                            ; !forcing
    2x    9+ hcp                           ; !gf
  1y    5+ y, 8+ hcp
when forcing-pass, 5+ hcp
  X     2+ in-theirs
  P
when bound, 9+ hcp
  lowest:x long:x, 0-3 theirs:x
when 1+ they-bid, 0 i-bid
  lowest:x 5+ x, 9+ hcp, 1-2 level
when 0-7 last-level
  P
"""

MINE = "AKQ2.T98.J7.A543"


def differ(weights, kinds, others):
    """Return by how many standard deviations frequencies of weighted draws differ from those of ``others``."""
    first = weights.sum() ** 2 / (weights**2).sum()
    size = int(max(kinds.max(), others.max())) + 1
    a, b = np.bincount(kinds, weights=weights, minlength=size) / weights.sum(), np.bincount(others, minlength=size)
    pooled = (a * first + b) / (first + len(others))
    some = pooled * min(first, len(others)) >= 5
    terms = (a - b / len(others))[some] ** 2 / (pooled[some] * (1 / first + 1 / len(others)))
    degrees = max(int(some.sum()) - 1, 1)
    return ((terms.sum() / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / np.sqrt(2 / (9 * degrees))


def holding_mine(count, seed, mine=MINE, seat=2):
    """Random deals in which ``seat`` holds ``mine``, without any of the sampler's code."""
    others = np.flatnonzero(~parse_hand(mine))
    seats = np.repeat([s for s in range(4) if s != seat], 13)
    owner = np.full((count, 52), seat, np.uint8)
    owner[:, others] = np.random.default_rng(seed).permuted(np.tile(seats, (count, 1)), axis=1)
    return owner


def kinds_of(owner, seat):
    """Three ways to sort the hands of a seat: by points, by lengths of the majors, by its spades' honours."""
    f = hand_features(owner == seat)
    majors = f[:, FEATURES["length:H"]] * 14 + f[:, FEATURES["length:S"]]
    return f[:, FEATURES["hcp"]], majors, f[:, FEATURES["top5:H"]] * 6 + f[:, FEATURES["aces"]]
