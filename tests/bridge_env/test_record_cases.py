"""Records as people have them: small files of other programs with their right values, and more of each kind."""

import io
import re
from urllib.parse import quote

import pytest
from support.bidders import calls
from support.boards import BOARD, DEAL, GAME, HANDS
from support.places import DATA

from bridge_env.double_dummy import builtin_library
from bridge_env.hands.deals import deal_text
from bridge_env.records.board import Board
from bridge_env.records.derive import board_number
from bridge_env.records.lin_writer import lin_losses, lin_text
from bridge_env.records.pbn import board_text
from bridge_env.records.read import read_records, read_text
from bridge_env.records.tables import check_tables, read_digits, table_rows

FOLDER = DATA / "records"
DEALT = f'[Board "1"]\n[Deal "{DEAL}"]\n'
PLAYED_OUT = (FOLDER / "09-result-against-the-play.pbn").read_text()


def case(name):
    """Return the boards of a file, and its problems without their reasons' details."""
    result = read_records(next(FOLDER.glob(f"{name}-*")))
    assert all(f"{name}-" in problem.file and problem.line > 0 for problem in result.problems)
    return result.boards, [problem.reason for problem in result.problems]


def only(text):
    """Return the one board of a text and the reasons of its problems, after a round trip that loses nothing."""
    result = read_text(text)
    (board,) = result.boards
    assert read_text(board_text(board)).boards == [board]
    return board, [problem.reason for problem in result.problems]


def kinds(result):
    return [problem.kind for problem in result.problems]


@pytest.mark.parametrize(("name", "tricks"), [("01", 11), ("01b", 13), ("18", 11)])
def test_the_result_of_a_play_to_the_end_follows_from_it(name, tricks):
    (board,), problems = case(name)
    assert (board.tricks, len(board.play), problems) == (tricks, 52, [])
    assert f'[Result "{tricks}"]' in board_text(board)


def test_a_second_table_is_of_the_board_before():
    boards, (problem,) = case("02")
    assert [(b.number, b.dealer, b.vulnerability, b.line) for b in boards] == [(62, 1, 0, 2), (62, 1, 0, 18)]
    assert (boards[0].owner == boards[1].owner).all()
    assert [str(b.contract) for b in boards] == ["6C N", "6SX E"]
    assert boards[1].tags["West"] == "E"
    assert problem == "Board, Dealer, Vulnerable, Deal, Event of the game before, which this one leaves out"


def test_opening_passes_are_put_in_front():
    (board,), problems = case("03")
    assert board.auction[:3] == calls("P 1C 1H")
    assert (str(board.contract), board.tricks) == ("6NT W", 12)
    assert problems == ["auction: 1 opening pass put in front, so that W is the declarer"]


def test_a_deal_alone_is_that_of_its_place():
    (board,), problems = case("04")
    assert (board.number, board.dealer, board.vulnerability) == (None, 0, 0)
    assert len(problems) == 2
    two = read_text((FOLDER / "04-deal-only.pbn").read_text() * 2).boards
    assert [(b.dealer, b.vulnerability) for b in two] == [(0, 0), (1, 1)]


def test_the_number_is_the_files():
    assert [b.number for b in case("06")[0]] == [1]
    boards, problems = case("07")
    assert [(b.number, b.tags["Room"], b.line) for b in boards] == [(46, "Open", 2), (46, "Closed", 3)]
    assert problems == []


def test_a_result_against_the_play_is_named():
    (board,), problems = case("09")
    assert board.tricks == 9
    assert problems == ["the result is 9, but in the play declarer takes 13 tricks"]


def test_half_a_mark_costs_the_mark():
    (board,), problems = case("14")
    assert board.auction == calls("1NT P 2C P 3D P 4NT P 5C P 7S P P P")
    assert board.notes == {8: ""}
    assert problems == [
        "auction: '=1' behind 5C is half a mark of a note",
        "the note '0: Alert.' has no mark in the auction",
    ]


def test_without_sv_nobody_is_vulnerable():
    (board,), problems = case("15")
    assert (board.vulnerability, str(board.contract)) == (0, "1C N")
    assert problems == ["no sv and no board number: nobody is vulnerable"]


def test_a_card_that_is_not_known_ends_the_play():
    (board,), problems = case("16")
    assert (len(board.play), board.tricks, problems) == (9, 11, [])


@pytest.mark.parametrize(
    ("old", "new", "tricks", "reason"),
    [
        ('[Result "9"]', '[Result "13"]\n[Score "NS 1510"]', 13, None),
        ('[Result "9"]', '[Result "13"]\n[Score "EW -1510"]', 13, None),
        ('[Result "9"]', '[Score "1510"]', 13, None),
        ('[Result "9"]', '[Result "13"]\n[Score "NS 420"]', 13, "the score is 420, which is not that of 7S N with 13"),
        ('[Result "9"]', '[Result "13"]\n[Scoring "Rubber"]\n[Score "NS 420"]', 13, None),
        (PLAYED_OUT[PLAYED_OUT.index("H2 DA") :], "*\n", 9, "the result is 9, but in the play declarer takes 13"),
        (PLAYED_OUT[PLAYED_OUT.index("H4 DQ") :], "*\n", 9, "in the play declarer takes 10 of 10 tricks"),
        ('[Result "9"]', '[Result "+1"]', None, "'+1' is not a number of tricks"),
        ('[Result "9"]', '[Result "="]', 13, None),
        ('[Result "9"]', '[Result "7S="]', 13, None),
        ('[Result "9"]', '[Result "N 13"]', 13, None),
        ('[Result "9"]', '[Result "NS 13; EW 0"]\n[Score "NS 1510;EW -1510"]', 13, None),
        ('[Result "9"]', '[Result "-"]', 13, None),
        ('[Result "9"]', '[Result "*"]\n[Score "N 1520"]', 13, "the score is 1520, which is not that of 7S N"),
    ],
)
def test_results_scores_and_plays_agree_or_are_named(old, new, tricks, reason):
    assert old in PLAYED_OUT
    board, problems = only(PLAYED_OUT.replace(old, new))
    if tricks is not None:
        assert board.tricks == tricks
    assert [reason in problem for problem in problems] == ([] if reason is None else [True])


