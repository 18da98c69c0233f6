"""Look-ahead by a system: the game with open hands against an oracle, obvious calls, deals, explanations."""

import numpy as np
import pytest
from reference.bidding_game import value

from agents.lookahead.game import call_values
from agents.lookahead.game_lookahead import GameLookahead
from agents.lookahead.importance_sampling import from_north
from agents.lookahead.options import Options
from agents.lookahead.player_models import AS_BEST, TRIVIAL, PlayerModel
from agents.lookahead.valuation import smooth_imps
from agents.registry import make_pair, make_reason, make_system
from agents.text_api import read_states
from bridge_env.bidders.builtin import DoublerBidder, PassBidder
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import hands, random_deals
from bridge_env.hands.features import HCP, LENGTH, hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import NUM_CALLS, PASS, call_text, parse_call

KEY = streams.key("test of reasoning")
MINIMAX = np.ones(4)
ALL_AS_BEST = (PlayerModel(AS_BEST),) * 4


def position(hand, auction="", dealer="N", vulnerability="None"):
    """The view of the seat to call, and its stream."""
    return read_states([{"hand": hand, "dealer": dealer, "vulnerability": vulnerability, "auction": auction.split()}])


def called(spec, hand, auction="", **where):
    """What ``reason:SPEC`` calls."""
    view, key = position(hand, auction, **where)
    return call_text(int(make_reason(spec).bid(view, key)[0]))


def leaves_of(seed, level=False):
    """Values of contracts that no estimator has: any call may be best. ``level``: partners declare alike."""
    leaf = np.random.default_rng(seed).normal(0, 300, (4, 35, 3)).astype(np.float32)
    if level:
        leaf[2:] = leaf[:2]
    return leaf


def solved(auction, dealer, leaf, trust):
    """The values of all calls to the side that makes them, float32 (38,), and of the position to North-South."""
    state, out = one_auction(auction, dealer).state, np.empty((1, NUM_CALLS), np.float32)
    call_values(state, np.zeros(1, np.int64), leaf[None], trust, out)
    seat = (dealer + len(auction)) % 4
    mixed = trust[seat] * out[0].max() + (1 - trust[seat]) * out[0, PASS]
    return out[0], mixed if seat % 2 == 0 else -mixed


LATE = ["6N", "6S P P", "6D X", "6H P 6S P P", "7C X XX P", "6N X P P XX P", "P P 6S P 7C P P", "P 5H X 6H P P"]


@pytest.mark.slow
@pytest.mark.parametrize("trust", [MINIMAX, np.array([0.3, 1.0, 0.6, 0.0])], ids=["minimax", "trust"])
@pytest.mark.parametrize("auction", LATE)
def test_the_game_is_solved_as_by_trying_every_call(auction, trust):
    calls = [parse_call(c) for c in auction.split()]
    for dealer in range(3):
        leaf = leaves_of(dealer)
        assert solved(calls, dealer, leaf, trust)[1] == pytest.approx(value(dealer, calls, leaf, trust), rel=1e-4)


@pytest.mark.parametrize("auction", ["6N", "6S P P", "6N X P P XX P", "7C X XX P"])
def test_bids_of_the_look_ahead_name_strains_only_where_partners_differ_as_declarers(auction):
    calls, leaf = [parse_call(c) for c in auction.split()], leaves_of(7, level=True)
    game = value(0, calls, leaf, MINIMAX, naming=True)
    assert solved(calls, 0, leaf, MINIMAX)[1] == pytest.approx(game, rel=1e-4)


