"""Put drawings into a frame that brings its own style: light and dark, no font and no picture from elsewhere."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def style() -> str:
    """The style sheet of all drawings. Its rules reach nothing outside an element of class ``bridge``."""
    return Path(__file__).with_name("board.css").read_text(encoding="utf-8")


def framed(drawing: str, more_style: str = "") -> str:
    """A drawing that can stand anywhere, in a notebook or on a page of somebody else.

    Args:
        drawing: HTML of this package.
        more_style: further rules, for what the drawing holds beside.
    """
    return f'<div class="bridge"><style>{style()}{more_style}</style>{drawing}</div>'
