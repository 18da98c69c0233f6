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
    weigh when 1+ i-bid, not ours                  ; the same auctions: what general rules would call, or better?
      P         scores 5 if book
      bid:x     4+ shown:x shows 8-14 hcp scores -19, 12 if book, 4 for each support:x, -22 if jump

Deeper lines follow the shallower line above them; their pass in between goes without saying. A line is a
call (or calls joined by ``-``), a constraint, and behind ``;`` a note with flags. In a constraint a comma
means and; ``or`` binds tighter than the comma, ``and`` tighter than ``or``. Of several lines that fit a hand
the first counts. ``after`` only leads to the lines below it, which join those that are there already.
``M`` means a major, ``m`` a minor, ``x`` and ``y`` two different suits, ``oM`` and ``om`` the
other major and minor. With ``base: sayc`` above all lines, a text says only what it changes (``overrides``).

Scorecards stand in blocks that begin with ``weigh when``. Where general rules (or none) would decide, the first such
block whose context holds counts: each line whose conditions hold adds up a sum for its call. The call with the highest
sum is made if that exceeds the sum of the call that the rules would make (``book``). Where that call has no sum, the
rules decide; of equal sums the first counts. Others read the call as the rules have it, unless the line says what it
``shows``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from agents.systems.language.constraints import (
    SUIT_PATTERN,
    SUITS,
    VARIABLES,
    SystemTextError,
    TextFault,
    atom_text,
    constraint_text,
    cut,
    is_difference,
    parse_constraint,
    parse_score,
    score_text,
)
from agents.systems.language.files import GENERAL_FILE, base_named, base_path
from agents.systems.language.overrides import ALSO, DROP, OverrideError, as_base, overridden
from agents.systems.language.paths import ANY_BID, CALL_FORMS
from agents.systems.language.tree import Block, Line, Step, System, walk

__all__ = [
    "FLAGS", "SUITS", "VARIABLES", "SystemTextError", "atom_text", "constraint_text", "heading_of", "is_difference",
    "load_system", "numbered_anew", "parse_constraint", "parse_leniently", "parse_step", "parse_system",
    "read_leniently", "system_text",
]  # fmt: skip

FLAGS = ("forcing", "gf", "invite", "signoff", "artificial")
DEEPEST = 64  # lines below each other, and calls in one line
_HEADING = re.compile(r"(weigh )?\s*when(?:\s|$)")
_TOKEN = re.compile(
    rf"^(P|X|XX|any|[1-7](?:N|any|{SUIT_PATTERN})|(?:{'|'.join((*CALL_FORMS, ANY_BID))}):(?:N|{SUIT_PATTERN}))$"
)


# --- reading -------------------------------------------------------------------------------------------


def load_system(path: str | Path) -> System:
    """Read the system in a file.

    Raises:
        SystemTextError: the file cannot be read, or its text is no system.
    """
    return _load(Path(path), ())


def parse_system(text: str, source: str = "<text>", name: str = "unnamed") -> System:
    """Read the system that ``text`` describes; its base, if it names one, is a shipped system.

    Raises:
        SystemTextError: with ``source`` and the number of the faulty line.
    """
    return _without_faults(*parse_leniently(text, source, name), source)


def read_leniently(path: str | Path) -> tuple[System, list[tuple[int, str]]]:
    """Read a system without its faulty lines; also return these, with number and fault.

    Raises:
        SystemTextError: the file cannot be read.
    """
    file = Path(path)
    return parse_leniently(_text_of(file), str(file), file.stem, file)


def _load(file: Path, bases: tuple[Path, ...]) -> System:
    return _without_faults(*parse_leniently(_text_of(file), str(file), file.stem, file, bases), str(file))


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SystemTextError(f"{file}: cannot be read: {error}") from error


def _without_faults(system: System, faults: list[tuple[int, str]], source: str) -> System:
    if faults:
        number, fault = faults[0]
        raise SystemTextError(f"{source}:{number}: {fault}")
    return system


def parse_leniently(
    text: str, source: str, name: str, file: Path | None = None, bases: tuple[Path, ...] = ()
) -> tuple[System, list[tuple[int, str]]]:
    """Read a text as ``read_leniently`` reads a file.

    Args:
        bases: the files being read, each of which has the next as its base, the last one this.
    """
    reader, faults = _Reader(name, file, bases), list[tuple[int, str]]()
    for number, raw in enumerate(text.splitlines(), 1):
        try:
            reader.read(raw, number)
        except TextFault as fault:
            faults.append((number, f"{fault}: {cut(raw.strip(), 120)!r}"))
            reader.skip(raw, number)
    try:
        return reader.finish(), faults
    except OverrideError as error:
        return System(name), [*faults, (error.number, str(error))]


