"""Beliefs: deals drawn by the odds of cards, exactly; and networks that think with them."""

from dataclasses import replace

import numpy as np
import pytest
from support.learners import by_book, random_networks, views, with_belief

from agents.lookahead.call_models import LIKELY, NetworkCallModel
from agents.lookahead.importance_sampling import (
    from_north,
    redeal_opponents,
    thin_weights,
    weight_of_partner,
    weighted_deals,
)
from agents.lookahead.lookahead import Decision, Lookahead, expected_loss, still_open
from agents.lookahead.options import Options
from agents.networks import belief
from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.book import Terms
from agents.networks.inputs import MOST_ON
from agents.networks.network import quantized
from agents.networks.shipped import read_networks
from agents.registry import make_reason, make_system
from agents.systems.engine.state_cache import Queries
from agents.text_api import read_states
from bridge_env.bidders.registry import SpecError
from bridge_env.hands.deals import parse_hand
from bridge_env.io.files import FileError
from bridge_env.rng import streams
from bridge_env.rules.calls import parse_call
from training.cli.app import main
from training.evaluation.boards import library_boards
from training.networks import belief_fit

HAND = parse_hand("AKQ2.T98.J7.A543")
KEY = streams.key("belief")[0]


def test_odds_can_be_taken_out_again():
    """Weighed by one over their odds, deals are as if dealt at random."""
    rng = np.random.default_rng(2)
    odds = rng.uniform(0.7, 1.3, (52, 3))
    odds[~HAND, 1] *= np.where(np.arange(39) % 3 == 0, 1.5, 1.0)
    owner, log_odds = belief.draw_deals(HAND, odds, 40_000, KEY)
    weight = np.exp(-(log_odds - log_odds.min()))
    weight /= weight.sum()
    cards = np.flatnonzero(~HAND)
    plain = (owner[:, cards] == 2).mean(axis=0)
    weighed = weight @ (owner[:, cards] == 2)
    assert np.abs(plain - 1 / 3).max() > 0.05  # the odds do something
    np.testing.assert_allclose(weighed, 1 / 3, atol=0.05)


def test_states_hold_the_other_hands():
    boards = library_boards(30, 3, "training")
    (_, starts), held = belief_fit.states("system:sayc", "pass", boards, 1)
    assert len(held) == len(starts) - 1
    assert ((held == -1).sum(axis=1) == 13).all()
    for which in range(3):
        assert ((held == which).sum(axis=1) == 13).all()


def test_a_belief_learns_something(tmp_path, capsys):
    """From auctions of a system: better than knowing nothing on boards that it never saw."""
    networks_file.save(random_networks(), tmp_path / "n.npz")
    words = ["fit", "belief", f"policy:{tmp_path / 'n.npz'}", "--against", "system:sayc"]
    assert main([*words, "--boards", "600", "--layers", "16", "--batch", "256"]) == 0
    assert "nats a card" in capsys.readouterr().out
    assert networks_file.load(tmp_path / "n.npz").belief is not None
    assert main(["bid", f"policy:{tmp_path / 'n.npz'}", "--hand", "AQT72.A4.Q2.T753"]) == 0
    assert "usual" in capsys.readouterr().out
    assert main([*words, "--boards", "1"]) == 2
    assert main(["fit", "belief", "policy:polish"]) == 2
    assert "gatekeeper" in capsys.readouterr().err


def test_a_belief_of_another_network_is_refused(tmp_path):
    networks_file.save(with_belief(1), tmp_path / "a.npz")
    networks_file.save(random_networks(7), tmp_path / "b.npz")
    (tmp_path / "a.belief.npz").rename(tmp_path / "b.belief.npz")
    with pytest.raises(FileError, match="of another network"):
        networks_file.load(tmp_path / "b.npz")
    networks_file.save(random_networks(7), tmp_path / "b.npz")
    assert networks_file.load(tmp_path / "b.npz").belief is None


