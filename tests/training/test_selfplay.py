"""Self-play: the same result after an interruption, or of a cluster that fails; and it learns."""

import itertools
import json
from dataclasses import replace

import pytest
from support.learners import Here

from agents.systems.changes.chapters import chapters
from agents.systems.language.text import parse_system, system_text
from training.cli.app import main
from training.evaluation.partnership_match import BoardRange, Partnership, duel
from training.evolution import finalize, generations, natural, run
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.config import EvolveConfig
from training.evolution.proposals import SWAPPING, Proposal, TrialResult
from training.evolution.run import check_start
from training.evolution.selection import apply_all
from training.runtime import runs
from training.runtime.cluster import ClusterError
from training.runtime.runs import Progress

pytest.importorskip("ray")

TOY = "system: toy\n4S    5+ S, 8+ hcp\nP\nwhen 0-7 last-level\n  P\n"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A run of seconds that keeps some proposals."""
    toy = tmp_path_factory.mktemp("systems") / "toy.bidding"
    toy.write_text(TOY)
    return EvolveConfig(
        seed=3, start=str(toy), control=str(toy), generations=2, partnerships=2, proposals=5, positions=1, study=300,
        boards=200, confirm=300, judge=64, champions=1, league="acol,preempts", validators="",
        operators="evolution,refinement,swapping",
    )  # fmt: skip


def evaluator(config, progress=None):
    return ClusterEvaluator(Here(), generations.league(config), config.seed, progress or Progress())


def run_all(folder, config, state=None):
    state = state or generations.begin(config)
    for after in generations.advance(folder, config, state, Here(), Progress()):
        state = after
    return state


def comparable(state):
    """A state as text, without the seconds that it took."""
    data = state.as_json()
    data["metrics"] = [{k: v for k, v in row.items() if k != "seconds"} for row in data["metrics"]]
    return json.dumps(data, sort_keys=True)


@pytest.fixture(scope="module")
def reference(tmp_path_factory, tiny):
    """A tiny run in this process."""
    folder = tmp_path_factory.mktemp("one")
    state = run_all(folder, tiny)
    assert any(row["accepted"] for row in state.metrics)  # else the comparisons below would prove little
    return folder, state


@pytest.mark.slow
def test_an_interrupted_run_ends_as_one_that_was_not(reference, tiny, tmp_path):
    steps = generations.advance(tmp_path, tiny, generations.begin(tiny), Here(), Progress())
    next(steps)
    steps.close()
    state = generations.load(tmp_path)
    assert state.generation == 1
    best = [parse_system(path.read_text()) for path in sorted(tmp_path.glob("best*.bidding"))]  # so far
    pair = state.population[state.metrics[-1]["best"]]
    assert [system_text(s) for s in best] == [system_text(s) for s in dict.fromkeys((pair.first, pair.second))]
    assert comparable(run_all(tmp_path, tiny, state)) == comparable(reference[1])
    assert len((tmp_path / runs.METRICS).read_text().splitlines()) == tiny.generations


@pytest.mark.parametrize("partnerships", [1, 3])
def test_every_partnership_has_boards_of_its_own(tiny, partnerships):
    config = replace(tiny, partnerships=partnerships)
    begins = [config.first_board(g, i) for g in range(3) for i in range(partnerships)]
    distances = {after - before for before, after in itertools.pairwise(begins)}
    assert distances == {config.study + 4 * config.boards + 2 * config.confirm}
    assert config.first_board(3) == begins[-1] + distances.pop()


def test_each_stage_at_the_end_has_the_boards_that_it_bids(tiny):
    config = replace(tiny, operators="refinement", partnerships=1, confirm=100, league="acol")
    steps, bid = [], []

    class Stages(Progress):
        def stage(self, what, total=None, unit="board"):
            steps.append((what, total))
            bid.append(0)

        def add(self, count):
            bid[-1] += count

    system = parse_system(TOY.replace("\nP\n", "\n3S  7+ S and 0-3 H\nP\n", 1))
    state = replace(generations.begin(config), population=[Partnership(system, system)])
    work = evaluator(config, Stages())
    finalize.finalize(config, state, work)
    boards, roots = work.board_range(0, 100), [generations.numbered(tiny.start).first]
    finalize.simplify_conditions(system, roots, work, boards, boards)
    assert len(steps) > 5
    assert bid == [boards or 0 for _, boards in steps]


def test_run_folders_are_numbered_and_never_overwritten(tmp_path):
    assert runs.new_folder(tmp_path, "evolve", None).name == "run-001"
    assert runs.new_folder(tmp_path, "evolve", None).name == "run-002"
    runs.new_folder(tmp_path, "evolve", "mine")
    with pytest.raises(runs.RunError, match="--resume"):
        runs.new_folder(tmp_path, "evolve", "mine")


def test_it_learns_a_toy(tiny, tmp_path):
    """Opening four spades on four and nothing is dear: the thresholds rise, and the gain is found in seconds."""
    dear = tmp_path / "dear.bidding"
    dear.write_text(TOY.replace("5+ S, 8+ hcp", "4+ S, 4+ hcp"))
    config = replace(
        tiny, start=str(dear), control=str(dear), operators="tuning", generations=2, partnerships=1, study=600,
        boards=512, confirm=1024,
    )  # fmt: skip
    state = run_all(tmp_path, config)
    _, pair, _ = finalize.finalize(config, state, evaluator(config))
    unseen = duel(pair, generations.numbered(str(dear)), BoardRange(1, "judging", 0, 8000)).imps.astype(int)
    assert unseen.mean() > 5 * unseen.std() / 8000**0.5
    assert unseen.mean() > 0.3


@pytest.mark.parametrize(
    ("operators", "kinds"),
    [("evolution", {"evolution"}), ("refinement", {"refinement"}), ("swapping", {"evolution", "swapping"})],
)
def test_each_operator_works_alone(tiny, operators, kinds):
    """Swapping alone varies as well: else there would be nothing to swap."""
    config = replace(tiny, operators=operators, proposals=12, positions=3)
    population = [generations.numbered(tiny.start), generations.numbered("acol")]
    proposed = generations.propose(population, 0, config, evaluator(config), 0, 0)
    assert {p.operator for p in proposed} == kinds


@pytest.mark.slow
def test_a_pair_without_openings_gets_a_natural_system(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(natural, "ROUNDS", 2)
    config = replace(tiny, start="empty", operators="natural", generations=2, partnerships=1, proposals=1, champions=0)
    state = run_all(tmp_path, config)
    assert natural.opens(state.population[0].first)
    assert state.population[0].first == state.population[0].second
    assert [len(row["accepted"]) for row in state.metrics] == [1, 0]  # none for a pair that has one
    assert 1 <= state.metrics[0]["proposals"] <= 4
    assert "parts of a natural system at once: no trump" in state.metrics[0]["accepted"][0]


def test_natural_is_refused_for_a_system_with_openings(tiny):
    with pytest.raises(ValueError, match="without opening bids, and sayc has some: leave it out"):
        check_start(replace(tiny, start="sayc", operators="natural,tuning"))


@pytest.fixture(scope="module")
def two_starts(tmp_path_factory, tiny):
    """A tiny run whose partners start from systems that open four spades on four cards, and on six."""
    folder = tmp_path_factory.mktemp("two")
    names = []
    for cards in (4, 6):
        path = folder / f"of-{cards}.bidding"
        path.write_text(TOY.replace("4S    5+ S, 8+ hcp", f"4S    {cards}+ S, 10+ hcp\n3N    {cards + 12}+ hcp"))
        names.append(str(path))
    return replace(tiny, start=",".join(names), operators="swapping", partnerships=1, proposals=6, boards=600)


def test_partners_from_two_systems_end_with_one(two_starts, tmp_path):
    state = run_all(tmp_path, two_starts)
    assert comparable(generations.load(tmp_path)) == comparable(state)
    start = generations.begin(two_starts)  # as if nothing was learned
    _, pair, notes = finalize.finalize(two_starts, start, evaluator(two_starts))
    assert pair.first == pair.second
    assert notes[0].startswith("both take the system of the ")
    assert "one system instead of two" in " ".join(notes)


def test_of_partners_one_takes_the_chapter_of_the_other(two_starts):
    """If both did, they would differ as before."""
    pair = generations.begin(two_starts).population[0]
    first, second = pair.first, pair.second
    takes = [Proposal(edit, 0, SWAPPING) for edit in chapters(first, second)]
    takes += [Proposal(edit, 1, SWAPPING) for edit in chapters(second, first)]
    assert len(takes) == 2
    gained = [(TrialResult(0.1, 0.01, 100, (0.1,), (0.01,), 0.5), p) for p in takes]
    team, used = apply_all(pair, gained, compiled=True)
    assert [p for _, p in used] == takes[:1]
    assert team.first == team.second == second


def test_champions_join_the_league(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(generations, "CHAMPION_EVERY", 2)
    config = replace(tiny, generations=3, partnerships=1, operators="evolution", proposals=2)
    state = run_all(tmp_path, config)
    assert len(state.champions) == 1
    assert generations.load(tmp_path).champions == state.champions


FAULTY = [
    *(("start", start) for start in ("sayc,acol,polish", ",", "")),
    *(("operators", "magic"), ("operators", ""), ("boards", 1), ("champions", -1), ("seed", 2**63)),
]


@pytest.mark.parametrize(("field", "value"), FAULTY)
def test_numbers_and_names_that_make_no_sense_are_refused(tiny, field, value):
    with pytest.raises(ValueError, match=field):
        replace(tiny, **{field: value}).check()


class NoCluster(Here):
    """Starts nothing; its tasks fail."""

    def __init__(self, workers=None, address=None):
        super().__init__()

    def map(self, function, tasks):
        raise ClusterError("Ray could not finish a task")
        yield


def test_a_cluster_that_fails(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run, "Cluster", NoCluster)
    words = ["--start", "silent", "--control", "silent", "--league=", "--gatekeepers=", "--operators", "evolution"]
    small = ["--boards", "20", "--study", "20", "--confirm", "20", "--partnerships", "1", "--generations", "1"]
    assert main(["evolve", "--out", str(tmp_path), "--name", "x", *words, *small]) == 2
    folder = tmp_path / "evolve" / "x"
    error = capsys.readouterr().err
    assert "bridge-env: error: Ray could not finish a task" in error
    assert f"what was done is in {folder}; go on: bridge-env evolve --resume {folder}" in error


class NoStart(NoCluster):
    """Refuses to start."""

    def __enter__(self):
        raise AssertionError("the cluster was started before the fault was found")


def test_any_bidder_may_be_a_gatekeeper(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "Cluster", NoStart)
    with pytest.raises(AssertionError, match="started before"):  # so far nothing was wrong
        main(["evolve", "--out", str(tmp_path), "--gatekeepers", "pass,sayc,policy:acol", "--start", "silent",
              "--control", "silent", "--league", "", "--validators", ""])  # fmt: skip
