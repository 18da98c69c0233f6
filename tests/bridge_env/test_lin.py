"""LIN: round trips, bad boards among good ones, and links to the hand viewer."""

import gzip
import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.bidders import calls
from support.boards import BOARD, HANDS, played_board

from bridge_env.hands.deals import deal_text, parse_deal
from bridge_env.records.board import Board, Problem
from bridge_env.records.lin import read_lin
from bridge_env.records.lin_writer import lin_text, write_lin
from bridge_env.records.links import LinkError, board_of_link, viewer_link
from bridge_env.rules.calls import Contract
from bridge_env.rules.cards import CARD_NUMBERS

PLAY = tuple(CARD_NUMBERS[word] for word in ["H5", "H7", "H2", "D4", "CK"])
DEAL = "N:752..KQJ54.AJ984 K3.AJT543.T86.65 AQJ8.KQ87.A7.KQ2 T964.962.932.T73"
BOARD += "mb|d|mb|r|mb|p|mb|p|mb|p|pg||pc|H5|pc|H7|pc|H2|pc|D4|pg||pc|CK|mc|12|pg||\n"


def read(text):
    return read_lin(io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text))


def only(text):
    result = read(text)
    assert [str(p) for p in result.problems] == []
    assert len(result.boards) == 1
    return result.boards[0]


def test_one_board():
    board = only(BOARD)
    assert deal_text(board.owner) == DEAL
    assert (board.number, board.dealer, board.vulnerability, board.line) == (7, 0, 1, 1)
    assert board.auction == calls("1D P 2H P 6NT X XX P P P")
    assert board.notes == {2: "strong, !S"}
    assert (board.contract, board.tricks) == (Contract.parse("6NTXX N"), 12)
    assert board.play == PLAY
    assert board.tags == {"South": "Sue", "West": "Wes", "North": "Nan", "East": "Ed"}


def test_a_match_has_two_rooms():
    text = (
        "vg|Cup Final,Segment 1,I,1,2,A,0,B,0|\nrs|1DN=,1NN=|\npn|a,b,c,d,e,f,g,h|pg||\n"
        f"qx|o1|st||md|3{HANDS}|sv|o|mb|1D|mb|AP|pg||\nqx|c1|mb|1N(15-17)|mb|ppp|pg||\n"
        f"qx|o2|md|0{HANDS}|mb|p|mb|p|nt|so far|pg||\n"
    )
    result = read(text)
    assert result.problems == []
    assert [(b.tags["Room"], b.number, b.tags["South"]) for b in result.boards] == [
        ("Open", 1, "a"), ("Closed", 1, "e"), ("Open", 2, "a"),
    ]  # fmt: skip
    one, two, three = result.boards
    assert one.tags["Event"] == "Cup Final"
    assert deal_text(two.owner) == deal_text(one.owner)
    assert (one.auction, two.auction) == (calls("1D P P P"), calls("1NT P P P"))
    assert two.notes == {0: "15-17"}
    assert (three.dealer, three.vulnerability, three.auction, three.contract) == (1, 1, calls("P P"), None)


def test_boards_of_a_session_one_a_line():
    text = BOARD + BOARD.replace("Board 7", "Board 8").replace("Sue", "Sam").replace("sv|n|", "")
    result = read(text)
    assert [(b.number, b.vulnerability, b.tags["South"], b.line) for b in result.boards] == [
        (7, 1, "Sue", 1),
        (8, 0, "Sam", 2),
    ]
    together = BOARD.replace("\n", "") + BOARD.replace("\n", "\r\n")
    assert len(read(together).boards) == 2
    for data in (gzip.compress(BOARD.encode()), b"\xef\xbb\xbf" + BOARD.encode()):
        assert only(data) == only(BOARD)
    assert only(BOARD.replace("Sue", "Zoë").encode("latin-1")).tags["South"] == "Zoë"
    assert only(BOARD.replace("|pc|", "|\npc|\n")).play == only(BOARD).play


@pytest.mark.parametrize(
    ("bad", "line", "reason", "kind"),
    [
        (BOARD.replace("mb|1D", "mb|1Z"), 1, "'1Z' is not a call", "not a call"),
        (BOARD.replace("mb|2H!", "mb|1C"), 1, "1C is not legal after N: 1D Pass", "illegal call"),
        (BOARD.replace("SAQJ8", "SAQJT"), 1, "has ST in two hands", "not 52 distinct cards"),
        (BOARD.replace("SAQJ8", "SAQJ"), 1, "has 12 cards", "not 52 distinct cards"),
        (BOARD.replace("SAQJ8", "SAQJx"), 1, "'X' is not a rank", "not 52 distinct cards"),
        (BOARD.replace(HANDS, "S2,,,"), 1, "has 1 cards", "not 52 distinct cards"),
        (BOARD.replace(HANDS, HANDS + ",S2"), 1, "must have four hands; it has 5", "not 52 distinct cards"),
        (BOARD.replace(f"md|3{HANDS}", "md|").replace("Board 7", "Board 8"), 1, "no deal", "no deal"),
        (BOARD.replace("mb|1D", "mb|" + "p" * 400), 1, "it goes on after it has ended", "illegal call"),
    ],
)
def test_a_bad_board_is_reported_and_the_others_are_read(bad, line, reason, kind):
    result = read(BOARD + bad + BOARD)
    assert len(result.boards) == 2
    (problem,) = result.problems
    assert reason in problem.reason
    assert (problem.kind, problem.line, problem.board) == (kind, 2, True)
    assert str(problem).startswith(f"<stream>:{line + 1}: ")


