"""Play the panel: one bidder against every stranger and every family, on judging boards.

The networks that learned from other auctions are abroad; the bidding systems of this project are at home. The verdict
depends on the results abroad, first of all those against gatekeepers, which serve only to judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.hierarchy.language.text import system_text
from agents.hierarchy.shipped import read_system
from agents.networks.shipped import GATEKEEPER, network_path, read_networks, role, shipped_networks
from bridge_env.bidders import full_spec
from bridge_env.faults import BidderFault, BidderUnreachable
from bridge_env.files import atomic_write
from bridge_env.schema import Either, Number, Whole, parse_json, read_json
from training.match.boards import library_boards
from training.match.code_words import of_match
from training.match.faults import STRICT, Allowance
from training.match.match import MatchResult, play
from training.match.strangers import is_gatekeeper
from training.running import runs

FAMILIES = ("sayc", "two-over-one", "acol", "precision", "polish", "preempts", "champion")
PLAIN = ("pass", "doubler")
GROUPS = ("start", "gatekeepers", "strangers", "families", "no bidders")
_NAMES = {
    "start": "what it began with",
    "gatekeepers": "abroad: gatekeepers, which no training meets",
    "strangers": "abroad: strangers that training may meet",
    "families": "at home: bidding systems",
    "no bidders": "who does not bid",
}


@dataclass(frozen=True)
class Line:
    """One line of the panel: how a bidder did against ``opponent``, in IMPs a board.

    ``code_words`` are those for each 100 auctions of the bidder's side. ``gain`` is the mean of what it won more than
    another bidder on the same boards, with its error; None where nobody asked.
    """

    group: str
    opponent: str
    mean_imps: float
    standard_error: float
    boards: int
    code_words: float
    gain: float | None = None
    gain_error: float | None = None


_LINE = {
    "group": str, "opponent": str, "mean_imps": Number(), "standard_error": Number(0, unknown=True), "boards": Whole(1),
    "code_words": Number(0), "gain": Either(Number(), None), "gain_error": Either(Number(0), None),
}  # fmt: skip
_KEY = (str, str, str, str, Whole(2), Whole(0))


def opponents() -> list[tuple[str, str]]:
    """Group and spec of everybody on the panel, gatekeepers first."""
    out = []
    for name in shipped_networks():
        what = role(read_networks(name))
        if what in (GATEKEEPER, "stranger"):
            out.append(("gatekeepers" if what == GATEKEEPER else "strangers", f"policy:{name}"))
    out += [("families", f"system:{name}") for name in FAMILIES]
    out += [("no bidders", name) for name in PLAIN]
    return sorted(out, key=lambda row: GROUPS.index(row[0]))


def group_of(spec: str) -> str:
    """The group of anybody, for panels of the user's own choice."""
    head, _, argument = spec.partition(":")
    if head == "policy":
        return "gatekeepers" if is_gatekeeper(argument) else "strangers"
    return "no bidders" if spec in (*PLAIN, "random") else "families"


def panel(
    spec: str,
    listed: Sequence[tuple[str, str]],
    boards: int = 20_000,
    seed: int = 1,
    *,
    over: str | None = None,
    workers: int = 1,
    kept: Path | None = None,
    allowance: Allowance = STRICT,
    progress: Callable[[str, int], object] = lambda opponent, boards: None,
    heard: Callable[[MatchResult], object] = lambda match: None,
    failed: Callable[[str], object] = lambda text: None,
) -> list[Line]:
    """Play a bidder against everybody listed, on the same judging boards.

    Args:
        listed: group and spec of each opponent, as ``opponents`` gives them.
        over: another bidder that plays the same boards, to see what ``spec`` wins more.
        kept: a file of lines already played; what is in it is not played again, and what is played is added.
        allowance: what is done about bidders' faults: a line counts the boards that were bid to their ends.
        progress: hears of the opponent and of boards just played, by ``over`` too.
        heard: is handed every match that is played.
        failed: hears of every board that was left out, and of opponents against whom no board was bid.

    Raises:
        BidderFault: a bidder failed, and nothing may be left out; the lines before it are kept.
    """
    dealt = library_boards(boards, seed)
    done = {} if kept is None or not kept.exists() else read(kept)
    out = []
    for group, opponent in listed:
        if opponent == spec:
            continue
        more = (over, version(over)) if over else ()
        key = json.dumps([spec, version(spec), opponent, version(opponent), boards, seed, *more])
        if key not in done:
            tell = partial(progress, opponent)
            try:
                match = play(spec, opponent, dealt, seed, workers=workers, allowance=allowance, progress=tell)
                other = (
                    play(over, opponent, dealt, seed, workers=workers, allowance=allowance, progress=tell)
                    if over
                    else None
                )
            except BidderFault as fault:
                gone = isinstance(fault, BidderUnreachable) and spec in str(fault)
                if gone or not allowance.leave:
                    raise BidderFault(f"against {opponent}: {fault}") from fault
                failed(f"{opponent}: {fault}")
                continue
            for text in match.boards.problems:
                failed(f"{opponent}: {text}")
            heard(match)
            words, _ = of_match(match)
            gain: tuple[float, float] | tuple[None, None] = _gain(match, other) if other else (None, None)
            count = len(match.boards)
            line = Line(group, opponent, match.mean_imps, match.standard_error, count, round(words, 2), *gain)
            done = {old: other for old, other in done.items() if _match_of(old) != _match_of(key)} | {key: line}
            if kept is not None:
                atomic_write(kept, json.dumps({k: asdict(row) for k, row in done.items()}, indent=1) + "\n")
        out.append(done[key])
    return out


