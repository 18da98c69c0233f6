"""Boards through the server, as the page asks for them: bidding, play, hints, the review, and what stays hidden."""

import json
import re

import numpy as np
import pytest
from support.table import cards_in, cards_of, dealt, visitor_of

from bridge_env.hands.deals import parse_deal
from bridge_env.records.lin import read_lin
from bridge_env.records.links import board_of_link
from bridge_env.records.pbn import read_boards
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import call_text, parse_call
from bridge_env.rules.cards import SEATS, parse_vulnerability
from bridge_env.rules.scoring import imps
from bridge_table.board.dealing import Deal, random_deal
from bridge_table.board.hints import compare_call
from bridge_table.board.table import Setup
from bridge_table.session import Session

SEED = 11
CALM = {"ns": "system:sayc", "ew": "system:sayc", "control": "system:sayc", "cards": "rule"}
DEAL = "N:AKQ2.T98.J7.A543 J97.AQ2.KQ93.K82 T864.J543.A52.Q6 53.K76.T864.JT97"


@pytest.fixture
def visitor():
    return visitor_of(seed=SEED)


def open_table(visitor, people="S", **fields):
    return visitor.post("tables", people=people, **{**CALM, **fields})


def open_deal(visitor, people="S", **fields):
    """Open a table on DEAL."""
    return open_table(visitor, people, source="stack", stack=visitor.post("boards", text=DEAL)["stack"], **fields)


def follow_hint(visitor):
    return lambda state: visitor.post(f"tables/{state['table']}/hint", seat=state["seat"])["usual"]


def passing(state):
    return "Pass"


def first_card(state):
    return state["play"]["legal"][0]


def test_a_board_is_bid_by_its_systems_where_the_person_follows_hints(visitor):
    state = visitor.bid_out(open_table(visitor), follow_hint(visitor))
    assert state["phase"] in ("bid", "over")
    deal = random_deal(SEED, 1)
    assert cards_of(state["hands"]["S"]) == dealt(deal.owner)["S"]
    made = one_auction([parse_call(c["call"]) for c in state["calls"]], deal.dealer, deal.vulnerability)
    assert made.done[0]
    visitor.post(f"tables/{state['table']}/show", seat="S")
    found = visitor.get(f"tables/{state['table']}/review")
    # sayc's own call was made each time, so the other table, where sayc holds the seat, went the same way.
    assert found["other"]["calls"] == [c["call"] for c in state["calls"]]
    assert found["imps"] == 0


def test_legal_calls_come_from_the_rules_and_no_others_are_taken(visitor):
    state = open_table(visitor)
    while not state["yours"]:
        state = visitor.post(f"tables/{state['table']}/step", seat="S", at=state["at"])
    auctions = one_auction(
        [parse_call(c["call"]) for c in state["calls"]], SEATS.index(state["board"]["dealer"]),
        parse_vulnerability(state["board"]["vulnerability"]),
    )  # fmt: skip
    legal = [call_text(c) for c in np.flatnonzero(auctions.legal()[0])]
    assert state["legal"] == legal
    where = f"tables/{state['table']}/call"
    visitor.post(where, 400, seat="S", call="XX", at=state["at"])
    visitor.post(where, 409, seat="S", call="Pass", at=state["at"] + 1)
    visitor.post(where, 403, seat="N", call="Pass", at=state["at"])
    visitor.post(f"tables/{state['table']}/step", 409, seat="S", at=state["at"])
    assert visitor.get(f"tables/{state['table']}", seat="S") == state


def test_every_call_has_a_meaning(visitor):
    state = visitor.bid_out(open_table(visitor, people="", **CALM), passing)
    assert state["calls"]
    assert all(c["shows"]["text"] for c in state["calls"])
    state = open_table(visitor, dealer="S", source="random")
    found = visitor.post(f"tables/{state['table']}/calls", seat="S")
    assert set(found) == set(state["legal"])
    assert found["1NT"]["text"].startswith("15-17 HCP")
    assert found["2C"]["artificial"]
    assert "strong" in found["2C"]["note"]
    assert not found["1S"]["artificial"]
    state = open_table(visitor, dealer="S", ns="policy:champion")
    found = visitor.post(f"tables/{state['table']}/calls", seat="S")
    low, high = map(int, re.match(r"usually (\d+)-(\d+) HCP", found["1NT"]["text"]).groups())
    assert 12 <= low <= high <= 19
    assert "measured on" in found["1NT"]["how"]


