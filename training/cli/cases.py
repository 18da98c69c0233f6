"""``bridge-env fit cases``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

from training.cli import retain
from training.cli.config_file import add_config_file
from training.cli.progress import Bar

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
    """Add ``bridge-env fit cases``."""
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
    parser.add_argument("--boards", type=int, metavar="N", help="with --retain: number of training boards (4000)")
    parser.add_argument("--judge", type=int, metavar="N", help="with --retain: number of judging boards (5000)")
    parser.add_argument("--out", type=Path, help="folder (results/cases/run-001 ...)")
    parser.add_argument("--epochs", type=int, metavar="N", help="passes over the cases to learn the metric")
    parser.add_argument("--members", type=int, metavar="N", help="number of networks that make up the metric")
    parser.add_argument("--trees", type=int, metavar="N", help="trees in each forest (64)")
    parser.add_argument("--seed", type=int, metavar="N", help="random seed (1)")
    add_config_file(parser)
    parser.set_defaults(handler=_cases)


_LEARNING = ("epochs", "members", "seed")
_FITTED = (*_LEARNING, "trees")
_NOT_WITH_RETAIN = ("epochs", "members", "trees", "also")


def _cases(args: argparse.Namespace) -> int:
    for name in _NOT_WITH_RETAIN if args.retain is not None else ():
        if getattr(args, name) is not None:
            raise ValueError(f"--{name} does not go with --retain")
    for name in ("epochs", "members", "boards", "judge"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            raise ValueError(f"--{name} is {getattr(args, name)}; it must be 1 or more")
        if name in ("boards", "judge") and getattr(args, name) is not None and args.retain is None:
            raise ValueError(f"--{name} goes with --retain")
    if args.trees is not None and not 1 <= args.trees <= 250:
        raise ValueError(f"--trees is {args.trees}; it must be 1 to 250")
    from training.running import runs

    if args.retain is not None:
        return retain.run(args)
    runs.require("rl", "torch", "sklearn")
    out = args.out or runs.new_folder(Path("results"), "cases", None)
    out.mkdir(parents=True, exist_ok=True)
    return _fit(args, out)


def _fit(args: argparse.Namespace, out: Path) -> int:
    from agents.cases import file
    from training.cases import fit
    from training.cases.states import read_states

    states = read_states(args.files)
    _tell_problems(states.problems)
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
    """Make a base of the states ``known``."""
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
    for name in _FITTED:
        value = getattr(args, name)
        words += [] if value is None else [f"--{name}", str(value)]
    words = [shlex.quote(word) for word in words]
    for files in args.also or ():
        words += ["--also", *dict.fromkeys(f"{shlex.quote(path.parent.name)}/*" for path in files)]
    return " ".join(words)


def _tell_problems(problems: tuple[str, ...]) -> None:
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
