"""The batch auction against a slow implementation of the Laws."""

import numpy as np
import pytest
from reference.auction import LawAuction
from support.bidders import longest_auction

from bridge_env.rules.auction import DOUBLING, LENGTH, MAX_CALLS, PASSES, Auctions, IllegalCall, one_auction
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS, REDOUBLE, parse_call

BITS = 1 << np.arange(NUM_CALLS, dtype=np.int64)


def some_auctions(count, seed):
    """``count`` empty auctions with every dealer and vulnerability, and a chooser of legal calls.

    Each auction has its own share of passes and jumps, so that short and long ones both occur.
    """
    rng = np.random.default_rng(seed)
    number = np.arange(count)
    auctions = Auctions(number % 4, number // 4 % 4)
    passing, jumping = rng.uniform(0.1, 0.9, count), rng.uniform(0.05, 0.9, count)

    def choose(mask, rows):
        n = len(rows)
        # Doubles and redoubles are rarely there: take them often. A bid is a geometric jump above the lowest.
        jump = rng.geometric(1 - jumping[rows]) - 1
        bid = np.minimum(NUM_CALLS - mask[:, FIRST_BID:].sum(axis=1) + jump, NUM_CALLS - 1)
        call = np.where(mask[np.arange(n), bid], bid, PASS)
        call = np.where(mask[:, DOUBLE] & (rng.random(n) < 0.4), DOUBLE, call)
        call = np.where(mask[:, REDOUBLE] & (rng.random(n) < 0.4), REDOUBLE, call)
        return np.where(rng.random(n) < passing[rows], PASS, call)

    return auctions, choose


def compare_with_the_laws(count, seed):
    auctions, choose = some_auctions(count, seed)
    laws = [LawAuction(int(d)) for d in auctions.dealer]
    rows = np.arange(count)
    while len(rows):
        here = auctions.take(rows)
        mask = here.legal()
        expected = [sum(1 << call for call in laws[row].legal()) for row in rows]
        assert (mask @ BITS).tolist() == expected
        assert here.turn.tolist() == [laws[row].turn() for row in rows]
        calls = choose(mask, rows)
        auctions.step(calls, rows)
        for row, call in zip(rows.tolist(), calls.tolist(), strict=True):
            laws[row].calls.append(call)
        done = auctions.done[rows]
        assert done.tolist() == [laws[row].ended() for row in rows]
        rows = rows[~done]
    contracts = np.stack(auctions.contracts(), axis=1).tolist()
    assert [tuple(c) for c in contracts] == [law.contract() for law in laws]
    assert [auctions.calls(row) for row in range(count)] == [tuple(law.calls) for law in laws]
    return auctions


def test_masks_turns_and_contracts_are_those_of_the_laws():
    auctions = compare_with_the_laws(8_000, seed=1)
    bid, doubling, declarer = auctions.contracts()
    # The sample must hold what it is meant to test.
    assert auctions.length.min() == 4
    assert auctions.length.max() > 40
    assert set(np.unique(doubling)) == {0, 1, 2}
    assert set(np.unique(declarer)) == {-1, 0, 1, 2, 3}
    assert len(np.unique(bid)) == NUM_BIDS + 1
    assert len(np.unique(auctions.dealer * 4 + auctions.vulnerability)) == 16


def test_numbers_of_legal_auctions():
    counted = []
    auctions = Auctions(0, 0)
    for _ in range(4):
        auctions = auctions.take(~auctions.done)
        parent, call = np.nonzero(auctions.legal())
        auctions = auctions.take(parent)
        auctions.step(call)
        counted.append(len(auctions))
    counted.append(int(auctions.take(~auctions.done).legal().sum()))
    assert counted == [36, 701, 9731, 107451, 999852]  # counted by patterns of passes, bids and doubles, without rules


def test_the_longest_auction_is_legal_and_fills_the_history():
    calls = longest_auction()
    assert len(calls) == MAX_CALLS == 319
    auction = one_auction(calls, dealer=2, vulnerability=3)
    law = LawAuction(2)
    for call in calls:
        assert not law.ended()
        assert call in law.legal()
        law.calls.append(call)
    assert law.ended()
    assert auction.done.all()
    assert auction.calls(0) == tuple(calls)
    assert tuple(int(c[0]) for c in auction.contracts()) == law.contract() == (34, 2, law.contract()[2])


def test_finished_rows_allow_pass_only_and_stay_as_they_are():
    auctions = Auctions([0, 1], 0)
    for call in (FIRST_BID, PASS, PASS, PASS):
        auctions.step([call, PASS])
    assert auctions.done.all()
    assert (auctions.legal() @ BITS).tolist() == [1, 1]
    before = auctions.state.copy(), auctions.history.copy()
    auctions.step(PASS)
    np.testing.assert_array_equal(auctions.state, before[0])
    np.testing.assert_array_equal(auctions.history, before[1])
    for call in range(1, NUM_CALLS):
        with pytest.raises(IllegalCall):
            auctions.step(call)


def test_an_illegal_call_raises_and_changes_nothing_anywhere():
    auctions, choose = some_auctions(400, seed=3)
    for _ in range(12):
        mask = auctions.legal()
        calls = choose(mask, np.arange(len(auctions)))
        before = auctions.state.copy(), auctions.history.copy()
        for row in (0, 123, 399):
            for wrong in [*np.flatnonzero(~mask[row])[:4], -1, NUM_CALLS, 10_000]:
                bad = calls.copy()
                bad[row] = wrong
                with pytest.raises(IllegalCall, match=rf"not legal at table {row} after"):
                    auctions.step(bad)
        np.testing.assert_array_equal(auctions.state, before[0])
        np.testing.assert_array_equal(auctions.history, before[1])
        auctions.step(calls)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("1H P 1D", "1D is not legal at table 0 after W: 1H Pass"),
        ("X", "X is not legal at table 0 after no call"),
        ("1C XX", "XX is not legal at table 0 after W: 1C"),
        ("P P P P P", "goes on after it has ended: W: Pass Pass Pass Pass"),
    ],
)
def test_the_message_of_an_illegal_call_shows_the_auction(words, message):
    with pytest.raises(IllegalCall, match=message):
        one_auction([parse_call(word) for word in words.split()], dealer=3)


