"""The server for other programs: answers in BEN's form; every refusal is a 4xx and a sentence."""

import random
import string
import time
from urllib.parse import quote

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from support.table import client_of, is_sentence

import agents
from bridge_table.programs.answers import Answers, make_app

HAND = "AK97543.K.T3.AK7"
BID = f"/bid?hand={HAND}&seat=S&dealer=N&vul=&ctx=----&tournament=imps"
DEALT = {
    "N": "A543.K43.A54.654", "E": "T98.QJT98.987.QJ", "S": "KQJ2.A2.K32.AK32", "W": "76.765.QJT6.T987",
}  # fmt: skip


def client(spec="system:sayc", opponents=None, play="rule", timeout=120.0):
    return client_of(make_app(Answers(spec, opponents, play), timeout=timeout))


@pytest.fixture(scope="module")
def ours():
    return client()


@pytest.fixture(scope="module")
def network():
    return client("policy:champion", "system:sayc", "montecarlo?deals=8")


def refused(response, status=400):
    assert response.status_code == status, response.text
    assert is_sentence(response.json()["error"]), response.text
    return response.json()["error"]


def test_bens_example(ours):
    found = ours.get(BID).json()
    assert found == {
        "bid": "1S",
        "who": "system:sayc",
        "alert": False,
        "candidates": [{"call": "1S", "insta_score": 1.0}],
        "explanation": "5+♠, 10+ HCP, ♠ not shorter than ♥",
    }


@pytest.mark.parametrize("spec", ["system:sayc", "policy:champion"])
def test_calls_are_those_that_the_package_makes(spec, ours, network):
    server = {"system:sayc": ours, "policy:champion": network}[spec]
    for ctx, auction in (("", []), ("1H", ["1H"]), ("1C--1H", ["1C", "P", "1H"]), ("1NDb", ["1NT", "X"])):
        seat = "NESW"[len(auction) % 4]
        found = server.get(f"/bid?hand={HAND}&seat={seat}&dealer=N&vul=@v&ctx={ctx}").json()
        assert agents.call(agents.make(spec, opponents="system:sayc"), HAND, "N", "NS", auction) == {
            "PASS": "Pass"
        }.get(found["bid"], found["bid"].replace("N", "NT"))


def test_a_network_lists_candidates(network):
    found = network.get(f"/bid?hand={HAND.replace('.', '_').lower()}&seat=N&dealer=N&vul=All&ctx=&user=Thorvald").json()
    scores = [one["insta_score"] for one in found["candidates"]]
    assert found["candidates"][0]["call"] == found["bid"]
    assert scores == sorted(scores, reverse=True)
    assert 0.5 < sum(scores) <= 1.001


@pytest.mark.slow
def test_leads_and_cards(network):
    lead = network.get(f"/lead?hand={DEALT['E']}&seat=E&dealer=N&vul=None&ctx=1N--3N------").json()
    assert lead["card"] in {"HQ", "HJ", "HT", "H9", "H8", "S8", "S9", "ST", "D7", "D8", "D9", "CQ", "CJ"}
    assert {one["card"] for one in lead["candidates"]} >= {"HQ", "S8", "D9", "CJ"}
    assert all(0 <= one["p_make_contract"] <= 1 for one in lead["candidates"])
    play = f"/play?hand={DEALT['N']}&dummy={DEALT['S']}&seat=N&dealer=N&vul=None&ctx=1N--3N------"
    assert network.get(f"{play}&played=HQ").json()["card"] in {"HA", "H2"}  # dummy's card, for declarer
    assert network.get(f"{play}&played=HQH2H7").json()["card"][0] == "H"


