"""PBN: round trips, bad boards among good ones, files of other programs; and ``bridge-env read`` of both forms."""

import gzip
import io
import zipfile
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.bidders import calls
from support.boards import BOARD, DEAL, GAME, played_board, random_board
from support.places import SHARED

from bridge_env.hands.deals import deal_text
from bridge_env.records.board import ReadResult
from bridge_env.records.lin import read_lin
from bridge_env.records.lin_writer import write_lin
from bridge_env.records.links import board_of_link
from bridge_env.records.pbn import Board, board_text, read_boards, write_boards
from bridge_env.records.read import read_records, report
from bridge_env.rules.calls import Contract
from bridge_env.rules.cards import CARD_NUMBERS
from training.cli.app import main


def read(text):
    return read_boards(io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text))


def cards(text):
    return tuple(CARD_NUMBERS[word] for word in text.split())


def only(text):
    result = read(text)
    assert [str(p) for p in result.problems] == []
    assert len(result.boards) == 1
    return result.boards[0]


def problem(text):
    result = read(text)
    assert result.boards == []
    assert len(result.problems) == 1
    return result.problems[0].line, result.problems[0].reason


def test_a_clean_board():
    board = only(GAME)
    assert deal_text(board.owner) == DEAL
    assert (board.number, board.dealer, board.vulnerability, board.line) == (1, 0, 0, 1)
    assert board.auction == calls("P P 1S 1NT P 2D P 2H P 2NT P P P")
    assert board.contract == Contract.parse("2NT W")
    assert board.tricks == 8
    assert board.play == cards("SJ S9 S2 SK DQ D5 D2 DK")
    assert board.tags == {"Event": "A match", "West": 'Doe, "J"'}
    assert board.sections == {}
    with pytest.raises(ValueError):
        board.owner[0] = 1


def test_the_export_format():
    board = only(GAME)
    assert board_text(board) == (
        '[Event "A match"]\n[Site ""]\n[Date ""]\n[Board "1"]\n[West "Doe, \\"J\\""]\n[North ""]\n[East ""]\n'
        '[South ""]\n[Dealer "N"]\n[Vulnerable "None"]\n'
        f'[Deal "{DEAL}"]\n'
        '[Scoring ""]\n[Declarer "W"]\n[Contract "2NT"]\n[Result "8"]\n'
        '[Auction "N"]\nPass Pass 1S 1NT\nPass 2D Pass 2H\nPass 2NT Pass Pass\nPass\n'
        '[Play "N"]\nSJ S9 S2 SK\nD5 D2 DK DQ\n*\n'
    )


def test_a_deal_alone_takes_dealer_and_vulnerability_from_its_number():
    board = only(f'[Board "7"]\n[Deal "{DEAL}"]\n')
    assert (board.dealer, board.vulnerability) == (2, 3)
    assert (board.auction, board.contract, board.tricks, board.play) == (None, None, None, None)
    board = only(f'[Board "7"]\n[Dealer "?"]\n[Vulnerable ""]\n[Deal "{DEAL}"]\n[Auction "E"]\nP P P P\n')
    assert (board.dealer, board.vulnerability, board.contract) == (1, 3, Contract(-1))
    unknown = read(f'[Board "A"]\n[Vulnerable "All"]\n[Deal "{DEAL}"]\n[Auction "?"]\nAP\n')
    assert [(b.dealer, b.tags) for b in unknown.boards] == [(0, {"Board": "A"})]
    assert [p.kind for p in unknown.problems] == ["dealer by place"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("1NT AP", "1NT P P P"),
        ("AP", "P P P P"),
        ("P P P AP", "P P P P"),
        ("1NT P AP", "1NT P P P"),
        ("1C =1= X! 1H $2 2D?? ; a comment\n4H* {of\nmany 7NT\n\nlines} - P -- D", None),
        ("1C=1= X! 1H$2 2D??\n4H* { of\n\nmany 7NT lines } P P P", "1C X 1H 2D 4H P P P"),
        ("1C dbl RDBL p 1n ap", "1C X XX P 1NT P P P"),
        ("% 7NT\n1S pass 2s Pass\n% PBN\nPass PASS", "1S P 2S P P P"),
        ("1S ^I 2S\nP *", "1S 2S P"),
        ("1S 2S +\n", "1S 2S"),
        ("1S 2S - -", "1S 2S"),
        ("1S 2S -\n- -\n*", "1S 2S"),
        ("*", None),
    ],
)
def test_auction_words(rows, expected):
    text = f'[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{DEAL}"]\n[Auction "S"]\n{rows}\n'
    if expected is None and rows != "*":
        assert "P after a call that is left out" in problem(text)[1]
    else:
        assert only(text).auction == (calls(expected) if expected else None)


