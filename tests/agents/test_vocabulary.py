"""What the vocabulary declares of its words, against rows that the engine writes and hands that it reads."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from support.places import ROOT

from agents.hierarchy.bidder import Hierarchy, deal_features, seen_rows
from agents.hierarchy.engine.compiled import compile_system, with_details
from agents.hierarchy.engine.meaning import constraint_shows
from agents.hierarchy.engine.walk import needs_of
from agents.hierarchy.language.columns import (
    HAND,
    LEAST,
    MORE,
    MORE_AT,
    MORE_QUANTITY,
    MOST,
    NOTHING,
    PLUS,
    QUANTITIES,
    QUANTITY,
    SHOWS,
    TOP,
)
from agents.hierarchy.language.text import parse_system
from agents.hierarchy.language.tree import Atom, Line, Step, System
from agents.hierarchy.language.vocabulary import (
    CALL_WORDS,
    CONTEXT,
    FLAG_WORDS,
    HAND_SHOWS,
    MIXED,
    NUM_COLUMNS,
    SHOWN,
    WORDS,
)
from agents.hierarchy.shipped import read_system
from bridge_env import kernels
from bridge_env.auction import Auctions
from bridge_env.cards import parse_hand, random_deals
from bridge_env.features import DECLARED, FEATURES, NUM_FEATURES, hand_features

SEATS = tuple(Hierarchy(read_system(name)) for name in ("sayc", "precision", "polish", "two-over-one"))
NAMES = {column: word for word, column in WORDS.items()}
NAMES_OF_QUANTITIES = list(SHOWN)


@pytest.fixture(scope="module")
def rows():
    """Feature rows after random calls and after the systems' own: int16 (N, NUM_COLUMNS)."""
    count, rng = 1500, np.random.default_rng(8)
    features = deal_features(random_deals(77, 0, count))
    dealer, vulnerability = (np.arange(count) % 4).astype(np.int16), (np.arange(count) // 4 % 4).astype(np.int16)
    auctions = Auctions(dealer, vulnerability)
    for number in range(9):
        going = np.flatnonzero(~auctions.done & (rng.integers(0, 10, count) > number))
        legal = auctions.legal()[going]
        legal[:, 3:] &= np.cumsum(legal[:, 3:], axis=1) <= 4
        auctions.step(np.array([rng.choice(np.flatnonzero(row)) for row in legal], np.int64), going)
    rows = np.flatnonzero(~auctions.done)
    history, length = auctions.history[rows, :9].copy(), auctions.length[rows].astype(np.int64)
    return seen_rows(SEATS, features, rows, dealer[rows], vulnerability[rows], history, length)[0]


def test_values_lie_between_the_least_and_the_most(rows):
    outside = (rows < LEAST) | (rows > MOST)
    assert not outside.any(), {NAMES.get(column, column) for column in np.flatnonzero(outside.any(axis=0))}
    extreme = ["AKQJ.AKQ.AKQ.AKQ", "AKQJT98765432...", ".AKQJT98765432..", "...AKQJT98765432", "5432.543.543.543",
               "AKQJT9.AKQJT98..", "A.A.A.AKQJT98765"]  # fmt: skip
    f = hand_features(np.stack([parse_hand(hand) for hand in extreme]))
    assert (f >= LEAST[:NUM_FEATURES]).all()
    assert (f <= MOST[:NUM_FEATURES]).all()
    assert f[0, FEATURES["hcp"]] == MOST[FEATURES["hcp"]]


def test_flags_and_calls_are_known_from_what_is_declared():
    assert {
        "balanced", "semibalanced", "stopper", "vul", "they-vul", "last-notrump", "last", "partner-stops", "ours",
        "partner-last", "forced", "bound", "forcing-pass", "we-opened", "i-passed", "best", "long", "stopped",
        "control", "stopped-unbid", "best-not-theirs", "long-not-theirs", "long-unbid", "favourable", "unfavourable",
    } == FLAG_WORDS  # fmt: skip
    assert {"partner-called", "i-called"} == CALL_WORDS


def test_every_column_has_one_name_and_one_kind():
    assert len(NAMES) == len(WORDS)
    assert set(range(NUM_FEATURES, NUM_COLUMNS)) == CONTEXT | MIXED
    assert not CONTEXT & MIXED
    assert set(HAND_SHOWS) <= {feature.name for feature in DECLARED}


def test_sums_count_what_they_say(rows):
    def of(word):
        return rows[:, WORDS[word] if word in WORDS else FEATURES[word]].astype(int)

    low, high = of("partner-min"), of("partner-max")
    likely = low + np.minimum((high - low) // 3, 3)
    assert (high > low).any()
    assert (of("partner-likely") == likely).all()
    assert (of("combined") == of("hcp") + low).all()
    assert (of("combined-max") == of("hcp") + high).all()
    assert (of("combined-points") == of("points") + low).all()
    assert (of("likely") == of("hcp") + likely).all()
    assert (of("combined-aces") == of("aces") + of("partner-aces")).all()
    for suit in "CDHS":
        assert (of(f"total:{suit}") == of(f"support:{suit}") + low).all()
        assert (of(f"total-max:{suit}") == of(f"support:{suit}") + high).all()
        assert (of(f"likely-total:{suit}") == of(f"support:{suit}") + likely).all()
        assert (of(f"fit:{suit}") == of(suit) + of(f"partner:{suit}")).all()
        assert (of(f"long:{suit}") == (of(suit) == of("longest"))).all()
        king = of(f"keycards:{suit}") > of("aces")
        ace = of(f"hcp:{suit}") - 3 * king >= 4
        assert (of(f"control:{suit}") == (king | ace | (of(suit) <= 1))).all()
    last = np.stack([of(f"last:{suit}") for suit in "CDHS"], axis=1) * (1 - of("ours"))[:, None]
    for word, by_suit in (("in-theirs", "{}"), ("trump-tricks", "top5:{}")):
        expected = (last * np.stack([of(by_suit.format(suit)) for suit in "CDHS"], axis=1)).sum(axis=1)
        assert (of(word) == expected).all()
        assert expected.any()


def test_words_that_leave_suits_out(rows):
    met = set()
    for f in rows:
        of = {word: int(f[column]) for word, column in WORDS.items()}
        theirs = {s for s in "CDHS" if of[f"theirs:{s}"] >= 4}
        ours = {s for s in "CDHS" if max(of[f"partner:{s}"], of[f"shown:{s}"]) >= 3}
        assert of["stopped-unbid"] == all(of[f"stopper:{s}"] for s in set("CDHS") - ours)
        fits = sorted((of[f"fit:{s}"], s) for s in "CDHS" if s not in theirs)  # C D H S is their order too
        assert [s for s in "CDHS" if of[f"best-not-theirs:{s}"]] == [s for _, s in fits[-1:]]
        for word, left_out in (("long-not-theirs", theirs), ("long-unbid", theirs | ours)):
            open_suits = [s for s in "CDHS" if s not in left_out]
            most = max((of[s] for s in open_suits), default=0)
            assert [s for s in "CDHS" if of[f"{word}:{s}"]] == [s for s in open_suits if of[s] == most]
        assert of["second-longest"] == sorted(of[s] for s in "CDHS")[2]
        assert of["favourable"] == (of["they-vul"] and not of["vul"])
        assert of["unfavourable"] == (of["vul"] and not of["they-vul"])
        assert of["position"] in (0, of["seat"])
        met.add((len(theirs), len(ours), of["stopped-unbid"], of["seat"]))
    assert {theirs for theirs, *_ in met} >= {0, 1, 2}
    assert {seat for *_, seat in met} == {1, 2, 3, 4}


def shown_by(word, lo, hi, f):
    """What ``lo <= word <= hi`` shows of a hand where the feature row is ``f``; None if it cannot be."""
    compiled = with_details(compile_system(System("one", (Line((Step("1C"),), (((Atom(word, lo, hi),),),)),))))
    out = np.stack([np.zeros(QUANTITIES, np.int16), TOP], axis=1)
    room = np.empty((2, QUANTITIES, 2), np.int16)
    found = constraint_shows(compiled, *(int(n) for n in needs_of(compiled, 0)), f, out, *room)
    return out if found else None


def test_a_word_shows_no_more_than_the_hand_holds(rows):
    """Read backwards with the very value that it has, a word leaves room for the hand that has it."""
    asked = 0
    for f in rows[::80]:
        held = {quantity: int(f[WORDS[quantity]]) for quantity in SHOWN if quantity != "strength"}
        for word, column in WORDS.items():
            if SHOWS[column] == NOTHING and MORE_AT[column] == MORE_AT[column + 1]:
                continue
            # strength is counted on the scale that the word uses, and in high-card points where it uses none
            points = int(f[HAND[column]] if SHOWS[column] == QUANTITY["strength"] else f[WORDS["hcp"]])
            out = shown_by(word, int(f[column]), int(f[column]), f)
            for quantity, count in {"strength": points, **held}.items():
                assert out[QUANTITY[quantity], 0] <= count, (word, quantity)
                assert out[QUANTITY[quantity], 1] >= count, (word, quantity)
            if SHOWS[column] >= 0 and f[HAND[column]] <= TOP[SHOWS[column]]:
                assert (out[SHOWS[column]] == f[HAND[column]]).all(), word  # and for no other
            asked += 1
    assert asked > 1000


def test_what_words_of_shape_show():
    f = np.zeros(NUM_COLUMNS, np.int16)
    lengths = slice(QUANTITY["C"], QUANTITY["S"] + 1)
    assert shown_by("balanced", 1, 1, f)[lengths].tolist() == [[2, 5]] * 4
    assert shown_by("semibalanced", 1, 1, f)[lengths].tolist() == [[2, 6]] * 4
    assert shown_by("balanced", 0, 0, f)[lengths].tolist() == [[0, 13]] * 4
    assert shown_by("longest", 4, 6, f)[lengths].tolist() == [[0, 6]] * 4
    assert shown_by("long:H", 1, 1, f)[lengths].tolist() == [[0, 13], [0, 13], [4, 13], [0, 13]]


EXTREME = (
    "AKQJ.AKQ.AKQ.AKQ", "AKQJT98765432...", ".AKQJT98765432..", "5432.543.543.543", "AKQJT9.AKQJT98..",
    "A.A.A.AKQJT98765", "AKQ.AKQ.AKQ.J432", "KQJ2.KQJ.KQJ.KQJ", "A432.A32.A32.A32", "K432.K32.K32.K32",
    "QJT2.QJT.QJT.QJT", "AKQJ.KQJ.KQJ.QJ2", "KQT98765432.3.2.", "AQJT98765432..A.", "AQ32.AQ2.AQ2.AQ2",
)  # fmt: skip


def test_what_follows_from_a_word_holds_for_every_hand():
    """Of common hands and of odd ones: each count lies within what follows from each other count."""
    hands = np.concatenate([random_deals(5, 0, 3000) == 0, np.stack([parse_hand(hand) for hand in EXTREME])])
    features, asked = hand_features(hands), set()
    for column in range(NUM_FEATURES):
        value = features[:, column]
        for more in range(MORE_AT[column], MORE_AT[column + 1]):
            quantity = NAMES_OF_QUANTITIES[MORE_QUANTITY[more]]
            count = features[:, WORDS[quantity]]
            assert (MORE[more, 0, value] <= count).all(), (NAMES[column], quantity)
            assert (MORE[more, 1, value] >= count).all(), (NAMES[column], quantity)
            asked.add(NAMES[column])
    assert {"controls", "kings", "aces", "keycards:H", "top5:S", "hcp:C", "rule20", "zar", "quick"} <= asked


def test_what_counts_show():
    f = np.zeros(NUM_COLUMNS, np.int16)

    def told(word, lo, hi, *quantities):
        out = shown_by(word, lo, hi, f)
        return [out[QUANTITY[quantity]].tolist() for quantity in quantities]

    assert told("controls", 5, 99, "controls", "hcp") == [[5, 12], [11, 37]]  # two aces and a king
    assert told("losers", 0, 7, "losers", "hcp") == [[0, 7], [0, 37]]
    assert told("rule20", 20, 99, "hcp", "strength") == [[7, 37], [0, 37]]
    assert told("rule20", 0, 19, "hcp") == [[0, 12]]  # 13 points and 4-3-3-3 are 20
    assert told("keycards:H", 2, 2, "keycards:H", "controls", "keycards:S") == [[2, 2], [3, 12], [0, 5]]
    assert told("top3:S", 2, 3, "top3:S", "top3:H") == [[2, 3], [0, 3]]
    assert told("top5:S", 4, 5, "top3:S") == [[2, 3]]
    assert told("kings", 3, 4, "kings", "controls", "hcp") == [[3, 4], [3, 12], [9, 37]]
    assert told("points", 11, 12, "strength", "hcp") == [[11, 12], [2, 12]]
    assert told("stopper:D", 1, 1, "stopper:D") == [[1, 1]]
    assert told("stopper:D", 0, 0, "stopper:D") == [[0, 0]]


def test_partners_count_and_mine_are_put_together():
    system = """\
1C    16+ hcp                              ; !forcing
  1D    5+ controls, 0-7 losers, 1+ kings, 2+ keycards:H, 2+ top3:S, stopper:C
"""
    hierarchy, zero = Hierarchy(parse_system(system)), np.zeros(1, np.int64)
    hand = np.stack([parse_hand(hand) for hand in ("AK432.K432.AQ2.2", "5432.543.543.543")])
    features = hand_features(hand[[0, 1, 1, 1]])[None]
    calls = np.array([[3, 0, 4, 0]], np.int8)
    row = seen_rows((hierarchy,) * 4, features, zero, zero.astype(np.int16), zero.astype(np.int16), calls, zero + 4)[0]
    of = {word: int(row[0, WORDS[word]]) for word in WORDS}
    assert (of["partner-controls"], of["partner-losers"], of["partner-kings"]) == (5, 7, 1)
    assert (of["partner-keycards:H"], of["partner-keycards:S"], of["partner-aces"]) == (2, 0, 0)
    assert (of["partner-top3:S"], of["partner-stops:C"], of["partner-stops:D"]) == (2, 1, 0)
    assert (of["controls"], of["combined-hcp"], of["hcp"]) == (6, 27, 16)
    assert (of["combined-controls"], of["combined-losers"], of["combined-kings"]) == (11, 5 + 7, 3)
    assert (of["combined-keycards:H"], of["combined-top3:S"]) == (5, 4)


def test_what_partner_has_shown_is_taken_off():
    f = np.zeros(NUM_COLUMNS, np.int16)
    f[WORDS["partner-min"]], f[WORDS["partner-likely"]], f[WORDS["partner:H"]] = 12, 14, 5
    assert shown_by("combined", 25, 27, f)[QUANTITY["strength"]].tolist() == [13, 15]
    assert shown_by("likely-total:S", 25, 99, f)[QUANTITY["strength"]].tolist() == [11, 37]
    assert shown_by("fit:H", 8, 99, f)[QUANTITY["H"]].tolist() == [3, 13]
    assert shown_by("combined", 0, 11, f) is None  # less than partner alone has
    assert shown_by("partner:H", 4, 99, f) is not None
    assert shown_by("partner:H", 0, 4, f) is None  # the auction says otherwise
    assert (PLUS[[WORDS["partner:H"], WORDS["hcp"]]] == -1).all()


@pytest.mark.parametrize("file", ["language/vocabulary.py", "language/columns.py", "engine/compiled.py"])
def test_kernels_are_compiled_anew_when_a_table_that_they_freeze_changes(tmp_path, file):
    for package in kernels.PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    before = kernels._sources_hash(tmp_path)
    path = tmp_path / "agents" / "hierarchy" / file
    path.write_text(path.read_text() + "\n# a change\n")
    assert kernels._sources_hash(tmp_path) != before
