"""Runs the server until Ctrl-C: a free port, a random token, the page in the browser."""

from __future__ import annotations

import contextlib
import secrets
import threading
import webbrowser
from pathlib import Path

from bridge_table.http.listening import LOCAL, address_of, listen, needing_table
from training.running.speed import multiply_on_one_thread

_LONGEST_HEAD = 65_536  # bytes of a request before its end must have come
_AT_ONCE = 64  # connections; more are told to come back


def serve(
    specs: tuple[str, ...], host: str, port: int | None, seed: int | None, browser: bool, patience: float,
    memory: str | None,
) -> None:  # fmt: skip
    """Serve the table until Ctrl-C.

    Args:
        specs: bidders that the page may use besides those that come with the package.
        host: where to listen.
        port: None: the usual one or the next that is free.
        seed: names the deals; None: by chance.
        browser: open the page.
        patience: seconds that a bidder or player may take for an answer.
        memory: the file that keeps finished boards; ``none``: nothing does; None: the usual one of this user.

    Raises:
        NoServer: the extra ``table`` is not installed, or the port is taken.
        MemoryFault: the file that keeps boards cannot be used.
    """
    with needing_table("the table"):
        from bridge_table.app import make_app
        from bridge_table.board.seating import checked
        from bridge_table.http.connections import server_of
        from bridge_table.http.thinking import alone
        from bridge_table.learning.memory import NONE, Memory, usual_file
        from bridge_table.session import Limits
    for spec in specs:
        checked(spec, specs)
    multiply_on_one_thread()
    path = None if memory == NONE else Path(memory) if memory else usual_file()
    with contextlib.closing(listen(host, port)) as listening, contextlib.closing(Memory(path)) as kept:
        token = secrets.token_urlsafe(18)
        app = make_app(
            token, seed=secrets.randbits(48) if seed is None else seed, named=specs, host=host,
            port=listening.getsockname()[1], limits=Limits(patience=patience), memory=kept,
        )  # fmt: skip
        address = f"{address_of(listening, host)}/{token}/"
        if host != LOCAL:
            print(
                f"Listening on {host}: whoever can reach this machine and knows the address below can use the table; "
                "there, put this machine's name in digits in its place. What is sent is not encrypted."
            )
        keeping = "nothing is kept" if path is None else f"finished boards are kept in {path}"
        print(f"The table is at {address}\nCtrl-C ends it; {keeping}.")
        threading.Thread(target=alone, args=(_wake,), daemon=True).start()
        if browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server = server_of(app, _AT_ONCE, _LONGEST_HEAD)
        if app.keys is not None:
            app.keys.ending = lambda: server.should_exit  # else open streams would keep it from ending
        server.run(sockets=[listening])


def _wake() -> None:
    """Load what the first board needs, so that its first call comes at once."""
    from agents.meanings import reader
    from bridge_env.bidders import make
    from bridge_table.board.dealing import random_deal
    from bridge_table.board.table import BIDDING, Setup, Table

    spec = "policy:champion"
    deal = random_deal(0, 1)
    table = Table("", Setup((), spec, spec, spec), deal)
    while table.phase == BIDDING:
        table.step(len(table.calls))
    reader(spec, "system:champion").seats([], 0, 0)
    make(f"reason:{spec}")  # what its hints think with
