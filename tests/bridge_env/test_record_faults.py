"""Faults of record files: each board as it was meant, and each loss, mend and contradiction reported."""

from urllib.parse import quote

import pytest
from support.boards import BOARD, DEAL, GAME, HANDS

from bridge_env.records.lin_writer import lin_text
from bridge_env.records.links import VIEWER
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
        (HEAD + '[Declarer "N"]\n[Auction "N"]\n1S ? 2S AP\n', [(1, "N", 0, "2S N", None, 6)], [DASHES]),
        (HEAD + '[Auction "N"]\n1S ? P 2S AP\n', [(1, "N", 0, "2S N", None, 6)], ["'?' behind a call is not read"]),
        (HEAD + '[Auction "N"]\n1S ^S 2S P P P\n', [(1, "N", 0, "2S N", None, 6)], [DASHES]),
        (HEAD + '[Auction "N"]\n1S ^P 2S AP\n', [(1, "N", 0, "2S N", None, 6)], []),
        (HEAD + MADE + '[Auction "N"]\n1S ^I1H 2H AP\n', [PLAYED], ["irregular (^) and not legal, so it is left out"]),
        (HEAD + CALLED.replace("AP", "AP 3C"), [WITH_AUCTION], ["3C behind its end left out"]),
        (HEAD + '[Contract "2NT"]\n[Declarer "^E"]\n' + CALLED, [WITH_AUCTION], ["2NT E (^); the auction counts"]),
        (HEAD + '[Contract "4S"]\n[Play "E"]\n', [(1, "N", 0, "4S N", None, 0)], []),
        # contradictions
        (HEAD + MADE.replace("10", "NS 10 EW 5"), [PLAYED], ["is not of 13 tricks"]),
        (HEAD + MADE + '[Score "NS 420 EW -450"]\n', [PLAYED], ["are not of one result"]),
        (HEAD + MADE + '[Score "EW 0 NS 420"]\n', [PLAYED], []),
        (HEAD + MADE + '[Auction "N"]\n1S P 5S\n+\n', [(1, "N", 0, "4S N", 10, 3)], ["which is not finished, has 5S"]),
        # the vulnerability by the score
        (f'[Dealer "N"]\n[Deal "{DEAL}"]\n[Contract "4S"]\n[Declarer "N"]\n[Score "NS 620"]\n',
         [(None, "N", 1, "4S N", 10, 0)], ["no vulnerability", "the vulnerability is NS, by the score of 620"]),
        # one hand of four that cannot be
        (HEAD.replace("QJ3.743", "QJ3743"), [ALONE], ["it has 3; the hand of W follows from the other three"]),
        (HEAD.replace("J8.", "8."), [ALONE], ["has 12 cards, not 13; the hand of N follows from the other three"]),
        # what stands above a board is the board's, what stands below it the other's
        (HEAD + '\n[Session "##2"]\n[HomeTeam "B"]\n\n' + SECOND, [ALONE, NEXT], []),
        (f'[Board "1"]\n[Deal "{DEAL}"]\n\n[Dealer "W"]\n[Vulnerable "All"]\n\n[Board "2"]\n[Deal "{OTHER}"]\n',
         [ALONE, (2, "W", 3, "None", None, 0)], []),
        (f'[Dealer "W"]\n[Board "1"]\n[Deal "{DEAL}"]\n[Dealer "S"]\n[Board "2"]\n[Deal "{OTHER}"]\n',
         [(1, "W", 0, "None", None, 0), (2, "S", 1, "None", None, 0)], []),
        (HEAD + "\n" + MADE + SECOND.split("\n", 1)[1], [ALONE, (2, "N", 0, "4S N", 10, 0)], []),
        (HEAD + CALLED + "\nBoard 1\n\n" + SECOND, [WITH_AUCTION, NEXT], ["text outside of any game: 'Board 1'"]),
        (f"{DEAL}\n2. {OTHER}\n", [(None, "N", 0, "None", None, 0), (2, "E", 1, "None", None, 0)],
         ["no dealer", "no vulnerability"]),
        (HEAD + CALLED + '\n[Room "Closed"]\n' + MADE, [WITH_AUCTION, PLAYED], ["of the game before, which this one"]),
        (f'Board 7\n% a comment\n[Dealer "S"]\n[Deal "{DEAL}"]\n', [(7, "S", 3, "None", None, 0)], []),
        (f"{DEAL}\nBoard 1\n\n{OTHER}\nBoard 2\n", [ALONE, (2, "E", 1, "None", None, 0)], []),
        # comments that are not closed
        (HEAD + "{first\n\n" + SECOND + MADE + "text }\n", [ALONE, (2, "N", 0, "4S N", 10, 0)],
         ["is not closed: '{first'", "text below [Result] is not read"]),
        # other sections and rooms
        (HEAD + '[Section "A"]\n\n[Event "E"]\n[Section "B"]\n[Board "1"]\n' + MADE, [ALONE, PLAYED],
         ["Dealer, Vulnerable, Deal of the game before"]),
        ("".join(head + f'[Room "{room}"]\n[Table "{table}"]\n\n' for room in ("Open", "Closed")
                 for table, head in ((1, HEAD), (2, SECOND.replace('"2"', '"1"')))), [ALONE] * 4, []),
        # words
        (HEAD.replace("]\n", "], ").rstrip(", "), [ALONE], []),
        (HEAD.replace(' "', ': "'), [ALONE], []),
        (HEAD + MADE.replace("10", "NS =").replace("NS =", "NS +0"), [PLAYED], []),
        (HEAD + '[Auction "N"]\n1S \u00d7 P P P\n', [(1, "N", 0, "1SX N", None, 5)], []),
        (HEAD + '[Auction "N"]\n1S^1 AP\n', [(1, "N", 0, "1S N", None, 4)], ["'^1' behind 1S is not read"]),
        ("% lin: pn|a,b,c,d|st||md|3\n" + HEAD, [ALONE], []),
        (f"From https://a.example/show?id=5&n=3\n{HEAD}", [ALONE], ["text outside of any game"]),
        (f'{{"board": 1, "deal": "{DEAL}"}}\n', [], ["a comment with a deal, which is not read"]),
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
MD, AUCTION = f"md|3{HANDS}|", "mb|1D|mb|p|mb|p|mb|p|"
LIN, LIN_READ = f"md|3{HANDS}|ah|Board 1|sv|n|{AUCTION}", (1, "N", 1, "1D N", None, 4)
WITH_TRICKS, CLAIMED = LIN + "mc|7|", (1, "N", 1, "1D N", 7, 4)
LINK = "https://www.bridgebase.com/tools/handviewer.html?bbo=y&lin=pn|a,b,c,d|"
BY_HAND = f"n={N}&e={E}&s={S}&w={W}&d=n&v=n&a=1dppp"
SECOND_CLAIMED = (2, *CLAIMED[1:])


