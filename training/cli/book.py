"""``bridge-env book``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from training.cli.arguments import natural, positive
from training.cli.progress import Bar

_EPILOG = """\
examples:
  bridge-env book sayc                                  print Markdown at the terminal
  bridge-env book sayc --levels 3 --worth --out sayc.html
  bridge-env book mine.bidding --out mine.json          the same as JSON, for other programs
  bridge-env book mine.bidding --once-in 500            leave out calls rarer than once in 500 deals
  bridge-env book mine.bidding --base acol              compare with acol: what would surprise its players
  bridge-env book --code-words sayc policy:champion     count code words (artificial calls) of some bidders
  bridge-env book sayc --check                          check the book against hands on other deals
  bridge-env book --diff sayc results/evolve/run-001/evolved-first.bidding
  bridge-env book policy:champion --levels 2            measure what a network's calls mean

SYSTEM is a shipped system's name, a file of yours, or a network (policy:NAME or policy:FILE). The same seed gives
the same book. A network has no rules. Its book gives what the hands behind each call have in common, how many hands on
other deals fit that, and how many of its calls are code words (artificial calls).
"""


def add_book(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "book",
        help="print a bidding system as notes for players, with figures",
        description="Print a bidding system for players: a convention card, what would surprise them, and the calls\n"
        "by auction with what they promise, how often they are made and on what hands. With --diff, print how two\n"
        "systems differ.",
        epilog=_EPILOG,
    )
    parser.add_argument("system", nargs="?", metavar="SYSTEM", help="a shipped name, FILE.bidding, or policy:NAME")
    parser.add_argument(
        "--diff", nargs=2, metavar=("A", "B"), help="print what B changes in A, and what each change is worth"
    )
    parser.add_argument(
        "--format", choices=("markdown", "html", "json"), help="format (default: by the name of --out, else markdown)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file (default: standard output)")
    parser.add_argument(
        "--levels", type=positive, help="depth of the tree to print: 1 openings, 2 responses and overcalls, 3 ..."
    )
    parser.add_argument(
        "--once-in", type=natural, default=2000, metavar="N",
        help="leave out calls made less often than once in N deals (default 2000; 0: none)",
    )  # fmt: skip
    parser.add_argument("--base", metavar="SYSTEM", help="system from which surprises are measured (default sayc)")
    parser.add_argument(
        "--code-words", nargs="*", metavar="SPEC",
        help="only print code words for each 100 auctions of these bidders (default: all shipped systems and networks)",
    )  # fmt: skip
    parser.add_argument("--deals", type=positive, default=20_000, help="random deals to measure on (default 20000)")
    parser.add_argument(
        "--rare", type=natural, default=100_000, help="further deals to search for rare calls (default 100000)"
    )
    parser.add_argument("--examples", type=natural, default=2, help="example hands for each call, up to 2 (default 2)")
    parser.add_argument("--seed", type=natural, default=1, help="random seed of deals and boards (default 1)")
    parser.add_argument(
        "--check", action="store_true", help="only print how many hands fit the book; exit with 1 below 98%%"
    )
    parser.add_argument(
        "--worth", action="store_true", help="add the IMPs that each call gains against the control pair"
    )
    parser.add_argument("--control", default="sayc", metavar="SYSTEM", help="the control pair's system (default sayc)")
    parser.add_argument("--boards", type=positive, default=10_000, help="judging boards for IMPs (default 10000)")
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Make the book, or the difference of two, and print it."""
    if args.code_words is not None:
        return _code_words(args)
    if bool(args.system) == bool(args.diff):
        raise ValueError("name a system, or two with --diff A B: bridge-env book sayc")
    form = args.format or _form_of(args.out)
    if args.base and (args.diff or args.system.startswith("policy:")):
        raise ValueError("--base goes with the book of a system: bridge-env book mine.bidding --base acol")
    if args.diff:
        return _diff(args, form)
    return _network(args, form) if args.system.startswith("policy:") else _system_book(args, form)