def test_a_hint_considers_calls_with_figures(visitor):
    state = open_deal(visitor, "N")
    found = visitor.post(f"tables/{state['table']}/hint", seat="N")
    assert found["call"] in state["legal"]
    assert "system:sayc" in found["why"]
    state = open_deal(visitor, "N", ns="policy:champion")
    found = visitor.post(f"tables/{state['table']}/hint", seat="N")
    assert found["rows"][0]["chance"] > 0.3
    assert sum(row.get("chance", 0) for row in found["rows"]) <= 1.0001


def hidden_before(traffic, owner, seen):
    """Everything in ``traffic`` that is a card or a hand of a seat that must not be seen."""
    return cards_in(traffic) & set().union(*(cards for seat, cards in dealt(owner).items() if seat not in seen))


@pytest.mark.parametrize("ew", ["system:sayc", "policy:champion"])
def test_no_hidden_hand_is_sent_before_the_board_is_over(visitor, ew):
    state = open_table(visitor, ew=ew, ns="system:sayc")
    where = f"tables/{state['table']}"
    own = random_deal(SEED, 1).owner

    def call(look):
        visitor.post(f"{where}/calls", seat="S")
        return visitor.post(f"{where}/hint", seat="S")["call"]

    for refused in ("N", "E", "W"):
        visitor.get(where, 403, seat=refused)
    visitor.get(where, 403)
    visitor.get(f"{where}/review", 409)
    visitor.get(f"{where}/export", 409, form="pbn")
    state = visitor.bid_out(state, call)
    visitor.get(f"{where}/review", 409)
    assert hidden_before(visitor.traffic, own, "S") == set()
    assert state["hands"]["N"] is None
    if state["phase"] == "bid":
        visitor.post(f"{where}/show", seat="S")
    assert hidden_before(visitor.traffic, own, "S") == set().union(*(dealt(own)[s] for s in "NEW"))


def test_in_the_play_only_played_cards_and_dummy_are_sent():
    visitor = visitor_of(seed=SEED)
    state = open_deal(visitor, "W", ns="system:sayc", ew="pass")
    state = visitor.bid_out(state, passing)
    held = dealt(parse_deal(DEAL))
    declarer = state["contract"]["declarer"]
    assert declarer in "NS"  # so that W defends
    dummy = {"N": "S", "S": "N"}[declarer]
    where = f"tables/{state['table']}"
    state = visitor.post(f"{where}/play", seat="W")
    assert state["hands"][dummy] is None  # before the lead
    state = visitor.play_out(state, first_card, 6)
    played = {c["card"] for c in state["play"]["cards"]}
    assert len(played) == 6
    found = hidden_before(visitor.traffic, parse_deal(DEAL), "W")
    assert found <= held[dummy] | played
    assert cards_of(state["hands"][dummy]) == held[dummy] - played
    assert state["hands"][declarer] is None


def four_spades(visitor, people="N"):
    """A table at which N plays 4S."""
    state = open_deal(visitor, people, ns="pass", ew="pass", control="system:sayc")
    state = visitor.bid_out(state, lambda look: "4S" if "4S" in look["legal"] else "Pass")
    assert state["contract"]["text"] == "4S by N"
    return visitor.post(f"tables/{state['table']}/play", seat=people[0])


@pytest.mark.parametrize("cards", [17, 52])
def test_a_board_is_played_to_its_last_card_and_every_card_is_costed(visitor, cards):
    """Where the play is ended early, what was won and lost stays."""
    state = visitor.play_out(four_spades(visitor), first_card, cards)
    where, before = f"tables/{state['table']}", state["play"]
    if cards < 52:
        state = visitor.post(f"{where}/show", seat="N")
    assert state["phase"] == "over"
    found = visitor.get(f"{where}/review")
    assert len(found["cards"]) == cards
    assert before["won"] <= found["played"]["took"] <= 13 - before["lost"]
    costs = {side: sum(c["cost"] for c in found["cards"] if c["seat"] in side) for side in ("NS", "EW")}
    # Tricks lost by declarer's side, less those that the defence gave back, lie between double dummy and the result.
    assert found["contract"]["took"] - costs["NS"] + costs["EW"] == found["played"]["took"]
    assert found["imps"] == int(imps(found["played"]["points"] - found["other"]["points"]))
    # What other calls would have come to is set against the auction, whatever the play made of it.
    for mine in found["calls"]:
        for option in mine["options"]:
            assert option["imps"] == int(imps(option["points"] - found["contract"]["points"]))


