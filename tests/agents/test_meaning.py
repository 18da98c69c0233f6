"""What calls mean, of networks and at the table: measured, drawn at the time, or stated by a system."""

from dataclasses import replace

import numpy as np
import pytest
from support.command import refused
from support.learners import random_networks

from agents.networks import file as networks_file
from agents.networks import meaning
from agents.networks.bidder import NetworkBidder
from agents.networks.call_reader import shown
from agents.networks.meaning import auction_keys, meanings_of
from agents.networks.sampled_meanings import HANDS, sampled_meanings
from agents.networks.shipped import network_path, read_networks, shipped_networks
from agents.networks.tables import all_by
from agents.registry import make_policy, reader_of
from agents.systems.explain.position import Position
from agents.systems.explain.statements import measured_ranges, statement
from agents.systems.language.tree import INFINITE
from agents.systems.library.shipped import register_system
from agents.text_api import read_states
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import public_view
from bridge_env.hands.deals import parse_hand, random_deals
from bridge_env.hands.features import HCP, hand_features
from bridge_env.io.files import FileError
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import parse_call
from training.cli.app import main
from training.networks import meaning_fit


@pytest.fixture(scope="module")
def measured():
    bidder = NetworkBidder(read_networks("standard"))
    return bidder, meaning_fit.measure(bidder, 6_000, 1)


def test_keys_are_those_of_the_auction_and_no_other():
    keys = meaning.auction_keys(np.array([[3, 0, 8], [3, 0, 8], [3, 8, 0]], np.int8))
    np.testing.assert_array_equal(keys[0], keys[1])
    assert keys[0, 0] == keys[2, 0]
    assert len(np.unique(keys)) == 5
    np.testing.assert_array_equal(meaning.auction_keys(np.array([[3, 0]], np.int8))[0], keys[0, :2])


def test_nine_hands_in_ten_keep_to_the_ranges(measured):
    bidder, found = measured
    assert (np.diff(found.key.astype(object)) > 0).all()
    assert (found.count >= meaning_fit.LEAST).all()
    assert (found.ranges[..., 0] <= found.ranges[..., 1]).all()
    known, inside = meaning_fit.coverage(bidder, found, 3_000, 9)
    assert known > 0.1
    assert inside > 0.88


def test_an_opening_shows_what_it_promises(measured, tmp_path):
    """One spade by Standard American: five spades and an opening hand."""
    bidder, found = measured
    view, _ = read_states([{"hand": "K84.AQ94.T72.J65", "auction": ["1S", "Pass"]}])
    bidder = replace(bidder, path=tmp_path / "n.npz")
    meaning.save(found, meaning.path_beside(bidder.path))
    left, partner, right = shown(bidder, view)
    assert "no call yet" in left
    low, _ = partner.split()[1].split("-")
    assert int(low) >= 10
    assert ", 5-" in partner
    assert right != left


def test_the_file(tmp_path, measured):
    _, found = measured
    meaning.save(found, tmp_path / "n.meanings.npz")
    again = meaning.load(tmp_path / "n.meanings.npz")
    np.testing.assert_array_equal(again.ranges, found.ranges)
    assert again.measured == {"boards": 6_000, "seed": 1}
    assert meaning.path_beside(tmp_path / "n.npz") == tmp_path / "n.meanings.npz"
    assert meaning.meanings_of(tmp_path / "other.npz") is None
    (tmp_path / "n.meanings.npz").write_bytes(b"PK nothing")
    with pytest.raises(FileError, match=r"n\.meanings\.npz"):
        meaning.load(tmp_path / "n.meanings.npz")


def test_the_command_and_the_explanation_after_it(tmp_path, capsys):
    networks_file.save(random_networks(), tmp_path / "n.npz")
    spec = f"policy:{tmp_path / 'n.npz'}"
    assert main(["fit", "meanings", spec, "--boards", "300"]) == 0
    assert "n.meanings.npz" in capsys.readouterr().out
    for name in (spec, f"pair:{spec},pass"):
        assert main(["bid", name, "--hand", "AQT72.A4.Q2.T753", "--auction", "1S P"]) == 0
    output = capsys.readouterr().out
    assert "considers" in output
    assert "shown     W" in output
    assert "system:sayc" in refused(capsys, "fit", "meanings", "system:sayc")
    assert "--boards" in refused(capsys, "fit", "meanings", spec, "--boards", "0")


