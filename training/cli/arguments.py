"""Arguments that commands share: kinds of numbers, bidders, boards, and the command that was given again."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from training.cli.terminal import left_out

if TYPE_CHECKING:
    from training.match.boards import Boards

_TOO_LARGE = 1 << 62  # with room for numbers that begin at it
SPECS = """\
A SPEC names a bidder:
  system:sayc             a bidding system that comes with the package: standard American
  system:two-over-one     another: two over one game forcing; the default
  policy:champion         a network that learned in the league; policy:polish and others learned from recorded auctions
  policy:FILE             a network of yours ('bridge-env fit policy' and 'bridge-env train' make them)
  system:FILE.bidding     a bidding system in a file of yours
  system:sayc?without=splinter    a system without a convention
  reason:sayc             thinks before it calls: samples deals, looks ahead, departs from the system where that pays
  reason:sayc?samples=128&look=minimax    options: samples or seconds, look=systems|minimax,
                          caution, margin, candidates, near, trust, recall
  reason:empty            the same without any system
  cases:FILE              makes the call of the most similar cases in a case base ('bridge-env fit cases' makes one)
  som:FILE                makes the call of similar hands, found by self-organizing maps ('bridge-env fit maps')
  pass, random, doubler   always passes; any legal call; passes but doubles opposing bids from 2NT up
  pair:SPEC,SPEC          a partnership of two different bidders: the first sits N or E, the second S or W
  seat:URL                another program, asked over HTTP: seat:http://127.0.0.1:8085
  python:module:factory   your own: factory() gives an object with bid(view, key)
"""


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """The kind of a whole number from ``least`` up, or to ``most``."""
    span = f"from {least} up" if most is None else f"from {least} to {most}"

    def kind(text: str) -> int:
        if not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {span}")
        if int(text) >= _TOO_LARGE:
            raise argparse.ArgumentTypeError(f"{text} is too large a number")
        return int(text)

    return kind


natural, positive, port = whole(0), whole(1), whole(0, 65535)


def above_0(text: str) -> float:
    """A number of seconds, minutes or hours, more than 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def words_of(args: argparse.Namespace, usual: Mapping[str, Any]) -> list[str]:
    """The options that are not as usual, as words of a command: ``--seed 3``."""
    given = [(name, value) for name, default in usual.items() if (value := getattr(args, name)) != default]
    return [word for name, value in given for word in (f"--{name.replace('_', '-')}", str(value))]


def add_address(parser: Any) -> None:
    """Add where Ray runs."""
    parser.add_argument("--address", help="address of a running Ray cluster: auto, HOST:PORT or ray://HOST:PORT")


def add_server(parser: Any, too_slow: str = "a bidder or player that needs more than S seconds for an answer") -> None:
    """Add where a server listens, and how long it waits for an answer."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="listen on this address; 0.0.0.0 admits other machines (127.0.0.1)"
    )
    add_patience(parser, too_slow)


def add_patience(parser: Any, too_slow: str) -> None:
    """Add how long a server, or a seat, waits for an answer."""
    parser.add_argument("--patience", type=above_0, default=120.0, metavar="S", help=f"give up on {too_slow} (120)")


def add_board_options(group: Any, count: str) -> None:
    group.add_argument("--boards", type=positive, metavar="N", help=f"number of boards ({count})")
    group.add_argument("--seed", type=int, default=1, help="random seed of the boards and the bidders (1)")
    group.add_argument("--deals", metavar="FILE.pbn", help="take the boards from this PBN file")


def boards_of(args: argparse.Namespace, default: int) -> Boards:
    from training.match.boards import library_boards, pbn_boards

    if args.deals is None:
        return library_boards(args.boards or default, args.seed)
    boards = pbn_boards(args.deals, args.boards)
    left_out(boards.problems)
    return boards
