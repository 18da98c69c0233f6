"""Refinement: positions as lines write them, labels against a slow play-out, and rules against planted ones."""

from dataclasses import replace

import numpy as np
import pytest

from agents.systems.bidder import HierarchyBidder
from agents.systems.changes.edits import InsertGeneral
from agents.systems.language.paths import readings
from agents.systems.language.text import constraint_text, parse_system, system_text
from agents.systems.language.vocabulary import WORDS
from bridge_env.bidders.view import view_of
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import parse_call
from bridge_env.rules.scoring import imps
from training.evaluation.partnership_match import BoardRange, Partnership, boards_of, duel, hierarchy
from training.evolution.generations import numbered
from training.evolution.proposals import rule_edit
from training.evolution.refine.decisions import UNTRIED, Examples, joined, tables_of
from training.evolution.refine.general import context_constraint, contexts, count_contexts, decided_rows, label_general
from training.evolution.refine.induce import Rule, rules
from training.evolution.refine.labels import count_paths, label, words
from training.evolution.refine.tasks import after_call, answers_task

SAYC = numbered("sayc")
PASS = Partnership(*(parse_system("system: p\nP\nwhen 0-7 last-level\n  P\n"),) * 2)
BOARDS = BoardRange(3, "training", 0, 400)


def calls_of(text):
    return [parse_call(word) for word in text.split()]


@pytest.mark.parametrize(
    ("auction", "side", "read"),
    [
        ("P P", 0, [""]),
        ("1H P 2H P", 0, ["1H-2H", "1M-2M"]),
        ("1H 1S 2H P", 0, ["1H-(1S)-2H", "1M-(1oM)-2M"]),
        ("1H 1S 2H P", 1, ["(1H)-1S-(2H)-P", "(1M)-1oM-(2M)-P"]),
        ("P 1D X 1NT", 0, ["(1D)-X-(1N)", "(1m)-X-(1N)"]),
        ("1NT P 2C", 1, ["(1N)-P-(2C)", "(1N)-P-(2m)"]),
        ("1NT", 1, ["(1N)"]),
        ("1C 1D 1S 2C", 0, ["1C-(1D)-1S-(2C)", "1m-(1om)-1M-(2m)"]),
    ],
)
def test_positions_read_as_lines_write_them(auction, side, read):
    assert [path.text for path in readings(calls_of(auction), 0, side)] == read


def test_names_stand_for_suits():
    path = readings(calls_of("1S 2D"), 0, 0)[1]
    assert path.names == ("m", "om", "M", "oM")
    assert path.suits == (1, 0, 3, 2)
    last = 6  # 2D
    assert path.call("lowest:om", last) == parse_call("3C")
    assert path.call("lowest:oM", last) == parse_call("2H")
    assert path.call("jump:M", last) == parse_call("3S")
    assert path.call("game:M", last) == parse_call("4S")
    assert path.call("1M", last) == -1
    assert path.call("X", last) == parse_call("X")


def test_partner_answers_where_the_new_call_leads():
    assert after_call("", "1S") == {"1S": "1S"}
    assert after_call("1M", "2m") == {"1M-2m": "1M-2m"}
    lead = "(1M)-lowest:oM"
    assert after_call("(1M)", "lowest:oM") == {"(1M)-1oM": lead, "(1M)-2oM": lead}
    assert after_call("(1m)-P-(1M)", "lowest:N") == {"(1m)-P-(1M)-1N": "(1m)-P-(1M)-lowest:N"}
    assert after_call("1M", "lowest:C") == {"1H-2C": "1H-2C", "1S-2C": "1S-2C"}  # by kind, C would be called m
    assert after_call("1m", "lowest:H") == {"1C-1H": "1C-1H", "1D-1H": "1D-1H"}
    assert after_call("1H", "lowest:N") == {"1H-1N": "1H-lowest:N"}


def slow_worth(us, them, board_range, table, board, number, call):
    """Return IMPs against the call that was made, with one bidder after the other."""
    boards, _ = boards_of(board_range)
    before = duel(us, them, board_range)
    made = before.history[table, board]
    auctions = Auctions(boards.dealer[[board]], boards.vulnerability[[board]])
    for k in range(number):
        auctions.step(made[[k]])
    auctions.step(np.array([call], np.int8))
    own, other = hierarchy(us.first), hierarchy(them.first)
    ours, theirs = HierarchyBidder(own, own, (other, other)), HierarchyBidder(other, other, (own, own))
    while not auctions.done.all():
        bidder = ours if (int(auctions.turn[0]) & 1) == table else theirs
        auctions.step(bidder.call(view_of(auctions, boards.owner[[board]], np.array([0]))))
    points = before.points[:, board].copy()
    points[table] = boards.take(np.array([board])).points(auctions)[0]
    return int(imps(points[0] - points[1])) - int(before.imps[board])


