"""The compiled engine against a slow reading of the tree, and what calls show against the hands that made them."""

from __future__ import annotations

import numpy as np
import pytest
from reference.hierarchy import Tree
from reference.hierarchy import hand_features as slow_features

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder, bid_out, deal_features
from agents.hierarchy.text import parse_system
from agents.registry import make_system, read_system
from agents.wire import read_states
from bridge_env.auction import Auctions
from bridge_env.calls import CALL_NAMES, call_text, parse_call
from bridge_env.cards import SEATS, hand_text, random_deals
from bridge_env.features import FEATURES, hand_features
from bridge_env.view import view_of

SHORT = {call: "P" if call == 0 else call_text(call).replace("NT", "N") for call in range(38)}


@pytest.fixture(scope="module")
def sayc():
    return make_system("sayc")


def boards(count, seed):
    """Deals, and the dealers and vulnerabilities of the first boards."""
    numbers = np.arange(count)
    return random_deals(seed, 0, count), (numbers % 4).astype(np.int16), (numbers // 4 % 4).astype(np.int16)


def prefixes(auctions):
    """For every length the rows that are longer, and the auctions cut to it."""
    for length in range(int(auctions.length.max())):
        rows = np.flatnonzero(auctions.length > length)
        history = auctions.history[rows, :length]
        yield rows, Auctions.replay(history, auctions.dealer[rows], auctions.vulnerability[rows])


# --- features ----------------------------------------------------------------------------------------------


def test_features_are_those_of_the_slow_count():
    held = random_deals(3, 0, 400) == 0
    columns = {name.replace("length:", "").replace("suit_hcp", "hcp"): i for name, i in FEATURES.items()}
    for row, hand in zip(hand_features(held), held, strict=True):
        slow = slow_features(hand_text(hand))
        fast = {word: int(row[columns[word]]) for word in slow if word in columns}
        assert fast == {word: n for word, n in slow.items() if word in columns}


# --- the tree ----------------------------------------------------------------------------------------------

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


def assert_engine_reads_the_tree(bidder, auctions, owner):
    """At every turn of ``auctions``, with hands of ``owner``: the oracle's call by the oracle's line."""
    tree, compiled = Tree(bidder.own.system), bidder.own.compiled
    tree_rules = int(compiled.nodes[:, 1].max())
    inside = 0
    for rows, so_far in prefixes(auctions):
        view = view_of(so_far, owner[rows])
        calls, rules, _ = bidder.decide(view)
        for i in range(len(rows)):
            legal = {SHORT[c] for c in np.flatnonzero(view.mask[i])}
            expected = tree.call([SHORT[c] for c in so_far.calls(i)], legal, hand_text(view.hand[i]))
            if expected is None:
                assert rules[i] < 0 or rules[i] >= tree_rules
            else:
                call, line = expected
                assert (SHORT[int(calls[i])], compiled.rules[rules[i], 5]) == (call, line.number), so_far.text(i)
                assert rules[i] < tree_rules
                inside += 1
    return inside


def test_sayc_bids_what_its_lines_say(sayc):
    owner, dealer, vulnerability = boards(250, seed=21)
    auctions = bid_out((sayc.own,) * 4, deal_features(owner), dealer, vulnerability)
    assert assert_engine_reads_the_tree(sayc, auctions, owner) > 800
    # Hands that never made these calls reach lines that follow them seldom.
    assert assert_engine_reads_the_tree(sayc, auctions, random_deals(22, 0, 250)) > 500


def test_every_construction_of_the_language():
    tangle = HierarchyBidder(Hierarchy(parse_system(TANGLE, name="tangle")))
    owner, dealer, vulnerability = boards(400, seed=23)
    auctions = bid_out((tangle.own,) * 4, deal_features(owner), dealer, vulnerability)
    assert assert_engine_reads_the_tree(tangle, auctions, random_deals(24, 0, 400)) > 800


def test_after_random_calls_too(sayc):
    owner, dealer, vulnerability = boards(60, seed=25)
    auctions, chance = Auctions(dealer, vulnerability), np.random.default_rng(5)
    while not auctions.done.all():
        cheap = auctions.legal() & (np.arange(38) < np.where(auctions.length < 6, 14, 1)[:, None])
        cheap[auctions.done] = np.arange(38) == 0
        auctions.step(np.array([chance.choice(np.flatnonzero(row)) for row in cheap]))
    assert assert_engine_reads_the_tree(sayc, auctions, owner) > 60


def test_the_kernel_bids_as_the_bidders_do_one_round_at_a_time(sayc):
    other = Hierarchy(parse_system(TANGLE, name="tangle"))
    owner, dealer, vulnerability = boards(500, seed=31)
    seats = (sayc.own, other, other, sayc.own)
    quick = bid_out(seats, deal_features(owner), dealer, vulnerability)
    theirs = [tuple(seats[seat] for seat in range(4) if (seat ^ me) & 1) for me in range(4)]
    players = [HierarchyBidder(seats[me], seats[me ^ 2], theirs[me]) for me in range(4)]
    slow = Auctions(dealer, vulnerability)
    while not slow.done.all():
        for seat, player in enumerate(players):
            rows = np.flatnonzero(~slow.done & (slow.turn == seat))
            slow.step(player.bid(view_of(slow, owner, rows), np.zeros(len(rows), np.uint64)), rows)
    assert (quick.history == slow.history).all()
    assert (quick.state == slow.state).all()