def test_spaces_and_tricks_in_one_order_of_seats(ours):
    spaced = BID.replace("ctx=----", "ctx=P%20P")
    assert ours.get(spaced).json() == ours.get(BID).json()
    play = f"/play?hand={DEALT['N']}&dummy={DEALT['S']}&seat=N&dealer=N&vul=None&ctx=1N--3N------&played="
    in_order = "HQHAH7H3" + "S2S7SAST" + "S3S8SK"  # S leads to the second trick, N to the third
    by_seats = "HQHAH7H3" + "STS2S7SA" + "S3S8SK"  # each whole trick begins with E, who led
    assert ours.get(play + in_order).json() == ours.get(f"{play}{by_seats}&format=true").json()
    refused(ours.get(play + by_seats))


def test_calls_are_explained(ours, network):
    request = "seat=N&dealer=N&vul=&ctx=1N--2D"
    found = ours.get(f"/explain?{request}").json()
    assert found["Alert"] is True
    assert "♥" in found["explanation"]
    assert network.get("/explain?seat=N&dealer=N&vul=&ctx=1N").json()["explanation"]
    assert ours.get(BID.replace(HAND, "A2.KJ763.T32.432").replace("ctx=----", "ctx=1N--")).json()["alert"] is True
    assert "no call" in refused(ours.get("/explain?seat=N&dealer=N&vul=&ctx="))
    assert "legal" in refused(ours.get("/explain?seat=N&dealer=N&vul=&ctx=1N1N"))


def test_random_calls_depend_on_the_request_alone():
    server, auctions = client("random"), ("----", "1C1D", "1C1S", "1H2H")
    calls = [[server.get(BID.replace("----", ctx)).json()["bid"] for ctx in auctions] for _ in range(2)]
    assert calls[0] == calls[1]


@pytest.fixture(scope="module")
def thinker():
    return client("reason:system:sayc?samples=8", None, "montecarlo?deals=4")


def test_a_bidder_that_looks_ahead_says_why(thinker):
    request = "/bid?hand=AK975.K2.T32.AK7&seat=S&dealer=N&vul=&ctx=1D--"
    found = thinker.get(f"{request}&details=true").json()
    assert found["why"]
    assert "why" not in thinker.get(request).json()


def test_bids_lists_every_legal_call(thinker):
    found = thinker.get("/bids?ctx=1N--").json()
    assert {one["bid"] for one in found} >= {"P", "2C", "7N"}
    assert {"X", "1S"}.isdisjoint(one["bid"] for one in found)
    assert found == thinker.get("/bids?ctx=1N-P").json() == thinker.get("/bids?ctx=1NP&seat=N&dealer=N&vul=None").json()
    found = {one["bid"]: one for one in thinker.get("/bids?ctx=P1N*PASS").json()}
    assert found["2D"]["Alert"] is True
    assert "♥" in found["2D"]["m"]
    assert found["7N"]["NS"] == found["7N"]["EW"] == "reason:system:sayc?samples=8"
    assert "over" in refused(thinker.get("/bids?ctx=PPPP"))
    assert "no call" in refused(thinker.get("/bids?ctx=8C"))
    assert "required field `ctx`" in refused(thinker.get("/bids"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("hand=" + HAND, "hand=AK"), "four suits"),
        (("hand=" + HAND, "hand=AK97543.K.T3.AK"), "12 cards"),
        (("hand=" + HAND, "hand=AK97543.K.T3.AK1"), "not a rank"),
        (("hand=" + HAND, "h=1"), "four suits"),
        (("seat=S", "seat=E"), "for S to call now, not for E"),
        (("seat=S", "seat=X"), "`$.seat`"),
        (("dealer=N", "dealer="), "`$.dealer`"),
        (("vul=", "vul=@x"), "not a vulnerability"),
        (("ctx=----", "ctx=--8C"), "no call"),
        (("ctx=----", "ctx=1C1C"), "not legal"),
        (("ctx=----", "ctx=--------"), "over"),
        (("ctx=----", "ctx=----------"), "after it has ended"),
    ],
)
def test_faulty_questions(ours, change, message):
    assert message in refused(ours.get(BID.replace(*change)))


