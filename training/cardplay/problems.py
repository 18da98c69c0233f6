"""Solve problems of card play: boards that are played up to a decision.

A problem is a board of a PBN file with a contract and the beginning of a [Play]; whoever plays next decides. Tags that
tell more, all of them optional: [Event] the title, [Idea] a sentence, [PlainCard] and [DeceptiveCard] what is expected.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deals import AUCTION, believed_deals
from agents.cardplay.deception.deceptive import Deception, Deceptive, success
from agents.cardplay.deception.lookahead import opponents_views
from agents.cardplay.montecarlo import CardThought, MonteCarlo, solve_cards
from agents.cardplay.options import ALWAYS
from agents.cardplay.registry import make_player
from agents.cardplay.whole import play_out
from bridge_env import streams
from bridge_env.auction import Auctions, Contracts, one_auction
from bridge_env.calls import Contract
from bridge_env.cards import CARD_NUMBERS, card_text
from bridge_env.play import Plays
from bridge_env.play_view import PlayView, play_view
from bridge_env.records.board import Board
from bridge_env.records.play_record import play_faults, play_orders
from bridge_env.records.read import read_records
from bridge_env.render import SEAT_NAMES

IDEA, PLAIN, DECEPTIVE = "Idea", "PlainCard", "DeceptiveCard"
_SUITS = ("clubs", "diamonds", "hearts", "spades")
_IMAGINED = 40  # deals that tell which belief a card plants
_LOOKS = 3  # times that the opponent imagines deals in the true one
_TEN = 8


@dataclass(frozen=True, eq=False)
class Problem:
    """A board up to a decision."""

    board: Board  # as the file has it
    contract: Contract  # not passed out
    plays: Plays  # one row, up to the decision
    auctions: Auctions | None  # one row; None where the auction is not told to its end
    plain: int  # the card that is expected of this player; -1 where the file does not say
    deceptive: int  # the same

    @property
    def title(self) -> str:
        return self.board.tags.get("Event") or f"Board {self.board.number or '?'}"

    @property
    def idea(self) -> str:
        return self.board.tags.get(IDEA, "")

    @property
    def declares(self) -> bool:
        """Return whether declarer's side decides."""
        return (int(self.plays.turn[0]) ^ self.contract.declarer) & 1 == 0

    def view(self) -> PlayView:
        """Return the view of the player who decides: one row."""
        return play_view(self.plays, self.contracts(1), self.board.vulnerability, self.auctions)

    def contracts(self, count: int) -> Contracts:
        told = (self.contract.bid, self.contract.doubling, self.contract.declarer)
        return Contracts(*(np.full(count, n, np.int8) for n in told))

    def declarers(self, tricks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Declarer's tricks at the end, where the side that decides takes ``tricks`` from here on."""
        left = 13 - int(self.plays.length[0]) // 4
        return int(self.plays.won[0]) + (tricks if self.declares else left - tricks)

    def reached(self, declarers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Does the side that decides get what it wants with so many tricks of declarer's?"""
        made: NDArray[np.bool_] = declarers >= self.contract.level + 6
        return made if self.declares else ~made


@dataclass(frozen=True, eq=False)
class CardResult:
    """The result of one card in the true deal; all tricks are declarer's on the whole board."""

    card: int
    seen_through: int  # double dummy: where everybody sees all cards
    believed: NDArray[np.float64]  # (L,), against the modelled opponent, along each line he may believe in
    share: NDArray[np.float64]  # (L,), what each of these lines counts for; they add up to 1
    # (K,), where the board was really played to its end, once a seed, against opponents who believe the same hypotheses
    # as the model
    played: NDArray[np.int64]
    unbelieving: NDArray[np.int64]  # the same against opponents who believe none
    opponent: int  # who decides next of the others
    told: tuple[str, ...]  # what he takes from the card, in words; none where it tells nothing
    planted: tuple[str, ...]  # where he imagines the suit, in words

    @property
    def average(self) -> float:
        """Return declarer's tricks on average against the modelled opponent."""
        return float(self.share @ self.believed)

    def reached(self, problem: Problem) -> float:
        """Return the share of what the modelled opponent may believe in where the goal is reached."""
        return float(self.share @ problem.reached(self.believed))


@dataclass(frozen=True, eq=False)
class Solved:
    """A problem, and what the two players made of it."""

    problem: Problem
    plain: CardThought  # how ``montecarlo`` found its card
    plain_seconds: float  # of the processor
    deception: Deception  # how ``deceptive`` found its own
    seconds: float  # of the processor
    # the share of the deals the plain player believes in on which the best card reaches the goal double dummy:
    # ``deceptive`` leaves it at the plain card from one half on, unless told ``when=always``
    reachable: float
    unit: str  # what averages and risks are in
    results: tuple[CardResult, ...]  # of the plain card and of the deceptive one, where that is another


# --- reading ----------------------------------------------------------------------------------------------


def read_problems(path: str | Path) -> list[Problem]:
    """All problems of a PBN file.

    Raises:
        ValueError: a board that is no problem; the message has its line, and what it lacks.
    """
    read = read_records(path)
    if read.problems:
        raise ValueError(f"{read.problems[0]}")
    if not read.boards:
        raise ValueError(f"{path}: no boards")
    orders, faults = play_orders(read.boards)[0], play_faults(read.boards)
    found = []
    for board, order, fault in zip(read.boards, orders, faults, strict=True):
        try:
            found.append(_problem(board, order[order >= 0], fault))
        except ValueError as error:
            raise ValueError(f"{path}:{board.line}: {error}") from None
    return found


def _problem(board: Board, order: NDArray[np.int8], fault: str | None) -> Problem:
    contract = board.contract
    if contract is None or contract.passed_out:
        raise ValueError("a problem needs a [Contract] and its [Declarer]")
    if fault is not None:
        raise ValueError(fault)
    if not len(order):
        raise ValueError("a problem needs a [Play] up to the decision, with at least the opening lead")
    plays = Plays.replay(board.owner, contract.declarer, contract.strain, order[None])
    if plays.legal().sum() < 2:
        raise ValueError(f"after {plays.text(0)} there is nothing to decide")
    cards = [_expected(board, name, plays) for name in (PLAIN, DECEPTIVE)]
    auction = one_auction(board.auction or (), board.dealer, board.vulnerability)
    return Problem(board, contract, plays, auction if auction.done[0] else None, *cards)


def _expected(board: Board, name: str, plays: Plays) -> int:
    text = board.tags.get(name, "").upper()
    if not text:
        return -1
    card = CARD_NUMBERS.get(text, -1)
    if card < 0 or not plays.legal()[0, card]:
        raise ValueError(f"[{name}]: {text!r} is no card that can be played here")
    return card


# --- solving ----------------------------------------------------------------------------------------------


def solve_problems(
    problems: Sequence[Problem],
    plain: str,
    deceptive: str,
    bidder: str | None = None,
    *,
    seed: int = 1,
    seeds: int = 5,
    threads: int | None = None,
    progress: Callable[[int], object] = lambda solved: None,
) -> list[Solved]:
    """Let two players solve each problem, and return the results of their cards.

    Args:
        plain: the spec of a ``montecarlo``, which also plays the boards to their end.
        deceptive: the spec of a ``deceptive``.
        bidder: the spec of a system by which all calls are read; None: they tell nothing.
        seeds: how often each board is played to its end; 0: not at all.
        progress: called with 1 after each problem.

    Raises:
        ValueError: a spec that names another player, or none.
    """
    reader = AuctionReader.of_sides(bidder, bidder)
    one, two = make_player(plain, reader), make_player(deceptive, reader)
    if not isinstance(one, MonteCarlo) or not isinstance(two, Deceptive):
        raise ValueError(f"problems need a montecarlo and a deceptive player, not {plain!r} and {deceptive!r}")
    one.threads = two.threads = two.plain.threads = threads
    _warm(problems, one, two)
    solved = []
    for number, problem in enumerate(problems):
        key = streams.key("problem", seed, problem.board.number or number)
        solved.append(solve(problem, one, two, key, seeds))
        progress(1)
    return solved


def _warm(problems: Sequence[Problem], plain: MonteCarlo, deceptive: Deceptive) -> None:
    """Compile what the players need, on few deals: that is not thinking."""
    for problem in problems[:1]:
        view, key = problem.view(), streams.key("warm")
        MonteCarlo(plain.reader, replace(plain.options, deals=2), plain.threads).think(view, key)
        small = replace(deceptive.options, deals=2, real=1, imagined=1, depth=1, when=ALWAYS)
        Deceptive(deceptive.reader, small, deceptive.threads).think(view, key)


def solve(problem: Problem, plain: MonteCarlo, deceptive: Deceptive, key: NDArray[np.uint64], seeds: int) -> Solved:
    """One problem; ``key`` uint64 (1,) is the stream of all its chance."""
    view = problem.view()
    began = time.process_time()
    thought = plain.think(view, key)[0]
    then = time.process_time()
    deception = deceptive.think(view, key)[0]
    after = time.process_time()
    cards = list(dict.fromkeys([thought.card, deception.card]))
    (exact,) = solve_cards(view, np.array([0]), [problem.plays.owner], deceptive.threads)
    looks = [
        deceptive.in_deal(view, 0, look, problem.plays.owner[0], np.array(cards))
        for look in streams.key("in the deal", key[0], np.arange(_LOOKS))
    ]
    results = []
    for at, card in enumerate(cards):
        opponent, told, planted = _belief(problem, view, card, deceptive, key[0])
        seen = problem.declarers(exact[0, [card]].astype(np.float64))
        believed = problem.declarers(np.concatenate([look.taken[at] for look in looks]))
        share = np.concatenate([look.shares[at] for look in looks]) / len(looks)
        naive = MonteCarlo(plain.reader, replace(plain.options, inference=AUCTION), plain.threads)
        played, unbelieving = (_played(problem, card, plain, other, key, seeds) for other in (plain, naive))
        results.append(CardResult(card, int(seen[0]), believed, share, played, unbelieving, opponent, told, planted))
    reachable = success(view, 0, deception.plain) if deception.plain.belief is not None else float("nan")
    return Solved(
        problem, thought, then - began, deception, after - then, reachable, deceptive.options.score, tuple(results)
    )


def _played(
    problem: Problem, card: int, player: MonteCarlo, opponents: MonteCarlo, key: NDArray[np.uint64], seeds: int
) -> NDArray[np.int64]:
    """Declarer's tricks where ``player`` plays for the side that decides after ``card``; the same streams for all."""
    plays = problem.plays.take(np.zeros(seeds, np.int64))
    plays.step(np.full(seeds, card))
    vulnerability = np.full(seeds, problem.board.vulnerability, np.int16)
    auctions = problem.auctions.take(np.zeros(seeds, np.int64)) if problem.auctions is not None else None
    keys = streams.key("played out", key[0], np.arange(seeds))
    if seeds:
        side = int(problem.plays.turn[0]) & 1
        seats = np.tile((np.arange(4) & 1) ^ side, (seeds, 1)).astype(np.int64)
        play_out(plays, problem.contracts(seeds), vulnerability, auctions, [player, opponents], seats, keys)
    return plays.won.astype(np.int64)


def _belief(
    problem: Problem, view: PlayView, card: int, player: Deceptive, key: np.uint64
) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Return who decides next, what he takes from ``card``, and where he imagines what I still hold of its suit."""
    me, owner = int(view.turn[0]), problem.plays.owner
    looked, seat = opponents_views(view, 0, card, owner)
    stream = np.uint64(streams.key(key, "belief", card)[0])
    belief = believed_deals(looked, 0, player.reader, _IMAGINED, stream, player.options.inference)
    told = tuple(
        h.text.partition(": ")[2] or h.text for h in belief.kept if h.seat == me and h.text.startswith(card_text(card))
    )
    suit = np.flatnonzero(np.arange(52) // 13 == card // 13)
    mine = [int(c) for c in suit[::-1] if problem.plays.left[0, c] == me and c != card]
    if me == problem.contract.declarer ^ 2 or not mine:  # he sees dummy
        return seat, told, ()
    places = [
        f"{card_text(c)} lies elsewhere in {float(belief.weight @ (belief.owner[:, c] != me)):.0%} of what he imagines"
        for c in mine if c % 13 >= _TEN
    ]  # fmt: skip
    others = [c for c in suit if not view.played[0, c] and c != card]
    held = float(belief.weight @ (belief.owner[:, others] == me).sum(axis=1))
    places.append(f"{SEAT_NAMES[me]} has {held:.1f} {_SUITS[card // 13]} left (really {len(mine)})")
    return seat, told, tuple(places)
