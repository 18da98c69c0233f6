"""The compiled engine against a slow reading of the tree, and what calls show against the hands that made them."""

import numpy as np
import pytest
from reference.hierarchy import Tree
from reference.hierarchy import hand_features as slow_features
from support.bidders import TANGLE, boards

from agents.registry import make_system
from agents.systems.bidder import Hierarchy, HierarchyBidder, bid_out, deal_features
from agents.systems.engine.compiled import END_RULE, RULE_LINE
from agents.systems.explain.explain import explain
from agents.systems.language.columns import QUANTITY
from agents.systems.language.text import parse_system
from agents.systems.language.vocabulary import SHOWN
from agents.systems.library.shipped import shipped_systems
from agents.text_api import read_states
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import hand_text, random_deals
from bridge_env.hands.features import FEATURES, hand_features
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS

SHORT = {call: "P" if call == 0 else call_text(call).replace("NT", "N") for call in range(38)}


@pytest.fixture(scope="module")
def sayc():
    return make_system("sayc")


def prefixes(auctions):
    """For every length the rows that are longer, and the auctions cut to it."""
    for length in range(int(auctions.length.max())):
        rows = np.flatnonzero(auctions.length > length)
        history = auctions.history[rows, :length]
        yield rows, Auctions.replay(history, auctions.dealer[rows], auctions.vulnerability[rows])


def tree_rules_of(compiled):
    """How many rules the tree has; those of the general blocks come behind them."""
    return int(compiled.groups[: len(compiled.children), END_RULE].max())


def test_features_are_those_of_the_slow_count():
    held = random_deals(3, 0, 400) == 0
    columns = {name.replace("length:", "").replace("suit_hcp", "hcp"): i for name, i in FEATURES.items()}
    for row, hand in zip(hand_features(held), held, strict=True):
        slow = slow_features(hand_text(hand))
        fast = {word: int(row[columns[word]]) for word in slow if word in columns}
        assert fast == {word: n for word, n in slow.items() if word in columns}


def context_words(calls, seat, vulnerability, shown):
    """The words for the auction that the lines of ``sayc`` use, from the calls and from what they have shown."""
    opened = any(call > 2 for call in calls)
    mine, last = calls[len(calls) % 4 :: 4], max(calls, default=0)
    theirs, partner = shown[[(seat + 1) % 4, (seat + 3) % 4], 1:5, 0].max(axis=0), shown[seat ^ 2]
    stronger = max((shown[(seat + by) % 4, 0] for by in (3, 1)), key=lambda strength: strength[0])
    return {
        "they-min": int(stronger[0]),
        "they-max": int(stronger[1]),
        "position": 0 if opened else len(calls) + 1,
        "vul": vulnerability >> (seat & 1) & 1,
        "they-vul": vulnerability >> (1 - (seat & 1)) & 1,
        "i-passed": int(len(mine) > 0 and mine[0] == 0),
        "partner-min": int(partner[0, 0]),
        "partner-max": int(partner[0, 1]),
        **{f"theirs:{suit}": int(theirs[i]) for i, suit in enumerate("CDHS")},
        **{f"last:{suit}": int(last >= 3 and (last - 3) % 5 == i) for i, suit in enumerate("CDHS")},
    }


def assert_engine_reads_the_tree(bidder, auctions, owner):
    """At every turn of ``auctions``, with hands of ``owner``: the oracle's call by the oracle's line."""
    tree, compiled = Tree(bidder.own.system), bidder.own.compiled
    tree_rules = tree_rules_of(compiled)
    inside = 0
    for rows, so_far in prefixes(auctions):
        view = view_of(so_far, owner[rows])
        calls, rules, shown = bidder.decide(view)
        for i in range(len(rows)):
            legal = {SHORT[c] for c in np.flatnonzero(view.mask[i])}
            context = context_words(so_far.calls(i), int(view.seat[i]), int(view.vulnerability[i]), shown[i])
            expected = tree.call([SHORT[c] for c in so_far.calls(i)], legal, hand_text(view.hand[i]), context)
            if expected is None:
                assert rules[i] < 0 or rules[i] >= tree_rules
            else:
                call, line = expected
                assert (SHORT[int(calls[i])], compiled.rules[rules[i], RULE_LINE]) == (call, line.number), so_far.text(
                    i
                )
                assert rules[i] < tree_rules
                inside += 1
    return inside