def test_rows_may_start_left_of_the_dealer():
    text = f'[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{DEAL}"]\n[Auction "W"]\n- - - 1S\nP P P\n'
    assert only(text).auction == calls("1S P P P")
    assert problem(text.replace("- - -", "- -")) == (4, "the auction starts with E, but S is the dealer")


@pytest.mark.parametrize(
    ("contract", "declarer", "result", "expected", "tricks"),
    [
        ("4SX", "n", "9", "4SX N", 9),
        ("3N", "^W", "^10", "3NT W", 10),
        ("Pass", "", "", "Pass", None),
        ("PASS", "?", "0", "Pass", None),
        ("AP", "", "", "Pass", None),
        ("?", "?", "?", None, None),
        ("4H", "E", "EW 9", "4H E", 9),
        ("4H", "E", "NS 4", "4H E", 9),
        ("4H", "E", "NS 4 EW 9", "4H E", 9),
    ],
)
def test_contract_and_result(contract, declarer, result, expected, tricks):
    tags = f'[Contract "{contract}"]\n[Declarer "{declarer}"]\n[Result "{result}"]\n'
    board = only(f'[Board "1"]\n[Deal "{DEAL}"]\n{tags}')
    assert (str(board.contract) if board.contract else None) == expected
    assert board.tricks == tricks
    assert board.tags == {}
    assert read(board_text(board)).boards == [board]


def test_play_rows():
    rows = 'SJ =1= s9 S2! SK\n- ^R - - D3\n+\n[Note "1:x"]\n'
    board = only(f'[Board "1"]\n[Deal "{DEAL}"]\n[Contract "2NT"]\n[Declarer "W"]\n[Play "N"]\n{rows}')
    assert board.play == cards("SJ S9 S2 SK D3")
    unknown = read(f'[Board "1"]\n[Deal "{DEAL}"]\n[Play "N"]\n{rows}')
    assert [p.reason for p in unknown.problems] == ["play: the contract is not known"]
    assert unknown.boards[0].play is None


def test_sections_and_notes():
    table = '[ScoreTable "Declarer;Denomination\\2R;Result\\2R"]\nN NT 5\nN  S 7\n'
    board = only(f'[Board "1"]\n[Deal "{DEAL}"]\n[Auction "N"]\n1C =1= P\n[Note "1:strong"]\nP P\n{table}')
    assert (board.auction, board.notes) == (calls("1C P P P"), {0: "strong"})
    assert board.sections == {"ScoreTable": ("Declarer;Denomination\\2R;Result\\2R", "N NT 5", "N  S 7")}
    assert table in board_text(board)


def test_inherited_values():
    text = (
        f'[Event "##Cup"]\n[Site "Here"]\n[Board "1"]\n[Deal "{DEAL}"]\n\n'
        '[Site "#"]\n[Board "#"]\n[Deal "#"]\n[Room "#"]\n\n'
        f'[Event "Final"]\n[Board "3"]\n[Deal "{DEAL}"]\n\n'
        f'[Board "4"]\n[Deal "{DEAL}"]\n'
    )
    boards = read(text).boards
    assert [b.number for b in boards] == [1, 1, 3, 4]
    assert [b.tags for b in boards] == [
        {"Event": "Cup", "Site": "Here"},
        {"Event": "Cup", "Site": "Here"},
        {"Event": "Final"},
        {"Event": "Final"},
    ]
    assert boards[0].owner.tolist() == boards[1].owner.tolist()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_and_encodings(newline):
    text = ("\ufeff% PBN 2.1\n" + GAME.replace("A match", "Málaga")).replace("\n", newline)
    for data in (text.encode(), text.removeprefix("\ufeff").encode("latin-1")):
        for packed in (data, gzip.compress(data), gzip.compress(data[:40]) + gzip.compress(data[40:]), data + b"\x1a"):
            board = only(packed)
            assert (board.tags["Event"], board.line) == ("Málaga", 2)
    text = GAME.replace("A match", "Łódź € “open”")
    data = GAME.replace("A match", "Málaga € “open”").encode("cp1252")
    both = read(data + b"\n" + text.encode()).boards  # two files in one: every line by itself
    assert [b.tags["Event"] for b in both] == ["Málaga € “open”", "Łódź € “open”"]
    assert only(data.replace(b"open", b"\x81")).tags["Event"].startswith("Málaga")


def test_notes_of_calls():
    rows = '1NT =1= X =3= =2= P\n=2= AP\n[Note "1:12-14"]\n[Note "2:a \\"b\\""]\n'
    board = only(f'[Board "1"]\n[Deal "{DEAL}"]\n[Auction "N"]\n{rows}[Play "E"]\nS9 =1=\n[Note "3:low"]\n')
    assert board.notes == {0: "12-14", 1: 'a "b"', 2: 'a "b"'}
    assert read(board_text(board)).boards == [board]


