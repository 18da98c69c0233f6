"""``bridge-env book``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from training.cli.arguments import natural, positive
from training.cli.progress import Bar

_EPILOG = """\
examples:
  bridge-env book sayc                                  print Markdown at the terminal
  bridge-env book sayc --levels 3 --worth --out sayc.html
  bridge-env book mine.bidding --format bml --out mine.bml
  bridge-env book mine.bidding --pages 5                keep to five pages instead of ten
  bridge-env book sayc --out sayc.md                    write the pages to a file
  bridge-env book mine.bidding --base acol              compare with acol: what would surprise its players
  bridge-env book sayc --tables                         print every line of the text in tables instead
  bridge-env book --code-words sayc policy:champion     count code words (artificial calls) of some bidders
  bridge-env book sayc --check                          check the book against hands on fresh deals
  bridge-env book --diff sayc results/evolve/run-001/evolved-first.bidding
  bridge-env book policy:champion --levels 2            measure what a network's calls mean

SYSTEM is a shipped system's name, a file of yours, or a network (policy:NAME or policy:FILE). The same seed gives
the same book. A network has no rules. Its book tells what the hands behind each call have in common, how many hands on
other deals fit that, and how many of its calls are code words (artificial calls).
"""
FORMATS = {"markdown": ".md", "bml": ".bml", "html": ".html"}


def add_book(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "book",
        help="print a bidding system as notes for players, with figures",
        description="Print a bidding system for players: a convention card, what would surprise them, and notes by\n"
        "auction with how often each call is made and on what hands. With --tables, print every line in tables.\n"
        "With --diff, print how two systems differ.",
        epilog=_EPILOG,
    )
    parser.add_argument("system", nargs="?", metavar="SYSTEM", help="a shipped name, FILE.bidding, or policy:NAME")
    parser.add_argument(
        "--diff", nargs=2, metavar=("A", "B"), help="print what B changes in A, and what each change is worth"
    )
    parser.add_argument("--format", choices=FORMATS, help="format (default: by the name of --out, else markdown)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file (default: standard output)")
    parser.add_argument(
        "--levels", type=positive, help="depth of the tree to print: 1 openings, 2 responses and overcalls, 3 ..."
    )
    parser.add_argument(
        "--pages",
        type=positive,
        help="leave out the rarest calls until the book fits on this many pages (Markdown: 10, without general rules)",
    )
    parser.add_argument("--tables", action="store_true", help="print every line in tables, without card and notes")
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
    kind = args.format or _by_name(args.out)
    if args.base and (args.diff or args.tables or kind != "markdown" or args.system.startswith("policy:")):
        raise ValueError("--base goes with the Markdown pages of a system: bridge-env book mine.bidding --base acol")
    if args.diff:
        return _diff(args, kind)
    if args.system.startswith("policy:"):
        return _network(args, kind)
    from training.book.written.bml import bml
    from training.book.written.book import add_worth, make_book
    from training.book.written.html import html
    from training.book.written.markdown import markdown

    system = _system(args.system)
    with Bar(max(args.deals, args.rare), "deal", brief=True) as bar:
        book = make_book(
            system, args.deals, args.seed, rare=args.rare, levels=args.levels, examples=args.examples, tick=bar.add
        )
    if args.worth and not args.check:
        entries = [e for e in book.points.entries if e.point is None or book.printed(e.point)]
        with Bar(len(entries), "call", brief=True) as bar:
            add_worth(book, _system(args.control), args.boards, args.seed, bar.add)
    if kind == "markdown" and not (args.tables or args.check):
        return _notes(args, book)
    return _print(args, book, kind, {"markdown": markdown, "bml": bml, "html": html})


def _print(args: argparse.Namespace, book: Any, kind: str, formats: Mapping[str, Callable[[Any], str]]) -> int:
    """Print a book, of a system or of a network, on so many pages; with ``--check`` how many hands keep to it."""
    from training.book.written.book import PAGE_LINES, PAGE_WIDTH, pages

    if args.check:
        return _tell_check(book)
    markdown = formats["markdown"]
    if args.pages:
        book = book.fit(args.pages, markdown)
    _write(formats[kind](book), args.out)
    size = f"pages of {PAGE_LINES} lines of {PAGE_WIDTH} characters, as Markdown: {pages(markdown(book))}"
    print(f"{size}; {book.share:.2%} of the hands keep to it", file=sys.stdout if args.out else sys.stderr)
    return 0


def _notes(args: argparse.Namespace, book: Any) -> int:
    from training.book.printed.pages import PAGES, make_printed

    with Bar(4, "step", brief=True) as bar:
        printed = make_printed(book, _system(args.base or "sayc"), args.pages or PAGES, bar.add)
    _write(printed.text(), args.out)
    print(printed.size(), file=sys.stdout if args.out else sys.stderr)
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


def _network(args: argparse.Namespace, kind: str) -> int:
    from agents.networks.shipped import read_networks
    from training.book.network import pages
    from training.book.network.book import FRESH, make_network_book
    from training.running.speed import use_fastest

    if args.worth:
        raise ValueError("--worth takes a call out of a system; a network has no lines to take out")
    networks = read_networks(args.system.removeprefix("policy:"))
    use_fastest()
    deals = max(args.deals, args.rare)
    with Bar(deals + FRESH, "deal", brief=True) as bar:
        book = make_network_book(
            args.system, networks.player, deals, args.seed, levels=args.levels, examples=args.examples, tick=bar.add
        )
    formats = {"markdown": pages.markdown, "bml": pages.bml, "html": pages.html}
    return _print(args, book, kind, formats)


def _tell_check(book: Any) -> int:
    """Print how many hands keep to the book, and the calls that keep to it least."""
    from agents.hierarchy.telling.wording import symbols
    from training.book.written.book import GOAL

    print(book.facts()[1])
    for hands, fitting, text in book.worst(10):
        print(symbols(f"  {fitting / hands:7.1%} of {hands:>6,}  {text}"))
    if book.share >= GOAL:
        return 0
    print(f"under {GOAL:.0%}", file=sys.stderr)
    return 1


def _diff(args: argparse.Namespace, kind: str) -> int:
    from training.book.written.diff import compare_systems
    from training.book.written.diff_text import diff_html, diff_markdown

    if kind == "bml" or args.check:
        raise ValueError("--diff is printed as markdown or html, and has no --check")
    a, b = (_system(name) for name in args.diff)
    with Bar(None, "change", brief=True) as bar:
        difference = compare_systems(a, b, _system(args.control), args.boards, args.seed, bar.add)
    _write((diff_html if kind == "html" else diff_markdown)(difference), args.out)
    return 0


def _system(name: str) -> Any:
    from agents.hierarchy.shipped import read_system

    return read_system(name.removeprefix("system:"))


def _by_name(out: Path | None) -> str:
    if out is None:
        return "markdown"
    kinds = {suffix: name for name, suffix in FORMATS.items()} | {".htm": "html"}
    if out.suffix not in kinds:
        raise ValueError(f"{out}: give --format, or a name that ends in {', '.join(FORMATS.values())}")
    return kinds[out.suffix]


def _write(text: str, out: Path | None) -> None:
    if out is None:
        print(text, end="")
        return
    atomic_write(out, text)
    print(f"{out}: {len(text):,} characters")