def test_faulty_questions_for_cards(ours):
    lead = f"/lead?hand={DEALT['E']}&seat=E&dealer=N&vul=&ctx="
    assert "not over" in refused(ours.get(lead))
    assert "passed out" in refused(ours.get(lead + "-" * 8))
    assert "E's turn to play" in refused(ours.get(lead.replace("seat=E", "seat=W") + "1N--3N------"))
    play = f"/play?hand={DEALT['W']}&dummy={DEALT['S']}&seat=W&dealer=N&vul=&ctx=1N--3N------&played="
    assert "no card" in refused(ours.get(play + "HQ1"))
    assert "turn to play, not W's" in refused(ours.get(play + "HQ"))
    assert "dummy's hand is needed" in refused(ours.get(play.replace("dummy", "dumy") + "HQH2"))


def test_other_methods_and_paths_are_refused(ours):
    refused(ours.post(BID), 405)
    refused(ours.get("/cuebidscores"), 404)


def test_pages_of_other_sites_may_not_ask(ours):
    assert ours.get(BID, headers={"host": "evil.example"}).status_code == 400
    refused(ours.get(BID, headers={"origin": "http://evil.example"}), 403)
    refused(ours.get(BID, headers={"sec-fetch-site": "cross-site"}), 403)


class Cheat:
    """Doubles always."""

    def bid(self, view, key):
        return view.length * 0 + 1


class Broken:
    """Cannot bid."""

    def bid(self, view, key):
        raise ValueError("no idea")


@pytest.mark.parametrize("bidder", ["Cheat", "Broken"])
def test_a_bidder_that_fails_is_not_the_questions_fault(bidder, caplog):
    server = client(f"python:{__name__}:{bidder}")
    found = refused(server.get(BID), 500)
    assert bidder in found
    assert {"Cheat": "X is not legal after N: Pass Pass", "Broken": "ValueError: no idea"}[bidder] in caplog.text


def test_a_bidder_that_is_stuck_keeps_nobody_else_from_asking():
    began = time.monotonic()
    server = client("python:support.unruly:stuck", timeout=0.1)
    assert "no answer within 0.1 seconds" in refused(server.get(BID), 504)
    assert server.get("/").status_code == 200
    assert time.monotonic() - began < 30


def test_fuzzed_questions(ours):
    """A hostile client gets an answer, or a 4xx and a sentence."""
    rng = random.Random(7)
    lead = f"/lead?hand={DEALT['E']}&seat=E&dealer=N&vul=&ctx=1N--3N------"
    play = f"/play?hand={DEALT['N']}&dummy={DEALT['S']}&seat=N&dealer=N&vul=None&ctx=1N--3N------&played=HQH2H7"
    others = ["/explain?seat=N&dealer=N&vul=&ctx=1N--2D", "/bids?ctx=1NP2C*P&seat=E&dealer=S&vul=NS"]
    answered = 0
    for number in range(80):
        path, _, query = rng.choice([BID, lead, play, *others]).partition("?")
        text = list(query)
        for _ in range(rng.choice([1, 1, 2, 8])):
            at = rng.randrange(len(text))
            what = rng.choice([string.printable, "-123CDHSN.&=", "é♠\x00\u202e\u00b2\u0663"])
            text[at : at + rng.randrange(3)] = quote(rng.choice(what), safe="&=.-@")
        response = ours.get(f"{path}?{''.join(text)}")
        assert response.status_code in (200, 400, 413, 414), (number, "".join(text), response.text)
        answered += response.status_code == 200
        if response.status_code != 200:
            refused(response, response.status_code)
    assert 0 < answered < 60


def test_listening_elsewhere_warns(monkeypatch, capsys):
    from bridge_table import serving

    class Nothing:
        def run(self, sockets):
            """Ends at once."""

    monkeypatch.setattr(serving, "make_server", lambda app: Nothing())
    serving.serve_programs("pass", None, "rule", "0.0.0.0", 0, 10)
    assert "without a key" in capsys.readouterr().out
    serving.serve_programs("pass", None, "rule", "127.0.0.1", 0, 10)
    found = capsys.readouterr().out
    assert "without a key" not in found
    assert "seat:http://127.0.0.1:" in found
