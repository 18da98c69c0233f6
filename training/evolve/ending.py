"""End a run of self-play: choose the best partnership, tidy it, and shorten its rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import compress

from agents.hierarchy.changes.chapters import chapters
from agents.hierarchy.changes.edits import Replace, differences, is_general
from agents.hierarchy.changes.tidying import added, grouped, plainer, without_empty
from agents.hierarchy.language.tree import System
from agents.hierarchy.sound.mend import as_sound_as, without_dead
from training.evolve.config import EvolveConfig
from training.evolve.generations import State, improved, numbered
from training.evolve.proposals import BOTH, PLAYERS, SWAPPING, Proposal, Verdict
from training.evolve.work import Work
from training.match.duel import Partnership, Stretch

ALIKE_MAY_COST = 0.02  # IMPs a board over the league, for a champion of one system instead of two to read
ADDS_LINES = ("evolution", "refinement", "amendment", "natural")  # the operators that write lines of their own
ROUNDS = 4  # in which conditions are left out
#: Hears what is done now, and how many boards it bids, where that is known: the ending may take minutes.
Step = Callable[[str, int | None], object]


def _silent(what: str, boards: int | None) -> None:
    pass


def champion(
    config: EvolveConfig, state: State, work: Work, step: Step = _silent
) -> tuple[int, Partnership, list[str]]:
    """The partnership that does best on fresh training boards, fit to read. Judging boards are not touched.

    Partners who differ agree on one system (``agreed``), if the pair loses next to nothing by it, or if they started
    from different ones: one system is easier to read than two.

    Args:
        step: hears of each step as it begins.

    Returns:
        Its number in the population, the partnership, and what was done to it in the end.
    """
    start = config.first_board(max(config.generations, state.generation))
    stretch = work.stretch(start, config.confirm)
    base = state.population[0]
    step("choosing the champion", len(state.population) * stretch.count)
    verdicts = work.trial(base, state.population, stretch)
    best = max(range(len(verdicts)), key=lambda i: verdicts[i].gain)
    pair = state.population[best]
    said = list[str]()
    if pair.first != pair.second:
        step("agreeing on one system", None)
        pair, said = agreed(pair, config, work, start + 6 * config.confirm)
    if pair.first != pair.second:
        return best, Partnership(pair.first.renamed("evolved-first"), pair.second.renamed("evolved-second")), said
    if not any(map(config.uses, ADDS_LINES)):  # lines of the roots, changed by steps: there is nothing to tidy
        return best, Partnership(*(pair.first.renamed("evolved"),) * 2), said
    roots = [numbered(name).first for name in config.roots]
    fresh = [work.stretch(start + k * config.confirm, config.confirm) for k in (2, 3, 4, 5)]
    system = tidied(pair.first, roots, work, *fresh[:2], step=step)
    if config.rules != "any":
        sound = config.rules == "sound"
        system, plainly = said_plainly(system, roots, work, *fresh[2:], sound=sound, step=step)
        said += plainly
    if config.rules == "sound":
        step("taking back what is unsound", None)
        system, back = as_sound_as(roots[0], system)
        said += [f"taken back, as it is unsound: {what}" for what in back]
        step("dropping lines that no hand comes to", None)
        system = without_dead(system)
    return best, Partnership(*(system.renamed("evolved"),) * 2), said


def agreed(pair: Partnership, config: EvolveConfig, work: Work, start: int) -> tuple[Partnership, list[str]]:
    """The partnership with one system for both: the better one of its two, with what gains of the other.

    The whole chapters in which the two differ are tried, and the general rules one by one.

    Args:
        start: of the boards for it.

    Returns:
        The partnership, and what was done; as it was where agreeing costs too much for partners of one start.
    """
    alike = [Partnership(pair.first, pair.first), Partnership(pair.second, pair.second)]
    verdicts = work.trial(pair, alike, work.stretch(start, config.confirm))
    which = max((0, 1), key=lambda player: verdicts[player].gain)
    mine, theirs = pair.player(which), pair.player(1 - which)
    general = [edit for edit in differences(mine, theirs) if is_general(edit)]
    offered = [Proposal(edit, BOTH, SWAPPING) for edit in (*chapters(mine, theirs), *general)]
    start += config.confirm
    settled, kept = improved(alike[which], offered, config, work, start)
    start += 4 * config.boards + 2 * config.confirm
    cost = work.trial(pair, [settled], work.stretch(start, config.confirm))[0]
    if cost.gain < -ALIKE_MAY_COST and not config.apart:
        return pair, []
    took = f"both take the system of the {PLAYERS[which]} ({verdicts[which].gain:+.4f} ± {verdicts[which].error:.4f})"
    return settled, [took, *kept, f"one system instead of two: {cost.gain:+.4f} ± {cost.error:.4f} in all"]


def _new_to_all(roots: Sequence[System], found: Callable[[System], Iterable[Replace]]) -> list[Replace]:
    """The edits that are found beside every root: what they change is in none of them."""
    first, *others = (list(found(root)) for root in roots)
    return [edit for edit in first if all(edit in edits for edits in others)]


def _tried(
    us: Partnership, edits: Sequence[Replace], work: Work, stretch: Stretch, step: Step, what: str
) -> list[tuple[Verdict, Proposal]]:
    """The verdicts on single edits for both players, those that fit; ``what`` the step is called."""
    proposed = [Proposal(edit, BOTH, "tidying") for edit in edits]
    running = [(p, c) for p in proposed if (c := p.apply(us)) is not None]
    if running:
        step(what, len(running) * stretch.count)
    verdicts = work.trial(us, [c for _, c in running], stretch)
    return [(verdict, p) for verdict, (p, _) in zip(verdicts, running, strict=True)]


def tidied(
    system: System, roots: Sequence[System], work: Work, choose: Stretch, check: Stretch, *, step: Step = _silent
) -> System:
    """The system without those of the lines that no root has which are worth nothing (any more).

    Args:
        choose, check: boards that tell which lines those are, and whether it loses nothing without all of them.
    """
    us = without = Partnership(system, system)
    drops = _new_to_all(roots, partial(added, after=system))
    for verdict, proposal in _tried(us, drops, work, choose, step, "tidying new lines"):
        if verdict.gain >= 0:
            without = proposal.apply(without) or without
    if without != us:
        step("checking the tidy system", check.count)
        if work.trial(us, [without], check)[0].gain < 0:
            without = us
    return grouped(without_empty(without.first))


def said_plainly(
    system: System, roots: Sequence[System], work: Work, choose: Stretch, check: Stretch, *, sound: bool = False,
    step: Step = _silent,
) -> tuple[System, list[str]]:  # fmt: skip
    """The system with fewer conditions in the lines that no root has, where that costs nothing to speak of.

    Args:
        choose, check: boards that tell which conditions can go, and what it costs without all of them.
        sound: keep the conditions without which ``check --sound`` would tell more than before.

    Returns:
        The system, and what was left out, with what that cost.
    """
    us = plain = Partnership(system, system)
    left_out = list[str]()
    for number in range(ROUNDS):  # of a line one condition at a time
        fewer = _new_to_all(roots, partial(plainer, after=plain.first))
        what = f"leaving out conditions, round {number + 1} of at most {ROUNDS}"
        ranked = sorted(_tried(plain, fewer, work, choose, step, what), key=lambda vp: -vp[0].gain)
        free = [proposal for verdict, proposal in ranked if verdict.gain + verdict.error >= 0]
        if sound:
            free = list(compress(free, work.sound(plain, free)))
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
    step("checking the plain system", check.count)
    cost = work.trial(us, [plain], check)[0]
    if cost.gain + cost.error < 0:
        return system, []
    return plain.first, [f"said plainly ({cost.gain:+.4f} ± {cost.error:.4f} in all): {'; '.join(left_out)}"]
