"""Select the proposals that gain: few boards for all, many for the best, fresh ones for the decision; describe them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.systems.changes.chapters import ReplaceSection
from agents.systems.changes.complexity_limits import new_faults
from agents.systems.changes.edits import (
    HEADINGS,
    CompositeEdit,
    Edit,
    Insert,
    InsertGeneral,
    Replace,
    SetCards,
    SwapLines,
    lines_of_calls,
)
from agents.systems.changes.mutation import Trail
from agents.systems.explain import player_terms
from agents.systems.language.constraints import score_text
from agents.systems.language.paths import path_steps
from agents.systems.language.text import parse_constraint
from agents.systems.language.tree import Line, Step
from training.evaluation.network_opponents import stranger
from training.evaluation.partnership_match import BoardRange, Partnership, is_system
from training.evolution import proposals
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.config import EvolveConfig
from training.evolution.proposals import AMENDMENT, SWAPPING, TUNING, Proposal, TrialResult
from training.runtime.settings import listed

# Standard errors by which a proposal must gain: to go on to more boards, to be confirmed, and then on fresh boards.
# Chance alone passes the last in one of 44 cases, so little noise is accepted.
TRY_ERRORS, LEAD_ERRORS, CONFIRM_ERRORS = 0.0, 1.0, 2.0
# Steps of lines have gained in play-outs, swaps in another pair, and what a player by the book prefers has gained for
# it: they are confirmed at once.
CONFIRMED_AT_ONCE = {TUNING: 0.0, SWAPPING: 1.0, AMENDMENT: 2.0}
MOST_CONFIRMED = 16  # other proposals of a generation and partnership that go on to be confirmed
SELDOM = 0.003  # share of the boards that a new rule must touch
TEAM_SHARE = 0.75  # of the gains of single changes, which all of them together must reach


def describe_edit(edit: Edit) -> str:
    """Return the change in words; an adopted chapter has a name of its own."""
    if isinstance(edit, CompositeEdit):
        first, *rest = map(describe_edit, edit.parts)
        return f"{first}; with it {'; '.join(rest)}" if rest else first
    if isinstance(edit, ReplaceSection):
        return edit.what
    if isinstance(edit, Insert):
        return player_terms.symbols(f"{_after(edit.path)}new: {_line_text(edit.line)}")
    if isinstance(edit, InsertGeneral):
        return player_terms.symbols(f"where {player_terms.promise(edit.when)}: new: {_line_text(edit.line)}")
    if isinstance(edit, SetCards):
        terms = sum(len(line.score.terms) for line in edit.block.lines if line.score is not None)
        calls = ", ".join(dict.fromkeys(_call_text(line) for line in edit.block.lines))
        return player_terms.symbols(
            f"where {player_terms.promise(edit.block.when)}: scorecards with {terms} terms for {calls}"
        )
    if isinstance(edit, SwapLines):
        return player_terms.symbols(
            f"{_trail_text(edit.trail)}{_line_text(edit.lower)} goes before {_line_text(edit.upper)}"
        )
    return player_terms.symbols(_trail_text(edit.trail) + _replaced(edit))


def _replaced(edit: Replace) -> str:
    """Describe the lines that take another's place."""
    old = edit.old
    if not edit.new:
        return f"dropped: {_line_text(old)}"
    if len(edit.new) == 1 and edit.new[0].path == old.path:
        new = edit.new[0]
        pairs = [
            (player_terms.promise(old.constraint), player_terms.promise(new.constraint)),
            (player_terms.remark(old) or "no label", player_terms.remark(new) or "no label"),
            *([(score_text(old.score), score_text(new.score))] if old.score and new.score else []),
        ]
        return f"{_call_text(old)}: {', '.join(f'{before} → {after}' for before, after in pairs if before != after)}"
    added = [line for line in edit.new if (line.path, line.constraint) != (old.path, old.constraint)]
    place = "" if len(added) < len(edit.new) else f", in place of {_line_text(old)}"
    return f"new: {'; '.join(map(_line_text, added))}{place}"


def _line_text(line: Line) -> str:
    """Return a call and its promise."""
    return f"{_call_text(line)} {player_terms.promise(line.constraint)}{player_terms.aside(player_terms.remark(line))}"


def _call_text(line: Line) -> str:
    return player_terms.path(line.path)


def _trail_text(trail: Trail) -> str:
    for heading in HEADINGS:
        if trail and trail[0].startswith(heading):
            return f"where {player_terms.promise(parse_constraint(trail[0].removeprefix(heading)))}: "
    return _after(path_steps("-".join(trail)))


def _after(steps: tuple[Step, ...]) -> str:
    return f"after {player_terms.path(steps)}: " if steps else "opening: "


Gains = list[tuple[TrialResult, Proposal]]


