"""Show hands, deals, auctions, boards and results: drawn in a notebook, as text anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bridge_env.display import html
from bridge_env.display.text import (
    auction_table,
    auctions_text,
    boards_text,
    deal_diagram,
    hand_lines,
    record_text,
    result_line,
    trick_table,
)  # fmt: skip
from bridge_env.double_dummy.boards import Boards
from bridge_env.hands.deals import parse_deal, parse_hand
from bridge_env.records.board import Board
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import Contract, call_text, parse_call
from bridge_env.rules.cards import parse_seat, parse_vulnerability


class ShowError(ValueError):
    """Something that cannot be shown; the message lists what can."""


@dataclass(frozen=True)
class Shown:
    """The result of ``show``: a notebook draws it, ``str`` is the text.

    Attributes:
        kind: hand, deal, auction, result, tricks, or the name of a type.
        text: for terminals.
        drawing: HTML with its style.
    """

    kind: str
    text: str = field(repr=False)
    drawing: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.drawing


def show(
    thing: Any,
    *,
    dealer: int | str | None = None,
    vulnerability: int | str | None = None,
    number: int | None = None,
    tricks: int | None = None,
    notes: Mapping[int, str] | None = None,
) -> Shown:
    """Show something of bridge. Outside a notebook its text is printed as well.

    Args:
        thing: a hand (``"AKQ2.T98.J7.A543"``, or bool (52,)); a deal (``"N:..."``, or owners (52,)); an auction
            (``"1NT Pass 3NT"``, or a list of calls); a ``Contract``; double-dummy tricks (4, 5); or what draws itself:
            a ``Board``, ``Boards``, ``Auctions``, the result of a match.
        dealer: of a deal or an auction (an auction without one begins with North).
        vulnerability: of a deal, an auction or a contract.
        number: the board's, beside a deal.
        tricks: declarer's, of a contract.
        notes: what calls of an auction show, by their place.

    Returns:
        an object with ``_repr_html_`` (notebooks draw it) and a text (``str``).

    Raises:
        ShowError: not one of these.
        ValueError: a text that is no hand, no deal or no auction; the message says where.
    """
    seat = None if dealer is None else parse_seat(dealer)
    code = None if vulnerability is None else parse_vulnerability(vulnerability)
    shown = _shown(thing, seat, code, number, tricks, notes)
    if not in_notebook():
        print(shown.text)
    return shown


def in_notebook() -> bool:
    """Return whether this process serves a notebook, which draws the value of a cell."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _shown(
    thing: Any, dealer: int | None, code: int | None, number: int | None, tricks: int | None,
    notes: Mapping[int, str] | None,
) -> Shown:  # fmt: skip
    if isinstance(thing, Auctions):
        return Shown("auctions", auctions_text(thing), html.framed(html.auctions_html(thing)))
    if isinstance(thing, Boards):
        return Shown("boards", boards_text(thing), html.framed(html.boards_html(thing)))
    if isinstance(thing, Board):
        return Shown("board", record_text(thing), html.framed(html.board_html([thing])))
    if hasattr(thing, "_repr_html_"):  # such as the result of a match, whose ``str`` is the text of the same
        return Shown(type(thing).__name__, str(thing), thing._repr_html_())
    if isinstance(thing, Contract):
        line = result_line(thing, tricks, code or 0)
        return _framed("result", line, f'<p class="bridge-result">{html.result_html(thing, tricks, code or 0)}</p>')
    found = _read(thing)
    if isinstance(found, list):
        first, vulnerable = dealer or 0, code or 0
        text = auction_table(found, first, vulnerable)
        shown = notes or {}
        text += "".join(f"\n{call_text(found[place])}: {shown[place]}" for place in sorted(shown) if place < len(found))
        table = html.auction_html(found, first, vulnerable, shown, shown)
        table += html.notes_html(found, first, shown)
        return _framed("auction", text, f'<section class="bridge-table">{table}</section>')
    if found.shape == (4, 5):
        return _framed("tricks", trick_table(found), html.tricks_html(found))
    if found.dtype == np.bool_:
        return _framed("hand", "\n".join(hand_lines(found)), html.hand_html(found))
    return _framed("deal", deal_diagram(found, dealer, code, number), html.deal_html(found, dealer, code, number))


def _framed(kind: str, text: str, drawing: str) -> Shown:
    label = f'<div class="bridge-board" role="group" aria-label="{escape(kind)}">{drawing}</div>'
    return Shown(kind, text, html.framed(label))


def _read(thing: Any) -> np.ndarray[Any, Any] | list[int]:
    """Return a hand, deal or table of tricks as an array, an auction as a list of calls.

    Raises:
        ShowError, ValueError: it is none of them.
    """
    if isinstance(thing, str):
        if ":" in thing:
            return parse_deal(thing)
        if "." in thing:
            return parse_hand(thing)
        return [parse_call(word) for word in thing.replace(",", " ").split()]
    if isinstance(thing, Sequence) and all(isinstance(call, str | int | np.integer) for call in thing):
        return [parse_call(call) for call in thing]
    return _array(thing)


def _array(thing: ArrayLike) -> np.ndarray[Any, Any] | list[int]:
    array = np.asarray(thing)
    if array.dtype == np.bool_ and array.size == 52:
        return array.reshape(52)
    if array.dtype.kind in "iu":
        if array.shape in ((52,), (1, 52)) and array.min() >= 0:
            return array.reshape(52)
        if array.shape == (4, 5):
            return array
        if array.ndim == 1:
            return [int(call) for call in array if call >= 0]
    raise ShowError(
        f"{type(thing).__name__} cannot be shown; show a hand, a deal, an auction, a contract, double-dummy tricks, a "
        "Board, Boards, Auctions or the result of a match"
    )