@pytest.mark.parametrize(
    ("text", "boards", "reasons"),
    [
        (LIN.replace(f"{S},{W}", S + W), [LIN_READ], ["a comma is missing between hands"]),
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
        (LIN.replace("mb|1D", "vg|Cup|mb|1D") + "mc|7|", [CLAIMED], []),
        (LIN.replace("mb|p|", "an|shows\nst|mb|p|", 1), [LIN_READ], []),
        (LIN.replace(AUCTION, "mb|-- 1D -- -- --|"), [(1, "N", 1, "1D E", None, 5)], []),
        # a second match in the file
        (f"vg|A,F,I,1,1,C,0,D,0|\nrs|1DN=|\nqx|o1|{LIN}\nvg|B,F,I,1,1,C,0,D,0|\nqx|o1|md|3{W},{N},{E},{S}|sv|n|\n",
         [CLAIMED, (1, "N", 1, "None", None, 0)], []),
        (f"qx|o1|{LIN}qx|c1|{LIN.replace('md|3', 'md|4')}", [LIN_READ, (1, "E", 1, "1D E", None, 4)],
         ["the closed room has another dealer than the open room in line 1"]),
        (f"vg|A,F,I,1,1,C,0,D,0|rs|1DN|qx|o1|{WITH_TRICKS}", [CLAIMED], []),
        # links beside other forms
        (f"% from {LINK}\n{HEAD}", [ALONE], []),
        (f"{MD}ah|Board 1|sv|n|nt|see\n{VIEWER}?lin={quote(LIN)}|pg||{AUCTION}mc|7|", [CLAIMED], []),
        (f"{HEAD}{{see\n{VIEWER}?{BY_HAND}&b=1 }}\n{MADE}", [PLAYED], []),
        (f"{VIEWER}?lin=&{BY_HAND}&b=1", [LIN_READ], []),
        (f"{{'url': \"{VIEWER}?{BY_HAND}&b=1&c=7\"}}", [CLAIMED], []),
        (f"{VIEWER}?lin={quote(WITH_TRICKS[:-1])}#top", [CLAIMED], []),
        (f"From {LINK}\n{WITH_TRICKS}\n", [CLAIMED], ["text between the values"]),
        # words
        (LIN.replace(AUCTION, "mb|pass out|"), [(1, "N", 1, "Pass", None, 4)], []),
        (LIN.replace("mb|p|mb|p|mb|p|", "mb|d|mb|rd|mb|ap|"), [(1, "N", 1, "1DXX N", None, 6)], []),
        (LIN.replace("md|3", "md|5"), [LIN_READ], []),
        (LIN.replace("mb|p|", "mb|2C!Drury|", 1), [(1, "N", 1, "None", None, 4)], ["'DRURY' behind a call"]),
        (LIN + "mc|+1|", [(1, "N", 1, "1D N", 8, 4)], []),
        # titles inside and before boards
        (LIN + "ah|Opening lead|pc|H5|mc|7|", [CLAIMED], ["ah|Opening lead| is the second of its board, and not read"]),
        (f"ah|Board 1|sv|n|md|3{HANDS}|\nah|Board 2|sv|o|md|4{HANDS}|\n",
         [(1, "N", 1, "None", None, 0), (2, "E", 0, "None", None, 0)], []),
        # matches and rooms
        (f"vg|C,F,I,1,1,A,0,B,0|rs|1DN=,1DN-1|qx|o1|{LIN}qx|c1|md|3{HANDS}|sv|n|vg|D,F,I,1,1,A,0,B,0|rs|2DN=|"
         f"qx|o1|md|3{HANDS}|sv|n|", [CLAIMED, (1, "N", 1, "1D N", 6, 0), (1, "N", 1, "2D N", 8, 0)], []),
        (f"vg|C,F,I,1,1,A,0,B,0|qx|o1|{LIN}vg|C,F,I,1,1,A,5,B,0|qx|c1|{AUCTION}", [LIN_READ] * 2, []),
        (f"qx|c1|{AUCTION}mc|7|qx|o1|{LIN}", [CLAIMED, LIN_READ], []),
        (LIN.replace("mb|1D|", "mb|1D\n"), [LIN_READ], ["a bar is missing behind mb|1D"]),
        # links
        (f"{VIEWER}?lin={quote(LIN)}\n{WITH_TRICKS.replace('Board 1', 'Board 2')}\n", [LIN_READ, SECOND_CLAIMED], []),
        (f"{VIEWER}?lin={WITH_TRICKS.replace('mb|p|', 'an|D & 11|mb|p|', 1)}", [CLAIMED], []),
        (f"[1]({VIEWER}?lin={quote(LIN.replace('mb|p|', 'an|(15-17)|mb|p|', 1), safe='()')})", [LIN_READ], []),
        (f"[url={VIEWER}?lin={LIN}]1[/url] [url]{VIEWER}?{BY_HAND}&b=1[/url] (see {VIEWER}?{BY_HAND}&b=1)",
         [LIN_READ] * 3, []),
        (f"[hv=pc=n&{BY_HAND}&b=1]399|300[/hv]", [LIN_READ], []),
        (f"{VIEWER}?{BY_HAND.replace('1dppp', '1d-p-p-p')}&b=1", [LIN_READ], []),
        (f"{VIEWER}?{BY_HAND.replace('1dppp', '1d. Do you double?')}&b=1", [(1, "N", 1, "None", None, 1)],
         ["'. DO YOU DOUBLE?' behind a call is not read"]),
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
    text = f"md|3{HANDS}|ah|Board 1|sv|n|\npn|a,b,c,d|\nmd|3{HANDS}|ah|Board 2|sv|n|\npn|e,f,g,h|\n"
    assert [board.tags["South"] for board in read_text(text).boards] == ["a", "e"]
    text = f"pn|a,b,c,d,e,f,g,h|\nqx|o1|pn|x,y,z,u|md|3{HANDS}|sv|o|qx|c1|md|3{HANDS}|sv|o|"
    assert [board.tags["South"] for board in read_text(text).boards] == ["x", "e"]
    links = f"{VIEWER}?lin=vg|Cup|pn|a,b,c,d|{quote(LIN)}\n{VIEWER}?lin={LIN}\n"
    assert [len(board.tags) for board in read_text(links).boards] == [5, 0]
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
