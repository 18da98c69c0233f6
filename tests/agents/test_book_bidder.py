"""Networks that bid by a book: its answers, misdescription, and the files that name it."""

import numpy as np
import pytest
from support.bidders import calls, positions
from support.learners import by_book

from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.book import (
    ANSWER,
    BOOK_INPUTS,
    BOOK_ON,
    CALLED,
    MOST_MISDESCRIPTION,
    NO_RULE,
    Book,
    SystemGuided,
    Terms,
)
from agents.networks.file import book_of
from agents.networks.inputs import NUM_INPUTS, inputs_of
from agents.systems.bidder import Hierarchy, HierarchyBidder, deal_features
from agents.systems.engine.state_cache import Queries
from agents.systems.language.text import parse_system, system_text
from agents.systems.library.shipped import hierarchy_of, read_system
from bridge_env.bidders.registry import SpecError, make
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import random_deals
from bridge_env.io.files import FileError
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import PASS, parse_call
from training.evaluation.duplicate import match as play_match
from training.evaluation.truth import of_match


def look_at(book, auctions, owner):
    return book.look(queries_of(auctions, owner))


def queries_of(auctions, owner):
    return Queries.of_auctions(auctions, deal_features(owner), np.arange(len(auctions)))


def misses(shown, hand):
    """By how many points, cards and aces a hand (bool (52,)) misses ranges, counted anew."""
    suits = hand.reshape(4, 13)
    hcp = int((suits[:, 9:] * [1, 2, 3, 4]).sum())
    points = hcp + sum(max(0, int(n) - 4) for n in suits.sum(axis=1))
    (low, high), *counts = shown.tolist()
    out = max(0, low - max(hcp, points)) + max(0, hcp - high)
    held = (*suits.sum(axis=1), suits[:, 12].sum())
    return out + sum(max(0, a - int(n)) + max(0, int(n) - b) for (a, b), n in zip(counts, held, strict=True))


@pytest.mark.parametrize("system", ["sayc", "champion"])
def test_a_book_calls_and_reads_as_its_system_does(system):
    auctions, owner, _ = positions(400, seed=3)
    view = view_of(auctions, owner)
    bidder = HierarchyBidder(hierarchy_of(system))
    for book in (Book(hierarchy_of(system)), book_of(system)):  # nothing known of any auction, and much
        for _ in range(2):
            look = look_at(book, auctions, owner)
            np.testing.assert_array_equal(look.call, bidder.call(view))
            np.testing.assert_array_equal(look.shown, bidder.meaning(view))


def test_misdescription_against_the_reading_after_each_call():
    """Every legal call, against the reading of the auction with that call made, range by range."""
    auctions, owner, _ = positions(120, seed=5)
    view, book, bidder = (
        view_of(auctions, owner),
        Book(hierarchy_of("champion")),
        HierarchyBidder(hierarchy_of("champion")),
    )
    look = look_at(book, auctions, owner)
    found = book.states.misdescription(queries_of(auctions, owner), view.mask)
    misdescribed = 0
    for i in range(len(view)):
        seat = int(view.seat[i])
        before = misses(look.shown[i, seat], view.hand[i])
        for call in np.flatnonzero(view.mask[i]):
            after = auctions.take(np.array([i]))
            after.step(np.array([call], np.int8), np.array([0]))
            if after.done[0]:
                continue
            shown = bidder.meaning(view_of(after, owner[i : i + 1]))[0, seat]
            assert found[i, call] == max(0, misses(shown, view.hand[i]) - before), (i, call)
            misdescribed += found[i, call] > 0
    assert misdescribed > 500
    assert (found[~view.mask] == 0).all()


