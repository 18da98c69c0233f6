"""Command line: ``bridge-env deal``, ``bid`` and ``match``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge_env.files import write_whole
from training.cli.arguments import add_allowance, allowance_of, natural, positive
from training.cli.config_file import add_config_file
from training.cli.progress import Bar

if TYPE_CHECKING:
    from bridge_env.faults import BidderFault
    from bridge_env.protocols import Bidder
    from training.cardplay.result import PlayedMatch
    from training.match.agreement import Agreement
    from training.match.boards import Boards
    from training.match.match import MatchResult

Subparsers = Any  # argparse keeps the type of add_subparsers() private

SPECS = """\
A SPEC names a bidder:
  system:sayc             a bidding system that comes with the package: standard American
  system:two-over-one     another: two over one game forcing; the default
  policy:champion         a network that learned in the league; policy:polish and others learned from recorded auctions
  policy:FILE             a network of yours ('bridge-env fit policy' and 'bridge-env train' make them)
  system:FILE.bidding     a bidding system in a file of yours
  reason:sayc             thinks before it calls: samples deals, looks ahead, departs from the system where that pays
  reason:sayc?samples=128&look=minimax    options: samples or seconds, look=systems|minimax,
                          leaves=estimate|exact, value=imps|points, caution, margin, candidates, near, trust, recall
  reason:empty            the same without any system
  cases:FILE              makes the call of the most similar cases in a case base ('bridge-env fit cases' makes one)
  pages:BOOK.md           bids by nothing but the pages that 'bridge-env book SYSTEM --out BOOK.md' printed
  som:FILE                makes the call of similar hands, found by self-organizing maps ('bridge-env fit maps')
  pass, random, doubler   always passes; any legal call; passes but doubles opposing bids from 2NT up
  pair:SPEC,SPEC          a partnership of two different bidders: the first sits N or E, the second S or W
  seat:URL                another program, asked over HTTP: seat:http://127.0.0.1:8085
  python:module:factory   your own: factory() gives an object with bid(view, key)
"""

_DEAL_EXAMPLES = """\
examples:
  bridge-env deal                            one random deal
  bridge-env deal --n 4 --seed 7             deals 1 to 4 of the sequence that seed 7 names
  bridge-env deal --n 64 --pbn deals.pbn     64 deals into a PBN file
"""

_BID_EXAMPLES = f"""\
{SPECS}
examples:
  bridge-env bid system:sayc --hand AKQ2.T98.J7.A543
  bridge-env bid system:sayc --hand A8.KQ94.72.KQ652 --dealer N --auction "1C P 1S P"
  bridge-env bid system:sayc --hand A8.KQ94.72.KQ652 --auction "1C P 1S P" --json
  bridge-env bid system:sayc --boards 3 --seed 7
  bridge-env bid reason:sayc --hand AQT72.A4.Q2.T753 --auction "1S P 2S 3H"
  bridge-env bid "reason:sayc?seconds=0.1" --hand AQT72.A4.Q2.T753
  bridge-env bid system:sayc --opponents pass --deals deals.pbn
  bridge-env bid system:sayc --agree recorded.pbn
  bridge-env bid --words
"""

_MATCH_EXAMPLES = f"""\
{SPECS}
examples:
  bridge-env match system:sayc pass
  bridge-env match reason:sayc system:sayc --boards 500 --workers 2
  bridge-env match system:mine.bidding system:sayc --boards 10000 --seed 2 --json result.json
  bridge-env match policy:champion system:sayc --boards 5000 --report match.html
  bridge-env match python:mybots:make_bot system:sayc --deals event.pbn --scoring mp
  bridge-env match system:sayc system:sayc --boards 50 --play montecarlo --play-b rule --keep match.jsonl --workers 2
  bridge-env match system:sayc system:sayc --boards 900 --play deceptive+montecarlo --play-b montecarlo --only down-1