def test_sayc_bids_what_its_lines_say(sayc):
    owner, dealer, vulnerability = boards(40, seed=21)
    auctions = bid_out((sayc.own,) * 4, deal_features(owner), dealer, vulnerability)
    assert assert_engine_reads_the_tree(sayc, auctions, owner) > 130
    # Hands that never made these calls reach lines that follow them seldom.
    assert assert_engine_reads_the_tree(sayc, auctions, random_deals(22, 0, 40)) > 80


def test_every_construction_of_the_language():
    tangle = HierarchyBidder(Hierarchy(parse_system(TANGLE, name="tangle")))
    owner, dealer, vulnerability = boards(400, seed=23)
    auctions = bid_out((tangle.own,) * 4, deal_features(owner), dealer, vulnerability)
    assert assert_engine_reads_the_tree(tangle, auctions, random_deals(24, 0, 400)) > 800


def shown_by(bidder, auction):
    """What each seat, dealer North, has shown after ``auction``: the quantities that its calls narrow."""
    (view, _) = read_states([{"hand": "5432.5432.543.32", "auction": auction.split()}])
    return {seat: narrowed(shown) for seat, shown in zip(SEATS, bidder.meaning(view)[0].tolist(), strict=True)}


def narrowed(shown):
    room = 13 - sum(shown[QUANTITY[suit]][0] for suit in "CDHS")  # what the other suits leave says nothing
    least = {name: shown[number][0] for name, number in QUANTITY.items()}
    most = {name: room + least[name] if name in "CDHS" else top for name, top in SHOWN.items()}
    ranges = {name: (least[name], min(shown[number][1], most[name])) for name, number in QUANTITY.items()}
    return {name: ends for name, ends in ranges.items() if ends != (0, most[name])}


@pytest.mark.parametrize(
    ("auction", "seat", "ranges"),
    [
        ("", "N", {}),
        ("1S", "N", {"strength": (10, 21), "S": (5, 13)}),
        ("2H", "N", {"strength": (5, 11), "H": (6, 6), "S": (0, 3)}),
        ("1N", "N", {"strength": (15, 17), "C": (2, 6), "D": (2, 6), "H": (2, 5), "S": (2, 5)}),
        ("1N P 2C", "S", {}),  # Stayman: no suit of their own, also on weak hands
        ("1N P 2C P 2D", "N", {"strength": (15, 17), "C": (2, 6), "D": (2, 6), "H": (2, 3), "S": (2, 3)}),
        ("1N P 2C P 2H", "N", {"strength": (15, 17), "C": (2, 5), "D": (2, 5), "H": (4, 5), "S": (2, 5)}),
        ("1N P 2D", "S", {"H": (5, 13)}),  # transfers: the suit above
        ("1S P 3S P 4N P 5H", "S", {"strength": (10, 12), "S": (3, 13), "aces": (2, 2)}),  # Blackwood: no hearts
        ("1H P 1S P 2C", "N", {"strength": (11, 18), "C": (4, 8), "H": (5, 9)}),
        ("1H 1S X", "S", {"strength": (7, 37), "C": (3, 10), "D": (3, 10)}),  # negative
    ],
)
def test_calls_show_what_the_books_say(sayc, auction, seat, ranges):
    assert shown_by(sayc, auction)[seat] == ranges


def test_blackwood_counts_the_partnerships_aces(sayc):
    two_aces = {"hand": "AKQ875.AKQ5.K2.4", "dealer": "N", "vulnerability": "None"}
    for answer, call in (("5C", "5S"), ("5D", "6S"), ("5H", "6S")):
        state = two_aces | {"auction": ["1S", "P", "3S", "P", "4N", "P", answer, "P"]}
        assert call_text(int(sayc.call(read_states([state])[0])[0])) == call


