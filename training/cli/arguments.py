"""Kinds of arguments that commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from training.match.faults import Allowance

FAULTS = ("stop", "leave-out")


def positive(text: str) -> int:
    """A whole number from 1 up."""
    return _from(1, text)


def natural(text: str) -> int:
    """A whole number from 0 up."""
    return _from(0, text)


def _from(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} up")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds, more than 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, more than 0")
    return number


def add_address(parser: Any) -> None:
    """Add where Ray runs."""
    parser.add_argument("--address", help="address of a running Ray cluster: auto, HOST:PORT or ray://HOST:PORT")


def add_allowance(parser: Any) -> None:
    """Add what is done about a bidder that fails, hangs or makes an illegal call."""
    group = parser.add_argument_group("bidders that fail")
    group.add_argument(
        "--patience", type=seconds, metavar="S",
        help="give up on a bidder that needs more than S seconds for a call (wait for ever)",
    )  # fmt: skip
    group.add_argument(
        "--faults", choices=FAULTS, default=FAULTS[0],
        help="stop at the first fault of a bidder, or leave out its board and go on (stop)",
    )  # fmt: skip


def allowance_of(args: argparse.Namespace) -> Allowance:
    """What ``add_allowance`` was told."""
    from training.match.faults import Allowance

    return Allowance(args.patience, args.faults == FAULTS[1])
