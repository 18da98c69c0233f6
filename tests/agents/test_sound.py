"""Sound bidding: each check finds a planted fault and nothing else, and all shipped systems pass."""

from functools import cache

import numpy as np
import pytest
from support.bidders import boards

from agents.systems.audit import audit, preempts
from agents.systems.audit.audit import audit_regressions, audit_system, outdated_answers
from agents.systems.audit.mend import as_sound_as, without_dead
from agents.systems.audit.probes import better_suit, draw_hands
from agents.systems.audit.reach import HandPool
from agents.systems.bidder import Hierarchy, deal_features
from agents.systems.engine.state_cache import StateCache
from agents.systems.language.text import numbered_anew, parse_system, system_text
from agents.systems.language.tree import walk
from agents.systems.library.shipped import read_system, register_system, shipped_systems, system_path
from agents.systems.lint import sound_findings
from bridge_env.hands.features import FEATURES, HCP, LENGTH, hand_features
from bridge_env.rules.auction import Auctions
from training.cli.app import main

SOUND = """\
system: plain
1N    15-17 hcp, balanced
  2C    8+ hcp, 4 H or 4 S ; Stayman !forcing !artificial
    2H    4+ H
    2S    4+ S
    2D ; no major !artificial
  P     0-7 hcp
1S    12+ hcp, 5+ S
  3S    10+ hcp, 4+ S ; limit raise !invite
  2S    6-9 hcp, 3+ S
2H    6-10 hcp, 6 H, 2+ top5:H, 1-3 position ; weak
3x    4-9 hcp, 7+ x, 1+ top3:x and not vul or 2+ top3:x, 1-3 position
P
(1S)
  X     12+ hcp, 0-2 S, 3+ H, 3+ D, 3+ C ; take-out !forcing
    P     6+ S
    2H    3+ H
    2D    3+ D
    2C
  2H    8-16 hcp, 5+ H
when 0-7 last-level
  P
"""
#: Planted faults: a line, its replacement, which of the new lines is found, and a part of the finding.
PLANTED = {
    "take-out without shape": (
        "  X     12+ hcp, 0-2 S, 3+ H, 3+ D, 3+ C ; take-out !forcing", ["  X     9+ hcp ; take-out !forcing"],
        0, "'take-out' promises"),
    "values on nothing": (
        "  2H    8-16 hcp, 5+ H", ["  2N    0-4 hcp, 5+ H ; values"], 0, "'values' promises"),
    "a raise on two cards": (
        "  3S    10+ hcp, 4+ S ; limit raise !invite", ["  3S    10+ hcp, 0-1 S ; limit raise !invite"],
        0, "'a raise' promises"),
    "no trump on any shape": (
        "1N    15-17 hcp, balanced", ["1N    15-17 hcp"], 0, "an opening of no trump promises"),
    "no trump on nothing": (
        "1N    15-17 hcp, balanced", ["1N    4-9 hcp, balanced"], 0, "an opening of no trump promises"),
    "an opening on nothing": (
        "1S    12+ hcp, 5+ S", ["1S    4-7 hcp, 5+ S"], 0, "an opening of one of a suit promises 8 points"),
    "a short suit": ("1S    12+ hcp, 5+ S", ["1S    12+ hcp, 2 S"], 0, "a bid of a suit promises"),
    "an artificial call without a name": (
        "1S    12+ hcp, 5+ S", ["1S    12+ hcp, 5+ S", "2D    18+ hcp, 0-1 D ; !artificial"], 1, "without a name"),
    "learned": ("1S    12+ hcp, 5+ S", ["1S    12+ hcp, 5+ S ; learned"], 0, "names nothing"),
    "an asking call to pass": (
        "  2C    8+ hcp, 4 H or 4 S ; Stayman !forcing !artificial",
        ["  2C    8+ hcp, 4 H or 4 S ; Stayman !artificial"], 0, "does not force"),
    "a call that forces with one hand": (
        "  2S    6-9 hcp, 3+ S", ["  2S    6-9 hcp, 3 S", "  2S    6-9 hcp, 4+ S ; !forcing"],
        1, "partner cannot tell"),
    "fourth seat": (
        "2H    6-10 hcp, 6 H, 2+ top5:H, 1-3 position ; weak", ["2H    6-10 hcp, 6 H, 2+ top5:H ; weak"],
        0, "in fourth seat"),
    "a bad suit": (
        "2H    6-10 hcp, 6 H, 2+ top5:H, 1-3 position ; weak", ["2H    6-10 hcp, 6 H, 1-3 position ; weak"],
        0, "a preempt promises"),
    "any vulnerability": (
        "3x    4-9 hcp, 7+ x, 1+ top3:x and not vul or 2+ top3:x, 1-3 position",
        ["3x    4-9 hcp, 7+ x, 1+ top3:x, 1-3 position"], 0, "vulnerable and not vulnerable"),
    "the better suit lower": (
        "2H    6-10 hcp, 6 H, 2+ top5:H, 1-3 position ; weak",
        ["2H    6-10 hcp, 6 H, 3+ top5:H, 1-3 position", "3H    6-10 hcp, 6 H, 2+ top5:H, 1-3 position, not vul"],
        1, "the better suit is bid lower"),
    "a pass on any four cards": (
        "  X     12+ hcp, 0-2 S, 3+ H, 3+ D, 3+ C ; take-out !forcing",
        ["  X     12+ hcp, 0-2 S, 3+ H, 3+ D, 3+ C ; take-out !forcing", "    P     4+ S"], 1, "promises trumps"),
    "an overcall on four cards": (
        "  2H    8-16 hcp, 5+ H", ["  2H    8-16 hcp, 4+ H"], 0, "who comes in by naming a suit"),
    "a weak two on five cards": (
        "2H    6-10 hcp, 6 H, 2+ top5:H, 1-3 position ; weak",
        ["2H    6-10 hcp, 5-6 H, 2+ top5:H, 1-3 position ; weak"], 0, "a weak two promises"),
    "a slam on little": (
        "  P     0-7 hcp", ["  6N    12+ hcp", "  P     0-7 hcp"], 0, "6NT without a long suit asks for"),
    "a double without a label": (
        "  X     12+ hcp, 0-2 S, 3+ H, 3+ D, 3+ C ; take-out !forcing",
        ["  X     12+ hcp, 0-2 S, 3+ H, 3+ D, 3+ C ; !forcing"], 0, "without a label"),
    "a double on any hand": (
        "  X     12+ hcp, 0-2 S, 3+ H, 3+ D, 3+ C ; take-out !forcing",
        ["  X     0-7 last-level ; too strong to overcall !forcing"], 0, "a double or redouble on any hand"),
    "a double with two meanings": (
        "  2H    8-16 hcp, 5+ H", ["  2H    8-16 hcp, 5+ H", "  X     14+ hcp ; penalty !forcing"],
        1, "X is for penalties by"),
    "three on five cards": (
        "3x    4-9 hcp, 7+ x, 1+ top3:x and not vul or 2+ top3:x, 1-3 position",
        ["3x    4-9 hcp, 5+ x, 1+ top3:x and not vul or 2+ top3:x, 1-3 position"], 0, "three of a suit promises 6"),
    "a jump to three on five cards": (
        "  2H    8-16 hcp, 5+ H", ["  2H    8-16 hcp, 5+ H", "  3D    4-9 hcp, 5+ D"], 1, "a jump to three of a suit"),
    "a raise to game on nothing": (
        "  2S    6-9 hcp, 3+ S", ["  2S    6-9 hcp, 3+ S", "  4S    0-5 hcp, 4 S"], 1, "a raise to game on nothing"),
    "a game force on little": (
        "  2S    6-9 hcp, 3+ S", ["  2S    6-9 hcp, 3+ S", "  2D    5-7 hcp, 5+ D ; !gf"], 1, "forces to game on less"),
    "a pass that shows a suit": (
        "  2H    8-16 hcp, 5+ H", ["  P     5+ S, 2+ top5:S", "  2H    8-16 hcp, 5+ H"], 0, "a pass shows 5+♠"),
    "a hand that nobody has": ("  P     0-7 hcp", ["  3N    5 H, 5 S, 4+ D", "  P     0-7 hcp"], 0, "no hand comes"),
    "a hand that others take": (
        "  2S    6-9 hcp, 3+ S", ["  2S    6-9 hcp, 3+ S", "  3N    7-8 hcp, 5+ S"], 1, "line 10 come before it"),
    "a partner who passes": (
        "    2H    4+ H", ["    2H    4+ H", "    3N    18+ hcp, 4+ S", "      P"], 2, "partner never calls so"),
    "a pass that is not named": (
        "  2H    8-16 hcp, 5+ H", ["  2H    8-16 hcp, 5+ H", "  (2D)", "    X     15+ hcp ; take-out !forcing"],
        2, "name our pass"),
}  # fmt: skip