Every board is bid twice: A sits North-South at one table and East-West at the other; B sits in the other seats.
The score is A's gain in IMPs at exact double-dummy tricks. Without --deals, the match uses solved boards that
training never sees. With --play, card players also play each hand, seeing only what a player may see. The score at
the tricks taken then stands beside the double-dummy score. 'bridge-env play --help' lists the card players.
"""


def _add(subparsers: Subparsers, name: str, **words: str) -> Any:
    return subparsers.add_parser(name, formatter_class=argparse.RawDescriptionHelpFormatter, **words)


# --- deal ----------------------------------------------------------------------------------------------


def add_deal(subparsers: Subparsers) -> None:
    """Add ``bridge-env deal``."""
    parser = _add(
        subparsers,
        "deal",
        help="deal random hands, as diagrams or into a PBN file",
        description="Deal random hands. The same seed gives the same deals; dealer and vulnerability follow\n"
        "the board numbers.",
        epilog=_DEAL_EXAMPLES,
    )
    parser.add_argument("--n", type=positive, default=1, help="number of deals (1)")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the deals (0)")
    parser.add_argument("--start", type=natural, default=0, help="number of deals to skip first (0)")
    parser.add_argument("--pbn", metavar="FILE", help="write the deals to this PBN file (gzipped if it ends in .gz)")
    parser.set_defaults(handler=_deal)


def _deal(args: argparse.Namespace) -> int:
    from bridge_env.cards import board_dealer, board_vulnerability, random_deals

    numbers = range(args.start + 1, args.start + args.n + 1)
    deals = zip(
        numbers,
        random_deals(args.seed, args.start, args.n),
        board_dealer(numbers).tolist(),
        board_vulnerability(numbers).tolist(),
        strict=True,
    )
    if args.pbn:
        from bridge_env.records.pbn import Board, write_boards

        write_boards(args.pbn, [Board(owner, dealer, vul, number) for number, owner, dealer, vul in deals])
        print(f"{args.pbn}: {args.n:,} deals")
        return 0
    from bridge_env.render import deal_diagram

    print("\n\n".join(deal_diagram(owner, dealer, vul, number) for number, owner, dealer, vul in deals))
    return 0


# --- bid -----------------------------------------------------------------------------------------------


def add_bid(subparsers: Subparsers) -> None:
    """Add ``bridge-env bid``."""
    parser = _add(
        subparsers,
        "bid",
        help="ask a bidder for one call and its reason, or let it bid whole boards",
        description="With --hand, print the bidder's call, what it shows, the line of its system that made it, what a\n"
        "slightly different hand would call, what passes deny, and what each seat has shown. A reason: bidder also\n"
        "prints its candidates and some of the deals that it sampled; a case base prints the nearest cases; maps\n"
        "print the best-matching unit and its neighbours. Without --hand, bid whole boards and print diagram,\n"
        "auction, contract and double-dummy result; the bidder sits North-South.",
        epilog=_BID_EXAMPLES,
    )
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="the bidder, see below (system:two-over-one)")
    parser.add_argument("--opponents", metavar="SPEC", help="the bidder of the other side (the same)")
    parser.add_argument("--words", action="store_true", help="list the words of the language for bidding systems")
    one = parser.add_argument_group("one call")
    one.add_argument("--hand", metavar="S.H.D.C", help="thirteen cards, spades first: AKQ2.T98.J7.A543")
    one.add_argument("--dealer", metavar="SEAT", help="N, E, S or W (N)")
    one.add_argument("--vulnerability", metavar="WHO", help="None, NS, EW or Both (None)")
    one.add_argument("--json", action="store_true", help="print the call and its reason as JSON")
    one.add_argument("--auction", metavar="CALLS", help='calls so far, starting with the dealer\'s: "1C P 1H X"')
    _add_board_options(parser.add_argument_group("whole boards"), "1, or all of FILE.pbn")
    record = parser.add_argument_group("recorded auctions")
    record.add_argument(
        "--agree", nargs="+", metavar="FILE.pbn",
        help="report how often the bidder makes the recorded call, and how often two tables agree in the same position",
    )  # fmt: skip
    record.add_argument("--held-out", action="store_true", help="use only boards of the judging split")
    record.add_argument(
        "--rounds",
        choices=("openings", "all"),
        default="openings",
        help="compare calls up to the first bid, or all calls (openings)",
    )
    parser.set_defaults(handler=_bid)


def _add_board_options(group: Any, count: str) -> None:
    group.add_argument("--boards", type=positive, metavar="N", help=f"number of boards ({count})")
    group.add_argument("--seed", type=int, default=1, help="random seed of the boards and the bidders (1)")
    group.add_argument("--deals", metavar="FILE.pbn", help="take the boards from this PBN file")


def _boards(args: argparse.Namespace, default: int) -> Boards:
    from training.match.boards import library_boards, pbn_boards

    if args.deals is None:
        return library_boards(args.boards or default, args.seed)
    boards = pbn_boards(args.deals, args.boards)
    for problem in boards.problems:
        print(f"left out: {problem}", file=sys.stderr)
    return boards


def _bid(args: argparse.Namespace) -> int:
    if args.words:
        from agents.hierarchy.language.words import words_text

        print(words_text())
        return 0
    if args.spec is None:
        from bridge_env.bidders import DEFAULT_BIDDER

        args.spec = DEFAULT_BIDDER
    if args.hand is not None:
        return _bid_hand(args)
    if args.agree is not None:
        return _bid_agree(args)
    for option in ("dealer", "vulnerability", "auction", "json"):
        if getattr(args, option):
            raise ValueError(f"--{option} goes with --hand")
    from training.match.board_text import board_text
    from training.match.match import play_tables

    boards = _boards(args, 1)
    table, _ = play_tables(args.spec, args.opponents or args.spec, boards, args.seed)
    print("\n\n\n".join(board_text(boards, table, row) for row in range(len(boards))))
    return 0


def _bid_agree(args: argparse.Namespace) -> int:
    import time

    from training.match.agreement import agreement

    began = time.perf_counter()
    found = agreement(args.spec, args.agree, args.rounds, held_out=args.held_out)
    for problem in found.problems:
        print(f"left out: {problem}", file=sys.stderr)
    bids = f"{found.right_bids / found.asked_bids:.1%}" if found.asked_bids else "-"
    print(
        f"{args.spec} and {', '.join(args.agree[:3])}{', ...' if len(args.agree) > 3 else ''}, {args.rounds}\n"
        f"  the same call   {found.share:.1%} ± {found.standard_error:.1%}\n"
        f"  where not pass  {bids}\n"
        f"  positions       {found.asked:,} on {found.boards:,} boards\n"
        + _ceiling(found)
        + f"  seconds         {time.perf_counter() - began:.1f}"
    )
    return 0


def _ceiling(found: Agreement) -> str:
    """Report how often two tables agree in the same position, and the bidder's share there; empty without such."""
    if not found.shared:
        return ""
    return (
        f"  two tables      {found.tables_agree:.1%} ± {found.tables_error:.1%} in the same position, of "
        f"{found.shared:,} calls on {found.shared_deals:,} deals; the bidder there "
        f"{found.shared_right / found.shared:.1%}\n"
    )