def test_a_claim_against_the_play_of_lin_is_named():
    text = (FOLDER / "01-lin-played-out-no-mc.lin").read_text().rstrip()
    board, problems = only(text + "mc|9|")
    assert (board.tricks, problems) == (9, ["the result is 9, but in the play declarer takes 11 tricks"])
    board, problems = only(f"md|3{HANDS}|ah|1|sv|o|mb|pppp|mc|7|")
    assert (board.tricks, problems) == (None, ["the result is 7, but the board is passed out"])


AFTER_5 = "play: cards follow one that is missing, after 5 cards; those are left out"
HAND = "J8.Q965.A954.985"


@pytest.mark.parametrize(
    "deal",
    [
        DEAL.replace(HAND, "-"), DEAL.replace(HAND, "..."), DEAL.replace(HAND, "\u2013"), DEAL.rpartition(" ")[0],
        DEAL.replace(HAND, "-.-.-.-"), DEAL.lower().replace("t", "10"),
    ],
)  # fmt: skip
def test_the_fourth_hand_follows_from_three(deal):
    board, problems = only(f'[Board "1"]\n[Deal "{deal}"]\n')
    assert (deal_text(board.owner), problems) == (DEAL, [])


@pytest.mark.parametrize("void", ["-", "--", "---", "\u2013", "\u2014", "void"])
def test_voids_are_written_in_many_ways(void):
    text = (FOLDER / "04-deal-only.pbn").read_text()
    assert ".AJT42..AQT" in text
    assert read_text(text.replace("..", f".{void}.")).boards == read_text(text).boards
    lin = BOARD.replace("S752HDK", f"S752H{void}DK") if void != "void" else BOARD
    assert read_text(lin).boards == read_text(BOARD).boards


@pytest.mark.parametrize(
    ("name", "number"),
    [("01", 1), ("007", 7), ("#3", 3), ("Board 12", 12), ("Bd.4", 4), ("board16", 16), ("Spiel 5", 5), ("0", None),
     ("A12", None), ("1-2", None), ("", None), ("1.", 1), ("Board No. 5", 5), ("Donne n° 7", 7), ("3 of 24", 3),
     ("Board 8, Table 2", 8), ("Board 3 (Closed)", 3), ("Session 2, Board 7", 7),
     ("Board 7 Love All", 7), ("3/24", 3), ("Nr5", 5), ("Deal12", 12),
     ("Segment 1/Board 5", 5), ("Board+7", 7)],
)  # fmt: skip
def test_board_numbers(name, number):
    assert board_number(name) == number
    assert read_text(f'[Board "{name}"]\n[Deal "{DEAL}"]\n').boards[0].number == number
    if not name.startswith("A"):
        assert read_text(BOARD.replace("Board 7", name)).boards[0].number == number


def test_words_behind_a_number_are_named():
    for text in (f'[Board "8, Table 2"]\n[Deal "{DEAL}"]\n', BOARD.replace("Board 7", "Board 8, Table 2")):
        assert [p.reason for p in read_text(text).problems] == ["board: ', Table 2' behind the number is not read"]


@pytest.mark.parametrize(("fourth", "reason"), [("ST", "1 cards"), ("SK3HAJT543DT86C64", "C4 in two hands")])
def test_a_fourth_hand_that_cannot_be_is_mended_by_three(fourth, reason):
    board, problems = only(BOARD.replace(HANDS, HANDS + fourth))
    assert (board, len(problems)) == (only(BOARD)[0], 1)
    assert reason in problems[0]
    assert problems[0].endswith("; the hand of E follows from the other three")


@pytest.mark.parametrize(("names", "read"), [("a", "a"), ("a,b,c", "abc"), ("a,b,c,d,", "abcd"), ("a,b,c,d,e", "abcd")])
def test_names_of_lin(names, read):
    board, problems = only(BOARD.replace("Sue,Wes,Nan,Ed", names))
    assert "".join(board.tags.values()) == read
    assert problems == ["pn has 5 names, of which the first four are read"] * names.endswith("e")


@pytest.mark.parametrize(
    ("room", "number", "name"), [("1", 1, None), ("o003", 3, "Open"), ("Closed 3", 3, "Closed"), ("o-1,x", 1, "Open")]
)
def test_rooms_of_lin(room, number, name):
    board, problems = only(f"qx|{room}|" + BOARD.replace("ah|Board 7|", ""))
    assert (board.number, board.tags.get("Room"), problems) == (number, name, [])


def test_the_declarer_follows_from_the_lead():
    played = GAME[GAME.index("[Play") :]
    board, problems = only(f'{DEALT}[Contract "2NT"]\n{played}')
    assert (str(board.contract), len(board.play), problems) == ("2NT W", 8, [])