def select_proposals(
    us: Partnership, proposed: Sequence[Proposal], config: EvolveConfig, evaluator: ClusterEvaluator, start: int
) -> tuple[Partnership, list[str]]:
    """Return the partnership with those proposals that gain, on ``4 * config.boards + 2 * config.confirm`` boards from
    ``start`` on, and descriptions of them.
    """
    changed = [(p, c) for p in proposed if (c := p.apply(us, compiled=False)) is not None and c != us]
    changed = [(p, c) for p, c in changed if _leaves(config.own_calls, us, c)]
    changed = [(p, c) for p, c in changed if p.operator == SWAPPING or is_sayable(us, c)]  # partner can say it
    at_once = [(p, c) for p, c in changed if p.operator in CONFIRMED_AT_ONCE]
    running = [(p, c) for p, c in changed if p.operator not in CONFIRMED_AT_ONCE]
    for at, count, errors in ((0, config.boards, TRY_ERRORS), (config.boards, 3 * config.boards, LEAD_ERRORS)):
        evaluator.say(f"trying {len(running)} changes on {count:,} boards")
        verdicts = evaluator.trial(us, [c for _, c in running], evaluator.board_range(start + at, count))
        ranked = sorted(zip(verdicts, running, strict=True), key=lambda vr: -vr[0].gain)
        running = [r for v, r in ranked if v.better_by(errors)]
    start += 4 * config.boards
    running = [*running[:MOST_CONFIRMED], *at_once]
    evaluator.say(f"confirming {len(running)} changes on {config.confirm:,} boards")
    verdicts = evaluator.trial(us, [c for _, c in running], evaluator.board_range(start, config.confirm))
    good = [
        (v, p) for v, (p, _) in zip(verdicts, running, strict=True)
        if v.better_by(CONFIRMED_AT_ONCE.get(p.operator, CONFIRM_ERRORS))
    ]  # fmt: skip
    # A call that is seldom made is no rule of its own.
    good = [(v, p) for v, p in good if v.touched >= SELDOM or proposals.inserted_rule(p) is None]
    good = [vp for vp, sound in zip(good, evaluator.sound(us, [p for _, p in good]), strict=True) if sound]
    good.sort(key=lambda vp: -vp[0].gain)
    evaluator.say(f"trying {len(good)} changes together")
    board_range = evaluator.board_range(start + config.confirm, config.confirm)
    team, used = _team(us, good, evaluator, board_range)
    if used and loses_to_validator(us, team, config, evaluator, board_range):
        return us, []
    return team, [f"{p.source}: {describe_edit(p.edit)} ({v.gain:+.4f} ± {v.error:.4f})" for v, p in used]


def _leaves(calls: set[str], before: Partnership, after: Partnership) -> bool:
    """Return whether both players' lines for some calls are as before."""
    return not calls or all(
        lines_of_calls(old, calls) == lines_of_calls(new, calls) for old, new in before.changes_to(after)
    )


def is_sayable(before: Partnership, after: Partnership) -> bool:
    """Return whether the changed lines are as easy to say as those that they replace."""
    return all(
        not (faults := new_faults(old, new)) or len(faults) <= len(new_faults(new, old))
        for old, new in before.changes_to(after)
    )


def loses_to_validator(
    us: Partnership, team: Partnership, config: EvolveConfig, evaluator: ClusterEvaluator, board_range: BoardRange
) -> bool:
    """Return whether the changed partnership loses to a stranger against whom nothing was tried."""
    validators = tuple(stranger(name) for name in listed(config.validators))
    if not validators:
        return False
    result = replace(evaluator, league=validators).trial(us, [team], board_range)[0]
    return min(gain + error for gain, error in zip(result.against, result.errors, strict=True)) < 0


def _team(
    us: Partnership, good: Gains, evaluator: ClusterEvaluator, board_range: BoardRange
) -> tuple[Partnership, Gains]:
    """Apply all confirmed proposals at once, if the team gains as much as they did; else one after the other."""
    team, used = apply_all(us, good, compiled=False)
    if not is_system(team):
        team, used = apply_all(us, good, compiled=True)
    if not used:
        return us, []
    result = evaluator.trial(us, [team], board_range)[0]
    if all(p.operator in CONFIRMED_AT_ONCE for _, p in used):  # many of these gain by chance: their sum is no measure
        holds = result.better_by(LEAD_ERRORS)
    else:
        holds = result.gain >= TEAM_SHARE * sum(v.gain for v, _ in used)
    if not holds and len(used) > 1:
        return apply_all(us, used, True, lambda now, changed: evaluator.trial(now, [changed], board_range)[0])
    return (team, used) if result.better_by(0.0) else (us, [])


def apply_all(
    us: Partnership, good: Gains, compiled: bool, judge: Callable[[Partnership, Partnership], TrialResult] | None = None
) -> tuple[Partnership, Gains]:
    """Return the partnership with all proposals that still change it, exclude none before and, by ``judge``, gain after
    those before; and these proposals. With ``compiled`` those that would make no system are left out.
    """
    team, used, keys = us, Gains(), set()
    for result, proposal in good:
        changed, key = proposal.apply(team, compiled), proposals.exclusive_key(proposal)
        if changed is None or changed == team or (key is not None and key in keys):
            continue
        now = result if judge is None else judge(team, changed)
        if judge is None or now.better_by(LEAD_ERRORS):
            team, used = changed, [*used, (now, proposal)]
            keys.add(key)
    return team, used
