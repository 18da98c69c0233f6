"""Systems that change a base, the findings about them, and lines that no hand fits."""

import os

import pytest

import agents
from agents.systems.language.files import GENERAL_FILE
from agents.systems.language.text import SystemTextError, load_system, parse_system, system_text
from agents.systems.language.tree import place_of, walk
from agents.systems.library.shipped import read_system
from agents.systems.lint import check_system, check_text, sound_findings
from bridge_env.bidders.registry import SpecError

BASE = """system: old
1N    15-17 hcp, balanced
  2C    8+ hcp, 4 H or 4 S
    2H    4+ H
    2D
  2N    8-9 hcp
    3N    17 hcp
    P
  3N    25+ combined
1S    5+ S, 12+ hcp
1S    5+ S, 3 position
  2S    3+ S, 6-9 hcp
after 1N-2N
  (X)
    XX    16+ hcp
after 1S
  2N    3+ S, 13+ hcp
P
when ours
  X     15+ hcp
  P
when 1+ partner-bid
  P
"""


@pytest.fixture
def write(tmp_path):
    (tmp_path / "old.bidding").write_text(BASE)

    def with_base(text, name="new.bidding", base="old.bidding"):
        path = tmp_path / name
        path.write_text(f"system: new\nbase: {base}\n{text}")
        return path

    return with_base


def body(path):
    return system_text(load_system(path)).split("\n\n", 1)[1]


def test_of_blocks_with_the_same_words_the_one_that_makes_the_call_changes(tmp_path):
    (tmp_path / "old.bidding").write_text(BASE + "when ours\n  2D    6+ D\n  P\n")
    new = tmp_path / "new.bidding"
    new.write_text("base: old.bidding\nwhen ours\n  2D  5+ D\n  drop X\n")
    first, second = (block for block in load_system(new).blocks if "ours" in str(block.when))
    assert [line.name for line in first.lines] == ["P"]
    assert [(line.name, str(line.constraint[0][0][0].lo)) for line in second.lines[:1]] == [("2D", "5")]


def changed(*pairs):
    text = BASE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return system_text(parse_system(text)).split("\n\n", 1)[1]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", []),
        ("1N  12-14 hcp, balanced\n", [("15-17", "12-14")]),
        ("1N\n  2C  11+ hcp\n", [("15-17 hcp, balanced", ""), ("8+ hcp, 4 H or 4 S", "11+ hcp")]),
        ("after 1N\n  2C  11+ hcp ; a note !forcing\n", [("8+ hcp, 4 H or 4 S", "11+ hcp ; a note !forcing")]),
        ("1N-2C  11+ hcp\n", [("8+ hcp, 4 H or 4 S", "11+ hcp")]),
        ("after 1N\n  2C  11+ hcp\n  2C  5 C\n",
         [("8+ hcp, 4 H or 4 S\n    2H    4+ H\n    2D\n", "11+ hcp\n    2H    4+ H\n    2D\n  2C    5 C\n")]),
        # what follows the second line of a call stays, and joins what follows the first
        ("1S  5+ S\n", [("5+ S, 12+ hcp\n1S    5+ S, 3 position", "5+ S\nafter 1S")]),
        # a call that is new comes in front
        ("1H  5+ H\nafter 1N\n  3C  6 C\n  3D  6 D\n", [("1N  ", "1H  5+ H\nafter 1N\n  3C  6 C\n  3D  6 D\n1N  ")]),
        ("also 1S  4+ S\n", [("1N  ", "1S  4+ S\n1N  ")]),
        # with all that follows
        ("after 1N\n  drop 2N\n",
         [("  2N    8-9 hcp\n    3N    17 hcp\n    P\n", ""), ("after 1N-2N\n  (X)\n    XX    16+ hcp\n", "")]),
        ("drop 1N\n1N 12-14 hcp\n", [
            (BASE[BASE.index("1N  ") : BASE.index("1S  ")], ""),
            ("after 1N-2N\n  (X)\n    XX    16+ hcp\n", ""), ("1S  ", "1N 12-14 hcp\n1S  "),
        ]),
        ("when ours\n  drop X\n", [("  X     15+ hcp\n", "")]),
        # what the text has keeps its order
        ("when ours\n  X  17+ hcp\n  2H  6+ H\n", [("  X     15+ hcp", "  X  17+ hcp\n  2H  6+ H")]),
        ("when ours\n  P  4+ in-theirs\n  X  17+ hcp\n", [("  X     15+ hcp\n  P", "  P  4+ in-theirs\n  X  17+ hcp")]),
        ("1S  5+ S, 11+ hcp\n1H  5+ H\n1S  5+ S, 3 position\n", [
            ("12+ hcp\n1S", "11+ hcp\n1H  5+ H\n1S"),
        ]),
        ("after 1N\n  2N  8-9 hcp\n  2C  11+ hcp\n", [
            ("  2C    8+ hcp, 4 H or 4 S\n", "  after 2C\n"), ("    P\n  3N", "    P\n  2C  11+ hcp\n  3N"),
        ]),
        ("when ours\n  X  17+ hcp\nwhen 2 passes\n  P\n",
         [("  X     15+ hcp\n  P\n", "  X  17+ hcp\n  P\nwhen 2 passes\n  P\n")]),
        ("when not ours\n  X\n", [("when ours", "when not ours\n  X\nwhen ours")]),
        # in front, too, the first line that fits counts
        ("after 1S\n  2C  10-11 hcp\n  2D  5+ D\n  2C  6-9 hcp\n",
         [("1N  ", "after 1S\n  2C  10-11 hcp\n  2D  5+ D\n  2C  6-9 hcp\n1N  ")]),
        ("1H  5+ H, 20+ hcp\nalso 1S  4+ S\n1H  5+ H\n", [("1N  ", "1H  5+ H, 20+ hcp\n1S  4+ S\n1H  5+ H\n1N  ")]),
        ("when ours\n  2H  6+ H\n  also X  4 S\n  2D  6+ D\n  2H  5 H\n",
         [("  X     15+ hcp", "  2H  6+ H\n  X  4 S\n  2D  6+ D\n  2H  5 H\n  X  15+ hcp")]),
    ],
)  # fmt: skip
def test_lines_replace_add_and_remove(text, pairs, write):
    assert body(write(text)) == changed(*pairs)