ROWS, PLAY = "Pass 2NT Pass Pass\nPass", "SJ S9 S2 SK\nD5 D2 DK DQ"
BY_HOLDERS = "play: its columns are no seats, so each card is of the hand that holds it"
SOUTH = "the auction starts with S, but N is the dealer; by the declarer, "
FROM_SOUTH = {'[Auction "N"]': '[Auction "S"]'}
LATER = {"Pass Pass 1S 1NT": "1S 1NT"}
MENDED = [
    ({ROWS: f"{ROWS} Pass =1= Pass"}, "auction: 2 further passes behind its end left out"),
    ({ROWS: "Pass 2NT"}, "auction: 3 closing passes put at the end, which the file leaves out"),
    (
        {'[Dealer "N"]': '[Dealer "E"]'},
        "the auction starts with N, but E is the dealer; by the declarer, N is the dealer",
    ),
    (LATER | FROM_SOUTH, SOUTH + "2 opening passes put in front"),
    ({"Pass Pass 1S": "Pass Pass Pass 1S"}, "auction: 1 opening pass left out, so that W is the declarer"),
    (FROM_SOUTH, SOUTH + "the dealer counts"),
    (FROM_SOUTH | {'[Declarer "W"]\n': ""}, SOUTH + "the dealer counts"),
    ({'[Declarer "W"]': '[Declarer "?"]', '[Contract "2NT"]': '[Contract ""]'}, ""),
    (
        {'[Declarer "W"]': '[Declarer "E"]'},
        "the auction ends in 2NT W, the tags say 2NT E; N leads, so the auction counts",
    ),
    ({'[Contract "2NT"]': '[Contract "2NTX"]'}, "the auction ends in 2NT W, the tags say 2NTX W; the auction counts"),
    (LATER | {'[Contract "2NT"]\n': ""}, "auction: 2 opening passes put in front, so that W is the declarer"),
    ({'[Result "8"]': '[Result ""]\n[Result "8"]', "[Dealer": '[Dealer "?"]\n[Dealer'}, ""),  # values before empty ones
    ({PLAY: "SK SJ S9 S2\nDQ D5 D2 DK"}, "play: N leads against 2NT W, so the columns begin with W"),
    ({PLAY: "SJ S9 S2 SK DQ D5 D2 DK"}, BY_HOLDERS),
    ({PLAY: "SJ S9 S2 SK\nDQ D5 D2 DK"}, BY_HOLDERS),
    ({PLAY: "SJ\nS9\nS2\nSK\nDQ\nD5\nD2\nDK"}, BY_HOLDERS),
    ({PLAY: "1. SJ S9 S2 SK\n2. D5 D2 DK DQ"}, ""),
    ({PLAY: "Trick 1: SJ S9 S2 SK\nTrick 2: D5 D2 DK *DQ"}, ""),
    ({PLAY: "JS 9S 2S KS\n5D 2D KD QD"}, ""),
    ({PLAY: "SJ,S9,S2,SK\nD5,D2,DK,DQ"}, ""),
    ({PLAY: "N E S W\nSJ-S9-S2-SK\nD5D2DKDQ"}, ""),
]


@pytest.mark.parametrize(("changes", "named"), MENDED)
def test_what_can_be_mended_is_read_as_it_was_meant(changes, named):
    text = GAME
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    board, problems = only(text)
    assert board == only(GAME)[0]
    assert problems == [named] * bool(named)


def test_the_number_decides_between_dealer_and_auction():
    text = GAME.replace('[Declarer "W"]\n', "").replace('[Auction "N"]', '[Auction "S"]')
    board, problems = only(text[: text.index("[Play")].replace('Board "1"', 'Board "3"'))
    assert (board.dealer, str(board.contract)) == (2, "2NT E")
    assert problems == ["the auction starts with S, but N is the dealer; by the board's number, S is the dealer"]


@pytest.mark.parametrize("number", ['[Board "2"]\n', ""])
def test_the_declarer_decides_on_a_dealer_that_the_file_does_not_name(number):
    unnamed = GAME.replace('[Dealer "N"]\n', "").replace('[Auction "N"]', '[Auction ""]')
    board, problems = only(number + "[Deal" + unnamed.split("[Deal")[1])
    assert (board.dealer, str(board.contract)) == (0, "2NT W")
    assert ("auction: N is the dealer, so that W is the declarer" in problems) == bool(number)


def test_closing_passes_of_lin_are_put_in():
    board, problems = only(BOARD + "pc|H5|pc|H7|")
    assert board.auction[-3:] == (0, 0, 0)
    assert problems == ["auction: 3 closing passes put at the end, which the file leaves out"]


def test_opening_passes_of_lin_follow_from_the_lead():
    full = f"md|1{HANDS}|sv|o|mb|p|mb|p|mb|1D|mb|p|mb|p|mb|p|pc|H5|pc|H7|"
    board, _ = only(full)
    assert str(board.contract) == "1D N"
    again, problems = only(full.replace("mb|p|mb|p|mb|1D", "mb|1D"))
    assert again == board
    assert problems == ["auction: 2 opening passes put in front, so that N is the declarer"]
    result = read_text(
        f"vg|Cup,1,I,1,1,A,0,B,0|rs|1DN=,|qx|o1|{full[: full.index('pc|')]}".replace("mb|p|mb|p|mb|1D", "mb|1D")
    )
    assert [(board.auction, board.tricks) for board in result.boards] == [(again.auction, 7)]
    assert [problem.reason for problem in result.problems] == problems


