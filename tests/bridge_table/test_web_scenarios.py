"""Boards of a scenario: hands as they are described, an auction so far, and seats that change."""

import pytest
from support.table import visitor_of

from bridge_env.hands.deals import parse_hand
from bridge_env.hands.features import hand_features
from bridge_env.rules.cards import SEATS
from bridge_table.board.dealing import SCENARIOS, hand_ranges, read_scenario

CALM = {"people": "NS", "ew": "pass", "ns": "system:sayc", "cards": "rule", "source": "scenario"}
NOTRUMP = "N: 15-17 hcp, balanced\nS: 5+ H, 5+ S or 5+ C"


@pytest.fixture(scope="module")
def visitor():
    return visitor_of(seed=3)


def hands_of(visitor, state):
    """Return the features of the hands of the people at a table, by seat."""
    at = f"tables/{state['table']}"
    return {
        seat: hand_features(parse_hand(visitor.get(at, seat=seat)["hands"][seat])[None])[0] for seat in state["people"]
    }


@pytest.mark.parametrize("swap", [False, True])
def test_hands_are_as_they_are_described_and_partners_change_seats(visitor, swap):
    for _ in range(5):
        state = visitor.post("tables", hands=NOTRUMP, swap=swap, **CALM)
        opener, other = ("S", "N") if swap else ("N", "S")
        assert state["board"]["dealer"] == opener
        assert state["board"]["source"] == "a scenario"
        hands = hands_of(visitor, state)
        wanted = hand_ranges(NOTRUMP)
        for seat, described in ((opener, "N"), (other, "S")):
            held = visitor.get(f"tables/{state['table']}", seat=seat)["hands"][seat]
            assert wanted[SEATS.index(described)].fits(parse_hand(held)[None])[0]
        assert 15 <= hands[opener][0] <= 17


def test_boards_differ_and_come_again_by_their_number(visitor):
    deals = [visitor.post("tables", hands=NOTRUMP, number=n, **{**CALM, "people": ""})["hands"] for n in (1, 2, 1)]
    assert deals[0] != deals[1]
    assert deals[0] == deals[2]


def test_hands_fit_an_auction_so_far(visitor):
    state = visitor.post("tables", calls="1NT Pass", dealer="N", **CALM)
    assert [made["call"] for made in state["calls"]] == ["1NT", "Pass"]
    assert state["chooser"] == "S"
    assert 15 <= hands_of(visitor, state)["N"][0] <= 17
    state = visitor.post("tables", calls="1NT Pass", hands="S: 5+ H", dealer="N", **CALM)
    assert len(visitor.get(f"tables/{state['table']}", seat="S")["hands"]["S"].split(".")[1]) >= 5


@pytest.mark.parametrize(("title", "hands", "calls"), SCENARIOS, ids=[title for title, _, _ in SCENARIOS])
def test_every_scenario_of_the_page_can_be_dealt(title, hands, calls):
    scenario = read_scenario(hands, calls)
    deal = scenario.deal(1, 1)
    for seat, wanted in hand_ranges(hands).items():
        assert wanted.fits((deal.owner == seat)[None])[0]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "Write what a hand looks like"),
        ({"hands": "15 hcp"}, "names no seat"),
        ({"hands": "N: 15 hcq"}, "hcq"),
        ({"hands": "N: fit:S 8"}, "fit:S"),
        ({"hands": "N: 8+ fit:S"}, "says nothing of a hand alone"),
        ({"hands": "N: 37 hcp; S: 37 hcp"}, "No deal that fits"),
        ({"calls": "1NT 1C"}, "1C"),
        ({"calls": "1NT P P P"}, "over"),
    ],
)
def test_a_scenario_that_cannot_be_dealt_is_refused_in_a_sentence(visitor, fields, says):
    assert says in visitor.post("tables", 400, **CALM, **fields)["error"]
