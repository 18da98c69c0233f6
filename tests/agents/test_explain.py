"""Explanations of a system: wording, that they are true of the hand, and the lines that can have made a call."""

import json
import re

import numpy as np
import pytest

from agents.registry import system_of
from agents.systems.bidder import HierarchyBidder, bid_out, deal_features, seen_rows
from agents.systems.explain import phrases, player_terms
from agents.systems.explain.explain import explain
from agents.systems.explain.position import rules_for
from agents.systems.explain.ranges import unite
from agents.systems.explain.sentences import sentence
from agents.systems.language.text import is_difference, parse_constraint
from agents.systems.language.tree import INFINITE, Atom
from agents.systems.language.vocabulary import CALL_WORDS, FLAG_WORDS, SUIT_LETTERS, SUIT_WORDS, WORDS, difference
from agents.systems.library.shipped import register_system
from agents.text_api import call, read_states
from bridge_env.bidders.registry import SpecError, make
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import random_deals
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import PASS, call_text, parse_call
from bridge_env.rules.cards import UNKNOWN, board_dealer, board_vulnerability
from training.cli.app import main


def explained(system, hand, auction, vulnerability="None"):
    bidder = make(f"system:{system}")
    assert isinstance(bidder, HierarchyBidder)
    state = {"hand": hand, "dealer": "N", "vulnerability": vulnerability, "auction": auction.split()}
    return explain(bidder, read_states([state])[0])


#: System, hand, auction; what the call says.
TEXTS = [
    ("two-over-one", "AKQ42.AKJ3.AQ3.2", "",
     "2♣: 19 or more HCP, fewer than 20 only with long suits, strong, forcing, artificial"),
    (
        "two-over-one", "84.KQ9432.72.652", "1N P",
        "2♦: five or more hearts, hearts not shorter than spades, transfer, forcing, artificial",
    ),
    (
        "two-over-one", "Q4.K953.AK84.Q52", "1S P",
        "2♦: four or more diamonds, 12 or more HCP, diamonds not shorter than clubs, forcing to game",
    ),
    (
        "two-over-one", "KJ84.K9.K72.Q432", "1S P",
        "2NT: four or more spades, 13 or more points in support of spades, Jacoby, forcing to game, artificial",
    ),
    (
        "two-over-one", "KJ84.K9.K72.Q432", "P P 1H",
        "X: three or more spades, three or more clubs, three or more diamonds, 11 to 17 HCP, at most two hearts, "
        "take-out; or 18 or more HCP, too strong to overcall",
    ),
    (
        "two-over-one", "AQT72.A4.Q2.T753", "1S P 2S 3H",  # "8+ fit:S, 21+ likely-total:S": partner has shown 3 and 6-9
        "3♠: five or more spades, spades our longest fit, 14 or more points in support of spades, not forcing",
    ),
    ("two-over-one", "K2.K32.AJ432.Q32", "1N P 3N P", "Pass: any other hand, usually 14 to 17 HCP"),
    (  # one of two suits
        "sayc", "AKQ2.T98.J7.A543", "1N P",
        "2♣: 8 or more HCP, four hearts or four spades, Stayman, forcing, artificial",
    ),
    (  # each name with its own strength
        "sayc", "864.AKQJT.AKJ75.", "1D P 1S",
        "X: 18 or more HCP, too strong to overcall; or four or more hearts, three or more clubs, 11 to 17 HCP, at most "
        "three spades, take-out",
    ),
    (
        "sayc", "Q62.AKJ75.54.A98", "",
        "1♥: five or more hearts, 10 to 21 HCP, fewer than 11 only with long suits, not forcing",
    ),
    ("two-over-one", "AJ8.AKT6.85.K982", "", "1NT: 14 to 17 HCP, balanced or nearly so, not forcing"),
    # a hand that opened one no trump
    (
        "sayc", "J653.KQ.AJ94.A52", "1N P 2D P",
        "2♥: usually 15 to 17 HCP, completes the transfer, not forcing, artificial",
    ),
    # a forced answer
    ("champion", "842.K8.A8643.AJ7", "3S P P X P",
     "4♦: no suit longer than diamonds, usually four to seven diamonds, 3 to 12 HCP, not forcing"),
    # a line of the tree makes it, too, which partner thinks of
    ("champion", "2.KJ96432.4.Q764", "1C 2D", "2♥: five or more hearts, 5 or more points with length, forcing"),
    # scorecards raise on a doubleton
    ("polish", "J842.K4.KQ98.KQ9", "",
     "1♣: 12 to 14 HCP, balanced, a weak no trump; or 18 or more HCP, strong; or five or more clubs, 15 to 17 HCP, "
     "more clubs than diamonds, clubs, forcing, artificial"),
    ("champion", "852.A8.A5.KT9875", "1H P 1N 2S P P",
     "3♥: two or more hearts, usually 8 to 11 HCP, not forcing"),
]  # fmt: skip