def test_another_table_may_come_later_or_behind_no_blank_line():
    first, second = (FOLDER / "02-second-table-without-deal.pbn").read_text().split("\n\n")
    other = first.replace('"62"', '"63"')
    result = read_text(f'{first}\n\n{other}\n\n[Board "062"]\n{second}\n{second}')
    assert [board.number for board in result.boards] == [62, 63, 62, 62]
    assert [str(board.contract) for board in result.boards] == ["6C N", "6C N", "6SX E", "6SX E"]
    assert [problem.reason.split(" of ")[1] for problem in result.problems] == [
        "the game in line 2, which this one leaves out",
        "the game before, which this one leaves out",
    ]
    assert read_text(f'[Stage "Final"]\n{first}\n\n{second}').boards[1].tags["Stage"] == "Final"
    rooms = f'{DEALT}[Room "Open"]\n[Contract "4HN"]\n[Room "Closed"]\n[Contract "3HN"]\n'
    assert [str(board.contract) for board in read_text(rooms).boards] == ["4H N", "3H N"]
    assert len(read_text(f'{first}\n\n{other}\n\n[Event "Y"]\n[Board "62"]\n{second}').boards) == 2
    auction = "mb|1D|mb|p|mb|p|mb|p|"
    rooms = f"qx|o1|md|3{HANDS}|sv|o|{auction}qx|o2|md|4{HANDS}|sv|n|{auction}qx|c1|{auction}qx|c2|{auction}"
    assert [(b.number, str(b.contract)) for b in read_text(rooms).boards] == [
        (1, "1D N"),
        (2, "1D E"),
        (1, "1D N"),
        (2, "1D E"),
    ]
    assert len(read_text(rooms.replace("qx|c1", "vg|another,|qx|c1")).boards) == 2


@pytest.mark.parametrize(
    ("text", "numbers", "problems"),
    [
        (f"1. {DEAL}\n2. {DEAL}", [1, 2], 0),
        (f"7\t{DEAL}", [7], 0),
        (DEAL[2:], [None], 3),
        (f'[Deal "{DEAL[2:]}"]', [None], 3),
        (f'[board "4"]\n[deal "{DEAL}"]', [4], 0),
        (f'[Board "4"]\n[Deal "{DEAL.replace(" ", ",")}"]', [4], 0),
        (f"[Board '4']\n[Deal '{DEAL}']", [4], 2),
        (f"[Board \u201c4\u201d]\n[Deal \u201c{DEAL}\u201d]", [4], 0),
    ],
)
def test_deals_as_generators_write_them(text, numbers, problems):
    result = read_text(text)
    assert [(board.number, deal_text(board.owner)) for board in result.boards] == [(n, DEAL) for n in numbers]
    assert len(result.problems) == problems


@pytest.mark.parametrize(
    ("word", "call", "told"),
    [("1S=1", "1S", 1), ("1S=", "1S", 1), ("1S(5+)", "1S", 1), ("(1S)", "1S", 0), ("1\u2660", "1S", 0),
     ("1S:", "1S", 1), ("1S =2", "1S", 1), ("1S !!", "1S", 0), ("1S (natural)", "1S", 1), ("1S!1", "1S", 1),
     ("1S=1=2=", "1S", 1), ("1S 1)", "1S", 1), ("1S a)", "1S", 1), ("1S\u00b9", "1S", 1), ("1S Alert", "1S", 1),
     ("1S_", "1S", 1), ("1S=1=*", "1S", 0), ("1!s", "1S", 0), ("1@S", "1S", 0), ("1 S", "1S", 0), ("1 NT", "1NT", 0)],
)  # fmt: skip
def test_marks_behind_calls(word, call, told):
    board, problems = only(f'{DEALT}[Auction "N"]\n{word} ALL PASS\n')
    assert (board.auction, len(problems)) == (calls(f"{call} P P P"), told)
    lin = word.strip("()").replace("(5+", "=(5+)").replace("(nat", "=(nat").replace(" ", "")
    board, problems = only(f"md|3{HANDS}|ah|1|sv|o|mb|{lin}|mb|all pass|")
    assert board.auction == calls(f"{call} P P P")


def test_passes_and_notrump_of_other_languages():
    board, problems = only(f'{DEALT}[Auction "N"]\n1S -- 2SA Pas\nNB Passe\n')
    assert (board.auction, problems) == (calls("1S P 2NT P P P"), [])
    board, problems = only(f"md|3{HANDS}|ah|1|sv|o|mb|1S alert|mb|all pass|")
    assert (board.auction, problems) == (calls("1S P P P"), ["auction: 'ALERT' behind a call is not read"])


@pytest.mark.parametrize("unknown", ["-", "--", "?", "??", "...", "\u2014", "xx", "Dx", "**"])
def test_unknown_cards_of_a_play(unknown):
    board, problems = only(GAME.replace("D5 D2 DK DQ", f"{unknown} D2 {unknown} DQ"))
    assert (len(board.play), problems) == (5, [AFTER_5])
    board, problems = only(GAME.replace("D5 D2 DK DQ", f"{unknown} {unknown} {unknown} DQ"))
    assert (len(board.play), problems) == (5, [])
    board, problems = only(GAME.replace("SJ S9 S2 SK", f"SJ {unknown} {unknown} SK"))
    assert (len(board.play), len(problems)) == (1, 1)
    full, _ = only(PLAYED_OUT)
    assert only(PLAYED_OUT.replace("DJ CJ SJ", f"DJ {unknown} SJ"))[0] == full  # the card that is left


def test_a_card_that_is_left_out_in_lin_is_not_known():
    text = f"md|1{HANDS}|sv|o|mb|p|mb|p|mb|1D|mb|p|mb|p|mb|p|pc|H5!|pc|7H|pc||pc|H8|"
    board, problems = only(text)
    assert (len(board.play), problems) == (2, [AFTER_5.replace("5", "2")])


@pytest.mark.parametrize("more", ["pc||", "pc|??|pc| |", "sv||ah||pn|,,,|"])
def test_empty_values_of_lin_are_none(more):
    assert read_text(BOARD + more).boards == read_text(BOARD).boards


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ('"None"', '"Some"', "vulnerability"), ('[Dealer "N"]', '[Dealer "N"', "broken tag"),
        ('[Dealer "N"]', '[Dealer "Q"]', "dealer"), ('[Result "8"]', '[Result "14"]', "result"),
        ('[Contract "2NT"]', '[Contract "2NTY"]', "contract"), ('[Event "A match"]', "[Event A match]", "broken tag"),
        ("[Play", "[DC] is no tag\n[Play", "broken tag"), ("D5 D2 DK", "D5 D2 D1", "bad play"),
        ('[Declarer "W"]', '[Declarer "Z"]', "contract"),
    ],
)  # fmt: skip
def test_small_losses_cost_no_board(old, new, kind):
    result = read_text(GAME.replace(old, new))
    (board,) = result.boards
    assert (str(board.contract), board.dealer, board.vulnerability) == ("2NT W", 0, 0)
    assert kinds(result) == [kind]
    assert read_text(board_text(board)).boards == [board]


