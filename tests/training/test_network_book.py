"""The book of a network: its figures are a naive count's, and its pages hold together."""

from __future__ import annotations

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
from training.book.network_book import RARELY, make_network_book
from training.book.render import render_book
from training.book.survey import SEED, NetworkSurvey
from training.cli.app import main
from training.evaluation.artificial_calls import count_artificial

DEALS, HOLDOUT = 3_000, 6_000


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
    """By path and call the hands that made it, as (hcp, C, D, H, S); by path how often it was met."""
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
            place = tuple(path)
            hand = np.flatnonzero(owner[board] == (dealer[board] + i) % 4)
            points = sum(max(0, card % 13 - 8) for card in hand)
            met[place] += 1
            held[place, token(call)].append((points, *(sum(hand // 13 == suit) for suit in range(4))))
    return held, met


def test_figures_are_those_of_a_naive_count():
    held, met = naive()
    measured = {}
    for point in book().points:
        place = tuple((step.theirs, step.token) for step in point.path)
        for call in point.entries.values():
            measured[place, call.step.token] = call.figures
            assert call.figures.chances == met[place]
    assert set(measured) == {key for key, hands in held.items() if len(hands) >= 20}
    for key, figures in measured.items():
        assert figures.made == len(held[key])
        assert sorted(map(tuple, figures.hands[:, :5].tolist())) == sorted(map(tuple, held[key]))


def test_artificial_calls_are_those_of_the_auctions():
    owner, dealer, table = auctions()
    both = [count_artificial(table.history, dealer, owner, np.full(DEALS, side)) for side in (0, 1)]
    assert book().artificial[0] == pytest.approx(100 * np.mean(both))
    marked = {player_terms.path((*c.point.path, c.step)) for c in book().entries if c.artificial}
    assert marked >= {"2!c", "1NT - 2!d", "1NT - 2!h"}


def test_hands_on_other_deals_fit_what_calls_show():
    one = book()
    cover = one.coverage
    assert cover.calls > 7 * HOLDOUT
    assert 0.3 * cover.calls < cover.covered < cover.calls
    assert 0.97 < cover.share < 1
    opening = one.points[0].entries["1N"]
    assert opening.figures.usual("hcp") == (15, 17)
    other = calls_by(read_networks("standard").policy, 2, HOLDOUT)
    hands = other.hands[(other.number == 0) & (other.call == parse_call("1N"))]
    shows = one.shows[opening.index]
    assert (opening.index, len(hands), int(shows.fit(hands).sum())) in one.coverage.worst
    assert replace(one, levels=0).coverage.covered == 0


def test_markdown_and_json_hold_what_the_book_does():
    text = render_book(book().model(), "markdown")
    assert "## Opening bids\n" in text
    card, _, rest = text.partition("## Opening bids\n")
    assert card.index("|1NT|15-17 HCP") > card.index("## Convention card")
    assert len(re.findall(r"^\|.*\*\*[^*]+\*\*\|", rest, re.M)) == len(book().entries)
    assert re.search(r"^\|1♠ - \*\*2♠\*\*\|\|[^|]*\|\d+\.\d%\|\d+-\d+", rest, re.M)
    assert re.search(r"^\|1♣ - \*\*1♥\*\*\|\*forcing\*\|[^|]*\d\+♥", rest, re.M)
    model = json.loads(render_book(book().model(), "json"))
    assert len(model["entries"]) == len(book().entries)
    for number, point in enumerate(model["points"]):
        assert all(model["entries"][index]["point"] == number for index, _ in point["entries"])


def test_a_call_that_partner_never_passes_is_forcing():
    _, _, table = auctions()
    passed = defaultdict(list)
    for board in range(DEALS):
        calls = table.calls(board)
        for i, call in enumerate(calls[:-2]):
            if call and calls[i + 1] == 0 and not any(calls[:i]):
                passed[token(call)].append(calls[i + 2] == 0)
    for call in book().points[0].entries.values():
        answers = passed[call.step.token]
        if call.step.token == "P" or len(answers) < 20:
            assert call.passed is None
            assert "forcing" not in call.flags
        else:
            often = np.mean(answers)
            assert call.passed == pytest.approx(often)
            assert ("forcing" in call.flags) == (often <= NEVER_PASSED)
            assert ("rarely passed" in call.flags) == (NEVER_PASSED < often <= RARELY)


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
    assert page.count('<span class="share">') == len(book().entries)


def test_levels_and_rare_calls_are_left_out(capsys):
    words = ["book", "policy:standard", "--deals", "600"]
    with small():
        assert main([*words, "--levels", "1"]) == 0
    text = capsys.readouterr().out
    assert "|**1NT**|" in text
    assert "|1♣ - **" not in text
    few = replace(book(), once_in=100)
    left_out = sum(not few.is_printed(call) for call in few.entries)
    assert 0 < left_out < len(few.entries)
    assert f"{left_out:,} calls made less often than once in 100 deals" in few.facts()[-1]


def test_check_and_what_a_network_lacks(monkeypatch, capsys):
    monkeypatch.setattr(network_book, "make_network_book", lambda *_, **__: book())
    words = ["book", "policy:standard", "--deals", "600"]
    assert main([*words, "--check"]) in (0, 1)
    assert "fit what the book says" in capsys.readouterr().out
    assert "no lines" in refused(capsys, *words, "--worth")
    assert main(["book", "policy:nobody"]) == 2