#: Sound neighbours of planted faults: a line and its replacement.
SOUND_CHANGES = {
    "a double of one meaning": (
        "  2H    8-16 hcp, 5+ H", ["  2H    8-16 hcp, 5+ H", "  X     16+ hcp ; take-out: a strong hand !forcing"]),
    "a jump to three on six cards": (
        "  2H    8-16 hcp, 5+ H", ["  2H    8-16 hcp, 5+ H", "  3D    4-9 hcp, 6+ D"]),
    "a raise to game on shape": (
        "  2S    6-9 hcp, 3+ S", ["  2S    6-9 hcp, 3+ S", "  4S    0-5 hcp, 5+ S, 0-1 shortest"]),
    "a game force on a fit and values": (
        "  2S    6-9 hcp, 3+ S", ["  2S    6-9 hcp, 3+ S", "  2D    11+ hcp, 5+ D ; !gf"]),
    "a pass that may be weak": (
        "  2H    8-16 hcp, 5+ H", ["  P     5+ S, 2+ top5:S", "  2H    8-16 hcp, 5+ H", "  P     0-5 hcp"]),
}  # fmt: skip

#: Of the planted faults, some that the change of a line brought.
BY_A_CALL = (
    "take-out without shape", "a raise on two cards", "no trump on nothing", "an asking call to pass",
    "the better suit lower", "a game force on little",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _fewer_hands(request, monkeypatch):
    """A small system shows its faults on fewer hands; most shipped ones are checked on all of them."""
    if request.node.get_closest_marker("weekly") is None:
        monkeypatch.setattr(audit, "_BOARDS", 800)
        monkeypatch.setattr(audit, "_HANDS", 2000)
        monkeypatch.setattr(audit, "_hand_pool", few_in_reserve)
        monkeypatch.setattr(preempts, "_COUNT", 15_000)


@cache
def few_in_reserve():
    return HandPool(100_000)


def planted(name):
    old, new, at, text_part = PLANTED[name]
    text, where = with_lines(old, new)
    return text, where + at + 1, text_part


def with_lines(old, new):
    """Return the sound system with new lines in place of one, and where that was."""
    lines = SOUND.split("\n")
    where = lines.index(old)
    return "\n".join([*lines[:where], *new, *lines[where + 1 :]]), where


def found(text):
    return [(number, words) for (_, number), words in audit_system(Hierarchy(parse_system(text)))]


def with_a_change(name):
    """Return a planted fault, with a sound change elsewhere."""
    was, sound = ("1N    15-17 hcp, b", "1N    14-17 hcp, b")
    if "no trump" in name:
        was, sound = ("  2S    6-9 hcp", "  2S    6-8 hcp")
    text, line, text_part = planted(name)
    return text.replace(was, sound), line, text_part, sound


def test_a_plain_system_is_sound():
    assert found(SOUND) == []


@pytest.mark.parametrize("name", SOUND_CHANGES)
def test_sound_neighbours_of_faults_are_sound(name):
    assert found(with_lines(*SOUND_CHANGES[name])[0]) == []


def test_a_line_against_an_artificial_bid_is_not_dead_because_our_own_is_natural():
    dead = ["no hand comes"]
    conditions = {"0-1 theirs:S": [], "0-2 theirs:S": dead, "20+ they-min": []}
    for condition, text_part in conditions.items():
        lines = SOUND.split("\n")
        where = lines.index("(1S)")
        line = f"  X     13-15 hcp, balanced, {condition} ; values"
        text = "\n".join([*lines[: where + 1], line, *lines[where + 1 :]])
        assert [message[:13] for _, message in found(text)] == text_part, condition


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found_at_its_line(name):
    text, line, text_part, _ = with_a_change(name)
    assert any(number == line and text_part in text for number, text in found(text)), found(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.weekly] * (name != "acol")) for name in shipped_systems()]
)
def test_shipped_systems_are_sound(name):
    assert sound_findings(system_path(name)) == []


