"""The words of the auction, against counting its calls one by one."""

import numpy as np

from agents.systems.bidder import Hierarchy
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.language.vocabulary import SUIT_LETTERS, WORDS
from agents.systems.library.shipped import read_system
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE

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