def honest(shown, f):
    """Do ranges (N, 6, 2) hold the hands with features (N, F)? Strength on any of the scales that rules use."""
    scales = ("hcp", "points", "support:C", "support:D", "support:H", "support:S")
    most = f[:, [FEATURES[word] for word in scales]].max(axis=1)
    lengths = f[:, FEATURES["length:C"] : FEATURES["length:S"] + 1]
    aces = f[:, FEATURES["aces"]]
    return (
        (shown[:, 0, 0] <= most)
        & (shown[:, 0, 1] >= f[:, FEATURES["hcp"]])
        & (shown[:, 1:5, 0] <= lengths).all(axis=1)
        & (shown[:, 1:5, 1] >= lengths).all(axis=1)
        & (shown[:, 5, 0] <= aces)
        & (shown[:, 5, 1] >= aces)
    )


def test_hands_lie_within_what_their_calls_showed(sayc):
    owner, dealer, vulnerability = boards(3000, seed=41)
    features = deal_features(owner)
    auctions = bid_out((sayc.own,) * 4, features, dealer, vulnerability)
    right, count = np.zeros(2, int), np.zeros(2, int)
    for rows, so_far in prefixes(auctions):
        length = int(so_far.length[0])
        last = (so_far.turn + 3) & 3
        spoke = so_far.history[:, length - 1] > 0 if length else np.zeros(len(rows), bool)
        bid = so_far.history[:, :length] > 0
        side = (dealer[rows, None] + np.arange(length)) & 1
        contested = (bid & (side == 0)).any(axis=1) & (bid & (side == 1)).any(axis=1)
        shown = sayc.meaning(view_of(so_far, owner[rows]))[np.arange(len(rows)), last]
        fits = honest(shown, features[rows, last])
        for which in (0, 1):
            chosen = spoke & (contested == bool(which))
            right[which] += int(fits[chosen].sum())
            count[which] += int(chosen.sum())
    share = right / count
    assert count.min() > 4000
    assert share[0] >= 0.995  # uncontested auctions; measured 0.999
    assert share[1] >= 0.975  # contested ones; measured 0.979


@pytest.mark.parametrize("name", shipped_systems())
def test_every_auction_ends_and_some_line_fits_every_hand(name):
    bidder = make_system(name)
    owner, dealer, vulnerability = boards(500, seed=43)
    auctions = bid_out((bidder.own,) * 4, deal_features(owner), dealer, vulnerability)
    assert auctions.done.all()
    for rows, so_far in prefixes(auctions):
        assert (bidder.decide(view_of(so_far, owner[rows]))[1] >= 0).all()


def test_explanation_of_a_general_rule_and_of_none():
    lonely = HierarchyBidder(Hierarchy(parse_system("1C  12+ hcp\nwhen ours\n  P", name="lonely")))
    state = {"hand": "KJ82.AQ943.T7.AJ", "dealer": "N", "vulnerability": "None"}
    explanation = explain(lonely, read_states([state | {"auction": ["1C", "P"]}])[0])
    assert (explanation.call, explanation.general, explanation.line.number) == (0, True, 3)
    explanation = explain(lonely, read_states([state | {"auction": ["1C"]}])[0])
    assert (explanation.call, explanation.line) == (0, None)
    assert "no line of lonely fits: pass" in str(explanation)


def test_explanation_reads_each_seat_by_its_own_system(sayc):
    canape = Hierarchy(parse_system("2S  15+ hcp\nwhen 0-7 last-level\n  P", name="canape"))
    bidder = HierarchyBidder(sayc.own, canape, (sayc.own, canape))
    state = {"hand": "82.AKQ3.AT7.AJ65", "dealer": "N", "vulnerability": "None"}
    for auction, seat, words in (
        (["2S", "P"], "N", "15+ HCP"),  # partner's
        (["P", "P", "2S"], "S", "15+ HCP"),  # to West; South is the second of its opponents
        (["P", "2S", "P"], "E", "15+ HCP"),  # West's partner
        (["2S"], "N", "5-10 HCP, 6 spades, 0-3 hearts"),  # to East; North is the first
    ):
        explanation = explain(bidder, read_states([state | {"auction": auction}])[0])
        assert str(explanation.shown[SEATS.index(seat)]) == words
