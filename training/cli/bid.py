"""``bridge-env bid``. Handlers parse and call, nothing else."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from training.cli.arguments import SPECS, add_board_options, boards_of
from training.cli.terminal import left_out

if TYPE_CHECKING:
    from bridge_env.protocols import Bidder
    from training.match.agreement import Agreement

_EXAMPLES = f"""\
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


def add_bid(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "bid",
        help="ask a bidder for one call and its reason, or let it bid whole boards",
        description="With --hand, print the bidder's call, what it shows, the line of its system that made it, what a\n"
        "slightly different hand would call, what passes deny, and what each seat has shown. A reason: bidder also\n"
        "prints its candidates and some of the deals that it sampled; a case base prints the nearest cases; maps\n"
        "print the best-matching unit and its neighbours. Without --hand, bid whole boards and print diagram,\n"
        "auction, contract and double-dummy result; the bidder sits North-South.",
        epilog=_EXAMPLES,
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
    add_board_options(parser.add_argument_group("whole boards"), "1, or all of FILE.pbn")
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
    parser.set_defaults(handler=_bid, prepare=_prepare)


def _prepare(args: argparse.Namespace) -> None:
    """Disable numba for one call with nothing compiled yet: that takes 1 to 3 seconds, compiling 7 to 15."""
    specs = {spec.partition(":")[0] for spec in (args.spec or "system:", args.opponents) if spec is not None}
    if args.hand is None or "numba" in sys.modules or not specs <= {"system", "policy"}:
        return
    import numba

    from bridge_env.jit import FOLDER

    kernels = {"system": "bid_rows", "policy": "gather_rows"}  # what takes longest to compile
    if not all(any(FOLDER.glob(f"*/*.{kernels[spec]}-*.nbi")) for spec in specs):
        numba.config.DISABLE_JIT = True  # type: ignore[attr-defined]


def _bid(args: argparse.Namespace) -> int:
    if args.words:
        from agents.hierarchy.telling.language_reference import words_text

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
    from training.match.duplicate import play_tables

    boards = boards_of(args, 1)
    table, _ = play_tables(args.spec, args.opponents or args.spec, boards, args.seed)
    print("\n\n\n".join(board_text(boards, table, row) for row in range(len(boards))))
    return 0


def _bid_agree(args: argparse.Namespace) -> int:
    import time

    from training.match.agreement import agreement

    began = time.perf_counter()
    found = agreement(args.spec, args.agree, args.rounds, held_out=args.held_out)
    left_out(found.problems)
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
    from agents.text_api import read_states
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
    from agents.text_api import departures

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
    from bridge_env.bidder_errors import explain_call, legal_calls
    from bridge_env.bidders import implements, player_at
    from bridge_env.calls import call_text
    from bridge_env.protocols import Explains

    player = player_at(bidder, int(view.seat[0]))
    if implements(player, Explains):
        return explain_call(player, view, key)  # type: ignore[arg-type]
    call = call_text(int(legal_calls(player, view, key)[0]))
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
