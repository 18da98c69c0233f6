"""Players of cards: what they may believe, what they play, and that a batch equals its rows."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from support.plays import after, card, cards, contracts_of, keys, random_plays

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deals import FACTS, _Search, believed_deals
from agents.cardplay.hypotheses import Hypothesis, hypotheses, opening_lead
from agents.cardplay.known_cards import places_of
from agents.cardplay.montecarlo import MonteCarlo, has_choice, solve_cards
from agents.cardplay.options import Options
from agents.cardplay.placing import chances_of_next
from agents.cardplay.registry import make_player
from agents.cardplay.rule import RulePlayer
from agents.networks.meaning import auction_keys
from agents.registry import network_at
from bridge_env.bidders.play_view import play_view
from bridge_env.bidders.protocols import CardPlayer
from bridge_env.bidders.registry import SpecError
from bridge_env.hands.deals import parse_deal, random_deals
from bridge_env.hands.features import HCP, hand_features
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import NOTRUMP, parse_call
from bridge_env.rules.play import Plays
from bridge_env.sampling import hand

SPADES = 3


def views(count, seed, length):
    plays, _ = random_plays(count, seed, length)
    return plays, play_view(plays, contracts_of(plays), 0)


def check_facts(plays, view, row, owner):
    """The deals uint8 (S, 52) hold all that the player has seen."""
    assert ((owner[:, :, None] == np.arange(4)).sum(axis=1) == 13).all()
    assert ((owner == view.seat[row]) == view.hand[row]).all()
    if view.length[row]:
        assert ((owner == view.declarer[row] ^ 2) == view.dummy[row]).all()
    order, players = plays.cards(row), plays.players[row].tolist()
    for number, played in enumerate(order):
        seat, suit = players[number], order[number & ~3] // 13
        assert (owner[:, played] == seat).all()
        if played // 13 != suit:  # it showed out: what it had of the suit was played before
            had = [c for c, p in zip(order[:number], players, strict=False) if p == seat and c // 13 == suit]
            assert ((owner[:, 13 * suit : 13 * suit + 13] == seat).sum(axis=1) == len(had)).all()


def test_sampled_deals_hold_the_facts():
    rng = np.random.default_rng(1)
    count, done = 60, 0
    while done < count:
        length = int(rng.integers(0, 52))
        plays, view = views(min(50, count - done), int(rng.integers(1 << 30)), length)
        for row, key in enumerate(keys(len(view))):
            belief = believed_deals(view, row, AuctionReader(), 6, key)
            check_facts(plays, view, row, belief.owner)
            assert belief.weight.sum() == pytest.approx(1)
            assert len(np.unique(belief.owner, axis=0)) == len(belief.owner)
            if not belief.sample.violation.any():
                for accepted in belief.accepted:
                    assert (accepted.violation(belief.owner == accepted.seat) == 0).all()
        done += len(view)


def test_deals_fit_the_auction_where_it_can_be_read():
    owner = random_deals(5, 0, 1)
    auctions = Auctions(0, 0)
    for call in (7, 0, 0, 0):  # 1NT by N
        auctions.step(call)
    plays = Plays(owner, 0, NOTRUMP)
    plays.step(plays.legal().argmax(axis=1))
    view = play_view(plays, auctions.contracts(), 0, auctions)
    assert view.seat.tolist() == [0]
    plays.step(plays.legal().argmax(axis=1))
    view = play_view(plays, auctions.contracts(), 0, auctions)
    assert view.seat.tolist() == [3]
    read = believed_deals(view, 0, AuctionReader(("system:sayc",) * 4), 30, keys(1)[0], "auction")
    points = hand_features(read.owner == 0)[:, HCP]
    assert read.sample.fitting == len(read.sample)
    assert ((points >= 15) & (points <= 17)).all()
    unread = believed_deals(view, 0, AuctionReader(("system:sayc",) * 4), 30, keys(1)[0], FACTS)
    assert hand_features(unread.owner == 0)[:, HCP].std() > points.std()


DEAL = "N:AQ7.K65.Q83.A742 KT92.873.K74.KJ5 J53.AQT.AJT65.Q3 864.J942.92.T986"
"""S plays 3NT; the hands N E S W."""


@pytest.mark.parametrize(
    ("lead", "strain", "fits", "not_fits"),
    [
        ("SK", NOTRUMP, ["SK SA", "SK SQ S2"], ["SK SJ ST", "SK S4 S3"]),
        ("HQ", NOTRUMP, ["HQ HJ HT", "HA HQ HJ"], ["HK HQ HJ", "HQ HT H9"]),
        ("HQ", SPADES, ["HQ HJ", "HQ", "HQ H5"], ["HQ H5 H3", "HK HQ"]),
        ("H4", NOTRUMP, ["HK HT H7 H4 H2", "HK H8 H4", "H4 H3"], ["HK H4", "HK HQ HT H7 H4", "H4"]),
        ("H4", SPADES, ["H4", "H4 H3", "HJ H6 H4"], ["H9 H8 H4", "HJ H4"]),
        ("ST", SPADES, [], []),
        ("HA", SPADES, [], []),
    ],
)
def test_opening_leads_by_convention(lead, strain, fits, not_fits):
    hypothesis = opening_lead(3, card(lead), strain)
    if not fits:
        assert hypothesis is None
        return
    for holdings, ok in ((fits, True), (not_fits, False)):
        for holding in holdings:
            hand = np.zeros((1, 52), bool)
            hand[0, cards(holding)] = True
            assert (hypothesis.violation(hand)[0] == 0) == ok, (lead, holding)


@pytest.mark.parametrize(
    ("played", "seat", "lacking"),
    [
        ("H2 H5 H7 HT", 2, "H8 H9"),
        ("H2 H5 H8 HA DJ D2 D3 D7", 1, "D4 D5 D6 DQ DK DA"),
        ("H2 H5 H8 HA D5 D9 D3 D7", 1, "D2 D4 D6"),
        ("H2 H5 H8 HA DJ D2 D3 D4 D5 D9 D8 D7", 1, "D2 D3 D6"),
        ("C6 C2 CK C3", 1, "CQ"),
    ],
)
def test_what_third_and_last_hand_lack(played, seat, lacking):
    _, view = after(DEAL, 2, NOTRUMP, played)
    hypothesis = hypotheses(view, 0, [seat])[-1]
    assert hypothesis.lacking() == cards(lacking)


def test_third_hand_plays_high_over_low_cards():
    """W leads low, dummy has no honour: E's jack is from jack, queen-jack, king-queen-jack …, not from king-jack."""
    deal = "N:A87.KQ5.AJ83.743 JT4.A76.974.QJT8 K93.T432.QT2.A95 Q652.J98.K65.K62"
    _, view = after(deal, 2, NOTRUMP, "C2 C3 CJ")
    (hypothesis,) = [h for h in hypotheses(view, 0, [1]) if len(h.alternatives) > 1]
    for holding, fits in (("CJ", 1), ("CJ CQ", 1), ("CJ CQ CK CA", 1), ("CJ CK", 0), ("CJ CQ CA", 0), ("CJ CA", 0)):
        held = np.zeros((1, 52), bool)
        held[0, cards(holding)] = True
        assert (hypothesis.violation(held)[0] == 0) == fits
    for played in ("S2 S7 SJ", "D5 D3 D9"):  # he may finesse over dummy's ace; the nine says little
        _, view = after(deal, 2, NOTRUMP, played)
        assert [h for h in hypotheses(view, 0, [1]) if len(h.alternatives) > 1] == []


