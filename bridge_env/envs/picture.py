"""Draw a table as a picture, and show it in a window: ``render_mode="rgb_array"`` and ``"human"``.

Pillow draws and matplotlib opens the window; neither is imported before the first picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.display.text import (
    AUCTION_ORDER,
    SEAT_NAMES,
    about_lines,
    auction_rows,
    hand_lines,
    is_vulnerable,
    shown_call,
)

if TYPE_CHECKING:
    from bridge_env.envs.table import Tables

WIDTH, HEIGHT = 720, 480
Frame = NDArray[np.uint8]
_HANDS = ((165, 20), (315, 178), (165, 336), (15, 178))  # left and top of each seat's box, N E S W
_BOX = 130, 124
_AUCTION = 460, 20, 700, 460
_ROWS = 16  # of the auction, the last ones
_TABLE, _PAPER, _INK, _RED, _TURN = "#1b6e4b", "#ffffff", "#1a1a1a", "#c62828", "#ffd54f"
_WINDOW = "bridge-env"


def checked_mode(mode: str | None, modes: Sequence[str]) -> str | None:
    """Return the mode, if there is such.

    Raises:
        ValueError: there is none.
    """
    if mode is None or mode in modes:
        return mode
    raise ValueError(f"render_mode={mode!r}: use None, {', '.join(map(repr, modes))}")


@lru_cache(maxsize=1)
def _font() -> Any:
    import matplotlib
    from PIL import ImageFont

    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", 18)


def frame_of(tables: Tables, row: int) -> Frame:
    """Draw one table, uint8 (480, 720, 3): the hands, the auction's last rounds and, at its end, the result."""
    from PIL import Image, ImageDraw

    a = tables.auctions
    dealer, vulnerability, turn = a.dealer.item(row), a.vulnerability.item(row), int(a.turn[row])
    image = Image.new("RGB", (WIDTH, HEIGHT), _TABLE)
    draw = ImageDraw.Draw(image)
    for seat, (left, top) in enumerate(_HANDS):
        outline = _TURN if seat == turn and not a.done[row] else _PAPER
        draw.rectangle((left, top, left + _BOX[0], top + _BOX[1]), fill=_PAPER, outline=outline, width=4)
        _write(draw, left + 10, top + 6, SEAT_NAMES[seat] + "*" * is_vulnerable(seat, vulnerability))
        for line, text in enumerate(hand_lines(tables.state.owner[row] == seat, symbols=True)):
            _write(draw, left + 10, top + 29 + 22 * line, text)
    for line, text in enumerate(about_lines(dealer, vulnerability, None)):
        draw.text((20, 24 + 24 * line), text, fill=_PAPER, font=_font())
    draw.rectangle(_AUCTION, fill=_PAPER)
    left, top = _AUCTION[:2]
    rows = auction_rows(a.calls(row), dealer)[-_ROWS:]
    for column, seat in enumerate(AUCTION_ORDER):
        _write(draw, left + 12 + 58 * column, top + 8, SEAT_NAMES[seat][0])
        for line, calls in enumerate(rows):
            if column < len(calls) and (call := calls[column]) is not None:
                _write(draw, left + 12 + 58 * column, top + 34 + 22 * line, shown_call(call))
    if a.done[row]:
        _write(draw, left + 12, top + 404, tables.result(row).replace(" tricks", ""))
    return np.array(image)


def _write(draw: Any, left: float, top: float, text: str) -> None:
    """Write text, hearts and diamonds in red."""
    for letter in text:
        draw.text((left, top), letter, fill=_RED if letter in "♥♦" else _INK, font=_font())
        left += draw.textlength(letter, font=_font())


def show_frame(frame: Frame, seconds: float) -> None:
    """Show a frame in the window of this process, which the first one opens, and leave it for some time."""
    import matplotlib.pyplot as plt

    plt.figure(_WINDOW, figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, clear=True).figimage(frame)
    plt.pause(seconds)


def close_window() -> None:
    """Close the window, if there is one."""
    import matplotlib.pyplot as plt

    plt.close(_WINDOW)