def _read_base(name: str, file: Path | None, bases: tuple[Path, ...]) -> tuple[System, Path]:
    """Read the base of a text, with the package's general rules if it has none of its own; also return its file."""
    path = base_path(name, file)
    if path.resolve() in bases:
        raise SystemTextError(f"{path} would rest on itself")
    system = _load(path, bases)
    if not system.blocks:
        last = max((line.number for line in walk(system.lines)), default=0)
        system = replace(system, blocks=as_base(load_system(GENERAL_FILE), GENERAL_FILE, last).blocks)
    return system, path


class _Open:
    """A line or block whose followers are still being read."""

    def __init__(self, indent: int, item: Line | Block | None) -> None:
        self.indent, self.item = indent, item
        self.lines: list[Line] = []


_SKIPPED = Line((Step("P"),), after=True)  # in place of a faulty line: what follows it is read, and left out with it


class _Reader:
    def __init__(self, name: str, file: Path | None = None, bases: tuple[Path, ...] = ()) -> None:
        self.name, self.file, self.bases = name, file, bases
        self.base: tuple[System, Path] | None = None
        self.last = 0  # the number of the last line
        self.marks: dict[int, str] = {}  # of lines that change the base
        self.header: tuple[str, ...] = ()
        self.comments: list[str] = []
        self.open = [_Open(-1, None)]
        self._indent_of_children = 0
        self.lines: list[Line] = []
        self.blocks: list[Block] = []

    def read(self, raw: str, number: int) -> None:
        self.last = number
        body = raw.strip()
        if not body:
            return
        if body.startswith("#"):
            self.comments.append(body[1:].strip())
            return
        if raw[: len(raw) - len(raw.lstrip())].strip(" "):
            raise TextFault("indent with spaces, not tabs or other characters")
        indent = len(raw) - len(raw.lstrip(" "))
        if body.startswith("system:"):
            self.name, self.header, self.comments = body[7:].strip(), tuple(self.comments), []
            return
        if (base := base_named(raw)) is not None:
            self._set_base(base)
            return
        self._close(indent)
        if indent > 0 and len(self.open) == 1:
            raise TextFault("this line is indented, but nothing above it can lead to it")
        if len(self.open) > DEEPEST:
            raise TextFault(f"more than {DEEPEST} lines lie below each other")
        siblings = self.open[-1]
        if siblings.lines and self._indent_of_children != indent and siblings.item is not None:
            raise TextFault("this line's indentation fits no line above it")
        self._indent_of_children = indent
        main, _, note = body.partition(";")
        if not main:
            raise TextFault("a line begins with a call; for a comment write '#'")
        comments, self.comments = tuple(self.comments), []
        main = self._marked(main, number)
        item: Line | Block
        if heading := _HEADING.match(main):
            if indent:
                raise TextFault("'when' stands at the left margin")
            when = parse_constraint(main[heading.end() :])
            item = Block(when, (), note.strip(), bool(heading[1]), comments, number)
        else:
            item = _parse_line(main.strip(), note.strip(), comments, number)
            above = siblings.item
            weighed = isinstance(above, Block) and above.weighs
            if (item.score is not None) is not weighed and self.marks.get(number) != DROP:
                raise TextFault("lines below 'weigh when' have scores, as in 'X scores -4, 9 if book', and no others")
            if not weighed and any(step.token.startswith(f"{ANY_BID}:") for step in item.path):
                raise TextFault(f"'{ANY_BID}:' names several bids, which only scores can choose among")
        self.open.append(_Open(indent, item))

    def skip(self, raw: str, number: int) -> None:
        """Take a faulty line for one that leads nowhere, so that those below it are still read."""
        indent = len(raw) - len(raw.lstrip())
        self._close(indent)
        if len(self.open) <= DEEPEST:
            self._indent_of_children = indent
            self.open.append(_Open(indent, _SKIPPED))

    def _close(self, indent: int) -> None:
        """End the items that a line at ``indent`` does not follow."""
        while self.open[-1].indent >= indent:
            done = self.open.pop()
            self._indent_of_children = done.indent
            if done.item is _SKIPPED:
                continue
            assert done.item is not None
            item = replace(done.item, lines=tuple(done.lines))
            if isinstance(item, Block):
                self.blocks.append(item)
            elif self.open[-1].item is None:
                self.lines.append(item)
            else:
                self.open[-1].lines.append(item)

    def _marked(self, main: str, number: int) -> str:
        """Return a line without the word in front that says how it changes the base."""
        mark, _, rest = main.partition(" ")
        if mark not in (ALSO, DROP):
            return main
        rest = rest.strip()
        if self.base is None:
            raise TextFault(f"{mark!r} changes a base; write 'base: sayc' above all lines")
        if not rest or (mark == DROP and " " in rest) or rest.split()[0] in ("after", "when"):
            raise TextFault(
                f"write '{mark} CALL'" + (" and nothing more" if mark == DROP else ", and what it asks for")
            )
        self.marks[number] = mark
        return rest

    def _set_base(self, name: str) -> None:
        if self.base is not None:
            raise TextFault("a system has one base")
        if self.lines or self.blocks or len(self.open) > 1:
            raise TextFault("the base stands above all lines")
        bases = self.bases if self.file is None else (*self.bases, self.file.resolve())
        try:
            self.base = _read_base(name, self.file, bases)
        except ValueError as error:
            raise TextFault(f"the base cannot be read: {error}") from None

    def finish(self) -> System:
        """Return the system.

        Raises:
            OverrideError: it changes what its base has not.
        """
        self._close(0)
        own = System(self.name, tuple(self.lines), tuple(self.blocks), self.header)
        if self.base is None:
            return own
        return overridden(as_base(*self.base, self.last), own, self.marks)


