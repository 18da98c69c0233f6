"""Report solved problems as a Markdown page: diagrams, both cards, their results, and the beliefs they plant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.options import IMPS
from bridge_env.cards import SEATS, card_text
from bridge_env.render import SEAT_NAMES, auction_table, deal_diagram
from studies.deception.study import Problem, Solved

_SAME = 1e-9


def page(solved: Sequence[Solved], command: str, plain: str, deceptive: str, bidder: str) -> str:
    """Return the page in Markdown; ``bidder`` is the spec of the system by which calls were read."""
    lines = ["# Problems: the card that deceives", "", "Made by", "", f"    {command}", ""]
    lines += [
        f"The plain player is `{plain}`, the other `{deceptive}`; calls are read as `{bidder}`.",
        "Tricks are declarer's, of the whole board. *Modelled*: the opponents play for the deals that the next of them",
        "imagines after the card; my side sees all cards. *Played out*: from that card on the plain player sits at all",
        "four seats, once a seed; its opponents believe the same hypotheses as the model. *Unbelievers*: opponents of",
        "the same kind who read the auction and believe no hypothesis from the play. *Seen through*: everybody sees",
        "all cards. The goal: declarer makes the contract, defenders beat it. Seconds are the processor's, for either",
        "card.",
        "",
    ]
    lines += summary(solved)
    for number, one in enumerate(solved, 1):
        lines += ["", f"## {number}. {one.problem.title}", "", *_problem(one)]
    return "\n".join(lines) + "\n"


def summary(solved: Sequence[Solved]) -> Iterator[str]:
    """Yield the lines of the table of all problems."""
    yield (
        "| | problem | contract | to play | plain | deceptive | modelled | played out | goal reached "
        "| by unbelievers | seconds |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for number, one in enumerate(solved, 1):
        problem, first, last = one.problem, one.results[0], one.results[-1]
        cells = [
            problem.title,
            str(problem.contract),
            _player_name(problem),
            card_text(first.card),
            card_text(last.card) if len(one.results) > 1 else "the same",
            _both(*(f"{r.average:.1f}" for r in one.results)),
            _both(*(_mean(r.played) for r in one.results)),
            _both(*(_goal(problem, r.played) for r in one.results)),
            _both(*(_goal(problem, r.unbelieving) for r in one.results)),
            f"{one.plain_seconds:.1f}, {one.seconds:.1f}",
        ]
        yield f"| {number} | " + " | ".join(cells) + " |"


def _both(*words: str) -> str:
    return " → ".join(words)


def _player_name(problem: Problem) -> str:
    turn = int(problem.plays.turn[0])
    if turn == problem.contract.declarer ^ 2:
        return f"{SEATS[turn]} (dummy)"
    return SEATS[turn] + (" (declarer)" if problem.declares else "")


def _mean(tricks: NDArray[np.int64]) -> str:
    return f"{tricks.mean():.1f}" if len(tricks) else "-"


def _goal(problem: Problem, played: NDArray[np.int64]) -> str:
    """Return in how many of the played boards the goal was reached."""
    if not len(played):
        return "-"
    return f"{int(problem.reached(played.astype(np.float64)).sum())}/{len(played)}"


def _problem(one: Solved) -> Iterator[str]:
    problem = one.problem
    board = problem.board
    if problem.idea:
        yield problem.idea
        yield ""
    yield "```text"
    yield deal_diagram(board.owner, board.dealer, board.vulnerability, board.number)
    if problem.auctions is not None and board.auction:
        yield ""
        yield auction_table(board.auction, board.dealer, board.vulnerability)
    yield "```"
    yield ""
    yield from _so_far(problem)
    yield ""
    yield "| | card | modelled | reaches the goal | seen through | played out | against unbelievers |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, result in zip(("plain", "deceptive"), one.results, strict=False):
        played, other = (", ".join(str(n) for n in each) or "-" for each in (result.played, result.unbelieving))
        believed = f"{result.average:.2f} tricks | {result.reached(problem):.0%} of what is imagined"
        yield f"| {name} | {card_text(result.card)} | {believed} | {result.seen_through} tricks | {played} | {other} |"
    yield ""
    yield from _judgement(one)


def _so_far(problem: Problem) -> Iterator[str]:
    plays = problem.plays
    cards, players = plays.cards(0), plays.players[0]
    yield f"{problem.contract}. Played so far:"
    yield ""
    for start in range(0, len(cards), 4):
        words = " ".join(card_text(c) for c in cards[start : start + 4])
        yield f"{start // 4 + 1}. {SEATS[int(players[start])]} leads {words}"
    yield ""
    to_play, won = SEATS[int(plays.turn[0])], int(plays.won[0])
    yield f"{to_play} plays next; declarer has {won} trick{'s' * (won != 1)}. What is left:"
    yield ""
    yield "```text"
    yield deal_diagram(plays.left[0])
    yield "```"


def _judgement(one: Solved) -> Iterator[str]:
    """Yield beliefs, costs and risks, in sentences."""
    deception = one.deception
    if len(one.results) == 1:
        yield f"- Both play {card_text(one.plain.card)}."
    for result in one.results:
        if result.inferred or result.planted:
            beliefs = "; ".join((*result.inferred, *result.planted))
            yield f"- {SEAT_NAMES[result.opponent]} believes after {card_text(result.card)}: {beliefs}."
    if not len(deception.cards):
        yield "- The deceptive player did not look further: the goal can be reached on most deals it believes in."
        return
    cost = one.results[0].seen_through - one.results[-1].seen_through
    here = "nothing in this deal" if cost == 0 else f"{abs(cost)} trick{'s' * (abs(cost) != 1)} in this deal"
    unit = "IMPs" if one.unit == IMPS else one.unit
    average = "nothing" if deception.risk < _SAME else f"{deception.risk:.2f} {unit}"
    yield f"- Seen through it costs {here}, and {average} on average over the deals that the player believes in."
    yield (
        f"- The goal can be reached on {one.reachable:.0%} of these deals: without `when=always` `deceptive` "
        + ("would think of it too." if one.reachable < 0.5 else "would leave it at the plain card.")
    )
