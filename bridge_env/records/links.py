"""Links to the hand viewer of Bridge Base Online."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from urllib.parse import parse_qs, quote, unquote_plus, urlsplit

from bridge_env.records.board import Board
from bridge_env.records.lin import LIN_SEATS, read_lin
from bridge_env.records.lin_writer import lin_text
from bridge_env.records.text import decode_text, without_percents

_LIN_VALUE = re.compile(r"[?&]lin=(?!&)(.+?)(?=&\w+=|[&#]\w*\s*$|\s*$)", re.IGNORECASE | re.DOTALL)
VIEWER = "https://www.bridgebase.com/tools/handviewer.html"


class LinkError(ValueError):
    """A link that shows no board; the message says why."""


def viewer_link(board: Board) -> str:
    """Return a link that shows the board, its auction and its play in Bridge Base Online's hand viewer."""
    return f"{VIEWER}?lin={quote(lin_text(board), safe='')}"


def board_of_link(link: str) -> Board:
    """Read the board that a link to the hand viewer shows: ``?lin=...``, or ``?n=...&s=...&d=...&a=...``.

    Without ``v`` and a board's number nobody is vulnerable, as the viewer has it.

    Raises:
        LinkError: not such a link, or a board that cannot be trusted.
    """
    result = read_lin(io.StringIO(lin_of_link(link)))
    if len(result.boards) != 1:
        why = result.problems[0].reason if result.problems else f"it has {len(result.boards)} boards"
        raise LinkError(f"{link[:200]!r} shows no board: {why}")
    return result.boards[0]


def lin_of_link(link: str) -> str:
    """Return the LIN of the board that a link shows.

    Raises:
        LinkError: not a link to the hand viewer.
    """
    lin_value = _LIN_VALUE.search(link)
    try:
        text = "" if lin_value else urlsplit(link.strip()).query
        query = parse_qs(text, keep_blank_values=True, max_num_fields=100, errors="surrogateescape")
    except ValueError as error:
        raise LinkError(f"{link[:200]!r} is not a link: {error}") from None
    if lin_value:  # it may have & and # in it
        query = {"lin": [unquote_plus(lin_value[1], errors="surrogateescape")]}
    texts = {key.lower(): decode_text(found[0].encode("utf-8", "surrogateescape")) for key, found in query.items()}
    values = {key: re.sub(r"[\x00-\x1f\x7f]", " ", text).strip() for key, text in texts.items()}
    if "lin" not in values and not values.keys() & set("nesw"):
        raise LinkError(f"{link[:200]!r} has neither lin= nor hands n=, e=, s=, w=")
    lin = values.get("lin", "")
    return (lin if "|" in lin else without_percents(lin)) or _lin_of_hands(values)


def _lin_of_hands(values: Mapping[str, str]) -> str:
    """Return the LIN of a link with hands."""
    given = {key: value.replace("|", " ") for key, value in values.items()}
    dealer = LIN_SEATS.find(given.get("d", "").upper() or "?") + 1
    hands = ",".join(re.sub("[,.]", " ", given.get(seat.lower(), "")) for seat in LIN_SEATS)
    names = ",".join(given.get(f"{seat.lower()}n", "").replace(",", " ") for seat in LIN_SEATS)
    number, vulnerability = given.get("b", ""), given.get("v", "")
    return (
        f"pn|{names}|md|{dealer or ''}{hands}|ah|{number}|sv|{vulnerability or ('' if number else 'o')}|"
        f"mb|{given.get('a', '')}|pc|{given.get('p', '')}|mc|{given.get('c', '')}|"
    )
