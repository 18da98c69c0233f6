"""End a run of self-play: choose the best partnership, tidy it, and shorten its rules."""

from __future__ import annotations

from agents.hierarchy.changes.plainer import plainer
from agents.hierarchy.changes.tidying import added, grouped, without_empty
from agents.hierarchy.language.tree import System
from training.evolve.config import EvolveConfig
from training.evolve.generations import State, numbered
from training.evolve.proposals import BOTH, Proposal
from training.evolve.work import Work
from training.match.duel import Partnership, Stretch

ALIKE_MAY_COST = 0.02  # IMPs a board over the league, for a champion of one system instead of two to read
ADDS_LINES = ("evolution", "refinement")  # the operators that write lines of their own
ROUNDS = 4  # in which conditions are left out


def champion(config: EvolveConfig, state: State, work: Work) -> tuple[int, Partnership, list[str]]:
    """The partnership that does best on fresh training boards, fit to read. Judging boards are not touched.

    Partners who differ take over the whole system of one of them, if the pair loses next to nothing by it: one
    system is easier to read than two.

    Returns:
        Its number in the population, the partnership, and what was done to it in the end.
    """
    start = config.first_board(max(config.generations, state.generation))
    stretch = work.stretch(start, config.confirm)
    base = state.population[0]
    verdicts = work.trial(base, state.population, stretch)
    best = max(range(len(verdicts)), key=lambda i: verdicts[i].gain)
    pair = state.population[best]
    if pair.first != pair.second:
        alike = [Partnership(pair.first, pair.first), Partnership(pair.second, pair.second)]
        by = work.trial(pair, alike, work.stretch(start + config.confirm, config.confirm))
        gain, chosen = max(zip((v.gain for v in by), alike, strict=True), key=lambda x: x[0])
        pair = chosen if gain >= -ALIKE_MAY_COST else pair
    if pair.first != pair.second:
        return best, Partnership(pair.first.renamed("evolved-first"), pair.second.renamed("evolved-second")), []
    fresh = [work.stretch(start + k * config.confirm, config.confirm) for k in (2, 3, 4, 5)]
    root, said = numbered(config.rooted).first, list[str]()
    if not any(map(config.uses, ADDS_LINES)):  # lines of the root, changed by steps: there is nothing to tidy
        return best, Partnership(*(pair.first.renamed("evolved"),) * 2), said
    system = tidied(pair.first, root, work, *fresh[:2])
    if config.rules == "sayable":
        system, said = said_plainly(system, root, work, *fresh[2:])
    return best, Partnership(*(system.renamed("evolved"),) * 2), said


def tidied(system: System, root: System, work: Work, choose: Stretch, check: Stretch) -> System:
    """The system without those of the lines that were added to ``root`` which are worth nothing (any more).

    Args:
        choose, check: boards that tell which lines those are, and whether it loses nothing without all of them.
    """
    us = Partnership(system, system)
    drops = [Proposal(edit, BOTH, "tidying") for edit in added(root, system)]
    running = [(p, c) for p in drops if (c := p.apply(us)) is not None]
    verdicts = work.trial(us, [c for _, c in running], choose)
    idle = [p for v, (p, _) in zip(verdicts, running, strict=True) if v.gain >= 0]
    without = us
    for proposal in idle:
        without = proposal.apply(without) or without
    if without == us or work.trial(us, [without], check)[0].gain < 0:
        return grouped(without_empty(system))
    return grouped(without_empty(without.first))


def said_plainly(system: System, root: System, work: Work, choose: Stretch, check: Stretch) -> tuple[System, list[str]]:
    """The system with fewer conditions in the lines that were added to ``root``, where that costs nothing to speak of.

    Args:
        choose, check: boards that tell which conditions can go, and what it costs without all of them.

    Returns:
        The system, and what was left out, with what that cost.
    """
    us = plain = Partnership(system, system)
    left_out = list[str]()
    for _ in range(ROUNDS):  # of a line one condition at a time
        fewer = [Proposal(edit, BOTH, "plainer") for edit in plainer(root, plain.first)]
        running = [(p, c) for p in fewer if (c := p.apply(plain)) is not None]
        verdicts = work.trial(plain, [c for _, c in running], choose)
        ranked = sorted(zip(verdicts, running, strict=True), key=lambda vr: -vr[0].gain)
        now = plain
        for verdict, (proposal, _) in ranked:
            changed = proposal.apply(now) if verdict.gain + verdict.error >= 0 else None
            if changed is not None and changed != now:
                now, left_out = changed, [*left_out, proposal.edit.what]
        if now == plain:
            break
        plain = now
    if plain == us:
        return system, []
    cost = work.trial(us, [plain], check)[0]
    if cost.gain + cost.error < 0:
        return system, []
    return plain.first, [f"said plainly ({cost.gain:+.4f} ± {cost.error:.4f} in all): {'; '.join(left_out)}"]