@pytest.mark.parametrize(("dealer", "vulnerability"), [(4, 0), (-1, 0), (0, 4), ([[0]], 0)])
def test_bad_dealers_and_vulnerabilities_are_refused(dealer, vulnerability):
    with pytest.raises(ValueError, match=r"0\.\.3"):
        Auctions(dealer, vulnerability)


def test_replaying_the_history_makes_the_same_state():
    auctions = compare_with_the_laws(500, seed=4)
    again = Auctions.replay(auctions.history, auctions.dealer, auctions.vulnerability)
    np.testing.assert_array_equal(again.state, auctions.state)
    np.testing.assert_array_equal(again.history, auctions.history)
    half = np.where(np.arange(MAX_CALLS) < auctions.length[:, None] // 2, auctions.history, -1)
    cut = Auctions.replay(half, auctions.dealer, auctions.vulnerability)
    np.testing.assert_array_equal(cut.length, auctions.length // 2)


def test_columns_of_the_state_and_text():
    calls = [parse_call(c) for c in ("1C", "P", "1S", "X", "XX", "P")]
    auction = one_auction(calls, dealer=1, vulnerability=2)
    assert auction.text(0) == "E: 1C Pass 1S X XX Pass"
    assert auction.state[0, [LENGTH, DOUBLING, PASSES]].tolist() == [6, 2, 1]
    assert auction.turn.tolist() == [3]
    assert str(auction.contracts().at(0)) == "1SXX W"
    assert Auctions(2, 0).text(0) == ""
    assert str(Auctions(2, 0).contracts().at(0)) == "Pass"
