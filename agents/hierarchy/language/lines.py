"""Split a system's text into lines, and refuse what people cannot see in them."""

from __future__ import annotations

import re

LONGEST = 100_000  # characters in a line
_END = re.compile(r"\r\n|\r|\n")  # and no other: form feeds, NEL and U+2028 end no line in an editor
_HIDDEN = re.compile(r"[^\S \t]|[\x00-\x08\x0e-\x1f\x7f\ufeff\u200b-\u200f\u2060]")


def lines_of(text: str) -> list[str]:
    """Return the lines as editors number them, without a byte order mark at the beginning."""
    return _END.split(text.removeprefix("\ufeff"))


def base_in(line: str) -> str | None:
    """The name of the base that a line gives the system; None of any other line."""
    body = line.strip()
    return body[5:].partition(";")[0].strip() if body.startswith("base:") else None


def trouble(line: str) -> str:
    """Say what is wrong with the characters of a line; empty if nothing is.

    Nobody sees spaces that are no plain ones, or marks that take no room, and they would change what is read. Comments
    and notes may hold any character.
    """
    if len(line) > LONGEST:
        return f"a line has at most {LONGEST:,} characters"
    if line.lstrip().startswith("#"):
        return ""
    found = _HIDDEN.search(line.partition(";")[0])
    if found is None:
        return ""
    return f"column {found.start() + 1} holds U+{ord(found[0]):04X}, which cannot be seen; write plain spaces"