def test_misdescription_of_a_passed_hand_is_the_same_in_any_batch():
    count = 300
    deals, dealer = random_deals(8, 0, count), np.zeros(2 * count, np.int16)
    calls = np.full((2 * count, 5), -1, np.int8)
    calls[::2], calls[1::2, :2] = (PASS, PASS, PASS, parse_call("1D"), PASS), (parse_call("1D"), parse_call("1H"))
    mixed = Auctions.replay(calls, dealer, dealer)
    owner = np.repeat(deals, 2, axis=0)
    book, mask = Book(hierarchy_of("champion")), mixed.legal()
    together = book.states.misdescription(queries_of(mixed, owner), mask)
    for first in (0, 1):
        rows = np.arange(first, 2 * count, 2)
        alone = book.states.misdescription(queries_of(mixed.take(rows), owner[rows]), mask[rows])
        np.testing.assert_array_equal(together[rows], alone)
    assert (together[::2] != together[1::2]).any()


def test_inputs_of_the_book_follow_the_own():
    auctions, owner, _ = positions(200, seed=7)
    view = view_of(auctions, owner)
    networks = by_book()
    look = look_at(networks.book, auctions, owner)
    own = inputs_of(view)
    _, (numbers, starts), _ = networks.player.judge(own, view.mask, queries_of(auctions, owner))
    for i in range(len(view)):
        on = numbers[starts[i] : starts[i + 1]]
        before = own[0][own[1][i] : own[1][i + 1]]
        np.testing.assert_array_equal(on[: len(before)], before)
        more = on[len(before) :]
        assert len(more) == BOOK_ON == len(set(more.tolist()))
        assert more[0] == CALLED + int(look.call[i])
        assert more.min() >= NUM_INPUTS
        assert more.max() < BOOK_INPUTS


def test_with_a_large_prior_it_is_its_system():
    match = play_match(NetworkBidder(by_book(terms=Terms(1000.0, 1.0))), "system:sayc", 300)
    assert (match.imps == 0).all()
    truth = of_match(match, book_of("sayc"))
    assert truth.departures == 0
    assert truth.calls > 3


def test_terms_decide_how_often_it_departs_and_misdescribes():
    matches = [
        play_match(NetworkBidder(by_book(terms=Terms(1.0, price))), "system:sayc", 300) for price in (0.01, 50.0)
    ]
    cheap, dear = (of_match(match, book_of("sayc")) for match in matches)
    own = of_match(play_match("system:sayc", "system:sayc", 300), book_of("sayc"))
    assert cheap.share < 0.75 < own.share - 0.02 < dear.share
    assert dear.departures > 0.3


ASKS = (
    "1NT P 4C P", "1NT P 4NT P", "1NT P 2C P", "1NT P 2D P", "1NT P 2H P", "2NT P 3C P", "2NT P 3D P", "1S P 4NT P",
    "1D P 4NT P", "1S P 4NT P 5C P 5D P", "1H P 4NT P 5H P 5NT P", "P P 1S P 2C P",
)  # fmt: skip


def dealt(auction, count=200):
    """As many deals, each with the same auction."""
    made = np.array(calls(auction), np.int8)
    none = np.zeros(count, np.int16)
    return Auctions.replay(np.tile(made, (count, 1)), none, none), random_deals(6, 0, count)


@pytest.mark.parametrize("auction", ASKS)
def test_answers_are_the_books_alone(auction):
    bidder = NetworkBidder(by_book(terms=Terms(0.01, 0.01), system="champion"))  # whatever the network prefers
    auctions, owner = dealt(auction)
    view = view_of(auctions, owner)
    own = HierarchyBidder(hierarchy_of("champion")).call(view)
    np.testing.assert_array_equal(bidder.bid(view, np.zeros(len(view), np.uint64)), own)
    assert (bidder.probabilities(view)[np.arange(len(view)), own] == 1).all()


@pytest.mark.parametrize(
    "auction", ["1NT P 4C 4H", "1NT P 4C X", "1S P 2S P", "1S P 2NT P", "1S P 2D P", "1NT P", "4NT"]
)
def test_only_answers_are(auction):
    bidder = NetworkBidder(by_book(terms=Terms(0.01, 0.01), system="champion"))
    auctions, owner = dealt(auction)
    view = view_of(auctions, owner)
    own = HierarchyBidder(hierarchy_of("champion")).call(view)
    assert (bidder.bid(view, np.zeros(len(view), np.uint64)) != own).any()