def test_meanings_are_no_networks():
    assert not any("meanings" in name for name in shipped_networks())


def after(name, text):
    calls = tuple(parse_call(word) for word in text.split())
    return sampled_meanings((read_networks(name).player,) * 4, calls, 0, 0)


@pytest.mark.parametrize("text", ["1N", "1S P 2S", "2H", "1C P 1H P 1N"])
def test_what_is_drawn_is_what_was_measured(text):
    found = after("champion", text)
    measured = meanings_of(network_path("champion"))
    assert measured is not None
    (row,) = measured.find(auction_keys(np.array([found.calls], np.int8))[:, -1])
    assert row >= 0
    off = found.ranges((len(found.calls) - 1) & 3).astype(int) - measured.ranges[row].astype(int)
    assert np.abs(off).mean() <= 1.0
    assert np.abs(off).max() <= 3


def test_forcing_is_what_partner_hardly_passes():
    assert after("champion-plain", "1S P 2S").pass_chance > 0.3
    assert after("two-over-one", "1S P 2C").pass_chance < 0.05
    assert after("champion", "7N").pass_chance > 0.99


def test_no_hand_explains_what_a_network_never_calls():
    assert after("champion", "1N P 7C").ranges(2) is None
    assert after("champion", "1N").ranges(0) is not None


def test_next_calls_on_the_hands_drawn_before_them():
    found = after("champion", "1N P")
    assert found.chances.shape == (HANDS, 38)
    passing = found.next_ranges(0)
    assert passing is not None
    assert passing[0, 1] <= 10
    assert found.next_ranges(parse_call("7C")) is None


def test_a_network_without_measured_meanings_explains_each_seat():
    view, _ = read_states([{"hand": "K84.AQ94.T72.J65", "auction": ["1S", "Pass"]}])
    bidder = make_policy("acol")
    left, partner, right = shown(bidder, view)
    assert "no call yet" in left
    assert f"of {HANDS} hands drawn now" in partner
    assert int(partner.split()[1].split("-")[0]) >= 8
    assert right != left


def unexplained(name, boards, every):
    """Return of every so manieth call of a network on some boards whether nothing is known of it."""
    seats = np.arange(boards, dtype=np.int16) & 3
    auctions = all_by(read_networks(name).player, random_deals(7, 0, boards), seats, seats)
    reader = reader_of(f"policy:{name}", f"policy:{name}")
    out = []
    for row in range(boards):
        calls = auctions.history[row, : auctions.length[row]].tolist()
        seat = int(seats[row])
        out += [not reader.shows(calls[:k], seat, seat, calls[k]).known for k in range(0, len(calls), every)]
    return out


_DEAR = [pytest.param(name, marks=[pytest.mark.slow, pytest.mark.weekly]) for name in ("by-the-book", "acol")]


@pytest.mark.parametrize("name", ["standard", *_DEAR])
def test_calls_are_explained(name):
    """One measured, one by a book, one that nobody measured. (Of 952 calls of all shipped ones, 1 was not.)"""
    dear = name != "standard"
    assert sum(unexplained(name, 2 if dear else 1, 1 if dear else 3)) <= dear


TEXT = """\
system: pair
1N    15-17 hcp, balanced
when 1+ partner-bid, 0-3 last-level, ours
  3N    25+ combined, 0-7 fit-major
when 0-7 last-level
  P
"""

BY_RULES = """\
system: statements
1S    5+ S, 11-21 hcp
  2S    3+ S, 6-9 points
  P     0-5 hcp
  1N    ; forcing
P
"""


def position(auction):
    calls = [parse_call(call) for call in auction.split()]
    return Position(make(register_system("statements", BY_RULES)), public_view(one_auction(calls, 0, 0)))


def test_points_of_both_hands_become_points_of_this_one():
    spec = register_system("pair-for-meanings", TEXT)
    found = reader_of(spec, spec).shows((parse_call("1N"), 0), 0, 0, parse_call("3N"))
    assert (found.text, found.lines) == ("10+ HCP, 0-5♥, 0-5♠", ())
    assert "general rules" in found.how


def test_seats_are_read_once_the_auction_is_over():
    calls = [parse_call(call) for call in ("1H", "3C", "4C", "P", "4D", "P", "4H", "P", "P", "P")]
    assert reader_of("system:sayc", "system:sayc").seats(calls, 0, 0)[0] == "10-18 HCP, 5+♥ (without 4♦)"


