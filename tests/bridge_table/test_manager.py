"""The table-manager protocol: our seats at our table, a recorded exchange, and peers that misbehave."""

import socket
import threading

import numpy as np
import pytest

from bridge_env.hands.deals import parse_hand
from bridge_env.records.pbn import read_boards
from bridge_env.rules.calls import NUM_CALLS, parse_call
from bridge_table.programs import table_manager as protocol
from bridge_table.programs.answers import Answers
from bridge_table.programs.ben import Question
from bridge_table.programs.manager import TeamsMatch, seat_players
from bridge_table.programs.seat_client import SeatClient, join
from bridge_table.programs.table_manager import Connection, TalkError
from training.cli.app import main
from training.evaluation.boards import library_boards

_ONE_AT_A_TIME = threading.Lock()  # eight programs in one process


class Quiet(Answers):
    """Answers of a system and of a player by rules."""

    def call(self, question, details=False):
        with _ONE_AT_A_TIME:
            return super().call(question, details)

    def card(self, question):
        with _ONE_AT_A_TIME:
            return super().card(question)


class Prepared:
    """Prepared answers."""

    def __init__(self, *words):
        self.answers = list(words)
        self.questions: list[Question] = []

    def call(self, question):
        self.questions.append(question)
        return {"bid": self.answers.pop(0)}

    def card(self, question):
        self.questions.append(question)
        return {"card": self.answers.pop(0)}


def listener():
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    return listening


def test_messages_are_read_as_they_are_written():
    every = np.ones(52, np.bool_)
    for call in range(NUM_CALLS):
        assert protocol.read_call(protocol.call_words(2, call), 2, every) == (call, "")
        assert protocol.read_call(protocol.call_words(2, call), 1, every) is None
    assert protocol.read_call("north bids 1nt. Alert. 12 to 14", 0, every) == (parse_call("1N"), " Alert. 12 to 14")
    assert protocol.read_call("North Passes", 0, every) == (0, "")
    for card in range(52):
        assert protocol.read_card(protocol.card_words(3, card), 3, every) == card
        assert protocol.read_card(protocol.card_words(3, card), 3, ~every) is None
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
    line, manager = Connection(ours, "the manager", 5), Connection(theirs, "North", 5)
    answers = Prepared("1N", "P", "C2", "C6", "DK", "D6", "H3", "HA", "S5")
    faults: list[str] = []

    def sit():
        try:
            SeatClient(answers, 0, "ours", line).run()
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
    assert not answers.answers
    last = answers.questions[-1]
    assert last.dummy is not None
    assert last.dummy[51 - 1]  # SK
    assert len(last.played) == 12


def connected():
    with listener() as listening:
        one = socket.create_connection(listening.getsockname())
        return one, listening.accept()[0]


def play(meeting, answers):
    listeners = [listener() for _ in range(meeting.rooms)]
    threads = []
    for room, listening in enumerate(listeners):
        for seat in range(4):
            name = "AB"[(seat + room) & 1]
            found = (answers, seat, name, "127.0.0.1", listening.getsockname()[1], 60.0)
            threads.append(threading.Thread(target=join, args=found, daemon=True))
    for thread in threads:
        thread.start()
    meeting.run(listeners)
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    for listening in listeners:
        listening.close()


def test_a_match_in_two_rooms_is_saved_and_resumed(tmp_path, capsys):
    answers = Quiet("system:sayc", play="rule")
    answers.warm_up()  # compiling may take longer than their patience
    log = tmp_path / "match.pbn"
    first = TeamsMatch(library_boards(1, 5), log=log, patience=60, seating=60)
    play(first, answers)
    assert first.faults == []
    assert first.gains() == {1: 0}  # the same players in all seats
    saved = read_boards(log)
    assert not saved.problems
    assert [board.tags["Room"] for board in saved.boards] == ["Closed", "Open"]
    assert saved.boards[1].tags["North"] == "A"
    assert saved.boards[0].tags["North"] == "B"
    assert "Open: N/S A, E/W B" in capsys.readouterr().out
    again = TeamsMatch(library_boards(2, 5), log=log, patience=60, seating=60)
    again.resume()
    assert len(again.played) == 2
    play(again, answers)
    assert again.gains() == {1: 0, 2: 0}
    assert "board 1:" not in capsys.readouterr().out
    other = TeamsMatch(library_boards(2, 6), log=log)
    with pytest.raises(ValueError, match="another match"):
        other.resume()


def test_impossible_requests_for_a_seat_are_refused(capsys):
    with listener() as listening:
        address = listening.getsockname()
        request = [
            "GET / HTTP/1.1",
            'Connecting "A" as Norht using protocol version 18',
            'Connecting "#" as North using protocol version 18',
            'Connecting "A" as North using protocol version 17',
            'Connecting "A" as North using protocol version 18',
            'Connecting "C" as North using protocol version 18',
            'Connecting "C" as South using protocol version 18',
            "x" * 5000,
        ]
        peers = []
        for text in request:
            peers.append(socket.create_connection(address))
            peers[-1].sendall(text.encode() + b"\n")
        with pytest.raises(TalkError, match="nobody sat down at East, South, West within 1 seconds"):
            seat_players(listening, "Open", 5, 1)
        for peer in peers:
            peer.close()
    words = capsys.readouterr().out.splitlines()
    assert len(words) == 7
    for found, why in zip(
        words,
        ("say Connecting", "say Connecting", "without a #", "version 18", "taken", "partner is of team", ""),
        strict=True,
    ):
        assert why in found


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("North bids 8NT", "says 'North bids 8NT' where a legal call of North was expected"),
        ("", "says nothing where a legal call of North was expected"),
        (None, "hung up where a legal call of North was expected"),
    ],
)
def test_an_illegal_or_silent_player_ends_the_room(says, why):
    meeting = TeamsMatch(library_boards(1, 5), rooms=1, patience=1, seating=20)
    listening = listener()
    thread = threading.Thread(target=meeting.run, args=([listening],))
    thread.start()
    lines = []
    for seat, name in enumerate(protocol.SEAT_NAMES):
        line = Connection(socket.create_connection(listening.getsockname()), "manager", 10)
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
    with listener() as listening:
        port = listening.getsockname()[1]

        def refuse():
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


def test_teams_sit_crosswise_and_are_those_of_the_log(tmp_path):
    meeting = TeamsMatch(library_boards(1, 5))
    meeting.set_teams("Open", ("A", "B"))
    meeting.set_teams("Closed", ("B", "A"))
    for room, teams in (("Closed", ("A", "B")), ("Open", ("A", "C"))):
        with pytest.raises(ValueError, match="each team sits the other way in the other room"):
            meeting.set_teams(room, teams)