def test_a_missing_bar_or_value_costs_no_other_board():
    result = read(BOARD + BOARD.replace("|mb|6N|", "|mb|mb|6N|") + "oops|" + BOARD)
    assert len(result.boards) == 2
    assert [p.reason for p in result.problems if not p.board] == [
        "text between the values: '6N'", "text between the values: 'oops'",
    ]  # fmt: skip
    assert read("").boards == read("hello\nworld").boards == read(bytes(range(256)) * 9).boards == []


def test_links():
    board = only(BOARD)
    link = viewer_link(board)
    assert link.startswith("https://www.bridgebase.com/tools/handviewer.html?lin=pn%7CSue%2CWes%2CNan%2CEd%7Cst%7C%7C")
    assert not set(link) & set(' |,<>"')
    assert board_of_link(link) == board


def test_links_with_hands():
    link = (
        "http://www.bridgebase.com/tools/handviewer.html?n=s752hdkqj54caj984&e=sk3hajt543dt86c65&s=saqj8hkq87da7ckq2"
        "&w=st964h962d932c1073&d=n&v=b&b=7&a=1dp2h!(big%20one)P6NDRPP{so+there}P&p=h5h7h2d4&nn=Nan&sn=S,ue"
    )
    board = board_of_link(link)
    assert deal_text(board.owner) == DEAL
    assert (board.number, board.dealer, board.vulnerability) == (7, 0, 3)
    assert board.auction == only(BOARD).auction
    assert board.notes == {2: "big one"}
    assert board.play == PLAY[:4]
    assert board.tags == {"North": "Nan", "South": "S ue"}
    assert board_of_link(link.replace("&v=b&b=7", "")).vulnerability == 0
    assert board_of_link(link.replace("&v=b", "")).vulnerability == 3


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("hello", "neither lin= nor hands"),
        ("https://x.y/?lin=", "shows no board: the board has no deal"),
        ("https://x.y/?lin=" + BOARD * 2, "it has 2 boards"),
        ("https://x.y/?lin=md|3S2|", "has 1 cards"),
        ("https://x.y/?n=SA", "shows no board"),
        ("https://[x/?n=SA", "is not a link"),
        ("https://x.y/?" + "&" * 200, "is not a link|neither lin="),
    ],
)
def test_links_that_show_no_board(link, reason):
    with pytest.raises(LinkError, match=reason):
        board_of_link(link)


@given(st.lists(st.integers(0, 10**6), max_size=4))
@settings(max_examples=30)
def test_written_boards_read_the_same(seeds):
    boards = [played_board(seed) for seed in seeds]
    stream = io.StringIO()
    write_lin(stream, boards)
    result = read(stream.getvalue())
    assert result.problems == []
    assert result.boards == boards
    assert [board_of_link(viewer_link(board)) for board in boards] == boards


def test_boards_are_written_without_the_values_that_lin_cannot_hold():
    owner = parse_deal(DEAL)
    board = Board(owner, 0, 0, 3, tags={"North": "a|b,c", "Site": "x"}, contract=Contract.parse("3NT N"))
    assert only(lin_text(board)) == Board(owner, 0, 0, 3, tags={"North": "a b c"})
    assert only(lin_text(replace(only(BOARD), notes={0: "a|b\nc"}))).notes == {0: "a b c"}
    assert isinstance(read("md|1SA|mb|p|").problems[0], Problem)


@pytest.mark.parametrize(
    ("old", "new", "dealer", "vulnerability", "kind"),
    [
        ("sv|n|", "sv|q|", 0, 3, "vulnerability"), ("mc|12", "mc|14", 0, 1, "result"),
        ("ah|Board 7|sv|n|", "", 0, 0, "no vulnerability"), ("md|3", "md|", 2, 1, "mended"),
        ("mb|1D|", "mb|1D=(4+)|", 0, 1, "mark"),
    ],
)  # fmt: skip
def test_small_losses_cost_no_board(old, new, dealer, vulnerability, kind):
    result = read(BOARD.replace(old, new))
    (board,) = result.boards
    assert (board.dealer, board.vulnerability) == (dealer, vulnerability)
    assert [p.kind for p in result.problems if not p.board] == [kind]
