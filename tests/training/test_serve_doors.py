"""BEN's further doors and fields: the deals behind an answer, claims, whole boards, every call's meaning."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient
from support.web import HOST, is_sentence

from bridge_env.cards import card_text, parse_deal
from bridge_env.double_dummy.positions import card_tricks
from bridge_env.play import Plays
from training.serve.answers import Answers
from training.serve.app import make_app

NORTH, EAST, SOUTH, WEST = "A543.K43.A54.654", "T98.QJT98.987.QJ", "KQJ2.A2.K32.AK32", "76.765.QJT6.T987"
THREE = "seat=N&dealer=N&vul=None&ctx=1N--3N------"


@pytest.fixture(scope="module")
def door():
    return TestClient(make_app(Answers("reason:system:sayc?samples=8", None, "montecarlo?deals=4")), base_url=HOST)


def refused(response, status=400):
    assert response.status_code == status, response.text
    assert is_sentence(response.json()["error"]), response.text
    return response.json()["error"]


# --- the deals behind an answer ---------------------------------------------------------------------------


def test_a_bidder_that_thinks_tells_its_deals(door):
    asked = "/bid?hand=AK975.K2.T32.AK7&seat=S&dealer=N&vul=&ctx=1D--"
    told = door.get(f"{asked}&details=true").json()
    assert len(told["samples"]) == 8
    assert all(sample.split()[2] == "AK975.K2.T32.AK7" for sample in told["samples"])  # N E S W
    assert sum(told["hcp"]) == pytest.approx(40 - 17, abs=0.3)
    assert [sum(told["shape"][at : at + 4]) for at in (0, 4, 8)] == pytest.approx([13] * 3, abs=0.3)
    assert told["hcp"][1] > 11  # partner, who opened, is the second
    assert told["shape"][6] >= 3  # in diamonds
    assert 0 <= float(told["quality"]) <= 1
    assert [call for call, _ in told["explanations"]] == ["1D", "PASS"]
    assert {"samples", "hcp", "shape", "explanations"}.isdisjoint(door.get(asked).json())


def test_a_player_tells_its_deals_and_who_it_is(door):
    asked = f"/play?hand={NORTH}&dummy={SOUTH}&{THREE}&played=HQH2H7"
    told = door.get(f"{asked}&details=true").json()
    assert told["player"] == 3
    east, dummy, west, own = told["samples"][0].split()[:4]  # from declarer's left, as far as they still hold them
    assert (dummy, own) == ("KQJ2.A.K32.AK32", NORTH)
    assert [len(hand) - 3 for hand in (east, west)] == [12, 12]
    assert told["hcp"][1] == 20
    assert told["shape"][4:8] == [4, 2, 3, 4]
    brief = door.get(asked).json()
    assert brief["quality"] == told["quality"]
    assert "samples" not in brief
    lead = door.get(f"/lead?hand={EAST}&{THREE.replace('seat=N', 'seat=E')}&details=true").json()
    assert lead["samples"][0].startswith(EAST)
    assert "player" not in lead


# --- claims -----------------------------------------------------------------------------------------------


def played_so_far(length):
    """The board of these hands after some cards, each the lowest legal one, and the seats that may claim."""
    plays = Plays(parse_deal(f"N:{NORTH} {EAST} {SOUTH} {WEST}")[None], 0, 4)
    for _ in range(length):
        plays.step([int(plays.legal()[0].argmax())])
    return plays


@pytest.mark.parametrize("length", [22, 36, 38, 41, 43, 48, 51])
def test_no_claim_is_accepted_that_fails_on_the_true_deal(door, length):
    plays = played_so_far(length)
    begun = length & 3
    trick = np.full((1, 3), -1, np.int8)
    trick[0, :begun] = plays.history[0, length - begun : length]
    best, left = int(card_tricks(plays.left, 4, plays.leader, trick).max()), 13 - length // 4
    cards = "".join(card_text(card) for card in plays.cards(0))
    for seat, hand in (("N", NORTH), ("E", EAST), ("W", WEST)):
        asked = f"/claim?hand={hand}&dummy={SOUTH}&{THREE.replace('seat=N', f'seat={seat}')}&played={cards}"
        told = door.get(f"{asked}&tricks=0").json()
        assert told["accepted"]
        assert told["all"] is (length > 30)
        mine = ("NESW".index(seat) ^ int(plays.turn[0])) & 1 == 0
        assert told["sure"] <= (best if mine else left - best)
        most = told["sure"]
        assert "Accepted" in door.get(f"{asked}&tricks={most}").json()["result"]
        if most < left:
            more = door.get(f"{asked}&tricks={most + 1}").json()
            assert not more["accepted"]
            assert "rejected" in more["result"]
        assert door.get(asked).json()["tricks"] == left


def test_faulty_claims(door):
    asked = f"/claim?hand={NORTH}&dummy={SOUTH}&{THREE}&played="
    assert "before the opening lead" in refused(door.get(asked))
    assert "from 0 to 13" in refused(door.get(f"{asked}HQ&tricks=14"))
    assert "from 0 to 12" in refused(door.get(f"{asked}HQHAH7H3&tricks=-1"))
    assert "is dummy" in refused(door.get(f"{asked}HQ".replace("seat=N", "seat=S")))
    assert "passed out" in refused(door.get(f"{asked}HQ".replace("1N--3N------", "--------")))
    assert "HQ" in refused(door.get(f"{asked}HQHQ"))
    refused(door.get(f"{asked}HQSK"))  # revokes
