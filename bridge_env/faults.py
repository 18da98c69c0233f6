"""A bidder's own faults: whatever it does when it is asked, the error names it, the auction, and where it went wrong.

It may raise anything, leave by ``SystemExit``, or give something that is no call; a fault is one kind of error, and is
none of the program's that asked. Only Ctrl-C is nobody's fault.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import IllegalCall
from bridge_env.bidders import player_at
from bridge_env.calls import CALL_NAMES, NUM_CALLS, CallError, parse_call
from bridge_env.cards import SEATS
from bridge_env.protocols import Bidder, Explains
from bridge_env.view import BidView

LONGEST = 2000  # characters of another's error
NAMED = 64  # rows that are asked one by one, to find out which of them a bidder cannot bear


class BidderFault(IllegalCall):
    """A bidder gave something that is no legal call; the message names it and shows the auction."""


class NotCalls(BidderFault, TypeError):
    """A bidder did not give one whole number for every row."""


class Failed(BidderFault, RuntimeError):
    """A bidder gave no answer: it raised something, or wanted to end the process. The message tells its last line."""


class Late(BidderFault, TimeoutError):
    """A bidder gave no answer in time."""


class BidderUnreachable(BidderFault):
    """A bidder that is another program does not answer, however often it is asked; it will not for other boards."""


def bidder_name(bidder: Bidder) -> str:
    """What faults call a bidder: its class."""
    return f"bidder {type(bidder).__module__}.{type(bidder).__qualname__}"


def answer_of(
    bidder: Bidder, view: BidView, key: NDArray[np.uint64], ask: Callable[..., Any] | None = None
) -> NDArray[np.integer[Any]]:
    """The calls of a bidder, whole numbers (len(view),), of which nobody has seen if they are legal.

    Args:
        bidder: it is shown ``view`` and ``key`` and nothing else.
        view: N seats to call; key: uint64 (N,), the calls' own streams.
        ask: what to ask by in place of ``bidder.bid``.

    Raises:
        NotCalls: it gave something else.
        Failed: it gave nothing; ``row`` is the first of the view at which it fails alone, if one is found soon.
        BidderFault: its own words on what happened.
    """
    try:
        calls = np.asarray((ask or bidder.bid)(view, key))
    except (BidderFault, KeyboardInterrupt):
        raise
    except BaseException as error:  # somebody's own may fail in any way
        fault = _found(bidder, view, key, error, ask)
        raise fault from error
    if calls.shape != (len(view),) or calls.dtype.kind not in "iu":
        raise NotCalls(
            f"{bidder_name(bidder)} was asked for {len(view)} calls and gave {calls.dtype} {calls.shape}; "
            f"bid(view, key) returns one whole number for every row, 0 to {NUM_CALLS - 1}"
        )
    return calls


def legal_answer_of(bidder: Bidder, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.integer[Any]]:
    """The same, and every call is legal.

    Raises:
        BidderFault: also of a call that is not legal; ``row`` and ``call`` say which, the first of the view.
    """
    calls = answer_of(bidder, view.take(np.arange(len(view))), key.copy())  # it may write to what is its own
    bad = np.flatnonzero(~are_legal(view.mask, calls))
    if len(bad):
        row, call = int(bad[0]), int(calls[bad[0]])
        who = player_at(bidder, int(view.seat[row]))
        name = CALL_NAMES[call] if 0 <= call < NUM_CALLS else str(call)
        fault = BidderFault(f"{bidder_name(who)}: {name} is not legal after {said(view, row)}")
        fault.row, fault.call = row, call
        raise fault
    return calls


def are_legal(mask: NDArray[np.bool_], calls: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Which of the calls (N,) are calls, and legal by ``mask`` (N, 38): bool (N,)."""
    inside = (calls >= 0) & (calls < NUM_CALLS)
    return inside & mask[np.arange(len(mask)), np.where(inside, calls, 0)]


def explained(bidder: Explains, view: BidView, key: NDArray[np.uint64]) -> str:
    """The reason that a bidder gives for its call in the one row of ``view``; the call itself is on the first line.

    Raises:
        BidderFault: it gave none, or one for a call that is not legal.
    """
    name = bidder_name(bidder)  # type: ignore[arg-type]
    try:
        text = bidder.explain(view.take(np.arange(len(view))), key.copy())  # it may write to what is its own
        call = parse_call(text.split("\n", 1)[0].split()[0])
    except (BidderFault, KeyboardInterrupt):
        raise
    except CallError:
        raise BidderFault(
            f"{name} explained no call after {said(view, 0)}; the first line of explain(view, key) is the call"
        ) from None
    except BaseException as error:
        raise Failed(f"{name} failed to explain its call after {said(view, 0)}: {last_line(error)}") from error
    if not view.mask[0, call]:
        raise BidderFault(f"{name}: {CALL_NAMES[call]} is not legal after {said(view, 0)}")
    return printable(text)


def _found(
    bidder: Bidder, view: BidView, key: NDArray[np.uint64], error: BaseException, ask: Callable[..., Any] | None
) -> Failed:
    """The fault behind ``error``, and the row it happens at."""
    row = 0 if len(view) == 1 else None
    for at in range(min(len(view), NAMED) if row is None else 0):
        try:
            (ask or bidder.bid)(view.take(np.array([at])), key[at : at + 1])
        except KeyboardInterrupt:
            raise
        except BaseException as again:
            row, error = at, again
            break
    where = f"after {said(view, row)}" if row is not None else f"when it was asked for {len(view)} calls at once"
    who = bidder if row is None else player_at(bidder, int(view.seat[row]))
    fault = Failed(f"{bidder_name(who)} failed {where}: {last_line(error)}")
    fault.row = row
    return fault


def said(view: BidView, row: int) -> str:
    """The auction that a row of a view shows: ``"N: 1C Pass"``."""
    words = " ".join(CALL_NAMES[call] for call in view.history[row] if call >= 0)
    return f"{SEATS[int(view.dealer[row])]}: {words}" if words else "no call"


def last_line(error: BaseException) -> str:
    """The last line of an error's traceback, and the line of code that it came from."""
    line = printable(traceback.format_exception_only(error)[-1].strip()[:LONGEST])
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return line
    frame = frames[-1]
    return f"{line} ({os.path.basename(frame.filename)}, line {frame.lineno}, in {frame.name})"


def printable(text: str) -> str:
    """``text`` without what would steer a terminal: line ends stay."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
