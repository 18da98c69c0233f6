"""Read bidding systems from text, with line-numbered errors, and write text that reads back to the same tree.

::

    system: sayc
    # A comment belongs to the line below it.
    1N    15-17 hcp, balanced, 0-4 H, 0-4 S        ; strong no trump
      2C    8+ hcp, 4 H or 4 S                     ; Stayman !forcing !artificial
        2H    4+ H
      (2x)                                         ; they overcall: what partner does now
        X     8+ hcp, 4+ theirs:x
    after 1m-1M                                    ; responses to one of a minor, opener's second bid
      2M    4+ M, 11-15 support:M
    (1x)                                           ; they open
      1y    8-16 hcp, 5+ y                         ; an overcall
    when ours, not forced                          ; auctions that the tree does not hold
      game:M    8+ fit:M, 25+ combined
      P

Deeper lines follow the shallower line above them; their pass in between goes without saying. A line is a
call (or calls joined by ``-``), a constraint, and behind ``;`` a note with flags. In a constraint a comma
means and; ``or`` binds tighter than the comma, ``and`` tighter than ``or``. Of several lines that fit a hand
the first counts. ``after`` only leads to the lines below it, which join those that stand there already.
``M`` stands for a major, ``m`` for a minor, ``x`` and ``y`` for two different suits, ``oM`` and ``om`` for the
other major and minor.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from agents.hierarchy.language.limits import DEEPEST, LARGEST, MOST_POSITIONS, too_large
from agents.hierarchy.language.lines import lines_of, trouble
from agents.hierarchy.language.spelling import meant
from agents.hierarchy.language.tree import INFINITE, Atom, Block, Clause, Constraint, Line, Step, System
from agents.hierarchy.language.vocabulary import CALL_WORDS, FLAG_WORDS, SUIT_WORDS, WORDS
from bridge_env.calls import CallError, call_text, parse_call

SUITS = ("C", "D", "H", "S")
VARIABLES = ("M", "oM", "m", "om", "x", "y")
FLAGS = ("forcing", "gf", "invite", "signoff", "artificial", "forcing-2N", "forcing-3H", "forcing-4C",
         "denies")  # fmt: skip
SPANS = ("lowest", "jump", "game", "slam", "grand")

_SUIT = "|".join(SUITS + VARIABLES)
_TOKEN = re.compile(rf"^(P|X|XX|any|[1-7](?:N|any|{_SUIT})|(?:{'|'.join(SPANS)}):(?:N|{_SUIT}))$")
_RANGE = re.compile(r"^(\d+)(?:(\+)|-(\d+))?$")
_DIFFERENCE = re.compile(rf"^({_SUIT})\s*(>=|>|=)\s*({_SUIT})(?:\+(\d+))?$")


_MOST_IN_A_ROW = 12  # words that are looked at for missing commas


class SystemTextError(ValueError):
    """Text that is no bidding system: the message names the file, the line and the fault."""


class _Fault(SystemTextError):
    """What is wrong with a piece of text, before it is known where that stands."""


# --- reading -------------------------------------------------------------------------------------------


def load_system(path: str | Path) -> System:
    """The system in a file.

    Raises:
        SystemTextError: the file cannot be read, or its text is no system.
    """
    file = Path(path)
    return parse_system(_text_of(file), source=str(file), name=file.stem)


def _text_of(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            found = stream.read(LARGEST + 1)  # no more: what is no file may have no end
        if len(found) > LARGEST:
            raise SystemTextError(f"{file}: too large for a bidding system; its limit is {LARGEST >> 20} MiB")
        return found.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SystemTextError(f"{file}: cannot be read: {error}") from error


def parse_system(text: str, source: str = "<text>", name: str = "unnamed") -> System:
    """The system that ``text`` describes.

    Raises:
        SystemTextError: with ``source`` and the number of the faulty line.
    """
    reader = _Reader(name)
    for number, raw in enumerate(lines_of(text), 1):
        try:
            reader.read(raw, number)
        except _Fault as fault:
            raise SystemTextError(f"{source}:{number}: {fault}: {_cut(raw.strip(), 120)!r}") from None
    system = reader.finish()
    _check_size(text, system, source)
    return system


def _check_size(text: str, system: System, source: str) -> None:
    if "any" in text and (found := too_large(system)) is not None:
        raise SystemTextError(
            f"{source}:{found[0]}: with this line the system stands for more than {MOST_POSITIONS:,} auctions; "
            "nest fewer lines with 'any' in each other, or name the calls"
        )


def read_leniently(path: str | Path) -> tuple[System, list[tuple[int, str]]]:
    """Read a system without its faulty lines; also return these, with number and fault.

    Raises:
        SystemTextError: the file cannot be read, or stands for too many auctions.
    """
    file = Path(path)
    return parse_leniently(_text_of(file), str(file), file.stem)


def parse_leniently(text: str, source: str = "<text>", name: str = "unnamed") -> tuple[System, list[tuple[int, str]]]:
    """Read a text as ``read_leniently`` reads a file.

    Raises:
        SystemTextError: the text stands for too many auctions.
    """
    reader, faults = _Reader(name), list[tuple[int, str]]()
    for number, raw in enumerate(lines_of(text), 1):
        try:
            reader.read(raw, number)
        except _Fault as fault:
            faults.append((number, f"{fault}: {_cut(raw.strip(), 120)!r}"))
            reader.skip(raw, number)
    system = reader.finish()
    _check_size(text, system, source)
    return system, faults


class _Open:
    """A line or block whose followers are still being read."""

    def __init__(self, indent: int, item: Line | Block | None) -> None:
        self.indent, self.item = indent, item
        self.lines: list[Line] = []


class _Skipped(_Open):
    """A faulty line; what follows it is read, and left out with it."""

    def __init__(self, indent: int) -> None:
        super().__init__(indent, Line((Step("P"),), after=True))


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.header: tuple[str, ...] = ()
        self.comments: list[str] = []
        self.open = [_Open(-1, None)]
        self._indent_of_children = 0
        self.lines: list[Line] = []
        self.blocks: list[Block] = []

    def read(self, raw: str, number: int) -> None:
        if (wrong := trouble(raw)) != "":
            raise _Fault(wrong)
        body = raw.strip()
        if not body:
            return
        if body.startswith("#"):
            self.comments.append(body[1:].strip())
            return
        if "\t" in raw[: len(raw) - len(raw.lstrip())]:
            raise _Fault("indent with spaces, not tabs")
        indent = len(raw) - len(raw.lstrip(" "))
        if body.startswith("system:"):
            self.name, self.header, self.comments = body[7:].strip(), tuple(self.comments), []
            return
        self._close(indent)
        if indent > 0 and len(self.open) == 1:
            raise _Fault("this line is indented, but nothing above it can lead to it")
        if len(self.open) > DEEPEST:
            raise _Fault(f"more than {DEEPEST} lines lie below each other")
        siblings = self.open[-1]
        if siblings.lines and self._indent_of_children != indent and siblings.item is not None:
            raise _Fault("this line's indentation fits no line above it")
        self._indent_of_children = indent
        main, _, note = body.partition(";")
        if not main:
            raise _Fault("a line begins with a call; for a comment write '#'")
        comments, self.comments = tuple(self.comments), []
        item: Line | Block
        if main.split()[0] == "when":
            if indent:
                raise _Fault("'when' stands at the left margin")
            item = Block(parse_constraint(main.strip()[4:]), (), note.strip(), comments, number)
        else:
            item = _parse_line(main.strip(), note.strip(), comments, number)
        self.open.append(_Open(indent, item))

    def skip(self, raw: str, number: int) -> None:
        """Take a faulty line for one that leads nowhere, so that those below it are still read."""
        indent = len(raw) - len(raw.lstrip())
        self._close(indent)
        if len(self.open) <= DEEPEST:
            self._indent_of_children = indent
            self.open.append(_Skipped(indent))

    def _close(self, indent: int) -> None:
        """End the items that a line at ``indent`` does not follow."""
        while self.open[-1].indent >= indent:
            done = self.open.pop()
            self._indent_of_children = done.indent
            if isinstance(done, _Skipped):
                continue
            assert done.item is not None
            item = replace(done.item, lines=tuple(done.lines))
            if isinstance(item, Block):
                self.blocks.append(item)
            elif self.open[-1].item is None:
                self.lines.append(item)
            else:
                self.open[-1].lines.append(item)

    def finish(self) -> System:
        self._close(0)
        return System(self.name, tuple(self.lines), tuple(self.blocks), self.header)


def _parse_line(main: str, note: str, comments: tuple[str, ...], number: int) -> Line:
    after = main.startswith("after ")
    path_text, _, constraint_text = main.removeprefix("after ").strip().partition(" ")
    flags = tuple(word[1:] for word in note.split() if word.startswith("!"))
    for flag in flags:
        if flag not in FLAGS:
            raise _Fault(f"!{flag} is no flag; there are {', '.join('!' + f for f in FLAGS)}")
    note = " ".join(word for word in note.split() if not word.startswith("!"))
    if path_text.count("-") >= DEEPEST:
        raise _Fault(f"a line has at most {DEEPEST} calls")
    path = tuple(parse_step(part) for part in path_text.split("-"))
    constraint = parse_constraint(constraint_text)
    if (after or path[-1].theirs) and (constraint or flags):
        raise _Fault("this line only leads on to those below it; it takes no constraint and no flag")
    return Line(path, constraint, flags, note, (), after or path[-1].theirs, comments, number)


def parse_step(text: str) -> Step:
    """``(1x)`` as a step."""
    theirs = text.startswith("(") and text.endswith(")")
    token = text[1:-1] if theirs else text
    token = {"Pass": "P", "1NT": "1N", "2NT": "2N", "3NT": "3N", "Dbl": "X", "Rdbl": "XX"}.get(token, token)
    if not _TOKEN.match(token):
        raise _Fault(
            f"{_cut(text, 60)!r} is no call; write P, X, XX, 1C ... 7N, 1M, 2x, lowest:M, game:M or, theirs, (1x)"
        )
    if not theirs and token.endswith("any"):
        raise _Fault(f"{text!r}: 'any' stands for calls of the opponents only, as in (any)")
    return Step(token, theirs)


def parse_constraint(text: str) -> Constraint:
    """``"8+ hcp, 4 H or 4 S"`` as clauses of alternatives of atoms."""
    text = " ".join(text.split())  # patterns would take quadratic time over long runs of spaces
    if not text:
        return ()
    return tuple((_known_clause if len(clause) < _SHORT else _parse_clause)(clause) for clause in text.split(","))


def _parse_clause(text: str) -> Clause:
    alternatives = (re.split(r"\s+and\s+", alternative) for alternative in re.split(r"\s+or\s+", text))
    return tuple(tuple(_parse_atom(atom.strip()) for atom in together) for together in alternatives)


#: A system says the same in many lines, and most systems are variations of one. Long clauses are rare, and not kept.
_known_clause = lru_cache(maxsize=1 << 13)(_parse_clause)
_SHORT = 200


def _parse_atom(text: str) -> Atom:
    difference = _DIFFERENCE.match(text)
    if difference:
        first, relation, second, more = difference.groups()
        extra = _number(more or "0", text) + (relation == ">")
        return Atom(f"{first}-{second}", extra, extra if relation == "=" else INFINITE)
    words = text.split()
    if len(words) == 2 and words[0] == "not" and _stem(words[1]) in FLAG_WORDS:
        return Atom(_checked(words[1]), 0, 0)
    if len(words) == 1 and _stem(words[0]) in CALL_WORDS:
        stem, _, call = words[0].partition(":")
        try:
            return Atom(stem, parse_call(call), parse_call(call))
        except CallError as error:
            raise _Fault(str(error)) from None
    if len(words) == 1 and _stem(words[0]) in FLAG_WORDS:
        return Atom(_checked(words[0]), 1, 1)
    numbers = _RANGE.match(words[0]) if len(words) == 2 else None
    if numbers is None:
        if (parts := _split_atoms(words)) is not None:
            raise _Fault(f"{_cut(text, 60)!r}: is a comma missing, as in {', '.join(parts)!r}?")
        if (len(words) == 1 or (len(words) == 2 and words[0] == "not")) and (hint := meant(words[-1])):
            raise _Fault(f"{_cut(text, 60)!r} is no constraint{hint}")
        examples = "'15-17 hcp', '5+ H', '4 S', 'balanced', 'not vul' or 'H >= S'"
        raise _Fault(f"{_cut(text, 60)!r} is no constraint; write {examples}")
    low = _number(numbers[1], text)
    high = INFINITE if numbers[2] else _number(numbers[3] or numbers[1], text)
    if high < low:
        raise _Fault(f"{_cut(text, 60)!r}: the range is empty")
    return Atom(_checked(words[1]), low, high)


def _split_atoms(words: list[str]) -> list[str] | None:
    """Several constraints that stand in a row without commas; None where these words are none."""
    parts, at = [], 0
    while at < len(words) <= _MOST_IN_A_ROW:
        for length in (3, 2, 1):  # "H >= S", "12+ hcp", "balanced"
            part = " ".join(words[at : at + length])
            if at + length <= len(words) and not (at == 0 and length == len(words)) and _is_atom(part):
                parts.append(part)
                at += length
                break
        else:
            return None
    return parts if len(parts) > 1 else None


def _is_atom(text: str) -> bool:
    try:
        _parse_atom(text)
    except _Fault:
        return False
    return True


def _cut(text: str, length: int) -> str:
    """A piece of a text as messages quote it."""
    return text if len(text) <= length else text[: length - 3] + "..."


def is_difference(word: str) -> bool:
    """Return whether it compares two suits, such as ``H-S``, and is no word with a hyphen, such as ``partner-last``."""
    first, dash, _ = word.partition("-")
    return bool(dash) and (first in SUITS or first in VARIABLES)


def _number(digits: str, text: str) -> int:
    if len(digits) > 4 or int(digits) > INFINITE:
        raise _Fault(f"{_cut(text, 60)!r}: numbers go up to {INFINITE}")
    return int(digits)


def _stem(word: str) -> str:
    return word.partition(":")[0]


def _checked(word: str) -> str:
    """``word`` if the vocabulary holds it, with a suit or a suit variable where it needs one."""
    stem, colon, suit = word.partition(":")
    if not colon and (word in SUITS or word in VARIABLES or (word in WORDS and stem not in SUIT_WORDS - {"hcp"})):
        return word
    if colon and stem in SUIT_WORDS and (suit in SUITS or suit in VARIABLES):
        return word
    if stem in SUIT_WORDS:
        raise _Fault(f"{_cut(word, 60)!r} needs a suit: {stem}:S, {stem}:M or {stem}:x")
    raise _Fault(f"{_cut(word, 60)!r} is no word of the language{meant(word)}; 'bridge-env bid --words' lists them")


# --- writing -------------------------------------------------------------------------------------------


def numbered_anew(system: System) -> System:
    """The same system with its lines numbered as its own text has them."""
    return parse_system(system_text(system))


def system_text(system: System) -> str:
    """The system as text; ``parse_system`` of it gives an equal tree."""
    out = [f"# {c}".rstrip() for c in system.comments] + [f"system: {system.name}", ""]
    for line in system.lines:
        _write_line(line, 0, out)
    for block in system.blocks:
        out += ["", *(f"# {c}".rstrip() for c in block.comments)]
        out.append(_columns("when " + constraint_text(block.when), "", block.note, 0))
        for line in block.lines:
            _write_line(line, 2, out)
    return "\n".join(out) + "\n"


def _write_line(line: Line, indent: int, out: list[str]) -> None:
    out += [" " * indent + f"# {c}".rstrip() for c in line.comments]
    note = " ".join([*([line.note] if line.note else []), *(f"!{flag}" for flag in line.flags)])
    head = f"after {line.name}" if line.after and not line.path[-1].theirs else line.name
    out.append(_columns(head, constraint_text(line.constraint), note, indent))
    for child in line.lines:
        _write_line(child, indent + 2, out)


def _columns(head: str, constraint: str, note: str, indent: int) -> str:
    text = " " * indent + (f"{head:<5} {constraint}" if constraint else head)
    return f"{text:<58} ; {note}".rstrip() if note else text.rstrip()


def constraint_text(constraint: Constraint) -> str:
    """Write clauses as text."""
    return ", ".join(_clause_text(clause) for clause in constraint)


def _clause_text(clause: Clause) -> str:
    return " or ".join(" and ".join(atom_text(atom) for atom in together) for together in clause)


def atom_text(atom: Atom) -> str:
    """Write one comparison: ``15-17 hcp``."""
    word, lo, hi = atom.word, atom.lo, atom.hi
    first, _, second = word.partition("-")
    if is_difference(word):
        if hi < INFINITE:
            return f"{first} = {second}" + (f"+{lo}" if lo else "")
        return {0: f"{first} >= {second}", 1: f"{first} > {second}"}.get(lo, f"{first} >= {second}+{lo}")
    if _stem(word) in FLAG_WORDS and lo == hi and lo in (0, 1):
        return word if lo else f"not {word}"
    if word in CALL_WORDS:
        return f"{word}:{call_text(lo).replace('NT', 'N').replace('Pass', 'P')}"
    if hi >= INFINITE:
        return f"{lo}+ {word}"
    return f"{lo} {word}" if lo == hi else f"{lo}-{hi} {word}"