@pytest.mark.parametrize("words", ["N-S", "N/S", "NS vul", "North-South", "n", "N-Z", "Nord-Sud"])
def test_words_for_vulnerability(words):
    for tag in "Vulnerable", "Vulnerability", "Vul":
        assert only(f'{DEALT}[{tag} "{words}"]\n')[0].vulnerability == 1
    board, problems = only(BOARD.replace("sv|n|", f"sv|{words}|").replace("Board 7", "Board 8"))
    assert (board.vulnerability, problems) == (1, [])


def test_the_results_of_a_match_are_those_of_boards_without_an_auction():
    text = (
        f"vg|Cup,1,I,5,6,A,0,B,0|rs|3NN=,4SEx-1,,2HW+1|qx|o5|md|3{HANDS}|sv|o|qx|c5|md|3{HANDS}|sv|o|"
        f"qx|o6|md|4{HANDS}|sv|n|qx|c6|md|4{HANDS}|sv|n|mb|1H|mb|p|mb|p|mb|p|mc|7|"
    )
    result = read_text(text)
    assert [(b.number, str(b.contract), b.tricks) for b in result.boards] == [
        (5, "3NT N", 9), (5, "4SX E", 9), (6, "None", None), (6, "1H E", 7),
    ]  # fmt: skip
    assert [p.reason for p in result.problems] == [
        "the results of the match (rs) say 2HW+1, the board 1H E with 7 tricks"
    ]


