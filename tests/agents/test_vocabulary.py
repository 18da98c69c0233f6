"""What the vocabulary declares of its words, against rows that the engine writes, counts of calls, and hands."""

import numpy as np
import pytest

from agents.systems.bidder import Hierarchy, deal_features, seen_rows
from agents.systems.engine.compiler import compile_system
from agents.systems.engine.rule_order import conditions_of
from agents.systems.engine.shown_ranges import constraint_shows
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.language.columns import HAND, LEAST, MOST, NOTHING, QUANTITIES, QUANTITY, SHOWS, TOP
from agents.systems.language.tree import Atom, Line, Step, System
from agents.systems.language.vocabulary import NUM_COLUMNS, SHOWN, SUIT_LETTERS, WORDS
from agents.systems.library.shipped import read_system
from bridge_env.hands.deals import parse_hand, random_deals
from bridge_env.hands.features import FEATURES, NUM_FEATURES, hand_features
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE

SEATS = tuple(Hierarchy(read_system(name)) for name in ("sayc", "precision", "polish", "two-over-one"))
NAMES = {column: word for word, column in WORDS.items()}


@pytest.fixture(scope="module")
def rows():
    """Feature rows after random calls and after the systems' own: int16 (N, NUM_COLUMNS)."""
    count, rng = 1500, np.random.default_rng(8)
    features = deal_features(random_deals(77, 0, count))
    dealer, vulnerability = (np.arange(count) % 4).astype(np.int16), (np.arange(count) // 4 % 4).astype(np.int16)
    auctions = Auctions(dealer, vulnerability)
    for number in range(9):
        going = np.flatnonzero(~auctions.done & (rng.integers(0, 10, count) > number))
        legal = auctions.legal()[going]
        legal[:, 3:] &= np.cumsum(legal[:, 3:], axis=1) <= 4
        auctions.step(np.array([rng.choice(np.flatnonzero(row)) for row in legal], np.int64), going)
    rows = np.flatnonzero(~auctions.done)
    history, length = auctions.history[rows, :9].copy(), auctions.length[rows].astype(np.int64)
    return seen_rows(SEATS, features, rows, dealer[rows], vulnerability[rows], history, length)[0]


def test_values_lie_between_the_least_and_the_most(rows):
    outside = (rows < LEAST) | (rows > MOST)
    assert not outside.any(), {NAMES.get(column, column) for column in np.flatnonzero(outside.any(axis=0))}
    extreme = ["AKQJ.AKQ.AKQ.AKQ", "AKQJT98765432...", ".AKQJT98765432..", "...AKQJT98765432", "5432.543.543.543",
               "AKQJT9.AKQJT98..", "A.A.A.AKQJT98765"]  # fmt: skip
    f = hand_features(np.stack([parse_hand(hand) for hand in extreme]))
    assert (f >= LEAST[:NUM_FEATURES]).all()
    assert (f <= MOST[:NUM_FEATURES]).all()
    assert f[0, FEATURES["hcp"]] == MOST[FEATURES["hcp"]]


def test_sums_count_what_they_say(rows):
    def of(word):
        return rows[:, WORDS[word] if word in WORDS else FEATURES[word]].astype(int)

    low, high = of("partner-min"), of("partner-max")
    likely = low + np.minimum((high - low) // 3, 3)
    assert (high > low).any()
    assert (of("partner-likely") == likely).all()
    assert (of("combined") == of("hcp") + low).all()
    assert (of("combined-max") == of("hcp") + high).all()
    assert (of("likely") == of("hcp") + likely).all()
    assert (of("combined-aces") == of("aces") + of("partner-aces")).all()
    for suit in "CDHS":
        assert (of(f"total:{suit}") == of(f"support:{suit}") + low).all()
        assert (of(f"total-max:{suit}") == of(f"support:{suit}") + high).all()
        assert (of(f"likely-total:{suit}") == of(f"support:{suit}") + likely).all()
        assert (of(f"fit:{suit}") == of(suit) + of(f"partner:{suit}")).all()
        assert (of(f"long:{suit}") == (of(suit) == of("longest"))).all()
        king = of(f"king:{suit}") == 1
        assert (king == (of(f"keycards:{suit}") > of("aces"))).all()
        ace = of(f"hcp:{suit}") - 3 * king >= 4
        assert (of(f"control:{suit}") == (king | ace | (of(suit) <= 1))).all()
    last = np.stack([of(f"last:{suit}") for suit in "CDHS"], axis=1) * (1 - of("ours"))[:, None]
    for word, by_suit in (("in-theirs", "{}"), ("trump-tricks", "top5:{}")):
        expected = (last * np.stack([of(by_suit.format(suit)) for suit in "CDHS"], axis=1)).sum(axis=1)
        assert (of(word) == expected).all()
        assert expected.any()


def shown_by(word, lo, hi, f):
    """What ``lo <= word <= hi`` shows of a hand where the feature row is ``f``; None if it cannot be."""
    compiled = compile_system(System("one", (Line((Step("1C"),), (((Atom(word, lo, hi),),),)),)))
    out = np.stack([np.zeros(QUANTITIES, np.int16), TOP], axis=1)
    room = np.empty((2, QUANTITIES, 2), np.int16)
    found = constraint_shows(compiled, *(int(n) for n in conditions_of(compiled, 0)), f, out, *room)
    return out if found else None


def test_a_word_shows_no_more_than_the_hand_holds(rows):
    """Read backwards with the very value that it has, a word leaves room for the hand that has it."""
    checked = 0
    for f in rows[::80]:
        held = {quantity: int(f[WORDS[quantity]]) for quantity in SHOWN if quantity != "strength"}
        for word, column in WORDS.items():
            if SHOWS[column] == NOTHING:
                continue
            # strength is counted on the scale that the word uses, and in high-card points where it uses none
            points = int(f[HAND[column]] if SHOWS[column] == QUANTITY["strength"] else f[WORDS["hcp"]])
            out = shown_by(word, int(f[column]), int(f[column]), f)
            for quantity, count in {"strength": points, **held}.items():
                assert out[QUANTITY[quantity], 0] <= count, (word, quantity)
                assert out[QUANTITY[quantity], 1] >= count, (word, quantity)
            if SHOWS[column] >= 0 and f[HAND[column]] <= TOP[SHOWS[column]]:
                assert (out[SHOWS[column]] == f[HAND[column]]).all(), word  # and for no other
            checked += 1
    assert checked > 500


def test_what_words_of_shape_show():
    f = np.zeros(NUM_COLUMNS, np.int16)
    lengths = slice(QUANTITY["C"], QUANTITY["S"] + 1)
    assert shown_by("balanced", 1, 1, f)[lengths].tolist() == [[2, 5]] * 4
    assert shown_by("semibalanced", 1, 1, f)[lengths].tolist() == [[2, 6]] * 4
    assert shown_by("balanced", 0, 0, f)[lengths].tolist() == [[0, 13]] * 4
    assert shown_by("longest", 4, 6, f)[lengths].tolist() == [[0, 6]] * 4
    assert shown_by("long:H", 1, 1, f)[lengths].tolist() == [[0, 13], [0, 13], [4, 13], [0, 13]]


AUCTIONS = 400


def random_auctions(seed):
    """Auctions of random legal calls, most of them low bids."""
    rng = np.random.default_rng(seed)
    auctions = Auctions(rng.integers(0, 4, AUCTIONS).astype(np.int16), rng.integers(0, 4, AUCTIONS).astype(np.int16))
    for number in range(12):
        going = np.flatnonzero(~auctions.done & (np.arange(AUCTIONS) % 12 > number))
        may = auctions.legal()
        auctions.step([rng.choice(np.flatnonzero(may[row])[:5]) for row in going], going)
    return auctions


def counted(dealer, vulnerability, calls):
    """The words of the auction as their texts say them."""
    me = (dealer + len(calls)) % 4
    made = [((dealer + k) % 4, call) for k, call in enumerate(calls)]
    bids = [(seat, call) for seat, call in made if call >= FIRST_BID]
    after = [call for _, call in made[made.index(bids[-1]) :]] if bids else []
    bidder, bid = (bids[-1][0], bids[-1][1] - FIRST_BID) if bids else (None, None)
    of = {seat: [call for one, call in made if one == seat] for seat in range(4)}
    active = {seat: sum(call != PASS for call in own) for seat, own in of.items()}
    others = [k for k, (_, call) in enumerate(made) if call != PASS]
    partner = (me + 2) % 4
    words = {
        "position": 0 if bids else len(calls) + 1,
        "vul": (vulnerability >> (me & 1)) & 1,
        "they-vul": (vulnerability >> (1 - (me & 1))) & 1,
        "last-level": bid // 5 + 1 if bids else 0,
        "last-notrump": int(bool(bids) and bid % 5 == 4),
        "ours": int(bool(bids) and bidder % 2 == me % 2),
        "partner-last": int(bidder == partner),
        "doubled": 2 if REDOUBLE in after else int(DOUBLE in after),
        "passes": len(made) - 1 - others[-1] if others else len(made),
        "i-bid": active[me],
        "partner-bid": active[partner],
        "they-bid": active[(me + 1) % 4] + active[(me + 3) % 4],
        "we-opened": int(bool(bids) and bids[0][0] % 2 == me % 2),
        "i-passed": int(bool(of[me]) and of[me][0] == PASS),
        "partner-called": of[partner][-1] if of[partner] else -1,
        "i-called": of[me][-1] if of[me] else -1,
    }
    return words | {f"last:{suit}": int(bool(bids) and bid % 5 == k) for k, suit in enumerate(SUIT_LETTERS)}


def test_words_count_what_their_texts_say():
    auctions = random_auctions(5)
    open_ones = np.flatnonzero(~auctions.done)
    queries = Queries.of_auctions(
        auctions.take(open_ones), np.zeros((len(open_ones), 4, NUM_FEATURES), np.int16), np.arange(len(open_ones))
    )
    rows, _ = StateCache([Hierarchy(read_system("silent"))]).feature_rows(queries)
    seen = {}
    for row, at in zip(rows, open_ones, strict=True):
        calls = auctions.history[at, : auctions.length[at]].tolist()
        for word, value in counted(int(auctions.dealer[at]), int(auctions.vulnerability[at]), calls).items():
            assert row[WORDS[word]] == value, (word, calls)
            seen.setdefault(word, set()).add(value)
    assert all(len(values) > 1 for values in seen.values()), seen
    assert seen["last-level"] >= {0, 1, 2, 3, 4}