def test_a_discard_or_a_trick_taken_from_partner_shows_nothing():
    _, view = after(DEAL, 2, NOTRUMP, "H2 H5 H7 HT S3 S8 S7 S2")
    assert hypotheses(view, 0, [1]) == []  # it could follow below: the deuce is the least
    _, view = after(DEAL, 2, NOTRUMP, "C6 C2 CJ CQ S3 S8 S7 S9")
    assert hypotheses(view, 0, [1])[1:] == []


def test_hypotheses_against_the_facts_and_against_each_other_are_discarded():
    # W leads the king and shows out in the next round: neither ace nor queen can be there.
    deal = "N:A432.765.8765.43 Q8765.432.432.52 JT9.AKQ8.AKQJ.AT K.JT9.T9.KQJ9876"
    plays, view = after(deal, 2, NOTRUMP, "SK SA S5 S9 S2 S6 ST C6")
    assert plays.turn.tolist() == [2]
    belief = believed_deals(view, 0, AuctionReader(), 10, keys(1)[0])
    lead, *_ = hypotheses(view, 0, [3])
    assert lead == opening_lead(3, card("SK"), NOTRUMP)
    assert lead not in belief.accepted
    assert belief.sample.fitting == len(belief.sample)


def test_a_hypothesis_against_the_auction_is_discarded():
    """Three spades are shown, which leaves no room for a hand with one; where nothing fits, all hypotheses stay."""
    _, view = after(DEAL, 2, NOTRUMP, "S8 S7 ST SJ")
    hypothesis = hypotheses(view, 0, [3])
    assert hypothesis
    places = places_of(view, 0)
    never = hand({"length:S": 0})  # W has played a spade: what the auction says cannot be, with or without it
    nothing_fits = _Search(places, {3: never}, keys(1)[0]).believed(hypothesis, 5)
    assert nothing_fits.accepted == hypothesis
    assert nothing_fits.sample.fitting == 0
    alone = Hypothesis(3, (((tuple(cards("S6 S4 S9 SK")), 0, 0),),))
    three = hand({"length:S": 3})
    belief = _Search(places, {3: three}, keys(1)[0]).believed([alone], 5)
    assert belief.accepted == []
    assert belief.sample.fitting == 5


