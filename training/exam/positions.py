"""Read exams as text: areas, and a line for each position with its accepted calls.

::

    # A comment.
    area: transfers  Responses to one no trump
    none N      | 1NT P      | J8643.5.K872.Q94 | 2H           | five spades
    both S 2/1  | 1NT P 4D P | KQ7.J5.AQ84.AJ63 | 4H           | a Texas transfer
    ns E        | -          | AQT5.73.KQJ64.72 | 1D, 1S 5     | the longer suit
    none N      | 1S P       | KQ84.5.A962.QJ73 | 4H [splinter], 2NT 5 | a singleton and four trumps
    none E +Jacoby | 1H P 2NT P | AJ4.KQJ73.QJ62.5 | 3C        | a singleton club

A position says who is vulnerable and who deals, the auction so far from the dealer on (``-``: no call yet), the hand
whose turn it is (spades first), the accepted calls, and the reason. A call alone counts ten points; another number may
stand behind it. ``sayc`` or ``2/1`` behind the dealer limits a position to that system; without it, it is for all.

A convention (of ``agents.systems.library.conventions``) in brackets says what the call must show to count in full;
``+Jacoby`` behind the dealer, that the auction needs it. A system answers the positions whose conventions it has.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from agents.systems.library.conventions import CONVENTIONS
from bridge_env.hands.deals import hand_text, parse_hand
from bridge_env.rules.auction import Auctions, IllegalCall, one_auction
from bridge_env.rules.calls import call_text, parse_call
from bridge_env.rules.cards import SEATS, VULNERABILITIES, parse_seat, parse_vulnerability

FULL = 10  # points for a best call
HALF = 5  # at most, for a call that does not show what it must
KEYS = ("sayc", "2/1")
ALL = "all"
SUFFIX = ".exam"
_FIELDS = "vulnerability and dealer | auction | hand | accepted calls | reason"
_ANSWER = re.compile(r"^(\S+)(?:\s+\[([\w-]+)\])?(?:\s+([1-9]|10))?$")


class ExamError(ValueError):
    """A file is no exam; the message names the file, the line and the fault."""


@dataclass(frozen=True)
class Position:
    """One question of an exam."""

    area: str
    key: str  # for bidders that play ``sayc``, ``2/1``, or ``all``
    vulnerability: int  # code 0..3 (bit 0 NS, bit 1 EW)
    dealer: int
    auction: tuple[int, ...]  # the calls so far, from the dealer on
    hand: str  # ``"AKQ2.T98.J7.A543"``, of the seat whose turn it is
    answers: tuple[tuple[int, int], ...]  # (call, points) of the accepted calls, as written
    reason: str
    where: str = field(default="", compare=False)  # file and line, such as ``openings.exam:12``
    # (call, convention) of the accepted calls that count in full only as such a convention
    shows: tuple[tuple[int, str], ...] = ()
    needs: tuple[str, ...] = ()  # conventions without which the auction does not come up

    @property
    def question(self) -> tuple[int, int, tuple[int, ...], str]:
        """Return the question, without the key."""
        return self.vulnerability, self.dealer, self.auction, self.hand

    @property
    def seat(self) -> int:
        """Return the seat to call."""
        return (self.dealer + len(self.auction)) % 4

    @property
    def state(self) -> dict[str, object]:
        """Return the position as ``agents.calls`` takes it."""
        return {
            "hand": self.hand,
            "dealer": SEATS[self.dealer],
            "vulnerability": VULNERABILITIES[self.vulnerability],
            "auction": [call_text(call) for call in self.auction],
        }

    def points(self, call: int) -> int:
        """Return what ``call`` scores, 0..10, if it shows what it must."""
        return dict(self.answers).get(call, 0)

    def convention(self, call: int) -> str | None:
        """Return the convention that an accepted call must be; None for none."""
        return dict(self.shows).get(call)

    def fair(self, plays: Collection[str]) -> bool:
        """Return whether the auction and a best call exist with these conventions."""
        best = (self.convention(call) for call, points in self.answers if points == FULL)
        return set(self.needs) <= set(plays) and any(must is None or must in plays for must in best)


@dataclass(frozen=True)
class Exam:
    """Positions in their areas."""

    titles: dict[str, str]  # title of each area, in the order of the exam
    positions: tuple[Position, ...]

    @cached_property
    def everybody(self) -> tuple[Position, ...]:
        """Return the positions for a bidder of no known system: where both keys ask, either's answer counts."""
        merged: dict[tuple[object, ...], Position] = {}
        for position in self.positions:
            before = merged.get(position.question)
            merged[position.question] = position if before is None else _both(before, position)
        return tuple(merged.values())

    def select(
        self, key: str, areas: Sequence[str] | None = None, plays: Collection[str] = frozenset(CONVENTIONS)
    ) -> tuple[Position, ...]:
        """Return the positions for a bidder that plays ``key`` and some conventions, in ``areas`` (default all); raise
        ``ValueError`` where there is no such key or area.
        """
        if key not in (*KEYS, ALL):
            raise ValueError(f"{key!r} is no key of an exam; there are {', '.join((*KEYS, ALL))}")
        for area in areas or ():
            if area not in self.titles:
                raise ValueError(f"the exam has no area {area!r}; there are {', '.join(self.titles)}")
        mine = self.everybody if key == ALL else [p for p in self.positions if p.key in (key, ALL)]
        return tuple(p for p in mine if p.fair(plays) and (not areas or p.area in areas))