def histories(system, count=2000, seed=3):
    hierarchy = Hierarchy(system)
    owner, dealer, vulnerability = boards(count, seed)
    auctions = Auctions(dealer, vulnerability)
    StateCache([hierarchy]).bid(np.zeros((count, 4), np.int32), deal_features(owner), auctions)
    return auctions.history


def test_dropping_lines_changes_no_call_and_drops_all_that_are_dead():
    text, _, _ = planted("a hand that others take")
    system = parse_system(text.replace("  P     0-7 hcp", "  3N    5 H, 5 S, 4+ D\n    4H\n  P     0-7 hcp"))
    mended = without_dead(system)
    assert len([*walk(system.lines)]) - len([*walk(mended.lines)]) == 3
    assert np.array_equal(histories(system), histories(mended))
    assert not any("no hand comes" in text for _, text in found(system_text(mended)))


def test_the_gate_finds_what_a_change_makes_unsound():
    before = parse_system(SOUND)
    for name in ("take-out without shape", "fourth seat", "learned"):
        assert audit_regressions(before, parse_system(planted(name)[0])), name
    better = SOUND.replace("2S    6-9 hcp", "2S    5-9 hcp").replace("1S    12+", "1S    11+")
    assert audit_regressions(before, parse_system(better)) == []
    assert audit_regressions(parse_system(planted("a short suit")[0]), before) == []


