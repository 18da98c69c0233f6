"""The laws of play against a slow oracle, claims, faults in records, and the views of players."""

import io
import re
from dataclasses import fields

import numpy as np
import pytest
from support.boards import GAME
from support.plays import cards, contracts_of, law_card, law_play, random_plays

from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.hands.deals import random_deals
from bridge_env.records.pbn import read_boards
from bridge_env.rules.auction import Auctions
from bridge_env.rules.cards import SEATS, UNKNOWN, card_text
from bridge_env.rules.play import IllegalCard, Plays


def test_the_laws_of_play_against_the_oracle():
    plays, masks = random_plays(1_000, seed=1)
    assert plays.done.all()
    assert not plays.legal().any()
    for row in range(len(plays)):
        laws = law_play(plays, row)
        for number, card in enumerate(plays.cards(row)):
            assert laws.turn() == plays.players[row, number]
            assert {law_card(c) for c in np.flatnonzero(masks[number][row]).tolist()} == laws.legal()
            laws.play(law_card(card))
        assert laws.ended() == plays.done[row]
        assert laws.declarers_tricks() == plays.won[row]
        assert laws.dummy() == plays.dummy[row]


def test_a_batch_equals_its_boards_one_by_one():
    plays, _ = random_plays(50, seed=11, cards=31)
    for row in range(50):
        alone = Plays.replay(plays.owner[row], plays.declarer[row], plays.strain[row], plays.history[row])
        for name in Plays.__slots__:
            assert (getattr(alone, name)[0] == getattr(plays, name)[row]).all()
        assert (plays.take(np.array([row])).legal() == alone.legal()).all()


def test_illegal_cards_are_refused_and_nothing_is_played():
    plays, _ = random_plays(3, seed=4, cards=5)
    before = plays.history.copy()
    seat = int(plays.turn[1])
    foreign = int(np.flatnonzero((plays.left[1] != seat) & (plays.left[1] != UNKNOWN))[0])
    with pytest.raises(
        IllegalCard, match=f"{card_text(foreign)} is not legal at table 1 after .*{SEATS[seat]} does not"
    ):
        plays.step([foreign], [1])
    revoke = np.flatnonzero((plays.left == plays.turn[:, None]) & ~plays.legal())
    assert revoke.size
    row, card = divmod(int(revoke[0]), 52)
    legal = plays.legal().argmax(axis=1)
    legal[row] = card
    with pytest.raises(IllegalCard, match="can follow suit"):
        plays.step(legal)
    with pytest.raises(IllegalCard, match="it is no card"):
        plays.step([52], [0])
    assert (plays.history == before).all()
    done, _ = random_plays(1, seed=5)
    with pytest.raises(IllegalCard, match="the play is over"):
        done.step([0])


def test_claims_by_count():
    plays, _ = random_plays(3, seed=6, cards=22)
    won, left = plays.won.copy(), 13 - plays.tricks
    plays.claim([2, 0], [0, 2])
    assert plays.won.tolist() == [won[0] + 2, won[1], won[2]]
    assert plays.done.tolist() == [True, False, True]
    assert not plays.legal()[[0, 2]].any()
    with pytest.raises(IllegalCard, match=f"{left[1] + 1} tricks cannot be claimed at table 1: {left[1]} are left"):
        plays.claim(left[1] + 1, [1])
    with pytest.raises(IllegalCard, match="table 0"):
        plays.claim(0, [0])
    plays.claim(left[1], [1])
    assert plays.won[1] == won[1] + left[1]


def test_a_passed_out_board_has_no_play():
    plays = Plays(random_deals(1, 0, 2), [-1, 2], [-2, 4])
    assert plays.done.tolist() == [True, False]
    assert plays.dummy.tolist() == [-1, 0]
    assert plays.legal().sum(axis=1).tolist() == [0, 13]
    with pytest.raises(ValueError, match="a declarer is"):
        Plays(random_deals(1, 0, 1), 4, 0)


@pytest.mark.parametrize("cards", [0, 1, 2, 3, 4, 27, 51])
def test_a_view_does_not_depend_on_hidden_cards(cards):
    """Deal the cards that a seat cannot see anew to the hidden hands: its view stays the same, bit by bit."""
    plays, _ = random_plays(200, seed=8, cards=cards)
    view = play_view(plays, contracts_of(plays), 0)
    assert (view.seat == np.where(plays.turn == plays.dummy, plays.declarer, plays.turn)).all()
    assert (view.hand == (plays.owner == view.seat[:, None])).all()
    assert view.dummy.sum(axis=1).tolist() == [13 * (cards > 0)] * 200
    assert view.played.sum(axis=1).tolist() == [cards] * 200
    rng = np.random.default_rng(3)
    for row in range(0, 200, 5):
        hidden = ~view.hand[row] & ~view.dummy[row] & ~view.played[row]
        owner = plays.owner[row].copy()
        owner[hidden] = rng.permutation(owner[hidden])
        try:
            other = Plays.replay(owner, plays.declarer[row], plays.strain[row], plays.history[row])
        except IllegalCard:
            continue  # the cards played would have been a revoke there
        seen, alone = play_view(other, contracts_of(other), 0), view.take(np.array([row]))
        for f in fields(PlayView):
            assert (getattr(seen, f.name) == getattr(alone, f.name)).all(), f.name


def test_a_view_knows_the_auction():
    auctions = Auctions([0, 1], [0, 3])
    for calls in ([3, 0], [0, 7], [0, 0], [0, 0]):
        auctions.step(calls)
    plays = Plays(random_deals(1, 0, 2), auctions.contracts().declarer, auctions.contracts().bid % 5)
    view = play_view(plays, auctions.contracts(), auctions.vulnerability, auctions, np.array([1]))
    assert (view.history.tolist(), view.dealer.tolist(), view.vulnerability.tolist()) == ([[0, 7, 0, 0]], [1], [3])
    assert (view.bid.tolist(), view.strain.tolist(), view.declarer.tolist(), view.seat.tolist()) == ([4], [4], [2], [3])


@pytest.mark.parametrize(
    ("play", "kind", "legal", "reason"),
    [
        ("SJ S9 S2 X3", "bad play", "SJ S9 S2", "play: 'X3' is not a card"),
        ("SJ CK S2 SK", "illegal play", "SJ", "play: CK is not legal after N: SJ: E can follow suit"),
        (
            "SJ S9 S2 SA\nSJ S9 S2 SK",
            "illegal play",
            None,
            "play: SK is not legal after N: SJ S9 S2 SA: W does not|play: SJ is not legal after N: SJ S9 S2 SA . SK: N",
        ),
        ("- S9 S2 SK", "bad play", "", "play: cards follow one that is missing, after 0 cards"),
    ],
)
def test_a_bad_play_is_reported_and_the_board_is_read(play, kind, legal, reason):
    text = GAME.replace("SJ S9 S2 SK\nD5 D2 DK DQ", play)
    assert text != GAME
    result = read_boards(io.StringIO(text))
    (problem,) = result.problems
    assert (problem.kind, problem.board) == (kind, False)
    assert re.search(reason, problem.reason)
    (board,) = result.boards
    assert board.auction is not None
    assert legal is None or (board.play or ()) == tuple(cards(legal))
