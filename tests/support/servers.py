"""Servers on this machine for tests: ours on a real socket, and programs that misbehave."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import EntryPoint

from agents.cardplay import registry as card_players
from bridge_env.bidders import registry as bidders


@contextlib.contextmanager
def serving(spec, opponents=None, play="rule"):
    """Run our server, and yield its address."""
    from bridge_table.http.server import listen, make_server
    from bridge_table.programs.answers import Answers
    from bridge_table.programs.app import make_app

    with contextlib.closing(listen("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        server = make_server(make_app(Answers(spec, opponents, play)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}"
        server.should_exit = True
        thread.join(10)


@contextlib.contextmanager
def program(answer):
    """Run another program, and yield its address; ``answer(path)`` returns status and body, or None to hang up."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = answer(self.path)
            if found is None:
                self.connection.close()
                return
            status, body = found
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args):
            pass

    with Quiet(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def publish_seat(monkeypatch):
    """Let ``seat:`` be known even where the package was installed before it had this entry point."""
    for registry, factory in ((bidders, "make_seat"), (card_players, "make_seat_player")):
        seat = EntryPoint("seat", f"bridge_table.programs.seat:{factory}", registry.ENTRY_POINT_GROUP)
        known = {**registry._published(), "seat": seat}
        monkeypatch.setattr(registry, "_published", lambda known=known: known)


# --- A player that says and awaits what BEN's client of the table-manager protocol does, step by step ---

SEATS = ("North", "East", "South", "West")


class BenClient:
    def __init__(self, port: int, seat: int, team: str, explanation: str) -> None:
        self.seat, self.explanation, self.boards = seat, explanation, 0
        self.lines = socket.create_connection(("127.0.0.1", port), 30).makefile("rw", encoding="utf-8", newline="")
        self.say(f'Connecting "{team}" as {SEATS[seat]} using protocol version 18')
        self.hear()
        self.say(f"{SEATS[seat]} ready for teams")
        assert re.findall(r'N/S : "([^"]+)" E/W : "([^"]+)"', self.hear())
        self.say(f"{SEATS[seat]} ready to start")

    def say(self, text: str) -> None:
        self.lines.write(text + "\r\n")
        self.lines.flush()

    def hear(self) -> str:
        return self.lines.readline().replace("\r", "").replace("\n", "")

    def run(self) -> None:
        """Play until the session ends."""
        while (line := self.hear()) != "End of session":
            assert line == "Start of Board"
            self.say(f"{SEATS[self.seat]} ready for deal")
            told = self.hear()
            assert re.search(r"Board number (\d+)\.", told)
            found = re.search(r"([a-zA-Z]+?)\.\s(.+?)\svulnerable", told)
            assert found is not None
            assert found[2] in {"Neither", "N/S", "E/W", "Both"}
            self.say(f"{SEATS[self.seat]} ready for cards")
            self.hand = self.cards(self.hear())
            calls = self.bid("NESW".index(found[1][0]))
            if calls.strip("P"):
                self.play(self.declarer, SEATS[self.declarer ^ 2])
            assert self.hear().startswith("Timing")
            self.boards += 1

    @staticmethod
    def cards(line: str) -> list[str]:
        suits = re.sub(r"[ \-SHDC]", "", line[line.index(":") + 1 : line.rindex(".")]).split(".")
        assert sum(map(len, suits)) == 13
        return [rank + suit for suit, held in zip("SHDC", suits, strict=True) for rank in held]

    def bid(self, turn: int) -> str:
        calls, opener = "", turn if self.boards == 0 else -1
        self.declarer = turn
        while not (len(calls) >= 4 and calls.endswith("PPP")):
            if turn == self.seat:
                opens = turn == opener and not calls
                self.say(f"{SEATS[turn]} " + (f"bids 1NT Alert. {self.explanation}" if opens else "passes"))
                calls += "1" if opens else "P"
            else:
                self.say(f"{SEATS[self.seat]} ready for {SEATS[turn]}'s bid")
                words = self.hear().strip().split()
                assert words[0] == SEATS[turn]
                assert words[1] in ("passes", "bids")
                calls += "P" if words[1] == "passes" else "1"
            turn = (turn + 1) % 4
        return calls

    def play(self, declarer: int, dummy: str) -> None:
        turn = leader = (declarer + 1) % 4
        mine = {self.seat} - {declarer ^ 2} | ({declarer ^ 2} if self.seat == declarer else set())
        table: list[str] = []
        trick: list[str] = []
        for number in range(52):
            if not trick and turn in mine:
                self.hear()  # "... to lead"
            if number == 1 and SEATS[self.seat] != dummy:
                self.say(f"{SEATS[self.seat]} ready for dummy")
                table = self.cards(self.hear())
            if turn in mine:
                held = self.hand if turn == self.seat else table
                card = next((c for c in held if trick and c[1] == trick[0][1]), held[0])
                held.remove(card)
                self.say(f"{SEATS[turn]} plays {card}")
            else:
                who = "dummy" if SEATS[turn] == dummy else SEATS[turn]
                self.say(f"{SEATS[self.seat]} ready for {who}'s card to trick {number // 4 + 1}")
                words = self.hear().strip().split()
                assert words[0] == SEATS[turn]
                card = words[-1]
            trick.append(card)
            turn = (turn + 1) % 4
            if len(trick) == 4:
                strength = ["23456789TJQKA".index(c[0]) if c[1] == trick[0][1] else -1 for c in trick]
                turn = leader = (leader + strength.index(max(strength))) % 4
                trick = []