def test_rare_calls_of_a_network_by_hands_drawn_now():
    """Too rare to have been measured: a raise after a response at the three level, and what it forces to."""
    calls = [parse_call(call) for call in ("1H", "P", "3D", "P")]
    read = reader_of("policy:champion-plain", "policy:champion-plain")
    found = read.shows(calls, 0, 0, parse_call("4D"))
    assert found.known
    assert "hands drawn now" in found.how
    assert found.note in ("forcing", "not forcing")
    assert "partner passes" in found.how
    assert "HCP" in read.seats(calls, 0, 0)[2]
    quick = reader_of("policy:champion-plain", "policy:champion-plain", draws=False)
    assert not quick.shows(calls, 0, 0, parse_call("4D")).known


def test_every_legal_call_of_a_network():
    read = reader_of("policy:standard", "policy:standard")
    every = read.shows_of_all([parse_call("1N"), 0], 0, 0)
    assert len(every) == 38 - 2 - 5
    assert "HCP" in every[0].text
    assert every[parse_call("7C")].text == "Almost never made here."
    assert not every[parse_call("7C")].known


@pytest.mark.parametrize(
    ("auction", "call", "note"),
    [
        ("1H 1S 2H 2S", "X", "take-out"),
        ("1H 1S 4H P P 4S 5H P P", "X", "for penalties"),
        ("", "2C", "artificial"),
        ("3C 3S", "5C", ""),
    ],
)
def test_doubles_of_a_network_are_for_take_out_or_for_penalties_and_strong_clubs_artificial(auction, call, note):
    assert shows("policy:champion-plain", auction, call).note == note


def test_a_network_by_a_book_shows_calls_outside_its_book():
    """No line of the book makes this call, so its hands are drawn."""
    read = reader_of("policy:by-the-book", "policy:by-the-book")
    found = [read.shows([], 0, 0, call) for call in (parse_call("1N"), parse_call("4N"))]
    assert "line" in found[0].how
    assert "almost never" in found[1].text or "drawn" in found[1].how


def test_a_line_without_words_is_stated_by_hands_that_come_to_it():
    """1NT takes what 2S and a pass leave: nothing is 'any hand' to partner."""
    here = position("1S P")
    found = statement(here, parse_call("1N"))
    assert found.usual
    (ranges,) = found.ways
    assert ranges["hcp"][0] in (6, 7)
    hands = hand_features(random_deals(9, 0, 500).reshape(-1, 52) == 0)
    made = hands[here.decide(hands)[0] == parse_call("1N")]
    low, high = ranges["hcp"]
    assert np.mean((made[:, HCP] >= low) & (made[:, HCP] <= high)) > 0.85
    assert str(found).startswith("usually ")


def test_a_hand_is_held_to_the_words_of_its_call_each_in_its_own_quantity():
    """Ten points with length are not ten high-card points."""
    here = position("1S P")
    raise_ = statement(here, parse_call("2S"))
    assert raise_.short == "3+♠, 6-9 points"
    fits, weak = (hand_features(parse_hand(text)[None])[0] for text in ("K84.J973.A2.8764", "K84.J973.92.8764"))
    assert raise_.missed(here.row(fits)) == {}
    assert raise_.missed(here.row(weak)) == {"points": (4, 4)}


def test_measured_hands_stretch_a_line():
    raise_ = statement(position("1S P"), parse_call("2S"))
    held = measured_ranges(np.array([[4, 8], [1, 5], [1, 5], [1, 5], [2, 4]], np.uint8))
    assert raise_.widened(held).ways == ({"S": (2, INFINITE), "points": (6, 9)},)


def test_drawn_hands_stretch_every_word_of_a_line():
    here = position("1S P")
    raise_ = statement(here, parse_call("2S"))
    hands = hand_features(np.stack([parse_hand(text) for text in ("84.J973.K2.87642", "K84.J973.A2.8764")] * 20))
    assert raise_.spread(here.rows(hands)) == {"S": (2, 3), "points": (5, 8)}
    assert raise_.widened(raise_.spread(here.rows(hands))).ways == ({"S": (2, INFINITE), "points": (5, 9)},)


