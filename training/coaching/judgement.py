"""Find what judgement does: the kinds of departure from its book by which a network gains most, with their worth.

The network's call is compared with the book's: after either all bid on as before, the network's side by judgement. Half
of the boards choose the kinds, the other half judges them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import Book, SystemGuided
from agents.networks.shipped import read_networks
from agents.systems.bidder import Hierarchy, deal_features
from agents.systems.engine.state_cache import Queries
from agents.systems.explain.explain import symbol_text
from agents.systems.explain.statements import statement_of_hands
from agents.systems.library.shipped import read_system
from bridge_env.hands.deals import hand_text
from bridge_env.rng import streams
from bridge_env.rules.calls import FIRST_BID
from training.coaching.departures import FEWEST, Departures, find_departures
from training.evaluation.boards import library_boards, standard_error
from training.evaluation.situations import KINDS, kinds_of
from training.evaluation.system_consistency import AGAINST
from training.runtime.pages import render

MOST = 20  # kinds that are reported
CARDS = "champion-strong"  # scorecards that are asked whether they depart, too
_EXACT = 3  # calls from the opening on that are written out; later auctions go by their kind
_OPENINGS = ("opening", "opening", "opening in third seat", "opening in fourth seat")


@dataclass(frozen=True)
class Kind:
    """A kind of departure."""

    after: str  # the auction
    book: str  # the book's call
    made: str  # the network's
    count: int  # times, on the boards that judge
    worth: float  # IMPs each time
    error: float
    hands: str  # what nine in ten of its hands hold
    examples: tuple[str, ...]
    cards: float  # share in which scorecards make the network's call


@dataclass(frozen=True)
class Judgement:
    """What judgement does, the kind that gains most first."""

    boards: int
    often: float  # departures a board
    worth: float  # IMPs of an average departure
    error: float
    kinds: tuple[Kind, ...]


def judgement_page(spec: str, boards: int, seed: int) -> str:
    """Return a page on what the judgement of ``policy:NAME`` does, on judging boards against ``AGAINST``.

    Raises:
        ValueError: the network bids by no book.
    """
    player = read_networks(spec.removeprefix("policy:")).player
    if not isinstance(player, SystemGuided):
        raise ValueError(f"{spec} bids by no book, and judgement is what leaves one: try policy:by-the-book")
    opponent = read_networks(AGAINST.removeprefix("policy:")).player
    held = library_boards(boards, seed, "judging")
    found = find_departures(player, opponent, held, streams.key("coach", seed, np.arange(len(held))))
    command = f"bridge-env book {spec} --judgement --boards {boards} --seed {seed}"
    return render("judgement.md", spec=spec, command=command, judgement=judgement_of(found, player))


def judgement_of(found: Departures, player: SystemGuided) -> Judgement:
    """Return what the departures of a player do, in kinds."""
    base = found.boards.base[found.board]
    names = np.array(["|".join(_name(found, row)) for row in range(len(found.board))])
    chooses, with_cards = (base // 4) % 2 == 0, _with_cards(found, player)
    best = sorted(_totals(names, found.worth, chooses), reverse=True)[:MOST]
    kinds = [_kind(found, np.flatnonzero((names == name) & ~chooses), name, with_cards) for _, name in best]
    return Judgement(
        len(found.boards), len(names) / len(found.boards), float(found.worth.mean()), standard_error(found.worth, base),
        tuple(sorted(kinds, key=lambda kind: -kind.worth * kind.count)),
    )  # fmt: skip


def _with_cards(found: Departures, player: SystemGuided) -> NDArray[np.bool_]:
    """Return whether the book with scorecards makes the player's call, bool (N,)."""
    system = player.book.hierarchy.system
    book = Book(Hierarchy(system.with_cards(read_system(CARDS).blocks)))
    auctions = found.auctions.take(found.board)
    features = deal_features(found.boards.owner)
    queries = Queries.of_auctions(auctions, features, found.board)._replace(length=found.length)
    made: NDArray[np.bool_] = book.look(queries).call == found.call
    return made


def _name(found: Departures, row: int) -> tuple[str, str, str]:
    """Return the auction of a departure, the book's call and the player's."""
    calls = found.auctions.history[found.board[row], : found.length[row]].tolist()
    shown = [symbol_text(c) if (len(calls) - k) % 2 == 0 else f"({symbol_text(c)})" for k, c in enumerate(calls)]
    bids = [k for k, call in enumerate(calls) if call >= FIRST_BID]
    if not bids:
        where = _OPENINGS[len(calls)]
    elif len(calls) - bids[0] <= _EXACT:
        where = " ".join(shown[bids[0] :])
    else:
        kind = int(kinds_of(np.array([calls], np.int8), np.array([len(calls)]))[0])
        where = f"{KINDS[kind]}, over {shown[bids[-1]]}"
    return where, symbol_text(int(found.book[row])), symbol_text(int(found.call[row]))


def _totals(
    names: NDArray[np.str_], worth: NDArray[np.int64], chooses: NDArray[np.bool_]
) -> Iterator[tuple[float, str]]:
    """Yield the total gain of each kind on the boards that choose, where it gains and comes up often on both halves."""
    kinds, kind = np.unique(names, return_inverse=True)
    chosen, judged = (np.bincount(kind[half], minlength=len(kinds)) for half in (chooses, ~chooses))
    totals = np.bincount(kind[chooses], weights=worth[chooses], minlength=len(kinds))
    for place in np.flatnonzero((chosen >= FEWEST) & (judged >= FEWEST) & (totals > 0)):
        yield float(totals[place]), str(kinds[place])


def _kind(found: Departures, rows: NDArray[np.int64], name: str, with_cards: NDArray[np.bool_]) -> Kind:
    """Return a kind of the departures ``rows``."""
    boards = found.boards.take(found.board[rows])
    seats = (boards.dealer + found.length[rows]) & 3
    hands = boards.owner == seats[:, None]
    worth, usual = found.worth[rows], statement_of_hands(found.features[rows]).short.removeprefix("usually ")
    after, book, made = name.split("|")
    return Kind(
        after, book, made, len(rows), float(worth.mean()), standard_error(worth, boards.base), usual,
        tuple(map(hand_text, hands[:2])), float(with_cards[rows].mean()),
    )  # fmt: skip
