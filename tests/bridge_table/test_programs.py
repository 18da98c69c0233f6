"""The forms of other programs' questions and answers, and what a player has seen as a view."""

import importlib
import tomllib
from dataclasses import fields
from pathlib import Path
from urllib.parse import parse_qsl

import msgspec
import numpy as np
import pytest
from support.bidders import longest_auction, positions
from support.plays import contracts_of, random_plays

from agents.cardplay.known_cards import view_of_seen
from bridge_env.bidders.play_view import play_view
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import parse_hand
from bridge_env.rules.auction import Contracts, one_auction
from bridge_env.rules.calls import NOTRUMP, parse_call
from bridge_env.rules.play import IllegalCard, Plays
from bridge_table.http.requests import parse_card
from bridge_table.programs import ben
from bridge_table.programs.ben import Question
from bridge_table.programs.seat import SeatOptions, call_question, card_question, make_seat, parse_address

HAND = "AK97543.K.T3.AK7"


def question_of(path):
    """Return the question of an address as the server reads it."""
    query = dict(parse_qsl(path.partition("?")[2], keep_blank_values=True))
    return msgspec.convert(query, ben.Fields, strict=False).question(True)


def same(one, other):
    for field in fields(Question):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, field.name


def words(text):
    return tuple(parse_call(word) for word in text.split())


def test_bens_own_example():
    path = f"/bid?hand={HAND}&seat=S&dealer=N&vul=None&ctx=----&tournament=imps"
    request = question_of(path)
    same(request, Question(2, parse_hand(HAND), 0, 0, (0, 0)))
    assert ben.question_path(request, play=False, tournament="imps") == path


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("", ""),
        ("----", "P P"),
        ("1CDb--RD7N", "1C X P XX 7NT"),
        ("1NPaPaDb", "1NT P P X"),
        ("1C1D1H", "1C 1D 1H"),
        ("P-1N-P-3N-X-XX", "P 1NT P 3NT X XX"),
        (" P 1N  P Db ", "P 1NT P X"),
    ],
)
def test_ctx(text, calls):
    assert ben.read_calls(text) == words(calls)


@pytest.mark.parametrize("text", ["1", "8C", "1C-", "1C--?", "zz", "----1", "1N Zz", "1C-1D-"])
def test_ctx_that_is_none(text):
    with pytest.raises(ValueError, match="is no call"):
        ben.read_calls(text)


def test_the_longest_auction_goes_through():
    calls = tuple(longest_auction())
    assert ben.read_calls(ben.calls_text(calls)) == calls


@pytest.mark.parametrize(
    ("code", "texts"),
    [(0, ["", "None", "none", "-"]), (1, ["@v", "NS", "N-S"]), (2, ["@V", "EW"]), (3, ["@v@V", "@V@v", "All", "Both"])],
)
def test_vulnerability(code, texts):
    assert [ben.read_vulnerability(text) for text in texts] == [code] * len(texts)


def test_questions_for_calls_go_there_and_back():
    auctions, owner, _ = positions(60, 3)
    view = view_of(auctions, owner)
    for row in range(len(view)):
        request = call_question(view, row)
        same(question_of(ben.question_path(request, play=False)), request)


@pytest.mark.parametrize("length", [0, 1, 17, 51])
def test_questions_for_cards_go_there_and_back_and_give_the_same_view(length):
    """The view from a question equals the view at a table where all four hands are known."""
    plays, _ = random_plays(25, 11 + length, length)
    view = play_view(plays, contracts_of(plays), np.arange(25) % 4)
    for row in range(25):
        request = card_question(view, row)
        back = question_of(ben.question_path(request, play=True))
        same(back, request)
        auction = one_auction(back.calls, back.dealer, back.vulnerability)
        seen = view_of_seen(auction, back.seat, back.hand, back.dummy, back.played)
        for field in fields(seen):
            if field.name not in ("history", "dealer"):  # the auction was not known
                assert np.array_equal(getattr(seen, field.name)[0], getattr(view, field.name)[row]), field.name


@pytest.mark.parametrize(("doubling", "ctx"), [(0, "3N------"), (1, "3NDb------"), (2, "3NDbRd------")])
def test_an_auction_that_is_not_known_is_declarers_bid(doubling, ctx):
    plays, _ = random_plays(1, 5, 3)
    contract = Contracts(*(np.array([number], np.int8) for number in (14, doubling, int(plays.declarer[0]))))
    plays = Plays.replay(plays.owner, plays.declarer, NOTRUMP, np.empty((1, 0)))
    request = card_question(play_view(plays, contract, 0), 0)
    assert ben.calls_text(request.calls) == ctx
    assert one_auction(request.calls, request.dealer).contracts() == contract


