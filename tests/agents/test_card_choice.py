"""How ``montecarlo`` chooses: equals within the error, more deals while cards are close, deals weighed by the play."""

from __future__ import annotations

import numpy as np
import pytest
from support.cardplay import after, card, cards, keys
from support.plays import contracts_of, random_plays

from agents.cardplay.auction import AuctionReader
from agents.cardplay.choice import SLACK, Choice, behind, close, equals
from agents.cardplay.deals import LIKELY, believed_deals, prioritized
from agents.cardplay.lead import (
    ACE,
    ACE_KING,
    FLATTERED,
    LEAD_SLACK,
    OTHER,
    SINGLETON,
    TRUMP,
    conventional_lead,
    flattery,
    kind_of_lead,
)
from agents.cardplay.likelihood import FOURTH, LEAD, OPENING, SECOND, THIRD, USUAL, VOID, kind_of, log_likelihood
from agents.cardplay.montecarlo import MonteCarlo
from agents.cardplay.options import CONVENTION, IMPS, SOLVED, Options
from agents.cardplay.registry import make_player
from agents.cardplay.rule import RulePlayer
from bridge_env.calls import NOTRUMP
from bridge_env.cards import parse_deal
from bridge_env.play import Plays
from bridge_env.play_view import play_view

HEARTS, SPADES = 2, 3
DEAL = "N:AQ7.K65.Q83.A742 KT92.873.K74.KJ5 J53.AQT.AJT65.Q3 864.J942.92.T986"
PLAIN = "montecarlo?lead=solved"


def choice(worth, tricks=None) -> Choice:
    values = np.array(worth, float)
    count = np.array(tricks if tricks is not None else worth).astype(np.int8)
    return Choice(np.full(len(values), 1 / len(values)), values, count)


# --- ties -----------------------------------------------------------------------------------------------


def test_the_error_is_that_of_the_paired_difference():
    weight = np.array([0.25, 0.25, 0.25, 0.25])
    mean, error = behind(weight, np.array([[9.0, 8.0], [1.0, 1.0], [5.0, 4.0], [3.0, 3.0]]))
    assert mean.tolist() == [0.0, 0.5]
    assert error[1] == pytest.approx(np.sqrt(1 / 12 * 4 * 0.25 * 1.0))  # deviations of one half on four deals
    assert behind(np.ones(1), np.array([[2.0, 1.0]]))[1].tolist() == [0, 0]


def test_where_imps_saturate_tricks_decide():
    """Both cards come to +17 on every deal, and one takes a trick more."""
    both = choice([[17, 17], [17, 17], [17, 17]], [[11, 12], [10, 11], [11, 12]])
    assert equals(both, 2.0, SLACK[IMPS]).tolist() == [1]
    assert equals(both, 0.0, SLACK[IMPS]).tolist() == [1]


def test_without_errors_only_the_best_averages_are_equal():
    assert equals(choice([[17, 16], [16, 17], [17, 16]]), 0.0, SLACK[IMPS]).tolist() == [0]
    assert equals(choice([[17, 16], [16, 17]]), 0.0, SLACK[IMPS]).tolist() == [0, 1]


def test_cards_within_the_error_are_equal_but_not_at_any_price():
    noise = np.tile([1.0, -1.0], 50)
    near = choice(np.column_stack([noise * 0, 0.1 * noise - 0.02]), np.ones((100, 2)))
    assert equals(near, 2.0, SLACK[IMPS]).tolist() == [0, 1]
    assert equals(near, 1.0, SLACK[IMPS]).tolist() == [0]
    dear = choice(np.column_stack([noise * 0, 5 * noise - 0.4]), np.ones((100, 2)))
    assert equals(dear, 2.0, SLACK[IMPS]).tolist() == [0]  # within the error, yet 0.4 IMPs


def test_only_cards_that_differ_somewhere_are_close():
    assert not close(choice([[3, 3], [5, 5]]))
    assert close(choice([[3, 4], [6, 5], [5, 5]]))
    assert not close(choice([[3, 1], [6, 4], [5, 3]]))


# --- more deals -----------------------------------------------------------------------------------------