def test_labels_equal_a_slow_play_out():
    boards, _ = boards_of(BOARDS)
    wanted = {"": 40, "1M": 30, "(1m)": 30, "1N-2m": 20}
    found = label(tables_of(SAYC, PASS, BOARDS), wanted) | label(tables_of(PASS, SAYC, BOARDS), {"(1m)": 20})
    history = duel(SAYC, PASS, BOARDS).history
    checked = 0
    for path in ("", "1M", "1N-2m"):
        for table, examples in zip((0, 1), found[path], strict=True):
            assert len(examples.board) == len(examples.worth) <= wanted[path]
            for row in range(0, len(examples.board), 7):
                board = int(examples.board[row])
                for number in range(history.shape[2]):
                    side = (int(boards.dealer[board]) + number) & 1
                    calls = [int(c) for c in history[table, board, :number]]
                    read = [p for p in readings(calls, int(boards.dealer[board]), table) if p.text == path]
                    if side == table and read and path:
                        break
                else:
                    continue
                last = max((c - 3 for c in calls if c >= 3), default=-1)
                for j in range(0, len(examples.calls), 3):
                    call = read[0].call(examples.calls[j], last)
                    if examples.worth[row, j] != UNTRIED:
                        assert examples.worth[row, j] == slow_worth(SAYC, PASS, BOARDS, table, board, number, call)
                        checked += 1
    assert checked > 20


def test_examples_speak_of_the_hand_under_the_names_of_the_position():
    examples = joined(label(tables_of(SAYC, SAYC, BoardRange(3, "training", 0, 2000)), {"1M-2m": 500})["1M-2m"])
    columns = examples.words
    x = examples.features
    lengths = x[:, [columns.index(name) for name in ("m", "om", "M", "oM")]]
    assert (lengths.sum(axis=1) == 13).all()
    assert (lengths[:, 2] >= 5).all()  # the opener holds five of M
    assert (x[:, columns.index("hcp")] >= 9).all()
    assert set(np.unique(x[:, columns.index("M-oM")])) <= {-1, 0, 1}
    assert (x[:, columns.index("support:oM")] == 0).all()  # no suit of ours


def test_counting_finds_every_decision_once():
    often = count_paths(tables_of(SAYC, PASS, BOARDS))
    boards, _ = boards_of(BOARDS)
    history = duel(SAYC, PASS, BOARDS).history
    number = sum(
        (history[table] >= 0)[(boards.dealer[:, None] + np.arange(history.shape[2]) + table) & 1 == 0].sum()
        for table in (0, 1)
    )
    exact = sum(n for path, n in often.items() if "M" not in path and "m" not in path)
    assert exact == number


def planted(count=4000, seed=1, gain=3.0, word="S"):
    """Return examples in which X gains for hands of 9+ hcp and 4+ of ``word``."""
    rng = np.random.default_rng(seed)
    names = ("C", "D", "H", "S")
    x = rng.integers(0, 3, (count, len(words(names)))).astype(np.int16)
    x[:, words(names).index("hcp")] = rng.integers(0, 20, count)
    x[:, words(names).index(word)] = rng.integers(0, 8, count)
    fits = (x[:, words(names).index("hcp")] >= 9) & (x[:, words(names).index(word)] >= 4)
    worth = np.full((count, 3), UNTRIED, np.int8)
    worth[:, 0] = 0
    worth[:, 1] = np.clip(np.where(fits, gain, -2.0) + rng.normal(0, 4, count), -24, 24).astype(np.int8)
    return Examples("(1H)", words(names), ("P", "X", "2C"), x, worth, np.arange(count))


def test_a_planted_rule_is_found():
    found = rules(planted())
    assert [rule.call for rule in found] == ["X"]
    text = constraint_text(found[0].constraint)
    assert "9+ hcp" in text or "8+ hcp" in text
    assert "4+ S" in text
    line = rule_edit(found[0], ("forcing",))
    assert (
        parse_system(f"{line.line.name}  {text}\nwhen 0-7 last-level\n  P").lines[0].constraint == found[0].constraint
    )


def test_a_sayable_rule_leaves_out_what_players_do_not_say():
    """A double of 1H that depends on the honours in clubs is no agreement."""
    assert words_in(rules(planted(word="S"))) == [["hcp", "S"]]
    assert not any("top5:C" in rule for rule in words_in(rules(planted(word="top5:C"))))


