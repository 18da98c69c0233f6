"""Nobody passes what the side must go on with: the words for it, and that no system passes out a forcing auction."""

import numpy as np
import pytest
from support.bidders import FORCING, boards

from agents.registry import make_system
from agents.systems.bidder import Hierarchy, HierarchyBidder, bid_out, deal_features, seen_rows
from agents.systems.engine.compiled import FLAG_BITS, RULE_FLAGS
from agents.systems.explain.explain import explain
from agents.systems.explain.position import rules_for
from agents.systems.language.text import parse_system
from agents.systems.language.vocabulary import WORDS
from agents.text_api import read_states
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import random_deals
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_text, parse_call

GAME = {0: 20, 1: 21, 2: 17, 3: 18, 4: 14}  # the game bid of each strain, as a bid 0..34


def made_by(bidder, auctions, owner):
    """The flags of the rule that made each call, int (N, calls): by the hand, not as the table reads it."""
    flags = np.zeros(auctions.history.shape, np.int64)
    for at in range(int(auctions.length.max())):
        rows = np.flatnonzero(auctions.length > at)
        so_far = Auctions.replay(auctions.history[rows, :at], auctions.dealer[rows], auctions.vulnerability[rows])
        _, rules, _ = bidder.decide(view_of(so_far, owner[rows]))
        flags[rows, at] = np.where(rules >= 0, bidder.own.compiled.rules[rules, RULE_FLAGS], 0)
    return flags


def passed_out(calls, flags):
    """How an auction, dealer first, ends against what its own calls forced; empty if it does not."""
    last = len(calls) - 4  # the last call that was no pass
    bids = [at for at, call in enumerate(calls) if call > 2]
    if not bids or calls[last] == parse_call("7N"):
        return ""
    bid, doubled = calls[bids[-1]] - 3, calls[last] if calls[last] < 3 else 0
    declares, game = bids[-1] % 2, bid >= GAME[bid % 5]
    if flags[last] & FLAG_BITS["forcing"] and doubled != 1:
        return "a forcing call"
    for at, flag in enumerate(flags):
        ours = at % 2 == declares
        if flag & FLAG_BITS["gf"] and ours and not game and doubled < 2:
            return "below game"
        if flag & FLAG_BITS["gf"] and not ours and not doubled:
            return "their contract, undoubled"
    return ""


def bid_all(bidder, count, seed):
    """Auctions with the system in every seat, and the flags of the rules that made their calls, in order."""
    owner, dealer, vulnerability = boards(count, seed)
    auctions = bid_out((bidder.own,) * 4, deal_features(owner), dealer, vulnerability)
    flags = made_by(bidder, auctions, owner)
    return auctions, flags


def is_read_as(bidder, auctions, row, flag):
    """Does partner read the call before the last three passes as one with this flag, by the lines that can make it?"""
    at = int(auctions.length[row]) - 4
    so_far = Auctions.replay(auctions.history[[row], :at], auctions.dealer[[row]], auctions.vulnerability[[row]])
    view = view_of(so_far, np.zeros((1, 52), np.uint8))
    return any(flag in rule.line.flags for rule in rules_for(bidder, view, int(auctions.history[row, at])))


def assert_nobody_passes_out(bidder, auctions, flags):
    wrong = []
    for row in range(len(auctions)):
        end = passed_out(auctions.calls(row), flags[row, : auctions.length[row]])
        # A general rule may borrow a call that means something else in the tree: partner goes by the tree.
        if end and (end != "a forcing call" or is_read_as(bidder, auctions, row, "forcing")):
            wrong.append((auctions.text(row), end))
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("name", ["sayc", "two-over-one"])
def test_no_forcing_auction_is_passed_out(name):
    bidder = make_system(name)
    auctions, flags = bid_all(bidder, 6_000, seed=2024)
    assert_nobody_passes_out(bidder, auctions, flags)
    assert ((flags & FLAG_BITS["forcing"]) > 0).any(axis=1).sum() > 1200
    assert ((flags & FLAG_BITS["gf"]) > 0).any(axis=1).sum() > 300


def test_a_system_without_answers_goes_on_all_the_same():
    bidder = HierarchyBidder(Hierarchy(parse_system(FORCING, name="forcing")))
    auctions, flags = bid_all(bidder, 4000, seed=7)
    assert_nobody_passes_out(bidder, auctions, flags)
    assert ((flags & FLAG_BITS["gf"]) > 0).any(axis=1).sum() > 200
    assert auctions.length.max() <= 40


