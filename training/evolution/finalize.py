"""Finish a run of self-play: choose the best partnership, prune its new lines, and simplify its rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import compress

from agents.systems.audit.mend import as_sound_as, without_dead
from agents.systems.changes.chapters import chapters
from agents.systems.changes.edits import Replace, differences, is_general
from agents.systems.changes.simplify import added, grouped, plainer, without_empty
from agents.systems.language.tree import System
from training.evaluation.partnership_match import BoardRange, Partnership
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.config import EvolveConfig
from training.evolution.generations import State, numbered
from training.evolution.proposals import BOTH, PLAYERS, SWAPPING, Proposal, TrialResult
from training.evolution.selection import select_proposals

MERGE_MAY_COST = 0.02  # IMPs a board over the league, for a champion of one system instead of two to read
ADD_LINES = ("evolution", "refinement", "amendment", "natural")  # the operators that write lines of their own
ROUNDS = 4  # in which conditions are left out


def finalize(config: EvolveConfig, state: State, evaluator: ClusterEvaluator) -> tuple[int, Partnership, list[str]]:
    """Choose the partnership that does best on fresh training boards, and make it fit to read; return its number, the
    partnership, and descriptions of its changes. Partners who differ take one system if that costs next to nothing.
    """
    progress = evaluator.progress
    start = config.first_board(max(config.generations, state.generation))
    board_range = evaluator.board_range(start, config.confirm)
    progress.stage("choosing the champion", len(state.population) * board_range.count)
    verdicts = evaluator.trial(state.population[0], state.population, board_range)
    best = max(range(len(verdicts)), key=lambda i: verdicts[i].gain)
    pair, notes = state.population[best], list[str]()
    if pair.first != pair.second:
        progress.stage("merging the partners' systems")
        pair, notes = merge_partner_systems(pair, config, evaluator, start + 6 * config.confirm)
    if pair.first != pair.second:
        return best, Partnership(pair.first.renamed("evolved-first"), pair.second.renamed("evolved-second")), notes
    system, starts = pair.first, [numbered(name).first for name in config.starts]
    if any(map(config.uses, ADD_LINES)):  # else lines of the start were changed by steps: there is nothing to prune
        fresh = [evaluator.board_range(start + k * config.confirm, config.confirm) for k in (2, 3, 4, 5)]
        system = prune_new_lines(system, starts, evaluator, *fresh[:2])
        system, simpler = simplify_conditions(system, starts, evaluator, *fresh[2:])
        notes += simpler
    progress.stage("reverting unsound changes")
    system, reverted = as_sound_as(starts[0], system)
    notes += (f"taken back, as it is unsound: {what}" for what in reverted)
    progress.stage("dropping lines that no hand comes to")
    system = without_dead(system)
    return best, Partnership(*(system.renamed("evolved"),) * 2), notes


def merge_partner_systems(
    pair: Partnership, config: EvolveConfig, evaluator: ClusterEvaluator, start: int
) -> tuple[Partnership, list[str]]:
    """Give both players the better of their two systems, with the chapters and general rules of the other that gain on
    boards from ``start`` on; return the partnership, as it was where that costs too much for partners of one start, and
    its changes.
    """
    alike = [Partnership(pair.first, pair.first), Partnership(pair.second, pair.second)]
    verdicts = evaluator.trial(pair, alike, evaluator.board_range(start, config.confirm))
    which = max((0, 1), key=lambda player: verdicts[player].gain)
    mine, theirs = pair.player(which), pair.player(1 - which)
    general = [edit for edit in differences(mine, theirs) if is_general(edit)]
    offered = [Proposal(edit, BOTH, SWAPPING) for edit in (*chapters(mine, theirs), *general)]
    start += config.confirm
    merged, accepted = select_proposals(alike[which], offered, config, evaluator, start)
    start += 4 * config.boards + 2 * config.confirm
    cost = evaluator.trial(pair, [merged], evaluator.board_range(start, config.confirm))[0]
    if cost.gain < -MERGE_MAY_COST and len(set(config.starts)) == 1:
        return pair, []
    choice = f"both take the system of the {PLAYERS[which]} ({verdicts[which].gain:+.4f} ± {verdicts[which].error:.4f})"
    return merged, [choice, *accepted, f"one system instead of two: {cost.gain:+.4f} ± {cost.error:.4f} in all"]


def _new_to_all(starts: Sequence[System], find: Callable[[System], Iterable[Replace]]) -> list[Replace]:
    """Return the edits of lines that are in no start."""
    first, *others = (list(find(start)) for start in starts)
    return [edit for edit in first if all(edit in edits for edits in others)]


def _tried(
    us: Partnership, edits: Sequence[Replace], evaluator: ClusterEvaluator, board_range: BoardRange, what: str
) -> list[tuple[TrialResult, Proposal]]:
    """Return the verdicts on single edits for both players, those that fit, in a stage called ``what``."""
    proposed = [Proposal(edit, BOTH, "tidying") for edit in edits]
    running = [(p, c) for p in proposed if (c := p.apply(us)) is not None]
    if running:
        evaluator.progress.stage(what, len(running) * board_range.count)
    verdicts = evaluator.trial(us, [c for _, c in running], board_range)
    return [(verdict, p) for verdict, (p, _) in zip(verdicts, running, strict=True)]


def prune_new_lines(
    system: System, starts: Sequence[System], evaluator: ClusterEvaluator, choose: BoardRange, check: BoardRange
) -> System:
    """Return the system without those new lines, which no start has, that are worth nothing on the boards ``choose``,
    if it loses nothing without all of them on ``check``.
    """
    us = without = Partnership(system, system)
    drops = _new_to_all(starts, partial(added, after=system))
    for verdict, proposal in _tried(us, drops, evaluator, choose, "pruning new lines"):
        if verdict.gain >= 0:
            without = proposal.apply(without) or without
    if without != us:
        evaluator.progress.stage("checking the pruned system", check.count)
        if evaluator.trial(us, [without], check)[0].gain < 0:
            without = us
    return grouped(without_empty(without.first))


def simplify_conditions(
    system: System, starts: Sequence[System], evaluator: ClusterEvaluator, choose: BoardRange, check: BoardRange
) -> tuple[System, list[str]]:
    """Leave out conditions of new lines, which no start has, that cost nothing on the boards ``choose``, nor all
    together on ``check``, and without which it is as sound; return the system, and the lines left out with the cost.
    """
    us = plain = Partnership(system, system)
    left_out = list[str]()
    for number in range(ROUNDS):  # of a line one condition at a time
        fewer = _new_to_all(starts, partial(plainer, after=plain.first))
        what = f"leaving out conditions, round {number + 1} of at most {ROUNDS}"
        ranked = sorted(_tried(plain, fewer, evaluator, choose, what), key=lambda vp: -vp[0].gain)
        free = [proposal for verdict, proposal in ranked if verdict.gain + verdict.error >= 0]
        free = list(compress(free, evaluator.sound(plain, free)))
        now = plain
        for proposal in free:
            changed = proposal.apply(now)
            if changed is not None and changed != now:
                now, left_out = changed, [*left_out, proposal.edit.what]
        if now == plain:
            break
        plain = now
    if plain == us:
        return system, []
    evaluator.progress.stage("checking the simpler system", check.count)
    cost = evaluator.trial(us, [plain], check)[0]
    if cost.gain + cost.error < 0:
        return system, []
    return plain.first, [f"said plainly ({cost.gain:+.4f} ± {cost.error:.4f} in all): {'; '.join(left_out)}"]
