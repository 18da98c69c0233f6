"""The notes of a printed book: how a row and a title are written, and a bidding system read back from the pages.

``pages:BOOK.md`` bids by it: by nothing but what stands on the pages. A note is the title of an auction and its rows,
a row is a call with its conditions; what the deals showed of it stands in brackets at its end, and decides nothing::

    - **1NT-?** **2♣** 8+ HCP; 4♥ or 4♠; *Stayman, forcing, artificial* (24.9%: 8-15 HCP) · **Pass** else (23%)

Rows and notes stand in the order in which they are asked. General notes say behind their name when they speak.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from agents.hierarchy.language.text import SystemTextError, parse_system, system_text
from agents.hierarchy.language.tree import Block, Constraint, Line, Step, System
from agents.hierarchy.telling.wording import (
    FLAG_TEXT,
    call,
    marks,
    promise,
    read_call,
    read_promise,
    read_remark,
    remark,
)
from bridge_env.files import text_bounded

_LARGEST = 1 << 24  # bytes of a file
NOTES, GENERAL = "## Notes by auction", "## Where no note has a call"
OPENING = "Opening"
NEXT_ROW, NEXT_NOTE = " · ", " — "
_FORCE = {flag for flag in FLAG_TEXT if flag.startswith("forcing")} | {"gf"}
_P, _NAMELESS = "P", "Then"
_ALTERNATIVE, _SHARED, _ELSE = " / ", ": ", "else"
_FIGURES = re.compile(r" ?\((?:<?\d[\d.]*%|never seen)[^()]*\)$")
_ASIDE = re.compile(r"\(([^()]*)\)")
_REMARK = re.compile(r"(?:^|; )\*([^*]+)\*$")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_HEAD = re.compile(r"\*\*(.+?)\*\*(?: \*when (.+?):\*)?(?= |$)")


# --- rows --------------------------------------------------------------------------------------------------


def row(step: Step, lines: Sequence[Line], figures: str) -> str:
    """A call with its conditions: those of several lines, one or the other in turn.

    Args:
        figures: what was measured, without brackets; it begins with a share, or "never seen".
    """
    return f"**{call(step)}** {asked(lines)} ({figures})"


def asked(lines: Sequence[Line]) -> str:
    """What the lines of one call ask: first what all of them do, then one or the other; with names and force."""
    remarks = [_plain(remark(line)) for line in lines]
    shared = [clause for clause in lines[0].constraint if all(clause in line.constraint for line in lines)]
    if len(lines) == 1:
        shared = []
    alone = len(set(remarks)) == 1
    parts = [
        _promised(tuple(clause for clause in line.constraint if clause not in shared))
        + (f" ({said})" if said and not alone else "")
        for line, said in zip(lines, remarks, strict=True)
    ]
    text = _ALTERNATIVE.join(dict.fromkeys(parts))
    if shared:
        text = f"{promise(tuple(shared))}{_SHARED}{text}"
    return f"{text}; *{remarks[0]}*" if alone and remarks[0] else text


def _promised(constraint: Constraint) -> str:
    return promise(constraint) if constraint else _ELSE


def _plain(text: str) -> str:
    """A note without the signs that a row is read by."""
    return text.translate(str.maketrans("()·—", "[],-", "*"))


def read_row(text: str) -> list[Line]:
    """The lines that ``row`` writes as ``text``.

    Raises:
        SystemTextError: no row is written so.
    """
    head = _BOLD.match(text)
    if head is None:
        raise SystemTextError(f"{text!r} is no row: a row begins with its call, as in **1NT** 15-17 HCP (7.5%)")
    step = read_call(head[1])
    body = _FIGURES.sub("", text[head.end() :]).strip()
    common = ""
    if (found := _REMARK.search(body)) is not None:
        common, body = found[1], body[: found.start()]
    asides: list[str] = []

    def kept(found: re.Match[str]) -> str:
        asides.append(found[1])
        return f"({len(asides) - 1})"

    body = _ASIDE.sub(kept, body)  # a name may hold the signs between conditions
    shared, _, rest = body.rpartition(_SHARED)
    before = read_promise(shared)
    out = []
    for part in rest.split(_ALTERNATIVE):
        aside = _ASIDE.search(part)
        said = common if aside is None else asides[int(aside[1])]
        note, flags = read_remark(said)
        if step.token == _P and _FORCE.intersection(flags):  # what forces by a pass is the auction, no flag
            note, flags = said, tuple(flag for flag in flags if flag not in _FORCE)
        asks = read_promise(_ASIDE.sub("", part).strip().removesuffix(_ELSE))
        out.append(Line((step,), (*before, *asks), flags, note))
    return out


# --- titles ------------------------------------------------------------------------------------------------


def auction_head(path: tuple[Step, ...]) -> str:
    """``**1M-(2x)-?**``; their passes go without saying."""
    return f"**{'-'.join([_P if step == Step(_P) else call(step) for step in path] + ['?']) if path else OPENING}**"


def general_head(block: Block) -> str:
    """``**Partner waits for an answer** *when partner forces us:*``."""
    about = _plain(block.note or " ".join(block.comments))
    name = about.partition(". ")[0].partition(": ")[0].rstrip(".:") or _NAMELESS
    return f"**{name[0].upper()}{name[1:]}** *when {promise(block.when)}:*"


def read_path(title: str) -> tuple[Step, ...]:
    """The path that ``auction_head`` writes as ``title``, without the stars."""
    if title == OPENING:
        return ()
    if not title.endswith("-?"):
        raise SystemTextError(f"{title!r} is the title of no note: one ends in '-?', as in 1M-(2x)-?")
    return tuple(read_call(part) for part in title.removesuffix("-?").split("-"))


# --- pages -------------------------------------------------------------------------------------------------


def load_pages(path: Path) -> System:
    """The system that the pages of a file tell.

    Raises:
        SystemTextError: the file cannot be read, or holds no such pages; the message says which line.
    """
    try:
        text = text_bounded(path, _LARGEST, SystemTextError)
    except (OSError, UnicodeDecodeError) as error:
        raise SystemTextError(f"{path}: cannot be read: {error}") from error
    return read_pages(text, str(path), path.stem)


def read_pages(text: str, source: str = "<pages>", name: str = "pages") -> System:
    """The system that a printed book tells.

    Raises:
        SystemTextError: with ``source`` and the number of the line that cannot be read.
    """
    lines: list[Line] = []
    blocks: list[Block] = []
    section = ""
    for number, raw in enumerate(text.splitlines(), 1):
        if raw.startswith("# "):
            name = raw[2:].strip()
        if raw.startswith("## "):
            section = raw.strip()
        if section not in (NOTES, GENERAL) or not raw.startswith("- **"):
            continue
        try:
            for title, when, rows in _notes(marks(raw[2:])):
                read = [line for text in rows for line in read_row(text)]
                if section == GENERAL:
                    blocks.append(Block(read_promise(when), tuple(read), title))
                else:
                    path = read_path(title)
                    lines += [Line(path, lines=tuple(read), after=True)] if path else read
        except SystemTextError as error:
            raise SystemTextError(f"{source}:{number}: {error}") from None
    if not lines and not blocks:
        raise SystemTextError(
            f"{source}: these are no pages to bid by: {NOTES!r} is missing; 'bridge-env book SYSTEM --out BOOK.md' "
            "prints such pages"
        )
    return parse_system(system_text(System(name, tuple(lines), tuple(blocks))), source=source, name=name)


def _notes(line: str) -> Iterator[tuple[str, str, list[str]]]:
    """The notes of a line: title, when it speaks (empty at an auction) and rows."""
    for note in re.split(rf"{NEXT_NOTE}(?=\*\*)", line):
        head = _HEAD.match(note)
        if head is None:
            raise SystemTextError(f"{note[:60]!r} is no note: it begins with a title, as in **1M-(2x)-?**")
        yield head[1], head[2] or "", re.split(rf"{NEXT_ROW}(?=\*\*)", note[head.end() :].strip())
