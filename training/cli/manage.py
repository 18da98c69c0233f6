"""Command line: ``bridge-env seat`` and ``bridge-env manage``. The handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from training.cli.arguments import add_patience, add_server, natural, whole

_EXAMPLES = """\
examples:
  bridge-env manage --boards 16 --log match.pbn           two rooms, at ports 2000 and 2001; repeat it to go on
  bridge-env seat policy:champion --connect 127.0.0.1:2000 --seat N --name ours
  bridge-env seat policy:champion --connect 127.0.0.1:2001 --seat E --name ours

A match takes eight programs. In the open room (the first port) team A sits North-South, in the closed room East-West.
They speak the table-manager protocol of computer championships, version 18.
"""


_AWAITED = 700.0  # seconds between two lines of a manager: longer than it waits for all to sit down


def add_manage(subparsers: Any) -> None:
    manage = subparsers.add_parser(
        "manage",
        help="run a table manager, where bridge programs play each other",
        description="Deal to bridge programs that connect, let them bid and play, and save the boards.",
        epilog=_EXAMPLES,
    )
    manage.add_argument("--boards", type=natural, default=16, metavar="N", help="number of boards (16)")
    manage.add_argument("--seed", type=int, default=1, help="random seed of the boards (1)")
    manage.add_argument("--deals", metavar="FILE.pbn", help="take the boards from this PBN file")
    manage.add_argument("--rooms", type=int, choices=(1, 2), default=2, help="number of rooms; a match takes two (2)")
    manage.add_argument(
        "--log", metavar="FILE.pbn", type=Path, help="save finished boards to this file, and resume from it"
    )
    manage.add_argument(
        "--port", type=whole(0, 65534), default=2000, help="port of the open room; the closed room has the next (2000)"
    )
    add_server(manage, "an answer after S seconds")
    manage.set_defaults(handler=_manage)
    seat = subparsers.add_parser(
        "seat",
        help="bid and play one seat at a table manager's table",
        description="Bid and play for one seat at the table of a table manager.",
        epilog=_EXAMPLES,
    )
    seat.add_argument("spec", metavar="SPEC", help="the bidder ('bridge-env match --help' lists them)")
    seat.add_argument("--connect", metavar="HOST:PORT", required=True, help="address of the table manager")
    seat.add_argument("--seat", metavar="SEAT", required=True, help="seat to play: N, E, S or W")
    seat.add_argument("--name", metavar="TEAM", default="bridge-env", help="name of the team (bridge-env)")
    seat.add_argument("--opponents", metavar="SPEC", help="read opponents' calls as this bidder's (as SPEC's own)")
    seat.add_argument("--play", metavar="PLAYER", default="montecarlo", help="card player (montecarlo)")
    add_patience(seat, "an answer after S seconds")
    seat.set_defaults(handler=_seat)


def _manage(args: argparse.Namespace) -> int:
    from bridge_table.http.server import listen
    from bridge_table.programs.manager import ROOMS, Limits, TeamsMatch
    from training.match.boards import library_boards, pbn_boards

    boards = pbn_boards(args.deals, args.boards) if args.deals else library_boards(args.boards, args.seed)
    meeting = TeamsMatch(boards, args.rooms, args.log, Limits(args.patience))
    meeting.resume()
    with ExitStack() as stack:
        doors = [stack.enter_context(listen(args.host, args.port + k)) for k in range(args.rooms)]
        for room, door in zip(ROOMS, doors, strict=False):
            print(f"{room} room at {args.host}:{door.getsockname()[1]}")
        meeting.run(doors)
    gains = meeting.gains()
    if gains:
        print(f"{sum(gains.values()):+d} IMPs on {len(gains)} boards for North-South of the open room")
    for fault in meeting.faults:
        print(fault)
    if meeting.faults and args.log is not None:
        print("the same command goes on behind the boards that are kept")
    return 2 if meeting.faults else 0


def _seat(args: argparse.Namespace) -> int:
    from bridge_env.cards import parse_seat
    from bridge_table.programs.answers import Answers, OwnFault
    from bridge_table.programs.seat_client import join
    from bridge_table.programs.table_manager import TalkError

    host, colon, port = args.connect.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"--connect is {args.connect!r}; write HOST:PORT, as in 127.0.0.1:2000")
    if '"' in args.name or not args.name.isascii() or not 0 < len(args.name) <= 60:
        raise ValueError(f"--name is {args.name!r}; it must be plain text of at most 60 characters without quotes")
    answers = Answers(args.spec, args.opponents, args.play, args.patience)
    try:
        boards = join(
            answers, parse_seat(args.seat), args.name, host.strip("[]"), int(port), max(args.patience, _AWAITED)
        )
    except (TalkError, OwnFault) as error:
        print(f"bridge-env: {error}")
        return 2
    print(f"{boards} boards")
    return 0