@pytest.mark.parametrize("spec", ["random", "rule", "montecarlo?deals=3&score=tricks", "montecarlo?deals=3"])
def test_players_are_legal_alike_in_batches_and_alone_and_travel(spec):
    player = make_player(spec)
    assert isinstance(player, CardPlayer)
    other = pickle.loads(pickle.dumps(player))
    for length in (28, 41):
        _, view = views(12, length, length)
        chosen = player.play(view, keys(12))
        assert chosen.dtype == np.int8
        assert view.mask[np.arange(12), chosen].all()
        for row in range(12):
            at = np.array([row])
            assert other.play(view.take(at), keys(12)[at]) == chosen[at]


def test_a_choice_between_touching_cards_is_none():
    _, view = after(DEAL, 2, NOTRUMP, "C6 C2 CJ")
    assert has_choice(view).tolist() == [True]  # queen or three
    deal = "N:432.432.432.5432 AKQJ.765.765.T76 5.AKQJT98.AKQJT. T9876.-.98.AKQJ98".replace("-", "")
    plays = Plays(parse_deal(deal), 2, 4)
    plays.step([card("CA")])
    plays.step([card("C2")])
    view = play_view(plays, contracts_of(plays), 0)
    assert has_choice(view).tolist() == [True]  # E: ten, seven, six around the present trick's two
    plays.step([card("C7")])
    plays.step([card("H8")])
    plays.step([card("CK")])
    view = play_view(plays, contracts_of(plays), 0)
    assert has_choice(view).tolist() == [False]  # N: five, four, three


def test_montecarlo_plays_what_is_best_on_average():
    """Its card has the best average, over deals that hold the facts, at the values of the positions themselves."""
    plays, _ = random_plays(15, seed=12, cards=36)
    view = play_view(plays, contracts_of(plays), 0)
    player = MonteCarlo(options=Options(deals=60, score="tricks", inference=FACTS))
    for row, thought in enumerate(player.think(view, keys(15))):
        if thought.belief is None:
            continue
        assert thought.card in thought.cards[thought.average >= thought.average.max() - 1e-6]
        assert thought.average.max() == pytest.approx((thought.belief.weight @ thought.tricks).max())
        check_facts(plays, view, row, thought.belief.owner)
        (again,) = solve_cards(view, np.array([row]), [thought.belief.owner])
        assert (again[:, thought.cards] == thought.tricks).all()


def test_montecarlo_finesses():
    """The ace of spades is played; N leads low towards the queen and jack, E plays low."""
    deal = "N:A432.432.432.432 KT98.T98.T98.T98 QJ65.AKQ.AKQ.AKQ 7.J765.J765.J765"
    plays, _ = after(deal, 2, NOTRUMP, "H5 H2 H8 HA S5 S7 SA S8 S2 S9")
    view = play_view(plays, contracts_of(plays), 0)
    player = MonteCarlo(options=Options(deals=20, score="tricks"))
    (thought,) = player.think(view, keys(1))
    assert thought.card in cards("SJ SQ")


@pytest.mark.parametrize("score", ["tricks", "points", "imps"])
def test_what_is_summed(score):
    _, view = views(6, seed=21, length=34)
    view_all = MonteCarlo(options=Options(deals=10, score=score)).think(view, keys(6))
    for row, thought in enumerate(view_all):
        if thought.belief is None:
            continue
        ours = (view.turn[row] ^ view.declarer[row]) & 1 == 0
        more = np.diff(np.take_along_axis(thought.worth, np.argsort(thought.tricks, axis=1), axis=1), axis=1)
        assert (more >= 0).all(), ours  # more tricks are never worth less
        if score == "tricks":
            assert (thought.worth == thought.tricks).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nobody", "names no player of cards"),
        ("rule?deals=3", "has no options"),
        ("montecarlo?deal=3", "'deal' is not an option"),
        ("montecarlo?deals=0", "deals must be a whole number >= 1"),
        ("montecarlo?deals=many", "deals must be a whole number"),
        ("montecarlo?score=glory", "score must be tricks or points or imps"),
        ("deceptive?sure=nan", "sure must be a number >= 0"),
        ("deceptive?when=never", "when must be needed or always"),
        ("python:nowhere", "write python:package.module:factory"),
        ("python:nowhere:at_all", "No module named .nowhere."),
        ("python:random:Random", "no method play"),
        (7, "neither a spec string nor a CardPlayer"),
    ],
)
def test_faulty_specs(spec, message):
    with pytest.raises(SpecError, match=message):
        make_player(spec)


