"""Several people at one table, each with a key: views, acts, absence, and refusals."""

import json
import random
import time

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient
from support.table import HOST, TOKEN, Visitor, cards_in, cards_of, dealt, is_sentence

from bridge_env.bidders.errors import BidderError
from bridge_env.rules.scoring import imps
from bridge_table.app import make_app
from bridge_table.people import ABSENT, MAX_PLAYERS, WAIT

CALM = {"ns": "system:sayc", "ew": "pass", "control": "system:sayc"}


class Guest(Visitor):
    """A person with a key."""

    def ask(self, path, status=200, **fields):
        """Post fields, or get a path that is read."""
        return (self.get if path in ("look", "start") else self.post)(path, status, **fields)

    def look(self):
        return self.ask("look")

    def until(self, ready):
        """Look until the table is as it should be."""
        for _ in range(2000):
            state = self.look()
            if ready(state):
                return state
            time.sleep(0.01)
        raise AssertionError(state)

    def act(self, what, status=200, **fields):
        state = self.look()
        at = {"at": state["at"]} if what in ("call", "card") else {}
        return self.ask(what, status, **{"board": state["room"]["board"], **at, **fields})


class House:
    """A server with a clock that tests move."""

    def __init__(self, client, app):
        self.client, self.guests = client, app.state.guests
        self.now = 0.0
        self.guests.rooms.clock = lambda: self.now
        self.guests.pace = 0.0
        self.host = Guest(client, TOKEN)

    def open(self, **fields):
        return Guest(self.client, self.host.ask("rooms", **{**CALM, "cards": "rule", **fields})["key"])

    def invite(self, host, seat):
        return Guest(self.client, host.ask("invite", seat=seat)["key"])


@pytest.fixture
def house():
    app = make_app(TOKEN, seed=1)
    with TestClient(app, base_url=HOST) as client:
        yield House(client, app)


def calls_of(state):
    return [made["call"] for made in state["calls"]]


def go_on(people, call="Pass", cards=53):
    """Whoever's turn it is calls or plays, until so many cards are played or the board is over."""
    by_seat = {person.look()["seat"]: person for person in people}
    while True:
        state = people[0].until(lambda found: found["chooser"] or found["phase"] == "over")
        if state["phase"] == "over":
            return people[0].until(lambda found: "review" in found)
        if len(state.get("play", {"cards": []})["cards"]) >= cards:
            return state
        person = by_seat[state["chooser"]]
        mine = person.look()
        assert mine["yours"]
        if mine["phase"] == "bidding":
            person.act("call", call=call if call in mine["legal"] else "Pass")
        else:
            person.act("card", card=mine["play"]["legal"][0])


@pytest.mark.parametrize("seat", [pytest.param("N", marks=pytest.mark.slow), "E"], ids=["partner", "opponent"])
def test_two_people_bid_and_play_and_see_their_own_hands_only(house, seat):
    south = house.open(ns="pass", name="Anna")
    other = house.invite(south, seat)
    other.ask("name", name="Bo")
    owner = dealt(house.guests.rooms.keys[south.key].room.table.deal.owner)
    people = {"S": south, seat: other}
    for name, person in people.items():
        hands = person.look()["hands"]
        assert {held: hand and cards_of(hand) for held, hand in hands.items()} == {
            **dict.fromkeys("NESW"),
            name: owner[name],
        }
    assert south.look()["sits"][seat] == "Bo"
    while (state := south.until(lambda found: found["chooser"] or found["phase"] != "bidding"))["phase"] == "bidding":
        call = "7NT" if state["chooser"] == "S" and "7NT" not in calls_of(state) else "Pass"
        people[state["chooser"]].act("call", call=call)
    assert state["contract"]["declarer"] == "S"
    state = go_on(list(people.values()), cards=6)
    played = {found["card"] for found in state["play"]["cards"]}
    for name, person in people.items():
        look = person.look()
        assert look["hands"]["N"] is not None
        assert (look["hands"]["S"] is None) == (name != "S")  # dummy has no part in the play
        if look["chooser"] != name:
            assert "legal" not in look["play"]
            person.act("card", 409, card=sorted(owner[name])[0])
        assert json.loads(person.get("report")["text"])["seed"] is None  # it would name the other hands
        assert cards_in(person.traffic) <= owner[name] | owner["N"] | played
    final = go_on(list(people.values()))
    assert len(final["review"]["cards"]) == 52
    assert all(final["hands"].values())
    assert final["room"]["count"] == 1
    assert "host" in other.act("next", 409)["error"]
    assert not other.look()["room"]["leads"]
    south.act("next")
    again = south.look()
    assert again["room"]["board"] == 2
    assert again["hands"][seat] is None


