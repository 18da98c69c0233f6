"""The book of a network: its figures are a naive count's, and its pages hold together."""

import json
import re
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from unittest.mock import patch

import numpy as np
import pytest
from support.command import refused
from support.page import Page

from agents.networks.bidder import NetworkBidder
from agents.networks.sampled_meanings import NEVER_PASSED
from agents.networks.shipped import read_networks
from agents.systems.explain import player_terms
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import random_deals
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import board_dealer, board_vulnerability
from training.book import network_book
from training.book.call_table import calls_by
from training.book.network_book import make_network_book
from training.book.network_rows import RARELY
from training.book.render import render_book
from training.book.situations import SUITS, Situation, call_words, describe_situation, situations
from training.book.survey import SEED, NetworkSurvey
from training.cli.app import main
from training.evaluation.artificial_calls import count_artificial

DEALS, HOLDOUT = 3_000, 4_000


@lru_cache(maxsize=1)
def book():
    with small():
        return make_network_book("policy:standard", read_networks("standard").policy, DEALS, 1)


@contextmanager
def small():
    """Make the book count coverage on fewer deals, and survey fewer hands for its card."""
    survey = partial(NetworkSurvey, count=2_000)
    with patch.object(network_book, "HOLDOUT", HOLDOUT), patch.object(network_book, "NetworkSurvey", survey):
        yield


@lru_cache(maxsize=1)
def auctions():
    """The same deals bid slowly: owner, dealer, and the calls of each board."""
    number = np.arange(DEALS) + 1
    owner, dealer = random_deals(1, 0, DEALS), board_dealer(number).astype(np.int16)
    table = Auctions(dealer, board_vulnerability(number).astype(np.int16))
    bidder = NetworkBidder(read_networks("standard"))
    while not table.done.all():
        rows = np.flatnonzero(~table.done)
        table.step(bidder.bid(view_of(table, owner, rows), np.zeros(len(rows), np.uint64)), rows)
    return owner, dealer, table


def token(call):
    return ("P", "X", "XX")[call] if call < 3 else f"{(call - 3) // 5 + 1}{'CDHSN'[(call - 3) % 5]}"


