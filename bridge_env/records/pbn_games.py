"""Group the lines of a PBN file into games: tags with the rows under them.

Knows the file format (PBN 2.1, https://www.tistis.nl/pbn/) and nothing of bridge; ``bridge_env.records.pbn`` gives
the games their meaning. What is wrong is noted with its line and reading goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bridge_env.records.lines import TAKEN_OUT, Fault, Source, Uncommented, given_up, text_lines

# Possessive: it remembers no place to go back to.
_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"((?:[^"\\]++|\\.)*+)"\s*\]')
_LOOSE_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"(.*)"\s*\]$')  # quotes inside the value

# Tags that may follow a blank line inside a game, which should have none.
_LATE = frozenset({"Auction", "Play", "Note", "Declarer", "Contract", "Result"})
# Tags that begin a game even where the blank line before them is missing.
_OPENING = frozenset({"Event", "Board", "Deal"})
# Of values that go on to other games: how many tags, and characters of each. Files have a dozen, and names.
_MOST_LASTING, _LONGEST_INHERITED = 64, 2000


@dataclass(slots=True)
class Game:
    """One game.

    ``tags`` name -> (value, line), ``rows`` name of the tag above -> [(line, text)], ``notes`` (section, value).
    """

    line: int
    tags: dict[str, tuple[str, int]] = field(default_factory=dict)
    rows: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def value(self, name: str) -> str:
        """The value of a tag, stripped; empty where it is absent."""
        return self.tags[name][0].strip() if name in self.tags else ""

    def line_of(self, name: str) -> int:
        return self.tags[name][1] if name in self.tags else self.line


def read_games(source: Source, faults: list[Fault]) -> Iterator[Game]:
    """Games of a file in order, inherited values in place; ``faults`` takes what is wrong outside of them."""
    last: dict[str, str] = {}
    lasting: set[str] = set()
    for game in _games(source, faults):
        _inherit(game, last, lasting)
        yield game


def _games(source: Source, faults: list[Fault]) -> Iterator[Game]:
    game: Game | None = None
    section, ended, stray = "", True, False  # a blank line ends a game
    size = 0  # of the game
    for number, line in Uncommented(text_lines(source, faults), faults):
        size += len(line) + 1
        if given_up(number, size if game is not None else 0, faults):
            break
        row = line.replace(TAKEN_OUT, " ").strip()
        if not row:
            if TAKEN_OUT not in line:
                ended, stray = True, False
            continue
        tags, rest = _parse_tags(row) if row[0] == "[" else ([], row)
        for name, value in tags:
            if name == "Note" and game is None:
                continue
            if game is None or _begins_game(game, name, ended):
                if game is not None:
                    yield game
                game, size = Game(number), len(line)
            ended = False
            game.tags.setdefault(name, (value, number))  # of a tag given twice the first counts
            if name == "Note":  # notes stand under the auction or the play, and do not end them
                game.notes.append((section, value))
            else:
                section = name
        if not rest:
            continue
        wrong = f"{'not a tag' if rest[0] == '[' else 'text outside of any game'}: {rest[:80]!r}"
        if ended or game is None:
            if not stray:  # once for each such paragraph
                faults.append((number, wrong))
            stray = True
        elif rest[0] == "[":
            game.faults.append((number, wrong))
        else:
            game.rows.setdefault(section, []).append((number, rest))
    if game is not None:
        yield game


def _begins_game(game: Game, name: str, after_blank: bool) -> bool:
    if name == "Note":
        return False
    if name in game.tags:
        return after_blank or name in _OPENING
    if not after_blank or name in _LATE or name.startswith(("Score", "Optimum")):
        return False
    return "Deal" in game.tags or any(late in game.tags for late in _LATE)  # else it is still at its first tags


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


def _inherit(game: Game, last: dict[str, str], lasting: set[str]) -> None:
    """Put real values for the tag values ``#`` (as in the last game) and ``##text`` (from here on)."""
    for name, (value, line) in game.tags.items():
        if value == "#":
            game.tags[name] = (last.get(name, ""), line)
        elif value.startswith("##"):
            if len(lasting) < _MOST_LASTING and len(value) <= _LONGEST_INHERITED:
                lasting.add(name)
            game.tags[name] = (value.lstrip("#"), line)
        value = game.tags[name][0]
        last[name] = value if len(value) <= _LONGEST_INHERITED else ""
    for name in sorted(lasting - game.tags.keys()):
        game.tags[name] = (last[name], game.line)
