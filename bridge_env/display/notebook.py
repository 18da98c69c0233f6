"""Show hands, deals, auctions, boards and results: drawn in a notebook, as text anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bridge_env.display import html, text
from bridge_env.hands.deals import parse_deal, parse_hand
from bridge_env.records.board import Board
from bridge_env.rules.calls import Contract, call_text, parse_call
from bridge_env.rules.cards import parse_seat, parse_vulnerability


class ShowError(ValueError):
    """Something that cannot be shown; the message lists what can."""


@dataclass(frozen=True)
class Shown:
    """The result of ``show``: a notebook draws it, ``str`` is the text.

    Attributes:
        text: for terminals.
        drawing: HTML with its style.
    """

    text: str
    drawing: str

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
            (``"1NT Pass 3NT"``, or a list of calls); a ``Contract``; double-dummy tricks (4, 5); a ``Board``; or what
            draws itself, such as the result of a match.
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
    shown = _shown(thing, seat, code, number, tricks, notes or {})
    if not in_notebook():
        print(shown.text)
    return shown


def in_notebook() -> bool:
    """Return whether this process serves a notebook, which draws the value of a cell."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _shown(
    thing: Any, dealer: int | None, code: int | None, number: int | None, tricks: int | None, notes: Mapping[int, str]
) -> Shown:
    if hasattr(thing, "_repr_html_"):  # such as the result of a match, whose ``str`` is the text of the same
        return Shown(str(thing), thing._repr_html_())
    if isinstance(thing, Board):
        return Shown(text.board_text(thing), html.framed(html.board_html([thing])))
    if isinstance(thing, Contract):
        drawing = f'<p class="bridge-result">{html.result_html(thing, tricks, code or 0)}</p>'
        return _framed(text.result_line(thing, tricks, code or 0), drawing)
    found = _read(thing)
    if isinstance(found, list):
        lines = [text.auction_table(found, dealer or 0, code or 0)]
        lines += [f"{call_text(call)}: {notes[place]}" for place, call in enumerate(found) if place in notes]
        drawing = html.auction_html(found, dealer or 0, code or 0, notes, notes)
        drawing += html.notes_html(found, dealer or 0, notes)
        return _framed("\n".join(lines), f'<section class="bridge-table">{drawing}</section>')
    if found.shape == (4, 5):
        return _framed(text.trick_table(found), html.tricks_html(found))
    if found.dtype == np.bool_:
        return _framed("\n".join(text.hand_lines(found)), html.hand_html(found))
    return _framed(text.deal_diagram(found, dealer, code, number), html.deal_html(found, dealer, code, number))


def _framed(written: str, drawing: str) -> Shown:
    return Shown(written, html.framed(f'<div class="bridge-board">{drawing}</div>'))


def _read(thing: Any) -> np.ndarray[Any, Any] | list[int]:
    """Return a hand, deal or table of tricks as an array, an auction as a list of calls; else raise ``ShowError``."""
    if isinstance(thing, str):
        if ":" in thing:
            return parse_deal(thing)
        if "." in thing:
            return parse_hand(thing)
        return [parse_call(word) for word in thing.replace(",", " ").split()]
    if isinstance(thing, Sequence) and all(isinstance(call, str | int | np.integer) for call in thing):
        return [parse_call(call) for call in thing]
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
        "Board or the result of a match"
    )
