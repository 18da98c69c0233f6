"""Commands that are killed, that meet each other, and that find a disk full or closed to them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tests.reliability.tally import Case, Wrong

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

LIMITS = resource is not None  # can a process be given a full disk here?
_MAIN = "import sys; from training.cli.entry import main; sys.exit(main())"
_LIMIT = 900.0  # seconds for a command
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Command:
    """A command that keeps what it has done.

    Attributes:
        name: of the row.
        words: begins it; ``{}`` stands for the folder of the trial.
        again: goes on with it; empty: the same words.
        result: gives what it has come to, from the folder, to compare with that of a run without a kill.
        heavy: does it take so long that it is killed once, not twice, on its way?
    """

    name: str
    words: tuple[str, ...]
    result: Callable[[Path], object]
    again: tuple[str, ...] = ()
    heavy: bool = False


def _match_rows(folder: Path) -> object:
    rows = json.loads((folder / "match.json").read_text("utf-8"))["play"]["rows"]
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in rows]


def _panel_lines(folder: Path) -> object:
    return sorted(map(str, json.loads((folder / "out" / "panel.json").read_text("utf-8")).values()))


def _library_bytes(folder: Path) -> object:
    from bridge_env.double_dummy.library import Library

    return Library.open(folder / "solved.bdl").records.tobytes()


def _generations(folder: Path) -> object:
    from training.evolve.generations import load

    _, state = load(folder / "evolve" / "run")
    return state.as_json()["population"]


def _policy(folder: Path) -> object:
    return (folder / "league" / "run" / "policy.npz").read_bytes()


MATCH = Command(
    "match --keep --play",
    ("match", "doubler", "random", "--boards", "4", "--play", "rule", "--play-b", "montecarlo?deals=2",
     "--keep", "{}/kept.jsonl", "--json", "{}/match.json"),
    _match_rows,
)  # fmt: skip
PANEL = Command(
    "panel --out",
    ("panel", "random", "--against", "pass", "doubler", "system:preempts", "system:sayc", "--boards", "2000",
     "--out", "{}/out"),
    _panel_lines,
)  # fmt: skip
SOLVE = Command(
    "solve --out",
    ("solve", "--n", "3", "--seed", "1", "--verify", "1", "--out", "{}/solved.bdl", "--workers", "1"),
    _library_bytes,
)
EVOLVE = Command(
    "evolve",
    ("evolve", "--out", "{}", "--name", "run", "--generations", "2", "--boards", "60", "--study", "60", "--confirm",
     "60", "--partnerships", "1", "--operators", "evolution", "--proposals", "4", "--start", "silent", "--control",
     "silent", "--league", "", "--gatekeepers", "", "--judge", "40", "--workers", "1"),
    _generations, ("evolve", "--resume", "{}/evolve/run", "--workers", "1"), heavy=True,
)  # fmt: skip
LEAGUE = Command(
    "train league",
    ("train", "league", "--out", "{}", "--name", "run", "--start", "nothing", "--lessons", "2", "--silent", "2",
     "--iterations", "12", "--boards", "64", "--evaluate", "3", "--judged", "50", "--panel", "", "--remember", "4",
     "--layers", "24,16", "--critic", "16", "--estimated", "0", "--judge", "20", "--workers", "1"),
    _policy, ("train", "league", "--resume", "{}/league/run", "--workers", "1", "--judge", "20"), heavy=True,
)  # fmt: skip


def commands() -> list[Command]:
    """Those that can be run here."""
    found = [MATCH, PANEL, SOLVE]
    if find_spec("ray") is not None:
        found.append(EVOLVE)
        if find_spec("torch") is not None:
            found.append(LEAGUE)
    return found


def start(
    words: tuple[str, ...], folder: Path, quiet: bool = False, before: str = "", **options: object
) -> subprocess.Popen[str]:
    """Start a command of ``bridge-env`` in a session of its own, so that all of it can be ended.

    Args:
        words: of the command; ``{}`` in them stands for ``folder``.
        quiet: nobody reads what it says.
        before: Python that the process runs first.
        options: of ``Popen``.
    """
    end = subprocess.DEVNULL if quiet else subprocess.PIPE
    filled = [word.replace("{}", str(folder)) for word in words]
    paths = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH", "")]))
    started: subprocess.Popen[str] = subprocess.Popen(
        [sys.executable, "-c", f"{before}\n{_MAIN}", *filled], env=os.environ | {"PYTHONPATH": paths}, text=True,
        stdout=end, stderr=end, start_new_session=True, **options,  # type: ignore[call-overload]
    )  # fmt: skip
    return started


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a command; its exit code and what it said.

    Raises:
        Wrong: it does not end, or shows the inside of the program.
    """
    try:
        out, err = process.communicate(timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        kill(process)
        raise Wrong(f"it did not end within {_LIMIT:.0f} seconds") from None
    if "Traceback (most recent call last)" in err:
        raise Wrong(f"a traceback: {err.strip().splitlines()[-1]}")
    return process.returncode, out + err


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL to the command alone; what it has started has to notice by itself. Its pipes are closed."""
    process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _whole(command: Command, folder: Path) -> object:
    """What the command comes to without a kill, and how long it takes."""
    folder.mkdir()
    code, said = finish(start(command.words, folder))
    if code:
        raise Wrong(f"without any kill it ended with {code}: {said.strip()[-300:]}")
    return command.result(folder)


def kills(command: Command, folder: Path, count: int, seed: int) -> Iterator[Case]:
    """SIGKILL at any moment, some times; then the command goes on, and comes to the same."""
    rng, known = np.random.default_rng([seed, 9]), dict[str, Any]()

    def expected() -> object:
        if not known:
            began = time.monotonic()
            known["result"] = _whole(command, folder / f"{_slug(command)}-whole")
            known["seconds"] = time.monotonic() - began
        return known["result"]

    for number in range(count):
        place = folder / f"{_slug(command)}-{number}"
        shares = rng.uniform(0.05, 0.9, 1 if command.heavy else 2).tolist()
        name = f"kill {number} of seed {seed} after {', '.join(f'{share:.0%}' for share in shares)} of its time"
        yield name, partial(_killed, command, place, shares, expected, known)


def _slug(command: Command) -> str:
    return re.sub(r"\W+", "-", command.name)


def _killed(
    command: Command, folder: Path, shares: list[float], expected: Callable[[], object], known: dict[str, object]
) -> bool:
    whole = expected()
    folder.mkdir()
    words = command.words
    for share in shares:
        process = start(words, folder)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(share * float(known["seconds"]))  # type: ignore[arg-type]
        kill(process)
        if command.again and any(folder.glob("*/run/checkpoint.*")):
            words = command.again
        elif command.again:  # nothing to go on with yet: its folder is left, and the name is taken
            for path in sorted(folder.rglob("*"), reverse=True):
                path.unlink() if path.is_file() or path.is_symlink() else path.rmdir()
            words = command.words
    code, said = finish(start(words, folder))
    if code:
        raise Wrong(f"it ends with {code}: {said.strip()[-300:]}")
    if command.result(folder) != whole:
        raise Wrong("it comes to something else than without a kill")
    return True


_SIGNALS = {
    number: 128 + number for number in (signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM))
}


def signals(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """SIGTERM, Ctrl-C and the end of a terminal, at any moment: it ends soon, alone, and the same command goes on."""
    rng, known = np.random.default_rng([seed, 15]), dict[str, Any]()
    for number in range(count):
        for command, how in (
            (MATCH, signal.SIGINT),
            *((MATCH, how) for how in _SIGNALS),
            (SOLVE, max(_SIGNALS, key=int)),
            (SOLVE, min(_SIGNALS, key=int)),
        ):
            place = folder / f"signal-{number}-{_slug(command)}-{how.name}-{len(known)}"
            share = float(rng.uniform(0.05, 0.9))
            yield (
                f"{command.name}, {how.name} after {share:.0%}, {number}",
                partial(_ended, command, place, how, share, known),
            )


def _ended(command: Command, folder: Path, how: signal.Signals, share: float, known: dict[str, Any]) -> bool:
    if command.name not in known:
        began = time.monotonic()
        known[command.name] = _whole(command, folder.with_name(f"{_slug(command)}-unsignalled"))
        known[f"{command.name} seconds"] = time.monotonic() - began
    folder.mkdir(exist_ok=True)
    process = start(command.words, folder)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(share * known[f"{command.name} seconds"])
    process.send_signal(how)
    began = time.monotonic()
    code, said = finish(process)
    if code not in (0, _SIGNALS[how]) and not (code == -how and not said):  # before Python was up
        raise Wrong(f"it ends with {code}, not {_SIGNALS[how]}: {said.strip()[-300:]}")
    if time.monotonic() - began > 120:
        raise Wrong(f"it ended {time.monotonic() - began:.0f} seconds after the signal")
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 0)
        time.sleep(5)
        os.killpg(process.pid, signal.SIGKILL)
        raise Wrong("something of it goes on by itself")
    again, told = finish(start(command.words, folder))
    if again or command.result(folder) != known[command.name]:
        raise Wrong(f"then it ends with {again}, or comes to something else: {told.strip()[-300:]}")
    return code == 0


_BACKWARDS = "import time; real = time.time; time.time = lambda: 4e9 - 1000 * real()"


def clocks(folder: Path) -> Iterator[Case]:
    """A clock that goes back, a thousand times as fast as time goes on: the result is the same."""
    for command in (MATCH, PANEL, SOLVE):
        yield f"{command.name} by a clock that goes back", partial(_by_clock, command, folder)


def _by_clock(command: Command, folder: Path) -> bool:
    whole = _whole(command, folder / f"{_slug(command)}-forward")
    place = folder / f"{_slug(command)}-backward"
    place.mkdir()
    code, said = finish(start(command.words, place, before=_BACKWARDS))
    if code:
        raise Wrong(f"it ends with {code}: {said.strip()[-300:]}")
    if command.result(place) != whole:
        raise Wrong("it comes to something else than by a clock that goes on")
    return True


def two_writers(folder: Path, count: int) -> Iterator[Case]:
    """The same command twice at once: one does it, the other is told, or both come to the same one after the other."""
    for number in range(count):
        for command in (MATCH, PANEL, SOLVE, *(each for each in commands() if each is EVOLVE)):
            yield f"{command.name}, twice at once, {number}", partial(_twice, command, folder / f"two-{number}")


def _twice(command: Command, folder: Path) -> bool:
    place = folder / _slug(command)
    place.mkdir(parents=True)
    (place / "out").mkdir()
    both = [start(command.words, place) for _ in range(2)]
    ended = [finish(process) for process in both]
    codes = sorted(code for code, _ in ended)
    if codes not in ([0, 0], [0, 2]):
        raise Wrong(f"they end with {codes}: {ended[0][1].strip()[-200:]} / {ended[1][1].strip()[-200:]}")
    if codes == [0, 2] and not any(
        code == 2 and ("in use by" in said or "exists already" in said) for code, said in ended
    ):
        raise Wrong(f"the second is not told why: {[said.strip()[-200:] for code, said in ended if code]}")
    command.result(place)
    return codes == [0, 0]


def full_disks(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """No file may grow beyond some bytes; then it may: the command tells it, and goes on later."""
    rng = np.random.default_rng([seed, 10])
    for number in range(count):
        for command in (MATCH, PANEL, SOLVE):
            room = int(rng.integers(1, 3000))
            name = f"{command.name} with room for {room} bytes"
            yield name, partial(_full, command, folder / f"full-{number}", room)


def _full(command: Command, folder: Path, room: int) -> bool:
    place = folder / _slug(command)
    place.mkdir(parents=True)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))
    kept = "import sys; sys.dont_write_bytecode = True"  # Python would keep modules that the full disk cuts off
    code, said = finish(start(command.words, place, before=kept, preexec_fn=limit))
    if code not in (0, 2):
        raise Wrong(f"it ends with {code}: {said.strip()[-300:]}")
    if code == 2 and "too large" not in said.lower() and "no space" not in said.lower():
        raise Wrong(f"it does not say why: {said.strip()[-300:]}")
    again, told = finish(start(command.words, place))
    if again:
        raise Wrong(f"with room again it ends with {again}: {told.strip()[-300:]}")
    command.result(place)
    return code == 0


def closed_disks(folder: Path) -> Iterator[Case]:
    """Places that nobody can write to, not even root."""
    for command in commands():
        for place in ("/proc/1", "/sys/kernel", "/dev/null/x", str(folder / "a file")):
            yield f"{command.name} to {place}", partial(_closed, command, Path(place), folder)


def _closed(command: Command, place: Path, folder: Path) -> bool:
    (folder / "a file").write_text("")
    code, said = finish(start(command.words, place))
    if code != 2:
        raise Wrong(f"it ends with {code}: {said.strip()[-300:]}")
    if "bridge-env: error: " not in said and "error: " not in said:
        raise Wrong(f"it does not say why: {said.strip()[-300:]}")
    return False


def serve_kills(count: int) -> Iterator[Case]:
    """A server that is killed and started again at the same port answers again."""
    for number in range(count):
        yield f"serve, killed and started again, {number}", _served


def _served() -> bool:
    port = 0
    for _ in range(2):
        process = start(("serve", "pass", "--play", "rule", "--port", str(port)), Path("."))
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found is None:
                raise Wrong(f"it says no address: {line!r}")
            port = int(found[1])
            query = "hand=AK97543.K.T3.AK7&seat=S&dealer=N&vul=&ctx=----"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/bid?{query}", timeout=60) as answer:
                if json.load(answer)["bid"] != "PASS" and answer.status != 200:
                    raise Wrong("another answer than usual")
        finally:
            process.send_signal(signal.SIGKILL)
            kill(process)
    return True


# --- the cache of compiled code -----------------------------------------------------------------------------------

_KERNEL = """
from bridge_env.kernels import njit, FOLDER
from constants import FACTOR

@njit
def times(x):
    return x * FACTOR{change}
"""
_USE = "import kernel_of_a_study as k; print(k.times(21), sum(k.times.stats.cache_hits.values()), k.FOLDER)"


def caches(folder: Path) -> Iterator[Case]:
    """Caches that are read-only, foreign, stale, moved, damaged, or shared with other things and versions."""
    for number, (name, spoil) in enumerate(_SPOILT.items()):
        yield f"a cache that is {name}", partial(_cached, folder / f"cache-{number}", spoil)


def _used(
    place: Path, factor: int = 2, change: str = "", cache: str = "cache", before: str = ""
) -> tuple[int, bool, Path]:
    """What a process makes of a kernel, whether it found it compiled, and where."""
    (place / "constants.py").write_text(f"FACTOR = {factor}\n")
    (place / "kernel_of_a_study.py").write_text(_KERNEL.replace("{change}", change))
    here = place / "here"
    here.mkdir(exist_ok=True)
    words = {"PATH": "", "PYTHONPATH": f"{_ROOT}{os.pathsep}{place}", "NUMBA_CACHE_DIR": str(place / cache)}
    words |= {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(place)}
    done = subprocess.run(
        [sys.executable, "-c", before + _USE],
        cwd=here,
        env=words,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    if done.returncode or "Traceback" in done.stderr:
        raise Wrong(f"it ends with {done.returncode}: {done.stderr.strip()[-300:]}")
    if list(here.iterdir()):
        raise Wrong("something is written to the current folder")
    made, hits, where = done.stdout.split(maxsplit=2)
    return int(made), hits != "0", Path(where.strip())


def _cached(place: Path, spoil: Callable[[Path, Path], tuple[tuple[int, bool], tuple[int, bool]]]) -> bool:
    place.mkdir()
    made, _, folder = _used(place)
    if made != 42:
        raise Wrong(f"{made} for 42")
    found, expected = spoil(place, folder)
    if found != expected:
        raise Wrong(f"(result, found compiled) is {found}, not {expected}")
    return True


Told = tuple[tuple[int, bool], tuple[int, bool]]


def _read_only(place: Path, folder: Path) -> Told:
    no = "import tempfile\ndef no(*a, **k): raise PermissionError(13, 'read-only')\ntempfile.TemporaryFile = no\n"
    return _used(place, before=no)[:2], (42, True)


def _foreign(place: Path, folder: Path) -> Told:
    if os.getuid():
        folder.chmod(0o777)
    else:
        os.chown(folder, 12345, 12345)
    made, hit, where = _used(place)
    if where == folder:
        raise Wrong("what another can have laid there is run")
    return (made, hit), (42, False)


def _stale(place: Path, folder: Path) -> Told:
    return _used(place, change=" + 1")[:2], (43, False)


def _stale_constant(place: Path, folder: Path) -> Told:
    return _used(place, factor=3)[:2], (63, False)


def _moved(place: Path, folder: Path) -> Told:
    (place / "cache").rename(place / "moved")
    return _used(place, cache="moved")[:2], (42, True)


def _damaged(place: Path, folder: Path) -> Told:
    for path in folder.rglob("*.nb?"):
        path.write_bytes(path.read_bytes()[:-7])
    return _used(place)[:2], (42, False)


def _shared(place: Path, folder: Path) -> Told:
    others = [folder.with_name(f"kernels-{n:016x}") for n in range(9)]
    for other in others:
        other.mkdir()
        (other / "weights").write_text("of somebody's own")
    found = _used(place)[:2]
    if not all((other / "weights").exists() for other in others):
        raise Wrong("what this project did not make is deleted")
    return found, (42, True)


def _of_versions(place: Path, folder: Path) -> Told:
    first = [_used(place, factor=factor)[0] for factor in (3, 2)]
    if first != [63, 42]:
        raise Wrong(f"{first} for 63 and 42")
    return _used(place, factor=3)[:2], (63, True)


_SPOILT: dict[str, Callable[[Path, Path], Told]] = {
    "read-only": _read_only, "another's": _foreign, "stale": _stale, "stale by a constant": _stale_constant,
    "moved": _moved, "damaged": _damaged, "shared with other things": _shared, "of several versions": _of_versions,
}  # fmt: skip
