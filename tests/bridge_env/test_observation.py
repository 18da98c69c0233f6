"""The 480 numbers: as documented, as OpenSpiel has them, and the same from every chair."""

import numpy as np
import pytest

from bridge_env.bidders import observation as layout
from bridge_env.bidders.observation import OBSERVATION_SIZE, observe
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import parse_deal, random_deals, rotate_deals
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import FIRST_BID, PASS, parse_call
from bridge_env.rules.cards import RANKS

SAMPLE = "N:T97.AQJT.J.T7532 AK854.53.Q98.AJ8 3.K762.6432.KQ94 QJ62.984.AKT75.6"


def random_call(mask, rng):
    """Return a legal call for each row, with enough passes that auctions end."""
    weight = rng.random(mask.shape) * mask
    weight[:, PASS] = rng.random(len(mask)) * 2
    return weight.argmax(axis=1)


def position(words, dealer, vulnerability):
    auction = one_auction([parse_call(w) for w in words.split()], dealer, vulnerability)
    return observe(view_of(auction, parse_deal(SAMPLE)[None]))[0]


def test_an_empty_auction_shows_vulnerability_and_hand_only():
    seen = position("", dealer=1, vulnerability=0b01)  # East deals, NS are vulnerable
    assert seen.dtype == np.int8
    assert seen.shape == (OBSERVATION_SIZE,)
    assert seen[:4].tolist() == [1, 0, 0, 1]  # we are not, they are
    assert not seen[4:428].any()
    east = {3: "AK854", 2: "53", 1: "Q98", 0: "AJ8"}
    hand = {layout.HAND_AT + RANKS.index(rank) * 4 + suit for suit in east for rank in east[suit]}
    assert set(np.flatnonzero(seen[428:]) + 428) == hand


def test_every_call_is_at_its_documented_offset():
    # West deals and passes; North 1H, East X, South XX, West 1S, North X, East passes; South is to call.
    seen = position("P 1H X XX 1S X P", dealer=3, vulnerability=0b10)
    me, left, partner, right = range(4)  # of South: West is left, North partner, East right
    assert seen[:4].tolist() == [1, 0, 0, 1]
    heart = layout.BIDS_AT + (parse_call("1H") - FIRST_BID) * layout.BID_STRIDE
    spade = layout.BIDS_AT + (parse_call("1S") - FIRST_BID) * layout.BID_STRIDE
    expected = {
        layout.OPENING_PASS_AT + left,
        heart + partner, heart + layout.DOUBLE_AT + right, heart + layout.REDOUBLE_AT + me,
        spade + left, spade + layout.DOUBLE_AT + partner,
    }  # fmt: skip
    assert set(np.flatnonzero(seen[4:428]) + 4) == expected
    assert (heart, spade) == (8 + 2 * 12, 8 + 3 * 12)
    assert position("P P P", dealer=1, vulnerability=3)[:8].tolist() == [0, 1, 0, 1, 0, 1, 1, 1]


def test_turning_the_table_by_a_seat_changes_nothing():
    rng = np.random.default_rng(1)
    owner = random_deals(1, 0, 300)
    dealer, vulnerability = rng.integers(4, size=(2, 300))
    turned = [
        (rotate_deals(owner, k), (dealer + k) % 4,
         vulnerability if k % 2 == 0 else (vulnerability >> 1) | (vulnerability & 1) << 1)
        for k in range(4)
    ]  # fmt: skip
    tables = [(Auctions(d, v), o) for o, d, v in turned]
    for _ in range(40):
        seen = [observe(view_of(auctions, o)) for auctions, o in tables]
        for other in seen[1:]:
            np.testing.assert_array_equal(other, seen[0])
        calls = random_call(tables[0][0].legal(), rng)
        for auctions, _ in tables:
            auctions.step(calls)
    assert tables[0][0].done.all()


@pytest.mark.parametrize("vulnerability", range(4))
def test_observations_and_legal_calls_equal_openspiel(vulnerability):
    pyspiel = pytest.importorskip("pyspiel")
    phase, offset, count = 4, 52, 150  # their tensor begins with the phase, their calls behind the cards
    game = pyspiel.load_game("bridge", {
        "use_double_dummy_result": False,
        "dealer_vul": bool(vulnerability & 1), "non_dealer_vul": bool(vulnerability & 2),
    })  # fmt: skip
    rng = np.random.default_rng(vulnerability)
    owner = random_deals(100 + vulnerability, 0, count)
    auctions = Auctions(np.zeros(count, int), vulnerability)
    states = [dealt(game, deal) for deal in owner]
    rows = np.arange(count)
    while len(rows):
        here = auctions.take(rows)
        mask = here.legal()
        seen = observe(view_of(here, owner[rows]))
        np.testing.assert_array_equal(observe(view_of(auctions, owner, rows[::-1])), seen[::-1])
        calls = random_call(mask, rng)
        for i, row in enumerate(rows.tolist()):
            state = states[row]
            assert state.current_player() == here.turn[i]
            assert [a - offset for a in state.legal_actions()] == np.flatnonzero(mask[i]).tolist()
            tensor = np.array(state.observation_tensor(), np.float32)
            np.testing.assert_array_equal(tensor[phase : phase + OBSERVATION_SIZE], seen[i])
            state.apply_action(int(calls[i]) + offset)
        auctions.step(calls, rows)
        rows = rows[~auctions.done[rows]]


def dealt(game, owner):
    """An OpenSpiel state after the deal: cards rank * 4 + suit, given out one by one from North."""
    state = game.new_initial_state()
    held = [[card % 13 * 4 + card // 13 for card in np.flatnonzero(owner == seat)] for seat in range(4)]
    for number in range(52):
        state.apply_action(int(held[number % 4][number // 4]))
    return state