def naive():
    """By (path, late, call) the hands that made it, as (hcp, C, D, H, S); by (path, late) how often it was met."""
    owner, dealer, table = auctions()
    held, met = defaultdict(list), Counter()
    for board in range(DEALS):
        calls = table.calls(board)
        opening = next((i for i, call in enumerate(calls) if call), 4)
        for i, call in enumerate(calls):
            path = [
                ((i - k) % 2 == 1, token(before))
                for k, before in enumerate(calls[:i])
                if k >= opening and not ((i - k) % 2 and before == 0)
            ]
            place = (tuple(path), min(i, opening) >= 2)
            hand = np.flatnonzero(owner[board] == (dealer[board] + i) % 4)
            points = sum(max(0, card % 13 - 8) for card in hand)
            met[place] += 1
            held[place, token(call)].append((points, *(sum(hand // 13 == suit) for suit in range(4))))
    return held, met


def test_figures_are_those_of_a_naive_count():
    held, met = naive()
    measured = {}
    for point in book().points:
        place = (tuple((step.theirs, step.token) for step in point.path), point.late)
        for call in point.entries.values():
            measured[place, call.step.token] = call.figures
            assert call.figures.chances == met[place]
    assert set(measured) == {key for key, hands in held.items() if len(hands) >= 20 and key[1] != "P"}
    for key, figures in measured.items():
        assert figures.made == len(held[key])
        assert sorted(map(tuple, figures.hands[:, :5].tolist())) == sorted(map(tuple, held[key]))


def test_artificial_calls_are_those_of_the_auctions():
    owner, dealer, table = auctions()
    both = [count_artificial(table.history, dealer, owner, np.full(DEALS, side)) for side in (0, 1)]
    assert book().artificial[0] == pytest.approx(100 * np.mean(both))
    marked = [call for p in book().points for call in p.entries.values() if call.artificial]
    assert {(player_terms.path(c.point.path), c.name) for c in marked} >= {("", "2!c"), ("1NT", "2!d"), ("1NT", "2!h")}
    assert not any(
        len(c.point.path) == 1 and c.point.path[0].token[1] == c.step.token[1] for c in marked
    )  # no raise is


def test_hands_fit_what_calls_show():
    one = book()
    cover = one.coverage
    assert one.by_auction < cover.covered <= cover.calls
    assert 0.97 < cover.share < 1
    for call in one.rows:
        assert call.shows.fit(call.figures.hands).mean() > 0.85  # and so do those it was measured on
    openings = one.points[0].entries
    assert openings["1N"].strength == ("hcp", 15, 17)
    assert openings["1N"].shows.ranges[0] == ("hcp", 13, 19)
    assert dict((n, (a, b)) for n, a, b in openings["1S"].shows.ranges)["S"][0] >= 4


def test_calls_are_covered_by_their_auction_then_by_their_situation():
    one = book()
    assert one.coverage.calls > 7 * HOLDOUT
    without = replace(one, levels=0)
    assert without.by_auction == 0
    assert 0.6 * one.coverage.covered < without.coverage.covered < one.coverage.covered
    opening = one.points[0].entries["1N"]
    other = calls_by(read_networks("standard").policy, 2, HOLDOUT)
    hands = other.hands[(other.number == 0) & ~other.late & (other.call == parse_call("1N"))]
    assert (opening.index, len(hands), int(opening.shows.fit(hands).sum())) in one.coverage.worst


def test_markdown_and_json_hold_what_the_book_does():
    text = render_book(book().model(), "markdown")
    assert "## Opening bids\n" in text
    assert "## Opening bids, third or fourth seat opening\n" in text
    card, _, rest = text.partition("## Opening bids\n")
    assert card.index("|1NT|15-17 HCP") > card.index("## Convention card")
    assert len(re.findall(r"^\|.*\*\*[^*]+\*\*\|", rest, re.M)) == len(book().printed)
    assert re.search(r"^\|1♠ - \*\*2♠\*\*\|\|[^|]*\|\d+\.\d%\|\d+-\d+", rest, re.M)
    assert re.search(r"^\|1♣ - \*\*1♥\*\*\|\*forcing\*\|\d\+♥", rest, re.M)
    assert re.search(r"^Level 1, a suit; .*:\n\n\|.*\n\|.*\n\|\*\*X\*\*\|.*mostly \d-\d in theirs\|", rest, re.M)
    model = json.loads(render_book(book().model(), "json"))
    assert len(model["entries"]) == len(book().rows)
    for number, point in enumerate(model["points"]):
        assert all(model["entries"][index]["point"] == number for index, _ in point["entries"])


@pytest.mark.parametrize(("auction", "words"), [
    ("1H 1S X", ("I have not called", "partner opened 1x", "X", ("in partner's", "H"), ("in theirs", "S"))),
    ("P 1C P 1H 1S 2H", ("I opened 1x", "partner bid a suit at level 1", "2 partner's", ("x", "H"), ("in mine", "C"))),
    ("1H P 2H 3C 4H", ("I opened 1x", "partner raised me", "jump to 4 my suit", ("x", "H"), ("in partner's", "H"))),
    ("P P 1N P 3N P", ("I passed before anybody bid", "partner passed their bid", "Pass", ("in mine", ""))),
    ("1S 2H 2S 3H P", ("I opened 1x", "partner raised me", "Pass", ("in theirs", "H"), ("in mine", "S"))),
    ("1S P 4N P 5C", ("I opened 1x", "partner bid NT", "5 new suit", ("x", "C"), ("in mine", "S"))),
])  # fmt: skip
def test_situations_are_as_the_caller_sees_them(auction, words):
    mine, partner, name, *suits = words
    calls = [parse_call(call) for call in auction.split()]
    seen, of = situations(np.array([calls], np.int8), np.array([2], np.int16))
    last = seen[0, len(calls) - 1]
    assert call_words(last) == name
    found = describe_situation(last, 0)
    if name != "X":
        title = "Slam bids" if name[0] == "5" else "Other calls, by situation"
        assert (found.title, found.mine, found.partner) == (title, mine, partner)
    else:
        title = "Doubles and redoubles, by level"
        assert found == Situation(title, "Level 1, a suit", mine, partner)
        assert describe_situation(last, 1) == Situation(title, "Level 1, any other", "I silent", "partner bid")
    for column, suit in suits:
        assert of[0, len(calls) - 1, SUITS.index(column)] == ("CDHS".index(suit) if suit else -1)


def test_a_call_that_partner_never_passes_is_forcing():
    _, _, table = auctions()
    passed = defaultdict(list)
    for board in range(DEALS):
        calls = table.calls(board)
        for i, call in enumerate(calls[:-2]):
            if call and calls[i + 1] == 0 and not any(calls[:i]):
                passed[i >= 2, token(call)].append(calls[i + 2] == 0)
    for point in [point for point in book().points if not point.path]:
        for call in point.entries.values():
            answers = passed[point.late, call.step.token]
            if call.step.token == "P" or len(answers) < 20:
                assert call.passed is None
                assert "forcing" not in call.remark
            else:
                often = np.mean(answers)
                assert call.passed == pytest.approx(often)
                forcing, rarely = ("forcing" in call.remark, "rarely passed" in call.remark)
                assert forcing == (often <= NEVER_PASSED)
                assert rarely == (NEVER_PASSED < often <= RARELY)


def test_a_call_forces_to_game_if_its_side_comes_to_game_when_it_is_let():
    _, _, table = auctions()
    reached = defaultdict(list)
    for board in range(DEALS):
        calls = table.calls(board)
        opening = next((i for i, call in enumerate(calls) if call), None)
        if opening is None or opening > 1 or len(calls) < opening + 3 or calls[opening + 1]:
            continue
        if any(calls[opening + 3 :: 2]):
            continue
        last = [call for call in calls if call >= 3][-1] - 3
        reached[token(calls[opening]), token(calls[opening + 2])].append(last // 5 + 1 >= (5, 5, 4, 4, 3)[last % 5])
    answers = {
        (p.path[0].token, token): call
        for p in book().points if len(p.path) == 1 and not p.path[0].theirs and not p.late
        for token, call in p.entries.items()
    }  # fmt: skip
    assert {call.remark for call in answers.values()} >= {"", "forcing", "forcing to game"}
    for key, call in answers.items():
        if "forcing to game" in call.remark:
            assert np.mean(reached[key]) >= 0.97
        elif "forcing" in call.remark and call.step.token[0] in "12":
            assert np.mean(reached[key]) < 0.97 or len(reached[key]) < 20


def test_the_card_asks_the_network_itself():
    networks = read_networks("standard")
    survey = NetworkSurvey(networks.policy, 400)
    auction = (parse_call("1S"), 0)
    owner = random_deals(SEED, 0, 100)
    table = Auctions.replay(np.tile(auction, (100, 1)), 0, 0)
    view = view_of(table, owner)  # South has the third hand of each deal
    own = NetworkBidder(networks).bid(view, np.zeros(100, np.uint64))
    assert (survey.calls(auction).reshape(100, 4)[:, 2] == own).all()
    assert survey.forced("1S P 2C P")
    assert not survey.forced("1S P 2S P")


def test_the_page_is_complete_and_holds_every_call_once():
    page = render_book(book().model(), "html")
    tags = Page()
    tags.feed(page)
    assert not tags.open
    assert not tags.loads
    assert page.count('<span class="share">') == len(book().printed)


def test_levels_and_rare_calls_are_left_out(monkeypatch, capsys):
    monkeypatch.setattr(network_book, "make_network_book", lambda *_, levels, **__: replace(book(), levels=levels))
    assert main(["book", "policy:standard", "--levels", "1"]) == 0
    text = capsys.readouterr().out
    assert "|**1NT**|" in text
    assert "|1♣ - **" not in text
    few = replace(book(), once_in=100)
    assert {call.index for call in few.printed} < {call.index for call in book().printed}
    assert f"{len(book().printed) - len(few.printed):,} calls made less often than once in 100 deals" in few.facts()[-1]


def test_check_and_what_a_network_lacks(monkeypatch, capsys):
    monkeypatch.setattr(network_book, "make_network_book", lambda *_, **__: book())
    words = ["book", "policy:standard", "--deals", "600"]
    assert main([*words, "--check"]) in (0, 1)
    assert "fit what the row shows" in capsys.readouterr().out
    assert "no lines" in refused(capsys, *words, "--worth")
    assert main(["book", "policy:nobody"]) == 2