def test_a_call_may_not_go_to_other_hands_while_its_answers_stay():
    before = parse_system(SOUND)
    weak = SOUND.replace("1N    15-17 hcp", "1N    11-13 hcp")
    assert outdated_answers(before, parse_system(weak)) == ["1NT", "2 passes, 1NT"]
    answered = weak.replace("2C    8+ hcp", "2C    12+ hcp")
    assert answered != weak
    assert outdated_answers(before, parse_system(answered)) == []
    assert outdated_answers(before, parse_system(SOUND.replace("1N    15-17 hcp", "1N    14-17 hcp"))) == []


def test_the_gate_knows_systems_by_what_they_say():
    system = read_system("acol")
    assert audit_regressions(system, numbered_anew(system)) == []


@pytest.mark.parametrize("name", BY_A_CALL)
def test_unsound_changes_go_back_and_sound_ones_stay(name):
    text, _, _, sound = with_a_change(name)
    mended, back = as_sound_as(parse_system(SOUND), parse_system(text))
    assert back
    assert found(system_text(mended)) == []
    assert sound in system_text(mended)


def test_a_change_is_taken_back_whose_fault_is_found_elsewhere():
    """Six no trump becomes unsound, though only the promise of the call for aces has changed."""
    raised = "  2S    6-9 hcp, 3+ S\n"
    condition = (
        raised
        + """\
  4N    {}+ hcp ; aces? !forcing !artificial
    5C    0-1 aces ; aces !artificial
    5D    2+ aces ; aces !artificial
"""
    )
    slam = "when i-called:4N\n  6N    3+ combined-aces\n  P\n"
    system = SOUND.replace(raised, condition).replace("when 0-7 last-level\n", f"{slam}when 0-7 last-level\n")
    before, after = (parse_system(system.format(least)) for least in (22, 16))
    assert any("6NT" in text_part for _, text_part in found(system_text(after)))
    mended, back = as_sound_as(before, after)
    assert back
    assert system_text(mended) == system_text(before)


