"""Run self-play on Ray: partnerships change and swap their systems against a league of opponents.

The driver proposes and decides; workers only label and score. A task is a pure function of (systems, seed, board
range), and a generation's chance comes from (seed, generation, partnership), so the same seed gives
the same systems for any number of workers, in any order of finishing, and after any interruption.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from agents.hierarchy.bidder import Hierarchy, deal_features, line_usage
from agents.hierarchy.changes.mutation import Chance
from agents.hierarchy.changes.sayable import new_faults
from agents.hierarchy.language.text import numbered_anew, parse_system, system_text
from agents.hierarchy.language.tree import System
from agents.hierarchy.shipped import read_system
from agents.networks.shipped import GATEKEEPER, network_path, role
from bridge_env.bidders import SpecError, full_spec, make
from bridge_env.schema import Number, Whole
from training.evolve import natural, proposals
from training.evolve.config import EvolveConfig, is_stranger
from training.evolve.proposals import AMENDMENT, NATURAL, SWAPPING, TUNING, Proposal, Verdict
from training.evolve.refine.judgement import judge
from training.evolve.systems import write_systems
from training.evolve.told import told
from training.evolve.work import TRAINING, Work
from training.match.boards import library_boards
from training.match.duel import Partnership, Rival, Stretch, is_system
from training.match.strangers import stranger
from training.running import lock, runs
from training.running.cluster import Cluster
from training.running.settings import listed

KIND = "evolve"
# Standard errors by which a proposal must gain: to go on to more boards, to be confirmed, and then on fresh boards.
# Chance alone passes the last in one of 44 cases, so little noise is kept.
TRY_ERRORS, LEAD_ERRORS, CONFIRM_ERRORS = 0.0, 1.0, 2.0
# Steps of lines have promised to gain by play-outs, and swaps have gained in another pair: they are confirmed at once.
# What a player by the book likes has gained for it.
KNOWN_ERRORS = {TUNING: 0.0, SWAPPING: 1.0, AMENDMENT: 1.0}
MOST_CONFIRMED = 16  # other proposals of a generation and partnership that go on to be confirmed
SELDOM = 0.003  # share of the boards that a new rule must touch, where rules are to be sayable
RULES_TRIED = 30  # of refinement, of each partnership
GENERAL_TRIED = 8  # and general ones, which have to be bid on all boards
ANSWERED = 6  # the rules for which partner's answers are sought too
CHAMPION_EVERY = 4  # generations after which the best pair joins the league, if champions do
TOGETHER = 0.75  # of the gains of single changes, all of them together must reach

ROW = {
    "generation": Whole(0), "mean_imps": Number(), "standard_error": Number(0, unknown=True), "seconds": Number(0),
    "kept?": [str], "agreement?": Number(0, 1), "best?": Whole(0),
}  # fmt: skip
"""The shape of a row of metrics."""
_CHECKPOINT = {
    "config": {...: Any}, "generation": Whole(0), "population": [(str, str)], "metrics": [ROW],
    "champions": [(str, str)], "systems": {...: str},
}  # fmt: skip


@dataclass
class State:
    """Where a run stands: all that the next generation needs."""

    generation: int
    population: list[Partnership]
    metrics: list[dict[str, Any]]
    champions: list[Partnership]  # earlier ones, the latest last
    systems: dict[str, str]  # hashes of the texts of the systems that the run began with

    def as_json(self) -> dict[str, Any]:
        def texts(pairs: list[Partnership]) -> list[list[str]]:
            return [[system_text(p.first), system_text(p.second)] for p in pairs]

        return {
            "generation": self.generation, "population": texts(self.population), "metrics": self.metrics,
            "champions": texts(self.champions), "systems": self.systems,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> State:
        def pairs(texts: list[list[str]]) -> list[Partnership]:
            return [Partnership(parse_system(a), parse_system(b)) for a, b in texts]

        return cls(
            data["generation"], pairs(data["population"]), data["metrics"], pairs(data["champions"]), data["systems"]
        )


def renumbered(pair: Partnership) -> Partnership:
    """The same systems with lines numbered as their own text has them, as a checkpoint gives them back."""
    first = numbered_anew(pair.first)
    return Partnership(first, first if pair.second == pair.first else numbered_anew(pair.second))


def numbered(name: str) -> Partnership:
    """Both players with the system ``name``; its lines are numbered as its own text has them."""
    system = numbered_anew(read_system(name))
    return Partnership(system, system)


def begin(config: EvolveConfig) -> State:
    """The state before the first generation."""
    players = [config.player] if config.player else []
    systems = {name: _fingerprint(name) for name in (*config.starts, *config.roots, *config.opponents, *players)}
    pairs = [numbered(name) for name in config.starts]
    pair = Partnership(pairs[0].first, pairs[-1].second) if config.apart else pairs[0]
    return State(0, [pair] * config.partnerships, [], [], systems)


# --- a generation ---------------------------------------------------------------------------------------


def generation(state: State, config: EvolveConfig, work: Work) -> State:
    """The state after one more generation."""
    began = time.perf_counter()
    g, population = state.generation, state.population
    after, kept, tried = list(population), [], 0
    for i in range(len(population)):
        fresh = config.first_board(g, i)
        whose = f"generation {g}, pair {i + 1} of {len(population)}"
        work.say(f"{whose}: looking for changes")
        proposed = propose(population, i, config, work, g, fresh)
        tried += len(proposed)
        named = replace(work, say=partial(_saying, work.say, whose))
        after[i], said = improved(population[i], proposed, config, named, fresh + config.study)
        kept += [f"{i}: {what}" for what in said]
    work.say(f"generation {g}: comparing the pairs")
    stretch = work.stretch(config.first_board(g), config.boards)
    standings = [work.standing(pair, stretch) for pair in population]
    best = max(range(len(population)), key=lambda i: standings[i][0])
    row: dict[str, Any] = {
        "generation": g, "mean_imps": standings[best][0], "standard_error": standings[best][1],
        "population_mean_imps": sum(s[0] for s in standings) / len(standings), "boards": config.boards,
        "proposals": tried, "kept": kept, "seconds": time.perf_counter() - began, "best": best,
    }  # fmt: skip
    if config.apart:
        row["agreement"] = work.agreement(population[best], stretch)
    champions = state.champions
    if config.champions and g % CHAMPION_EVERY == CHAMPION_EVERY - 1:
        champions = [*champions, after[best]][-config.champions :]
    # A partnership that nothing has changed stays the very same, so that its trees are not kept twice.
    after = [new if new is old else renumbered(new) for new, old in zip(after, population, strict=True)]
    return State(g + 1, after, [*state.metrics, row], champions, state.systems)


def _saying(say: Callable[[str], object], whose: str, what: str) -> None:
    say(f"{whose}: {what}")


def propose(
    population: Sequence[Partnership], i: int, config: EvolveConfig, work: Work, g: int, start: int
) -> list[Proposal]:
    """Return the operators' proposals to partnership ``i`` in generation ``g``."""
    pair, swapping = population[i], config.uses(SWAPPING)
    study = work.stretch(start, config.study)
    if config.uses(NATURAL) and not any(natural.opens(pair.player(player)) for player in (0, 1)):
        return natural.systems(pair, config.proposals, Chance("natural", config.seed, g, i), study, work)
    proposed: list[Proposal] = []
    for operator, stream, player in (("refinement", "refine", ""), (AMENDMENT, "amend", config.player)):
        if not config.uses(operator):
            continue
        chance = Chance(stream, config.seed, g, i)
        rules = work.rules(pair, config.positions, chance, study, player)
        general = [rule for rule in rules if rule.path.startswith(proposals.GENERAL)][:GENERAL_TRIED]
        rules = [rule for rule in rules if not rule.path.startswith(proposals.GENERAL)][:RULES_TRIED] + general
        found = proposals.refinements(rules, chance, swapping, operator)
        proposed += found + work.answers(pair, proposals.answerable(found)[:ANSWERED], study, player)
        if player:
            proposed += work.steps(pair, study, player)
    if config.uses(TUNING):
        proposed += work.steps(pair, study)
    if config.uses("evolution") or config.operators == SWAPPING:
        usage = [_usage(pair.player(player), config.seed, g) for player in (0, 1)]
        chance = Chance("vary", config.seed, g, i)
        proposed += proposals.variations(pair, config.proposals, chance, usage, swapping)
    if swapping:
        proposed += proposals.swaps(population, i, config.proposals, Chance("swap", config.seed, g, i))
    return proposed