def words_in(found):
    return [
        [atom.word for clause in rule.constraint for alternative in clause for atom in alternative] for rule in found
    ]


def test_noise_gives_no_rule():
    found = [rules(planted(1500, seed, gain=-2.0)) for seed in range(6)]
    assert sum(map(len, found)) <= 1


def test_a_hand_counts_once_however_many_opponents_it_meets():
    """The same decisions against eight opponents are no more evidence than against one."""
    for seed in range(6):
        once = planted(1500, seed, gain=-2.0)
        assert sum(map(len, [rules(joined([once] * 8))])) == len(rules(once))
    once = planted(300)
    many = rules(joined([once] * 8))
    assert [(r.call, r.constraint, r.hands) for r in many] == [(r.call, r.constraint, r.hands) for r in rules(once)]
    assert [r.gain for r in many] == [8 * r.gain for r in rules(once)]


def test_words_of_rules_are_of_the_language():
    for names in (("C", "D", "H", "S"), ("m", "om", "M", "oM")):
        lead = "1m-(1M)" if names[0] == "m" else "1C"
        for word in words(names):
            text = f"{word.replace('-', ' >= ')}" if "-" in word and word != "they-vul" else f"1+ {word}"
            line = parse_system(f"after {lead}\n  P {text}\nwhen 0-7 last-level\n  P").lines[0].lines[0]
            assert line.constraint[0][0][0].word == word


def test_answers_are_sought_where_the_call_leads():
    system = parse_system("system: t\n2D 6-12 hcp, 5+ H\nP\nwhen 0-7 last-level\n  P\n")
    pair = Partnership(system, system)
    found = answers_task(pair, PASS, [PASS], [BoardRange(2, "training", 0, 3000)], "", "2D", 400)
    assert found
    assert {r.path for r in found} == {"2D"}
    assert {r.call for r in found} & {"lowest:H", "game:H", "3N", "lowest:S", "game:S", "jump:H"}


def test_names_of_kinds_of_auctions_differ_and_hold():
    seen: dict[str, tuple[int, ...]] = {}
    for table in tables_of(SAYC, SAYC, BOARDS):
        board, _, rows = decided_rows(table)
        assert len(board) > 500
        for row, kind in zip(rows, contexts(rows), strict=True):
            when = context_constraint(kind)
            for ((atom,),) in when:
                assert atom.lo <= row[WORDS[atom.word]] <= atom.hi
            assert seen.setdefault(constraint_text(when), tuple(kind)) == tuple(kind)
    assert len(seen) > 40


def test_general_rules_decide_where_the_tree_has_no_call():
    system = parse_system("system: s\n1S 5+ S\n  2S 3+ S\nwhen 0-7 last-level\n  X 12+ hcp\n  P\n")
    pair = Partnership(system, system)
    for table in tables_of(pair, PASS, BOARDS):
        board, number, rows = decided_rows(table)
        assert (table.history[board, number] <= 1).all()  # only they pass or double
        assert (rows[:, WORDS["last-level"]] >= 1).all()
    tables = tables_of(pair, SAYC, BOARDS)
    found = label_general(tables, dict.fromkeys(count_contexts(tables), 50))
    assert {family for _, family in found} == {"plain", "fit", "own"}
    plain = next(parts for (_, family), parts in found.items() if family == "plain")[0]
    assert plain.calls[0] == "P"
    assert plain.features.shape == (len(plain.board), len(plain.words))


def test_rules_of_kinds_of_auctions_go_in_front_of_the_general_ones():
    when = "when 0 i-bid, 1 partner-bid, 2+ they-bid, 3 last-level, last-notrump, not ours, 0 doubled"
    rule = Rule(when, "X", parse_system("X 19+ likely\nwhen 0-7 last-level\n  P").lines[0].constraint, 9.0, 20)
    edit = rule_edit(rule)
    assert isinstance(edit, InsertGeneral)
    changed = edit.apply(SAYC.first)
    words_of = [constraint_text(block.when) for block in changed.blocks]
    at = [f"when {text}" for text in words_of].index(when)
    before = [constraint_text(block.when) for block in SAYC.first.blocks]
    assert words_of == [*before[:at], words_of[at], *before[at:]]
    answers = ["-called:" in text for text in before]
    assert at >= 1
    assert all(answers[:at])  # to Blackwood and the like
    assert not answers[at]
    again = rule_edit(replace(rule, call="P")).apply(changed)
    assert [line.name for line in again.blocks[at].lines] == ["P", "X"]
    assert parse_system(system_text(again)) == again