def _parse_line(main: str, note: str, comments: tuple[str, ...], number: int) -> Line:
    after = main.startswith("after ")
    main, scores, score = f"{main} ".partition(" scores ")
    main, shows, shown = f"{main} ".partition(" shows ")
    if shows and not scores:
        raise TextFault("only a line that has a score says what it shows; other lines show what they ask for")
    path_text, _, constraint_text = main.removeprefix("after ").strip().partition(" ")
    flags = tuple(word[1:] for word in note.split() if word.startswith("!"))
    for flag in flags:
        if flag not in FLAGS:
            raise TextFault(f"!{flag} is no flag; there are {', '.join('!' + f for f in FLAGS)}")
    note = " ".join(word for word in note.split() if not word.startswith("!"))
    if path_text.count("-") >= DEEPEST:
        raise TextFault(f"a line has at most {DEEPEST} calls")
    path = tuple(parse_step(part) for part in path_text.split("-"))
    constraint = parse_constraint(constraint_text)
    if (after or path[-1].theirs) and (constraint or flags or scores):
        raise TextFault("this line only leads on to those below it; it takes no constraint and no flag")
    scored = parse_score(score) if scores else None
    shown_by = parse_constraint(shown)
    return Line(path, constraint, flags, note, (), after or path[-1].theirs, scored, shown_by, comments, number)


def parse_step(text: str) -> Step:
    """Parse ``(1x)`` to a step."""
    theirs = text.startswith("(") and text.endswith(")")
    token = text[1:-1] if theirs else text
    token = {"Pass": "P", "1NT": "1N", "2NT": "2N", "3NT": "3N", "Dbl": "X", "Rdbl": "XX"}.get(token, token)
    if not _TOKEN.match(token):
        raise TextFault(
            f"{cut(text, 60)!r} is no call; write P, X, XX, 1C ... 7N, 1M, 2x, lowest:M, game:M or, theirs, (1x)"
        )
    if not theirs and token.endswith("any"):
        raise TextFault(f"{text!r}: 'any' stands for calls of the opponents only, as in (any)")
    return Step(token, theirs)


# --- writing -------------------------------------------------------------------------------------------


def numbered_anew(system: System) -> System:
    """Return the same system with its lines numbered as its own text (``system_text``) has them."""
    return parse_system(system_text(system))


def system_text(system: System) -> str:
    """Return the system as text; ``parse_system`` reads it to an equal tree."""
    out = [f"# {c}".rstrip() for c in system.comments] + [f"system: {system.name}", ""]
    for line in system.lines:
        _write_line(line, 0, out)
    for block in system.blocks:
        out += ["", *(f"# {c}".rstrip() for c in block.comments)]
        out.append(_columns(heading_of(block), "", block.note, 0))
        for line in block.lines:
            _write_line(line, 2, out)
    return "\n".join(out) + "\n"


def heading_of(block: Block) -> str:
    """Write the first line of a block: ``when ours, not forced``."""
    return ("weigh when " if block.weighs else "when ") + constraint_text(block.when)


def _write_line(line: Line, indent: int, out: list[str]) -> None:
    out += [" " * indent + f"# {c}".rstrip() for c in line.comments]
    note = " ".join([*([line.note] if line.note else []), *(f"!{flag}" for flag in line.flags)])
    head = f"after {line.name}" if line.after and not line.path[-1].theirs else line.name
    conditions = constraint_text(line.constraint)
    if line.score is not None:
        shows = f" shows {constraint_text(line.shows)}" if line.shows else ""
        conditions = f"{conditions}{shows} scores {score_text(line.score)}".lstrip()
    out.append(_columns(head, conditions, note, indent))
    for child in line.lines:
        _write_line(child, indent + 2, out)


def _columns(head: str, constraint: str, note: str, indent: int) -> str:
    text = " " * indent + (f"{head:<5} {constraint}" if constraint else head)
    return f"{text:<58} ; {note}".rstrip() if note else text.rstrip()