@pytest.mark.parametrize("auction", ["", "P", "P P P", "1C", "1C X", "1C X XX P P", "3N P P", "2S P 4S P P X"])
def test_each_call_is_worth_what_the_position_after_it_is(auction):
    """A bid of a strain that its side has not named names it: no matter where partners declare alike."""
    calls, leaf = [parse_call(c) for c in auction.split()], leaves_of(11, level=True)
    trust, legal = np.array([0.9, 0.5, 0.7, 1.0]), one_auction(calls, 1).legal()[0]
    worth, _ = solved(calls, 1, leaf, trust)
    assert ((worth > -1e8) == legal).all()
    sign = 1 if (1 + len(calls)) % 2 == 0 else -1
    for call in np.flatnonzero(legal):
        if not one_auction([*calls, call], 1).done[0]:
            assert worth[call] == pytest.approx(sign * solved([*calls, call], 1, leaf, trust)[1], rel=1e-4)


def test_imps_without_steps_lie_on_the_scale_in_the_middle_of_each_step():
    np.testing.assert_allclose(smooth_imps(np.array([0.0, 35, -35, 460, -2000])), [0, 1, -1, 10, -17.9], atol=0.6)
    points = np.linspace(-3000, 3000, 601)
    assert (np.diff(smooth_imps(points)) > 0).all()


TIMID = "1N    15-17 hcp, balanced\nwhen 0-7 last-level\n  P"


@pytest.fixture
def timid(tmp_path):
    """A system whose responder passes whatever he holds."""
    (tmp_path / "timid.bidding").write_text(TIMID)
    return str(tmp_path / "timid.bidding")


def test_a_cold_game_that_the_system_misses_is_bid(timid):
    view, _ = position("AQT72.A4.K2.T753", "1N P")
    assert make_system(timid).call(view)[0] == PASS
    assert called(f"{timid}?samples=32", "AQT72.A4.K2.T753", "1N P") in ("3NT", "4S")


def test_a_hopeless_contract_is_doubled():
    hand, auction = "QJT98.AK3.A52.74", "1S P 4S"
    view, _ = position(hand, auction)
    assert make_system("sayc").call(view)[0] == PASS
    assert called("sayc", hand, auction) == "X"
    assert called("empty", "AK5.QJT9.AK52.74", "7H", vulnerability="None") == "X"


def test_what_should_be_passed_is_passed():
    assert called("sayc", "8743.T62.J852.94") == "Pass"
    assert called("sayc", "8743.T62.J852.94", "1S X 2S") == "Pass"
    assert called("sayc", "KQ5.AT83.Q52.A74", "1N P 3N P") == "Pass"  # opened myself
    assert called("empty", "KQ54.T8.K632.Q74", "3S") == "Pass"


def test_nothing_is_spent_where_only_one_call_is_sensible():
    thought = make_reason("sayc").think(*position("8743.T62.J852.94"))
    assert thought.sample is None
    assert (thought.call, thought.calls) == (PASS, [PASS])


