"""Propose changes to a partnership, and try them: pure functions.

A partnership is a pair of systems, one a player. Seven operators propose changes to it:

- evolution: chance variations of lines that are used (``agents.systems.changes.variation``);
- refinement: rules induced from decisions labelled with what other calls would have been worth
  (``training.evolution.refine``), each also together with partner's answers to it;
- swapping: a player takes over what partner, or a player of another partnership, does differently: lines, all lines
  below a heading, or a complete chapter (``agents.systems.changes.chapters``);
- tuning: all steps of single lines, valued by the same play-outs (``training.evolution.refine.line_steps``);
- amendment: rules and steps that a network likes which bids by the system (``training.evolution.refine.decisions``);
- cards: scorecards for contested auctions, fitted to played-out decisions (``training.evolution.scorecards``);
- natural: a complete natural system, for a pair that opens nothing (``training.evolution.natural``).

With swapping, each player also develops inclinations of its own; without it both players change alike.
Nothing here knows of Ray: ``training.evolution.cluster_evaluator`` distributes the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.changes.chapters import ReplaceSection, chapters
from agents.systems.changes.edits import (
    CompositeEdit,
    Edit,
    Insert,
    InsertGeneral,
    SetCards,
    differences,
    sub_hierarchies,
)
from agents.systems.changes.mutation import SeededRandom
from agents.systems.changes.variation import vary
from agents.systems.language.paths import path_steps
from agents.systems.language.text import constraint_text, parse_constraint
from agents.systems.language.tree import Line, Step
from training.evaluation.partnership_match import BoardRange, Partnership, Rival, gains_and_changes, interned, is_system
from training.evolution.refine.induce import Rule

BOTH = 2
TUNING, SWAPPING, AMENDMENT, NATURAL, CARDS = "tuning", "swapping", "amendment", "natural", "cards"
GENERAL = "when "  # begins the paths of general rules
PLAYERS = ("first player", "second player", "both players")


@dataclass(frozen=True)
class Proposal:
    """Hold a change to one player's system, or to both."""

    edit: Edit
    player: int  # 0, 1 or BOTH
    operator: str

    @property
    def source(self) -> str:
        """Return the operator and the players that it changes, such as ``tuning, both players``."""
        return f"{self.operator}, {PLAYERS[self.player]}"

    def apply(self, pair: Partnership, compiled: bool = True) -> Partnership | None:
        """Return the changed partnership, None where the change does not fit it or makes no system; that takes
        compiling, which without ``compiled`` is left to a later duel.
        """
        alike = pair.first == pair.second
        for player in (0, 1) if self.player == BOTH else (self.player,):
            if alike and self.player == BOTH and player == 1:
                return Partnership(pair.first, pair.first)  # one system, compiled and compared once
            system = self.edit.apply(pair.player(player))
            if system is None:
                return None
            pair = Partnership(pair.first, system) if player else Partnership(system, pair.second)
            if compiled and not is_system(pair):
                return None
        return pair


@dataclass(frozen=True)
class TrialResult:
    """Hold the IMPs a board by which a partnership did better than another on the same boards, over the league."""

    gain: float
    error: float
    boards: int
    against: tuple[float, ...]  # by each opponent
    errors: tuple[float, ...]  # of each of those
    touched: float  # share of the boards on which it bids anything else

    def better_by(self, errors: float) -> bool:
        """Return whether it gains more than ``errors`` standard errors, and against at least half of the league."""
        most = sum(g >= 0 for g in self.against) * 2 >= len(self.against)
        return self.gain > 0 and self.gain > errors * self.error and most


def target(chance: SeededRandom, swapping: bool) -> int:
    """Choose the player that a proposal changes: both or, where partners swap, equally often one of them."""
    return chance.below(2) if swapping and chance.below(2) else BOTH


def variations(
    pair: Partnership, count: int, chance: SeededRandom, usage: Sequence[Mapping[int, int]], swapping: bool
) -> list[Proposal]:
    """Vary lines at random, for one player or both; ``usage`` has for each the calls made by each line number."""
    out = []
    for _ in range(count):
        player = target(chance, swapping)
        whose = chance.below(2) if player == BOTH else player
        edit = vary(pair.player(whose), chance, usage[whose])
        if edit is not None:
            out.append(Proposal(edit, player, "evolution"))
    return out


def swaps(population: Sequence[Partnership], index: int, count: int, chance: SeededRandom) -> list[Proposal]:
    """Propose what a player may take over from partner, and both from others: in turn sections and lines."""
    pair = population[index]
    wholes, lines = list[Proposal](), list[Proposal]()
    for player in (0, 1):
        sources = [pair.player(1 - player)]
        sources += [other.player(which) for i, other in enumerate(population) if i != index for which in (0, 1)]
        for number, source in enumerate(sources):
            if source == pair.player(player) or (number > 0 and source in sources[:number]):
                continue
            whose = player if number == 0 else BOTH
            edits = list(differences(pair.player(player), source))
            lines += [Proposal(edit, whose, SWAPPING) for edit in edits]
            wholes += [Proposal(edit, whose, SWAPPING) for edit in sub_hierarchies(edits)]
            wholes += [Proposal(edit, whose, SWAPPING) for edit in chapters(pair.player(player), source)]
    offered = [list(dict.fromkeys(wholes)), list(dict.fromkeys(lines))]
    picked: list[Proposal] = []
    while any(offered) and len(picked) < count:
        among = offered[len(picked) % 2] or offered[1 - len(picked) % 2]
        picked.append(among.pop(chance.below(len(among))))
    return picked


