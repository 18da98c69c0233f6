"""Card players read the calls of networks: deals are as likely as the calls and the cards make them."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from support.plays import keys

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deals import AUCTION, believed_deals
from agents.cardplay.hypotheses import Hypothesis
from agents.cardplay.known_cards import hidden_seats, places_of, view_of_seen
from agents.networks.annealed_sampling import Evidence, annealed_deals
from agents.networks.likelihood import Calls
from agents.networks.shipped import read_networks
from agents.networks.tables import all_by
from agents.registry import default_belief, models_for
from bridge_env.bidders.play_view import play_view
from bridge_env.hands.deals import parse_hand, random_deals
from bridge_env.hands.features import HCP, LENGTH, hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import NOTRUMP, PASS, bid_call
from bridge_env.rules.play import Plays

HAND = parse_hand("KJ53.KJ7.AT92.K5")
CALLS = (bid_call(1, NOTRUMP), PASS, bid_call(3, NOTRUMP), PASS, PASS, PASS)


def at_the_lead():
    return view_of_seen(one_auction(CALLS, 0, 0), 1, HAND)


def belief_of(*specs, count=40):
    return believed_deals(at_the_lead(), 0, AuctionReader(specs), count, keys(1)[0])  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["policy:champion", "policy:by-the-book"])
def test_the_opener_of_one_notrump_is_drawn_with_14_to_18_points(spec):
    belief = belief_of(*[spec] * 4)
    hands = hand_features(belief.owner == 0)
    fits = (hands[:, HCP] >= 14) & (hands[:, HCP] <= 18) & (hands[:, LENGTH : LENGTH + 4].min(axis=1) >= 1)
    assert float(belief.weight @ fits) >= 0.9


def test_networks_and_systems_are_read_at_one_table():
    belief = belief_of("policy:champion", None, "system:sayc", None)
    opener, responder = (hand_features(belief.owner == seat)[:, HCP] for seat in (0, 2))
    assert np.median(opener) >= 14
    assert np.median(responder) >= 7
    unread = hand_features(belief_of(None, None, None, None).owner == 0)[:, HCP]
    assert np.median(unread) < 14


def test_gatekeepers_are_read_as_strangers_and_idle_players_not_at_all():
    (champion,) = models_for("reason:policy:champion")
    assert champion is read_networks("champion").policy
    for stranger in ("policy:humans", "seat:http://127.0.0.1:1"):
        read = models_for(stranger)
        assert len(read) == 3
        assert read_networks("humans").policy not in read
    for other in ("pass", "random", "system:sayc", None):
        assert models_for(other) == []


def test_a_reader_is_sent_with_its_specs_alone():
    reader = AuctionReader(("policy:champion",) * 4)
    assert pickle.loads(pickle.dumps(reader)).networks(at_the_lead(), 0).keys() == {0, 1, 2, 3}


def played(count, length):
    """Boards that the champion bid, after ``length`` cards by chance."""
    owner, seats = random_deals(3, 0, count), np.arange(count, dtype=np.int16) & 3
    auctions = all_by(read_networks("champion").policy, owner, seats, seats)
    there = np.flatnonzero(auctions.contracts().bid >= 0)
    auctions, contracts = auctions.take(there), auctions.take(there).contracts()
    plays = Plays(owner[there], contracts.declarer, contracts.bid % 5)
    for number in range(length):
        chance = streams.uniforms(streams.key("card", number, there), 52)
        plays.step(np.where(plays.legal(), chance, -1).argmax(axis=1))
    return plays, play_view(plays, contracts, seats[there], auctions)


@pytest.mark.parametrize("length", [0, 30])
def test_weighed_deals_hold_the_facts(length):
    _, view = played(3, length)
    reader = AuctionReader(("policy:champion",) * 4)
    for row in range(len(view)):
        belief = believed_deals(view, row, reader, 12, keys(1)[0])
        places = places_of(view, row)
        assert places.may_hold[belief.owner, np.arange(52)].all()
        assert ((belief.owner[:, :, None] == np.arange(4)).sum(axis=1) == 13).all()
        assert belief.weight.sum() == pytest.approx(1)
    again = believed_deals(view, row, reader, 12, keys(1)[0])
    assert (again.owner == belief.owner).all()


def test_deals_come_as_often_as_their_evidence_says():
    """Late in the play all deals can be listed; the frequencies are those of their weights."""
    _, view = played(3, 35)
    for row in (1, 2):
        seat, hidden, places = int(view.seat[row]), hidden_seats(view, row), places_of(view, row)
        calls = Calls.of(view.history[row][view.history[row] >= 0], int(view.dealer[row]), int(view.vulnerability[row]))
        low = Hypothesis(hidden[0], (((tuple(range(13)), 0, 2),),))
        networks = {s: [read_networks("champion").policy] for s in hidden}
        evidence = Evidence(calls, networks, suggestions=[low])
        listed = all_deals(places, hidden)
        log = sum(evidence.log(s, listed == s) for s in hidden)
        share = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
        sample = annealed_deals(places, seat, view.hand[row], evidence, default_belief(), 1500, keys(1)[0])
        met = (sample.owner[:, None] == listed[None]).all(axis=2)
        assert met.any(axis=1).all()
        assert np.abs(met.mean(axis=0) - share).sum() / 2 < 0.1


def all_deals(places, hidden):
    """Every deal in which the cards have such places, uint8 (N, 52)."""
    one, other = hidden
    free = np.flatnonzero(places.may_hold[one] & places.may_hold[other])
    sure = places.may_hold.argmax(axis=0).astype(np.uint8)
    needs = 13 - int((np.delete(sure, free) == one).sum())
    deals = []
    for held in combinations(free.tolist(), needs):
        deal = sure.copy()
        deal[free] = other
        deal[list(held)] = one
        deals.append(deal)
    return np.array(deals)


def test_what_most_deals_contradict_is_not_believed():
    _, view = played(4, 20)
    belief = believed_deals(view, 0, AuctionReader(("policy:champion",) * 4), 20, keys(1)[0])
    for hypothesis in belief.accepted:
        assert ((hypothesis.violation(belief.owner == hypothesis.seat) == 0) @ belief.weight) > 0.5
    only = believed_deals(view, 0, AuctionReader(("policy:champion",) * 4), 20, keys(1)[0], AUCTION)
    assert not only.accepted
