"""Run generations of self-play: partnerships change and swap their systems against a league of opponents.

The driver proposes and decides; tasks of the cluster only label and score. A task is a pure function of (systems, seed,
board range), and a generation's chance comes from (seed, generation, partnership), so the same seed leads to the same
systems for any number of workers, in any order of finishing, and after a stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from agents.systems.bidder import Hierarchy, deal_features, line_usage
from agents.systems.changes.mutation import SeededRandom
from agents.systems.language.text import numbered_anew, parse_system, system_text
from agents.systems.library.shipped import read_system
from bridge_env.io.files import atomic_write
from training.evaluation.boards import library_boards
from training.evaluation.network_opponents import stranger
from training.evaluation.partnership_match import Partnership, Rival
from training.evolution import natural, proposals
from training.evolution.cluster_evaluator import TRAINING, ClusterEvaluator
from training.evolution.config import EvolveConfig
from training.evolution.proposals import AMENDMENT, CARDS, NATURAL, SWAPPING, TUNING, Proposal
from training.evolution.selection import select_proposals
from training.runtime import runs
from training.runtime.cluster import Cluster
from training.runtime.runs import Progress
from training.runtime.settings import listed

RULES_TRIED = 30  # of refinement, of each partnership
GENERAL_TRIED = 8  # and general ones, which have to be bid on all boards
ANSWERED = 6  # rules for which partner's answers are sought too
CHAMPION_EVERY = 4  # generations after which the best pair joins the league, if champions do
_OF_PLAYERS = ("-first", "-second")


class MetricsRow(TypedDict):
    """Hold a row of metrics."""

    generation: int
    mean_imps: float
    standard_error: float
    seconds: float
    accepted: NotRequired[list[str]]
    best: NotRequired[int]


@dataclass
class State:
    """Hold all that the next generation needs."""

    generation: int
    population: list[Partnership]
    metrics: list[dict[str, Any]]
    champions: list[Partnership]  # earlier ones, the latest last

    def as_json(self) -> dict[str, Any]:
        """Return the state for a checkpoint, systems as text."""
        texts = {
            name: [[system_text(pair.first), system_text(pair.second)] for pair in pairs]
            for name, pairs in (("population", self.population), ("champions", self.champions))
        }
        return {"generation": self.generation, "metrics": self.metrics, **texts}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> State:
        """Return the state that ``as_json`` returned; raise ``ValueError`` where a text is no system."""
        population, champions = (
            [Partnership(parse_system(first), parse_system(second)) for first, second in data[name]]
            for name in ("population", "champions")
        )
        return cls(data["generation"], population, data["metrics"], champions)


def numbered(name: str) -> Partnership:
    """Return both players with the system ``name``, its lines numbered as its own text has them."""
    system = numbered_anew(read_system(name))
    return Partnership(system, system)


def rival(name: str) -> Rival:
    """Return an opponent by its name: a stranger, which discloses no system, or both players with a system."""
    return stranger(name) if name.startswith("policy:") else numbered(name)


def league(config: EvolveConfig) -> tuple[Rival, ...]:
    """Return the opponents of a run, the control pair first."""
    return tuple(map(rival, dict.fromkeys([config.control, *listed(config.league)])))


def begin(config: EvolveConfig) -> State:
    """Return the state before the first generation."""
    pairs = [numbered(name) for name in config.starts]
    return State(0, [Partnership(pairs[0].first, pairs[-1].second)] * config.partnerships, [], [])


def advance(
    folder: Path, config: EvolveConfig, state: State, cluster: Cluster, progress: Progress,
    more: Callable[[int], bool] | None = None,
) -> Iterator[State]:  # fmt: skip
    """Run generations while ``more`` returns True for their number; yield each state after it has been saved in
    ``folder``.
    """
    opponents = league(config)  # once: a file that is edited meanwhile changes nothing
    while state.generation < config.generations if more is None else more(state.generation):
        progress.stage(f"generation {state.generation}")
        evaluator = ClusterEvaluator(cluster, (*opponents, *state.champions), config.seed, progress)
        state = generation(state, config, evaluator)
        row = state.metrics[-1]
        progress.note(
            f"{row['mean_imps']:+.3f} ± {row['standard_error']:.3f} IMPs/board, accepted {len(row['accepted'])}"
        )
        save(folder, state)
        yield state


def generation(state: State, config: EvolveConfig, evaluator: ClusterEvaluator) -> State:
    """Return the state after one more generation."""
    began = time.perf_counter()
    g, population = state.generation, state.population
    after, accepted, tried = list(population), [], 0
    for i in range(len(population)):
        own = replace(evaluator, label=f"generation {g}, pair {i + 1} of {len(population)}")
        own.say("looking for changes")
        start = config.first_board(g, i)
        proposed = propose(population, i, config, own, g, start)
        tried += len(proposed)
        after[i], changes = select_proposals(population[i], proposed, config, own, start + config.study)
        accepted += [f"{i}: {what}" for what in changes]
    evaluator.say(f"generation {g}: comparing the pairs")
    board_range = evaluator.board_range(config.first_board(g), config.boards)
    standings = [evaluator.standing(pair, board_range) for pair in population]
    best = max(range(len(population)), key=lambda i: standings[i][0])
    row: dict[str, Any] = {
        "generation": g, "mean_imps": standings[best][0], "standard_error": standings[best][1],
        "population_mean_imps": sum(mean for mean, _ in standings) / len(standings), "boards": config.boards,
        "proposals": tried, "accepted": accepted, "seconds": time.perf_counter() - began, "best": best,
    }  # fmt: skip
    champions = state.champions
    if config.champions and g % CHAMPION_EVERY == CHAMPION_EVERY - 1:
        champions = [*champions, after[best]][-config.champions :]
    # A partnership that nothing has changed stays the very same, so that its trees are not cached twice.
    after = [new if new is old else _renumbered(new) for new, old in zip(after, population, strict=True)]
    return State(g + 1, after, [*state.metrics, row], champions)


def _renumbered(pair: Partnership) -> Partnership:
    """Return the same systems with lines numbered as their own text has them, as a checkpoint restores them."""
    first = numbered_anew(pair.first)
    return Partnership(first, first if pair.second == pair.first else numbered_anew(pair.second))


def propose(
    population: Sequence[Partnership], i: int, config: EvolveConfig, evaluator: ClusterEvaluator, g: int, start: int
) -> list[Proposal]:
    """Return the operators' proposals to partnership ``i`` in generation ``g``, studied on boards from ``start`` on."""
    pair, swapping = population[i], config.uses(SWAPPING)
    study = evaluator.board_range(start, config.study)
    if config.uses(NATURAL) and not any(natural.opens(pair.player(player)) for player in (0, 1)):
        return natural.systems(pair, config.proposals, SeededRandom("natural", config.seed, g, i), study, evaluator)
    proposed: list[Proposal] = []
    for operator, stream, player in (("refinement", "refine", ""), (AMENDMENT, "amend", config.player)):
        if not config.uses(operator):
            continue
        chance = SeededRandom(stream, config.seed, g, i)
        rules = evaluator.rules(pair, config.positions, chance, study, player)
        general = [rule for rule in rules if rule.path.startswith(proposals.GENERAL)][:GENERAL_TRIED]
        rules = [rule for rule in rules if not rule.path.startswith(proposals.GENERAL)][:RULES_TRIED] + general
        found = proposals.refinements(rules, chance, swapping, operator)
        proposed += found + evaluator.answers(pair, proposals.answerable(found)[:ANSWERED], study, player)
        if player:
            proposed += evaluator.steps(pair, study, player)
    if config.uses(TUNING):
        proposed += evaluator.steps(pair, study)
    if config.uses(CARDS):
        proposed += evaluator.cards(pair, study)
    if config.uses("evolution") or config.operators == SWAPPING:
        sample = library_boards(2000, config.seed, TRAINING, start=2000 * g)
        features = deal_features(sample.owner)
        usage = [  # compiled anew: lines of a system in the cache may be numbered otherwise
            line_usage(Hierarchy(pair.player(player)), features, sample.dealer, sample.vulnerability)
            for player in (0, 1)
        ]
        chance = SeededRandom("vary", config.seed, g, i)
        proposed += proposals.variations(pair, config.proposals, chance, usage, swapping)
    if swapping:
        proposed += proposals.swaps(population, i, config.proposals, SeededRandom("swap", config.seed, g, i))
    return proposed


