"""Play against an opponent's belief: the paired update, and what must hold of lines whatever he believes."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.plays import after as played_after
from support.plays import cards, contracts_of, keys, random_plays

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deals import FACTS
from agents.cardplay.deception.deceptive import Deceptive, DeceptiveOptions, candidate_for, candidates, chosen
from agents.cardplay.deception.lines import Lines
from agents.cardplay.deception.lookahead import (
    Lookahead,
    SearchDeals,
    SearchResult,
    Size,
    opponents_views,
    search_order,
)
from agents.cardplay.deception.paired import Solver, real_values
from agents.cardplay.table import distinct_cards
from bridge_env.bidders.play_view import play_view
from bridge_env.double_dummy.positions import card_tricks


def ending(seed, length):
    plays, _ = random_plays(1, seed, length)
    cards_now = plays.cards(0)
    trick = cards_now[length & ~3 :]
    return plays, int(plays.leader[0]), trick


def value_of(plays, leader, trick, imagined, side, solver):
    line = Lines.of(plays.left[:1], imagined[None], leader, trick, side, int(plays.strain[0]), depth=2)
    return float(real_values(line, [0], solver, 5000)[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("length", [36, 38, 41])
def test_a_true_belief_yields_double_dummy_and_another_never_less(seed, length):
    plays, leader, trick = ending(seed, length)
    side = int(plays.turn[0]) & 1
    solver = Solver()
    trick_row = np.array([*trick, -1, -1, -1][:3], np.int8)
    best = int(card_tricks(plays.left, plays.strain, leader, trick_row, threads=1).max())
    assert value_of(plays, leader, trick, plays.left[0], side, solver) == best
    rng = np.random.default_rng(seed)
    for _ in range(3):  # the two hands that an opponent does not see, dealt anew
        imagined = plays.left[0].copy()
        hidden = np.flatnonzero((imagined == side) | (imagined == 1 - side))
        imagined[hidden] = rng.permutation(imagined[hidden])
        assert best <= value_of(plays, leader, trick, imagined, side, solver) <= 13 - length // 4


def test_the_tree_agrees_with_the_update_followed_by_hand():
    """Two cards each, no trump, E leads against my side NS. E believes that S holds what N holds, and the reverse."""
    real = np.full(52, 255, np.uint8)
    for seat, hand in enumerate(("SA S2", "SK HK", "HA H2", "S3 H3")):
        real[cards(hand)] = seat
    imagined = real.copy()
    imagined[cards("SA S2")] = 2
    imagined[cards("HA H2")] = 0
    solver = Solver()
    for belief in (real, imagined):
        (value,) = real_values(Lines.of(real[None], belief[None], 1, (), 0, 4, depth=2), [0], solver, 100)
        replies = []
        for card in cards("SK HK"):
            left = real.copy()
            left[card] = 255
            ours = card_tricks(left, 4, 1, [card, -1, -1], threads=1).max()
            looks = belief.copy()
            looks[card] = 255
            theirs = card_tricks(looks, 4, 1, [card, -1, -1], threads=1).max()
            replies.append((int(theirs), int(ours)))
        chosen = min(replies)[1]  # what follows is his to go wrong in, too
        assert value == chosen if belief is real else value >= chosen


def test_one_card_of_each_run():
    held, elsewhere = (np.isin(np.arange(52), cards(these))[None] for these in ("S3 S4 S6 SA", "S5"))
    assert np.flatnonzero(distinct_cards(held, elsewhere)).tolist() == cards("S3 S6")  # seven to king are played
    elsewhere[0, cards("SQ")] = True
    assert np.flatnonzero(distinct_cards(held, elsewhere)).tolist() == cards("S3 S6 SA")


DEAL = "N:AQ7.K65.Q83.A742 KT92.873.K74.KJ5 J53.AQT.AJT65.Q3 864.J942.92.T986"


def test_what_the_next_opponent_sees():
    plays, view = played_after(DEAL, 2, 4, "C6 C2 CJ")
    deals = np.stack([plays.owner[0]] * 3)
    seen = opponents_views(view, 0, cards("CQ")[0], deals)
    assert seen.seat.tolist() == [3] * 3  # S has won and leads; W plays next
    assert (seen.hand == (deals == 3)).all()
    assert (seen.dummy == (deals == 0)).all()
    assert (seen.length == 4).all()
    lead, _ = played_after(DEAL, 1, 4, "")
    leader_view = opponents_views(play_view(lead, contracts_of(lead), 0), 0, cards("D5")[0], deals[:1])
    assert leader_view.seat.tolist() == [1]  # W is dummy: declarer decides, and sees dummy
    assert leader_view.dummy.any()


def a_search():
    plays, _ = random_plays(1, 5, 37)
    view = play_view(plays, contracts_of(plays), 0)
    legal = np.flatnonzero(view.mask[0])
    tricks = np.zeros((1, len(legal)), np.int8)
    deals = SearchDeals(plays.owner[:1], np.ones(1), tricks, np.zeros(len(legal)))
    return Lookahead(view, 0, keys(1)[0], legal, deals, AuctionReader(), FACTS, "tricks")


def test_a_deal_of_no_weight_does_not_count(monkeypatch):
    """All weight on one of the deals that he imagines is the same as that deal alone."""
    size, gains = Size(1, 200, 1, 0), []
    deals = a_search().imagined(0, 0, 200).owner
    for some, weight in ((deals, np.eye(len(deals))[-1]), (deals[-1:], np.ones(1))):
        search = a_search()
        monkeypatch.setattr(
            search, "imagined", lambda *_, some=some, weight=weight: SimpleNamespace(owner=some, weight=weight)
        )
        gains.append(search.exact(size, 10**6).average)
    assert gains[0] == pytest.approx(gains[1])


def test_touching_honours_are_candidates_of_their_own():
    _, view = played_after(DEAL, 2, 4, "H2 H5 H8")
    assert set(cards("HT HQ HA")) == set(candidates(view, 0).tolist())
    _, view = played_after(DEAL, 2, 4, "C6 C2")
    assert candidates(view, 0).tolist() == cards("C5 CJ CK")


def test_of_equal_deals_chance_picks_some_and_others_go_first():
    weight = np.full(40, 1 / 40)
    picks = [search_order(weight, key)[:4] for key in keys(200)]
    assert all(len(set(pick.tolist())) == 4 for pick in picks)
    assert np.bincount(np.concatenate(picks), minlength=40).min() > 0  # a belief's deals are in order of their cards
    weight[[7, 30]] = 1
    assert set(search_order(weight, keys(1)[0])[:2].tolist()) == {7, 30}


def test_touching_honours_are_thought_about_but_dummys_are_not():
    """W has queen-jack alone and has to follow: plainly there is no choice, but they may show different things."""
    deal = "N:A987.K65.Q83.A74 KT.873.KT42.KJ53 65432.AQT.AJ6.92 QJ.J942.975.QT86"
    options = DeceptiveOptions(deals=4, real=2, imagined=2, depth=1, lines=50, when="always")
    player = Deceptive(options=options)
    _, view = played_after(deal, 2, 4, "H2 H5 H3 HQ S2")
    (found,) = player.think(view, keys(1))
    assert player.montecarlo.think(view, keys(1))[0].belief is None
    assert found.cards.tolist() == cards("SJ SQ")
    deal = "N:A987.K65.QJ.A743 KT.873.KT42.KJ52 65432.AQT.A63.98 QJ.J942.9875.QT6"
    _, view = played_after(deal, 2, 4, "H2 H5 H3 HQ D3 D5")  # everybody sees dummy's queen-jack
    (found,) = player.think(view, keys(1))
    assert found.plain_decision.belief is None
    assert not len(found.cards)


@pytest.mark.parametrize("length", [33, 38])
def test_the_player_is_legal_and_equal_in_batches(length):
    plays, _ = random_plays(3, length, length)
    view = play_view(plays, contracts_of(plays), 0)
    options = DeceptiveOptions(deals=6, real=3, imagined=3, depth=1, when="always", score="tricks")
    player = Deceptive(options=options)
    found = player.think(view, keys(3))
    for row, deception in enumerate(found):
        at = np.array([row])
        assert view.mask[row, deception.card]
        assert player.play(view.take(at), keys(3)[at]).tolist() == [deception.card]
        if deception.result is not None:
            seen = deception.result.seen
            assert (deception.result.average >= seen - 1e-9).all()  # he cannot do better by believing
            both = deception.card, deception.plain_decision.card
            chosen_at, plain_at = (candidate_for(deception.cards, card) for card in both)
            assert seen[chosen_at] >= seen[plain_at] - options.risk - 1e-9


def test_it_is_used_where_no_card_reaches_the_goal():
    plays, _ = random_plays(6, 5, 36)
    view = play_view(plays, contracts_of(plays), 0)
    needed = Deceptive(options=DeceptiveOptions(deals=6, real=2, imagined=2, depth=1))
    for row, found in enumerate(needed.think(view, keys(6))):
        if found.plain_decision.belief is None:
            assert found.card == found.plain_decision.card
        elif len(found.cards) == 0:
            assert found.card == found.plain_decision.card
            level = int(view.bid[row]) // 5 + 7
            left = 13 - int(view.length[row]) // 4
            ours = (view.turn[row] ^ view.declarer[row]) & 1 == 0
            total = view.won[row] + (found.plain_decision.tricks if ours else left - found.plain_decision.tricks)
            reached = (total >= level) == ours
            assert (found.plain_decision.belief.weight @ reached).max() >= 0.5


def a_result(seen, gain):
    deals = len(gain)
    return SearchResult(np.array(seen, float), np.array(gain, float), np.full(deals, 1 / deals), [])


def test_how_sure_a_gain_is_by_hand():
    """Gains over the plain card of 2, 0 and 1, and 0 in the deal more: mean 0.75, error sqrt(2.75 / 4 / 3)."""
    result = a_result([5, 5, 4], [[0, 2, 3], [1, 1, 1], [0, 1, 3]])
    assert result.average.tolist() == pytest.approx([5 + 1 / 3, 5 + 4 / 3, 4 + 7 / 3])
    assert result.surely(0, 0.0).tolist() == pytest.approx([0, 1, 1])
    assert result.surely(0, 1.0)[:2].tolist() == pytest.approx([0, 1 - np.sqrt(2.75 / 12)])
    weighed = SearchResult(result.seen, result.gain[:2], np.array([0.75, 0.25]), [])
    assert weighed.surely(0, 0.0)[1] == pytest.approx(0.75 * 2)


def test_another_card_than_the_plain_one_is_taken_where_it_surely_gains():
    def by(found, plain=0, average=None, sure=0.0, risk=1000.0):
        return chosen(found, found.seen if average is None else average, plain, DeceptiveOptions(sure=sure, risk=risk))

    lucky = a_result([5, 5, 5], [[0, 4, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert [by(lucky, sure=errors) for errors in (0.0, 2.0)] == [1, 0]
    clear = a_result([5, 4.9, 5], [[0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]])
    assert [by(clear, sure=errors) for errors in (0.0, 1.0, 2.0)] == [1, 1, 1]
    assert [by(clear, risk=risk) for risk in (0.2, 0.1, 0.05, 0.0)] == [1, 1, 0, 0]
    # Of equal ones the least risk; then the better one by montecarlo; then the plain one.
    equal = a_result([5, 4, 5], [[0, 2, 1], [0, 2, 1]])
    assert by(equal) == 2
    nothing = a_result([5, 5, 5], [[0, 0, 0]])
    assert by(nothing, average=np.array([5.0, 6.0, 5.0])) == 1
    assert by(nothing, plain=2, sure=1.0) == 2