def _bid_hand(args: argparse.Namespace) -> int:
    for option in ("boards", "deals"):
        if getattr(args, option) is not None:
            raise ValueError(f"--{option} and --hand exclude each other")
    from agents.wire import read_states
    from bridge_env.bidders import make

    bidder = make(args.spec, partner=args.spec, opponents=args.opponents)
    state = {
        "hand": args.hand,
        "dealer": args.dealer or "N",
        "vulnerability": args.vulnerability or "None",
        "auction": (args.auction or "").replace(",", " ").split(),
    }
    told = _call_json if args.json else _call_text
    print(told(args.spec, bidder, *read_states([state])))
    _tell_departures(args.spec, bidder, state)
    return 0


def _tell_departures(spec: str, bidder: Bidder, state: dict[str, Any]) -> None:
    """Warn where the hand contradicts its own calls. A bidder that thinks is compared with its system alone."""
    from agents.hierarchy.bidder import HierarchyBidder
    from agents.registry import system_of
    from agents.wire import departures

    if spec.startswith("reason:"):
        own = system_of(spec)
        if own is None or not own.system.lines:
            return
        bidder = HierarchyBidder(own, own, (own, own))
    for turn, said, would in departures(bidder, state):
        print(
            f"note: with this hand {spec} would have called {would}, not {said}, at its turn {turn + 1}; "
            "partner reads it as a hand that calls so",
            file=sys.stderr,
        )


def _call_text(spec: str, bidder: Bidder, view: Any, key: Any) -> str:
    from bridge_env.bidders import player_at
    from bridge_env.calls import call_text
    from bridge_env.faults import explained, legal_answer_of
    from bridge_env.protocols import Explains

    player = player_at(bidder, int(view.seat[0]))
    if isinstance(player, Explains):
        return explained(player, view, key)
    call = call_text(int(legal_answer_of(player, view, key)[0]))
    return f"{call}\n  {spec} follows no bidding system that could tell why"


def _call_json(spec: str, bidder: Bidder, view: Any, key: Any) -> str:
    """The call and its reason: of a system with all fields of its explanation, of another bidder as text."""
    from agents.hierarchy.bidder import HierarchyBidder
    from agents.hierarchy.explain import explain
    from bridge_env.bidders import player_at

    player = player_at(bidder, int(view.seat[0]))
    if isinstance(player, HierarchyBidder):
        return json.dumps(explain(player, view).as_json(), indent=2, ensure_ascii=False)
    call, _, text = _call_text(spec, player, view, key).partition("\n")
    return json.dumps({"call": call, "text": text}, indent=2, ensure_ascii=False)


# --- match ---------------------------------------------------------------------------------------------