def _both(first: Position, second: Position) -> Position:
    points = dict(second.answers)
    for call, worth in first.answers:
        points[call] = max(worth, points.get(call, 0))
    reason = f"{first.reason} ({first.key}); {second.reason} ({second.key})"
    answers = tuple(sorted(points.items(), key=lambda answer: -answer[1]))
    free = {call for p in (first, second) for call, _ in p.answers if p.convention(call) is None}
    shows = tuple((call, must) for call, must in (*first.shows, *second.shows) if call not in free)
    needs = tuple(name for name in first.needs if name in second.needs)
    return Position(first.area, ALL, *first.question, answers, reason, first.where, shows, needs)


@cache
def textbook() -> Exam:
    """Return the exam that comes with the package, read once."""
    return read_exam([Path(__file__).parent / "textbook"])


def read_exam(paths: Iterable[str | Path]) -> Exam:
    """Read the exam in files, or the ``.exam`` files of folders by name; raise ``ExamError`` where one is faulty."""
    texts = []
    for path in map(Path, paths):
        for file in sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]:
            try:
                texts.append((file.read_text(encoding="utf-8"), str(file)))
            except (OSError, UnicodeDecodeError) as error:
                raise ExamError(f"{file}: cannot be read: {error}") from error
    return parse_exam(texts)


def parse_exam(texts: Iterable[tuple[str, str]]) -> Exam:
    """Return the exam of some texts, each with its source, which errors name."""
    titles: dict[str, str] = {}
    positions: list[Position] = []
    for text, source in texts:
        area = ""
        for number, raw in enumerate(text.splitlines(), 1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            try:
                if line.startswith("area:"):
                    area, _, title = line.removeprefix("area:").strip().partition(" ")
                    titles.setdefault(area, title.strip())
                elif not area:
                    raise ValueError("no area yet; write 'area: NAME  TITLE' above the first position")
                else:
                    positions.append(_position(line, area, f"{Path(source).name}:{number}"))
            except ValueError as error:
                raise ExamError(f"{source}:{number}: {error}") from error
    if not positions:
        raise ExamError("this exam holds no position")
    return Exam(titles, tuple(positions))


def _position(line: str, area: str, where: str) -> Position:
    parts = [part.strip() for part in line.split("|", 4)]
    if len(parts) != 5:
        raise ValueError(f"a position has five parts, {_FIELDS}; this line has {len(parts)}")
    setting, calls, hand, answers, reason = parts
    vulnerability, dealer, key, needs = _setting(setting)
    cards = hand_text(parse_hand(hand))  # one way to write it, so that questions can be compared
    auction = tuple(parse_call(word) for word in calls.split()) if calls != "-" else ()
    table = one_auction(auction, dealer, vulnerability)
    if table.done[0]:
        raise IllegalCall(f"the auction {table.text(0)} is over; there is no call to make")
    points, shows = _answers(answers, table)
    return Position(area, key, vulnerability, dealer, auction, cards, points, reason, where, shows, needs)


def _setting(text: str) -> tuple[int, int, str, tuple[str, ...]]:
    words = [word for word in text.split() if not word.startswith("+")]
    needs = tuple(_convention(word[1:]) for word in text.split() if word.startswith("+"))
    if len(words) == 2:
        words.append(ALL)
    if len(words) != 3 or words[2].lower() not in (*KEYS, ALL):
        raise ValueError(f"{text!r}: write who is vulnerable and who deals, such as 'none N', 'ns E' or 'both S 2/1'")
    return parse_vulnerability(words[0]), parse_seat(words[1]), words[2].lower(), needs


def _convention(name: str) -> str:
    if name not in CONVENTIONS:
        raise ValueError(f"{name!r} is no convention; there are {', '.join(CONVENTIONS)}")
    return name


def _answers(text: str, table: Auctions) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, str], ...]]:
    legal = table.legal()[0]
    points: dict[int, int] = {}
    shows: dict[int, str] = {}
    for part in text.split(","):
        match = _ANSWER.match(part.strip())
        if match is None:
            raise ValueError(f"{part.strip()!r} is no accepted call; write '4S' or, for 1 to 10 points, '3NT 5'")
        call = parse_call(match[1])
        if not legal[call]:
            raise IllegalCall(f"{call_text(call)} is accepted, but is not legal after {table.text(0) or 'no call'}")
        points[call] = int(match[3] or FULL)
        if match[2]:
            shows[call] = _convention(match[2])
    if FULL not in points.values():
        raise ValueError(f"no call gets the full {FULL} points")
    return tuple(points.items()), tuple(shows.items())
