"""``bridge-env fit``: estimators, cases, maps, policy, belief, meanings, cards."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from training.cli.options import Count, Flat, RunOptions, Seed, Several
from training.cli.output import Bar, print_facts, print_problems
from training.configs import BeliefConfig, CardsConfig, CasesConfig, EstimatorConfig, ImitationConfig, MapsConfig

fit = App(name="fit", help="Learn from solved deals or recorded auctions.")


@fit.command
def policy(
    *records: str,
    out: Path,
    config: Annotated[ImitationConfig, Flat] = ImitationConfig(),
    start: str | None = None,
    boards: Count = 100_000,
    role: Literal["stranger", "gatekeeper"] | None = None,
) -> int:
    """Teach a network to make the calls of recorded auctions. It plays as policy:FILE.

        bridge-env fit policy auctions.pbn more.lin --out mine         imitate these records
        bridge-env fit policy system:two-over-one --out taught         imitate a system, on boards that it bids now
        bridge-env fit policy few.pbn --start policy:taught/policy.npz --epochs 4 --learning-rate 3e-4 --out finer
        bridge-env fit policy seat:http://127.0.0.1:8085 --boards 2000 --out theirs      imitate another program

    Deals of the judging split, and one in twenty of the others, are held out. The table at the end has how often the
    network makes the recorded call on them. Ctrl-C loses at most one pass; repeat the command to continue.

    Args:
        records: PBN or LIN files, or SPECs of bidders
        out: folder for the network and its report
        start: start from this network, policy:NAME or policy:FILE (default: random weights)
        boards: number of boards to bid, if RECORDS names a bidder
        role: role to write into the file; training refuses gatekeepers
    """
    from training.runtime.runs import require

    require("rl", "torch")
    from training.evaluation.recorded_calls import share_table
    from training.networks.fit_policy import fit_policy

    config.check()
    if not records:
        raise ValueError("name recorded auctions, or a bidder: bridge-env fit policy auctions.pbn --out mine")
    with Bar() as progress:
        result = fit_policy(config, records, out, start=start, boards=boards, role=role or "", progress=progress)
    print_problems(result.problems[:5])
    if len(result.problems) > 5:
        print(f"... and {len(result.problems) - 5:,} more", file=sys.stderr)
    print("", *share_table(result.rows), "", sep="\n")
    print_facts({
        "report": result.report, "network": result.policy,
        "play it": f"bridge-env match policy:{result.policy} system:sayc",
    })  # fmt: skip
    return 0


@fit.command
def belief(
    network: str,
    /,
    *,
    config: Annotated[BeliefConfig, Flat] = BeliefConfig(),
    against: Annotated[list[str] | None, Several] = None,
) -> int:
    """Teach a network the probability that a player holds a card, from a hand and the auction so far.

        bridge-env fit belief policy:mine/policy.npz                writes mine/policy.belief.npz
        bridge-env fit belief policy:mine/policy.npz --against policy:acol policy:standard

    It learns from the network's own auctions on training boards. A network with a belief can look ahead:
    bridge-env bid reason:policy:mine/policy.npz

    Args:
        network: the network that bids, policy:NAME or policy:FILE
        against: opponents besides itself
    """
    from training.runtime.runs import require

    require("rl", "torch")
    import torch

    from agents.networks import file as networks_file
    from agents.networks.shipped import network_path
    from training.evaluation.network_opponents import refuse_gatekeepers, start_networks
    from training.networks import belief_fit

    config.check()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    refuse_gatekeepers(against or [])
    networks = start_networks(network)
    with Bar(what="learning") as bar:

        def show(share: float, loss: float) -> None:
            bar.share(share)
            bar.note(f"loss {loss:.3f}")

        found, loss = belief_fit.fit_belief(network, against or [], config, show)
    path = network_path(network.partition(":")[2])
    networks_file.save_belief(replace(networks, belief=found), path)
    print(f"{loss:.4f} nats a card on judging boards (knowing nothing: 1.0986)")
    print(f"written: {networks_file.belief_path(path)}")
    return 0


@fit.command
def meanings(network: str, /, *, boards: Count = 1_000_000, seed: Seed = 1) -> int:
    """Measure the points and suit lengths behind each of a network's calls.

        bridge-env fit meanings policy:mine/policy.npz                writes mine/policy.meanings.npz
        bridge-env bid policy:mine/policy.npz --hand AQT72.A4.Q2.T753 --auction "1S P 2S 3H"     shows them

    The network bids random boards in all four seats. For every auction that occurs 200 times, the file records the
    points and suit lengths of 19 in 20 hands behind its last call.

    Args:
        network: the network that bids, policy:NAME or policy:FILE
        boards: number of random boards
        seed: random seed of the boards
    """
    from agents.networks import meaning
    from agents.networks.bidder import NetworkBidder
    from agents.networks.shipped import network_path
    from bridge_env.bidders.registry import SpecError, make
    from training.networks import meaning_fit
    from training.runtime.processes import use_fast_matmul

    bidder = make(network)
    if not isinstance(bidder, NetworkBidder):
        raise SpecError(f"{network!r} is no network that this measures; write policy:NAME or policy:FILE")
    use_fast_matmul()
    with Bar(what="measuring") as bar:
        found = meaning_fit.measure(bidder, boards, seed, bar.share)
    path = meaning.path_beside(network_path(network.partition(":")[2]))
    meaning.save(found, path)
    known, inside = meaning_fit.coverage(bidder, found, min(20_000, boards), seed + 1)
    print(f"{len(found.key):,} auctions; on fresh boards they cover {known:.1%} of the calls,")
    print(f"and {inside:.1%} of points and lengths lie in the ranges")
    print(f"written: {path}")
    return 0


@fit.command
def cases(
    file: Path,
    /,
    *files: Path,
    config: Annotated[CasesConfig, Flat] = CasesConfig(),
    also: Annotated[list[str] | None, Parameter()] = None,
    out: Path | None = None,
) -> int:
    """Make a bidder that calls by example, from the auctions of PBN files. Boards of the judging split are held out.

        bridge-env fit cases wbridge5.pbn.gz                 then: bridge-env bid cases:FILE
        bridge-env fit cases wbridge5.pbn.gz --also 'a/*.pbn' --also 'b/*.pbn'
                                                             let the metric learn from other players' auctions first

    Args:
        file: recorded auctions in PBN, plain or gzip
        files: more of them
        also: let the metric learn from these auctions first (a file or a pattern); they add no cases. One per source
        out: folder (default: results/cases/run-001 ...)
    """
    from training.runtime import runs

    runs.require("rl", "torch", "sklearn")
    from training.cases.fit import fit_cases
    from training.evaluation.recorded_calls import share_table

    sources = [sorted(Path().glob(pattern)) or [Path(pattern)] for pattern in also or ()]
    with Bar() as progress:
        result = fit_cases([file, *files], config, out, also=sources, progress=progress)
    print_problems(result.problems)
    print("\n".join(share_table(result.rows)) if result.rows else "no board is held out")
    print(f"written: {result.file}, {runs.RESULTS}")
    return 0


@fit.command
def retain(
    base: Path,
    /,
    *,
    against: str = "system:sayc",
    boards: Count = 4000,
    judge: Count = 5000,
    out: Path | None = None,
    seed: Seed = 1,
) -> int:
    """Let a case base bid training boards, and add what other calls would have scored; judge it before and after.

        bridge-env fit retain mine/cases.npz --against system:sayc --boards 4000

    Args:
        base: the case base, a file of 'bridge-env fit cases'
        against: the opponents
        boards: number of training boards
        judge: number of judging boards
        out: folder (default: results/cases/run-001 ...)
        seed: random seed
    """
    from training.cases.retain import retain as retain_experience

    with Bar() as progress:
        result = retain_experience(base, against, boards, judge, seed, out, progress=progress)
    gain, error = result.gain
    print(f"{result.added:,} states retained")
    print(f"against {against}, {judge:,} boards: {gain:+.3f} ± {error:.3f} IMPs a board by retaining")
    print(f"written: {result.file}")
    return 0


@fit.command
def maps(*files: Path, config: Annotated[MapsConfig, Flat] = MapsConfig(), out: Path | None = None) -> int:
    """Train self-organizing maps on the calls of a bidding system on training deals, or on auctions in PBN files.

        bridge-env fit maps                                     learn from system:sayc; then: bridge-env bid som:FILE
        bridge-env fit maps --system two-over-one --inputs learned
        bridge-env fit maps --inputs learned wbridge5.pbn.gz    learn from recorded auctions
        bridge-env fit maps --fallback sayc                     only the maps of 2007; a system makes all other calls

    Args:
        files: recorded auctions (.pbn, plain or gzip)
        out: folder (default: results/maps/run-001 ...)
    """
    from training.evaluation.recorded_calls import share_table
    from training.evaluation.verdict import rows_table
    from training.maps.fit import fit_maps
    from training.runtime import runs

    with Bar() as progress:
        result = fit_maps(config, files, out, progress=progress)
    print_problems(result.problems)
    print(*share_table(result.calls), "", *rows_table(result.matches), "", sep="\n")
    print(f"written: {result.file}, {runs.RESULTS}")
    return 0


@fit.command
def estimators(*, config: Annotated[EstimatorConfig, Flat] = EstimatorConfig(), out: Path | None = None) -> int:
    """Train a network that estimates double-dummy tricks, and judge it on deals it never saw.

        bridge-env fit estimators                                       about ten minutes of one core
        bridge-env fit estimators --deals 5000                          learn from fewer deals

    Args:
        out: folder for the results (default: results/estimators/run-001 ...)
    """
    from training.runtime import runs

    runs.require("rl", "torch")
    from training.estimators.fit import fit_estimator
    from training.estimators.judge import hits_table

    with Bar() as progress:
        result = fit_estimator(config, out, progress=progress)
    print("\n".join(hits_table(result.hits)))
    print(f"written: {result.file}")
    return 0


@fit.command
def cards(
    *,
    config: Annotated[CardsConfig, Flat] = CardsConfig(),
    run: RunOptions = RunOptions(),
    workers: Count | None = None,
) -> int:
    """Fit scorecards for a system: small numbers that add up to a call where its general rules would decide.

        bridge-env fit cards --system champion-rules --player policy:by-the-book
        bridge-env fit cards --system my.bidding --player system:champion-strong     begin with another system's cards
        bridge-env match system:results/cards/run-001/cards.bidding system:sayc

    Ctrl-C loses at most the step under way; go on with --resume FOLDER.

    Args:
        workers: number of processes that play boards out (default: all cores)
    """
    from training.runtime import runs

    runs.require("rl", "torch")
    from training.evolution.scorecards.run import fit_cards

    config = run.check(config, ())
    with Bar(resume="bridge-env fit cards --resume") as progress:
        result = fit_cards(config, run.out, name=run.name, resume=run.resume, workers=workers, progress=progress)
    print(f"gain over {config.system} without scorecards, on training boards that they were not fitted to:")
    for gain in result.gains:
        figure = f"{gain.mean_imps:+.3f} ± {gain.standard_error:.3f} IMPs a board"
        print(f"  {figure} against {gain.opponent} ({gain.boards:,})")
    print_facts({
        "terms": result.terms, "system": result.file, "play it": f"bridge-env match system:{result.file} system:sayc",
    })  # fmt: skip
    return 0
