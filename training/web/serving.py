"""Runs the server until Ctrl-C: a free port, a random token, the page in the browser."""

from __future__ import annotations

import contextlib
import secrets
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bridge_env.extras import how_to_install
from training.http.guard import PATIENCE
from training.http.listening import LOCAL, NoServer, listen
from training.running.speed import multiply_on_one_thread

_LONGEST_HEAD = 65_536  # bytes of a request before its end must have come
_AT_ONCE = 64  # connections; more are told to come back


@dataclass(frozen=True)
class Options:
    """What ``bridge-env table`` was asked for.

    Attributes:
        specs: bidders that the page may use besides those that come with the package.
        host: where to listen.
        port: None: the usual one or the next that is free.
        seed: names the deals; None: by chance.
        browser: open the page.
        patience: seconds that a bidder or player may take for an answer.
        memory: the file that keeps finished boards; ``none``: nothing does; None: the usual one of this user.
    """

    specs: tuple[str, ...] = ()
    host: str = LOCAL
    port: int | None = None
    seed: int | None = None
    browser: bool = True
    patience: float = PATIENCE
    memory: str | None = None


def serve(options: Options, say: Callable[[str], object] = print) -> None:
    """Serve the table until Ctrl-C.

    Raises:
        NoServer: the extra ``table`` is not installed, or the port is taken.
        MemoryFault: the file that keeps boards cannot be used.
    """
    try:
        from bridge_env.double_dummy.positions import without_dds
        from training.http.connections import server_of
        from training.http.thinking import alone
        from training.web.app import make_app
        from training.web.memory import NONE, Memory, usual_file
        from training.web.seating import checked
        from training.web.session import Limits
    except ImportError as error:
        raise NoServer(
            f"the table needs {error.name}, which is missing; install with: {how_to_install('table')}"
        ) from None
    for spec in options.specs:
        checked(spec, options.specs)
    without_dds()
    multiply_on_one_thread()
    path = None if options.memory == NONE else Path(options.memory) if options.memory else usual_file()
    listening = listen(options.host, options.port)
    with contextlib.closing(listening), contextlib.closing(Memory(path)) as memory:
        port = int(listening.getsockname()[1])
        token = secrets.token_urlsafe(18)
        seed = secrets.randbits(48) if options.seed is None else options.seed
        limits = Limits(patience=options.patience)
        app = make_app(
            token, seed=seed, named=options.specs, host=options.host, port=port, limits=limits, memory=memory
        )
        shown = LOCAL if options.host in ("0.0.0.0", "::") else options.host
        named = f"[{shown}]" if ":" in shown else shown
        address = f"http://{named}:{port}/{token}/"
        if options.host != LOCAL:
            say(
                f"Listening on {options.host}: whoever can reach this machine and knows the address below can use the "
                "table; there, put this machine's name in digits in its place. What is sent is not encrypted."
            )
        kept = "nothing is kept" if path is None else f"finished boards are kept in {path}"
        say(f"The table is at {address}\nCtrl-C ends it; {kept}.")
        threading.Thread(target=alone, args=(_wake,), daemon=True).start()
        if options.browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server = server_of(app, _AT_ONCE, _LONGEST_HEAD)
        if app.keys is not None:
            app.keys.ending = lambda: server.should_exit  # else open streams would keep it from ending
        server.run(sockets=[listening])


def _wake() -> None:
    """Load what the first board needs, so that its first call comes at once."""
    from agents.meanings import reader
    from bridge_env.bidders import make
    from training.web.dealing import random_deal
    from training.web.table import BIDDING, Setup, Table

    spec = "policy:champion"
    deal = random_deal(0, 1)
    table = Table("", Setup((), spec, spec, spec), deal)
    while table.phase == BIDDING:
        table.step(len(table.calls))
    reader(spec, "system:champion").seats([], 0, 0)
    make(f"reason:{spec}")  # what its hints think with