def test_a_base_goes_back_by_the_command(tmp_path, capsys):
    base, worse, mended = (tmp_path / f"{name}.bidding" for name in ("base", "worse", "mended"))
    base.write_text(SOUND)
    worse.write_text(planted("a short suit")[0])
    assert main(["check", "--sound", str(worse), "--base", str(base), "--mend", str(mended)]) == 1
    assert "taken back: 1S  12+ hcp, 2 S\n" in capsys.readouterr().out
    assert main(["check", "--sound", str(mended)]) == 0
    assert main(["check", "--sound", str(worse), "--base", str(base)]) == 2


def test_a_better_suit_has_the_same_shape_and_points_or_more_in_it():
    hands = draw_hands(400, 1)
    before, after = hand_features(hands), hand_features(better_suit(hands, 3))
    changed = (before != after).any(axis=1)
    lengths = slice(LENGTH, LENGTH + 4)
    spades = FEATURES["suit_hcp:S"]
    assert changed.mean() > 0.3
    assert np.array_equal(before[:, lengths], after[:, lengths])
    assert np.array_equal(before[:, HCP], after[:, HCP])
    assert (after[changed, spades] > before[changed, spades]).all()


def test_the_command_lists_lines_and_mends(tmp_path, capsys):
    text, line, _ = planted("a hand that others take")
    path, mended = tmp_path / "mine.bidding", tmp_path / "mended.bidding"
    path.write_text(text)
    assert main(["check", str(path)]) == 0
    assert main(["check", "--sound", str(path), "--mend", str(mended)]) == 1
    assert f"{path}:{line}: no hand comes to this line" in capsys.readouterr().out
    assert main(["check", "--sound", str(mended)]) == 0
    assert main(["check", "--mend", str(mended), str(path), "sayc"]) != 0


@cache
def small():
    """Return a system of four lines, with the general rules."""
    text = "1N 15-17 hcp, balanced\n1x 12+ hcp, 4+ x\n(1x)\n  1y 8-16 hcp, 5+ y\n"
    return read_system(register_system("small-for-audits", text).removeprefix("system:"))


def test_a_scorecard_may_not_mislead_partner():
    """A new suit on any hand is no new suit as the rules have it; on six cards and an opening it may be."""

    def misleading(conditions):
        text = f"weigh when 1+ they-bid, 1+ partner-bid, 0 i-bid\n  P     scores 0\n  bid:x {conditions} scores 20"
        system = small().with_cards(parse_system(text).blocks)
        return [finding for _, finding in audit_system(Hierarchy(system)) if "misleading scorecard" in finding]

    assert misleading("3+ x")
    assert not misleading("6+ x, 12+ hcp")


def test_a_term_of_a_scorecard_must_add_points():
    text = "weigh when 1+ they-bid\n  P scores 0, 9 if book\n  X 5+ hcp scores -60, 5 for each hcp"

    def with_cards(text):
        return small().with_cards(parse_system(text).blocks)

    def idle(system):
        return [finding for _, finding in audit_system(Hierarchy(system)) if "idle term" in finding]

    assert idle(with_cards(text)) == []
    (found,) = idle(longer := with_cards(text + ", -900 if 37+ hcp"))
    assert found.startswith("idle term: -900 if 37+ hcp added nothing for any of ")
    assert without_dead(longer) == without_dead(with_cards(text))
