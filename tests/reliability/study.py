"""The rows of the table of reliability, each with the number of its cases."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.reliability import doors, envs, players, processes, stores, texts
from tests.reliability.tally import Case, Row, left_out, some, tally

SAME = "the copy goes on as the env does"
SAID = "an error that says what is wrong, and nothing else has changed"
READ = "read, or told with its place; what is read is possible"
ONE_KIND = "read, or one kind of error; no code of the file is run"
NAMED = "read, or one kind of error that names the file"
REFUSED = "refused; no code of the file is run"
GOES_ON = "the same command goes on, and comes to the same result"
TOLD = "said in a line, exit code 2, no traceback"
ANSWERED = "an answer, or a refusal in a sentence"
_NO_SERVER = "the extra 'table' or httpx2 is not installed"
_NO_LIMITS = "this system has no limits on the size of files"


@dataclass(frozen=True)
class Settings:
    """What is tried.

    Attributes:
        seed: of all cases.
        cases: of the quickest rows; others have a share of it.
        kills: of each command.
        only: parts of the names of rows; none: all.
    """

    seed: int = 1
    cases: int = 2000
    kills: int = 2
    only: tuple[str, ...] = ()

    def share(self, part: float) -> int:
        """A share of the cases, at least one."""
        return max(1, round(self.cases * part))


def rows(settings: Settings, tell: Callable[[Row], object] = lambda row: None) -> list[Row]:
    """Try everything; ``tell`` hears of each row as it is done."""
    found = []
    with tempfile.TemporaryDirectory(prefix="bridge-env-reliability-") as name:
        for what, expected, cases in _plan(settings, Path(name)):
            if settings.only and not any(part in what for part in settings.only):
                continue
            row = left_out(what, expected, cases) if isinstance(cases, str) else tally(what, expected, cases)
            tell(row)
            found.append(row)
    return found


def _plan(settings: Settings, folder: Path) -> Iterable[tuple[str, str, Iterable[Case] | str]]:
    """What, what is expected, and the cases, or why there are none."""
    share, seed = settings.share, settings.seed
    yield "envs copied or pickled in an episode", SAME, envs.copied(share(0.05), seed)
    yield "envs misused", SAID, envs.misused(share(0.25), seed)
    yield "PBN files, damaged", READ, texts.pbn(share(1), seed)
    yield "LIN files, damaged", READ, texts.lin(share(1), seed)
    yield "links to a hand viewer, damaged", READ, texts.links(share(0.5), seed)
    yield (
        "bidding systems, damaged",
        "compiled and read back the same, or an error that says where",
        texts.systems(share(0.25), seed),
    )
    yield "specs of bidders, damaged", "a bidder, or an error that says why", texts.specs(share(0.1), seed)
    yield "hands and auctions, damaged", "a call, or an error that says why", texts.states(share(0.25), seed)
    yield "weight files, damaged", ONE_KIND, stores.weights(folder, share(0.25), seed)
    yield (
        "libraries of solved deals, damaged",
        "read as written, or refused",
        stores.libraries(folder, share(0.5), seed),
    )
    yield "kept rows, damaged", "the rows that are whole; the others told", stores.kept_rows(folder, share(0.5), seed)
    yield "files of runs, damaged", NAMED, stores.run_files(folder, share(0.5), seed)
    yield "archives that mean ill", REFUSED, stores.archives(folder, share(0.02), seed)
    yield "texts of great size", "read or refused, in bounded time and memory", texts.sizes(folder, share(0.06), seed)
    yield "signs that nobody sees", "read as one sees it, or told", texts.characters(share(0.25), seed)
    yield (
        "files without an end, or none",
        "refused, in bounded time and memory",
        some(stores.endless(folder), share(0.03), seed),
    )
    yield (
        "files that change while they are read",
        "one of both, or refused",
        stores.changing(folder, share(0.015), seed),
    )
    yield "checkpoints, edited or older", NAMED, stores.checkpoints(folder, share(0.15), seed)
    yield (
        "bidders that write",
        "auctions by the laws, or a fault that tells the real one",
        players.writers(share(0.1), seed),
    )
    yield (
        "plug-ins that misbehave",
        "a result, or a sentence and exit code 2",
        some(players.published(), share(0.15), seed),
    )
    yield "programs that say nothing", "told within their time", some(doors.silent_programs(), share(0.005), seed)
    server = find_spec("starlette") is not None and find_spec("httpx2") is not None
    yield "requests to serve, damaged", ANSWERED, doors.serve(share(0.25), seed) if server else _NO_SERVER
    yield "requests to table, damaged", ANSWERED, doors.table(share(0.25), seed) if server else _NO_SERVER
    for command in processes.commands():
        yield f"{command.name}, killed", GOES_ON, processes.kills(command, folder, settings.kills, seed)
    served = processes.serve_kills(min(settings.kills, 1))
    yield "serve, killed and started again", "it answers again", served if server else _NO_SERVER
    yield "two writers at once", "one is told who the other is", processes.two_writers(folder, min(settings.kills, 1))
    yield (
        "signals",
        "it ends soon, with the signal's exit code; the same command goes on",
        processes.signals(folder, min(settings.kills, 1), seed),
    )
    few = bool(settings.kills)
    yield "clocks that go back", "the same result", processes.clocks(folder) if few else iter(())
    yield (
        "caches of compiled code",
        "the right result, nothing of others run or deleted",
        processes.caches(folder) if few else iter(()),
    )
    crowds = doors.silent_clients() if few else iter(())
    yield "clients that say nothing", "others are answered", crowds if server else _NO_SERVER
    full = processes.full_disks(folder, settings.kills, seed)
    yield "full disks", f"{TOLD}; with room again, the same command goes on", full if processes.LIMITS else _NO_LIMITS
    closed = processes.closed_disks(folder) if settings.kills else iter(())
    yield "places that cannot be written to", TOLD, closed