@pytest.mark.parametrize(
    "changed",
    [
        *(GAME.replace(before, "\n" + before) for before in ("[Deal", "[Declarer", "[Auction", "[Play")),
        GAME.replace("[Declarer", "{ as\n\nwe see }\n% off\n;\n[Declarer"),
    ],
)
def test_blank_lines_and_comments_inside_a_game_do_not_end_it(changed):
    assert only(changed) == only(GAME)
    assert [b.number for b in read(changed + GAME.replace('Board "1"', 'Board "2"')).boards] == [1, 2]


@pytest.mark.parametrize("event", ["A {match}; % here", 'The "big" one'])
def test_comment_signs_and_quotes_inside_a_tag(event):
    assert only(GAME.replace("A match", event)).tags["Event"] == event


UNPLAYED = GAME[: GAME.index("[Play")]
BAD = [
    (GAME.replace("J8.Q965", "98.Q965"), 6, "has S9 in two hands"),
    (GAME.replace("J8.Q965", "8.Q965").replace("9.KJ872", ".KJ872"), 6, "has 12 cards"),
    (GAME.replace(f'[Deal "{DEAL}"]\n', ""), 1, "no deal"),
    (GAME.replace(DEAL, "N:- - - -"), 6, "has no hand"),
    (GAME.replace("Pass 2H", "Pass 1H"), 10, "1H is not legal after N: Pass Pass 1S 1NT Pass 2D Pass"),
    (GAME.replace("Pass 2D Pass 2H", "Pass 2D Pass 8H"), 12, "'8H' is not a call"),
    (GAME.replace("2NT Pass Pass\nPass", "2NT Pass Pass\nPass 3C P P P P"), 10, "it goes on after it has ended"),
    (UNPLAYED.replace('on "N"', 'on "S"').replace('[Declarer "W"]', ""), 10, "starts with S, but N is the dealer"),
    (GAME.replace('Contract "2NT"', 'Contract "3NT"'), 8, "the auction ends in 2NT W, the tags say 3NT W"),
    (GAME.replace('[Event "A match"]', '[Event A "match"'), None, "not a tag"),
    (GAME.replace("Pass 2D", "1NT Pass " * 400 + "Pass 2D"), 10, "1NT is not legal"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "line", "reason"), BAD)
def test_a_bad_board_in_the_middle_is_reported_and_the_others_are_read(bad, line, reason, tmp_path):
    path = tmp_path / "some.pbn"
    third = GAME.replace('Board "1"', 'Board "3"')
    path.write_text(GAME + "\n" + bad.replace('Board "1"', 'Board "2"') + "\n" + third)
    result = read_boards(path)
    offset = GAME.count("\n") + 1
    assert [p.file for p in result.problems] == [str(path)]
    assert reason in result.problems[0].reason
    if line is None:  # a broken first tag costs itself alone
        assert [b.number for b in result.boards] == [1, 2, 3]
    else:
        assert [b.number for b in result.boards] == [1, 3]
        assert result.problems[0].line == offset + line
        assert str(result.problems[0]).startswith(f"{path}:{offset + line}: ")


def test_a_comment_that_is_never_closed_loses_no_board():
    opened = GAME.replace("[Declarer", "{ oops\n[Declarer")
    for game in (GAME, GAME.replace("[Declarer", "{fine}\n[Declarer")):
        assert read(opened + "\n" + game).boards == [only(GAME)] * 2


def test_text_that_is_no_pbn():
    assert read("").boards == []
    assert read("% PBN 2.1\n\n; nothing\n").problems == []
    result = read("hello\nworld\n\n" + GAME + "\nthe end\n")
    assert len(result.boards) == 1
    assert [p.line for p in result.problems] == [1, 4 + GAME.count("\n") + 1]
    assert read(bytes(range(256)) * 20).boards == []
    assert len(read('[Note "1:x"]\nrow\n' + GAME).boards) == 1


def test_a_gzip_file_that_is_cut_short_is_reported():
    result = read(gzip.compress(GAME.encode())[:-20])
    assert result.boards == []
    assert "cut short" in result.problems[0].reason


def test_a_zip_archive_is_named():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a.pbn", GAME)
    result = read(archive.getvalue())
    assert result.boards == []
    assert [problem.reason for problem in result.problems] == [
        "this is a zip archive: unpack it, and read the files in it"
    ]


VALUES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\x1a\0"), min_size=1, max_size=20
).filter(lambda value: value != "#" and not value.startswith("##"))
TAGS = st.dictionaries(st.sampled_from(["Event", "West", "Room", "Zeta", "BidSystemNS"]), VALUES)