def test_hostile_guests_change_nothing(house):
    south = house.open(ew="pass")
    north = house.invite(south, "N")
    north.look()
    state = south.until(lambda found: found["chooser"])
    mine, other = (south, north) if state["chooser"] == "S" else (north, south)
    before = mine.look()
    fields = {"board": 1, "at": before["at"], "call": "Pass"}
    other.ask("call", 409, **fields)  # out of turn
    other.ask("call", 400, **fields, seat=before["seat"])  # the key names the seat
    mine.ask("call", 409, **{**fields, "board": 2})
    mine.ask("call", 409, **{**fields, "at": before["at"] + 1})
    mine.ask("call", 400, **{**fields, "call": "XX"})
    mine.ask("call", 400, **{**fields, "call": "9Z"})
    mine.ask("card", 409, board=1, at=before["at"], card="SA")
    mine.ask("claim", 409, board=1, tricks=13)
    mine.ask("next", 409, board=1)
    north.ask("invite", 403, seat="E")
    south.ask("invite", 400, seat="S")
    for name in ("x" * 40, "a\u202eb"):
        mine.ask("name", 400, name=name)
    for name in ("Zoë O'Brien", "प्रिया", "李 2"):
        assert mine.ask("name", name=name)["room"]["name"] == name
    mine.ask("join", 404, name="x")
    mine.ask("tables", 404)  # a path of the host
    mine.ask("start", 404)
    Guest(house.client, "x" * 24).ask("look", 403)
    assert mine.look()["calls"] == before["calls"]
    mine.ask("call", **fields)
    mine.ask("call", 409, **fields)  # once more the same
    fresh = house.invite(south, "N")
    north.ask("look", 403)  # the older key is void
    assert fresh.look()["seat"] == "N"


def test_cards_that_are_not_held_are_refused(house):
    south = house.open(ns="pass", ew="pass")
    state = south.until(lambda found: found["yours"])
    state = south.act("call", call="7NT")
    state = south.until(lambda found: found["yours"] and found["phase"] == "playing")
    held = cards_of(state["hands"][state["turn"]])
    strange = next(f"{suit}{rank}" for suit in "SHDC" for rank in "AKQJT98765432" if f"{suit}{rank}" not in held)
    south.act("card", 400, card=strange)
    south.act("card", 400, card="ZZ")
    assert south.look()["play"]["cards"] == state["play"]["cards"]


def test_a_bidder_replaces_an_absent_person(house):
    north = house.open(seat="N", ns="pass", ew="pass", name="Anna")  # who deals
    south = house.invite(north, "S")
    south.ask("name", name="Bo")
    north.act("call", call="Pass")
    north.until(lambda found: found["chooser"] == "S")
    house.now += ABSENT - 1
    north.ask("here")
    assert north.look()["chooser"] == "S"
    house.now += 2
    state = north.until(lambda found: found["room"]["news"].startswith("Bo has left"))
    assert state["room"]["news"] == "Bo has left South; pass goes on there until they come back."
    assert state["sits"]["S"] == "pass"
    version = north.ask("here")["version"]
    south.look()
    assert north.ask("here")["version"] > version  # by which pages hear of changes
    assert north.look()["sits"]["S"] == "Bo"
    assert north.look()["room"]["news"] == "Bo sits South."


def test_the_first_board_waits_for_an_invited_guest_a_while(house):
    south = house.open(ns="pass", ew="pass", name="Anna")
    south.until(lambda found: found["yours"])  # North and East have passed
    north = house.invite(south, "N")
    state = south.look()
    assert (calls_of(state), state["room"]["awaited"], state["sits"]["N"]) == ([], ["N"], "not here yet")
    house.now += WAIT + 1
    state = south.until(lambda found: found["yours"])
    assert (calls_of(state), state["sits"]["N"]) == (["Pass", "Pass"], "pass")
    north.look()
    assert south.look()["room"]["news"] == "A guest sits North."
    house.now += ABSENT + 1
    assert north.look()["room"]["leads"]  # the host has left


def test_nothing_goes_on_where_nobody_is(house):
    south = house.open(name="Anna")
    room = house.guests.rooms.keys[south.key].room
    south.until(lambda found: found["yours"])
    calls = list(room.table.calls)
    house.now += 1000
    assert not room.step() or not room.step()
    assert room.table.calls == calls


def test_a_failing_bidder_is_reported(house, monkeypatch):
    south = house.open()
    room = house.guests.rooms.keys[south.key].room

    def fail():
        raise BidderError("mine at N gives no call")

    monkeypatch.setattr(room, "step", fail)
    south.until(lambda found: found["room"]["news"] == "The table waits: mine at N gives no call.")


def test_partners_bid_against_a_network_and_are_compared_with_it(house):
    south = house.open(kind="practice", name="Anna")
    seats = house.guests.rooms.keys[south.key].room.invites
    north = Guest(house.client, seats[0].key)
    waiting = south.until(lambda answer: answer["chooser"])
    assert waiting["room"]["awaited"] == ["N"]
    assert waiting["sits"]["N"] == "not here yet"
    if waiting["yours"]:
        south.act("call", call="Pass")
        waiting = south.until(lambda answer: answer["chooser"])
    assert waiting["chooser"] == "N"  # no bidder takes the place of a partner who has not come yet
    final = go_on([south, north], call="3NT")
    found = final["review"]
    assert found["played"] is None
    assert found["imps"] == int(imps(found["contract"]["points"] - found["other"]["points"]))
    assert set(found["tricks"]) == set("NESW")
    house.now += ABSENT + 1
    assert south.look()["sits"]["N"] == CALM["ns"]  # they left after the board
    assert (final["room"]["count"], final["room"]["mean"]) == (1, found["imps"])
    house.host.ask("rooms", 400, kind="practice", seat="E")


