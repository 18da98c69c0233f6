"""Write the report of a coach: the strength of player and book, the departures from the book, and amendments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.systems.language.tree import Line as Rule
from agents.systems.lint import Finding
from training.coaching.config import CoachConfig
from training.coaching.departures import DepartureGroup, Departures, line_text
from training.evaluation.panel import Line, markdown
from training.evaluation.system_consistency import SystemConsistency
from training.runtime import pages, runs

_MOST = 40  # lines that are listed


@dataclass(frozen=True)
class RoundResult:
    """Hold the result of a round."""

    player: Sequence[Line]  # the player's matches with gatekeepers, and its gain over the first book
    amended: Sequence[Line]  # the same of the amended book
    consistency: SystemConsistency  # of the player, by the book that it learned by
    book_consistency: SystemConsistency  # of that book, by itself
    amendments: Sequence[str]  # descriptions with gain and error


def report(
    config: CoachConfig, name: str, results: Sequence[RoundResult], found: Departures, groups: Sequence[DepartureGroup],
    lines: tuple[Sequence[Rule], Sequence[tuple[Rule, int, int]]], unsound: Sequence[Finding],
) -> str:  # fmt: skip
    """Return the page as Markdown.

    Args:
        found, groups: the first player's departures, and the auctions in which they gain most.
        lines: of the book, those that never came up, and those that the player seldom follows.
        unsound: what ``check --sound`` finds in the book.
    """
    worth, boards = found.worth, len(found.boards)
    never, seldom = lines
    return pages.render(
        "coach.md",
        name=name,
        command=runs.command_line("bridge-env coach", replace(config, system=runs.portable(config.system))),
        rounds=[vars(one) | {"player": markdown(one.player), "amended": markdown(one.amended)} for one in results],
        boards=boards,
        often=len(worth) / boards,
        worth=worth.mean(),
        error=worth.std(ddof=1) / len(worth) ** 0.5 if len(worth) > 1 else float("nan"),
        groups=groups,
        unsound=unsound,
        seldom=[f"{line_text(line)}: {followed} of {fired} times" for line, fired, followed in seldom[:_MOST]],
        unused=len(never),
        never=[line_text(line) for line in never[:_MOST]],
    )
