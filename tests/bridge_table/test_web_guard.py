"""Who may speak to the table's server, and what it takes: every refusal is a 4xx and a sentence."""

from __future__ import annotations

import json
import random

import pytest
from support import command
from support.table import client, visitor_of
from support.web import HOST, TOKEN, is_sentence

TABLE = {"ns": "system:sayc", "ew": "pass", "people": "S", "cards": "rule"}


def refused(response, status):
    assert response.status_code == status, response.text
    assert is_sentence(response.json()["error"]), response.text


# --- the address, Host and Origin ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 404), ("/wrong/", 403), ("/wrong/index.js", 403), ("/wrong/api/look", 403), ("/wrong/api/start", 404),
     (f"/{TOKEN}x/", 403)],
)  # fmt: skip
def test_without_the_key_nothing_is_answered(path, status):
    refused(client().get(path), status)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:9", ""])
def test_another_origin_is_refused(origin):
    refused(client().post(f"/{TOKEN}/api/tables", json=TABLE, headers={"origin": origin}), 403)


def test_our_own_origin_is_taken_and_other_sites_requests_are_not():
    ours = client()
    assert ours.post(f"/{TOKEN}/api/tables", json=TABLE, headers={"origin": HOST}).status_code == 200
    refused(ours.get(f"/{TOKEN}/api/start", headers={"sec-fetch-site": "cross-site"}), 403)
    opened = ours.get(f"/{TOKEN}/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})
    assert opened.status_code == 200


def test_answers_carry_headers_that_keep_other_pages_out():
    for path in ("", "index.js", "api/start", "api/nothing"):
        headers = client().get(f"/{TOKEN}/{path}").headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"


def test_only_files_of_the_page_are_served():
    ours = client()
    for path in ("..%2fapp.py", "%2e%2e/guard.py", "static/index.js", "app.py", "nothing.js", "etc/passwd"):
        refused(ours.get(f"/{TOKEN}/{path}"), 404)
    assert ours.get(f"/{TOKEN}/style.css").headers["content-type"].startswith("text/css")


# --- how much and how often ------------------------------------------------------------------------------------


def test_large_requests_are_refused():
    ours = client()
    assert ours.post(f"/{TOKEN}/api/boards", json={"text": "x" * 2_000_000}).status_code == 413

    def pieces():
        for _ in range(200):
            yield b"x" * 10_000

    assert ours.post(f"/{TOKEN}/api/boards", content=pieces()).status_code == 413  # no length was sent before


DEAL = '[Dealer "N"]\n[Vulnerable "None"]\n'
DEAL += '[Deal "N:AKQ2.T98.J7.A543 J97.AQ2.KQ93.K82 T864.J543.A52.Q6 53.K76.T864.JT97"]\n'
THREE_BOARDS = "\n".join(f'[Board "{n}"]\n{DEAL}' for n in (1, 2, 3))


# --- texts -----------------------------------------------------------------------------------------------------


def test_a_bad_board_tells_its_line_and_the_others_are_kept():
    visitor = visitor_of()
    bad = THREE_BOARDS.replace("AKQ2.T98", "AKQ2.T99", 2).replace("AKQ2.T99", "AKQ2.T98", 1)
    found = visitor.post("boards", text=bad)
    assert found["boards"] == 2
    (problem,) = found["problems"]
    assert problem.startswith("line 9: ")
    told = visitor.post("boards", 400, text='[Board "1"]\n[Dealer "N"]\n[Deal "N:AK Q J T"]\n')
    assert "line 3" in told["error"]


@pytest.mark.parametrize("text", ["", "   ", "hello", "N:AK", "http://example.org/?x=1", "md|3S|", "%", "[", "\ufeff"])
def test_texts_without_boards_are_refused(text):
    visitor_of().post("boards", 400, text=text)


@pytest.mark.parametrize(
    "spec",
    ["python:os:getcwd", "system:/etc/passwd", "policy:../../x.npz", "cases:x", "reason:system", "pair:pass,python:a:b",
     "pair:pass", "reason:policy:/tmp/x", "reason:sayc?samples=x",
     "system:~none", "", "nonsense", "system:"],
)  # fmt: skip
def test_the_page_names_only_what_the_package_has(spec):
    fields = {**TABLE, "ns": spec} if spec else {**TABLE, "ns": " "}
    visitor_of().post("tables", 400, **fields)


def test_what_the_command_line_names_the_page_may_use():
    visitor = visitor_of(named=("pair:pass,random",))
    assert visitor.post("tables", **{**TABLE, "ns": "pair:pass,random"})["sits"]["N"] == "pass"


@pytest.mark.parametrize(
    "text", ["\x00\x01", "system: a\n  1C  12+ hcp\n 1D\n", "system: a\n1Z\n", "\t1C\n", "system: a\n1C 5+ M\n"]
)
def test_texts_that_are_no_systems_are_refused_with_their_line(text):
    told = visitor_of().post("systems", 400, text=text, name="mine.bidding")
    assert "mine.bidding:" in told["error"] or "cannot be printed" in told["error"] or "line " in told["error"]


# --- anything at all -------------------------------------------------------------------------------------------

ONE = "api/tables/{t}"
ACTS = ["call", "step", "card", "claim", "undo", "play", "show", "hint", "calls", "again"]
POSTS = [
    "api/boards",
    "api/systems",
    "api/system",
    "api/tables",
    "api/tables/x/call",
    *["api/book", "api/figures", "api/jobs/x/stop", "api/compare", "api/text", "api/check", "api/drafts"],
    *["api/exam", "api/matches", "api/matches/x/open", "api/drills", "api/drills/file", "api/drills/x/answer"],
    *["api/history/boards/1/open", "api/mistakes/drill", "api/rooms", "api/challenges"],
    *(f"{ONE}/{act}" for act in ACTS),
]
WORDS = [
    "",
    *["S", "N", "X", "1C", "9Z", "4SX", "HQ", "-1", "pbn", "random", "stack", "♠", "NESW", "SS"],
    "0" * 50,
    "x" * 3000,
    "a\nb",
]
NAMES = [
    "seat",
    "call",
    "at",
    "card",
    "tricks",
    "form",
    "text",
    "name",
    "people",
    "ns",
    "ew",
    "source",
    "number",
    "dealer",
    *["spec", "against", "a", "b", "boards", "board", "deals", "topic", "count", "zzz"],
]


def value(draw):
    kinds = [lambda: draw.choice(WORDS), lambda: draw.randrange(-(10**12), 10**12), lambda: None, lambda: True,
             lambda: [draw.choice(WORDS)], lambda: {"a": 1}, lambda: 1.5, lambda: draw.random() * 1e308]  # fmt: skip
    return draw.choice(kinds)()


def body(draw):
    if draw.random() < 0.3:
        return draw.choice([b"", b"[", b"[]", b"null", b"\xff\xfe", b"[" * 5000, b'{"a":NaN', b"1", b'"x"', b"{}" * 9])
    return json.dumps({draw.choice(NAMES): value(draw) for _ in range(draw.randrange(1, 5))} | {"zzz": 1}).encode()


@pytest.fixture(scope="module")
def busy():
    ours = client()
    table = ours.post(f"/{TOKEN}/api/tables", json={**TABLE, "dealer": "N"}).json()["table"]
    return ours, table


@pytest.mark.parametrize("path", POSTS)
def test_any_body_gets_a_sentence(busy, path):
    ours, table = busy
    draw = random.Random(path)
    for _ in range(40):
        sent = body(draw)
        if not sent.strip():
            sent = b"[]"
        told = ours.post(
            f"/{TOKEN}/{path.format(t=table)}", content=sent, headers={"content-type": "application/json"}
        )  # fmt: skip
        assert 400 <= told.status_code < 500, (sent[:200], told.text)
        assert is_sentence(told.json()["error"]), (sent[:200], told.text)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        refused(ours.request(method, f"/{TOKEN}/{path.format(t=table)}"), 405)


@pytest.mark.parametrize("path", POSTS)
def test_no_body_breaks_the_server(busy, path):
    ours, table = busy
    draw = random.Random(path)
    for _ in range(30):
        fields = {draw.choice(NAMES): value(draw) for _ in range(draw.randrange(4))}
        told = ours.post(f"/{TOKEN}/{path.format(t=table)}", json=fields)
        assert told.status_code < 500, (fields, told.text)
        assert told.status_code == 200 or is_sentence(told.json()["error"]), (fields, told.text)


# --- the command -----------------------------------------------------------------------------------------------


def test_the_command_says_what_is_wrong(capsys):
    assert "65535" in command.refused(capsys, "table", "--no-browser", "--port", "70000")
    assert "nonsense" in command.refused(capsys, "table", "--no-browser", "nonsense:x")