def _system_book(args: argparse.Namespace, form: str) -> int:
    from training.book.render import render_book
    from training.book.system_book import add_worth, make_book

    system, base = _system(args.system), _system(args.base or "sayc")
    with Bar(max(args.deals, args.rare), "deal", brief=True) as bar:
        book = make_book(
            system, args.deals, args.seed, rare=args.rare, levels=args.levels, once_in=args.once_in,
            examples=args.examples, tick=bar.add,
        )  # fmt: skip
    if args.check:
        return _check(book)
    if args.worth:
        with Bar(len(book.graph.entries), "call", brief=True) as bar:
            add_worth(book, _system(args.control), args.boards, args.seed, bar.add)
    with Bar(2, "step", brief=True) as bar:
        model = book.model(base, bar.add)
    _write(render_book(model, form), args.out)
    return 0


def _code_words(args: argparse.Namespace) -> int:
    """The code words of some bidders, or of all that are shipped."""
    from agents.hierarchy.shipped import shipped_systems
    from agents.networks.shipped import shipped_networks
    from training.match.artificial_calls import report
    from training.running.speed import use_fastest

    if args.system or args.diff:
        raise ValueError("--code-words takes the bidders itself: bridge-env book --code-words sayc policy:champion")
    use_fastest()
    everything = [f"system:{name}" for name in shipped_systems()] + [f"policy:{name}" for name in shipped_networks()]
    specs = args.code_words or everything
    with Bar(len(specs), "bidder", brief=True) as bar:
        text = report(specs, args.boards, args.seed, bar.add)
    _write(text, args.out)
    return 0


def _network(args: argparse.Namespace, form: str) -> int:
    from agents.networks.shipped import read_networks
    from training.book.network_book import HOLDOUT, make_network_book
    from training.book.render import render_book
    from training.running.speed import use_fastest

    if args.worth:
        raise ValueError("--worth takes a call out of a system; a network has no lines to take out")
    networks = read_networks(args.system.removeprefix("policy:"))
    use_fastest()
    deals = max(args.deals, args.rare)
    with Bar(deals + HOLDOUT, "deal", brief=True) as bar:
        book = make_network_book(
            args.system, networks.player, deals, args.seed, levels=args.levels, once_in=args.once_in,
            examples=args.examples, tick=bar.add,
        )  # fmt: skip
    if args.check:
        return _check(book)
    _write(render_book(book.model(), form), args.out)
    return 0


def _check(book: Any) -> int:
    """Print how many hands fit the book, and the calls whose hands fit least."""
    from training.book.model import GOAL

    print(book.facts()[1])
    for hands, fitting, text in book.worst(10):
        print(f"  {fitting / hands:7.1%} of {hands:>6,}  {text}")
    if book.coverage.share >= GOAL:
        return 0
    print(f"under {GOAL:.0%}", file=sys.stderr)
    return 1


def _diff(args: argparse.Namespace, form: str) -> int:
    from training.book.diff import compare_systems
    from training.book.render import render_difference

    if args.check:
        raise ValueError("--diff has no --check")
    a, b = (_system(name) for name in args.diff)
    with Bar(None, "change", brief=True) as bar:
        difference = compare_systems(a, b, _system(args.control), args.boards, args.seed, bar.add)
    _write(render_difference(difference.model(), form), args.out)
    return 0


def _system(name: str) -> Any:
    from agents.hierarchy.shipped import read_system

    return read_system(name.removeprefix("system:"))


def _form_of(out: Path | None) -> str:
    """Return the format that the name of a file ends in."""
    from training.book.render import FORMATS

    if out is None:
        return "markdown"
    forms = {suffix: name for name, suffix in FORMATS.items()} | {".htm": "html"}
    if out.suffix not in forms:
        raise ValueError(f"{out}: give --format, or a name that ends in {', '.join(FORMATS.values())}")
    return forms[out.suffix]


def _write(text: str, out: Path | None) -> None:
    if out is None:
        print(text, end="")
        return
    atomic_write(out, text)
    print(f"{out}: {len(text):,} characters")
