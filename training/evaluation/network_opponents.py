"""Tables at which a partnership that follows systems meets a stranger: a network of others' auctions.

The partnership reads the stranger's calls by the system of its own first player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from agents.networks.file import Networks
from agents.networks.shipped import GATEKEEPER, read_networks, role
from agents.networks.tables import Deals, decide, evaluate
from agents.registry import seat_specs, without_search
from agents.systems.bidder import Hierarchy
from agents.systems.engine.shared_cache import shared_cache
from agents.systems.engine.state_cache import Queries
from bridge_env.bidders.registry import SpecError
from bridge_env.io.files import FileError
from bridge_env.rules.auction import LENGTH, Auctions
from bridge_env.rules.calls import first_calls

_POLICY = "policy:"


def stranger(spec: str) -> str:
    """Return a spec; raise ``SpecError`` where it names no network, or a gatekeeper."""
    if not spec.startswith(_POLICY):
        raise SpecError(f"{spec!r} is no stranger; write policy:NAME or policy:FILE")
    refuse_gatekeepers([spec])
    read_networks(spec.removeprefix(_POLICY))  # a damaged file is an error here
    return spec


def refuse_gatekeepers(specs: Iterable[str]) -> None:
    """Raise ``SpecError`` where a spec names a gatekeeper, alone, in a pair or looking ahead: nothing may learn from
    it.
    """
    for spec in specs:
        plain = [part for part in seat_specs(without_search(spec)) if part.startswith(_POLICY)]
        if any(role_of(part.removeprefix(_POLICY)) == GATEKEEPER for part in plain):
            raise SpecError(f"{spec} is a gatekeeper: it judges what is learned, so nothing may train against it")


def role_of(argument: str) -> str:
    """Return the role of ``policy:ARGUMENT``; empty where its file has none, or cannot be read as networks."""
    try:
        return role(read_networks(argument))
    except (FileError, SpecError):
        return ""  # its user raises the error


def bid_against(
    us: tuple[Hierarchy, Hierarchy],
    them: str,
    table: int,
    deals: Deals,
    features: NDArray[np.int16],
    board: NDArray[np.int64],
    calls: NDArray[np.int8] | None = None,
    length: NDArray[np.int64] | None = None,
) -> Auctions:
    """Return complete auctions of ``us``, NS at table 0 and EW at table 1, against a stranger, on a ``board`` int64
    (N,) of each row, with ``features`` int16 (B, 4, NUM_FEATURES) of the ``deals``; from ``length`` int64 (N,)
    ``calls`` int8 (N, L) on, if there are such.
    """
    if calls is not None and length is not None:
        calls = first_calls(calls, length)
        auctions = Auctions.replay(calls, deals.dealer[board], deals.vulnerability[board])
    else:
        auctions = Auctions(deals.dealer[board], deals.vulnerability[board])
    ours, network = _caller(us, table, features), read_networks(them.removeprefix(_POLICY)).player
    while True:
        rows = np.flatnonzero(~auctions.done)
        if not rows.size:
            return auctions
        mine = (auctions.turn[rows] & 1) == table
        chosen = np.empty(len(rows), np.int8)
        chosen[mine] = ours(auctions, board, rows[mine])
        rest = rows[~mine]
        if rest.size:
            outputs, _, mask, _ = evaluate(network, auctions, deals, board, rest)
            chosen[~mine] = decide(outputs, mask, np.full(len(rest), -1.0))[1]
        auctions.step(chosen, rows)


def calls_otherwise(
    us: tuple[Hierarchy, Hierarchy],
    table: int,
    deals: Deals,
    features: NDArray[np.int16],
    board: NDArray[np.int64],
    history: NDArray[np.int8],
) -> NDArray[np.bool_]:
    """Return the boards, of ``board`` int64 (N,), on which ``us`` would make another call than in our seats of
    ``history`` int8 (N, L) at ``table``: bool (N,). A stranger hears the calls alone: other boards go as before.
    """
    made = history >= 0
    ours = made & (((deals.dealer[board, None] + np.arange(history.shape[1]) + table) & 1) == 0)
    row, number = np.nonzero(ours)
    auctions = Auctions(deals.dealer[board[row]], deals.vulnerability[board[row]])
    auctions.history[:, : history.shape[1]] = first_calls(history[row], number)
    auctions.state[:, LENGTH] = number
    chosen = _caller(us, table, features)(auctions, board[row], np.arange(len(row)))
    out = np.zeros(len(board), np.bool_)
    out[row[chosen != history[row, number]]] = True
    return out


def _caller(
    us: tuple[Hierarchy, Hierarchy], table: int, features: NDArray[np.int16]
) -> Callable[[Auctions, NDArray[np.int64], NDArray[np.int64]], NDArray[np.int8]]:
    """Return the function that calls at our seats; opponents are read by our first player's system."""
    first, second = us
    seats = (first, first, second, first) if table == 0 else (first, first, first, second)
    states, systems = shared_cache(seats)

    def call(auctions: Auctions, board: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int8]:
        return states.look(Queries.of_auctions(auctions.take(rows), features, board[rows]), systems)[0]

    return call


def start_networks(spec: str, by_book: bool = False) -> Networks:
    """Return the networks of ``policy:NAME`` or ``policy:FILE`` to begin with; raise ``SpecError`` where it is none, a
    gatekeeper, or bids by a book and not ``by_book``.
    """
    head, _, argument = spec.partition(":")
    if head != "policy":
        raise SpecError(f"{spec!r}: write policy:NAME or policy:FILE")
    refuse_gatekeepers([spec])
    networks = read_networks(argument)
    if networks.book is not None and not by_book:
        raise SpecError(f"{spec} bids by a book; only 'bridge-env train league --book' goes on from it")
    return networks
