"""Run the table in the browser, or the server for other programs, until Ctrl-C."""

from __future__ import annotations

import contextlib
import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from threadpoolctl import threadpool_limits

from bridge_env.io.files import atomic_write
from bridge_env.io.optional_dependencies import missing
from bridge_table.http.server import LOCAL, NoServer, address_of, is_local, listen, make_server


def serve_table(
    specs: tuple[str, ...], host: str, port: int | None, seed: int | None, browser: bool, timeout: float,
    memory: str | None,
) -> None:  # fmt: skip
    """Serve the table as ``bridge-env table`` does, until Ctrl-C; raise ``NoServer`` where the extra ``table`` is
    missing or the port is taken, ``DatabaseError`` where the file cannot be used.
    """
    with _listening(host, port) as listening:
        # imported here because the extra ``table`` brings starlette
        from bridge_table.app import make_app
        from bridge_table.board.seating import check_spec
        from bridge_table.learning.database import NONE, Database, default_file

        for spec in specs:
            check_spec(spec, specs)
        path = None if memory == NONE else Path(memory) if memory else default_file()
        with contextlib.closing(Database(path)) as database:
            key = _bookmarked_key(path.with_suffix(".key")) if path and is_local(host) else _random_key()
            seed = secrets.randbits(48) if seed is None else seed
            app = make_app(key, seed=seed, named=specs, timeout=timeout, database=database)
            address = f"{address_of(listening, host)}/{key}/"
            if host != LOCAL:
                print(
                    f"Listening on {host}: all who can reach this machine and know the address below can use the "
                    "table. Requests are not encrypted."
                )
            saving = "nothing is saved" if path is None else f"finished boards are saved in {path}"
            print(f"The table is at {address}\nCtrl-C ends it; {saving}.")
            threading.Thread(target=app.state.worker.run, args=(_warm_up,), daemon=True).start()
            if browser:
                threading.Timer(0.5, webbrowser.open, [address]).start()
            make_server(app).run(sockets=[listening])


def _bookmarked_key(file: Path) -> str:
    """Return the key of a file, so that bookmarks last; the first one is written there."""
    found = file.read_text("ascii", "replace") if file.exists() else ""
    if re.fullmatch(r"[\w-]{24}", found, re.ASCII):
        return found
    key = _random_key()
    atomic_write(file, key, mode=0o600)
    return key


def _random_key() -> str:
    return secrets.token_urlsafe(18)


def serve_programs(spec: str, opponents: str | None, play: str, host: str, port: int, timeout: float) -> None:
    """Answer other programs as ``bridge-env serve`` does, until Ctrl-C; raise ``NoServer`` where the extra ``table`` is
    missing or the port is taken, ``SpecError`` where a spec names nothing.
    """
    with _listening(host, port) as listening:
        # imported here because the extra ``table`` brings starlette
        from bridge_table.programs.answers import Answers, make_app

        answers = Answers(spec, opponents, play)
        answers.warm_up()
        address = address_of(listening, host)
        if host != LOCAL:
            print(
                f"Listening on {host}: all who can reach this machine may use it, without a key. Requests are not "
                "encrypted."
            )
        print(
            f"{spec} bids and {play} plays at {address} (/bid, /lead, /play, /explain ...).\n"
            f"Elsewhere it is the bidder seat:{address}. Ctrl-C ends it."
        )
        make_server(make_app(answers, host=host, timeout=timeout)).run(sockets=[listening])


@contextlib.contextmanager
def _listening(host: str, port: int | None) -> Iterator[socket.socket]:
    """Enter a server's process with its listening socket; raise ``NoServer`` where the extra is missing or the port is
    taken.
    """
    if absent := missing("table", "starlette", "uvicorn"):
        raise NoServer(absent)
    threadpool_limits(1)  # threads of small products spin and wait for each other on a busy machine
    with contextlib.closing(listen(host, port)) as listening:
        yield listening


def _warm_up() -> None:
    """Load what the first board needs, so that its first call comes at once."""
    # imported here, in a thread, because that takes seconds
    from bridge_table.board.dealing import PARTNER, random_deal
    from bridge_table.board.hints import lookahead
    from bridge_table.board.table import BIDDING, Setup, Table
    from bridge_table.board.views import state

    ours, theirs = PARTNER, "policy:champion"
    table = Table("", Setup((), ours, theirs, ours), random_deal(0, 1))
    while table.phase == BIDDING:
        table.step(table.at)
    state(table, None)
    lookahead(ours, theirs)  # bids its hints
