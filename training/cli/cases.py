"""``bridge-env fit cases``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

from training.cli.arguments import positive, whole, words_of
from training.cli.config import add_config_file
from training.cli.progress import Bar
from training.cli.terminal import left_out

_EPILOG = """\
examples:
  bridge-env fit cases wbridge5.pbn.gz                 make a case base, some minutes; then: bridge-env bid cases:FILE …
  bridge-env fit cases wbridge5.pbn.gz --also a/*.pbn --also b/*.pbn
                                                       let the metric learn from other players' auctions first
  bridge-env fit cases --retain system:sayc mine/cases.npz --boards 4000
                                                       bid training boards against a system, add what alternative
                                                       calls would have scored, and judge the base before and after
"""


def add_cases(targets: Any) -> None:
    parser = targets.add_parser(
        "cases",
        help="make a case base of recorded auctions",
        description="Make a bidder that calls by example, from the auctions of PBN files. Boards of the judging split\n"
        "are held out: they judge the base.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="recorded auctions in PBN, plain or gzip; with --retain, a case base",
    )
    parser.add_argument(
        "--also", nargs="+", action="append", type=Path, metavar="FILE.pbn",
        help="let the metric learn from these auctions first; they add no cases. Give once for each source",
    )  # fmt: skip
    parser.add_argument("--retain", metavar="SYSTEM", help="add what the base learns on boards against this system")
    parser.add_argument("--boards", type=positive, metavar="N", help="with --retain: number of training boards (4000)")
    parser.add_argument("--judge", type=positive, metavar="N", help="with --retain: number of judging boards (5000)")
    parser.add_argument("--out", type=Path, help="folder (results/cases/run-001 ...)")
    parser.add_argument("--epochs", type=positive, metavar="N", help="passes over the cases to learn the metric")
    parser.add_argument("--members", type=positive, metavar="N", help="number of networks that make up the metric")
    parser.add_argument("--trees", type=whole(1, 250), metavar="N", help="trees in each forest (64)")
    parser.add_argument("--seed", type=int, metavar="N", help="random seed (1)")
    add_config_file(parser)
    parser.set_defaults(handler=_cases)


_LEARNING = ("epochs", "members", "seed")
_FITTED = (*_LEARNING, "trees")
_WITH_RETAIN, _NOT_WITH_RETAIN = ("boards", "judge"), ("epochs", "members", "trees", "also")


def _cases(args: argparse.Namespace) -> int:
    for name in _WITH_RETAIN if args.retain is None else _NOT_WITH_RETAIN:
        if getattr(args, name) is not None:
            raise ValueError(f"--{name} {'goes' if args.retain is None else 'does not go'} with --retain")
    from training.running import runs

    if args.retain is not None:
        return _retain(args)
    runs.require("rl", "torch", "sklearn")
    from agents.cases import file
    from training.cases import fit
    from training.cases.states import read_states

    out = runs.results_folder(args.out, "cases")
    states = read_states(args.files)
    left_out(states.problems)
    training = fit.training_rows(states)
    known, held = states.take(training), states.take(~training)
    if not len(known):
        raise ValueError(f"all {len(states.owner):,} boards are for judging, so none is left to learn from")
    cases = _learned(args, known)
    file.save(cases, out / "cases.npz")
    if len(held):
        _judge(args, out, cases, held)
    print(f"written: {out / 'cases.npz'}" + (", README.md, results.json" if len(held) else "; no board is held out"))
    return 0


def _learned(args: argparse.Namespace, known: Any) -> Any:
    from training.cases import fit
    from training.cases.network import Schooling
    from training.cases.trees import Growing

    learning = {name: getattr(args, name) for name in _LEARNING if getattr(args, name) is not None}
    trees = Growing().trees if args.trees is None else args.trees
    config = fit.CasesConfig(learning=Schooling(**learning), growing=Growing(trees, seed=args.seed or 1))
    others = _others(args)
    with Bar(what="training", brief=True) as bar:
        return fit.case_base(known, config, others, bar.share)


def _others(args: argparse.Namespace) -> list[Any]:
    """Read the training split of other players' auctions, one source at a time."""
    from training.cases import fit
    from training.cases.states import read_states

    others = [read_states(files) for files in args.also or ()]
    if others:
        print(f"{sum(len(other.problems) for other in others):,} boards of others left out", file=sys.stderr)
    return [other.take(fit.training_rows(other)) for other in others]


def _judge(args: argparse.Namespace, out: Path, cases: Any, held: Any) -> None:
    from training.cases import judge, report
    from training.running import runs

    made = judge.calls(cases, held)
    facts = {
        "cases": len(cases), "boards": len(cases.dealer), "held": len(held),
        "held_boards": len(set(held.board.tolist())),
        "k": cases.k, "trees": len(cases.forests[0]),
        "also": cases.fitted.get("also", ()),
        **judge.speeds(cases, held),
    }  # fmt: skip
    table = judge.rounds_and_sides(made, held)
    command = _command(args)
    report.write(out, table, facts, command, runs.manifest({"command": command, **cases.fitted}, ""))
    print(*table[:2], sep="\n")


def _command(args: argparse.Namespace) -> str:
    """Write the command, naming the folders of ``--also`` instead of all their files."""
    words = ["bridge-env", "fit", "cases", *(path.name for path in args.files)]
    words = [shlex.quote(word) for word in [*words, *words_of(args, dict.fromkeys(_FITTED))]]
    for files in args.also or ():
        words += ["--also", *dict.fromkeys(f"{shlex.quote(path.parent.name)}/*" for path in files)]
    return " ".join(words)


def _retain(args: argparse.Namespace) -> int:
    """Let a base bid training boards, keep what it learns, and judge it before and after."""
    if len(args.files) != 1:
        raise ValueError("--retain takes one case base, such as mine/cases.npz")
    from agents.cases import file
    from training.cases import report, retain
    from training.match.boards import library_boards
    from training.running import runs

    boards, judged, seed = args.boards or 4000, args.judge or 5000, args.seed or 1
    base = file.load(args.files[0])
    out = runs.results_folder(args.out, "cases")
    with Bar(what="retaining", brief=True) as bar:
        after = retain.retained(base, args.retain, library_boards(boards, seed, "training"), seed, bar.share)
    file.save(after, out / "cases.npz")
    print(f"{len(after.retained) - len(base.retained):,} states retained; judging", file=sys.stderr)
    found = report.gain_of(base, after, args.retain, judged, seed)
    words = ["bridge-env", "fit", "cases", "--retain", args.retain, args.files[0].name]
    words += [f"--{name}={getattr(args, name)}" for name in ("boards", "judge", "seed") if getattr(args, name)]
    command = shlex.join(words)
    match = {"opponents": args.retain, "seed": seed, "boards": judged}
    report.write_retained(out, after, found, match, command, runs.manifest({"command": command, **after.fitted}, ""))
    gain, error = found["gain"]
    print(f"against {args.retain}, {judged:,} boards: {gain:+.3f} ± {error:.3f} IMPs a board by retaining")
    print(f"written: {out / 'cases.npz'}, README.md, results.json")
    return 0
