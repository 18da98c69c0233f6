"""The panel: one bidder against every stranger and every family, on judging boards.

Abroad are the networks that were taught by others' auctions; at home are the bidding systems of this house. A verdict
is what holds abroad, and of that first what holds against gatekeepers, which no training meets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.networks.shipped import GATEKEEPER, network_path, read_networks, role, shipped_networks
from bridge_env.bidders import SpecError
from training.match.boards import library_boards
from training.match.code_words import of_match
from training.match.match import MatchResult, play
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

    ``code_words`` are those for each 100 auctions of the bidder's side; None in files of an earlier version.
    """

    group: str
    opponent: str
    mean_imps: float
    standard_error: float
    boards: int
    code_words: float | None = None


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
        try:
            return "gatekeepers" if role(read_networks(argument)) == GATEKEEPER else "strangers"
        except SpecError:
            return "strangers"
    return "no bidders" if spec in PLAIN else "families"


def panel(
    spec: str,
    listed: Sequence[tuple[str, str]],
    boards: int = 20_000,
    seed: int = 1,
    *,
    workers: int = 1,
    kept: Path | None = None,
    progress: Callable[[str, int], object] = lambda opponent, boards: None,
    heard: Callable[[MatchResult], object] = lambda match: None,
) -> list[Line]:
    """Play a bidder against everybody listed, on the same judging boards.

    Args:
        spec: of the bidder.
        listed: group and spec of each opponent, as ``opponents`` gives them.
        kept: a file of lines already played; what is in it is not played again, and what is played is added.
        progress: hears of the opponent and of boards just played.
        heard: is handed every match that is played.
    """
    dealt = library_boards(boards, seed)
    done = _read(kept)
    out = []
    for group, opponent in listed:
        if opponent == spec:
            continue
        key = json.dumps([spec, _version(spec), opponent, _version(opponent), boards, seed])
        if key not in done:
            match = play(spec, opponent, dealt, seed, workers=workers, progress=lambda n, o=opponent: progress(o, n))
            heard(match)
            words, _ = of_match(match)
            done[key] = asdict(Line(group, opponent, match.mean_imps, match.standard_error, boards, round(words, 2)))
            if kept is not None:
                runs.write_atomically(kept, json.dumps(done, indent=1) + "\n")
        out.append(Line(**done[key]))
    return out


def _version(spec: str) -> str:
    """What tells one state of a file behind a spec from another; empty where there is none."""
    head, _, argument = spec.partition(":")
    if head == "policy":
        return runs.sha256(network_path(argument))[:16]
    path = Path(argument)
    return runs.sha256(path)[:16] if argument and path.is_file() else ""


def _read(kept: Path | None) -> dict[str, Any]:
    if kept is None or not kept.exists():
        return {}
    try:
        done = json.loads(kept.read_text(encoding="utf-8"))
        return {key: asdict(Line(**row)) for key, row in done.items()}
    except (ValueError, TypeError, AttributeError):
        raise runs.RunError(f"{kept} is no file of a panel; give another --out, or remove it") from None


def table_text(lines: Sequence[Line]) -> str:
    """The panel as an aligned table, a section for each group."""
    width = max(len(line.opponent) for line in lines) + 2
    out = [f"{'':<{width}}  IMPs/board     SE   boards  code words in 100 auctions"]
    for group in GROUPS:
        rows = [line for line in lines if line.group == group]
        if rows:
            out += ["", _NAMES[group]]
        out += [
            f"  {r.opponent:<{width - 2}}  {r.mean_imps:+10.3f}  {r.standard_error:.3f}  {r.boards:>7,}  {_words(r)}"
            for r in rows
        ]
    return "\n".join(out)


def markdown(lines: Sequence[Line]) -> list[str]:
    """The panel as lines of Markdown, for reports."""
    out = ["| against | IMPs/board | SE | boards | code words in 100 auctions |", "| --- | ---: | ---: | ---: | ---: |"]
    for group in GROUPS:
        rows = [line for line in lines if line.group == group]
        if rows:
            out.append(f"| **{_NAMES[group]}** | | | | |")
        out += [
            f"| `{runs.portable(r.opponent)}` | {r.mean_imps:+.3f} | {r.standard_error:.3f} | {r.boards:,} "
            f"| {_words(r)} |"
            for r in rows
        ]
    return out


def _words(line: Line) -> str:
    return "" if line.code_words is None else f"{line.code_words:.1f}"
