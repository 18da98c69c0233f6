"""The book of a network: its figures are a naive count's, and its pages hold together."""

import json
import re
from collections import Counter, defaultdict
from functools import lru_cache, partial

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
from training.book.model import render_book
from training.book.network_book import calls_by, coverage, make_network_book, points_of
from training.book.shows import shown
from training.book.survey import SEED, NetworkSurvey
from training.cli.app import main
from training.evaluation.situations import artificial_calls

DEALS, HOLDOUT = 3_000, 4_000


@lru_cache(maxsize=1)
def standard_calls():
    return calls_by(read_networks("standard").policy, 1, DEALS)


@lru_cache(maxsize=1)
def points():
    return points_of(standard_calls(), DEALS)


def rows():
    return [call for point in points() for call in point.entries.values()]


@pytest.fixture
def small(monkeypatch):
    """Make the book count coverage on fewer deals, and survey fewer hands for its card."""
    monkeypatch.setattr(network_book, "HOLDOUT", HOLDOUT)
    monkeypatch.setattr(network_book, "NetworkSurvey", partial(NetworkSurvey, count=2_000))


@pytest.fixture
def model(small):
    return make_network_book("policy:standard", read_networks("standard").policy, DEALS, 1)


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
    for point in points():
        place = (tuple((step.theirs, step.token) for step in point.path), point.late)
        for call in point.entries.values():
            measured[place, call.step.token] = call.figures
            assert call.figures.chances == met[place]
    assert set(measured) == {key for key, hands in held.items() if len(hands) >= 20}
    for key, figures in measured.items():
        assert figures.made == len(held[key])
        assert sorted(map(tuple, figures.hands[:, :5].tolist())) == sorted(map(tuple, held[key]))


def test_artificial_calls_are_those_of_the_auctions(model):
    owner, dealer, table = auctions()
    both = artificial_calls(table.history, dealer, owner)[1]
    assert model["artificial"][0] == pytest.approx(100 * np.mean(both))
    marked = [call for call in rows() if call.artificial]
    names = {(player_terms.path(c.point.path), player_terms.call(c.step)) for c in marked}
    assert names >= {("", "2!c"), ("1NT", "2!d"), ("1NT", "2!h")}
    assert not any(
        len(c.point.path) == 1 and c.point.path[0].token[1] == c.step.token[1] for c in marked
    )  # no raise is


def test_hands_fit_what_calls_show():
    other = calls_by(read_networks("standard").policy, 2, HOLDOUT)
    cover = coverage(rows(), other)
    assert 0.2 * cover.calls < cover.covered < cover.calls == len(other)
    assert 0.97 < cover.share < 1
    for call in rows():
        if (shows := shown(call.figures)) is not None:
            assert shows.fit(call.figures.hands).mean() > 0.85  # and so do those it was measured on
    openings = points()[0].entries
    assert shown(openings["1N"].figures).ranges[0] == ("hcp", 14, 18)
    assert dict((n, (a, b)) for n, a, b in shown(openings["1S"].figures).ranges)["S"][0] >= 4
    one = coverage([openings["1N"]], other)
    hands = other.hands[(other.number == 0) & ~other.late & (other.call == parse_call("1N"))]
    assert (one.covered, one.fitting) == (len(hands), int(shown(openings["1N"].figures).fit(hands).sum()))


def test_markdown_and_json_hold_what_the_book_does(model):
    text = render_book(model, "markdown")
    assert "## Opening bids\n" in text
    assert "## Opening bids, third or fourth seat opening\n" in text
    card, _, rest = text.partition("## Opening bids\n")
    assert card.index("|1NT|15-17 HCP") > card.index("## Convention card")
    assert len(re.findall(r"^\|.*\*\*[^*]+\*\*\|", rest, re.M)) == len(rows())
    assert re.search(r"^\|1♠ - \*\*2♠\*\*\|\|[^|]*\|\d+\.\d%\|\d+-\d+", rest, re.M)
    assert re.search(r"^\|1♣ - \*\*1♥\*\*\|\*forcing\*\|[^|]*\d\+♥", rest, re.M)
    written = json.loads(render_book(model, "json"))
    assert len(written["entries"]) == len(rows())
    for number, point in enumerate(written["points"]):
        assert all(written["entries"][index]["point"] == number for index, _ in point["entries"])


def test_a_call_that_partner_never_passes_is_forcing():
    _, _, table = auctions()
    passed = defaultdict(list)
    for board in range(DEALS):
        calls = table.calls(board)
        for i, call in enumerate(calls[:-2]):
            if call and calls[i + 1] == 0 and not any(calls[:i]):
                passed[i >= 2, token(call)].append(calls[i + 2] == 0)
    for point in [point for point in points() if not point.path]:
        for call in point.entries.values():
            answers = passed[point.late, call.step.token]
            assert call.forcing == (len(answers) >= 20 and np.mean(answers) <= NEVER_PASSED)


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


def test_the_page_is_complete_and_holds_every_call_once(model):
    page = render_book(model, "html")
    tags = Page()
    tags.feed(page)
    assert not tags.open
    assert not tags.loads
    assert page.count('<span class="share">') == len(rows())


def test_levels_and_rare_calls_are_left_out(small, capsys):
    assert main(["book", "policy:standard", "--deals", "600", "--levels", "1"]) == 0
    text = capsys.readouterr().out
    assert "|**1NT**|" in text
    assert "|1♣ - **" not in text
    few = points_of(standard_calls(), DEALS, once_in=100)
    assert {call.key for point in few for call in point.entries.values()} == {
        call.key for call in rows() if call.figures.made >= DEALS / 100
    }


def test_what_a_network_lacks(capsys):
    assert "no lines" in refused(capsys, "book", "policy:standard", "--deals", "600", "--worth")
    assert main(["book", "policy:nobody"]) == 2
