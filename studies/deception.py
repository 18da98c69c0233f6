"""Solve problems of card play by a plain player and a deceptive one: boards that are played up to a decision.

A problem is a board of a PBN file with a contract and the beginning of a [Play]; whoever plays next decides. Optional
tags: [Event] the title, [Idea] a sentence, [PlainCard] and [DeceptiveCard] the cards expected of the two players.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deals import AUCTION
from agents.cardplay.deception.deceptive import Deceptive
from agents.cardplay.montecarlo import MonteCarlo
from agents.cardplay.play_out import play_out
from agents.cardplay.registry import make_player
from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.records.board import Board
from bridge_env.records.read import read_records
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, Contracts, one_auction
from bridge_env.rules.calls import Contract
from bridge_env.rules.cards import CARD_NUMBERS, SEATS, card_text
from bridge_env.rules.play import Plays
from studies.tables import Found, run_study
from training.runtime.pages import table

PROBLEMS = Path(__file__).with_suffix(".pbn")
PLAIN = "montecarlo?lead=solved"
DECEPTIVE = "deceptive?when=always&depth=3&solves=1000000&sure=0&risk=1000"
_SEARCHES = 3  # times that the opponent imagines deals in the true one


def compare(
    *, problems: Path = PROBLEMS, plain: str = PLAIN, deceptive: str = DECEPTIVE, bidder: str = "system:sayc",
    seeds: int = 5, seed: int = 1, out: Path = Path("results/play"),
) -> Found:  # fmt: skip
    """Compare the card of montecarlo with the card of deceptive on problems of card play.

    Args:
        problems: PBN file of the problems
        plain: a montecarlo player
        deceptive: a deceptive player
        bidder: system by which all calls are read
        seeds: how often a board is played out
        seed: random seed
        out: folder for the results
    """
    solved = solve_problems(read_problems(problems), plain, deceptive, bidder, seed=seed, seeds=seeds)
    lines = summary(solved)
    print("\n".join(lines))
    return out, {"Problems": lines}, {"problems": [as_row(one) for one in solved]}


@dataclass(frozen=True, eq=False)
class Problem:
    """Hold a board up to a decision."""

    board: Board
    contract: Contract  # not passed out
    plays: Plays  # one row, up to the decision
    auctions: Auctions | None  # one row; None where the file has no complete auction
    plain: int  # the card expected of the plain player; -1 where the file has none
    deceptive: int  # the card expected of the deceptive player; -1 where the file has none

    @property
    def title(self) -> str:
        """Return the title, or the number of the board."""
        return self.board.tags.get("Event") or f"Board {self.board.number or '?'}"

    @property
    def declares(self) -> bool:
        """Return whether declarer's side decides."""
        return (int(self.plays.turn[0]) ^ self.contract.declarer) & 1 == 0

    def view(self) -> PlayView:
        """Return the view of the player to decide: one row."""
        return play_view(self.plays, self.contracts(1), self.board.vulnerability, self.auctions)

    def contracts(self, count: int) -> Contracts:
        """Return the contract ``count`` times."""
        fields = (self.contract.bid, self.contract.doubling, self.contract.declarer)
        return Contracts(*(np.full(count, n, np.int8) for n in fields))

    def declarers(self, tricks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return declarer's tricks at the end if the deciding side takes ``tricks`` from here on."""
        left = 13 - int(self.plays.length[0]) // 4
        return int(self.plays.won[0]) + (tricks if self.declares else left - tricks)

    def reached(self, declarers: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether declarer's tricks reach the deciding side's goal, to make or to beat the contract."""
        made: NDArray[np.bool_] = declarers >= self.contract.level + 6
        return made if self.declares else ~made


def read_problems(path: str | Path) -> list[Problem]:
    """Return all problems of a PBN file.

    Raises:
        ValueError: a board poses no problem; the message has its line and the fault.
    """
    read = read_records(path)
    if read.problems:
        raise ValueError(f"{read.problems[0]}")
    found = []
    for board in read.boards:
        try:
            found.append(_problem(board))
        except ValueError as error:
            raise ValueError(f"{path}:{board.line}: {error}") from None
    return found


def _problem(board: Board) -> Problem:
    contract = board.contract
    if contract is None or contract.passed_out:
        raise ValueError("a problem needs a [Contract] and its [Declarer]")
    if not board.play:
        raise ValueError("a problem needs a [Play] up to the decision, with at least the opening lead")
    plays = Plays.replay(board.owner, contract.declarer, contract.strain, [board.play])
    cards = [CARD_NUMBERS.get(board.tags.get(name, "").upper(), -1) for name in ("PlainCard", "DeceptiveCard")]
    auction = one_auction(board.auction or (), board.dealer, board.vulnerability)
    return Problem(board, contract, plays, auction if auction.done[0] else None, *cards)


@dataclass(frozen=True, eq=False)
class CardResult:
    """Hold the result of one card in the true deal; all tricks are declarer's on the board."""

    card: int
    believed: NDArray[np.float64]  # (L,), against the modelled opponent, along each line that he may believe in
    share: NDArray[np.float64]  # (L,), weights of these lines, which add up to 1
    played: NDArray[np.int64]  # (K,), played out once a seed against opponents who believe the model's hypotheses
    unbelieving: NDArray[np.int64]  # (K,), played out against opponents who believe no hypothesis

    @property
    def average(self) -> float:
        """Return declarer's tricks on average against the modelled opponent."""
        return float(self.share @ self.believed)

    def reached(self, problem: Problem) -> float:
        """Return the share of the modelled opponent's beliefs under which the goal is reached."""
        return float(self.share @ problem.reached(self.believed))


@dataclass(frozen=True, eq=False)
class Solved:
    """Hold a problem with the results of the plain player's card and of the deceptive player's, maybe the same."""

    problem: Problem
    plain: CardResult
    deceptive: CardResult


def solve_problems(
    problems: Sequence[Problem], plain: str, deceptive: str, bidder: str, *, seed: int = 1, seeds: int = 5
) -> list[Solved]:
    """Return the decisions of two players on each problem, with the results of their cards; show the progress.

    Args:
        plain: spec of a ``montecarlo``, which also plays the boards to their end.
        deceptive: spec of a ``deceptive``.
        bidder: spec of a system by which all calls are read.
        seeds: how often each board is played to its end.

    Raises:
        ValueError: a spec names no such player.
    """
    reader = AuctionReader.of_sides(bidder, bidder)
    one, two = make_player(plain, reader), make_player(deceptive, reader)
    if not isinstance(one, MonteCarlo) or not isinstance(two, Deceptive):
        raise ValueError(f"problems need a montecarlo and a deceptive player, not {plain!r} and {deceptive!r}")
    return [
        _solve(problem, one, two, streams.key("problem", seed, problem.board.number or number), seeds)
        for number, problem in enumerate(tqdm(problems, unit="problem", disable=None))
    ]


def _solve(problem: Problem, plain: MonteCarlo, deceptive: Deceptive, key: NDArray[np.uint64], seeds: int) -> Solved:
    """Solve one problem; ``key`` uint64 (1,) is its random stream."""
    view = problem.view()
    chosen = plain.think(view, key)[0].card, deceptive.think(view, key)[0].card
    cards = list(dict.fromkeys(chosen))
    searches = [
        deceptive.in_deal(view, 0, stream, problem.plays.owner[0], np.array(cards))
        for stream in streams.key("in the deal", key[0], np.arange(_SEARCHES))
    ]
    naive = MonteCarlo(plain.reader, replace(plain.options, inference=AUCTION))
    results = {}
    for at, card in enumerate(cards):
        believed = problem.declarers(np.concatenate([search.taken[at] for search in searches]))
        share = np.concatenate([search.shares[at] for search in searches]) / len(searches)
        played, unbelieving = (_played(problem, card, plain, other, key, seeds) for other in (plain, naive))
        results[card] = CardResult(card, believed, share, played, unbelieving)
    return Solved(problem, *(results[card] for card in chosen))


def _played(
    problem: Problem, card: int, player: MonteCarlo, opponents: MonteCarlo, key: NDArray[np.uint64], seeds: int
) -> NDArray[np.int64]:
    """Return declarer's tricks after ``card`` with ``player`` on the deciding side: int64 (seeds,)."""
    again = np.zeros(seeds, np.int64)
    plays = problem.plays.take(again)
    plays.step(np.full(seeds, card))
    if seeds:
        vulnerability = np.full(seeds, problem.board.vulnerability, np.int16)
        auctions = problem.auctions.take(again) if problem.auctions is not None else None
        side = int(problem.plays.turn[0]) & 1
        seats = np.tile((np.arange(4) & 1) ^ side, (seeds, 1)).astype(np.int64)
        keys = streams.key("played out", key[0], np.arange(seeds))
        play_out(plays, problem.contracts(seeds), vulnerability, auctions, [player, opponents], seats, keys)
    return plays.won.astype(np.int64)


def summary(solved: Sequence[Solved]) -> list[str]:
    """Return the lines of the table of all problems, each cell for the plain card and the deceptive one.

    Modelled are declarer's tricks against an opponent who plays for the deals that he imagines after the card. From the
    card on the plain player plays out the board at all four seats, once a seed; unbelievers are opponents who infer
    nothing from the play. The goal of declarer is to make the contract, that of the defenders to beat it.
    """
    return table(
        ("problem", "contract", "to play", "plain", "deceptive", "modelled", "played out", "goal reached",
         "by unbelievers"),
        (list(_cells(one)) for one in solved), left=9,
    )  # fmt: skip


def _cells(one: Solved) -> Iterator[str]:
    problem, both = one.problem, (one.plain, one.deceptive)
    turn = int(problem.plays.turn[0])
    role = "dummy" if turn == problem.contract.declarer ^ 2 else "declarer" if problem.declares else "defender"
    yield problem.title
    yield str(problem.contract)
    yield f"{SEATS[turn]} ({role})"
    yield from (card_text(result.card) for result in both)
    yield " → ".join(f"{result.average:.1f}" for result in both)
    yield " → ".join(f"{result.played.mean():.1f}" if len(result.played) else "-" for result in both)
    for name in ("played", "unbelieving"):
        played = [getattr(result, name) for result in both]
        yield " → ".join(f"{problem.reached(tricks).sum()}/{len(tricks)}" for tricks in played)


def as_row(one: Solved) -> dict[str, object]:
    """Return a solved problem as JSON can hold it: the title, both cards, and declarer's tricks after each."""
    results = {
        name: {
            "card": card_text(result.card), "modelled": result.average, "reached": result.reached(one.problem),
            "played": result.played.tolist(), "unbelieving": result.unbelieving.tolist(),
        }
        for name, result in (("plain", one.plain), ("deceptive", one.deceptive))
    }  # fmt: skip
    return {"problem": one.problem.title, **results}


if __name__ == "__main__":
    run_study("studies.deception", compare)
