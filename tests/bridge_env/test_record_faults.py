"""Faults of record files: each board as it was meant, and each loss, mend and contradiction reported."""

import pytest
from support.boards import BOARD, DEAL, GAME, HANDS

from bridge_env.records.lin_writer import lin_text
from bridge_env.records.pbn import board_text
from bridge_env.records.read import read_text

OTHER = "N:AJ72.85.KJ852.43 K.KQ973.AT973.K2 QT965.AJT42..AQT 843.6.Q64.J98765"
HEAD = f'[Event "E"]\n[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{DEAL}"]\n'
SECOND = HEAD.replace('"1"', '"2"').replace(DEAL, OTHER)
CALLED = '[Auction "N"]\nPass Pass 1S 1NT\nPass 2D Pass 2H\nPass 2NT AP\n'
MADE = '[Contract "4S"]\n[Declarer "N"]\n[Result "10"]\n'
TABLE = '[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\nN NT 7\nN S 7\n'
DIGITS = '[DoubleDummyTricks "76566765666787767877"]\n'


def game(event, number, deal="", rest=""):
    return (
        f'[Event "A"]\n[Round "{event}"]\n[Board "{number}"]\n{deal and f"[Deal {chr(34)}{deal}{chr(34)}]"}\n{rest}\n'
    )


def summary(text):
    """Return (number, dealer, vulnerability, contract, tricks, calls) of each board, and the reasons of all problems.

    Every board survives a round trip through PBN.
    """
    result = read_text(text)
    boards = result.boards + result.partial
    for board in boards:
        again = read_text(board_text(board))
        assert again.boards + again.partial == [board]
    found = [
        (b.number, "NESW"[b.dealer], b.vulnerability, str(b.contract), b.tricks, len(b.auction or ())) for b in boards
    ]
    return found, [problem.reason for problem in result.problems]


def check(text, boards, reasons):
    found, problems = summary(text)
    assert found == boards
    assert len(problems) == len(reasons), problems
    for problem, reason in zip(problems, reasons, strict=True):
        assert reason in problem


ALONE, WITH_AUCTION = (1, "N", 0, "None", None, 0), (1, "N", 0, "2NT W", None, 13)
NEXT = (2, "N", 0, "None", None, 0)
PLAYED = (1, "N", 0, "4S N", 10, 0)
DEAL_IN_COMMENT = "a comment with a deal, which is not read"
DASHES = "dashes between calls are read as passes"


