"""BEN's further doors and fields: the deals behind an answer, claims, whole boards, every call's meaning."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from support import one_loop
from support.web import HOST, is_sentence

from bridge_env.auction import one_auction
from bridge_env.calls import parse_call
from bridge_env.cards import CARD_NUMBERS, card_text, parse_deal
from bridge_env.double_dummy.positions import card_tricks
from bridge_env.play import Plays
from bridge_env.scoring import score
from bridge_table.programs.answers import Answers, OwnFault
from bridge_table.programs.app import make_app
from bridge_table.programs.boards import Board, board_steps

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


def test_a_call_is_asked_for_by_body():
    door = one_loop.client(make_app(Answers("system:sayc", None, "rule")), HOST)
    body = {"dealer": "N", "auction": ["1H", "Pass"], "vuln": "EW", "hand": "95.T982.A5.AKJ85", "sysNS": "DEFAULT"}
    told = door.post("/cuebid", json=body).json()
    asked = door.get("/bid?hand=95.T982.A5.AKJ85&seat=S&dealer=N&vul=EW&ctx=1H--").json()
    assert told == {"bid": asked["bid"], "alert": asked["explanation"], "artificial": asked["alert"]}
    assert door.post("/cuebid", json={**body, "auction": [], "hand": "9532.T982.A5.985"}).json()["bid"] == "Pass"
    assert "over" in refused(door.post("/cuebid", json={**body, "auction": ["P"] * 4}))
    assert "'hand' is missing" in refused(door.post("/cuebid", json={"dealer": "N"}))


def test_a_whole_board_is_bid_and_played():
    door = one_loop.client(make_app(Answers("system:sayc", "system:acol", "rule")), HOST)
    deal = f"{NORTH} {EAST} {SOUTH} {WEST}"
    told = door.get(f"/autoplay?deal={deal}&board=2").json()
    assert (told["deal"], told["dealer"], told["vulnerability"]) == (deal, "E", "N-S")
    auction = one_auction([parse_call(call) for call in told["auction"]], 1, 1)
    contract = auction.contracts().at(0)
    assert (int(told["contract"][0]), told["declarer"]) == (contract.level, "NESW"[contract.declarer])
    cards = [[CARD_NUMBERS[card] for card in told["play"]]]
    plays = Plays.replay(parse_deal(f"N:{deal}"), contract.declarer, contract.strain, cards)
    assert plays.done[0]
    assert told["tricks"] == plays.won[0]
    assert told["ns_score"] == score(contract.bid, contract.doubling, contract.declarer, 1, told["tricks"])
    assert abs(told["score"]) == abs(told["ns_score"])
    assert [one["bid"] for one in told["auction_with_explanations"]] == told["auction"]
    begun = door.get(f"/autoplay?deal=N:{deal}&dealer=W&vul=Both&auction=1C,Pass,1H,Pass&bidding_only=True").json()
    assert begun["auction"][:4] == ["1C", "PASS", "1H", "PASS"]
    assert begun["opening_leader"] == "NESW"["NESW".index(begun["declarer"]) - 3]
    assert "play" not in begun
    out = door.get(f"/autoplay?deal={deal}&auction=P,P,P,P").json()
    assert (out["contract"], out["declarer"], out["score"], out["play"]) == ("PASS", None, 0, [])


def test_nobody_sees_more_of_a_board_than_his_seat_does(monkeypatch):
    answers = Answers("system:sayc", None, "rule")
    seen = []
    for name in ("call", "card"):
        usual = getattr(answers, name)
        monkeypatch.setattr(answers, name, lambda asked, usual=usual: seen.append(asked) or usual(asked))
    owner = parse_deal(f"N:{NORTH} {EAST} {SOUTH} {WEST}")
    *steps, told = board_steps(answers, Board(owner, 0, 0))
    assert len(seen) == len(steps) == len(told["auction"]) + 52
    assert not any(steps)
    dummy = "NESW".index(told["declarer"]) ^ 2
    for asked in seen:
        assert (asked.hand == (owner == asked.seat)).all()
        assert (asked.dummy is None) is not bool(asked.played)
        assert asked.dummy is None or (asked.dummy == (owner == dummy)).all()


def test_faulty_boards(door):
    asked = f"/autoplay?deal={NORTH} {EAST} {SOUTH} {WEST}"
    assert "'deal' is missing" in refused(door.get("/autoplay"))
    assert "four hands" in refused(door.get(f"/autoplay?deal={NORTH}"))
    assert "two hands" in refused(door.get(f"/autoplay?deal={NORTH} {NORTH} {SOUTH} {WEST}"))
    assert "from 1 to 9999" in refused(door.get(f"{asked}&board=0"))
    assert "no call" in refused(door.get(f"{asked}&auction=1C,,1H"))
    assert "not legal" in refused(door.get(f"{asked}&auction=1C,1C"))


def test_a_board_that_takes_too_long_is_given_up():
    answers = Answers("system:sayc", None, "rule", patience=0.0)
    with pytest.raises(OwnFault, match="longer than 0 seconds"):
        next(board_steps(answers, Board(parse_deal(f"N:{NORTH} {EAST} {SOUTH} {WEST}"), 0, 0)))
