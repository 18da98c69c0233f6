"""``bridge-env table``, ``serve``, ``manage`` and ``seat``."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from training.cli.options import BoardOptions, Port, Positive, Seed, ServerOptions

_MANAGER_SECONDS = 700.0  # between two lines of a manager: longer than it waits for all to sit down


def table(
    *specs: str,
    port: Port | None = None,
    server: ServerOptions = ServerOptions(),
    seed: Seed | None = None,
    no_browser: bool = False,
    memory: str | None = None,
) -> int:
    """Bid and play boards in the browser, see what each call shows, what others call, and where it went wrong.

        bridge-env table                             open the table in the browser
        bridge-env table system:mine.bidding         offer a bidder of yours as well
        bridge-env table --port 9000 --no-browser    print the address only
        bridge-env table --seed 7                    repeat the same boards
        bridge-env table --memory none               save nothing

    Unless --host says otherwise, the server answers on this machine only. Its address contains a key,
    the same at each start, so that bookmarks last; with --host or --memory none a new one. It uses files and Python
    modules only if you name them here; the page itself takes .bidding, PBN and LIN texts.

    Args:
        specs: bidders to choose from besides the package's own
        port: listen on this port (default 8737, or the next that is free)
        seed: random seed of the deals (default: random)
        no_browser: print the address, open no browser
        memory: save finished boards in this file; none: save nothing (default: table.sqlite in your folder for data)
    """
    from bridge_table.serving import serve_table

    serve_table(specs, server.host, port, seed, not no_browser, server.patience, memory)
    return 0


def serve(
    spec: str = "system:two-over-one",
    /,
    *,
    opponents: str | None = None,
    play: str = "montecarlo",
    port: Port = 8085,
    server: ServerOptions = ServerOptions(),
) -> int:
    """Answer other bridge programs over HTTP with the calls of a bidder and the cards of a card player.

        bridge-env serve                                        the default bidder at http://127.0.0.1:8085
        bridge-env serve policy:champion --opponents system:sayc
        bridge-env serve system:mine.bidding --play rule --port 9000
        curl "http://127.0.0.1:8085/bid?hand=AK97543.K.T3.AK7&seat=S&dealer=N&vul=&ctx=----"
        bridge-env match system:sayc seat:http://127.0.0.1:8085 --boards 100

    Requests and answers are those of BEN (/bid, /lead, /play, /explain ...; Brill's too).
    Unless --host says otherwise, the server answers on this machine only.

    Args:
        spec: the bidder
        opponents: read opponents' calls as this bidder's (default: as SPEC's own)
        play: card player
        port: listen on this port; 0: any that is free
    """
    from bridge_table.serving import serve_programs

    serve_programs(spec, opponents, play, server.host, port, server.patience)
    return 0


def manage(
    *,
    boards: BoardOptions = BoardOptions(),
    rooms: Literal[1, 2] = 2,
    log: Path | None = None,
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65534))] = 2000,
    server: ServerOptions = ServerOptions(),
) -> int:
    """Run a table manager: deal to bridge programs that connect, let them bid and play, and save the boards.

        bridge-env manage --boards 16 --log match.pbn           two rooms, at ports 2000 and 2001; repeat it to go on
        bridge-env seat policy:champion --connect 127.0.0.1:2000 --seat N --name ours
        bridge-env seat policy:champion --connect 127.0.0.1:2001 --seat E --name ours

    A match takes eight programs. In the open room (the first port) team A sits North-South, in the closed room
    East-West. They speak the table-manager protocol of computer championships, version 18. 16 boards if --boards and
    --deals are missing.

    Args:
        rooms: number of rooms; a match takes two
        log: save finished boards to this PBN file, and resume from it
        port: port of the open room; the closed room has the next
    """
    from bridge_table.http.server import listen
    from bridge_table.programs.manager import ROOMS, TeamsMatch

    match = TeamsMatch(boards.read(16), rooms, log, server.patience)
    match.resume()
    with ExitStack() as stack:
        sockets = [stack.enter_context(listen(server.host, port + k)) for k in range(rooms)]
        for room, socket in zip(ROOMS, sockets, strict=False):
            print(f"{room} room at {server.host}:{socket.getsockname()[1]}")
        match.run(sockets)
    gains = match.gains()
    if gains:
        print(f"{sum(gains.values()):+d} IMPs on {len(gains)} boards for North-South of the open room")
    print(*match.faults, sep="\n", end="\n" * bool(match.faults))
    if match.faults and log is not None:
        print("the same command goes on behind the boards that are saved")
    return 2 if match.faults else 0


def seat(
    spec: str,
    /,
    *,
    connect: str,
    seat: Literal["N", "E", "S", "W"],
    name: str = "bridge-env",
    opponents: str | None = None,
    play: str = "montecarlo",
    patience: Positive = 120.0,
) -> int:
    """Bid and play for one seat at the table of a table manager; 'bridge-env manage --help' has an example.

    Args:
        spec: the bidder ('bridge-env match --help' lists them)
        connect: HOST:PORT of the table manager
        seat: seat to play
        name: name of the team
        opponents: read opponents' calls as this bidder's (default: as SPEC's own)
        play: card player
        patience: seconds after which an answer is given up
    """
    from bridge_env.bidders.errors import BidderError
    from bridge_env.rules.cards import parse_seat
    from bridge_table.programs.answers import Answers
    from bridge_table.programs.seat_client import join
    from bridge_table.programs.table_manager import TalkError

    host, colon, port = connect.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"--connect is {connect!r}; write HOST:PORT, as in 127.0.0.1:2000")
    if '"' in name or not name.isascii() or not 0 < len(name) <= 60:
        raise ValueError(f"--name is {name!r}; it must be plain text of at most 60 characters without quotes")
    answers = Answers(spec, opponents, play)
    seconds = max(patience, _MANAGER_SECONDS)
    try:
        boards = join(answers, parse_seat(seat), name, host.strip("[]"), int(port), seconds)
    except (TalkError, BidderError) as error:
        print(f"bridge-env: {error}")
        return 2
    print(f"{boards} boards")
    return 0