def test_opponents_cards_dealt_again_leave_averages_right():
    """Partner's hands and then the opponents' are drawn by odds; weighed, deals are as if dealt at random."""
    rng = np.random.default_rng(2)
    odds = rng.uniform(0.7, 1.3, (52, 3))
    odds[~HAND, :2] *= np.where(np.arange(39)[:, None] % (2, 3) == 0, 1.5, 1.0)
    owner, _ = belief.draw_deals(HAND, odds, 20_000, KEY)
    numbers = streams.uniforms(streams.key(KEY, np.arange(len(owner))), 52)
    ((again,), (factor,)) = redeal_opponents(owner[None], odds[None], numbers[None])
    np.testing.assert_array_equal(again[::2] == 2, owner == 2)
    assert (again[::2] != again[1::2]).any(axis=1).mean() > 0.99
    weight = np.repeat(weight_of_partner(owner[None], odds[None])[0], 2) * factor
    weight /= weight.sum()
    cards = np.flatnonzero(~HAND)
    for seat in (1, 2, 3):
        assert ((again == seat).sum(axis=1) == 13).all()
        held = again[:, cards] == seat
        assert np.abs(held.mean(axis=0) - 1 / 3).max() > 0.1
        np.testing.assert_allclose(weight @ held, 1 / 3, atol=0.03)


def test_thinned_weights_are_right_on_average():
    """Heavy things stay as they are, light ones by chance; on average each counts its weight."""
    weight = np.concatenate([[5.0, 3.0], np.random.default_rng(1).random(60) / 20])
    counted = np.zeros(len(weight))
    for at in (np.arange(2_000) + 0.5) / 2_000:
        ((chosen,), (chance,)) = thin_weights(weight[None], 10, np.array([[at]]))
        assert len(np.unique(chosen)) == len(chosen) == 10
        assert (chance[chosen < 2] == 1).all()
        counted[chosen] += weight[chosen] / chance
    np.testing.assert_allclose(counted / 2_000, weight, rtol=0.02)


def partners(thinker, view, key):
    """Partner's hands on the deals drawn for one row, bool (S, 4, 13), their points, and what was drawn."""
    count = thinker.options.samples
    [drawn] = weighted_deals(from_north(view), key, thinker.call_model, thinker.belief, thinker.models, count)
    held = (drawn.owner == 2).reshape(-1, 4, 13)
    return held, (held * np.array([0] * 9 + [1, 2, 3, 4])).sum(axis=(1, 2)), drawn


def test_deals_that_fit_the_calls_are_believed_more():
    """After an opening of 1S by two-over-one's network, the opener holds spades and points."""
    own = read_networks("two-over-one")
    plain = quantized([(np.zeros((814, belief.OUTPUTS)), np.zeros(belief.OUTPUTS))], MOST_ON)  # knows nothing
    thinker = Lookahead(NetworkCallModel(NetworkBidder(own)), plain, [own.policy], Options(samples=64))
    view, key = read_states([{"hand": "K84.AQ94.T72.J65", "auction": ["1S", "Pass"]}])
    opener, points, drawn = partners(thinker, view, key)
    assert drawn.weight @ opener[:, 3].sum(axis=1) > 4.8
    assert drawn.weight @ points > 11
    assert drawn.effective > 3


def test_more_deals_are_drawn_where_the_choice_is_not_clear():
    networks = with_belief()
    models = [networks.policy, random_networks(5).policy]
    call_model, given = NetworkCallModel(NetworkBidder(networks)), Options(samples=8, candidates=3, margin=0.0)
    once, often = (Lookahead(call_model, networks.belief, models, replace(given, looks=looks)) for looks in (1, 3))
    view, key = views(30, seed=7)
    more = 0
    for first, found in zip(once.think_all(view, key), often.think_all(view, key), strict=True):
        if first.sample is None:
            assert found.sample is None
            continue
        unclear = len(still_open(first, np.arange(len(first.calls)), given)) > 1
        assert (len(found.sample.owner) > len(first.sample.owner)) == unclear
        more += unclear
        assert found.sample.weight.sum() == pytest.approx(1)
        assert found.sample.effective >= first.sample.effective
        np.testing.assert_array_equal(found.sample.owner[: len(first.sample.owner)], first.sample.owner)
    assert more > 0


def test_more_deals_go_to_the_calls_that_may_be_the_best():
    """The usual call is one of them always; no other where the best is clear, or where the usual call is."""

    def open_of(gain, error):
        found = Decision(0, 0, list(range(4)), gain=np.array([0.0, *gain]), error=np.array([0.0, *error]))
        return still_open(found, np.arange(4), Options(margin=0.3)).tolist()

    assert open_of([-5, -4, -6], [1, 1, 1]) == [0]
    assert open_of([-5, 0.2, -6], [1, 1, 1]) == [0, 2]
    assert open_of([6, -4, -6], [1, 1, 1]) == [0]
    assert open_of([6, 5.8, -6], [1, 1, 1]) == [0, 1, 2]
    assert open_of([0.2, -4, -6], [0, 1, 1]) == [0]