def test_deals_are_added_while_cards_are_close_and_not_beyond_the_bounds():
    plays, _ = random_plays(12, seed=12, cards=20)
    view = play_view(plays, contracts_of(plays), 0)

    def counts(**options: int) -> list[int]:
        player = MonteCarlo(options=Options(deals=10, **options), threads=1)
        return [0 if t.belief is None else len(t.belief.owner) for t in player.think(view, keys(12))]

    few, many, dear = counts(most=1), counts(most=5), counts(most=5, solves=1)
    assert 8 <= max(few) <= 10  # some deals come twice
    assert dear == few
    assert 40 < max(many) <= 50
    assert all(a <= b for a, b in zip(few, many, strict=True))
    assert any(a == b > 0 for a, b in zip(few, many, strict=True))  # where the best is clear, ten are enough


def test_a_race_is_the_same_alone_and_among_others():
    plays, _ = random_plays(6, seed=3, cards=33)
    view = play_view(plays, contracts_of(plays), 0)
    player = make_player("montecarlo?deals=6&most=5")
    together = player.play(view, keys(6)).tolist()
    assert [player.play(view.take(np.array([i])), keys(6)[[i]])[0] for i in range(6)] == together


def test_the_plain_algorithm_is_still_there():
    """One look at the deals, the best average, the card of the rules among equals."""
    plays, _ = random_plays(15, seed=12, cards=36)
    view = play_view(plays, contracts_of(plays), 0)
    usual = RulePlayer().play(view, keys(15))
    for row, thought in enumerate(make_player(PLAIN).think(view, keys(15))):
        if thought.belief is None:
            continue
        best = thought.cards[thought.average >= thought.average.max() - 1e-9]
        assert thought.card == (usual[row] if usual[row] in best else best[np.lexsort((best, best % 13))[0]])


# --- what the play tells --------------------------------------------------------------------------------


def test_the_likelihood_of_a_hand_is_that_of_its_cards():
    """Two cards of W: his lead, and second hand; by the rules of thumb, deal by deal, with the plays replayed."""
    _, view = after(DEAL, 2, NOTRUMP, "H2 H5 H7 HT D5 D2")
    deals = believed_deals(view, 0, AuctionReader(), 30, keys(1)[0], "facts").owner
    found = log_likelihood(view, 0, [1, 3], deals)
    for deal, log in zip(deals, found, strict=True):
        wanted = 0.0
        for k in range(6):
            past = Plays.replay(deal[None], 2, NOTRUMP, view.cards[:, :k])
            seen = play_view(past, contracts_of(past), 0)
            if past.turn[0] in (1, 3):
                legal = seen.mask[0].sum()
                chance = USUAL[1, kind_of(view, 0, k)]
                usual = RulePlayer().play(seen, keys(1))[0] == view.cards[0, k]
                wanted += 0.0 if legal == 1 else np.log(chance if usual else (1 - chance) / (legal - 1))
        assert log == pytest.approx(wanted)
    assert np.ptp(found) > 0