@pytest.mark.slow
def test_montecarlo_plays_the_other_seats_and_has_ideas(visitor):
    state = open_deal(visitor, "S", ew="pass", cards="montecarlo")
    state = visitor.bid_out(state, passing)
    state = visitor.post(f"tables/{state['table']}/play", seat="S")
    hints = []

    def card(look):
        hints.append(visitor.post(f"tables/{look['table']}/hint", seat="S"))
        assert hints[-1]["card"] in look["play"]["legal"]
        return hints[-1]["card"]

    state = visitor.play_out(state, card)
    assert state["phase"] == "over"
    found = next(hint for hint in hints if hint["rows"])
    assert found["rows"][0]["card"] == found["card"]
    assert found["rows"][1:] == sorted(found["rows"][1:], key=lambda row: -row["gain"])


def test_a_claim_is_accepted_only_if_double_dummy_allows_it(visitor):
    state = four_spades(visitor)
    where = f"tables/{state['table']}"
    state = visitor.post(f"{where}/step", seat="N", at=state["at"])
    visitor.post(f"{where}/claim", 409, seat="N", tricks=13)
    visitor.post(f"{where}/claim", 400, seat="N", tricks=14)
    state = visitor.post(f"{where}/claim", seat="N", tricks=3)
    assert state["phase"] == "over"
    assert visitor.get(f"{where}/review")["played"]["took"] == 3
    assert state["helped"] == 1  # the refusal showed something of the hidden hands


def test_cards_are_taken_back_but_not_into_the_auction(visitor):
    state = four_spades(visitor)
    where = f"tables/{state['table']}"
    visitor.post(f"{where}/undo", 409, seat="N")
    while state["chooser"] is None:
        state = visitor.post(f"{where}/step", seat="N", at=state["at"])
    before = state
    state = visitor.post(f"{where}/card", seat="N", card=first_card(state), at=state["at"])
    state = visitor.post(f"{where}/undo", seat="N")
    assert state["play"] == before["play"]
    assert state["helped"] == 1


def test_a_person_whose_partner_declares_plays_in_declarers_place(visitor):
    state = open_deal(visitor, "S", ns="system:sayc", ew="pass")
    state = visitor.bid_out(state, passing)
    assert state["contract"]["declarer"] == "N"
    where = f"tables/{state['table']}"
    state = visitor.post(f"{where}/play", seat="S")
    assert state["hands"]["N"] is None
    state = visitor.post(f"{where}/step", seat="S", at=state["at"])
    assert cards_of(state["hands"]["N"]) == dealt(parse_deal(DEAL))["N"]
    assert state["turn"] == "S"  # dummy
    assert state["yours"]
    state = visitor.post(f"{where}/card", seat="S", card=first_card(state), at=state["at"])
    state = visitor.post(f"{where}/step", seat="S", at=state["at"])
    assert (state["turn"], state["yours"]) == ("N", True)


def test_the_review_has_the_result_of_every_other_call(visitor):
    state = open_deal(visitor, "N", ns="pass", ew="pass", control="pass")
    state = visitor.bid_out(state, passing)
    assert state["phase"] == "over"  # passed out: there is nothing to play
    found = visitor.get(f"tables/{state['table']}/review")
    (mine,) = found["calls"]
    assert mine["call"] == "Pass"
    by_call = {option["call"]: option for option in mine["options"]}
    assert len(by_call) == 36
    tricks = found["tricks"]["N"]
    made = {strain: took >= 7 for strain, took in zip(found["strains"], tricks, strict=True)}
    for strain, makes in made.items():
        assert (by_call[f"1{strain}"]["imps"] > 0) == makes
    assert by_call["Pass"]["imps"] == 0
    assert found["par"]["points"] != 0


