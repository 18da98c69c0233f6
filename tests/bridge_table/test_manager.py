"""The table-manager protocol: our seats at our table, a recorded exchange, and peers that misbehave."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pytest
from support.ben_client import BenClient

from bridge_env.hands.deals import parse_hand
from bridge_env.records.board import Board
from bridge_env.records.pbn import read_boards, write_boards
from bridge_env.rules.calls import NUM_CALLS, parse_call
from bridge_env.rules.cards import RANKS, SUITS
from bridge_table.programs import table_manager as protocol
from bridge_table.programs.answers import Answers
from bridge_table.programs.manager import Limits, Table, TeamsMatch, seat_players
from bridge_table.programs.question import CallAnswer, CardAnswer, Question
from bridge_table.programs.seat_client import SeatClient, join
from bridge_table.programs.table_manager import Line, TalkError
from training.cli.app import main
from training.evaluation.boards import library_boards

_ONE_AT_A_TIME = threading.Lock()  # eight programs in one process


class Quiet(Answers):
    """Answers of a system and of a player by rules."""

    def call(self, question: Question, details: bool = False) -> CallAnswer:
        with _ONE_AT_A_TIME:
            return super().call(question, details)

    def card(self, question: Question, details: bool = False) -> CardAnswer:
        with _ONE_AT_A_TIME:
            return super().card(question, details)


class Told:
    """Answers that are known before."""

    def __init__(self, *said: str) -> None:
        self.said = list(said)
        self.asked: list[Question] = []

    def call(self, question: Question) -> CallAnswer:
        self.asked.append(question)
        return CallAnswer(parse_call(self.said.pop(0)))

    def card(self, question: Question) -> CardAnswer:
        self.asked.append(question)
        suit, rank = self.said.pop(0)
        return CardAnswer(13 * SUITS.index(suit) + RANKS.index(rank))


def door() -> socket.socket:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    return listening


def test_words_are_read_as_they_are_said():
    for call in range(NUM_CALLS):
        assert protocol.read_call(protocol.call_words(2, call), 2) == (call, "")
        assert protocol.read_call(protocol.call_words(2, call), 1) is None
    assert protocol.read_call("north bids 1nt. Alert. 12 to 14", 0) == (parse_call("1N"), " Alert. 12 to 14")
    assert protocol.read_call("North Passes", 0) == (0, "")
    for card in range(52):
        assert protocol.read_card(protocol.card_words(3, card), 3) == card
    hand = parse_hand("AKJ43..65432.QJT")
    words = protocol.hand_words("East", hand)
    assert words == "East's cards : S A K J 4 3. H -. D 6 5 4 3 2. C Q J T."
    assert np.array_equal(protocol.read_hand(words, "East"), hand)
    for bad in (
        "East's cards : S A K. H -. D -. C -.",
        "East's cards",
        words.replace("A", "A A"),
        words.replace("A", "Z"),
    ):
        assert protocol.read_hand(bad, "East") is None
    assert protocol.read_board(protocol.board_words(7, 2, 3)) == (7, 2, 3)
    assert protocol.read_board("Board number 1. Dealer Nobody. Both vulnerable.") is None


# What a manager says (<) and what North says (>), written after the published description: 1NT by North, dummy South.
EXCHANGE = """\
> Connecting "ours" as North using protocol version 18
< North ("ours") seated
> North ready for teams
< Teams : N/S : "ours" E/W : "theirs"
> North ready to start
< Start of Board
> North ready for deal
< Board number 3. Dealer West. E/W vulnerable.
> North ready for cards
< North's cards : S A T 4 3. H T 8 5 3. D K T. C K T 6.
> North ready for West's bid
< West passes
> North bids 1NT
> North ready for East's bid
< East doubles Alert. a good hand
> North ready for South's bid
< South redoubles
> North ready for West's bid
< West Passes
> North passes
> North ready for East's bid
< East passes
> North ready for East's card to trick 1
< East plays 3C
> North ready for dummy
< Dummy's cards : S K 9 8 5. H A. D A J 7 6. C 9 5 4 2.
> South plays 2C
> North ready for West's card to trick 1
< West plays AC
> North plays 6C
> North ready for West's card to trick 2
< West plays 2D
> North plays KD
> North ready for East's card to trick 2
< East plays 5D
> South plays 6D
< North to lead
> North plays 3H
> North ready for East's card to trick 3
< East plays 6H
> South plays AH
> North ready for West's card to trick 3
< West plays 2H
< Dummy to lead
> South plays 5S
> North ready for West's card to trick 4
"""


def test_a_recorded_exchange():
    ours, theirs = connected()
    line, manager = Line(ours, "the manager", 5), Line(theirs, "North", 5)
    answers = Told("1N", "P", "C2", "C6", "DK", "D6", "H3", "HA", "S5")
    faults: list[str] = []

    def sit() -> None:
        try:
            SeatClient(answers, 0, "ours", line, lambda text: None).run()
        except TalkError as error:
            faults.append(str(error))

    thread = threading.Thread(target=sit)
    thread.start()
    for words in EXCHANGE.splitlines():
        if words[0] == ">":
            assert manager.receive(words) == words[2:]
        else:
            manager.send(words[2:])
    manager.close()
    thread.join(10)
    assert faults == ["the manager hung up where a card of West was expected"]
    assert not answers.said
    last = answers.asked[-1]
    assert last.dummy is not None
    assert last.dummy[51 - 1]  # SK
    assert len(last.played) == 12


def connected() -> tuple[socket.socket, socket.socket]:
    with door() as listening:
        one = socket.create_connection(listening.getsockname())
        return one, listening.accept()[0]


def play(meeting: TeamsMatch, answers: Answers) -> None:
    doors = [door() for _ in range(meeting.rooms)]
    threads = []
    for room, listening in enumerate(doors):
        for seat in range(4):
            name = "AB"[(seat + room) & 1]
            told = (answers, seat, name, "127.0.0.1", listening.getsockname()[1], 60.0, lambda text: None)
            threads.append(threading.Thread(target=join, args=told, daemon=True))
    for thread in threads:
        thread.start()
    meeting.run(doors)
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    for listening in doors:
        listening.close()


def test_a_match_in_two_rooms_is_kept_and_goes_on(tmp_path):
    answers = Quiet("system:sayc", play="rule")
    log, said = tmp_path / "match.pbn", []
    first = TeamsMatch(library_boards(1, 5), log=log, limits=Limits(60, 60), report=said.append)
    play(first, answers)
    assert first.faults == []
    assert first.gains() == {1: 0}  # the same players in all seats
    kept = read_boards(log)
    assert not kept.problems
    assert [board.tags["Room"] for board in kept.boards] == ["Closed", "Open"]
    assert kept.boards[1].tags["North"] == "A"
    assert kept.boards[0].tags["North"] == "B"
    assert any("N/S A, E/W B" in text for text in said)
    again = TeamsMatch(library_boards(2, 5), log=log, limits=Limits(60, 60), report=said.append)
    again.resume()
    assert len(again.played) == 2
    said.clear()
    play(again, answers)
    assert again.gains() == {1: 0, 2: 0}
    assert not any("board 1:" in text for text in said)
    other = TeamsMatch(library_boards(2, 6), log=log)
    with pytest.raises(ValueError, match="another match"):
        other.resume()


@pytest.mark.parametrize("explanation", ["15-17 HCP. Balanced", "15-17, 2-5♠"])
def test_clients_that_speak_as_bens_does_play_a_match(explanation):
    meeting = TeamsMatch(library_boards(2, 5), rooms=1, limits=Limits(20, 20), report=lambda text: None)
    with door() as listening:
        port, players, faults = listening.getsockname()[1], [], []

        def sit(seat: int) -> None:
            try:
                player = BenClient(port, seat, "AB"[seat & 1], explanation)
                players.append(player)
                player.run()
            except Exception as error:
                faults.append(error)

        threads = [threading.Thread(target=sit, args=(seat,), daemon=True) for seat in range(4)]
        for thread in threads:
            thread.start()
        meeting.run([listening])
        for thread in threads:
            thread.join(20)
    assert (meeting.faults, faults) == ([], [])
    assert [player.boards for player in players] == [2] * 4
    one, two = (meeting.played["Open", number] for number in (1, 2))
    assert str(one.contract).startswith("1N")
    assert one.play is not None
    assert (two.auction, two.play) == ((0,) * 4, None)


def test_who_asks_for_what_cannot_be_is_sent_away():
    said: list[str] = []
    with door() as listening:
        address = listening.getsockname()
        asked = [
            "GET / HTTP/1.1",
            'Connecting "A" as Norht using protocol version 18',
            'Connecting "A" as North using protocol version 17',
            'Connecting "A" as North using protocol version 18',
            'Connecting "C" as North using protocol version 18',
            'Connecting "C" as South using protocol version 18',
            "x" * 5000,
        ]
        peers = []
        for text in asked:
            peers.append(socket.create_connection(address))
            peers[-1].sendall(text.encode() + b"\n")
        with pytest.raises(TalkError, match="nobody sat down at East, South, West within 1 seconds"):
            seat_players(listening, Limits(5, 1), said.append)
        for peer in peers:
            peer.close()
    assert len(said) == 6
    for told, why in zip(
        said, ("say Connecting", "say Connecting", "version 18", "taken", "partner is of team", ""), strict=True
    ):
        assert why in told


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("North bids 8NT", "says 'North bids 8NT' where a legal call was expected"),
        ("North doubles", "where a legal call was expected"),
        ("", "says nothing where a call of North was expected"),
        (None, "hung up where a call of North was expected"),
    ],
)
def test_a_player_who_breaks_a_law_or_is_silent_ends_the_room(says, why):
    meeting = TeamsMatch(library_boards(1, 5), rooms=1, limits=Limits(3, 20), report=lambda text: None)
    listening = door()
    thread = threading.Thread(target=meeting.run, args=([listening],))
    thread.start()
    lines = []
    for seat, name in enumerate(protocol.SEAT_NAMES):
        line = Line(socket.create_connection(listening.getsockname()), "manager", 10)
        line.send(f'Connecting "{"AB"[seat & 1]}" as {name} using protocol version 18')
        line.receive("seated")
        lines.append(line)
    for step in ("for teams", "to start", "for deal", "for cards"):
        for line, name in zip(lines, protocol.SEAT_NAMES, strict=True):
            line.send(f"{name} ready {step}")
        for line in lines:
            line.receive(step)
    if says:
        lines[0].send(says)
    elif says is None:
        lines[0].close()
    thread.join(10)
    (fault,) = meeting.faults
    assert fault.startswith("Open room: North (A)")
    assert why in fault


def test_a_seat_says_why_it_ends(capsys):
    with door() as listening:
        port = listening.getsockname()[1]

        def refuse() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(1000)
                peer.sendall(b"Error: North is taken\r\n")

        thread = threading.Thread(target=refuse)
        thread.start()
        assert main(["seat", "pass", "--connect", f"127.0.0.1:{port}", "--seat", "N", "--play", "rule"]) == 2
        thread.join(10)
    assert "gives no seat: Error: North is taken" in capsys.readouterr().out
    assert main(["seat", "pass", "--connect", f"127.0.0.1:{port}", "--seat", "N", "--play", "rule"]) == 2
    assert "no table manager answers" in capsys.readouterr().out
    assert main(["seat", "pass", "--connect", "2000", "--seat", "N"]) == 2
    assert "write HOST:PORT" in capsys.readouterr().err


def test_any_error_of_a_room_is_told(monkeypatch):
    def fail(*_: object) -> None:
        raise KeyError("odd")

    monkeypatch.setattr("bridge_table.programs.manager.seat_players", fail)
    meeting = TeamsMatch(library_boards(1, 5), rooms=1)
    with door() as listening:
        meeting.run([listening])
    assert len(meeting.faults) == 1


def sits(listening: socket.socket, team: str, seat: str) -> Line:
    line = Line(socket.create_connection(listening.getsockname()), "manager", 10)
    line.send(f'Connecting "{team}" as {seat} using protocol version 18')
    return line


def test_a_team_whose_name_no_log_can_hold_is_sent_away():
    said: list[str] = []
    with door() as listening:
        line = sits(listening, "#", "North")
        with pytest.raises(TalkError, match="nobody sat down at North, East, South, West"):
            seat_players(listening, Limits(5, 1), said.append)
        assert "TEAM without a #" in line.receive("why")


def test_who_left_before_the_table_was_full_may_come_again_and_who_is_late_may_not():
    said: list[str] = []
    with door() as listening:
        sits(listening, "A", "North").close()
        again = sits(listening, "A", "North")
        silent = [socket.create_connection(listening.getsockname()) for _ in range(5)]
        with pytest.raises(TalkError, match="nobody sat down at East, South, West within 2 seconds"):
            seat_players(listening, Limits(10, 2), said.append)
        assert again.receive("a seat") == 'North ("A") seated'
        for peer in silent:
            peer.close()
    assert said[0] == "North (A) has left"
    assert len(said) <= 2  # one silent stranger took the rest of the time, the others were not waited for


def test_teams_sit_crosswise_and_are_those_of_the_log(tmp_path):
    meeting = TeamsMatch(library_boards(1, 5))
    meeting.set_teams("Open", ("A", "B"))
    meeting.set_teams("Closed", ("B", "A"))
    for room, teams in (("Closed", ("A", "B")), ("Open", ("A", "C"))):
        with pytest.raises(ValueError, match="each team sits the other way in the other room"):
            meeting.set_teams(room, teams)


def test_a_log_of_other_conditions_is_another_match(tmp_path):
    boards = library_boards(1, 5)
    log = tmp_path / "log.pbn"
    write_boards(log, [Board(boards.owner[0], (int(boards.dealer[0]) + 1) % 4, int(boards.vulnerability[0]), 1)])
    with pytest.raises(ValueError, match="another match"):
        TeamsMatch(boards, log=log).resume()


def test_a_long_explanation_is_cut_before_it_is_passed_on():
    pairs = [connected() for _ in range(4)]
    table = Table([Line(ours, name, 5) for (ours, _), name in zip(pairs, protocol.SEAT_NAMES, strict=True)], ("A", "B"))
    players = [Line(theirs, "manager", 5) for _, theirs in pairs]
    for player, name in zip(players[1:], protocol.SEAT_NAMES[1:], strict=True):
        player.send(f"{name} ready for North's bid")
    players[0].send("North bids 1NT Alert. " + "x" * 2000)
    with pytest.raises(TalkError, match="a call of East"):
        Table(
            table.lines[:1] + [Line(line._connection, line.name, 0.3) for line in table.lines[1:]], ("A", "B")
        )._auction(0, 0)
    assert players[1].receive("the call").startswith("North bids 1NT Alert. xxx")
    assert players[2].receive("the call") == "North bids 1NT"