SOUTH, DUMMY = parse_hand("KQJ2.A2.K32.AK32"), parse_hand("A543.K43.A54.654")


def seen(played, calls="1N P 3N P P P", seat=0, hand=SOUTH, dummy=DUMMY):
    auction = one_auction(words(calls), 0)
    return view_of_seen(auction, seat, hand, dummy, [parse_card(word) for word in played.split()])


@pytest.mark.parametrize(
    ("played", "options", "message"),
    [
        ("HQ", {}, None),
        ("HQ H3", {}, "W's turn to play, not N's"),
        ("", {}, "E's turn to play, not N's"),
        ("HQ HQ", {}, "S does not hold it"),
        ("S2", {}, "E does not hold it"),
        ("HQ C4", {}, "S can follow suit"),
        ("HQ H3 C9 HA S2 S9 S3 H5", {}, "W can follow suit"),
        ("HQ", {"hand": DUMMY}, "both hold"),
        ("HQ", {"dummy": None}, "dummy's hand is needed"),
        ("HQ", {"seat": 2}, "S is dummy; ask as N"),
        ("", {"calls": "1N P 3N"}, "the auction is not over"),
        ("", {"calls": "P P P P"}, "passed out"),
    ],
)
def test_what_cannot_have_been_seen(played, options, message):
    if message is None:
        assert seen(played, **options).mask.any()
        return
    with pytest.raises(ValueError, match=message):
        seen(played, **options)


def test_voids_count_where_a_hand_is_left_without_room():
    """Both defenders may not show out of a suit of which cards are still out."""
    with pytest.raises((IllegalCard, ValueError)):
        seen("HQ H3 C9 HA S2 D6 S3 D7")


@pytest.mark.parametrize(
    ("body", "call"),
    [
        (b'{"bid": "PASS"}', "P"),
        (b'{"bid": "1N", "candidates": [{"call": "1N", "insta_score": 0.99}], "who": "NN"}', "1NT"),
        (b'{"bid": "X", "candidates": [{"call": "X"}], "explanation": null, "samples": 7}', "X"),
        (b'{"bid": "Rd", "candidates": null}', "XX"),
        (b'{"bid": "--"}', "P"),
    ],
)
def test_answers_of_bens_kind(body, call):
    assert ben.read_call(ben.read_answer(body).bid, "bid") == parse_call(call)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "cannot be read"),
        (b"<html>", "cannot be read"),
        (b'{"bid": "\xff\xfe"}', "cannot be read"),
        (b'{"bid": 3}', "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
    ],
)
def test_answers_that_are_none(body, message):
    with pytest.raises(ValueError, match=message):
        ben.read_answer(body)


def test_options():
    address = parse_address("http://127.0.0.1:8085/?parallel=3&timeout=1.5&retries=0")
    assert address.options == SeatOptions(3, 1.5, 0, "imps")
    assert address.root == "http://127.0.0.1:8085"
    assert parse_address("https://[::1]:9/a/b/").root == "https://[::1]:9/a/b"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("", "write the program's address"),
        ("127.0.0.1:8085", "write the program's address"),
        ("ftp://127.0.0.1", "write the program's address"),
        ("http://", "write the program's address"),
        ("http://127.0.0.1:99999", "[Pp]ort"),
        ("http://127.0.0.1?paralel=3", "'paralel' is not an option of a seat"),
        ("http://127.0.0.1?parallel=0", "parallel must be at least 1"),
        ("http://127.0.0.1?parallel=many", "parallel must be a whole number"),
        ("http://127.0.0.1?timeout=nan", "timeout more than 0 seconds"),
        ("http://127.0.0.1?tournament=xml", "tournament must be imps or mp"),
    ],
)
def test_faulty_specs(argument, message):
    with pytest.raises(SpecError, match=message):
        make_seat(argument)


def test_the_package_publishes_seats():
    found = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    module, _, factory = found["project"]["entry-points"]["bridge_env.bidders"]["seat"].partition(":")
    assert getattr(importlib.import_module(module), factory) is make_seat