@pytest.mark.parametrize(("system", "hand", "auction", "text"), TEXTS)
def test_a_call_says_what_players_say(system, hand, auction, text):
    assert explained(system, hand, auction).says == text


def test_the_text_has_the_nearest_other_calls():
    explanation = explained("sayc", "8.KQ94.A72.KQ652", "1C P 1S P")
    assert str(explanation).splitlines()[:6] == [
        "2C",
        "  says      2♣: five or more clubs, 11 to 16 points with length, not forcing",
        f"  because   sayc, line {explanation.line.number}: 2x  5+ x, 11-16 points",
        "  nearly    with one more spade: 1NT; with 2 HCP more: 2♥",
        "  denies    W passed: no X (four or more hearts, four or more diamonds, 11 to 17 HCP, at most three spades); "
        "no 2♥ (five or more hearts, 9 to 16 HCP, two or more of the top five hearts)",
        "            E passed: no 1♥ (five or more hearts, 8 to 17 HCP, two or more of the top five hearts); "
        "no 1♠ (five or more spades, 10 to 17 HCP)",
    ]


def test_an_earlier_call_that_this_hand_does_not_make_is_left_out():
    text = str(explained("sayc", "J874.QJ98.QT8.94", "1S P 2S P"))
    assert "N (me) 0-16 HCP (without 1♠)" in text


def test_of_calls_that_contradict_one_another_the_earlier_are_believed():
    control = str(explained("sayc", "K9.T9.953.QJT852", "1H 3C 4C P 4D P 4H P P"))
    assert "N      10-18 HCP, 5+ hearts (without 4♦)\n" in f"{control}\n"
    assert "S      15-17 HCP, balanced" in str(explained("sayc", "5.QJ963.9742.T82", "P P 1N 2C 2H 3C 3S P P"))


def test_changed_hands_and_usual_ones_are_those_that_could_have_bid_so_far():
    opener_with_15 = explained("sayc", "A873.J985.A9.QT3", "P P 2C P 2D P 3D P 3N")
    assert opener_with_15.nearly == ()
    assert "usually 21 to 27 HCP" in explained("sayc", "AKT86.A.AKQ95.A6", "2C P 2D P 2S P 3S P 4N P 5C P").says


def test_what_a_pass_denies_names_another_system_and_says_nothing_where_scorecards_choose():
    bidder = make("system:sayc", opponents="system:polish")
    state = {"hand": "AQ64.J2.AKT94.K5", "dealer": "N", "vulnerability": "None", "auction": ["P"]}
    assert "W passed, by polish: no 1♣ (12 to 14 HCP, balanced)" in str(
        explain(bidder, read_states([{**state, "dealer": "W"}])[0])
    )
    passed = explained("champion", "AQ64.J2.AKT94.K5", "1D 1H P 2H").passed
    assert [one.seat for one in passed] == []


def test_a_pass_denies_calls():
    explanation = explained("two-over-one", "84.KJ94.K72.6532", "")
    assert str(explanation).splitlines()[3] == (
        "  denies    N (me) passed: no 1♣ (three or more clubs, 12 to 21 HCP); no 1♦ (four or more diamonds, "
        "12 to 21 HCP, more diamonds than clubs); no 1♠ (five or more spades, 12 to 21 HCP, "
        "spades not shorter than hearts)"
    )
    flat = explained("champion", "84.KJ94.K72.6532", "").passed[0]  # a flat hand of 12 points without an ace passes
    assert str(flat.denied[0]) == "three or more clubs, 13 to 21 HCP"