def test_a_base_may_have_a_base_and_be_a_shipped_one(write, tmp_path):
    write("1N  12-14 hcp, balanced\n", "middle.bidding")
    assert body(write("drop 1S\n", base="middle.bidding")).startswith("1N    12-14 hcp, balanced")
    places = [place_of(line) for line in load_system(tmp_path / "new.bidding").lines]
    assert places[:2] == ["line 3 of middle.bidding", "line 13 of old.bidding"]
    path = write("1N  12-14 hcp, balanced\n", "weak.bidding", base="sayc")
    weak = agents.make(f"system:{path}")
    assert agents.call(weak, hand="AQ72.A94.Q92.J53") == "1NT"
    assert agents.call("system:sayc", hand="AQ72.A94.Q92.J53") == "1C"
    assert len(read_system(str(path)).blocks) == len(read_system("sayc").blocks)


@pytest.mark.parametrize("named", ["base: old.bidding", "base: my old.bidding ; a note", "  base:old.bidding"])
def test_a_base_that_is_edited_is_read_anew(named, tmp_path):
    old = tmp_path / ("my old.bidding" if "my" in named else "old.bidding")
    old.write_text(BASE)
    (tmp_path / "new.bidding").write_text(f"{named}\ndrop 1S  ; a note\n")
    spec = f"system:{tmp_path / 'new.bidding'}"
    hand = "AQ72.A94.Q92.K53"
    assert agents.call(spec, hand=hand) == "1NT"
    old.write_text(BASE.replace("15-17", "16-18"))
    os.utime(old, ns=(1, 1))
    assert agents.call(spec, hand=hand) == "Pass"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("after 1N\n  drop 3D\n", "new.bidding:4: the base has no 3D to drop after 1N"),
        ("drop 3D\n", "new.bidding:3: the base has no 3D to drop among its openings"),
        ("when ours\n  drop 2H\n", "new.bidding:4: the base has no 2H to drop in this block"),
        ("when not ours\n  drop X\n", "new.bidding:4: the base has no block of these words"),
        ("drop 1N  12+ hcp\n", "new.bidding:3: write 'drop CALL' and nothing more"),
        ("also\n", "new.bidding:3: write 'also CALL', and what it asks for"),
        ("1N\nbase: acol\n", "new.bidding:4: a system has one base"),
        ("base: sayc\n", "new.bidding:3: a system has one base"),
    ],
)
def test_faults_name_their_line(text, says, write):
    path = write(text)
    with pytest.raises(SystemTextError) as error:
        load_system(path)
    assert says in str(error.value)
    assert any(finding.fault and says.partition(": ")[2] in finding.text for finding in check_system(path))