def test_what_is_out_of_reach_counts_as_misdescribed():
    auctions, owner, _ = positions(60, seed=9)
    view, terms = view_of(auctions, owner), Terms(2.0, 4.0)
    player = by_book(terms=terms).player
    assert isinstance(player, SystemGuided)
    _, _, guidance = player.judge(inputs_of(view), view.mask, queries_of(auctions, owner))
    assert guidance.min() == -MOST_MISDESCRIPTION * terms.truth
    assert (((guidance == terms.prior) | (guidance == terms.prior + ANSWER)).sum(axis=1) == 1).all()


def test_a_file_keeps_its_book(tmp_path):
    networks = by_book()
    networks_file.save(networks, tmp_path / "mine.npz")
    again = networks_file.load(tmp_path / "mine.npz")
    assert again.terms == networks.terms
    assert again.book.digest == networks.book.digest
    auctions, owner, _ = positions(50, seed=10)
    view = view_of(auctions, owner)
    np.testing.assert_array_equal(NetworkBidder(networks).outputs(view), NetworkBidder(again).outputs(view))
    (tmp_path / "mine.book.bidding").unlink()  # a system of the package is found without
    assert networks_file.load(tmp_path / "mine.npz").book.digest == networks.book.digest


OWN = system_text(read_system("sayc")).replace("15-17 hcp", "14-16 hcp", 1).replace("system: sayc", "system: mine")


def test_another_version_of_the_system_is_refused(tmp_path):
    (tmp_path / "mine.bidding").write_text(OWN)
    networks = by_book(system=str(tmp_path / "mine.bidding"))
    path = tmp_path / "learned.npz"
    networks_file.save(networks, path)
    assert networks_file.load(path).book.digest == networks.book.digest
    (tmp_path / "learned.book.bidding").write_text(OWN.replace("14-16", "13-15"))
    with pytest.raises(FileError, match="is another version"):
        networks_file.load(path)
    (tmp_path / "learned.book.bidding").unlink()
    with pytest.raises(FileError, match=r"there is no learned.book.bidding beside it"):
        networks_file.load(path)


def test_comments_do_not_make_another_version():
    plain, noted = (Book(Hierarchy(parse_system(text))) for text in (OWN, "# a comment\n" + OWN))
    assert plain.digest == noted.digest


def test_an_auction_that_is_over():
    match = play_match("system:sayc", "system:sayc", 50)
    table = match.tables[0]
    auctions = Auctions.replay(table.history, match.boards.dealer, match.boards.vulnerability)
    book = Book(hierarchy_of("sayc"))
    look = look_at(book, auctions, match.boards.owner)
    assert look.shown.shape == (50, 4, 6, 2)
    assert (look.call == PASS).all()
    assert (look.made_by == NO_RULE).all()
    assert of_match(match, book).departures == 0  # the queries above have changed nothing


def test_terms_in_a_spec(tmp_path):
    path = tmp_path / "mine.npz"
    networks_file.save(by_book(terms=Terms(2.0, 4.0)), path)
    assert make(f"policy:{path}?truth=16").networks.terms == Terms(2.0, 16.0)
    assert make(f"policy:{path}?prior=1000&truth=1").networks.player.terms == Terms(1000.0, 1.0)
    assert make(f"policy:{path}").networks.terms == Terms(2.0, 4.0)
    for spec, text in (
        (f"policy:{path}?trust=1", "is not an option"),
        (f"policy:{path}?truth=0", "truth must be a number >= 0.001"),
        (f"policy:{path}?truth=much", "must be a number"),
        ("policy:champion?truth=1", "only a network that bids by a book"),
    ):
        with pytest.raises(SpecError, match=text):
            make(spec)
