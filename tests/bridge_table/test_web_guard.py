"""Access to the table's server, and the limits of requests: every refusal is a 4xx and a sentence."""

import json
import random
import re
import sys
from types import SimpleNamespace

import pytest
from support import command
from support.table import HOST, TOKEN, client, is_sentence, visitor_of

from bridge_table import serving
from bridge_table.app import make_app

TABLE = {"ns": "system:sayc", "ew": "pass", "people": "S", "cards": "rule"}


def refused(response, status):
    assert response.status_code == status, response.text
    assert is_sentence(response.json()["error"]), response.text


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


def test_large_requests_are_refused():
    ours = client()
    assert ours.post(f"/{TOKEN}/api/boards", json={"text": "x" * 2_000_000}).status_code == 413

    def pieces():
        for _ in range(200):
            yield b"x" * 10_000

    assert ours.post(f"/{TOKEN}/api/boards", content=pieces()).status_code == 413  # no length was sent before


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


POSTS = [route.path for route in make_app(TOKEN).routes[0].routes if "POST" in route.methods]
FIELDS = """seat call at card tricks form text name people ns ew source number dealer spec against a b boards board
deals topic count zzz"""
VALUES = """S N X 1C 9Z 4SX HQ -1 pbn random stack ♠ NESW SS"""
WORDS = ["", "0" * 50, "x" * 3000, "a\nb", *VALUES.split()]
BODIES = [b"", b"[", b"[]", b"null", b"\xff\xfe", b"[" * 5000, b'{"a":NaN', b"1", b'"x"', b"{}" * 9]


def value(draw):
    others = [draw.randrange(-(10**12), 10**12), None, True, [draw.choice(WORDS)], {"a": 1}, draw.random() * 1e308]
    return draw.choice([draw.choice(WORDS), *others])


@pytest.fixture(scope="module")
def busy():
    ours = client()
    table = ours.post(f"/{TOKEN}/api/tables", json={**TABLE, "dealer": "N"}).json()["table"]
    return ours, table


@pytest.mark.parametrize("path", POSTS)
def test_any_body_gets_an_answer_or_a_sentence(busy, path):
    """A hostile client: bodies that are no JSON, and fields of all kinds, some of which no request has."""
    ours, table = busy
    draw, names = random.Random(path), FIELDS.split()
    url = f"/{TOKEN}{path}".replace("{number:int}", "1").replace("{name}", table if "tables/" in path else "x")
    sent = [json.dumps({draw.choice(names): value(draw) for _ in range(draw.randrange(5))}) for _ in range(16)]
    for body in [*sent, *BODIES]:
        response = ours.post(url, content=body, headers={"content-type": "application/json"})
        assert response.status_code < 500, (body[:200], response.text)
        assert response.status_code == 200 or is_sentence(response.json()["error"]), (body[:200], response.text)
    refused(ours.post(url, json={"zzz": 1}), 400)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        refused(ours.request(method, url), 405)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_bookmarks_last_until_the_key_is_removed(tmp_path, monkeypatch, capsys):
    """The key is of this machine alone: servers for others, and those that save nothing, make their own."""
    monkeypatch.setattr(serving, "make_server", lambda app: SimpleNamespace(run=lambda sockets: None))
    monkeypatch.setattr(serving, "_warm_up", lambda: None)

    def key(*options):
        memory = [] if "--memory" in options else ["--memory", tmp_path / "table.sqlite"]
        code, out, _ = command.run(capsys, "table", "--no-browser", "--port", "0", *memory, *options)
        assert code == 0
        return re.search(r"http://\S+/(\S+)/", out)[1]

    first, file = key(), tmp_path / "table.key"
    assert key() == first == file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    others = [key("--host", "0.0.0.0"), key("--memory", "none")]
    assert key() == first
    file.write_text("")
    assert len({first, *others, key()}) == 4
    assert len(file.read_text()) == 24