@given(st.lists(st.tuples(st.integers(0, 10**6), TAGS), max_size=4))
@settings(max_examples=30)
def test_written_boards_read_the_same(drawn):
    boards = [random_board(seed, tags) for seed, tags in drawn]
    stream = io.StringIO()
    write_boards(stream, boards)
    result = read(stream.getvalue())
    assert (result.boards, result.problems) == (boards, [])
    assert all(board != other for board, other in pairwise(boards) if board.number != other.number)
    again = io.StringIO()
    write_boards(again, result.boards)
    assert again.getvalue() == stream.getvalue()


@pytest.mark.parametrize("name", ["a.pbn", "a.pbn.gz", "a.lin", "a.lin.gz"])
def test_writing_to_a_path(name, tmp_path):
    pbn = ".pbn" in name
    boards = [random_board(seed, {"Event": "Málaga"}) if pbn else played_board(seed) for seed in range(20)]
    (write_boards if pbn else write_lin)(tmp_path / name, boards)
    assert read_records(str(tmp_path / name)).boards == boards
    assert ((tmp_path / name).read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")


def test_values_that_pbn_cannot_hold_are_written_without_it():
    board = Board(random_board(1, {}).owner, 0, 0, tags={"Event": "##a\nb"}, auction=(3,), notes={0: "a\nb", 5: "x"})
    again = only(board_text(board))
    assert (again.tags, again.notes) == ({"Event": "a b"}, {0: "a b"})


needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")


@needs_shared
@pytest.mark.parametrize(
    ("name", "boards", "problems"),
    [
        (
            "championships/pbn_bb_bb-1991.pbn",
            164,
            12,
        ),  # eleven boards without their cards, another declarer than the auction's
        ("clubs_and_trials/1999-OKbridge_Tournament_OKB_v20.pbn", 26, 0),
        (
            "clubs_and_trials/singles_1970-SPRING_NABC_Open_Pairs-1st_Final.pbn",
            26,
            1,
        ),  # a score that is not the contract's
        ("bba_conventions/Boards_BBA_Gambling.pbn", 54, 54),
    ],
)
def test_files_of_other_programs(name, boards, problems):
    result = read_boards(SHARED / name)
    assert (len(result.boards), len(result.problems)) == (boards, problems)
    stream = io.StringIO()
    write_boards(stream, result.boards)
    assert read(stream.getvalue()).boards == result.boards


def together(*paths):
    results = [read_records(path) for path in paths]
    return ReadResult([b for result in results for b in result.boards], [p for r in results for p in r.problems])


@pytest.fixture
def records(tmp_path):
    pbn, lin = tmp_path / "a.pbn", tmp_path / "b.LIN.gz"
    bad = (
        GAME.replace("2NT Pass", "1C Pass"),
        GAME.replace("J8.", "8.").replace("9.KJ", ".KJ"),
        GAME.replace(f'[Deal "{DEAL}"]\n', "").replace('d "1"', 'd "2"'),
    )
    alone = f'[Board "3"]\n[Deal "{DEAL}"]\n'
    pbn.write_text("\n".join([GAME, *bad, alone]) + "\nthe end\n")
    lin.write_bytes(gzip.compress((BOARD + BOARD.replace("1D", "1C")).encode()))
    return pbn, lin


def test_the_report_counts_boards_and_reasons(records):
    pbn, lin = records
    assert report(together(pbn, lin)) == (
        "4 boards read, 3 of them with an auction; 3 left out\n"
        f"  1 illegal call, such as {pbn}:29: auction: 1C is not legal after N: Pass Pass 1S 1NT Pass 2D Pass 2H Pass\n"
        f"  1 no deal, such as {pbn}:58: the board has no deal\n"
        f"  1 not 52 distinct cards, such as {pbn}:44: hand '8.Q965.A954.985' has 12 cards, not 13\n"
        f"  1 text outside of boards, such as {pbn}:79: text outside of any game: 'the end'"
    )


def test_reading_at_the_command_line(records, tmp_path, capsys):
    pbn, lin = (str(path) for path in records)
    assert main(["read", pbn, lin]) == 0
    assert "4 boards read, 3 of them with an auction" in capsys.readouterr().out
    for name, read in (("out.pbn.gz", read_boards), ("out.lin", read_lin)):
        out = tmp_path / name
        assert main(["read", lin, "--out", str(out), "--links"]) == 0
        link, *_, last = capsys.readouterr().out.splitlines()
        assert last == f"{out}: 2 boards"
        boards = read_records(lin).boards
        assert read(out).boards == boards
        assert board_of_link(link) == boards[0]
    assert main(["read", "--problems", pbn]) == 0
    assert f"{pbn}:58: the board has no deal\n" in capsys.readouterr().out
    assert main(["read", str(tmp_path / "none.pbn")]) == 2
    assert "No such file" in capsys.readouterr().err