def add_match(subparsers: Subparsers) -> None:
    """Add ``bridge-env match``."""
    parser = _add(
        subparsers,
        "match",
        help="play a duplicate match of two bidders; report IMPs per board and standard error",
        description="Play a duplicate match of teams of four, A against B.",
        epilog=_MATCH_EXAMPLES,
    )
    parser.add_argument("a", metavar="A", help="SPEC of the first team, see below")
    parser.add_argument("b", metavar="B", help="SPEC of the second team")
    _add_board_options(parser, "1000, or all of FILE.pbn")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the result and a row for every board")
    parser.add_argument("--report", metavar="FILE.html", type=Path,
                        help="write a page: where the IMPs went, and boards to click through")  # fmt: skip
    parser.add_argument("--scoring", choices=("imps", "mp", "points"), default="imps",
                        help="report IMPs (the default), or matchpoints or points as well")  # fmt: skip
    parser.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="number of processes; does not change the result (1)"
    )
    add_allowance(parser)
    play = parser.add_argument_group("playing the hands")
    play.add_argument("--play", metavar="PLAYER", help="play every hand: random, rule, montecarlo, ...")
    play.add_argument("--play-b", metavar="PLAYER", help="card player for B (the same)")
    play.add_argument("--keep", metavar="FILE", type=Path, help="save each board to this file, and resume from it")
    play.add_argument(
        "--only",
        choices=("all", "makes", "down-1", "down-more"),
        default="all",
        help="play only boards whose contract makes, or goes down, double dummy at both tables (all)",
    )
    play.add_argument("--card-seconds", type=float, default=120.0, metavar="S",
                      help="time limit for a card; a slower player loses the board (120)")  # fmt: skip
    add_config_file(parser)
    parser.set_defaults(handler=_match)


def _match(args: argparse.Namespace) -> int:
    from bridge_env.faults import BidderFault
    from training.match.board_text import match_text
    from training.match.match import play, seat_teams

    allowance = allowance_of(args)
    seat_teams(args.a, args.b)  # what is faulty is told before any work
    if args.play is None and (args.play_b or args.keep or args.only != "all"):
        raise ValueError("--play-b, --keep and --only go with --play")
    for path in filter(None, (args.keep,)):
        if not path.parent.is_dir():
            raise ValueError(f"--keep {path}: there is no folder {path.parent}")
    for option in ("json", "report"):
        path = getattr(args, option)
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"--{option} {path}: there is no folder {path.parent}")
    boards = _boards(args, 1000)
    args.kept = args.keep, args.again
    try:
        with Bar(len(boards), "board", brief=True) as bar:
            result = play(
                args.a, args.b, boards, args.seed, scoring=args.scoring, workers=args.workers, allowance=allowance,
                progress=bar.add,
            )  # fmt: skip
    except BidderFault as fault:
        _tell_done(args, fault)
        raise
    for problem in result.boards.problems[len(boards.problems) :]:
        print(f"left out: {problem}", file=sys.stderr)
    print(match_text(result))
    played = _play_match(args, result) if args.play is not None else None
    if args.json is not None:
        _write_json(args.json, result, played)
    if args.report is not None:
        _write_report(args.report, result, played)
    return 0


def _tell_done(args: argparse.Namespace, fault: BidderFault) -> None:
    """Print and write the result on the boards before a fault."""
    from training.match.board_text import match_text

    done: MatchResult | None = getattr(fault, "done", None)
    if done is None:
        return
    print(match_text(done))
    print(f"the match ended after {len(done.boards):,} boards; '--faults leave-out' goes on", file=sys.stderr)
    if args.json is not None:
        _write_json(args.json, done, None)


def _play_match(args: argparse.Namespace, result: MatchResult) -> PlayedMatch:
    from training.cardplay.match import Teams, play_match
    from training.cardplay.result import boards_of_fate
    from training.match.board_text import played_text

    teams = Teams((args.a, args.b), (args.play, args.play_b or args.play))
    rows = boards_of_fate(result, args.only)
    if not len(rows):
        raise ValueError(f"none of {len(result.boards)} boards fits --only {args.only}; ask for more --boards")
    with Bar(len(rows), "board", brief=True) as bar:
        played = play_match(
            result, teams, rows=rows, keep=args.keep, seconds=args.card_seconds, workers=args.workers,
            progress=bar.add, tell=bar.tell,
        )  # fmt: skip
    print(played_text(played))
    return played


def _write_json(path: Path, result: MatchResult, played: PlayedMatch | None) -> None:
    content = {**result.summary(), "rows": result.rows()}
    if played is not None:
        content["play"] = {**played.summary(), "rows": played.rows()}
    write_whole(path, json.dumps(content, indent=1, allow_nan=False) + "\n")


def _write_report(path: Path, result: MatchResult, played: PlayedMatch | None) -> None:
    from training.match.report.page import report

    with Bar(None, "board", "report", brief=True) as bar:
        made = report(result, played, progress=bar.add)
    write_whole(path, made.page)
    print(f"{path}: a page with {made.kept:,} of {made.boards:,} boards")
