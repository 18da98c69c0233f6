"""Find where a player by a book departs from it, and the kinds of departure by which it gains most.

The player's call is compared with the book's: after either all bid on as before. Half of the boards choose the kinds,
the other half judges them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import Book, SystemGuided, departs
from agents.networks.shipped import read_networks
from agents.networks.tables import Deals, Player, branch, play_on
from agents.systems.bidder import Hierarchy, deal_features
from agents.systems.engine.compiled import RULE_LINE
from agents.systems.engine.state_cache import Queries
from agents.systems.explain.explain import symbol_text
from agents.systems.explain.statements import statement_of_hands
from agents.systems.language.text import constraint_text
from agents.systems.language.tree import Line, walk
from agents.systems.library.shipped import read_system
from bridge_env.double_dummy.boards import Boards
from bridge_env.hands.deals import hand_text
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID
from bridge_env.rules.scoring import imps
from training.evaluation.boards import library_boards, standard_error
from training.evaluation.situations import KINDS, kinds_of
from training.evaluation.truth import AGAINST
from training.league.decision_log import DecisionLog
from training.runtime.pages import render

FEWEST = 12  # departures of a kind that is reported, in each half of the boards
MOST = 20  # kinds that are reported
CARDS = "champion-strong"  # scorecards that are asked whether they depart, too
_EXACT = 3  # calls from the opening on that are written out; later auctions go by their kind
_OPENINGS = ("opening", "opening", "opening in third seat", "opening in fourth seat")


@dataclass(frozen=True, eq=False)
class Departures:
    """Hold the N calls of a player that are not its book's."""

    board: NDArray[np.int64]  # (N,)
    length: NDArray[np.int64]  # (N,), calls before
    book: NDArray[np.int8]  # (N,), the book's call
    call: NDArray[np.int8]  # (N,), the player's
    worth: NDArray[np.int64]  # (N,), IMPs of the player's over the book's on the board, everyone going on as they do
    features: NDArray[np.int16]  # (N, NUM_FEATURES), of the hand
    auctions: Auctions
    boards: Boards
    fired: Counter[int]  # decisions in which a line of the book, by number, calls
    followed: Counter[int]  # those in which the player made its call
    decisions: int  # of the player in all


def find_departures(player: SystemGuided, opponent: Player, boards: Boards, key: NDArray[np.uint64]) -> Departures:
    """Bid ``boards`` against ``opponent``, and value each departure by the board as bid on from the book's call."""
    n = len(boards)
    assert boards.tricks is not None
    deals = Deals.of(boards.owner, boards.tricks, boards.dealer, boards.vulnerability)
    side = (np.arange(n) % 2).astype(np.int64)
    seated, nobody = np.ones((n, 2), np.int8), np.full(n, -1, np.int8)
    seated[np.arange(n), side] = 0
    auctions, everyone = Auctions(deals.dealer, deals.vulnerability), np.arange(n)
    log = DecisionLog(auctions)
    play_on(auctions, deals, everyone, [player, opponent], seated, nobody, key, log.note)
    made = log.decisions()
    known = Queries.of_auctions(auctions.take(made.row), deals.features, made.row)._replace(length=made.length)
    look = player.book.look(known)
    numbers = np.where(look.rule >= 0, player.book.hierarchy.compiled.rules[look.rule, RULE_LINE], -1)
    fired, followed = Counter(numbers.tolist()), Counter(numbers[look.call == made.call].tolist())
    departed = np.flatnonzero(departs(made.guidance[np.arange(len(made.call)), made.call]))
    board, length, call, _, guidance = made.take(departed)
    book = guidance.argmax(axis=1).astype(np.int8)
    other = branch(auctions, board, length, book)
    play_on(other, deals, board, [player, opponent], seated[board], nobody[board], key[board])
    doubled = np.zeros(n, np.bool_)
    gained = deals.points(auctions, everyone, doubled)[board] - deals.points(other, board, doubled[board])
    worth = imps(np.where(side[board] == 0, gained, -gained)).astype(np.int64)
    hands = deals.features[board, (deals.dealer[board] + length) & 3]
    return Departures(board, length, book, call, worth, hands, auctions, boards, fired, followed, len(made.call))


def unused_lines(found: Departures, player: SystemGuided) -> tuple[list[Line], list[tuple[Line, int, int]]]:
    """Return lines of the tree that came up on no board, and those seldom followed, with their counts."""
    system = player.book.hierarchy.system
    never, seldom = [], []
    for line in walk(system.lines):
        fired = found.fired[line.number]
        if line.after or (line.path and line.path[-1].theirs):
            continue
        if not fired:
            never.append(line)
        elif fired >= 2 * FEWEST and found.followed[line.number] <= 0.2 * fired:
            seldom.append((line, fired, found.followed[line.number]))
    return never, sorted(seldom, key=lambda row: row[2] / row[1])


def line_text(line: Line) -> str:
    """Return ``line 512: 2S  5-10 hcp, 6+ S``."""
    return f"line {line.number}: {line.name}  {constraint_text(line.constraint)}".rstrip()


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
    """Return a page on what the judgement of ``policy:NAME`` does, on judging boards against ``AGAINST``; raise
    ``ValueError`` where it bids by no book.
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
    return book.look(queries).call == found.call


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
