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
from training.runtime import runs

_NEVER = 40  # lines that never came up that are listed


def _abroad(what: str, lines: Sequence[Line]) -> list[str]:
    return [f"### {what}", "", *markdown(lines), ""]


@dataclass(frozen=True)
class RoundResult:
    """What came of a round."""

    player: Sequence[Line]  # the player's matches with gatekeepers, and its gain over the book that was given
    amended: Sequence[Line]  # the same of the amended book
    truth: SystemConsistency  # of the player, by the book that it learned by
    book_truth: SystemConsistency  # of that book, by itself
    amendments: Sequence[str]  # descriptions with gain and error


def _strength(results: Sequence[RoundResult]) -> list[str]:
    """Return the lines on the strength of the players and books of all rounds."""
    lines = []
    for number, one in enumerate(results, 1):
        later = f"Round {number}: " if len(results) > 1 else ""
        by = "the book" if number == 1 else "the book as amended before"
        lines += [
            *_abroad(f"{later}{'a' if later else 'A'} player that bids by {by}, with judgement", one.player),
            *_abroad(f"{later}{'the' if later else 'The'} amended book, pure rules", one.amended),
            f"The player keeps to the book: {one.truth}. That book itself: {one.book_truth}.", "",
        ]  # fmt: skip
    return lines


def _amendments(results: Sequence[RoundResult]) -> list[str]:
    """Return the lines on the amendments of all rounds."""
    lines = []
    for number, one in enumerate(results, 1):
        lines += [f"### Round {number}", ""] if len(results) > 1 else []
        lines += [*([f"- {what}" for what in one.amendments] or ["None gained enough to be kept."]), ""]
    return lines


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
    worth = found.worth
    error = worth.std(ddof=1) / max(len(worth), 1) ** 0.5 if len(worth) > 1 else float("nan")
    page = [
        f"# A coach for {name}", "",
        f"Made by `{runs.command_line('bridge-env coach', replace(config, system=runs.portable(config.system)))}`.",
        "",
        "## How strong", "",
        "IMPs a board on judging boards, and the gain over the book itself on the same boards.", "",
        *_strength(results),
        "## What the book leaves on the table", "",
        f"On {len(found.boards):,} judging boards against `policy:two-over-one` the player left the book "
        f"{len(worth) / len(found.boards):.2f} times a board. Each time was worth {worth.mean():+.2f} ± {error:.2f} "
        "IMPs, where everyone goes on as the player does. These are the auctions in which it gains most. They were "
        "chosen on half of the boards; worth and error are of the other half.", "",
        "| auction, and what the player bids for what the book bids | on 1,000 boards | IMPs each time |",
        "| --- | ---: | ---: |",
        *(f"| {one} | {one.often:.1f} | {one.worth:+.2f} ± {one.error:.2f} |" for one in groups), "",
        "## Amendments", "",
        "Each was worth its figure on training boards that did not suggest it, in IMPs a board.", "",
        *_amendments(results),
        "## Lines that are unsound", "",
        "No pair would agree to play these (`bridge-env check --sound`). Numbers are of lines of `book.bidding`.", "",
        *([f"- line {one.line}: {one.text}" for one in unsound] or ["There are none."]), "",
        "## Lines that the player seldom follows", "",
        *([f"- {line_text(line)}: {followed} of {fired} times" for line, fired, followed in lines[1][:_NEVER]]
          or ["There are none."]), "",
        "## Lines that never came up", "",
        f"{len(lines[0]):,} lines, on {len(found.boards):,} boards. The first of them:", "",
        *(f"- {line_text(line)}" for line in lines[0][:_NEVER]), "",
    ]  # fmt: skip
    return "\n".join(page)