def test_a_base_that_is_none(write, tmp_path):
    with pytest.raises(SystemTextError, match=r"new\.bidding:2: the base cannot be read: system:says.*did you mean"):
        load_system(write("", base="says"))
    write("", "one.bidding", base="other.bidding")
    write("", "other.bidding", base="one.bidding")
    with pytest.raises(SystemTextError, match="would rest on itself"):
        load_system(tmp_path / "one.bidding")
    with pytest.raises(SystemTextError, match="'drop' changes a base; write 'base: sayc' above all lines"):
        parse_system("drop 1N\n")
    (tmp_path / "old.bidding").write_text("1N  12+ hpc\n")
    with pytest.raises(SpecError, match=r"old\.bidding:1: .*did you mean hcp"):
        read_system(str(write("")))


def test_general_rules_of_a_base_are_not_lines_of_it(write, tmp_path, monkeypatch):
    (tmp_path / "old.bidding").write_text("1N  15-17 hcp, balanced\n")
    write("1N  12-14 hcp, balanced\n", "middle.bidding")
    write("1S  5+ S\nwhen ours\n  also 7N  37+ hcp\n", base="middle.bidding")
    system = load_system(tmp_path / "new.bidding")
    general = [block.number for block in load_system(GENERAL_FILE).blocks]
    assert [block.source for block in system.blocks if block.source] == [(GENERAL_FILE, n) for n in general]
    numbers = [line.number for line in walk(system.lines)] + [n.number for b in system.blocks for n in b.lines]
    assert len(set(numbers)) == len(numbers)
    base = next(line for line in system.lines if line.name == "1N").number
    unsound = [((True, system.blocks[-1].lines[0].number), "a"), ((False, base), "b"), ((False, 3), "c")]
    monkeypatch.setattr("agents.systems.lint.audit_system", lambda *_: unsound)
    found = {f.text: (f.line, f.file) for f in sound_findings(tmp_path / "new.bidding")}
    last = system.blocks[-1].lines[0].source
    assert found == {"a": (last[1], str(GENERAL_FILE)), "b": (3, str(tmp_path / "middle.bidding")), "c": (3, "")}


def test_findings_name_the_file_of_their_line(write, tmp_path):
    (tmp_path / "old.bidding").write_text("1N  15-17 hcp, balanced\n  2N  9+ hcp\n    3N  15 hcp\n")
    write("1H  5+ H\n", "middle.bidding")
    found = check_system(write("1N  12-14 hcp, balanced\n", base="middle.bidding"))
    assert (3, str(tmp_path / "old.bidding")) in {(f.line, f.file) for f in found if "fits it" in f.text}


def test_lines_of_the_base_that_fit_no_hand_any_more(write, tmp_path):
    found = check_system(write("1N  12-14 hcp, balanced\n  2C  11+ hcp, 4 H or 4 S\n"))
    texts = {(finding.line, finding.file): finding.text for finding in found}
    old = str(tmp_path / "old.bidding")
    assert texts[7, old].endswith("fits it: it asks (17 hcp)")  # opener has 12 to 14
    assert texts[15, old].endswith("fits it: it asks (16+ hcp)")
    assert not any(finding.fault for finding in found)
    assert check_system(write("")) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2S  6 H, 0-3 S or 5-10 hcp, 6 S, 0-3 H\n", "(6 H) and (0-3 S or 5-10 hcp) and (6 S) and (0-3 H)"),
        ("2S  15 H\n", "no hand fits this line, which reads (15 H)"),
        ("2S  5-10 hcp, 12+ hcp\n", "(5-10 hcp) and (12+ hcp)"),
        ("2S  5+ S, 5+ H, 5+ D or 3+ C\n", None),
        ("2x  5+ x, 0-4 S, x > S, 6+ S\n", "no hand fits this line"),
        ("2S  4 S, H > S, D > S\n", "no hand fits this line"),
        ("1N  15-17 hcp\n  2C  0-40 hcp\n    2D  18+ hcp\n", "has called as this line's auction says fits it"),
        ("1N  15-17 hcp\n  2C  8+ hcp\n    2D  4 H\n      3N  0-7 hcp\n", "says fits it: it asks (0-7 hcp)"),
        ("1N  15-17 hcp\n  2C  8+ hcp\n    2D  17 hcp\n      3N  9 hcp\n", None),
        ("1N  15-17 hcp\n(1H)\n  1N  15-18 hcp\n    (2H)\n      X  9+ hcp\n", None),
        ("when ours\n  X  5+ hcp, 0-3 points\n", "no hand fits this line"),
        ("1C  12+ hcp, 1+ stopper:H, 0 top3:H\n", None),  # not known by points and lengths
    ],
)
def test_lines_that_no_hand_fits(text, says):
    found = [finding for finding in check_text(text) if "fits" in finding.text]
    assert [says in finding.text and not finding.fault for finding in found] == ([True] if says else [])
