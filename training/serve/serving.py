"""Runs the doors until Ctrl-C."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from bridge_env.bidders import DEFAULT_BIDDER
from bridge_env.extras import how_to_install
from training.http.guard import PATIENCE
from training.http.listening import LOCAL, NoServer, listen
from training.running.speed import multiply_on_one_thread

USUAL_PORT = 8085  # BEN's
LONGEST_HEAD = 16_384  # bytes of a request before its end must have come
AT_ONCE = 128  # connections; more are told to come back


@dataclass(frozen=True)
class Options:
    """What ``bridge-env serve`` was asked for.

    Attributes:
        spec: of the bidder; ``opponents``: of the pair against it, None: as itself.
        patience: seconds that bidder or player may take for an answer.
        origins: of pages elsewhere that may ask; names: by which this machine may be called.
    """

    spec: str = DEFAULT_BIDDER
    opponents: str | None = None
    play: str = "montecarlo"
    host: str = LOCAL
    port: int = USUAL_PORT
    patience: float = PATIENCE
    origins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def serve(options: Options, say: Callable[[str], object] = print) -> None:
    """Answer other programs until Ctrl-C.

    Raises:
        NoServer: the extra ``table`` is not installed, or the port is taken.
        SpecError: a spec names nothing.
    """
    try:
        from training.http.connections import server_of
        from training.serve.answers import Answers
        from training.serve.app import make_app
    except ImportError as error:
        raise NoServer(
            f"the server needs {error.name}, which is missing; install with: {how_to_install('table')}"
        ) from None
    multiply_on_one_thread()
    answers = Answers(options.spec, options.opponents, options.play, options.patience)
    answers.wake()
    with contextlib.closing(listen(options.host, options.port)) as listening:
        port = int(listening.getsockname()[1])
        shown = LOCAL if options.host in ("0.0.0.0", "::") else options.host
        address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
        if options.host != LOCAL:
            say(
                f"Listening on {options.host}: whoever can reach this machine can ask, at its address in digits and "
                "without a key. What is sent is not encrypted."
            )
        say(
            f"{options.spec} bids and {options.play} plays at {address} (/bid, /lead, /play, /robot.php ...).\n"
            f"Elsewhere it is the bidder seat:{address}. Ctrl-C ends it."
        )
        app = make_app(answers, host=options.host, port=port, origins=options.origins, names=options.names)
        server_of(app, AT_ONCE, LONGEST_HEAD).run(sockets=[listening])