ANY_HAND = np.array([[0, 37], *[[0, 13]] * 4], np.int16)


class Shown(AuctionReader):
    """Reads from any auction that ``seat`` has shown ``ranges``: points and cards of C D H S, the least and most."""

    def __init__(self, seat, ranges):
        super().__init__()
        self._of_seats = np.tile(ANY_HAND, (4, 1, 1))
        for quantity, bounds in ranges.items():
            self._of_seats[seat, quantity] = bounds

    def ranges(self, view):
        return np.tile(self._of_seats, (len(view), 1, 1, 1))


TENACE = "N:AQJ2.432.432.432 K54.AKQ5.QJT.JT9 T93.JT9.AK5.AK65 876.876.9876.Q87"
"""S declares; N has ace, queen and jack of spades. The clubs are led."""


def chances(reader):
    plays, _ = after(TENACE, 2, NOTRUMP, "C7 C2 C9 CA")
    view = play_view(plays, contracts_of(plays), 0)
    return chances_of_next(view, reader.ranges(view))[0]


def test_honours_are_placed_with_points_and_lengths():
    west, east = 3, 1
    even = chances(AuctionReader())
    assert even[card("SK")] == pytest.approx(0.5, abs=0.02)
    opener = chances(Shown(east, {0: (13, 21)}))
    assert opener[card("SK")] < 0.3
    assert opener[card("S8")] == pytest.approx(0.5, abs=0.02)  # no honour
    assert chances(Shown(west, {0: (13, 21)}))[card("SK")] > 0.7
    assert chances(Shown(west, {4: (5, 13)}))[card("SK")] > 0.7
    assert chances(Shown(east, {0: (30, 37)}))[card("SK")] == 0  # all that is left


@pytest.mark.parametrize(("points", "goes_up"), [((0, 37), False), ((0, 2), True)])
def test_declarer_finesses_unless_the_king_is_known_to_be_behind(points, goes_up):
    plays, _ = after(TENACE, 2, NOTRUMP, "C7 C2 C9 CA S3 S6")
    chosen = RulePlayer(Shown(3, {0: points})).play(play_view(plays, contracts_of(plays), 0), keys(1))
    assert chosen[0] == (card("SA") if goes_up else card("SJ"))


def test_a_defender_leads_the_suit_that_partner_has_shown():
    deal = "N:AQJ2.432.432.432 K5.AK987.QJT.JT9 T943.QJ.AK5.AK65 876.T65.9876.Q87"
    plays, _ = after(deal, 2, NOTRUMP, "")
    view = play_view(plays, contracts_of(plays), 0)
    leads = [int(RulePlayer(r).play(view, keys(1))[0]) // 13 for r in (None, Shown(1, {3: (5, 13)}))]
    assert leads == [1, 2]  # the longest suit; partner's hearts


def test_ranges_are_those_of_systems_and_of_measured_networks():
    calls = [parse_call(word) for word in ("1H", "1S", "P", "P")]
    auctions = one_auction([*calls, parse_call("X"), 0, 0, 0], 0)
    _, view = after(DEAL, 1, SPADES, "")
    view = replace(view, history=auctions.history, dealer=auctions.dealer.astype(np.int16))
    assert (AuctionReader().ranges(view) == ANY_HAND).all()
    shown = AuctionReader.of_sides("system:sayc", "policy:champion").ranges(view)[0]
    assert shown[0, 3, 0] >= 5  # North has opened one heart
    assert shown[0, 0, 0] >= 10
    measured = network_at("policy:champion", "policy:champion", 1).meanings()
    met = measured.find(auction_keys(auctions.history))[0]
    for seat in (1, 3):
        latest = max(k for k in range(8) if k & 3 == seat and met[k] >= 0)
        assert (shown[seat] == measured.ranges[met[latest]]).all()
