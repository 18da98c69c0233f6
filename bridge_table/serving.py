"""Run the browser's table until Ctrl-C: a free port, a random key, the page in the browser."""

from __future__ import annotations

import contextlib
import secrets
import threading
import webbrowser
from pathlib import Path

from bridge_table.http.server import LOCAL, address_of, listen, make_server, needing_table
from training.runtime.speed import multiply_on_one_thread


def serve(
    specs: tuple[str, ...], host: str, port: int | None, seed: int | None, browser: bool, timeout: float,
    memory: str | None,
) -> None:  # fmt: skip
    """Serve the table until Ctrl-C.

    Args:
        specs: bidders that the page may use besides those of the package.
        host: where to listen.
        port: None: the default one or the next that is free.
        seed: of the deals; None: random.
        browser: open the page.
        timeout: seconds that a bidder or player may take for an answer.
        memory: the file of finished boards; ``none``: nothing is saved; None: the default file of this user.

    Raises:
        NoServer: the extra ``table`` is not installed, or the port is taken.
        DatabaseError: the file of finished boards cannot be used.
    """
    with needing_table("the table"):
        # imported here because the extra ``table`` brings starlette and msgspec
        from bridge_table.app import make_app
        from bridge_table.board.seating import check_spec
        from bridge_table.learning.database import NONE, Database, default_file
    for spec in specs:
        check_spec(spec, specs)
    multiply_on_one_thread()
    path = None if memory == NONE else Path(memory) if memory else default_file()
    with contextlib.closing(listen(host, port)) as listening, contextlib.closing(Database(path)) as database:
        key = secrets.token_urlsafe(18)
        seed = secrets.randbits(48) if seed is None else seed
        app = make_app(key, seed=seed, named=specs, host=host, timeout=timeout, database=database)
        address = f"{address_of(listening, host)}/{key}/"
        if host != LOCAL:
            print(
                f"Listening on {host}: all who can reach this machine and know the address below can use the table; "
                "there, put this machine's name in digits in its place. Requests are not encrypted."
            )
        saving = "nothing is kept" if path is None else f"finished boards are kept in {path}"
        print(f"The table is at {address}\nCtrl-C ends it; {saving}.")
        threading.Thread(target=app.state.worker.run, args=(_wake,), daemon=True).start()
        if browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server = make_server(app)
        app.state.guests.is_ending = lambda: server.should_exit  # else open streams would keep it from ending
        server.run(sockets=[listening])


def _wake() -> None:
    """Load what the first board needs, so that its first call comes at once."""
    # imported here, in a thread, because that takes seconds
    from agents.meanings import reader
    from bridge_env.bidders.registry import make
    from bridge_table.board.dealing import random_deal
    from bridge_table.board.table import BIDDING, Setup, Table

    spec = "policy:champion"
    table = Table("", Setup((), spec, spec, spec), random_deal(0, 1))
    while table.phase == BIDDING:
        table.step(len(table.calls))
    reader(spec, "system:champion").seats([], 0, 0)
    make(f"reason:{spec}")  # bids its hints