def refinements(
    rules: Sequence[Rule], chance: SeededRandom, swapping: bool, operator: str = "refinement"
) -> list[Proposal]:
    """Return rules as proposals; a double, or a new suit, once as it is and once as forcing."""
    out = []
    for rule in rules:
        player = target(chance, swapping)
        in_tree = rule.path != "" and not rule.path.startswith(GENERAL)  # behind some call
        may_force = rule.call == "X" or (in_tree and rule.call[0] in "lj1234" and not rule.call.endswith("N"))
        for flags in ((), ("forcing",)) if may_force else ((),):
            out.append(Proposal(rule_edit(rule, flags), player, operator))
    return out


def rule_edit(rule: Rule, flags: tuple[str, ...] = ()) -> Insert | InsertGeneral:
    """Return the rule as a line in front of all others at its position, or of the general rules of its context."""
    flag = f" !{flags[0]}" if flags else ""
    line = Line((Step(rule.call),), rule.constraint, flags, "take-out" if rule.call == "X" and flags else "")
    what = f"{rule.path or 'opening'}: {rule.call}  {constraint_text(rule.constraint)}{flag}"
    if rule.path.startswith(GENERAL):
        return InsertGeneral(parse_constraint(rule.path.removeprefix(GENERAL)), line, what)
    return Insert(path_steps(rule.path), line, what)


def with_answers(edit: Insert, answers: Sequence[Rule]) -> CompositeEdit:
    """Return a call together with partner's answers to it, the most valuable in front."""
    parts = [rule_edit(rule) for rule in sorted(answers, key=lambda r: r.gain)]
    texts = "; ".join(f"{p.line.name} {constraint_text(p.line.constraint)}".rstrip() for p in reversed(parts))
    return CompositeEdit((edit, *parts), f"{edit.what}, and answers: {texts}")


def inserted_rule(proposal: Proposal) -> tuple[object, ...] | None:
    """Return the place, call and hands of a new rule, without its flags and answers; None for other changes."""
    edit = proposal.edit.parts[0] if isinstance(proposal.edit, CompositeEdit) else proposal.edit
    if isinstance(edit, Insert):
        return edit.path, edit.line.path, edit.line.constraint
    if isinstance(edit, InsertGeneral):
        return edit.when, edit.line.path, edit.line.constraint
    return None


def exclusive_key(proposal: Proposal) -> tuple[object, ...] | None:
    """Return a key that only one accepted proposal may have, None for others: one form of a new rule, one of two
    partners that takes over the other's chapter, one natural system.
    """
    if isinstance(proposal.edit, ReplaceSection) and (proposal.player != BOTH or proposal.operator == NATURAL):
        return (proposal.edit.chapter,)
    if isinstance(proposal.edit, SetCards):
        return (proposal.edit.block.when,)
    return inserted_rule(proposal)


def answerable(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the new calls in the tree to which partner could need answers, each once: as forcing, where it may be."""
    calls = [p for p in proposals if isinstance(p.edit, Insert) and p.edit.line.path[0].token != "P"]
    return list({inserted_rule(p): p for p in calls}.values())


def trial(
    us: Partnership, candidates: Sequence[Partnership], league: Sequence[Rival], board_range: BoardRange
) -> NDArray[np.int64]:
    """Sum what candidates gain over ``us`` on a range of boards: int64 (candidates, 3 + 2 * league).

    Columns: IMPs gained, summed over the league and the boards; their squares, of each board's sum; boards on which
    anything else is bid against anybody; then the IMPs against each opponent, and their squares. A candidate that is
    no system gains nothing.
    """
    us, candidates = interned(us), [interned(c) for c in candidates]
    league = [them if isinstance(them, str) else interned(them) for them in league]
    out = np.zeros((len(candidates), 3 + 2 * len(league)), np.int64)
    for i, candidate in enumerate(candidates):
        if not is_system(candidate):
            continue
        found = [gains_and_changes(candidate, us, them, board_range) for them in league]
        each = np.array([imps for imps, _ in found], np.int64)
        touched = np.logical_or.reduce([other for _, other in found])
        board = each.sum(axis=0)
        out[i] = [board.sum(), (board**2).sum(), touched.sum(), *each.sum(axis=1), *(each**2).sum(axis=1)]
    return out


def trial_result(sums: NDArray[np.int64], boards: int) -> TrialResult:
    """Return the result of a candidate from its sums (3 + 2 * league,) over some boards."""
    opponents = (len(sums) - 3) // 2
    means = np.concatenate([sums[:1], sums[3 : 3 + opponents]]) / boards
    squares = np.concatenate([sums[1:2], sums[3 + opponents :]]) / boards
    variance = np.maximum(squares - means**2, 0.0) / max(boards - 1, 1)
    gain, *against = means.tolist()
    error, *errors = np.sqrt(variance).tolist()
    return TrialResult(
        gain / opponents, error / opponents, boards, tuple(against), tuple(errors), float(sums[2]) / boards
    )