def save(folder: Path, state: State) -> None:
    """Write the checkpoint, the metrics and the best systems so far."""
    runs.save_checkpoint(folder, state.as_json())
    runs.write_metrics(folder, state.metrics)
    write_systems(folder, "best", state.population[state.metrics[-1]["best"]])


def load(folder: Path) -> State:
    """Load what ``save`` wrote; raise ``RunError`` where the folder holds no usable checkpoint."""
    data = runs.read_result(folder, runs.CHECKPOINT)
    try:
        return State.from_json(data)
    except (ValueError, KeyError) as error:
        raise runs.RunError(f"{folder / runs.CHECKPOINT} is of another version of this program: {error}") from error


def write_systems(folder: Path, name: str, pair: Partnership) -> list[Path]:
    """Write a pair's system as NAME.bidding, or its two as NAME-first.bidding and NAME-second.bidding."""
    files = [folder / f"{name}{which}.bidding" for which in (("",) if pair.first == pair.second else _OF_PLAYERS)]
    for file, system in zip(files, (pair.first, pair.second), strict=False):
        atomic_write(file, system_text(system))
    for other in {folder / f"{name}{which}.bidding" for which in ("", *_OF_PLAYERS)} - {*files}:
        other.unlink(missing_ok=True)  # of a generation in which partners differed, or did not
    return files