def test_kinds_of_cards():
    _, view = after(
        DEAL,
        2,
        NOTRUMP,
        "H2 H5 H7 HT D5 D2 D3 D4 DT D9 D8 D7",
    )
    assert [kind_of(view, 0, k) for k in range(12)] == [
        OPENING,
        SECOND,
        THIRD,
        FOURTH,
        *[LEAD, SECOND, THIRD, FOURTH] * 2,
    ]
    ruffed = random_plays(1, 5, 52)[0]
    seen = play_view(ruffed.take(np.array([0])), contracts_of(ruffed), 0)
    off = [k for k in range(52) if seen.cards[0, k] // 13 != seen.cards[0, k & ~3] // 13]
    assert off
    assert {kind_of(seen, 0, k) for k in off} == {VOID}


def test_partners_lead_is_read_as_likely_not_as_a_fact():
    """W leads the two of hearts in no trump: fourth best, most likely; hands with five hearts keep a share."""
    _, view = after(DEAL, 2, NOTRUMP, "H2 H5")
    told = believed_deals(view, 0, AuctionReader(), 200, keys(1)[0], LIKELY)
    untold = believed_deals(view, 0, AuctionReader(), 200, keys(1)[0], "facts")
    hearts = [(b.owner[:, 26:39] == 3).sum(axis=1) for b in (told, untold)]
    four = [float(b.weight @ (n == 4)) for b, n in zip((told, untold), hearts, strict=True)]
    assert four[0] > 1.5 * four[1]
    assert 0.02 < 1 - float(told.weight @ ((hearts[0] == 4) | (hearts[0] == 3))) < 0.7
    assert told.weight.sum() == pytest.approx(1)


def test_a_smaller_choice_is_part_of_a_larger_one_and_sums_come_out():
    weight = np.random.default_rng(1).random(300) ** 4
    weight /= weight.sum()
    some, _ = prioritized(weight, 40, keys(1)[0])
    more, _ = prioritized(weight, 80, keys(1)[0])
    assert set(some) <= set(more)
    value = np.arange(300.0)
    means = [share @ value[at] for at, share in (prioritized(weight, 40, key) for key in keys(400))]
    assert np.mean(means) == pytest.approx(weight @ value, abs=4 * np.std(means) / 20)
    at, share = prioritized(weight[:3], 5, keys(1)[0])
    assert (at.tolist(), share.sum()) == ([0, 1, 2], pytest.approx(1))


# --- opening leads --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "led", "strain", "kind"),
    [
        ("SA SK S2", "SA", HEARTS, ACE_KING),
        ("SA SK S2", "S2", HEARTS, ACE_KING),
        ("SA S3 S2", "SA", HEARTS, ACE),
        ("SA S3 S2", "S2", HEARTS, OTHER),
        ("SA", "SA", HEARTS, ACE),
        ("S5", "S5", HEARTS, SINGLETON),
        ("S5", "S5", NOTRUMP, OTHER),
        ("HA HK", "HK", HEARTS, TRUMP),
        ("SK SQ", "SK", HEARTS, OTHER),
    ],
)
def test_kinds_of_leads(held, led, strain, kind):
    hand = np.zeros(52, bool)
    hand[cards(held)] = True
    assert kind_of_lead(hand, card(led), strain) == kind
    assert flattery(hand, np.array([card(led)]), strain).tolist() == [FLATTERED[kind]]


def test_an_opening_lead_is_worth_less_by_what_flatters_it():
    plays = Plays(parse_deal("N:K972.QJT.A84.T72 AQ4.AK6.QJ75.AK4 J83.9854.K3.Q986 T65.732.T962.J53"), 3, SPADES)
    view = play_view(plays, contracts_of(plays), 0)
    assert view.seat.tolist() == [0]
    plain, conventional = (
        MonteCarlo(options=Options(deals=12, most=1, score="tricks", lead=lead), threads=1).think(view, keys(1))[0]
        for lead in (SOLVED, CONVENTION)
    )
    less = plain.average - conventional.average
    for at, led in enumerate(plain.cards):
        expected = FLATTERED[kind_of_lead(view.hand[0], int(led), SPADES)]
        assert less[at] == pytest.approx(expected, abs=1e-9 if plain.tricks[:, at].min() > 0 else expected)
    assert conventional.card in conventional.cards


def test_leads_equal_within_the_error_go_to_convention_whatever_other_cards_need():
    """Twelve deals say little: low from the king is within the error, though ``tie`` is 0."""
    plays = Plays(parse_deal("N:K9742.QJ.T84.T72 AQ.AK6.AQJ5.AK84 J83.98543.K73.Q9 T65.T72.962.J653"), 3, NOTRUMP)
    view = play_view(plays, contracts_of(plays), 0)
    options = Options(deals=12)
    assert (options.tie, options.lead) == (0.0, CONVENTION)
    thought = MonteCarlo(options=options, threads=1).think(view, keys(1))[0]
    count = Choice(thought.belief.weight, thought.worth, thought.tricks)
    assert thought.card in thought.cards[equals(count, 2.0, LEAD_SLACK[IMPS])]
    assert thought.card == card("S4")
    assert len(equals(count, 0.0, LEAD_SLACK[IMPS])) < len(equals(count, 2.0, LEAD_SLACK[IMPS]))


def test_of_the_best_suit_the_conventional_card_is_led():
    plays = Plays(parse_deal("N:K9742.QJ.T84.T72 AQ.AK6.AQJ5.AK84 J83.98543.K73.Q9 T65.T72.962.J653"), 3, NOTRUMP)
    view = play_view(plays, contracts_of(plays), 0)
    spades = np.array(cards("S2 S4 S7 S9"))
    assert conventional_lead(view, 0, spades, card("S9")) == card("S4")
    assert conventional_lead(view, 0, spades[2:], card("S9")) == card("S7")