def _usage(system: System, seed: int, g: int) -> dict[int, int]:
    """Calls that each line of a system makes where all play it."""
    sample = library_boards(2000, seed, TRAINING, start=2000 * g)
    hierarchy = Hierarchy(system)  # not the one that the process keeps: its lines may be numbered otherwise
    return line_usage(hierarchy, deal_features(sample.owner), sample.dealer, sample.vulnerability)


def improved(
    us: Partnership, proposed: Sequence[Proposal], config: EvolveConfig, work: Work, start: int
) -> tuple[Partnership, list[str]]:
    """The partnership with those proposals that gain, and what they were. Few boards for all, many for the best."""
    changed = [(p, c) for p in proposed if (c := p.apply(us, compiled=False)) is not None and c != us]
    if config.rules != "any":
        changed = [(p, c) for p, c in changed if p.operator == SWAPPING or _is_sayable(us, c)]  # partner can say it
    known = dict(KNOWN_ERRORS)
    if config.apart:
        del known[SWAPPING]  # who starts apart has tried nothing
    at_once = [(p, c) for p, c in changed if p.operator in known]
    running = [(p, c) for p, c in changed if p.operator not in known]
    for at, count, errors in ((0, config.boards, TRY_ERRORS), (config.boards, 3 * config.boards, LEAD_ERRORS)):
        work.say(f"trying {len(running)} changes on {count:,} boards")
        verdicts = work.trial(us, [c for _, c in running], work.stretch(start + at, count))
        ranked = sorted(zip(verdicts, running, strict=True), key=lambda vr: -vr[0].gain)
        running = [r for v, r in ranked if v.better_by(errors)]
    start += 4 * config.boards
    running = [*running[:MOST_CONFIRMED], *at_once]
    work.say(f"confirming {len(running)} changes on {config.confirm:,} boards")
    verdicts = work.trial(us, [c for _, c in running], work.stretch(start, config.confirm))
    errors_of = [known.get(p.operator, CONFIRM_ERRORS) for p, _ in running]
    good = [(v, p) for v, e, (p, _) in zip(verdicts, errors_of, running, strict=True) if v.better_by(e)]
    if config.rules != "any":  # a call that is seldom made is no rule of its own
        good = [(v, p) for v, p in good if v.touched >= SELDOM or proposals.inserted(p) is None]
    if config.rules == "sound":
        good = [vp for vp, sound in zip(good, work.sound(us, [p for _, p in good]), strict=True) if sound]
    good.sort(key=lambda vp: -vp[0].gain)
    work.say(f"trying {len(good)} changes together")
    stretch = work.stretch(start + config.confirm, config.confirm)
    return _validated(us, *_united(us, good, known, work, stretch), config, work, stretch)