def test_what_a_network_by_a_book_shows_is_stretched_by_its_judgement():
    """It overcalls a weak two on ten points where its book asks for eleven."""
    found = reader_of("policy:by-the-book", "policy:by-the-book").shows([parse_call("2H")], 0, 0, parse_call("2S"))
    assert "stretched by judgement" in found.how
    assert found.stated.ways[0]["hcp"][0] < 11


def test_a_network_names_the_suit_that_it_bids_or_doubles():
    read = reader_of("policy:champion-plain", "policy:champion-plain")
    raise_ = read.shows([parse_call(call) for call in ("1H", "1S")], 0, 0, parse_call("4H"))
    double = read.shows([parse_call(call) for call in ("1D", "1S")], 0, 0, parse_call("X"))
    assert "♥" in raise_.text
    assert "♠" in double.text


def test_a_forced_answer_is_stated_by_hands_that_make_it():
    """Its lines ask for no points: the longest suit, or any with three cards."""
    calls = [parse_call(call) for call in ("1D", "X", "1H", "P")]
    found = reader_of("system:champion", "system:champion").shows(calls, 2, 0, parse_call("1S"))
    assert found.stated.usual
    assert "♠" in found.text
    assert "HCP" in found.text


def shows(spec, auction, call):
    """What the call shows at a table where all play the system."""
    return reader_of(spec, spec).shows([parse_call(word) for word in auction.split()], 0, 0, parse_call(call))


def test_a_call_that_a_general_rule_makes_too_shows_its_hands_as_well():
    """Sayc raises on 8 to 11 points; with four trumps its general rules do on less, by the law of total tricks."""
    found = shows("system:sayc", "P 1H 2S", "3H")
    assert found.stated.ways[0]["support:H"] == (3, 11)


def test_a_call_that_hardly_any_hand_makes_shows_what_its_seat_has_shown():
    found = shows("system:sayc", "P P P 2C P 2D P 2S P 3S P 4C X 4S P", "4N")
    assert "♠" in found.text
    assert found.note.endswith("Blackwood, forcing, artificial")


def test_an_answer_to_an_ask_for_aces_shows_them():
    assert shows("system:polish", "P 1H 2S 4H P 4N P", "5D").text == "1 aces"


def test_that_a_fit_or_a_stopper_is_there_leaves_what_a_hand_usually_holds_to_be_said():
    assert "HCP" in shows("system:two-over-one", "1C 2D P P X P", "2N").text


def test_an_answer_that_counts_no_points_has_those_that_hands_usually_hold():
    assert shows("system:sayc", "1D P P X XX", "1S").text == "4+♠, ♠ our longest fit, usually 3-14 HCP"


def test_lines_of_several_names_show_each():
    found = shows("system:sayc", "P P 3C", "X")
    assert found.note == "take-out or too strong to overcall"
    assert shows("system:sayc", "1N P", "2C").note == "Stayman, forcing, artificial"


def test_a_double_is_not_said_to_be_forcing():
    """Partner passes it with length there."""
    assert "forcing" not in shows("system:sayc", "1S", "X").note


def test_points_with_length_are_stretched_with_the_hcp_that_they_follow_from():
    opening = statement(position(""), parse_call("1S"))
    assert opening.ways[0]["points"][0] == 11
    held = measured_ranges(np.array([[9, 18], [1, 5], [1, 5], [1, 5], [5, 7]], np.uint8))
    assert opening.widened(held).short == "5+♠, 9-21 HCP"


def test_of_several_ways_what_all_share_is_stretched():
    found = shows("system:sayc", "1D P 1S 2H", "X").stated
    assert len(found.ways) > 1
    held = measured_ranges(np.array([[3, 30], [0, 9], [0, 9], [0, 9], [0, 9]], np.uint8))
    assert found.widened(held) == found


def test_what_a_network_by_a_book_shows_is_usual():
    found = shows("policy:by-the-book", "", "1N")
    assert found.text == "usually 14-17 HCP, semi-balanced"


def test_what_a_network_passes_is_not_forcing_whatever_its_book_says():
    assert shows("system:champion", "1S 2H", "3D").note == "forcing"
    assert shows("policy:by-the-book", "1S 2H", "3D").note in ("", "not forcing")
    drawn = shows("policy:by-the-book", "1H 1S", "3D")
    assert "partner passes" in drawn.how
    assert drawn.note == "not forcing"
