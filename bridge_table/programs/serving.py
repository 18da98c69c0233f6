"""Runs the doors until Ctrl-C."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from bridge_env.bidders import DEFAULT_BIDDER
from bridge_table.http.guard import PATIENCE
from bridge_table.http.listening import LOCAL, address_of, listen, needing_table
from training.running.speed import multiply_on_one_thread

USUAL_PORT = 8085  # BEN's
LONGEST_HEAD = 16_384  # bytes of a request before its end must have come
AT_ONCE = 128  # connections; more are told to come back


def serve(
    spec: str = DEFAULT_BIDDER, opponents: str | None = None, play: str = "montecarlo", host: str = LOCAL,
    port: int = USUAL_PORT, patience: float = PATIENCE, origins: Collection[str] = (), names: Collection[str] = (),
) -> None:  # fmt: skip
    """Answer other programs until Ctrl-C.

    Args:
        spec: of the bidder; ``opponents``: of the pair against it, None: as itself.
        patience: seconds that bidder or player may take for an answer.
        origins: of pages elsewhere that may ask; names: by which this machine may be called.

    Raises:
        NoServer: the extra ``table`` is not installed, or the port is taken.
        SpecError: a spec names nothing.
    """
    with needing_table("the server"):
        from bridge_table.http.connections import server_of
        from bridge_table.programs.answers import Answers
        from bridge_table.programs.app import make_app
    multiply_on_one_thread()
    answers = Answers(spec, opponents, play, patience)
    answers.wake()
    with contextlib.closing(listen(host, port)) as listening:
        address = address_of(listening, host)
        if host != LOCAL:
            print(
                f"Listening on {host}: whoever can reach this machine can ask, at its address in digits and "
                "without a key. What is sent is not encrypted."
            )
        print(
            f"{spec} bids and {play} plays at {address} (/bid, /lead, /play, /robot.php ...).\n"
            f"Elsewhere it is the bidder seat:{address}. Ctrl-C ends it."
        )
        app = make_app(answers, host=host, port=listening.getsockname()[1], origins=origins, names=names)
        server_of(app, AT_ONCE, LONGEST_HEAD).run(sockets=[listening])
