"""Read settings that list names."""

from __future__ import annotations


def listed(text: str) -> list[str]:
    """The parts of ``a,b,c``; none of an empty text."""
    return [part.strip() for part in text.split(",") if part.strip()]
