"""Call bidders and check their calls; the errors name the bidder and show the auction."""

from __future__ import annotations

import os
import traceback
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.protocols import Bidder, Explains
from bridge_env.bidders.registry import player_at
from bridge_env.bidders.view import BidView
from bridge_env.rules.auction import IllegalCall
from bridge_env.rules.calls import CALL_NAMES, NUM_CALLS, parse_call
from bridge_env.rules.cards import SEATS


class BidderError(IllegalCall):
    """A bidder failed, or its call is not legal; the message names the bidder and shows the auction."""


class BidderUnreachable(BidderError):
    """A bidder that is another program does not answer, after all retries; it will not for other boards."""


def bidder_name(bidder: Bidder) -> str:
    """Return the name of a bidder in messages: its class."""
    return f"bidder {type(bidder).__module__}.{type(bidder).__qualname__}"


def call_bidder(bidder: Bidder, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.integer[Any]]:
    """Return the calls of a bidder, whole numbers (len(view),), which may be illegal.

    Args:
        view: N seats to call.
        key: uint64 (N,), the calls' own streams.

    Raises:
        BidderError: it returned something else, or raised an exception, which is then the cause.
    """
    try:
        calls = np.asarray(bidder.bid(view, key))
    except BidderError:
        raise
    except Exception as error:
        rows = f"for {len(view)} calls, the first " * (len(view) > 1)
        fault = BidderError(f"{bidder_name(bidder)} failed {rows}after {auction_text(view, 0)}: {error_line(error)}")
        fault.row = 0 if len(view) == 1 else None
        raise fault from error
    if calls.shape != (len(view),) or calls.dtype.kind not in "iu":
        raise BidderError(
            f"{bidder_name(bidder)} returned {calls.dtype} {calls.shape} for {len(view)} calls; "
            f"bid(view, key) returns one whole number for every row, 0 to {NUM_CALLS - 1}"
        )
    return calls


def legal_calls(bidder: Bidder, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.integer[Any]]:
    """Return the calls of a bidder, all legal; otherwise as :func:`call_bidder`.

    Raises:
        BidderError: also of a call that is not legal; ``row`` and ``call`` are the first such of the view.
    """
    calls = call_bidder(bidder, view, key)
    inside = (calls >= 0) & (calls < NUM_CALLS)
    bad = np.flatnonzero(~(inside & view.mask[np.arange(len(calls)), np.where(inside, calls, 0)]))
    if len(bad):
        row, call = int(bad[0]), int(calls[bad[0]])
        player = player_at(bidder, int(view.seat[row]))
        name = CALL_NAMES[call] if 0 <= call < NUM_CALLS else str(call)
        fault = BidderError(f"{bidder_name(player)}: {name} is not legal after {auction_text(view, row)}")
        fault.row, fault.call = row, call
        raise fault
    return calls


def explain_call(bidder: Explains, view: BidView, key: NDArray[np.uint64]) -> str:
    """Return a bidder's explanation of its call in the one row of ``view``; the call itself is on the first line.

    Raises:
        BidderError: there is none, or one for a call that is not legal.
    """
    name, where = bidder_name(bidder), auction_text(view, 0)  # type: ignore[arg-type]
    try:
        text = bidder.explain(view, key)
        call = parse_call(text.split("\n", 1)[0].split()[0])
    except BidderError:
        raise
    except Exception as error:
        raise BidderError(f"{name} failed to explain its call after {where}: {error_line(error)}") from error
    if not view.mask[0, call]:
        raise BidderError(f"{name}: {CALL_NAMES[call]} is not legal after {where}")
    return printable(text)


def auction_text(view: BidView, row: int) -> str:
    """Return the auction of a row of a view: ``"N: 1C Pass"``."""
    words = " ".join(CALL_NAMES[call] for call in view.history[row] if call >= 0)
    return f"{SEATS[int(view.dealer[row])]}: {words}" if words else "no call"


def error_line(error: BaseException) -> str:
    """Return the last line of an error's traceback, and the line of code that it came from."""
    line = printable(traceback.format_exception_only(error)[-1].strip())
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return line
    frame = frames[-1]
    return f"{line} ({os.path.basename(frame.filename)}, line {frame.lineno}, in {frame.name})"


def printable(text: str) -> str:
    """Return ``text`` with line ends, and a question mark for each other character that is not printable."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
