"""``bridge-env bid``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from training.cli.options import BoardOptions, Several
from training.cli.output import print_problems


def bid(
    spec: str = "system:two-over-one",
    /,
    *,
    opponents: str | None = None,
    hand: str | None = None,
    auction: str | None = None,
    dealer: str | None = None,
    vulnerability: str | None = None,
    json: bool = False,
    boards: BoardOptions = BoardOptions(),
    agree: Annotated[list[Path] | None, Several] = None,
    held_out: bool = False,
    rounds: Literal["openings", "all"] = "openings",
    words: bool = False,
) -> int:
    """Ask a bidder for one call and its reason, or let it bid boards.

    With --hand, print the bidder's call, what it shows, the line of its system that made it, what a slightly different
    hand would call, what passes deny, and what each seat has shown. Without --hand, bid boards and print diagram,
    auction, contract and double-dummy result; the bidder sits North-South. Of a board of --deals that leaves out hands,
    print the call of the hand whose turn it is. 'bridge-env match --help' lists the bidders.

        bridge-env bid system:sayc --hand AKQ2.T98.J7.A543
        bridge-env bid system:sayc --hand A8.KQ94.72.KQ652 --dealer N --auction "1C P 1S P"
        bridge-env bid system:sayc --hand A8.KQ94.72.KQ652 --auction "1C P 1S P" --json
        bridge-env bid reason:sayc --hand AQT72.A4.Q2.T753 --auction "1S P 2S 3H"
        bridge-env bid system:sayc --boards 3 --seed 7
        bridge-env bid system:sayc --opponents pass --deals deals.pbn
        bridge-env bid system:sayc --deals hands.pbn
        bridge-env bid system:sayc --agree recorded.pbn
        bridge-env bid --words

    Args:
        spec: the bidder
        opponents: the bidder of the other side (default: the same)
        hand: thirteen cards, spades first: AKQ2.T98.J7.A543
        auction: calls so far, starting with the dealer's: "1C P 1H X"
        dealer: N, E, S or W (default N)
        vulnerability: None, NS, EW or Both (default None)
        json: print the call and its reason as JSON
        agree: report how often the bidder makes the calls recorded in these files
        held_out: with --agree, use only boards of the judging split
        rounds: with --agree, compare calls up to the first bid, or all calls, by round and side
        words: list the words of the language for bidding systems
    """
    if words:
        from agents.systems.explain.language_reference import words_text

        print(words_text())
        return 0
    if hand is not None:
        if boards.boards is not None or boards.deals is not None:
            raise ValueError("--boards and --deals are for whole boards; --hand asks for one call")
        state = {
            "hand": hand, "dealer": dealer or "N", "vulnerability": vulnerability or "None", "auction": auction or "",
        }  # fmt: skip
        return _bid_hand(spec, opponents, state, json)
    for option, value in (("dealer", dealer), ("vulnerability", vulnerability), ("auction", auction), ("json", json)):
        if value:
            raise ValueError(f"--{option} goes with --hand")
    if agree is not None:
        from training.evaluation.recorded_calls import agreement, share_table

        found, problems = agreement(spec, agree, rounds, held_out=held_out)
        print_problems(problems)
        print(f"{spec} and {', '.join(map(str, agree[:3]))}{', ...' if len(agree) > 3 else ''}: the same call\n")
        print("\n".join(share_table(found)))
        return 0
    if boards.deals is not None and not _bid_partial_deals(spec, opponents, boards.deals):
        return 0
    from bridge_env.display.text import board_text
    from training.evaluation.duplicate import match

    result = match(spec, opponents or spec, boards.read(1), boards.seed)
    print("\n\n\n".join(board_text(result.records(row)[0]) for row in range(len(result.boards))))
    return 0


def avoid_compiling(arguments: Mapping[str, Any]) -> None:
    """Disable numba for one call with nothing compiled yet: that takes 3 to 12 seconds, compiling a minute.

    Args:
        arguments: of ``bid``; nothing may have imported numba's kernels before.
    """
    specs = [arguments.get("spec", "system:"), arguments.get("opponents")]
    heads = {spec.partition(":")[0] for spec in specs if spec is not None}
    if arguments.get("hand") is None or "numba" in sys.modules or not heads <= {"system", "policy"}:
        return
    import numba

    from bridge_env.compiled.jit import FOLDER

    kernels = {"system": "state_rows", "policy": "gather_rows"}  # what takes longest to compile
    if not all(any(FOLDER.glob(f"*/*.{kernels[head]}-*.nbi")) for head in heads):
        numba.config.DISABLE_JIT = True  # type: ignore[attr-defined]


def _bid_hand(spec: str, opponents: str | None, state: dict[str, Any], as_json: bool) -> int:
    """Print the call of a bidder and its reason, as far as it can give one."""
    from agents.systems.bidder import HierarchyBidder
    from agents.systems.explain.explain import explain
    from agents.text_api import read_states
    from bridge_env.bidders.errors import explain_call, legal_calls
    from bridge_env.bidders.protocols import Explains
    from bridge_env.bidders.registry import implements, make, player_at
    from bridge_env.rules.calls import call_text

    bidder = make(spec, partner=spec, opponents=opponents)
    view, key = read_states([state])
    player = player_at(bidder, int(view.seat[0]))
    if as_json and isinstance(player, HierarchyBidder):
        content = explain(player, view).as_json()
    elif implements(player, Explains):
        call, _, reason = explain_call(player, view, key).partition("\n")  # type: ignore[arg-type]
        content = {"call": call, "text": reason}
    else:
        call = call_text(int(legal_calls(player, view, key)[0]))
        content = {"call": call, "text": f"  {spec} follows no bidding system that could give a reason"}
    print(json.dumps(content, indent=2, ensure_ascii=False) if as_json else f"{content['call']}\n{content['text']}")
    return 0


def _bid_partial_deals(spec: str, opponents: str | None, path: Path) -> bool:
    """Print the call of each partial deal of a file, for the hand whose turn it is; return whether others remain."""
    from bridge_env.display.text import board_text
    from bridge_env.hands.deals import hand_text
    from bridge_env.records.derive import passes_missing
    from bridge_env.records.read import read_records
    from bridge_env.rules.calls import call_text
    from bridge_env.rules.cards import SEATS, VULNERABILITIES

    result = read_records(path)
    for board in result.partial:
        calls = board.auction or ()
        seat = (board.dealer + len(calls)) & 3
        print(board_text(board), end="\n\n")
        if calls and not passes_missing(calls):
            print(f"note: {path}:{board.line}: the auction is over", file=sys.stderr)
        elif SEATS[seat] in board.unknown_seats:
            print(f"note: {path}:{board.line}: it is {SEATS[seat]}'s turn, whose hand is not known", file=sys.stderr)
        else:
            auction = [call_text(call) for call in calls]
            print(f"{SEATS[seat]}: ", end="")
            state = {
                "hand": hand_text(board.owner == seat), "dealer": SEATS[board.dealer],
                "vulnerability": VULNERABILITIES[board.vulnerability], "auction": auction,
            }  # fmt: skip
            _bid_hand(spec, opponents, state, False)
            print("\n")
    return bool(result.boards) or not result.partial