class Decisions:
    """Decisions of a system that sits in all four seats, in random auctions."""

    def __init__(self, name, deals, seed):
        self.bidder = make(f"system:{name}")
        hierarchy = self.bidder.own
        self.owner = random_deals(seed, 0, deals)
        numbers = np.arange(deals) + 1
        self.dealer = board_dealer(numbers).astype(np.int16)
        self.vulnerability = board_vulnerability(numbers).astype(np.int16)
        self.features = deal_features(self.owner)
        seats = (hierarchy,) * 4
        auctions = bid_out(seats, self.features, self.dealer, self.vulnerability)
        self.history = auctions.history
        at = [(board, k) for board in range(deals) for k in range(int(auctions.length[board]))]
        self.board, self.number = (np.array(column) for column in zip(*at, strict=True))
        calls = np.where(np.arange(self.history.shape[1]) < self.number[:, None], self.history[self.board], -1)
        self.rows, _ = seen_rows(
            seats, self.features, self.board, self.dealer[self.board], self.vulnerability[self.board],
            calls.astype(np.int8), self.number,
        )  # fmt: skip

    def view(self, row):
        board, number = self.board[row], self.number[row]
        auctions = Auctions.replay(
            self.history[None, board, :number], self.dealer[[board]], self.vulnerability[[board]]
        )  # fmt: skip
        return view_of(auctions, self.owner[[board]])

    def row_of(self, board, number):
        return int(np.flatnonzero((self.board == board) & (self.number == number))[0])

    def value(self, row, word):
        if is_difference(word):
            first, second = (SUIT_LETTERS.index(letter) for letter in word.split("-"))
            column, sign = difference(first, second)
            return sign * int(self.rows[row, column])
        return int(self.rows[row, WORDS[word]])

    def within(self, row, ranges):
        return all(low <= self.value(row, word) <= high for word, (low, high) in ranges.items())


@pytest.mark.parametrize(("name", "deals"), [("two-over-one", 25), ("champion-rules", 25)])
def test_the_numbers_of_explanations_are_true_of_the_hand(name, deals):
    decisions = Decisions(name, deals, 11)
    explanation = 0
    for row in range(len(decisions.board)):
        view = decisions.view(row)
        calls, rules, _ = decisions.bidder.decide(view)
        assert calls[0] == decisions.history[decisions.board[row], decisions.number[row]]
        rule = int(rules[0])
        if rule < 0:
            continue
        found = explain(decisions.bidder, view)
        assert rule in [r.number for r in found.position.rules]
        ranges = found.ranges
        assert decisions.within(row, ranges), (found.position.calls, found.line, ranges)
        explanation += bool(sentence(ranges))
    assert len(decisions.board) >= 150
    assert explanation > 65


def check_all(decisions, rows):
    """Check all parts of explanations; return how many other calls, and how many denials, held."""
    changed = denials = 0
    for row in rows:
        view = decisions.view(row)
        explanation = explain(decisions.bidder, view)
        assert decisions.within(row, explanation.ranges)
        assert not re.search(r"[a-z]:[CDHS]\b|\d\+|\b1 \w+s\b", explanation.says)
        assert explanation.call not in [n.call for n in explanation.nearly]
        assert [n.cost for n in explanation.nearly] == sorted(n.cost for n in explanation.nearly)
        auction = [call_text(int(c)) for c in view.history[0]]
        for n in explanation.nearly:
            again = call(
                decisions.bidder, n.hand, "NESW"[int(view.dealer[0])],
                ("None", "NS", "EW", "Both")[int(view.vulnerability[0])], auction,
            )  # fmt: skip
            assert again == call_text(n.call)
            changed += 1
        for passed in explanation.passed:
            here = decisions.row_of(decisions.board[row], passed.number)
            for one in passed.denied:
                assert not decisions.within(here, one.ranges), (auction, passed, one)
                assert str(one)
                denials += 1
    return changed, denials


def test_changed_hands_make_the_other_calls_and_passing_hands_lack_what_they_deny():
    decisions = Decisions("two-over-one", 60, 12)
    changed, denials = check_all(decisions, range(0, len(decisions.board), 14))
    assert changed > 25
    assert denials > 25


def test_ranges_of_one_or_the_other():
    assert unite([{"hcp": (12, 21), "H": (5, 13)}, {"hcp": (10, 14)}]) == {"hcp": (10, 21)}


