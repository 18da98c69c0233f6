"""BEN's further endpoints and fields: the deals behind an answer, every call's meaning."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from support import one_loop
from support.web import HOST, is_sentence

from bridge_table.programs.answers import Answers
from bridge_table.programs.app import make_app

NORTH, EAST, SOUTH, WEST = "A543.K43.A54.654", "T98.QJT98.987.QJ", "KQJ2.A2.K32.AK32", "76.765.QJT6.T987"
THREE = "seat=N&dealer=N&vul=None&ctx=1N--3N------"


@pytest.fixture(scope="module")
def door():
    return one_loop.client(make_app(Answers("reason:system:sayc?samples=8", None, "montecarlo?deals=4")), HOST)


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


# --- every call, a call by body, whole boards ---------------------------------------------------------------


def test_every_call_is_told(door):
    told = door.get("/bids?ctx=1N--").json()
    assert {one["bid"] for one in told} >= {"P", "2C", "7N"}
    assert {"X", "1S"}.isdisjoint(one["bid"] for one in told)
    assert told == door.get("/bids?ctx=1N-P").json() == door.get("/bids?ctx=1NP&seat=N&dealer=N&vul=None").json()
    told = {one["bid"]: one for one in door.get("/bids?ctx=P1N*PASS").json()}
    assert told["2D"]["Alert"] is True
    assert "♥" in told["2D"]["m"]
    assert told["7N"]["NS"] == told["7N"]["EW"] == "reason:system:sayc?samples=8"
    assert "over" in refused(door.get("/bids?ctx=PPPP"))
    assert "no call" in refused(door.get("/bids?ctx=8C"))
    assert "'ctx' is missing" in refused(door.get("/bids"))
    assert "started with" in refused(door.get("/bids?ctx=&file_us=21GF.bbsa"))
