"""A seat that another program takes, over real sockets: our own server, and faulty programs."""

import itertools
import json
import threading
import time
from urllib.parse import parse_qsl, urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from support.bidders import positions
from support.servers import program, publish_seat, serving

from bridge_env.bidders.errors import BidderError
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import view_of
from bridge_table.programs import seat as seats
from bridge_table.programs.seat import make_seat
from training.cli.app import main
from training.evaluation import duplicate
from training.evaluation.cardplay import Teams, play_hands
from training.evaluation.duplicate import match

SIDES = ("system:sayc", "system:acol")


@pytest.fixture(autouse=True)
def _published_and_without_pauses(monkeypatch):
    publish_seat(monkeypatch)
    monkeypatch.setattr(seats, "_BACKOFF", 0.01)


def auctions_of(result):
    return [table.history.tolist() for table in result.tables]


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("system:sayc", ""),
        ("system:sayc", "?parallel=3"),
        ("policy:champion", "?tournament=mp"),
        ("pair:system:acol,pass", "?parallel=1"),
    ],
)
def test_a_match_over_http_is_the_match(spec, options):
    with serving(spec, opponents="doubler") as url:
        there = match(f"seat:{url}{options}", "doubler", 6, seed=3)
    here = match(spec, "doubler", 6, seed=3)
    assert auctions_of(there) == auctions_of(here)
    assert (there.imps == here.imps).all()


def test_cards_over_http_are_the_cards():
    bidding = match("system:sayc", "system:acol", 1, seed=5)
    here = play_hands(bidding, Teams(SIDES, ("rule", "rule")))
    with serving("system:sayc", play="rule") as url:
        seat = f"seat:{url}"
        there = play_hands(bidding, Teams(SIDES, (seat, seat)))
    assert [board.cards for board in there.boards] == [board.cards for board in here.boards]


def test_explains_itself():
    auctions, owner, key = positions(1, 4)
    with serving("policy:champion") as url:
        found = make(f"seat:{url}").explain(view_of(auctions, owner), key).splitlines()
    assert found[1].startswith("  considers ")
    assert found[-1].startswith(f"  asked     {url}/bid?hand=")
    here = make("policy:champion").bid(view_of(auctions, owner), key)
    with serving("policy:champion") as url:
        assert make(f"seat:{url}").bid(view_of(auctions, owner), key) == here


def answering(word):
    return lambda path: (200, json.dumps({"bid": word}).encode())


def bid_once(url, options="?retries=0", count=1):
    auctions, owner, key = positions(count, 8)
    return make_seat(url + options).bid(view_of(auctions, owner), key)


def test_requests_have_bens_form():
    requests = []

    def answer(path):
        requests.append(path)
        return 200, b'{"bid": "PASS", "who": "NN", "candidates": [{"call": "PASS", "insta_score": 0.9}]}'

    with program(answer) as url:
        assert bid_once(f"{url}/here/") == 0
    parts = urlsplit(requests[0])
    assert parts.path == "/here/bid"
    assert set(dict(parse_qsl(parts.query, keep_blank_values=True))) == {
        "hand", "seat", "dealer", "vul", "ctx", "tournament",
    }  # fmt: skip


def test_several_requests_are_sent_at_a_time():
    inside, most, lock = [0], [0], threading.Lock()

    def answer(path):
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        time.sleep(0.1)
        with lock:
            inside[0] -= 1
        return 200, b'{"bid": "PASS"}'

    with program(answer) as url:
        bid_once(url, "?parallel=4", count=12)
    assert most[0] == 4


def test_an_illegal_call_is_that_programs_fault():
    with program(answering("1C")) as url, pytest.raises(BidderError) as fault:
        match(f"seat:{url}?retries=0", "system:sayc", 2, seed=1)
    found = str(fault.value)
    assert f"seat:{url}?retries=0: at " in found
    assert "it answered 1C, a call that is not legal after " in found
    assert "1C" in found.partition("not legal after ")[2]  # the auction
    assert "The fault is that program's. Asked: " + url + "/bid?hand=" in found


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, b"<html>hello</html>", "cannot be read .*hello"),
        (200, b"\x00\xff" * 50, "cannot be read"),
        (200, b'{"bid": "eight clubs"}', "no call"),
        (200, b'{"message": "Bidding is over"}', "Bidding is over"),
        (400, b'{"error": "Invalid hand format"}', "answers 400: Invalid hand format"),
        (404, b"", "answers 404. Asked"),
        (302, b"", "answers 302. Asked"),
        (500, b"oops", "no answer at the only try: it answers 500"),
    ],
)
def test_garbage_and_refusals(status, body, message):
    with program(lambda path: (status, body)) as url, pytest.raises(BidderError, match=message):
        bid_once(url)


def test_a_request_is_repeated_after_busy_or_a_hang_up():
    count = itertools.count()

    def answer(path):
        return [(503, b"busy"), None, (200, b'{"bid": "PASS"}')][next(count)]

    with program(answer) as url:
        assert bid_once(url, "?retries=2") == 0
    assert next(count) == 3


def test_a_request_is_not_repeated_after_a_faulty_answer():
    count = itertools.count()

    def answer(path):
        next(count)
        return 200, b"garbage"

    with program(answer) as url, pytest.raises(BidderError):
        bid_once(url, "?retries=5")
    assert next(count) == 1


def test_a_match_with_a_program_that_died_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(duplicate, "SLOW_CHUNK", 4)
    requests, most = itertools.count(), [60]

    def answer(path):
        return None if next(requests) >= most[0] else (200, b'{"bid": "PASS"}')

    with program(answer) as url:
        words = ["match", f"seat:{url}?retries=0", "system:sayc", "--boards", "20", "--keep", str(tmp_path / "kept")]
        assert main(words) == 2
        text = capsys.readouterr()
        assert "no answer at the only try" in text.err
        assert f"what was done is in {tmp_path / 'kept'}; go on: bridge-env match" in text.err
        done = len((tmp_path / "kept").read_text().splitlines()) - 1
        assert 0 < done < 20
        assert done % 4 == 0
        before = next(requests)
        most[0] = 10**6
        assert main(words) == 0
        rest = next(requests) - before
        complete = match(f"seat:{url}?retries=0", "system:sayc", 20)
        assert next(requests) - before - rest > rest  # the resumed match sends fewer requests
    assert f"{complete.mean_imps:+.3f}" in capsys.readouterr().out


def test_an_illegal_card_is_the_programs_fault():
    bidding = match("system:sayc", "pass", 2, seed=5)
    with program(lambda path: (200, b'{"card": "S2"}')) as url, pytest.raises(ValueError, match="not legal after"):
        play_hands(bidding, Teams(("system:sayc", "pass"), (f"seat:{url}?retries=0", "rule")))