@pytest.mark.parametrize(
    ("text", "boards", "reasons"),
    [
        # comments with brackets in them
        (HEAD + CALLED.replace("1NT\n", "1NT\n{ Note:\n[1] strong\n[2] weak } "), [WITH_AUCTION], []),
        (HEAD + CALLED + "\n{\n" + SECOND + "}\n\n" + SECOND, [WITH_AUCTION, NEXT], [DEAL_IN_COMMENT]),
        (HEAD.replace("[Vul", '{\n[Board "9"]\n[Deal "x"]\n}\n[Vul'), [ALONE], [DEAL_IN_COMMENT]),
        # blank lines inside a game
        (HEAD + CALLED + '\n[TotalScoreTable "a"]\n1 2\n\n' + SECOND, [WITH_AUCTION, NEXT], []),
        (f'[Board "1"]\n[Deal "{DEAL}"]\n\n[Dealer "S"]\n[Vulnerable "All"]\n{MADE}', [(1, "S", 3, "4S N", 10, 0)], []),
        # games that are no boards
        (HEAD + CALLED + '\n[Event "E"]\n[TotalScoreTable "a"]\n1 2\n', [WITH_AUCTION], ["no board has [Event], [T"]),
        ('[Event "E"]\n[TotalScoreTable "a"]\n1 2\n\n' + HEAD, [ALONE], ["no board has [Event], [TotalScoreTable]"]),
        # no blank lines between games
        (f'[Dealer "S"]\n[Vulnerable "All"]\n[Deal "{DEAL}"]\n[Dealer "W"]\n[Vulnerable "None"]\n[Deal "{OTHER}"]\n',
         [(None, "S", 3, "None", None, 0), (None, "W", 0, "None", None, 0)], []),
        # tags that stand twice
        (HEAD.replace('[Board "1"]', '[Board "1"]\n[Board "1"]\n[Event "E"]'), [ALONE], []),
        # brackets that are missing
        (HEAD.replace("[Deal ", "Deal "), [ALONE], ["read as [Deal "]),
        # other tables
        (game(1, 1, DEAL) + game(2, 1, "", MADE), [ALONE], ["the board has no deal"]),
        (game(1, 1, "", MADE) + game(1, 1, DEAL), [PLAYED, ALONE], ["Deal of the game in line 9"]),
        (HEAD.replace('"N"', '"S"').replace("None", "All") + f'\n[Board "1"]\n[Room "Closed"]\n[Deal "{DEAL}"]\n{MADE}',
         [(1, "S", 3, "None", None, 0), (1, "S", 3, "4S N", 10, 0)], ["Dealer, Vulnerable, Event of the game before"]),
        (HEAD + '[Room "Open"]\n\n' + SECOND.replace('"2"', '"1"') + '[Room "Closed"]\n', [ALONE, ALONE],
         ["the closed room has another deal than the open room in line 1"]),
        # calls that are not known, or irregular
        (HEAD + '[Auction "N"]\n1S ? 2S AP\n', [(1, "N", 0, "2S N", None, 6)], [DASHES]),
        (HEAD + '[Auction "N"]\n1S ^S 2S P P P\n', [(1, "N", 0, "2S N", None, 6)], [DASHES]),
        (HEAD + '[Auction "N"]\n1S ^P 2S AP\n', [(1, "N", 0, "2S N", None, 6)], []),
        (HEAD + MADE + '[Auction "N"]\n1S ^I1H 2H AP\n', [PLAYED], ["irregular (^) and not legal, so it is left out"]),
        (HEAD + CALLED.replace("AP", "AP 3C"), [WITH_AUCTION], ["3C behind its end left out"]),
        (HEAD + '[Contract "2NT"]\n[Declarer "^E"]\n' + CALLED, [WITH_AUCTION], ["2NT E (^); the auction counts"]),
        (HEAD + '[Contract "4S"]\n[Play "E"]\n', [(1, "N", 0, "4S N", None, 0)], []),
        # contradictions
        (HEAD + MADE.replace("10", "NS 10 EW 5"), [PLAYED], ["is not of 13 tricks"]),
        (HEAD + MADE + '[Score "NS 420 EW -450"]\n', [PLAYED], ["are not of one result"]),
        (HEAD + MADE + '[Auction "N"]\n1S P 5S\n+\n', [(1, "N", 0, "4S N", 10, 3)], ["which is not finished, has 5S"]),
        # the vulnerability by the score
        (f'[Dealer "N"]\n[Deal "{DEAL}"]\n[Contract "4S"]\n[Declarer "N"]\n[Score "NS 620"]\n',
         [(None, "N", 1, "4S N", 10, 0)], ["no vulnerability", "the vulnerability is NS, by the score of 620"]),
        # one hand of four that cannot be
        (HEAD.replace("QJ3.743", "QJ3743"), [ALONE], ["it has 3; the hand of W follows from the other three"]),
        (HEAD.replace("J8.", "8."), [ALONE], ["has 12 cards, not 13; the hand of N follows from the other three"]),
    ],
)  # fmt: skip
def test_pbn(text, boards, reasons):
    check(text, boards, reasons)


def test_a_deal_of_the_right_round():
    text = game(1, 1, DEAL) + game(2, 1, OTHER) + game(1, 1, "", MADE)
    first, second, third = read_text(text).boards
    assert (third.owner == first.owner).all() and (third.owner != second.owner).any()  # noqa: PT018


@pytest.mark.parametrize(
    ("tables", "cells", "reason"),
    [
        (TABLE.replace("S 7", "S 17") + DIGITS, 20, "'N S 17' is not a declarer"),
        (TABLE + DIGITS.replace("77", "7", 1), 2, "is not twenty digits"),
        (TABLE.replace("S 7", "S 17"), 1, "'N S 17' is not a declarer"),
        (DIGITS.replace("76566", "7656f", 1), 19, ""),
    ],
)
def test_what_is_wrong_in_a_table_costs_itself(tables, cells, reason):
    result = read_text(HEAD + tables)
    assert int((result.boards[0].table >= 0).sum()) == cells
    assert [reason in problem.reason for problem in result.problems] == [True] * bool(reason)


def test_a_table_behind_a_blank_line_is_of_its_board():
    first, second = read_text(f"{HEAD}{CALLED}\n{DIGITS}\n{SECOND}").boards
    assert (first.table is None, second.table is None) == (False, True)


S, W, N, E = *HANDS.split(",")[:3], "SK3HAJT543DT86C65"
AUCTION = "mb|1D|mb|p|mb|p|mb|p|"
LIN, LIN_READ = f"md|3{HANDS}|ah|Board 1|sv|n|{AUCTION}", (1, "N", 1, "1D N", None, 4)
WITH_TRICKS, CLAIMED = LIN + "mc|7|", (1, "N", 1, "1D N", 7, 4)
LINK = "https://www.bridgebase.com/tools/handviewer.html?bbo=y&lin=pn|a,b,c,d|"
SECOND_CLAIMED = (2, *CLAIMED[1:])


