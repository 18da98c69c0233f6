"""Run the server for other programs until Ctrl-C."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from bridge_env.bidders.registry import DEFAULT_BIDDER
from bridge_table.http.server import LOCAL, TIMEOUT, address_of, listen, make_server, needing_table
from training.runtime.speed import multiply_on_one_thread

DEFAULT_PORT = 8085  # BEN's


def serve(
    spec: str = DEFAULT_BIDDER, opponents: str | None = None, play: str = "montecarlo", host: str = LOCAL,
    port: int = DEFAULT_PORT, timeout: float = TIMEOUT, origins: Collection[str] = (), names: Collection[str] = (),
) -> None:  # fmt: skip
    """Answer other programs until Ctrl-C.

    Args:
        spec: of the bidder. opponents: spec of the other pair, None: as itself.
        timeout: seconds that bidder or player may take for an answer.
        origins: of pages of other sites that may send requests. names: further names of this machine.

    Raises:
        NoServer: the extra ``table`` is not installed, or the port is taken.
        SpecError: a spec names nothing.
    """
    with needing_table("the server"):
        # imported here because the extra ``table`` brings starlette
        from bridge_table.programs.answers import Answers
        from bridge_table.programs.app import make_app
    multiply_on_one_thread()
    answers = Answers(spec, opponents, play, timeout)
    answers.wake()
    with contextlib.closing(listen(host, port)) as listening:
        address = address_of(listening, host)
        if host != LOCAL:
            print(
                f"Listening on {host}: all who can reach this machine may use it, at its address in digits and "
                "without a key. Requests are not encrypted."
            )
        print(
            f"{spec} bids and {play} plays at {address} (/bid, /lead, /play, /explain ...).\n"
            f"Elsewhere it is the bidder seat:{address}. Ctrl-C ends it."
        )
        make_server(make_app(answers, host=host, origins=origins, names=names)).run(sockets=[listening])
