"""Group the lines of a PBN file into games: tags, the rows under them, and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, takewhile

from bridge_env.hands.deals import parse_deal
from bridge_env.records.board import BadBoard
from bridge_env.records.derive import board_number
from bridge_env.records.words import HAND, plain_deal
from bridge_env.rules.cards import SEATS, DealError

UNKNOWN_VALUES = ("", "?")  # tag values that leave something open
_OPENING = frozenset({"Event", "Board", "Deal"})  # they begin a game even where the blank line before them is missing
_ROWS_END = ("Score", "Optimum")  # begin the names of tags that may follow the auction
_OF_BOARD = (  # the same at all its tables
    *("Board", "Dealer", "Vulnerable", "Deal", "Event", "Site", "Date", "Scoring"),
    *("Stage", "Round", "HomeTeam", "VisitTeam"),
)
# They may follow a blank line inside a game, which should have none.
_LATE = frozenset({"Auction", "Play", "Note", "Declarer", "Contract", "Result"})
_ANY_BOARD = _LATE | {"Board", "Deal", "Dealer", "Vulnerable", "Score"}  # a game without any is no board
_TAIL = re.compile("Score|Optimum|DoubleDummy|Ability|Minimax|Par|.*Table$")  # may follow a blank line inside a game
# Two games of which one of these differs are of other boards, whatever their numbers.
_EVENT = ("Event", "Date", "Stage", "Round", "Session")
_MATCH = ("Section", "HomeTeam", "VisitTeam")  # of an event; they may play the same boards
_DEAL_IN_COMMENT = re.compile(r'\n\s*\[\s*Deal\s*"|"[NESW]:[2-9TJQKA.-]{4,20} ')
_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*[:=]?\s*"((?:[^"\\]|\\.)*)"\s*\](?:\s*[,;])?\s*')
_LOOSE_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"(.*)"\s*\]$')  # quotes inside the value
# A quote or a bracket is missing.
_HALF_TAG = re.compile(r'\[\s*([A-Za-z]\w*)(?:\s*"|\s)\s*([^"\]]*)"?\s*\]?$|([A-Z]\w*)\s*"([^"]*)"\s*\]$')
_FOUR_HANDS = rf"{HAND}(?:[\s,;:]+{HAND}){{3}}"
_HAND_OR_NONE = rf"(?:{HAND}|[?*-]+)"
FOUR_HANDS = re.compile(rf"{_HAND_OR_NONE}(?:[\s,;:]+{_HAND_OR_NONE}){{3}}$", re.IGNORECASE)  # without the first seat
# A deal without its tag, perhaps behind its number; four hands may stand in other text.
_BARE_DEAL = re.compile(
    r'((?:(?:No\.?\s*|[#(])?\d{1,4}[.:)]{0,2}\s+)?)"?([NESW]\s*:\s*(?:[AKQJT0-9.?-]+\s*){1,4})("?)$', re.IGNORECASE
)
_DEAL_IN_TEXT = re.compile(rf"(.{{0,200}}?)(?<![\w.])((?:[NESW]\s*:\s*)?{_FOUR_HANDS})(?![\w.])(.*)", re.IGNORECASE)
# Before a deal.
_NUMBER = re.compile(r'(?:board|deal|hand|bd|brd|no\.?)?[\s#(]*0*(\d{1,4})[.:)]*["\s]*$', re.IGNORECASE)
_GIB_TRICKS = re.compile(r":[0-9A-D]{20}\s*$")  # behind a deal whose first hand is W's
_CONDITIONS = re.compile(r"([NESW])\s+(None|N-?S|E-?W|Both|All)\b\s*", re.IGNORECASE)  # below a bare deal
_GOES_ON = re.compile(  # calls or cards, behind a blank line that should not be there
    r"(?i:(?:[1-7](?:NT?|[CDHS])|XX?|P(?:ASS)?|AP|R?DBL|[SHDC](?:10|[2-9TJQKA])|[-*+]+|=\d+=)[!?]*(?:\s+|$))+"
)
# A comment, or a text in quotes, which is none. One that is not closed ends before the next tag.
_COMMENT = re.compile(
    r"""
    "(?:[^"\\\n]|\\.)*" | ^%.* | ;.*
    | \{(?:(?:(?!(?<!\n)\n(?>[^\S\n]*)\n(?>\s*)\[\s*(?:Event|Site|Board|Deal)\s*")[^{}])*\} | (?:(?!\n\s*\[)[^}])*\}?)
    """,
    re.MULTILINE | re.VERBOSE,
)
_OTHERS = ("West", "North", "East", "South", "Score", "Room", "OptimumResultTable", "Ability", "DoubleDummyTricks")
_NAMES = {name.lower(): name for name in (*_OF_BOARD, *_LATE, *_OTHERS)}
_NAMES |= {"vul": "Vulnerable", "vulnerability": "Vulnerable", "dlr": "Dealer"}
_TAG_OVER_LINES = re.compile(r'\[\s*[A-Za-z]\w*\s*"(?:[^"\\\[]|\\.)*"\s*\]')
_QUOTES = str.maketrans("\u201c\u201d\u201e\u2033", '"' * 4)
_FAR = 20  # rows from a heading to its deal, at most
_GAP = "\x1a"  # stands for a comment in each of its lines, so that they are not blank


@dataclass(slots=True)
class Game:
    """The text of one board: tags, the rows under them, and notes.

    Attributes:
        tags: name -> (value, line).
        rows: name of the tag above -> [(line, text)].
        notes: (name of the section, value, line).
        place: the game's place in the file, from 1.
    """

    line: int
    place: int = 0
    tags: dict[str, tuple[str, int]] = field(default_factory=dict)
    rows: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    notes: list[tuple[str, str, int]] = field(default_factory=list)

    def value(self, name: str) -> str:
        """Return the value of a tag, stripped; empty where it is absent."""
        return self.tags[name][0].strip() if name in self.tags else ""

    def lacks(self, name: str) -> bool:
        """Return whether a tag is absent or leaves its value open; ``[Vulnerable "-"]`` does not."""
        return self.value(name) in UNKNOWN_VALUES or (self.value(name) == "-" and name != "Vulnerable")

    def take(self, name: str, value: str, line: int, faults: list[BadBoard]) -> None:
        """Add a tag. Of two the first counts, but a value counts before none."""
        first = self.value(name)
        if name != "Note" and not self.lacks(name) and value.strip() not in (first, "-", *UNKNOWN_VALUES):
            reason = f"[{name} {value!r}] is the second of its game; {first!r} counts"
            faults.append(BadBoard(line, reason, "tag twice"))
        if name not in self.tags or (self.lacks(name) and value.strip()):
            self.tags[name] = (value, line)

    def line_of(self, name: str) -> int:
        return self.tags[name][1] if name in self.tags else self.line

    def bad(self, name: str, reason: str, kind: str) -> BadBoard:
        """Return the error for a fault of a tag."""
        return BadBoard(self.line_of(name), reason, kind)


def _on_one_line(found: re.Match[str]) -> str:
    return " ".join(found[0].split("\n")) + f"\n{_GAP}" * found[0].count("\n")


def _without_comment(found: re.Match[str]) -> str:
    return found[0] if found[0][0] == '"' else _GAP + f"\n{_GAP}" * found[0].count("\n")


def games(lines: Iterable[str], faults: list[BadBoard]) -> Iterator[Game]:
    """Group the lines of a file into games; text outside of any is added to ``faults``, once a paragraph."""
    game: Game | None = None
    section, ended, reported = "", True, False  # a blank line ends a game
    bare = False  # the rows have deals without tags
    text = "\n".join(lines)
    faults += _comments_that_hide(text)
    rows = _TAG_OVER_LINES.sub(_on_one_line, _COMMENT.sub(_without_comment, text)).split("\n")
    for number, line in enumerate(rows, 1):
        row = line.replace(_GAP, " ").strip()
        if not row:
            if _GAP not in line:
                ended, reported = True, False
            continue
        if row[0] == "[" and '"' not in row:
            row = row.translate(_QUOTES)
        tags, rest = _parse_tags(row)
        bare = not tags and rest[0] != "[" and (bare or ended or game is None or section in ("Deal", "Board"))
        if bare:
            tags, rest = _bare_tags(rest, number, game if section == "Deal" else None, rows, ended, faults)
        if not tags and (half := _half_tag(rest)):
            tags, rest = [half], ""
            faults.append(BadBoard(number, f'not a tag: {row[:80]!r}; read as [{half[0]} "{half[1]}"]', "broken tag"))
        for name, value in tags:
            # A deal alone, or the number above one, begins the next game.
            is_next = bare and name in ("Board", "Deal") and game is not None and "Deal" in game.tags
            if game is None or is_next or _begins_game(game, name, value, ended, rows, number - 1):
                if name == "Note":
                    continue
                if game is not None:
                    yield game
                game = Game(number)
            ended = False
            game.take(name, value, number, faults)
            if name == "Note":  # notes stand under the auction or the play, and do not end them
                game.notes.append((section, value, number))
            else:
                section = name
        if not rest:
            continue
        reason = f"{'not a tag' if rest[0] == '[' else 'text outside of any game'}: {rest[:80]!r}"
        if (ended and not (section in ("Auction", "Play") and _GOES_ON.fullmatch(rest))) or game is None:
            if not reported:
                faults.append(BadBoard(number, reason))
            reported = True
        elif rest[0] == "[":
            faults.append(BadBoard(number, reason, "broken tag"))
        else:
            game.rows.setdefault(section, []).append((number, rest))
    if game is not None:
        yield game


def _comments_that_hide(text: str) -> Iterator[BadBoard]:
    """Yield each comment that is not closed or has a deal."""
    for comment in _COMMENT.finditer(text):
        if comment[0][0] != "{":
            continue
        reason = "a comment with a deal, which is not read" if _DEAL_IN_COMMENT.search(comment[0]) else ""
        if comment[0][-1] != "}":
            reason = f"a comment that is not closed: {comment[0][:80]!r}"
        if reason:
            yield BadBoard(text.count("\n", 0, comment.start()) + 1, reason, "comment")


def _begins_game(game: Game, name: str, value: str, after_blank: bool, rows: Sequence[str], start: int) -> bool:
    """Return whether a tag, in row ``start``, is the first of the next game."""
    if name == "Note":
        return False
    known = name in game.tags
    if known == after_blank:
        return known
    if known and name in _OPENING:
        again = value.strip() == game.value(name) and not _LATE & game.tags.keys()
        return not (game.lacks("Deal") and (again or game.lacks(name)))
    late = name in _LATE or name.startswith(_ROWS_END)
    head, opening = set[str](), ""
    for each in chain([name], _names_below(rows, start)):
        if each in _OPENING:
            opening = each
            break
        head.add(each)
    if known:
        other = "Auction" in game.rows and (name == "Auction" or not late)
        other = other or (name in ("Room", "Table") and "Contract" in game.tags)  # another table
        return other or ("Deal" in game.tags and opening != "" and not _LATE & head)
    if late:  # as first tags of a game, or the rest of this one
        is_board = opening in {"Board", "Deal"} & game.tags.keys()
        return "Deal" in game.tags and is_board and not {"Auction", "Play"} & head
    is_late = bool(_LATE & head) and not _LATE & game.tags.keys()  # else it is another table
    if not opening and not head & game.tags.keys() and (is_late or all(map(_TAIL.match, head))):
        return False
    return "Deal" in game.tags or any(late in game.tags for late in _LATE)  # else it is still at its first tags


def _names_below(rows: Sequence[str], start: int) -> Iterator[str]:
    """Yield the names of tags from row ``start`` to the next blank line."""
    for row in takewhile(str.strip, (rows[place] for place in range(start, len(rows)))):
        yield from (name for name, _ in _parse_tags(row.replace(_GAP, " ").strip())[0])


def _name(word: str) -> str:
    """Return the standard's name of a tag, whatever its case."""
    return _NAMES.get(word.lower(), word)


def _parse_tags(row: str) -> tuple[list[tuple[str, str]], str]:
    """Return the tags at the start of a row, and the text after them."""
    tags, end = [], 0
    while match := _TAG.match(row, end):
        tags.append((_name(match[1]), match[2]))
        end = match.end()
    if not tags and (match := _LOOSE_TAG.match(row)):
        # Quotes that should have been escaped; escape them, so that all values are alike.
        return [(_name(match[1]), re.sub(r'(?<!\\)"', r'\\"', match[2]))], ""
    return tags, row[end:]


def _half_tag(row: str) -> tuple[str, str] | None:
    """Return the tag of a row that lacks a quote or a bracket; without the first bracket its name must be known."""
    half = _HALF_TAG.match(row)
    if half is None or (half[3] and half[3].lower() not in _NAMES):
        return None
    return _name(half[1] or half[3]), (half[2] or half[4] or "").strip().strip("'")


def _with_hand(deal: str, row: str) -> str:
    """Return the deal above with the hand of a row such as ``E: 9.KJ872.T862.KT6``, empty if it is of another deal."""
    seat, hand = row[:1].upper(), row[1:].strip(" :")
    first, _, rest = deal.partition(":")
    if seat not in SEATS or not re.fullmatch(HAND, hand, re.IGNORECASE) or first.strip().upper() not in tuple(SEATS):
        return ""
    hands, place = [*rest.split(), *"----"][:4], (SEATS.index(seat) - SEATS.index(first.strip().upper())) & 3
    if hands[place] != "-":
        return ""
    hands[place] = hand
    text = f"{first}:{' '.join(hands)}"
    try:
        parse_deal(text, partial=True)
    except DealError:  # a card twice: they are of two deals
        return ""
    return text


def _is_heading(rows: Sequence[str], start: int) -> bool:
    """Return whether a deal is next below, from row ``start`` on, and has no number of its own."""
    for row in rows[start : start + _FAR]:
        text = row.replace(_GAP, " ").strip()
        if text and _bare_deal(text):
            return True
        for name, _ in _parse_tags(text)[0]:
            if name in ("Board", "Deal"):
                return name == "Deal"
    return False


def _bare_deal(row: str) -> re.Match[str] | None:
    return _BARE_DEAL.match(row) or _DEAL_IN_TEXT.match(row)


def _bare_tags(
    row: str, line: int, above: Game | None, rows: Sequence[str], after_blank: bool, faults: list[BadBoard]
) -> tuple[list[tuple[str, str]], str]:
    """Return the tags of a row that has a deal, the number of a deal below or above, or conditions of the deal above;
    and its rest.
    """
    if above is not None and (longer := _with_hand(above.value("Deal"), row)):
        above.tags["Deal"] = (longer, above.line_of("Deal"))
        return [], ""
    if above is not None and (found := _CONDITIONS.match(row)):
        auction = [("Auction", found[1])] if row[found.end() :] else []
        return [("Dealer", found[1]), ("Vulnerable", found[2]), *auction], row[found.end() :]
    if re.match("[a-z]", row, re.IGNORECASE) and (found := _NUMBER.match(row)):
        is_above = above is not None and above.lacks("Board")
        is_last = is_above and not after_blank and not "".join(rows[line : line + 1]).strip()
        if not is_last and _is_heading(rows, line):
            return [("Board", found[1])], ""
        if not is_above:
            return [], row
        above.tags["Board"] = found[1], line  # type: ignore[union-attr]
        return [], ""
    deal = _bare_deal(row)
    if deal is None:
        return [], row
    tags, before, behind = [("Deal", deal[2])], deal[1], deal[3]
    if found := _NUMBER.match(before):
        tags, before = [("Board", found[1]), *tags], ""
    if ":" not in deal[2] and _GIB_TRICKS.match(behind):
        tags[-1] = ("Deal", f"W:{deal[2]}")
    for text, where in ((before, "before"), (behind, "behind")):
        if word := text.strip(' ",'):
            faults.append(BadBoard(line, f"{word[:80]!r} {where} the deal is not read", "text beside a deal"))
    return tags, ""


def inherited(games: Iterable[Game], faults: list[BadBoard]) -> list[Game]:
    """Return the games that are boards, with values for ``#`` (as in the last game) and ``##text`` (from here on).

    A game that leaves out its deal is another table of the board before, or of one with its number; so is one with the
    same deal that leaves out dealer or vulnerability. That is reported.
    """
    last: dict[str, str] = {}
    lasting: set[str] = set()
    boards: list[Game] = []
    by_number: dict[str | int, list[Game]] = {}
    for game in games:
        for name, (value, line) in game.tags.items():
            if value == "#":
                game.tags[name] = (last.get(name, ""), line)
            elif value.startswith("##"):
                lasting.add(name)
                game.tags[name] = (value.lstrip("#"), line)
            last[name] = game.tags[name][0]
        for name in sorted(lasting - game.tags.keys()):
            game.tags[name] = (last[name], game.line)
        if not _ANY_BOARD & game.tags.keys():
            names = ", ".join(f"[{name}]" for name in game.tags)
            faults.append(BadBoard(game.line, f"no board has {names}: not read"))
            continue
        boards.append(game)
        game.place = len(boards)
        if not game.lacks("Deal") and not game.lacks("Board"):
            by_number.setdefault(_number(game), []).append(game)
    for place, game in enumerate(boards):
        if not any(map(game.lacks, ("Deal", "Dealer", "Vulnerable"))):
            continue
        tables = boards[max(0, place - 1) : place] if game.lacks("Board") else by_number.get(_number(game), [])
        if not game.lacks("Deal"):  # many games may have the number
            tables = [other for other in tables[-2:] if other.place < game.place]
        tables = [other for other in tables if other is not game and _is_of_board(game, other)]
        of_match = [other for other in tables if _agree(game, other, _MATCH)]
        if of_match or len({other.value("Deal") for other in tables}) > 1:
            tables = of_match
        before = [other for other in tables if other.place < game.place]
        for source in before[-1:] or tables[:1]:
            _take_board(game, source, faults)
    return boards


def _number(game: Game) -> str | int:
    return board_number(game.value("Board")) or game.value("Board")


def _is_of_board(game: Game, other: Game) -> bool:
    """Return whether a game may be another table of a board: it leaves out the deal or has the same."""
    if not game.lacks("Deal") and not (_LATE | {"Room", "Table"}) & game.tags.keys():
        return False  # a deal alone
    if not other.value("Deal") or not _agree(game, other, _EVENT):
        return False
    return game.lacks("Deal") or _are_equal(*(plain_deal(each.value("Deal")) for each in (game, other)))


def _are_equal(deal: str, other: str) -> bool:
    with suppress(DealError):
        return deal == other or bool((parse_deal(deal, partial=True) == parse_deal(other, partial=True)).all())
    return False


def _agree(game: Game, other: Game, names: Iterable[str]) -> bool:
    """Return whether each tag of a game is that of another or has no value."""
    return all(game.value(name) in (*UNKNOWN_VALUES, other.value(name)) for name in names)


def _take_board(game: Game, source: Game, faults: list[BadBoard]) -> None:
    """Take what a game leaves out from another table of its board."""
    names = [name for name in _OF_BOARD if game.lacks(name) and source.value(name)]
    for name in names:
        game.tags[name] = (source.tags[name][0], game.line)
    if names:
        where = "before" if source.place == game.place - 1 else f"in line {source.line}"
        reason = f"{', '.join(names)} of the game {where}, which this one leaves out"
        faults.append(BadBoard(game.line, reason, "second table"))


def unescape(value: str) -> str:
    """Return the value of a tag without the backslashes before quotes."""
    return re.sub(r'\\(["\\])', r"\1", value)
