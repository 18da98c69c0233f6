"""Play the panel: one bidder against all foreign networks and all shipped systems, on judging boards.

The networks that learned from other auctions are abroad; the bidding systems of this project are at home. The verdict
depends on the results abroad, first of all those against gatekeepers, which serve only to judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from agents.networks.shipped import GATEKEEPER, STRANGER, network_path, read_networks, role, shipped_networks
from agents.systems.language.text import system_text
from agents.systems.library.shipped import read_system
from bridge_env.bidders.errors import BidderError
from bridge_env.bidders.registry import full_spec, make
from bridge_env.io.files import atomic_write
from bridge_env.io.json_files import read_json
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match
from training.evaluation.network_opponents import role_of
from training.evaluation.situations import of_match
from training.runtime import runs
from training.runtime.pages import table, text_table
from training.runtime.runs import Progress

FAMILIES = ("sayc", "two-over-one", "acol", "precision", "polish", "preempts", "champion")
PLAIN = ("pass", "doubler")
GROUPS = {
    "start": "the bidder that it began with",
    "gatekeepers": "abroad: gatekeepers, which no training meets",
    "strangers": "abroad: strangers that training may meet",
    "families": "at home: bidding systems",
    "others": "other bidders",
    "no bidders": "bidders that never bid",
}


@dataclass(frozen=True)
class PanelRow:
    """A row of the panel: the result against ``opponent``, in IMPs a board.

    ``artificial`` counts the bidder's artificial calls in 100 auctions. ``gain`` is the mean gain over another bidder
    on the same boards, with its standard error, if there is such a bidder.
    """

    group: str
    opponent: str
    mean_imps: float
    standard_error: float
    boards: int
    artificial: float
    gain: float | None = None
    gain_error: float | None = None


@dataclass(frozen=True)
class PanelResult(runs.RowsResult):
    """The rows of a bidder on ``boards`` judging boards against each opponent."""

    spec: str
    boards: int
    seed: int
    rows: list[PanelRow]

    def __str__(self) -> str:
        return f"{self.spec}, {self.boards:,} judging boards, seed {self.seed}\n\n{table_text(self.rows)}"

    def page(self, sections: Sequence[str], command: str) -> str:
        """Return the lines and further sections as Markdown, with the command that made them."""
        how = "judging boards, duplicate, dealer and vulnerability by board number, exact double-dummy tricks"
        page = [f"# {runs.portable(self.spec)} against the panel", "", f"Made by `{command}`; {how}.", ""]
        page += [*markdown(self.rows), ""]
        return "\n".join(page + [part for text in sections for part in ("```text", text, "```", "")])


def opponents() -> list[tuple[str, str]]:
    """Return group and spec of every opponent on the panel, gatekeepers first."""
    networks = [name for name in shipped_networks() if role(read_networks(name)) in (GATEKEEPER, STRANGER)]
    specs = [*(f"policy:{name}" for name in networks), *(f"system:{name}" for name in FAMILIES), *PLAIN]
    return sorted(((group_of(spec), spec) for spec in specs), key=lambda row: list(GROUPS).index(row[0]))


def gatekeepers() -> list[str]:
    """Return the specs of the shipped gatekeepers."""
    return [spec for group, spec in opponents() if group == "gatekeepers"]


def group_of(spec: str) -> str:
    """Return the group of a bidder."""
    head, _, argument = full_spec(spec).partition(":")
    if head == "policy":
        return {GATEKEEPER: "gatekeepers", STRANGER: "strangers"}.get(role_of(argument), "others")
    if spec in (*PLAIN, "random"):
        return "no bidders"
    return "families" if head == "system" else "others"


def panel(
    spec: str,
    against: Sequence[str] | None = None,
    boards: int = 20_000,
    seed: int = 1,
    *,
    start: str | None = None,
    over: str | None = None,
    workers: int = 1,
    log: Path | None = None,
    progress: Progress = Progress(),
) -> PanelResult:
    """Play a bidder against many, on the same judging boards.

    Args:
        against: specs of the opponents; None: the whole panel.
        start: spec of what the bidder began with, an opponent in a group of its own.
        over: another bidder that plays the same boards, to measure the gain of ``spec``.
        workers: processes; the result does not depend on it.
        log: a file of lines; a match that is in it is not played again.
        progress: shows the opponent and the boards that were played, by ``over`` too.

    Raises:
        SpecError: a spec names no bidder.
        BidderError: a bidder failed; the lines before it are in ``log``.
    """
    listed = list(opponents()) if against is None else [(group_of(opponent), opponent) for opponent in against]
    if start is not None:
        listed.insert(0, ("start", start))
    for name in (spec, *([over] if over else []), *(opponent for _, opponent in listed)):
        make(name)  # a faulty spec is an error before anything is played
    dealt = library_boards(boards, seed)
    done = {} if log is None or not log.exists() else read(log)
    lines = []
    for group, opponent in listed:
        if full_spec(opponent) == full_spec(spec):
            continue
        gain_key = (over, version(over)) if over else ()
        key = json.dumps([spec, version(spec), opponent, version(opponent), boards, seed, *gain_key])
        if key not in done:
            progress.say(opponent)
            try:
                played = match(spec, opponent, dealt, seed, workers=workers, progress=progress.add)
                other = match(over, opponent, dealt, seed, workers=workers, progress=progress.add) if over else None
            except BidderError as fault:
                raise type(fault)(f"against {opponent}: {fault}") from fault
            calls = round(of_match(played)[0], 2)
            line = PanelRow(group, opponent, played.mean_imps, played.standard_error, len(played.boards), calls)
            if other is not None:
                more = played.minus(other)
                line = replace(line, gain=more.mean_imps, gain_error=more.standard_error)
            done[key] = line
            if log is not None:
                atomic_write(log, json.dumps({k: asdict(line) for k, line in done.items()}, indent=1) + "\n")
        lines.append(replace(done[key], group=group))
    return PanelResult(spec, boards, seed, lines)


def version(spec: str) -> str:
    """Return a hash of the file behind a spec, or an empty string if there is none."""
    head, _, argument = full_spec(spec).partition(":")
    if head == "policy":
        return runs.sha256(network_path(argument))[:16]
    if head == "system":  # shipped ones get better, too
        return hashlib.sha256(system_text(read_system(argument)).encode()).hexdigest()[:16]
    if head == "reason" and ":" in argument:
        return version(argument)
    path = Path(argument.rpartition(":")[0] if head == "python" else argument)
    return runs.sha256(path)[:16] if argument and path.is_file() else ""


def read(log: Path) -> dict[str, PanelRow]:
    """Return the lines of a file by the JSON of what they depend on; raise ``RunError`` where the file is damaged."""
    return read_json(log, dict[str, PanelRow], runs.RunError)


def table_text(lines: Sequence[PanelRow]) -> str:
    """Return the panel as a table for the terminal, a section for each group."""
    return "\n".join(text_table(*_table(lines)))


def markdown(lines: Sequence[PanelRow]) -> list[str]:
    """Return the panel as the lines of a Markdown table, a section for each group."""
    return table(*_table(lines, "**{}**", "`{}`"))


def _table(
    lines: Sequence[PanelRow], group_form: str = "{}", name_form: str = "  {}"
) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows: the opponents of each group below its name."""
    gains = ["gain on the same boards"] * any(line.gain is not None for line in lines)
    heads = ["against", "IMPs/board", "SE", "boards", *gains, "artificial calls in 100 auctions"]
    rows = []
    for group, words in GROUPS.items():
        mine = [line for line in lines if line.group == group]
        if mine:
            rows.append([group_form.format(words), *[""] * (len(heads) - 1)])
        for line in mine:
            gain = "" if line.gain is None else f"{line.gain:+.3f} ± {line.gain_error:.3f}"
            rows.append([
                name_form.format(runs.portable(line.opponent)), f"{line.mean_imps:+.3f}", f"{line.standard_error:.3f}",
                f"{line.boards:,}", *([gain] if gains else []), f"{line.artificial:.1f}",
            ])  # fmt: skip
    return heads, rows