def _is_sayable(before: Partnership, after: Partnership) -> bool:
    """Are the changed lines as easy to say as those in whose place they stand?"""
    players = {(before.first, after.first), (before.second, after.second)}
    return all(
        not (faults := new_faults(old, new)) or len(faults) <= len(new_faults(new, old))
        for old, new in players
        if old != new
    )


def _validated(
    us: Partnership, team: Partnership, kept: list[str], config: EvolveConfig, work: Work, stretch: Stretch
) -> tuple[Partnership, list[str]]:
    """The changed partnership, unless it loses to a stranger whom nothing was tried against."""
    validators = tuple(stranger(name) for name in listed(config.validators))
    if not kept or not validators:
        return team, kept
    verdict = replace(work, league=validators).trial(us, [team], stretch)[0]
    if min(gain + error for gain, error in zip(verdict.against, verdict.errors, strict=True)) < 0:
        return us, []
    return team, kept


def _united(
    us: Partnership, good: Sequence[tuple[Verdict, Proposal]], known: Container[str], work: Work, stretch: Stretch
) -> tuple[Partnership, list[str]]:
    """All confirmed proposals at once, if the team does as well as they promised; else one after the other.

    Args:
        known: the operators whose proposals were confirmed at once; many of them gain by chance, so there is no sum to
            hold them to.
    """
    team, used = _added_up(us, good, compiled=False)
    if not is_system(team):
        team, used = _added_up(us, good, compiled=True)
    if not used:
        return us, []
    whole = work.trial(us, [team], stretch)[0]
    if all(p.operator in known for _, p in used):
        holds = whole.better_by(LEAD_ERRORS)
    else:
        holds = whole.gain >= TOGETHER * sum(v.gain for v, _ in used)
    if not holds and len(used) > 1:
        team, used = _added_up(us, used, True, lambda now, changed: work.trial(now, [changed], stretch)[0])
    elif not whole.better_by(0.0):
        return us, []
    return team, [_said(v, p) for v, p in used]


def _added_up(
    us: Partnership, good: Sequence[tuple[Verdict, Proposal]], compiled: bool,
    judge: Callable[[Partnership, Partnership], Verdict] | None = None,
) -> tuple[Partnership, list[tuple[Verdict, Proposal]]]:  # fmt: skip
    """The partnership with all proposals that still change it, and which they were; each matter is settled once.

    Args:
        compiled: leave out what would make no system, which takes a while to find out.
        judge: whether a change still gains after those before it: its verdict counts. None: they were judged together.
    """
    team, used, settled = us, list[tuple[Verdict, Proposal]](), set()
    for verdict, proposal in good:
        changed, what = proposal.apply(team, compiled), proposals.settled(proposal)
        if changed is None or changed == team or (what is not None and what in settled):
            continue
        now = verdict if judge is None else judge(team, changed)
        if judge is None or now.better_by(LEAD_ERRORS):
            team, used = changed, [*used, (now, proposal)]
            settled.add(what)
    return team, used