def test_the_session_keeps_imps_a_board_with_their_error(visitor):
    values = []
    for _ in range(3):
        state = visitor.bid_out(open_table(visitor), passing)
        if state["phase"] == "bid":
            visitor.post(f"tables/{state['table']}/show", seat="S")
        found = visitor.get(f"tables/{state['table']}/review")
        visitor.get(f"tables/{state['table']}/review")  # counts once
        values.append(found["imps"])
    session = visitor.get("start")["session"]
    assert session["boards"] == 3
    assert session["mean"] == pytest.approx(np.mean(values), abs=0.005)
    assert session["error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(3), abs=0.005)
    again = visitor.post(f"tables/{state['table']}/again")
    assert again["helped"] == 1
    assert again["board"]["number"] == state["board"]["number"]


def test_a_finished_board_goes_to_other_programs(visitor, tmp_path):
    state = visitor.play_out(four_spades(visitor), first_card)
    texts = {f: visitor.get(f"tables/{state['table']}/export", form=f)["text"] for f in ("pbn", "lin", "link")}
    (tmp_path / "a.pbn").write_text(texts["pbn"])
    (tmp_path / "a.lin").write_text(texts["lin"])
    boards = [
        *read_boards(tmp_path / "a.pbn").boards,
        *read_lin(tmp_path / "a.lin").boards,
        board_of_link(texts["link"]),
    ]
    assert len(boards) == 3
    for board in boards:
        assert (board.owner == parse_deal(DEAL)).all()
        assert [call_text(c) for c in board.auction] == [c["call"] for c in state["calls"]]
        assert board.tricks == state["play"]["won"]


def test_a_report_of_a_problem_has_board_auction_and_versions_and_no_hidden_hand(visitor):
    state = open_deal(visitor, "N", calls="1NT")
    name, at = "problem-board-1.json", f"tables/{state['table']}"
    found = visitor.get(f"{at}/report", seat="N")
    assert found["name"] == name
    said = json.loads(found["text"])
    assert said["versions"]["numpy"] == np.__version__
    assert said["seed"] == SEED
    assert said["bidders"]["EW"] == CALM["ew"]
    assert [made["call"] for made in said["state"]["calls"]] == ["1NT"]
    hands = DEAL[2:].split()
    assert [hand in found["text"] for hand in hands] == [True, False, False, False]
    visitor.get(f"{at}/report", 403, seat="E")
    visitor.bid_out(state, passing)
    visitor.post(f"{at}/show", seat="N")
    visitor.get(f"{at}/review")
    said = json.loads(visitor.get(f"{at}/report", seat="N")["text"])
    assert [said["state"]["hands"][seat] for seat in SEATS] == hands
    assert said["review"]["par"]


@pytest.mark.parametrize("source", ["random", "judging"])
def test_any_board_of_a_source_can_be_named_and_the_next_follows_it(visitor, source):
    boards = [
        open_table(visitor, source=source, dealer="W", vulnerability="EW", **number)["board"]
        for number in ({}, {"number": 7}, {}, {"number": 0})
    ]
    assert [board["number"] for board in boards] == [1, 7, 8, 9]
    assert {(board["dealer"], board["vulnerability"]) for board in boards} == {("W", "EW")}
    assert f"a {source}" in boards[0]["source"]
    visitor.post("tables", 400, people="S", source=source, number=-1, **CALM)


def test_a_table_begins_with_calls_that_were_made_elsewhere(visitor):
    stack = visitor.post("boards", text=DEAL)["stack"]
    fields = {"source": "stack", "stack": stack, "people": "N"}
    state = open_table(visitor, **fields, calls="1C Pass 1H Pass")
    assert [c["call"] for c in state["calls"]] == ["1C", "Pass", "1H", "Pass"]
    assert state["yours"]
    assert state["helped"] == 1
    state = visitor.post(f"tables/{state['table']}/undo", seat="N")
    assert state["calls"] == []
    visitor.post("tables", 400, **CALM, **fields, calls="1C 1C")
    visitor.post("tables", 400, **CALM, **fields, calls="Pass Pass Pass Pass Pass")
    visitor.post("tables", 400, **CALM, **fields, calls="1C 8C")


def test_a_dropped_system_bids(visitor):
    text = "system: odd\n7N\n"
    spec = visitor.post("systems", text=text, name="odd.bidding")["spec"]
    assert spec in visitor.get("start")["specs"]
    state = open_table(visitor, "", ns=spec, ew="pass", dealer="N")
    state = visitor.post(f"tables/{state['table']}/step", at=0)
    assert state["calls"][0]["call"] == "7NT"
    other = visitor.post("systems", text="system: odd\n6N\n", name="odd.bidding")["spec"]
    assert other != spec  # a name belongs to one text
    fault = visitor.post("systems", 400, text="system: odd\n1S  12+ quokkas\n", name="odd.bidding")
    assert ":2:" in fault["error"]


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        (
            "broken",
            500,
            r"bidder support\.unruly\.Always failed after no call: KeyError: 'the third suit' \(unruly\.py",
        ),
        ("cheat", 500, r"bidder support\.unruly\.Always: XX is not legal after no call"),
        ("stuck", 504, r"no answer within 0\.3 seconds"),
    ],
)
def test_a_bidder_that_fails_is_named_and_the_table_stays(name, status, says):
    spec = f"python:support.unruly:{name}"
    visitor = visitor_of(seed=SEED, named=(spec,))
    state = open_table(visitor, people="", ns=spec, ew=spec)
    if name == "stuck":
        visitor.client.app.state.worker.timeout = 0.3
    for _ in range(2):
        found = visitor.post(f"tables/{state['table']}/step", status, at=state["at"])["error"]
        assert re.search(says, found), found
    assert visitor.get(f"tables/{state['table']}")["calls"] == []