def test_the_form_is_that_of_the_contents(tmp_path):
    link = "https://www.bridgebase.com/tools/handviewer.html?lin=" + BOARD.replace(" ", "+")
    for name, text, boards in (
        ("a.lin", GAME, 1), ("a.pbn", BOARD, 1), ("b", BOARD + BOARD, 2), ("c.txt", f"{link}\n{link}\n", 2),
        ("d.txt", f"{DEAL}\n{DEAL}\n", 2), ("e.lin", GAME.replace("A match", "md|x|"), 1),
        ("f.html", f'<p></p>\n<a href="{link.replace("?", "?bbo=y&amp;")}">1</a>, [2]({link})', 2),
        ("g.txt", f"Board 1: {link}\nBoard 2: {link}", 2), ("h.lin", quote(BOARD, safe=""), 1),
        ("i.html", GAME.replace("\\", "").replace('"', "&quot;"), 1),
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
        result = read_records(tmp_path / name)
        assert len(result.boards) == boards
        assert all(problem.kind.endswith("by place") for problem in result.problems)
    for text in (GAME, BOARD):
        for data in (text.encode("utf-16"), text.encode() + b"\0" * 9):
            assert read_records(io.BytesIO(data)) == read_text(text)
    assert read_text(BOARD.replace(HANDS, "AQJ8.KQ87.A7.KQ2,T964.962.932.T73,752..KQJ54.AJ984,")) == read_text(BOARD)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_signs_behind_percents(encoding):
    text = BOARD.replace("Sue", "Zoë")
    name, encoded = quote("Zoë", encoding=encoding), quote(text, safe="", encoding=encoding)
    link = f"https://www.bridgebase.com/tools/handviewer.html?lin={encoded}"
    safe = f"Look: https://safe.example/?url={quote(link, safe='')}&data=1"
    for again in (text.replace("Zoë", name), encoded, quote(encoded), link, link.replace("%", "%25"), safe):
        assert read_text(again).boards == read_text(text).boards
    assert read_text(text.replace("strong", "20%BA, strong")).boards[0].notes[2].startswith("20%BA")


@pytest.fixture
def solved():
    library = builtin_library()
    return Board(library.owners([5])[0], 0, 0, 1, table=library.tricks_at([5])[0])


def test_tables_of_both_forms(solved):
    text = board_text(solved)
    assert "[OptimumResultTable" in text
    assert read_text(text).boards == [solved]
    order = [solved.table[seat, strain] for seat in (0, 2, 1, 3) for strain in (4, 3, 2, 1, 0)]
    digits = "".join(f"{n:x}" for n in order)
    assert (read_digits(digits.upper()) == solved.table).all()
    tag = f'[DoubleDummyTricks "{digits}"]\n'
    assert read_text(text[: text.index("[Optimum")] + tag).boards == [solved]
    both = read_text(text.replace("[Optimum", tag.replace(digits[0], "0" if digits[0] != "0" else "1", 1) + "[Optimum"))
    assert both.boards == [solved]
    assert kinds(both) == ["contradiction"]
    assert lin_losses(solved) == ["table"]
    assert lin_losses(read_text(lin_text(solved)).boards[0]) == []


def test_tables_of_other_columns_and_seats(solved):
    rows = [f"{t} {n} {s}" for s, t, n in (row.split() for row in table_rows(solved.table))]
    deal = f'[Board "1"]\n[Deal "{deal_text(solved.owner)}"]\n'
    other = "\n".join(rows).replace(rows[0], "NT - N")
    board, problems = only(f'{deal}[OptimumResultTable "Denomination;Result\\2R;Declarer"]\n{other}\n')
    assert (board.table[0, 4], problems) == (-1, [])
    digits = {seat: "".join(f"{n:X}" for n in solved.table["NESW".index(seat), ::-1]) for seat in "NSEW"}
    for colon in ":", " ":
        ability = " ".join(f"{seat}{colon}{digits[seat]}" for seat in "NSEW")
        assert only(f'{deal}[Ability "{ability}"]\n') == (solved, [])
    board, problems = only(f'{deal}[Ability "good"]\n')
    assert (board.tags, len(problems)) == ({"Ability": "good"}, 1)


def test_a_table_in_one_value(solved):
    deal = f'[Board "1"]\n[Deal "{deal_text(solved.owner)}"]\n'
    rows = ["NT S H D C", *(f"{s} " + " ".join(map(str, solved.table["NESW".index(s), ::-1])) for s in "NSEW")]
    text = "\\n".join(row.replace(" ", "\\t") for row in rows)
    assert only(f'{deal}[OptimumResultTable "{text}"]\n') == (solved, [])
    board, problems = only(f'{deal}[OptimumResultTable "of the deal by a program"]\n')
    assert (board.table, len(problems)) == (None, 0)


def test_tags_over_lines():
    text = GAME.replace('[Dealer "N"]', '[Dealer\n"N"] [Site\n  "here"\n] [\nRoom "Open"]').replace(" T7432", "\nT7432")
    board, problems = only(text)
    assert problems == []
    assert board.tags.pop("Site") == "here"
    assert board.tags.pop("Room") == "Open"
    assert board == only(GAME)[0]


def test_a_table_that_cannot_be_read_stays_text():
    rows = "Declarer;Denomination\\2R;Result\\2R", "N  Z 7"
    board, problems = only(f'{DEALT}[OptimumResultTable "{rows[0]}"]\n{rows[1]}\n')
    assert (board.table, board.sections) == (None, {"OptimumResultTable": rows})
    assert "'N  Z 7' is not a declarer, a denomination and tricks" in problems[0]
    board, problems = only(f'{DEALT}[DoubleDummyTricks "12"]\n')
    assert (board.tags, len(problems)) == ({"DoubleDummyTricks": "12"}, 1)


def test_tables_are_checked_against_their_deals(solved):
    assert check_tables([solved]) == []
    wrong = solved.table.copy()
    wrong[0, 4] = (wrong[0, 4] + 1) % 14
    board = Board(solved.owner, 0, 0, 1, table=wrong)
    ((found, reason),) = check_tables([solved, board])
    assert found is board
    assert re.search(rf"N NT {wrong[0, 4]} \(it is {solved.table[0, 4]}\)", reason)


@pytest.mark.parametrize(
    "text",
    [
        f'[Board "2"]\n[Deal "E:- {HAND} - -"]\n', f'[Board "2"]\n[Deal "S:{HAND}"]\n',
        "md|1SJ8HQ965DA954C985,,,|ah|Board 2|sv|n|", "md|1SJ8HQ965DA954C985|ah|Board 2|sv|n|",
        "md|1SJ8HQ965DA954C985,SHDC,SHDC,SHDC|ah|Board 2|sv|n|",
    ],
)  # fmt: skip
def test_partial_deals_are_read_and_written(text):
    result = read_text(text)
    assert result.boards == []
    assert kinds(result) == ["partial deal"]
    (board,) = result.partial
    assert (board.unknown_seats, board.number, int((board.owner == 2).sum())) == ("NEW", 2, 13)
    for again in (board_text(board), lin_text(board)):
        (read,) = read_text(again).partial
        assert (read.owner == board.owner).all()


def test_the_play_of_a_partial_deal_is_lost_and_named():
    result = read_text(GAME.replace(f"{HAND} 9.KJ872.T862.KT6", "- -"))
    (board,) = result.partial
    assert (board.auction is None, str(board.contract), board.play) == (False, "2NT W", None)
    assert sorted(kinds(result)) == ["bad play", "partial deal"]


@pytest.mark.parametrize(
    "row",
    ["1S - 2S - - -", "1S \u2013 2S \u2013 \u2013 \u2013", "1S / 2S / / /", "1S -- 2S -- -- --", "1S-P-2S-P-P-P",
     "1S, P, 2S, AP", "1SP2SPPP", "1S P 2S (AP)", "1S P 2S a.p.", "1S P 2S all_pass", "1S P 2S passed out",
     "1S P 2S A/P", "1 Spade Pass 2 Spades AP", "1S (5+, may be four) P 2S AP", "1S\n\nP 2S\n\nP P P",
     "North East South West\n1S P 2S AP", "West North East South\n- 1S P 2S\nAP", "1S Paso 2S Pas Pase Passe",
     "1. 1S P 2S P\n2. P P", "N:1S E:P S:2S W:P\nN:P E:P", "N: E: S: W:\n1S P 2S P P P"],
)  # fmt: skip
def test_calls_as_people_write_them(row):
    board, problems = only(f'{DEALT}[Auction "N"]\n{row}\n')
    assert board.auction == calls("1S P 2S P P P")
    assert len(problems) == (row.count(" - 2S") + row.count("\u2013 2S") + row.count("/ 2S") + row.count("may"))
    if not re.search(r"\n|,|Spade|P-", row):  # LIN has one call in each value
        lin = "".join(f"mb|{word}|" for word in re.sub("a.p.|A/P|all_pass|passed out|\\(AP\\)", "ap", row).split())
        assert only(f"md|3{HANDS}|ah|1|sv|o|{lin}")[0].auction == board.auction


@pytest.mark.parametrize(
    ("rows", "auction", "named"),
    [
        ("1S P *\n2S", "1S P", ["auction: '2S' behind its end is not read"]),
        ("1S P + 2S", "1S P", ["auction: '2S' behind its end is not read"]),
        ("<br>\n1S AP end", "1S P P P", ["auction: '<BR>' is not read", "auction: 'END' is not read"]),
        ('"1S" AP', "1S P P P", ["auction: '\"' behind 1S is not read"]),
        ("1S Kontra Surcontre AP", "1S X XX P P P", []),
        ("1S {good\nAP", "1S", ["a comment that is not closed: '{good\\nAP'"]),
    ],
)
def test_what_costs_no_auction_is_named(rows, auction, named):
    board, problems = only(f'{DEALT}[Auction "N"]\n{rows}\n')
    assert (board.auction, problems) == (calls(auction), named)


@pytest.mark.parametrize(
    ("marks", "notes"),
    [
        ("1S =1= AP\n[Play \"E\"]\nS9\n[Note \"1:five\"]", {0: "five"}),  # the note behind the play
        ("1S =1= AP\n[Note \"1 five\"]", {0: "five"}),
        ("1S(1) AP\n[Note \"1:five\"]", {0: "five"}),
        ("1S[1] AP\n[Note \"1:five\"]", {0: "five"}),
        ("1S =1= AP\n[Note \"1:five\"]\n[Note \"1:strong\"]", {0: "five; strong"}),
        ("1S AP\n[Note \"1:five\"]", {}),
    ],
)  # fmt: skip
def test_notes_that_find_their_call(marks, notes):
    board, problems = only(f'{DEALT}[Auction "N"]\n{marks}\n')
    assert board.notes == notes
    assert [p for p in problems if "no mark" in p] == ["the note '1:five' has no mark in the auction"] * (not notes)


def test_the_call_in_question_of_lin_is_none():
    assert only(BOARD.replace("mb|6N|", "mb|?|")) == only(BOARD.replace("mb|6N|", ""))
    assert read_text(BOARD.replace("mb|2H!|", "mb|?|")).boards == []


def test_explanations_of_lin_are_not_lost():
    text = f"md|3{HANDS}|ah|1|sv|o|an|early|mb|1D !|an|a|an|b|mb|p|"
    board, problems = only(text)
    assert (board.auction, board.notes) == (calls("1D P"), {0: "a; b"})
    assert problems == ["an: 'early' stands before the calls"]


PLAIN = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


@pytest.mark.parametrize(
    "text",
    [
        "N:SAKQJT98765432.H.D.C S.HAKQJT98765432.D.C S.H.DAKQJT98765432.C S.H.D.CAKQJT98765432",
        "N:\u2660AKQJT98765432 \u2665- \u2666- \u2663- \u2660- \u2665AKQJT98765432 \u2666- \u2663- "
        "\u2660- \u2665- \u2666AKQJT98765432 \u2663- \u2660- \u2665- \u2666- \u2663AKQJT98765432",
        PLAIN.replace("...", "....", 1), "North:" + PLAIN[2:], "N " + PLAIN[2:], "N;" + PLAIN[2:], "\u200b" + PLAIN,
    ],
)  # fmt: skip
def test_deals_with_suits_seats_and_dots_of_other_programs(text):
    board, problems = only(f'[Board "1"]\n[Deal "{text}"]\n')
    assert (deal_text(board.owner), problems) == (PLAIN, [])


def test_deals_inside_other_text(solved):
    deal = deal_text(solved.owner)
    result = read_text(f'PBN 0 0 4 0 "{deal}"\nTABLE 5 6\n\nBoard 3\n{deal}\nBoard 4: {deal}\n5,N,"{deal}"\n')
    assert [board.number for board in result.boards] == [None, 3, 4, None]
    assert {deal_text(board.owner) for board in result.boards} == {deal}
    assert [p.reason for p in result.problems if "not read" in p.reason] == [
        "'PBN 0 0 4 0' before the deal is not read", "text below [Deal] is not read: 'TABLE 5 6'",
        "'5,N' before the deal is not read",
    ]  # fmt: skip


def test_a_hand_a_line():
    rows = "\n".join(f"{seat}: {hand}" for seat, hand in zip("NESW", DEAL[2:].split(), strict=True))
    result = read_text(f"{rows}\n{rows}\n")
    assert [deal_text(board.owner) for board in result.boards] == [DEAL, DEAL]
    assert len(read_text(f"S: {HAND}\nW: {HAND}\n").partial) == 2


def test_lines_of_gib_and_of_ben(solved):
    result = read_text(f"{deal_text(solved.owner, 3)[2:]}:{'6' * 20}\n")
    assert [deal_text(board.owner) for board in result.boards] == [deal_text(solved.owner)]
    assert f"':{'6' * 20}' behind the deal is not read" in [problem.reason for problem in result.problems]
    text = f"{DEAL[2:]}\nE N-S 1S P 2S P P P\n{DEAL[2:]}\nN None\n"
    for data in (text.encode(), text.encode("utf-16"), text.encode("utf-16-le"), text.encode("utf-16-be")):
        boards = read_records(io.BytesIO(data)).boards
        assert [(b.dealer, b.vulnerability, str(b.contract)) for b in boards] == [(1, 1, "2S E"), (0, 0, "None")]


def test_text_in_an_auction_is_named_and_costs_no_board():
    board, problems = only(f'{DEALT}[Auction "N"]\n1S AP\nA fine result\n')
    assert (board.auction, problems) == (calls("1S P P P"), ["auction: 'A FINE RESULT' has no call"])


def test_text_below_a_tag_is_named_and_costs_no_tag():
    board, problems = only(f'[Event "Cup"]\nof the club\n{DEALT}[Result "?"]\nProduced 500 hands\n')
    assert board.tags == {"Event": "Cup"}
    assert problems == [
        "text below [Event] is not read: 'of the club'", "text below [Result] is not read: 'Produced 500 hands'",
    ]  # fmt: skip


def test_a_title_above_lin_costs_no_key():
    board, problems = only(f"% made by a program\nA title\n{BOARD}")
    assert (board, problems) == (only(BOARD)[0], ["text between the values: '% made by a program\\nA title'"])
    board, problems = only(f'<p id="1">{BOARD}')
    assert (board, problems) == (only(BOARD)[0], ["text between the values: '<p id=\"1\">'"])
    assert only(f"% made by a program\n{BOARD}") == only(BOARD) == only(BOARD.replace("|", " | "))


def test_the_board_of_lin_is_that_of_ah():
    text = f"vg|#7 Pairs,A,P,1,2|rs|1DN=,,1DE+1,|qx|o1|md|4{HANDS}|ah|Board 6|qx|o2|md|1{HANDS}|ah|Board 7|qx|c1|mb|1S|"
    result = read_text(text)
    assert [(b.number, str(b.contract), b.tricks, b.tags["Event"]) for b in result.boards] == [
        (6, "1D N", 7, "#7 Pairs"), (7, "1D E", 8, "#7 Pairs"), (6, "None", None, "#7 Pairs"),
    ]  # fmt: skip
    assert "qx has 1, ah 6, which counts" in [problem.reason for problem in result.problems]
    board, _ = only(BOARD.replace("Board 7", "Table A"))
    assert (board.number, board.tags["Board"], lin_losses(board)) == (None, "Table A", [])


BY_E = '[Contract "4H"]\n[Declarer "E"]\n'


@pytest.mark.parametrize(
    ("tags", "contract", "tricks", "named"),
    [
        ('[Contract "3NT by East"]\n[Score "N/S -430"]', "3NT E", 10, []), ('[Contract "3 NT (E)"]', "3NT E", None, []),
        ('[Contract "4 Spades doubled"]\n[Declarer "E"]\n[Score "EW \u2212100"]', "4SX E", 9, []),
        ('[Contract "3NT\u22121"]\n[Declarer "^E"]', "3NT E", 8, []), ('[Contract "4SX by N"]', "4SX N", None, []),
        ('[Contract "4H-E"]\n[Score "-420 NS"]', "4H E", 10, []), (BY_E + '[Score "NS: -420"]', "4H E", 10, []),
        (BY_E + '[Result "\u22122"]', "4H E", 8, []), (BY_E + '[Score "EW -50"]', "4H E", 9, []),
        (BY_E + '[Score "NS 50"]', "4H E", 9, []), (BY_E + '[Score "450"]', "4H E", 11, []),
        (BY_E + '[Score "451"]', "4H E", None, ["the score is 451, which is not that of 4H E"]),
        ('[Contract "3NT"]\n[Declarer "Ost"]\n[Result "down 1"]', "3NT E", 8, []),
        ('[Contract "3NT"]\n[Declarer "(E)"]\n[Result "made"]', "3NT E", 9, []),
        ('[Contract "3NT"]\n[Declarer "Nord"]\n[Result "10 tricks"]', "3NT N", 10, []),
        ('[Contract "-"]\n[Declarer "-"]\n[Result "-"]', "None", None, []),
        ('[Contract "Pass"]\n[Result "0"]', "Pass", None, []),
        ('[Contract "Pass"]\n[Result "9"]', "Pass", None, ["the result is 9, but the board is passed out"]),
        ('[Declarer "N"]\n[Contract "4HE-2"]', "4H N", 8, ["the contract 4HE-2 is not that of the declarer N"]),
        ('[Contract "4HX"]\n[Declarer "?"]\n[Result "9"]', "None", 9,
         ["the contract 4HX is left out, as its declarer is not known"]),
    ],
)  # fmt: skip
def test_contracts_results_and_scores_in_many_words(tags, contract, tricks, named):
    board, problems = only(f"{DEALT}{tags}\n")
    assert (str(board.contract), board.tricks, problems) == (contract, tricks, named)


def test_facts_that_stand_twice_are_named():
    board, problems = only(f'{DEALT}[Dealer "N"]\n[Dealer "E"]\n[North "-"]\n[North "Bob"]\n')
    assert (board.dealer, board.tags) == (0, {"North": "Bob"})
    assert problems == ["[Dealer 'E'] is the second of its game; 'N' counts"]
    assert only(f'{DEALT}[Contract "4HE-2"]\n[Result "9"]\n')[1] == ["the result is 9, but the contract is 4HE-2"]
    again = BOARD.replace("sv|n|", "sv|n|sv|e|")
    assert only(again)[1] == ["sv|e| is the second of its board, and counts"]
    assert only(f'{DEALT}[Score "much"]\n')[1] == ["'MUCH' is not a score, such as 'NS 420'"]


def test_empty_values_and_dashes_begin_no_game():
    text = f'[Board "3"]\n[Dealer "-"]\n[Deal ""]\n[Deal "{DEAL}"]\n'
    board, problems = only(text)
    assert (board.number, board.dealer, problems) == (3, 2, [])
    text = (FOLDER / "02-second-table-without-deal.pbn").read_text()
    second = read_text(text.replace('[West "E"]', '[Board "-"]\n[Deal "?"]'))
    assert [board.number for board in second.boards] == [62, 62]


@pytest.mark.parametrize("ends", ["\r\r\n", "\n\n", "\n\ufeff"])
def test_doubled_line_ends_and_joined_files(ends):
    text = GAME.replace("\n", ends) + GAME.replace("1", "2", 1)
    assert read_text(GAME.replace("\n", ends)).boards == [only(GAME)[0]]
    assert [board.number for board in read_text(GAME + "\ufeff" + text).boards][:2] == [1, 1]


def test_the_play_up_to_a_card_that_is_not_legal():
    board, problems = only(GAME.replace("D5 D2 DK DQ", "D5 D2 DK S3"))
    assert (len(board.play), len(problems)) == (4, 1)