def _said(verdict: Verdict, proposal: Proposal) -> str:
    return f"{proposal.whose}{told(proposal.edit)} ({verdict.gain:+.4f} ± {verdict.error:.4f})"


# --- a run ----------------------------------------------------------------------------------------------


def evolve(
    folder: Path, config: EvolveConfig, state: State, cluster: Cluster, tick: Callable[[int], None],
    say: Callable[[str], object] = str, more: Callable[[int], bool] | None = None,
) -> Iterator[State]:  # fmt: skip
    """Go on from ``state``; yields each state after it has been saved in ``folder``.

    Args:
        tick: hears of boards as they are done; ``say`` of what is done now.
        more: shall a generation of this number begin? None = up to the last one of ``config``.
    """
    opponents = league(config)  # once: a file that is edited meanwhile changes nothing
    while state.generation < config.generations if more is None else more(state.generation):
        work = Work(cluster, (*opponents, *state.champions), config.seed, tick, config.rules != "any", say)
        state = generation(state, config, work)
        save(folder, replace(config, generations=max(config.generations, state.generation)), state)
        yield state


def league(config: EvolveConfig) -> tuple[Rival, ...]:
    """Return the opponents of a run, the control pair first."""
    met = dict.fromkeys([config.control, *listed(config.league)])
    return tuple(stranger(name) if is_stranger(name) else numbered(name) for name in met)


def save(folder: Path, config: EvolveConfig, state: State) -> None:
    """Write the checkpoint, the metrics and the best systems so far."""
    runs.save_checkpoint(folder, {"config": asdict(config), **state.as_json()})
    runs.write_metrics(folder, state.metrics)
    if state.metrics:
        write_systems(folder, "best", state.population[state.metrics[-1].get("best", 0)])


def _fingerprint(name: str) -> str:
    """A hash of a system's text, or of a network's file."""
    if is_stranger(name):
        return runs.sha256(network_path(name.partition(":")[2]))
    return hashlib.sha256(system_text(read_system(name)).encode()).hexdigest()


def load(folder: Path) -> tuple[EvolveConfig, State]:
    """Load what ``save`` wrote.

    Raises:
        RunError: the folder holds no usable checkpoint, or a system that it began with has changed since.
    """
    path = folder / runs.CHECKPOINT
    data = runs.load_checkpoint(folder, _CHECKPOINT)
    # A run from before there were validators goes on without.
    config = runs.as_config({"validators": "", "player": ""} | data.pop("config"), EvolveConfig, f"{path}: config")
    try:
        state = State.from_json(data)
        changed = [name for name, fingerprint in state.systems.items() if _fingerprint(name) != fingerprint]
    except (ValueError, OSError) as error:
        raise runs.RunError(f"{path} is of another version of this program: {error}") from error
    if changed:
        raise runs.RunError(f"the system {changed[0]!r} has changed since {folder} began; begin a new run")
    return config, state


def check_start(config: EvolveConfig) -> None:
    """Check that a run can start with these settings, before making a folder or starting Ray.

    Raises:
        ValueError: a number that makes no sense, or a system, a stranger or a gatekeeper that cannot be had.
    """
    config.check()
    for name in (*config.starts, *config.roots, *config.opponents):
        _ = stranger(name) if is_stranger(name) else read_system(name)
    if config.uses(NATURAL) and all(natural.opens(read_system(name)) for name in config.starts):
        raise ValueError(
            f"--operators natural is for a start without opening bids, and {config.start} has some: leave it out"
        )
    if config.player and role(judge(config.player).networks) == GATEKEEPER:
        raise SpecError(f"--player {config.player} is a gatekeeper: nothing may be learned from it")
    for gatekeeper in listed(config.gatekeepers):
        make(full_spec(gatekeeper))


def start_run(root: Path, name: str | None, config: EvolveConfig) -> tuple[Path, State]:
    """A fresh run folder with its manifest and first checkpoint."""
    check_start(config)
    state = begin(config)
    folder = runs.new_folder(root, KIND, name)
    lock.hold(folder)
    runs.write_manifest(folder, runs.manifest(asdict(config), runs.shipped_deals()))
    save(folder, config, state)
    return folder, state