def _gain(match: MatchResult, other: MatchResult) -> tuple[float, float]:
    """Return what ``match`` won more than ``other`` on the same boards: the mean, and its standard error over deals."""
    _, ours, theirs = np.intersect1d(match.boards.number, other.boards.number, return_indices=True)
    match, other = match.take(ours), other.take(theirs)  # a board may have been left out of one of them
    more = replace(match, imps=match.imps - other.imps)
    return more.mean_imps, more.standard_error


def _match_of(key: str) -> list[Any]:
    """Return who plays whom on which boards, whatever their versions: a new version's line replaces the old one's."""
    spec, _, opponent, _, *rest = json.loads(key)
    return [spec, opponent, *rest[:3]]


def version(spec: str) -> str:
    """Return what tells one state of a file behind a spec from another; empty where there is none."""
    head, _, argument = full_spec(spec).partition(":")
    if head == "policy":
        return runs.sha256(network_path(argument))[:16]
    if head == "system":  # shipped ones get better, too
        return hashlib.sha256(system_text(read_system(argument)).encode()).hexdigest()[:16]
    if head == "reason" and ":" in argument:
        return version(argument)
    path = Path(argument.rpartition(":")[0] if head == "python" else argument)
    return runs.sha256(path)[:16] if argument and path.is_file() else ""


def read(kept: Path) -> dict[str, Line]:
    """Return the lines of a file. A key is JSON: bidder, version, opponent, version, boards, seed (, over, version)."""
    done = read_json(kept, {...: _LINE}, runs.RunError)
    for key in done:
        parse_json(key, Either(_KEY, (*_KEY, str, str)), f"{kept}: the key {key[:80]}", runs.RunError)
    return {key: Line(**{name: row[name] for name in _LINE}) for key, row in done.items()}


def table_text(lines: Sequence[Line]) -> str:
    """The panel as an aligned table, a section for each group."""
    width = max(len(line.opponent) for line in lines) + 2
    gains = any(line.gain is not None for line in lines)
    more = f"  {'gain on the same boards':>23}" if gains else ""
    out = [f"{'':<{width}}  IMPs/board     SE   boards{more}  code words in 100 auctions"]
    for group in GROUPS:
        rows = [line for line in lines if line.group == group]
        if rows:
            out += ["", _NAMES[group]]
        out += [
            f"  {r.opponent:<{width - 2}}  {r.mean_imps:+10.3f}  {r.standard_error:.3f}  {r.boards:>7,}"
            f"{f'  {_gained(r):>23}' if gains else ''}  {r.code_words:.1f}"
            for r in rows
        ]
    return "\n".join(out)


def markdown(lines: Sequence[Line]) -> list[str]:
    gains = any(line.gain is not None for line in lines)
    head, rule, empty = (" gain on the same boards |", " ---: |", " |") if gains else ("", "", "")
    out = [
        f"| against | IMPs/board | SE | boards |{head} code words in 100 auctions |",
        f"| --- | ---: | ---: | ---: |{rule} ---: |",
    ]
    for group in GROUPS:
        rows = [line for line in lines if line.group == group]
        if rows:
            out.append(f"| **{_NAMES[group]}** | | | |{empty} |")
        out += [
            f"| `{runs.portable(r.opponent)}` | {r.mean_imps:+.3f} | {r.standard_error:.3f} | {r.boards:,} |"
            f"{f' {_gained(r)} |' if gains else ''} {r.code_words:.1f} |"
            for r in rows
        ]
    return out


def _gained(line: Line) -> str:
    return "" if line.gain is None else f"{line.gain:+.3f} ± {line.gain_error:.3f}"