@pytest.mark.parametrize(("gain", "error"), [(0.0, 1.0), (0.5, 1.0), (-2.0, 1.5), (3.0, 0.2)])
def test_what_a_wrong_choice_costs_is_the_mean_over_what_may_be_true(gain, error):
    truth = gain + error * np.random.default_rng(1).normal(size=200_000)
    lost = np.maximum(-np.sign(gain) * truth, 0) if gain else np.maximum(truth, 0)
    assert expected_loss(gain, error) == pytest.approx(lost.mean(), abs=0.01)
    assert expected_loss(gain, 0.0) == 0


def test_by_a_book_only_truthful_calls_are_candidates():
    networks = by_book(terms=Terms(0.5, 0.5))
    view, _ = views(60, seed=6)
    call_model, options = NetworkCallModel(NetworkBidder(networks)), Options(candidates=6)
    misdescription = networks.book.states.misdescription(Queries.of_view(view), view.mask)
    chances = call_model.bidder.probabilities(view)
    queries = Queries.of_view(view)
    own = networks.book.look(queries).call
    likely, rows = 0, np.arange(len(view))
    misdescription[rows, own] = 0
    for row, (calls, _, _) in enumerate(call_model.candidates(view, options)):
        assert calls[0] == chances[row].argmax()
        assert (misdescription[row, calls[1:]] == 0).all()
        likely += ((chances[row] > LIKELY) & (misdescription[row] > 0)).sum()
    assert likely > 20  # so many would have been candidates


def test_a_system_thinks_so_among_strangers():
    """Its partner's calls tell what the system says; opponents' what networks would have made them on."""
    among_strangers = make_reason("sayc", opponents="policy:polish")
    assert len(among_strangers.models) == 3  # a gatekeeper is read by nobody's network but the mixture
    assert len(make_reason("sayc", opponents="policy:acol").models) == 1  # a disclosed network by its own
    (model,) = make_reason("sayc", opponents="system:precision").models
    assert model.own.system.name == "precision"
    view, key = read_states([{"hand": "K842.AQ94.72.J65", "auction": ["1NT", "Pass"]}])
    _, points, drawn = partners(among_strangers, view, key)
    assert drawn.weight @ ((points >= 15) & (points <= 17)) > 0.9
    found = among_strangers.think(view, key)
    assert found.usual == parse_call("2C")  # Stayman
    assert found.chance[0] > 0.5


def test_a_system_that_thinks_leaves_it_only_where_that_pays():
    thinker = make_reason("two-over-one?samples=8", opponents="policy:polish")
    plain = make_system("two-over-one", opponents="policy:polish")
    view, key = views(30, seed=5)
    calls, usual = thinker.bid(view, key), plain.bid(view, key)
    left = np.flatnonzero(calls != usual)
    assert 0 < len(left) < 20
    for row in left:
        found = thinker.think(view.take(np.array([row])), key[row : row + 1])
        assert (found.call, found.usual) == (calls[row], usual[row])
        at = found.calls.index(found.call)
        assert found.gain[at] > max(0.3, found.error[at])
    cautious = make_reason("two-over-one?samples=8&caution=1000", opponents="policy:polish")
    np.testing.assert_array_equal(cautious.bid(view, key), usual)


def test_specs_of_networks_that_think(tmp_path):
    networks_file.save(with_belief(), tmp_path / "b.npz")
    networks_file.save(random_networks(), tmp_path / "n.npz")
    spec = f"policy:{tmp_path / 'b.npz'}"
    assert len(make_reason(spec).models) == 4
    assert len(make_reason(spec, opponents="policy:acol").models) == 1
    assert len(make_reason(spec, opponents="pair:policy:acol,reason:policy:standard").models) == 2
    assert len(make_reason(spec, opponents="system:sayc").models) == 1
    assert len(make_reason(spec, opponents="pair:system:sayc,policy:polish").models) == 4
    assert len(make_reason(spec, opponents="policy:polish").models) == 4  # nobody reads a gatekeeper by its own network
    for bad, says in (
        (f"policy:{tmp_path / 'n.npz'}", "no belief"),
        (f"{spec}?seconds=1", "'seconds' is not an option"),
        ("policy:nobody", "no such network"),
    ):
        with pytest.raises(SpecError, match=says):
            make_reason(bad)