BOARD = {"deal": DEAL, "dealer": "E", "vulnerable": "NS", "board": 7, "calls": "Pass 1NT"}


@pytest.mark.parametrize("calls", ["", "Pass 1NT", "Pass 1NT Pass Pass Pass"], ids=["none", "begun", "over"])
def test_a_board_put_together_comes_back_from_each_form(visitor, calls):
    found = visitor.post("editor/board", **{**BOARD, "calls": calls})
    for form in ("pbn", "lin", "link"):
        (back,) = visitor.post("editor/read", text=found[form]["text"])["boards"]
        assert back == {**BOARD, "calls": calls}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"deal": DEAL.replace("AKQ2", "AKQ")}, "has 12 cards, not 13"),
        ({"deal": DEAL.replace("J97.AQ2", "A97.AQ2")}, "SA in two hands"),
        ({"calls": "1NT 1D"}, "after E: 1NT."),
        ({"board": 0}, ">= 1"),
    ],
)  # fmt: skip
def test_a_wrong_board_is_refused_in_a_sentence(visitor, fields, sentence):
    assert sentence in visitor.post("editor/board", 400, **{**BOARD, **fields})["error"]


def test_the_editor_lists_legal_calls(visitor):
    found = visitor.post("editor/calls", dealer="N", calls="1H Pass")
    assert "1S" in found["legal"]
    assert not {"1H", "X", "XX"} & set(found["legal"])
    assert not found["over"]
    assert visitor.post("editor/calls", dealer="N", calls="1H Pass Pass Pass") == {"legal": [], "over": True}
    assert "1H is not legal" in visitor.post("editor/calls", 400, dealer="N", calls="1S 1H")["error"]


def test_the_editor_reads_all_boards_of_a_text_and_lists_problems(visitor):
    good = visitor.post("editor/board", **BOARD)["pbn"]["text"]
    found = visitor.post(
        "editor/read", text=good + "\n" + good.replace("AKQ2.T98", "AKQ2.T99").replace("J97.AQ2", "J97.AA2")
    )
    assert len(found["boards"]) == 1
    assert found["problems"][0].startswith("line ")
    visitor.post("editor/read", 400, text="nothing of the kind")


def test_hands_are_drawn_for_a_rare_call_on_request(visitor):
    state = open_table(visitor, "S", ns="policy:champion", ew="policy:champion", calls="1C 4D X", dealer="W")
    assert state["yours"]
    at, (first, _, last) = f"tables/{state['table']}", state["calls"]
    assert "pending" not in first["shows"]  # it was measured
    assert last["shows"]["pending"]
    assert state["shown"]["E"] == ""
    found = visitor.get(at, seat="S", draw=True)
    assert re.search(r"\d", found["calls"][2]["shows"]["text"])
    assert re.search(r"\d", found["shown"]["E"])


STRONG = "N:AKQ2.AK8.AJ7.A54 J97.QJ2.9853.K82 T864.9543.KQ2.Q6 53.T76.T64.JT973"
SPECS = ("system:sayc", "policy:champion")


def over(spec, first, rest="Pass Pass Pass"):
    """A table at which North, a person, made the first call, and the board is over."""
    table = Session(seed=1).open(Setup((0,), spec, spec, spec, "rule"), Deal(parse_deal(STRONG), 0, 0, 1, "a test"))
    table.begin_with([parse_call(word) for word in (first, *rest.split())])
    if table.phase != "over":
        table.show()
    return table


@pytest.mark.parametrize("spec", SPECS)
def test_a_call_is_a_mistake_where_another_is_better_over_all_deals_that_fit(spec):
    found = compare_call(over(spec, "Pass"), 0, [parse_call("1C"), parse_call("2NT")])
    assert found["sure"]
    assert found["call"] != "Pass"
    assert found["gain"] > 2
    assert found["deals"] >= 8
    assert compare_call(over(spec, "2NT"), 0, [parse_call("Pass")])["call"] != "Pass"
    assert compare_call(over("random", "1C"), 0, [parse_call("Pass")]) is None  # without look-ahead