def test_an_infinite_caution_leaves_the_system_alone():
    owner = random_deals(5, 0, 40)
    view = view_of(Auctions(np.arange(40) % 4, np.arange(40) // 4 % 4), owner)
    keys = streams.key(KEY, np.arange(40))
    careful = make_reason("sayc?samples=8&caution=1e9")
    np.testing.assert_array_equal(careful.bid(view, keys), make_system("sayc").call(view))


def believed(auction, seat, player_models=ALL_AS_BEST, **options):
    """Average points and lengths (C D H S) that ``seat`` is believed to hold, with nobody playing a system."""
    view, key = position("K43.Q82.K954.J63", auction)
    reader = make_reason("empty").reader
    sample = GameLookahead(reader, player_models, Options(**options)).fitting_deals(from_north(view), key[0])
    features = hand_features(hands(sample.owner, np.full(len(sample), seat)))
    mean = sample.weight @ features
    return mean[HCP], mean[LENGTH : LENGTH + 4]


def test_without_systems_a_call_shows_that_it_seemed_best():
    points, lengths = believed("1H P", 2)
    usual_points, usual_lengths = believed("1H P", 2, recall=0.0)
    assert lengths[2] > usual_lengths[2] + 0.4
    assert points > usual_points
    assert believed("4S P", 2)[1][3] > usual_lengths[3] + 1
    assert believed("P P", 2)[0] < usual_points
    assert believed("1H P", 2, player_models=(PlayerModel(),) + (TRIVIAL["random"],) * 3)[0] == pytest.approx(
        usual_points
    )


@pytest.mark.parametrize(("spec", "count"), [("sayc?samples=24&looks=1", 24), ("empty?samples=40", 40)])
def test_the_deals_hold_my_cards_and_are_as_many_as_the_options_say(spec, count):
    view, key = position("AQT72.A4.Q2.T753", "1S P 2S 3H", vulnerability="EW", dealer="W")
    thought = make_reason(spec).think(view, key)
    assert len(thought.sample.weight) <= count
    assert thought.sample.weight.sum() == pytest.approx(1)
    assert ((thought.sample.owner == 0) == view.hand[0]).all()
    assert len(thought.gain) == len(thought.error) == len(thought.calls)


def test_a_system_believes_what_the_other_seats_systems_say():
    """Deals on which an opponent would not have made its call by its system weigh next to nothing."""
    view, key = position("KQ5.AT83.Q52.A74", "1S", dealer="W")
    found = make_reason("sayc", opponents="system:sayc").think(view, key)
    spades = hand_features(hands(found.sample.owner, np.full(found.num_deals, 3)))[:, LENGTH + 3]
    assert found.sample.weight @ (spades >= 5) > 0.9


@pytest.mark.parametrize("text", ["samples=100000000000000000000", "looks=0", "sample=3", "trust=2", "margin=nan"])
def test_faulty_options_are_refused(text):
    with pytest.raises(SpecError):
        make_reason(f"sayc?{text}")


def test_it_reads_the_systems_of_its_arguments():
    us = make_reason("sayc", opponents="pair:system:acol,reason:precision?samples=9", partner="system:empty")
    reader = us.call_model.bidder
    assert reader.partner.system.name == "empty"
    assert [o.system.name for o in reader.opponents] == ["acol", "acol"]
    assert [model.own.system.name for model in us.models] == ["acol", "precision"]
    free = make_reason("empty", opponents="pass")
    assert [model.inference for model in free.player_models] == ["best", "nothing", "best", "nothing"]


def test_in_a_pair_each_reads_the_other():
    pair = make_pair("reason:sayc?samples=4,system:acol")
    ours = pair.first.call_model
    assert ours.bidder.partner is pair.second.own
    assert pair.second.partner is ours.bidder.own
    view, key = position("8743.T62.J852.94", "1S X")
    assert ours.player.bid(view, key)[0] == PASS


@pytest.mark.parametrize(("name", "bidder"), [("pass", PassBidder()), ("doubler", DoublerBidder())])
def test_the_systems_of_the_trivial_bidders_call_as_they_do(name, bidder):
    (model,) = make_reason("sayc", opponents=name).models
    player = model.own
    for auction in ("", "2S", "2N", "2N P", "3C X", "3C P P", "6S P", "P P"):
        view, key = position("KQ54.T8.K632.Q74", auction)
        bidder_by_system = make_system("sayc")
        bidder_by_system.own = player
        assert bidder_by_system.call(view)[0] == bidder.bid(view, key)[0]


def test_the_explanation_has_candidates_seats_and_deals():
    bidder = make_reason("sayc")
    view, key = position("AQT72.A4.Q2.T753", "1S P 2S 3H", dealer="E")
    text = bidder.explain(view, key)
    assert text.startswith(call_text(int(bidder.bid(view, key)[0])) + "\n")
    assert "  usual     " in text
    assert "each bid out after each call" in text
    assert "IMPs v. " in text
    assert "  shown     S  " in text  # the seat to the left of the caller, who is E again after four calls
    assert text.count("hcp, ") >= 3
    assert text.count(" S ") >= 3
    assert make_reason("empty?samples=16").explain(view, key).count("seemed best") == 3
    assert "no other call" in bidder.explain(*position("8743.T62.J852.94"))
    assert len(text.splitlines()) < 25