def test_the_command_prints_json_with_all_fields(capsys):
    words = ["bid", "system:sayc", "--hand", "8.KQ94.A72.KQ652", "--auction", "1C P 1S P"]
    assert main([*words, "--json"]) == 0
    explanation = json.loads(capsys.readouterr().out)
    assert (explanation["call"], explanation["text"]) == (
        "2C",
        "five or more clubs, 11 to 16 points with length, not forcing",
    )
    assert explanation["ranges"] == {"C": [5, 99], "points": [11, 16]}
    assert explanation["nearest"][0]["with"] == "one more spade"
    assert explanation["nearest"][0]["line"] > 0
    assert explanation["denied"][1]["seat"] == "E"
    assert explanation["denied"][1]["calls"][0]["call"] == "1H"
    assert explanation["shown"]["S"].endswith("4+ spades")
    assert main(["bid", "pass", "--hand", "A8.KQ94.72.KQ652", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["call"] == "Pass"
    assert main(["bid", "system:sayc", "--json"]) == 2


def test_the_hand_of_the_readme_would_have_opened():
    """With the hand that the pages ask about, the bidder makes the earlier call of its own, too."""
    for spec in ("policy:champion", "system:two-over-one", "system:sayc"):
        assert call(spec, "AQT72.A4.Q2.T753") == "1S"
    assert call("system:sayc", "A8.KQ94.72.KQ652") == "1C"


NOBODYS = np.full((1, 52), UNKNOWN, np.uint8)


def test_suits_are_filled_in_and_conventions_marked():
    bidder = make("system:sayc")
    auctions = Auctions(0, 0)

    def rules(word):
        return rules_for(bidder, view_of(auctions, NOBODYS), parse_call(word))

    spade = rules("1S")[0]
    words = {atom.word for clause in spade.needs for alternative in clause for atom in alternative}
    assert "S" in words
    assert not words & {"M", "oM", "x"}
    assert all(rule.artificial for rule in rules("2C"))
    assert rules("6C") == []
    auctions.step([parse_call("1N")])
    auctions.step([PASS])
    assert {(rule.artificial, rule.line.note.split()[0]) for rule in rules("2C")} == {(True, "Stayman")}


def test_a_registered_system_is_a_system_like_others():
    spec = register_system("lent-here", "system: x\n7N  12+ hcp\n")
    assert register_system("lent-here", "system: x\n7N  12+ hcp\n") == spec
    other = register_system("lent-here", "system: x\n6N  12+ hcp\n")
    assert other != spec
    assert system_of(spec).system.blocks  # the general rules, as with files that have none
    strong = view_of(Auctions(0, 0), random_deals(1, 0, 40)[:1])
    strong.hand[0] = np.isin(np.arange(52) % 13, (10, 11, 12)) | (np.arange(52) == 0)
    assert call_text(int(make(spec).bid(strong, np.zeros(1, np.uint64))[0])) == "7NT"
    assert call_text(int(make(other).bid(strong, np.zeros(1, np.uint64))[0])) == "6NT"
    with pytest.raises(SpecError, match=":2:"):
        register_system("faulty", "system: x\n1C 5+ quokkas\n")


def atoms():
    """Every word of the language, with ranges of all kinds."""
    out = []
    for word in sorted({name.partition(":")[0] if ":" in name else name for name in WORDS} | {"M", "oM", "m", "om"}):
        named = [word]
        if word in SUIT_WORDS:
            named = [f"{word}:{suit}" for suit in (*SUIT_LETTERS, "M", "oM", "m", "om", "x", "y")]
        if word == "hcp":
            named += ["hcp"]
        for name in named:
            if word in FLAG_WORDS:
                out += [Atom(name, 0, 0), Atom(name, 1, 1)]
            elif word in CALL_WORDS:
                out += [Atom(name, call, call) for call in (0, 1, 2, 3, 22, 37)]
            else:
                spans = ((0, 0), (0, 3), (1, 1), (1, INFINITE), (4, INFINITE), (2, 7), (0, INFINITE))
                out += [Atom(name, *span) for span in spans]
    out += [Atom(f"{a}-{b}", lo, hi) for a, b in (("H", "S"), ("M", "oM"), ("m", "C"), ("x", "y"))
            for lo, hi in ((0, 0), (0, INFINITE), (1, INFINITE), (1, 1), (2, INFINITE))]  # fmt: skip
    return out


def test_phrases_hold_no_sign_that_separates_conditions():
    for atom in atoms():
        text = player_terms.condition(atom)
        assert not re.search(r" or | and |[,;:/()*]", text), text  # signs between conditions


def test_every_word_of_the_language_has_a_phrase():
    stems = {name.partition(":")[0] for name in WORDS} - {*SUIT_LETTERS} - CALL_WORDS
    assert stems <= {*phrases.PHRASES, *phrases.YES_NO}
    texts = [*phrases.PHRASES.values(), *phrases.RANGES.values()]
    assert len(set(texts)) == len(texts)


def test_the_clause_of_an_agreed_suit_has_a_phrase():
    ways = " or ".join(f"{mine}+ shown:H and {his}+ partner:H" for mine, his in ((5, 3), (4, 4), (3, 5), (2, 6)))
    agreed = parse_constraint(f"{ways}, ours")
    assert player_terms.symbols(player_terms.promise(agreed)) == "♥ agreed; the last bid is ours"


def test_one_of_a_thing_is_in_the_singular():
    assert player_terms.term_text(1, "controls") == "1 control"
    assert player_terms.term_text(1, "passes") == "after a pass"


def test_what_is_more_or_less_than_something():
    assert player_terms.term_text(4, "fit:D", "level") == "4 ♦ together more than the level of the call"
    assert player_terms.term_text(-1, "S", "shown:S") == "1♠ less than ♠ that I have shown"