def words_after(text, auction, *words):
    """The values of words for the seat to call, all four seats playing ``text``."""
    hierarchy, numbers = Hierarchy(parse_system(text)), [parse_call(call) for call in auction.split()]
    features, zero = deal_features(random_deals(1, 0, 1)), np.zeros(1, np.int64)
    calls, length = np.array([numbers], np.int8), np.array([len(numbers)])
    rows, _ = seen_rows((hierarchy,) * 4, features, zero, zero.astype(np.int16), zero.astype(np.int16), calls, length)
    return tuple(int(rows[0, WORDS[word]]) for word in words)


FORCES = """\
1D    12+ hcp
1C    12+ hcp                              ; !forcing
  1H    0+ hcp                             ; !gf
1N    15+ hcp
  2N    0-9 hcp
  3N    10+ hcp
(1x)
  X     12+ hcp                            ; !forcing
"""


@pytest.mark.parametrize(
    ("auction", "forced", "bound", "forcing_pass"),
    [
        ("", 0, 0, 0),
        ("1D P", 0, 0, 0),
        ("1C P", 1, 1, 0),  # partner's call forces for one round
        ("1C 1D", 0, 0, 0),  # they came in: not any more
        ("1C P 1H P", 1, 1, 0),
        ("1C P 1H P 1S P", 1, 1, 0),  # forced to game: whoever bids, partner goes on
        ("1C P 1H P 3N P", 0, 0, 0),
        ("1C P 1H P 4C P", 1, 1, 0),
        ("1C P 1H P 4S P", 0, 0, 0),
        ("1C P 1H 2S", 1, 0, 1),  # opener's pass forces responder
        ("1C P 1H 2S P P", 1, 1, 0),
        ("1C P 1H 2S X P", 1, 0, 0),  # doubled: they may play it
        ("1C P 1H X", 1, 0, 1),
        ("1C P 1H X P P", 1, 1, 0),
        ("1C P 1H X P 1S", 1, 0, 1),
        ("1C P 1H X XX P", 1, 0, 0),  # our own redouble may be played
        ("1C P 1H P 4S 5C", 0, 0, 1),  # beyond game: they may not play it undoubled
        ("1C P 1H P 4S 5C P P", 0, 1, 0),
        ("1C P 1H P 4S X P P", 0, 0, 0),
        ("1D X P", 1, 0, 0),  # partner's double may be left in
        ("1D X 1H", 0, 0, 0),
        ("1N P 3N 4C", 0, 0, 1),  # 25 points between them: theirs must be doubled
        ("1N P 3N 4C P P", 0, 1, 0),
        ("1N P 3N 4C X P", 0, 0, 0),
        ("1N P 2N 3C P P", 0, 0, 0),  # 15 and none
        ("1N P 3N X P P", 0, 0, 0),
    ],
)
def test_words_for_the_side_that_must_go_on(auction, forced, bound, forcing_pass):
    assert words_after(FORCES, auction, "forced", "bound", "forcing-pass") == (forced, bound, forcing_pass)


def test_rules_that_pass_are_passed_over():
    text = "1C  12+ hcp ; !forcing\n  P  0+ hcp\nwhen 1+ partner-bid\n  P\n  1D  6+ hcp\nwhen 0-7 last-level\n  P\n"
    bidder = HierarchyBidder(Hierarchy(parse_system(text, name="passing")))

    def call(hand, auction):
        view = read_states([{"hand": hand, "auction": auction.split(), "dealer": "N", "vulnerability": "None"}])[0]
        return call_text(int(bidder.call(view)[0])), explain(bidder, view)

    assert call("A432.K32.432.432", "1C P")[0] == "1D"  # the next rule that holds
    made, explanation = call("5432.5432.543.43", "1C P")  # none does
    assert made == "1NT"
    assert explanation.line.number < -1
    assert "a pass would end a forcing auction: lowest:" in explanation.because
    assert call("5432.5432.543.43", "1C 1H")[0] == "Pass"  # they speak, so nobody must


def test_a_pass_for_penalties_is_a_pass():
    text = "(1x)\n  X  12+ hcp  ; !forcing\n    P  4+ x\nwhen 0-7 last-level\n  P\n"
    bidder = HierarchyBidder(Hierarchy(parse_system(text)))
    state = {"hand": "KQT98.432.432.43", "auction": ["1S", "X", "P"], "dealer": "N", "vulnerability": "None"}
    assert call_text(int(bidder.call(read_states([state])[0])[0])) == "Pass"
