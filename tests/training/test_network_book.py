"""The book of a network: its figures are a naive count's, and its pages hold together."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache

import numpy as np
import pytest
from support.page import Page

from agents.hierarchy.language.tree import Step
from agents.networks.bidder import NetworkBidder
from agents.networks.drawn import NEVER_PASSED
from agents.networks.shipped import read_networks
from bridge_env.auction import Auctions
from bridge_env.calls import parse_call
from bridge_env.cards import board_dealer, board_vulnerability, random_deals
from bridge_env.view import view_of
from training.book import network_pages
from training.book.asking import SEED
from training.book.network_asking import NetworkAsker
from training.book.network_book import make_network_book
from training.cli.entry import main
from training.match.code_words import code_words

DEALS = 3_000


@lru_cache(maxsize=1)
def book():
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
    told = {}
    for point in book().points:
        place = (tuple((step.theirs, step.token) for step in point.path), point.late)
        for call in point.calls:
            told[place, call.step.token] = call.figures
            assert call.figures.chances == met[place]
    assert set(told) == {key for key, hands in held.items() if len(hands) >= 20}
    for key, figures in told.items():
        assert figures.made == len(held[key])
        assert sorted(map(tuple, figures.held[:, :5].tolist())) == sorted(map(tuple, held[key]))


def test_code_words_are_those_of_the_auctions():
    owner, dealer, table = auctions()
    both = [code_words(table.history, dealer, owner, np.full(DEALS, side)) for side in (0, 1)]
    assert book().code_words[0] == pytest.approx(100 * np.mean(both))
    coded = sum(call.coded * call.figures.made for point in book().points for call in point.calls)
    assert 0 < coded < np.sum(both)  # those of rare calls are not told


def test_hands_keep_to_what_calls_show():
    one = book()
    calls, told, ranged, _ = one.told
    assert ranged <= told <= calls
    assert 0.97 < one.share < 1
    for point in one.points:
        for call in point.calls:
            if call.said is not None:  # and so did nearly all hands that it was measured on
                assert call.said.fit(call.figures.held).mean() > 0.9
    openings = {call.step.token: call for p in one.points if not p.path and not p.late for call in p.calls}
    assert openings["1N"].said.ranges[0][0] == "hcp"
    assert dict((n, (a, b)) for n, a, b in openings["1S"].said.ranges)["S"][0] >= 4


def test_markdown_tells_what_the_book_holds():
    text = network_pages.markdown(book())
    assert "## Opening bids\n" in text
    assert "## Opening bids, third or fourth seat opening\n" in text
    card, _, chapters = text.partition("## Opening bids\n")
    assert card.index("|1NT|15-17 HCP") > card.index("## Convention card")
    rows = [line for line in chapters.splitlines() if line.startswith("|") and "**" in line]
    assert len(rows) == sum(len(book().calls(point)) for point in book().points)
    assert any(row.startswith("|1♠ - **2♠**|") for row in rows)
    assert next(row for row in rows if row.startswith("|1♣ - **1♥**|")).split("|")[2].endswith("; *forcing*")
    assert "forcing" not in next(row for row in rows if row.startswith("|1♠ - **2♠**|"))


def test_a_call_that_partner_never_passes_is_forcing():
    _, _, table = auctions()
    passed = defaultdict(list)
    for board in range(DEALS):
        calls = table.calls(board)
        for i, call in enumerate(calls[:-2]):
            if call and calls[i + 1] == 0 and not any(calls[:i]):
                passed[i >= 2, token(call)].append(calls[i + 2] == 0)
    for point in [point for point in book().points if not point.path]:
        for call in point.calls:
            answers = passed[point.late, call.step.token]
            if call.step.token == "P" or len(answers) < 20:
                assert call.passed is None
                assert not call.forcing
            else:
                assert call.passed == pytest.approx(np.mean(answers))
                assert call.forcing == (np.mean(answers) <= NEVER_PASSED)


def test_the_card_asks_the_network_itself():
    networks = read_networks("standard")
    asker = NetworkAsker(networks.policy, 400)
    auction = (parse_call("1S"), 0)
    owner = random_deals(SEED, 0, 100)
    table = Auctions.replay(np.tile(auction, (100, 1)), 0, 0)
    view = view_of(table, owner)  # South has the third hand of each deal
    own = NetworkBidder(networks).bid(view, np.zeros(100, np.uint64))
    assert (asker.calls(auction).reshape(100, 4)[:, 2] == own).all()
    assert asker.forced("1S P 2C P")
    assert not asker.forced("1S P 2S P")


def test_the_page_is_whole_and_holds_every_call_once():
    page = network_pages.html(book())
    tags = Page()
    tags.feed(page)
    assert not tags.open
    assert not tags.loads
    calls = sum(len(book().calls(point)) for point in book().points)
    assert page.count('<span class="share">') == calls


def test_bml_has_its_tables():
    text = network_pages.bml(book())
    assert "\n1N---\n" in text or "1N-(P)---" in text
    assert "* Opening bids\n" in text


def test_levels_and_pages_leave_calls_out(capsys, tmp_path):
    words = ["book", "policy:standard", "--deals", "2000", "--rare", "2000"]
    assert main([*words, "--levels", "1"]) == 0
    text = capsys.readouterr().out
    assert "**1NT**" in text
    assert " - **" not in text
    out = tmp_path / "book.md"
    assert main([*words, "--pages", "2", "--out", str(out)]) == 0
    assert "as Markdown: 2;" in capsys.readouterr().out
    assert "Left out: the" in out.read_text(encoding="utf-8")


def test_check_and_what_it_cannot_do(capsys):
    words = ["book", "policy:standard", "--deals", "2000", "--rare", "2000"]
    assert main([*words, "--check"]) in (0, 1)
    assert "keep to what the book says" in capsys.readouterr().out
    assert main([*words, "--worth"]) == 2
    assert "no lines" in capsys.readouterr().err
    assert main(["book", "policy:nobody"]) == 2


def test_a_path_is_seen_by_who_calls():
    paths = {point.path for point in book().points}
    assert {(Step("1H", True), Step("P"), Step("2H", True)), (Step("1S", True), Step("P"), Step("2S", True))} & paths