def challenged(house, **fields):
    return Guest(house.client, house.host.ask("challenges", **{**CALM, "boards": 2, "seed": 5, **fields})["key"])


def test_all_bid_the_same_boards_and_are_compared(house):
    link = challenged(house)
    assert link.look()["boards"] == 2
    anna, bo = (Guest(house.client, link.ask("join", name=name)["key"]) for name in ("Anna", "Bo"))
    link.ask("join", 409, name="anna")
    link.ask("join", 400, name=" ")
    assert anna.look()["hands"] == bo.look()["hands"]
    first = go_on([anna], call="3NT")
    assert [row["name"] for row in first["room"]["results"][0]["rows"]] == ["Anna"]
    assert "results" not in bo.look()["room"] or bo.look()["room"]["results"] == []  # before that board is over
    second = go_on([bo], call="Pass")
    rows = {row["name"]: row for row in second["room"]["results"][0]["rows"]}
    review = second["review"]
    assert rows["Bo"]["over_par"] == int(imps(review["contract"]["points"] - review["par"]["points"]))
    assert rows["Anna"]["percent"] + rows["Bo"]["percent"] == 100
    assert rows["Bo"]["imps"] == second["review"]["imps"]
    assert anna.look()["room"]["results"] == [
        {**board, "rows": [{**row, "you": row["name"] == "Anna"} for row in board["rows"]]}
        for board in second["room"]["results"]
    ]
    anna.act("next")
    anna.ask("next", 409, board=1)
    anna.ask("name", 409, name="Bo")
    go_on([anna])
    assert "last board" in anna.act("next", 409)["error"]


def test_a_challenge_of_pasted_boards_has_all_of_them(house):
    deals = [
        "N:AKQ2.T98.J7.6543 T98.J7.6543.AKQ2 J7.6543.AKQ2.T98 6543.AKQ2.T98.J7",
        "S:AQ7.K65.Q83.A742 KT92.873.K74.KJ5 J53.AQT.AJT65.Q3 864.J942.92.T986",
    ]
    stack = house.host.ask("boards", text="\n".join(deals))["stack"]
    link = challenged(house, stack=stack)
    assert link.look()["boards"] == 2
    anna = Guest(house.client, link.ask("join", name="Anna")["key"])
    assert anna.look()["hands"]["S"] == "J7.6543.AKQ2.T98"
    go_on([anna])
    anna.act("next")
    assert anna.look()["hands"]["S"] == "AQ7.K65.Q83.A742"
    house.host.ask("challenges", 404, **CALM, stack="none")
    house.host.ask("challenges", 400, **CALM, stack=stack, hands="N: 15-17 hcp")
    many = house.host.ask("boards", text="\n".join(deals[:1] * 33))["stack"]
    assert "32" in house.host.ask("challenges", 400, **CALM, stack=many)["error"]


def test_a_challenge_of_a_scenario_begins_with_its_auction(house):
    link = challenged(house, hands="N: 12-17 hcp, 5+ D\nS: 7+ hcp, 4 H", calls="1D 1S")
    anna, bo = (Guest(house.client, link.ask("join", name=name)["key"]) for name in ("Anna", "Bo"))
    first = anna.look()
    assert (first["hands"], calls_of(first)) == (bo.look()["hands"], ["1D", "1S"])
    assert len(first["hands"]["S"].split(".")[1]) == 4
    assert "No deal" in house.host.ask("challenges", 400, **CALM, hands="N: 30+ hcp\nS: 30+ hcp")["error"]


def test_a_challenge_takes_so_many_and_no_more(house):
    link = challenged(house)
    link.ask("call", 404, call="Pass", at=0, board=1)
    for k in range(MAX_PLAYERS):
        link.ask("join", name=f"p{k}")
    link.ask("join", 409, name="one more")
    house.host.ask("challenges", **CALM, boards=33, status=400)


@pytest.mark.parametrize("path", ["here", "name", "call", "card", "claim", "next", "calls", "invite", "join"])
def test_any_body_gets_a_sentence(house, path):
    south, draw = house.open(), random.Random(path)
    south.look()
    values = ["", "S", "1C", "SA", "x" * 90, "a\nb", -1, 10**12, None, True, [1], {"a": 1}, 1.5]
    names = ["board", "at", "call", "card", "tricks", "seat", "name"]
    bodies = [json.dumps({draw.choice(names): draw.choice(values), "zzz": 1}) for _ in range(12)]
    for content in [*bodies, b"[", b"[]", b"\xff\xfe", b"null", b"[" * 2000, b"{}" * 3000]:
        answer = house.client.post(f"/{south.key}/api/{path}", content=content)
        assert 400 <= answer.status_code < 500, (content[:200], answer.text)
        assert is_sentence(answer.json()["error"])
    assert house.client.get(f"/{south.key}/api/{path}").status_code == 405