@pytest.mark.parametrize(
    ("text", "boards", "reasons"),
    [
        (LIN.replace(f"{S},{W}", S + W), [LIN_READ], ["a comma is missing between two hands"]),
        (LIN.replace(",", ";"), [LIN_READ], []),
        (LIN.replace(S, S + "SAQJ8").rstrip(), [], ["holds SA twice"]),
        (LIN.replace(W, W[:-1]).replace(N + ",", f"{N},{E}"), [LIN_READ], ["the hand of W follows from the other"]),
        # bars that are missing
        (f"{WITH_TRICKS[:-1]}\n{WITH_TRICKS.replace('Board 1', 'Board 2')}\n", [CLAIMED, SECOND_CLAIMED],
         ["a bar is missing behind mc|7"]),
        (f"{LIN[: LIN.index('mb|p')]}mb|p\n{WITH_TRICKS.replace('Board 1', 'Board 2')}\n",
         [(1, "N", 1, "None", None, 2), SECOND_CLAIMED], ["a bar is missing behind mb|p"]),
        (LIN[:-2] + "1", [(1, "N", 1, "None", None, 3)], ["'1' at its end is not a call"]),
        # values behind the calls
        (LIN + "pg||ah|Board 1|mc|7|", [CLAIMED], []),
        (LIN + "pg||sv|e|mc|7|", [(1, "N", 2, "1D N", 7, 4)], ["sv|e| is the second of its board"]),
        (LIN + "pg||pn|a,b,c,d|pc|H5|mc|7|", [CLAIMED], []),
        # a second match in the file
        (f"vg|A,F,I,1,1,C,0,D,0|\nrs|1DN=|\nqx|o1|{LIN}\nvg|B,F,I,1,1,C,0,D,0|\nqx|o1|md|3{W},{N},{E},{S}|sv|n|\n",
         [CLAIMED, (1, "N", 1, "None", None, 0)], []),
        (f"qx|o1|{LIN}qx|c1|{LIN.replace('md|3', 'md|4')}", [LIN_READ, (1, "E", 1, "1D E", None, 4)],
         ["the closed room has another dealer than the open room in line 1"]),
        (f"vg|A,F,I,1,1,C,0,D,0|rs|1DN|qx|o1|{WITH_TRICKS}", [CLAIMED], []),
        # links beside other forms
        (f"% from {LINK}\n{HEAD}", [ALONE], []),
        (f"From {LINK}\n{WITH_TRICKS}\n", [CLAIMED], ["text between the values"]),
        (LINK.replace("lin=", "myhand="), [], ["has no cards: open it, and save the board as LIN"]),
        # words
        (LIN.replace(AUCTION, "mb|pass out|"), [(1, "N", 1, "Pass", None, 4)], []),
        (LIN.replace("mb|p|mb|p|mb|p|", "mb|d|mb|rd|mb|ap|"), [(1, "N", 1, "1DXX N", None, 6)], []),
        (LIN.replace("md|3", "md|5"), [LIN_READ], []),
        # hands a line, and without a seat
        (f"N: {DEAL[2:].split()[0]}\nS: {DEAL[2:].split()[2]}\n", [(None, "N", 0, "None", None, 0)],
         ["no dealer", "no vulnerability", "the hands of E and W are not known"]),
        (f'[Board "1"]\n[Deal "{DEAL[2:].split()[0]} - {DEAL[2:].split()[2]} -"]\n', [ALONE],
         ["the hands of E and W are not known", "its first hand is N's"]),
    ],
)  # fmt: skip
def test_lin_links_and_hands(text, boards, reasons):
    check(text, boards, reasons)


def test_names_of_lin():
    rows = [f"md|3{HANDS}|ah|Board {n}|sv|n|{AUCTION}mc|7|pn|S{n},W{n},N{n},E{n}|\n" for n in (1, 2)]
    assert [board.tags["South"] for board in read_text("".join(rows)).boards] == ["S1", "S2"]
    match = f"vg|Cup,Final,I,1,2,Reds,0,Blues,0|\nqx|o1|{LIN}"
    (board,) = read_text(match).boards
    names = {"Event": "Cup", "Stage": "Final", "HomeTeam": "Reds", "VisitTeam": "Blues", "Room": "Open"}
    assert board.tags == names
    assert read_text(lin_text(board)).boards == [board]
    page = f"<pre>{BOARD.replace('Sue', 'Tom &amp; O&#39;Neil')}</pre>"
    assert read_text(page).boards[0].tags["South"] == "Tom & O'Neil"


def test_lines_of_lin():
    text = f"pn|a,b,c,d|\nmd|3{HANDS}|ah|Board 1|\nsv|q|\n{AUCTION}\npc|H5|\nmc|99|\n"
    assert [problem.line for problem in read_text(text).problems] == [3, 6]


def test_one_board_is_not_boards():
    from bridge_env.records.read import report

    assert report(read_text(GAME)).startswith("1 board read, 1 of them")
