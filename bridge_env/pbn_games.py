"""The outer layer of PBN: bytes to games, a game being its tags and the rows under them.

Knows the file format (PBN 2.1, https://www.tistis.nl/pbn/) and nothing of bridge; ``bridge_env.pbn`` gives
the games their meaning. What is wrong is noted with its line and reading goes on.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field

# What may hold a comment sign without starting a comment, or starts one.
_COMMENT = re.compile(r'^%[^\n]*|"(?:[^"\\\n]|\\.)*"|;[^\n]*|\{', re.MULTILINE)
_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_LOOSE_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"(.*)"\s*\]$')  # quotes inside the value
_TAG_LINE = re.compile(r'^\s*\[\s*[A-Za-z]\w*\s*"', re.MULTILINE)

# Tags that may follow a blank line inside a game, which should have none.
_LATE = frozenset({"Auction", "Play", "Note", "Declarer", "Contract", "Result"})
_TAKEN_OUT = "\0"  # stands where a comment was, so that its lines do not count as blank
# Tags that begin a game even where the blank line before them is missing.
_OPENING = frozenset({"Event", "Board", "Deal"})

Fault = tuple[int, str]
"""(line, reason)."""


@dataclass(slots=True)
class Game:
    """One game: ``tags`` name -> (value, line), ``rows`` name of the tag above -> [(line, text)]."""

    line: int
    tags: dict[str, tuple[str, int]] = field(default_factory=dict)
    rows: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def value(self, name: str) -> str:
        """The value of a tag, stripped; empty where it is absent."""
        return self.tags[name][0].strip() if name in self.tags else ""

    def line_of(self, name: str) -> int:
        return self.tags[name][1] if name in self.tags else self.line


def decode(data: bytes) -> tuple[str, list[Fault]]:
    """Text of a file: gunzipped where need be, UTF-8 or else Latin-1 (which fits any bytes), ``\\n`` only."""
    faults: list[Fault] = []
    if data[:2] == b"\x1f\x8b":
        data, complete = _gunzip(data)
        if not complete:
            faults.append((data.count(b"\n") + 1, "the gzip file is damaged or cut short; read up to here"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text, faults


def _gunzip(data: bytes) -> tuple[bytes, bool]:
    """As much as can be had of all members of a gzip file, and whether that is all."""
    out = []
    while data:
        stream = zlib.decompressobj(wbits=31)
        try:
            for start in range(0, len(data), 1 << 16):  # in parts, to keep what comes before the damage
                out.append(stream.decompress(data[start : start + (1 << 16)]))
                if stream.eof:
                    data = stream.unused_data + data[start + (1 << 16) :]
                    break
            else:
                return b"".join(out), False
        except zlib.error:
            return b"".join(out), False
        data = data.lstrip(b"\0")  # padding is allowed
    return b"".join(out), True


def split_games(text: str) -> tuple[list[Game], list[Fault]]:
    """Games of a text in order, and what was wrong outside of them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x1a", "").replace(_TAKEN_OUT, " ")
    text, faults = _without_comments(text)
    games: list[Game] = []
    section, ended, stray = "", True, False  # a blank line ends a game
    for number, line in enumerate(text.split("\n"), 1):
        row = line.replace(_TAKEN_OUT, " ").strip()
        if not row:
            if _TAKEN_OUT not in line:
                ended, stray = True, False
            continue
        tags, rest = _parse_tags(row) if row[0] == "[" else ([], row)
        for name, value in tags:
            if name == "Note" and not games:
                continue
            if not games or _begins_game(games[-1], name, ended):
                games.append(Game(number))
            ended = False
            games[-1].tags.setdefault(name, (value, number))  # of a tag given twice the first counts
            if name != "Note":  # notes stand under the auction or the play, and do not end them
                section = name
        if not rest:
            continue
        wrong = f"{'not a tag' if rest[0] == '[' else 'text outside of any game'}: {rest[:80]!r}"
        if ended:
            if not stray:  # once for each such paragraph
                faults.append((number, wrong))
            stray = True
        elif rest[0] == "[":
            games[-1].faults.append((number, wrong))
        else:
            games[-1].rows.setdefault(section, []).append((number, rest))
    return games, faults


def _begins_game(game: Game, name: str, after_blank: bool) -> bool:
    if name == "Note":
        return False
    if name in game.tags:
        return after_blank or name in _OPENING
    if not after_blank or name in _LATE or name.startswith(("Score", "Optimum")):
        return False
    return "Deal" in game.tags or not _LATE.isdisjoint(game.tags)  # else it is still at its first tags


def _parse_tags(row: str) -> tuple[list[tuple[str, str]], str]:
    """Tags at the start of a row, and the text after them."""
    tags, end = [], 0
    while match := _TAG.match(row, end):
        tags.append((match[1], match[2]))
        end = match.end()
        while end < len(row) and row[end].isspace():
            end += 1
    if not tags and (match := _LOOSE_TAG.match(row)):
        # Quotes that should have been escaped; escape them, so that all values are alike.
        return [(match[1], re.sub(r'(?<!\\)"', r'\\"', match[2]))], ""
    return tags, row[end:]


def unescape(value: str) -> str:
    """A tag's value as meant: ``\\"`` and ``\\\\`` are one character, other backslashes stay."""
    return re.sub(r'\\(["\\])', r"\1", value)


def escape(value: str) -> str:
    """The inverse of ``unescape``."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _without_comments(text: str) -> tuple[str, list[Fault]]:
    """The text with every comment and escaped line taken out; line breaks stay, so lines keep their numbers.

    A brace that nobody closes would swallow the rest of the file. It is taken to end with its line when no
    closing brace follows, or when another opening brace and a tag come before one does.
    """
    out: list[str] = []
    faults: list[Fault] = []
    done = start = 0
    while match := _COMMENT.search(text, start):
        start = match.end()
        if match[0][0] == '"':
            continue
        out.append(text[done : match.start()])
        if match[0] == "{":
            close = text.find("}", start)
            body = text[start:close] if close >= 0 else ""
            if close < 0 or ("{" in body and _TAG_LINE.search(body)):
                faults.append((text.count("\n", 0, start) + 1, "a comment opened by '{' is never closed"))
                close = text.find("\n", start)
                start = close if close >= 0 else len(text)
            else:
                out.append((_TAKEN_OUT + "\n") * body.count("\n"))
                start = close + 1
        out.append(_TAKEN_OUT)
        done = start
    out.append(text[done:])
    return "".join(out), faults


def inherit(games: list[Game]) -> None:
    """Put real values for the tag values ``#`` (as in the last game) and ``##text`` (from here on)."""
    last: dict[str, str] = {}
    lasting: set[str] = set()
    for game in games:
        for name, (value, line) in game.tags.items():
            if value == "#":
                game.tags[name] = (last.get(name, ""), line)
            elif value.startswith("##"):
                lasting.add(name)
                game.tags[name] = (value[2:], line)
            last[name] = game.tags[name][0]
        for name in sorted(lasting - game.tags.keys()):
            game.tags[name] = (last[name], game.line)
