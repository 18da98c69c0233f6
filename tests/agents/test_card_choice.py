"""How ``montecarlo`` chooses: which cards are equal within the error, and what opening leads are worth."""

import numpy as np
import pytest
from support.plays import card, cards, contracts_of, keys

from agents.cardplay.card_values import (
    ACE,
    ACE_KING,
    DOUBLE_DUMMY_BIAS,
    LEAD_SLACK,
    OTHER,
    SINGLETON,
    TRUMP,
    behind,
    conventional_lead,
    double_dummy_bias,
    equals,
    kind_of_lead,
)
from agents.cardplay.montecarlo import MonteCarlo
from agents.cardplay.options import CONVENTION, IMPS, SOLVED, Options
from bridge_env.bidders.play_view import play_view
from bridge_env.hands.deals import parse_deal
from bridge_env.rules.calls import NOTRUMP
from bridge_env.rules.play import Plays

HEARTS, SPADES = 2, 3
SLACK = 0.15


def choice(worth, tricks=None):
    values = np.array(worth, float)
    count = np.array(tricks if tricks is not None else worth).astype(np.int8)
    return np.full(len(values), 1 / len(values)), values, count


def test_the_error_is_that_of_the_paired_difference():
    weight = np.array([0.25, 0.25, 0.25, 0.25])
    mean, error = behind(weight, np.array([[9.0, 8.0], [1.0, 1.0], [5.0, 4.0], [3.0, 3.0]]))
    assert mean.tolist() == [0.0, 0.5]
    assert error[1] == pytest.approx(np.sqrt(1 / 12 * 4 * 0.25 * 1.0))  # deviations of one half on four deals
    assert behind(np.ones(1), np.array([[2.0, 1.0]]))[1].tolist() == [0, 0]


def test_where_imps_saturate_tricks_decide():
    """Both cards come to +17 on every deal, and one takes a trick more."""
    both = choice([[17, 17], [17, 17], [17, 17]], [[11, 12], [10, 11], [11, 12]])
    assert equals(*both, 2.0, SLACK).tolist() == [1]
    assert equals(*both, 0.0, SLACK).tolist() == [1]


def test_without_errors_only_the_best_averages_are_equal():
    assert equals(*choice([[17, 16], [16, 17], [17, 16]]), 0.0, SLACK).tolist() == [0]
    assert equals(*choice([[17, 16], [16, 17]]), 0.0, SLACK).tolist() == [0, 1]


def test_cards_within_the_error_are_equal_but_not_at_any_price():
    noise = np.tile([1.0, -1.0], 50)
    near = choice(np.column_stack([noise * 0, 0.1 * noise - 0.02]), np.ones((100, 2)))
    assert equals(*near, 2.0, SLACK).tolist() == [0, 1]
    assert equals(*near, 1.0, SLACK).tolist() == [0]
    dear = choice(np.column_stack([noise * 0, 5 * noise - 0.4]), np.ones((100, 2)))
    assert equals(*dear, 2.0, SLACK).tolist() == [0]  # within the error, yet 0.4 IMPs


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
    assert double_dummy_bias(hand, np.array([card(led)]), strain).tolist() == [DOUBLE_DUMMY_BIAS[kind]]


def test_an_opening_lead_is_worth_less_by_what_flatters_it():
    plays = Plays(parse_deal("N:K972.QJT.A84.T72 AQ4.AK6.QJ75.AK4 J83.9854.K3.Q986 T65.732.T962.J53"), 3, SPADES)
    view = play_view(plays, contracts_of(plays), 0)
    assert view.seat.tolist() == [0]
    plain, conventional = (
        MonteCarlo(options=Options(deals=12, score="tricks", lead=lead)).think(view, keys(1))[0]
        for lead in (SOLVED, CONVENTION)
    )
    less = plain.average - conventional.average
    for at, led in enumerate(plain.cards):
        expected = DOUBLE_DUMMY_BIAS[kind_of_lead(view.hand[0], int(led), SPADES)]
        assert less[at] == pytest.approx(expected, abs=1e-9 if plain.tricks[:, at].min() > 0 else expected)
    assert conventional.card in conventional.cards


def test_leads_equal_within_the_error_go_to_convention_whatever_other_cards_need():
    """Twelve deals say little: low from the king is within the error."""
    plays = Plays(parse_deal("N:K9742.QJ.T84.T72 AQ.AK6.AQJ5.AK84 J83.98543.K73.Q9 T65.T72.962.J653"), 3, NOTRUMP)
    view = play_view(plays, contracts_of(plays), 0)
    options = Options(deals=12)
    assert options.lead == CONVENTION
    thought = MonteCarlo(options=options).think(view, keys(1))[0]
    values = thought.belief.weight, thought.worth, thought.tricks
    assert thought.card in thought.cards[equals(*values, 2.0, LEAD_SLACK[IMPS])]
    assert thought.card == card("S4")
    assert len(equals(*values, 0.0, LEAD_SLACK[IMPS])) < len(equals(*values, 2.0, LEAD_SLACK[IMPS]))


def test_of_the_best_suit_the_conventional_card_is_led():
    plays = Plays(parse_deal("N:K9742.QJ.T84.T72 AQ.AK6.AQJ5.AK84 J83.98543.K73.Q9 T65.T72.962.J653"), 3, NOTRUMP)
    view = play_view(plays, contracts_of(plays), 0)
    spades = np.array(cards("S2 S4 S7 S9"))
    assert conventional_lead(view, 0, spades, card("S9")) == card("S4")
    assert conventional_lead(view, 0, spades[2:], card("S9")) == card("S7")
