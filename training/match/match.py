"""Duplicate matches: teams of four, every board bid twice with the pairs swapped, all boards at once.

At the first table A sits North-South, at the second East-West; B takes the other seats. The result is A's:
IMPs for the difference of the two North-South scores at double-dummy tricks. Systems are disclosed: a
bidder that reads calls is told its partner's and its opponents' specs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import HierarchyBidder, deal_features
from agents.hierarchy.bidder import bid_out as hierarchies_bid_out
from agents.reasoning.doubting import Doubter
from agents.registry import PairBidder
from bridge_env import streams
from bridge_env.auction import Auctions, Contracts
from bridge_env.bidders import implements, make, player_at
from bridge_env.boards import Boards
from bridge_env.calls import as_wide, call_text
from bridge_env.cards import SEATS, VULNERABILITIES, deal_text
from bridge_env.faults import BidderFault
from bridge_env.protocols import Bidder, SlowBidder
from bridge_env.scoring import imps, score
from training.match.boards import known, library_boards, pbn_boards, standard_error
from training.match.deaths import Surviving
from training.match.faults import STRICT, Allowance, Round
from training.match.kept import KeptAuctions
from training.match.strangers import quicken

SCORINGS = ("imps", "mp", "points")
CHUNK = 4096  # boards bid at a time
SOLVING_CHUNK = 200  # where their contracts have to be solved, some twenty milliseconds each
THINKING_CHUNK = 50  # where a bidder thinks, as long for each call: so that progress can be seen


@dataclass(frozen=True)
class TableResult:
    """What happened at one of the two tables, all boards."""

    history: NDArray[np.int8]  # (N, L), calls padded with -1
    contracts: Contracts  # ``bid``, ``doubling``, ``declarer``, each int8 (N,)
    tricks: NDArray[np.int8]  # (N,), 0 where passed out
    score: NDArray[np.int16]  # (N,), North-South's

    def take(self, rows: NDArray[np.int64]) -> TableResult:
        """Some of the boards, by position."""
        contracts = Contracts(*(part[rows] for part in self.contracts))
        return TableResult(self.history[rows], contracts, self.tricks[rows], self.score[rows])

    @property
    def down(self) -> NDArray[np.int64]:
        """Tricks short of the contract, int64 (N,): 0 or less where it makes; meaningless where passed out."""
        return 6 + self.contracts.bid.astype(np.int64) // 5 + 1 - self.tricks


@dataclass(frozen=True)
class MatchResult:
    """The result of a match from A's side.

    Attributes:
        a, b: the specs.
        scoring: imps, mp or points.
        seed: of the boards and of the bidders' chance.
        boards: the boards played.
        tables: A North-South, then A East-West.
        imps: int64 (N,), A's IMPs a board.
        seconds: spent bidding and scoring.
    """

    a: str
    b: str
    scoring: str
    seed: int
    boards: Boards
    tables: tuple[TableResult, TableResult]
    imps: NDArray[np.int64]
    seconds: float = field(compare=False)

    @property
    def mean_imps(self) -> float:
        """A's average IMPs a board."""
        return int(self.imps.sum()) / len(self.imps)

    @property
    def standard_error(self) -> float:
        """Of ``mean_imps``; images of one deal count as one observation."""
        return standard_error(self.imps, self.boards.base)

    @property
    def points(self) -> NDArray[np.int64]:
        """A's total points a board, both tables together: int64 (N,)."""
        return self.tables[0].score.astype(np.int64) - self.tables[1].score

    @property
    def matchpoints(self) -> NDArray[np.float64]:
        """A's matchpoints a board in percent, of a field of these two tables: 100, 50 or 0, float64 (N,)."""
        return 50.0 * (np.sign(self.points) + 1)

    @property
    def values(self) -> NDArray[Any]:
        """A's results a board in the match's scoring."""
        return {"imps": self.imps, "mp": self.matchpoints, "points": self.points}[self.scoring]

    @property
    def mean(self) -> float:
        """The average of ``values``."""
        return float(self.values.sum()) / len(self.values)

    def __str__(self) -> str:
        from training.match.board_text import match_text

        return match_text(self)

    def _repr_html_(self) -> str:
        """Draw the result, for notebooks."""
        from training.match.report.overview import match_html

        return match_html(self)

    def take(self, rows: NDArray[np.int64]) -> MatchResult:
        """Some of the boards, by position."""
        tables = self.tables[0].take(rows), self.tables[1].take(rows)
        return replace(self, boards=self.boards.take(rows), tables=tables, imps=self.imps[rows])

    def summary(self) -> dict[str, Any]:
        """The numbers of the match, ready for JSON."""
        out: dict[str, Any] = {
            "a": self.a, "b": self.b, "boards": len(self.boards), "seed": self.seed,
            "mean_imps": self.mean_imps, "standard_error": known(self.standard_error),
            "scoring": self.scoring, "mean": self.mean,
            "mean_standard_error": known(standard_error(self.values, self.boards.base)),
            "deals": len(np.unique(self.boards.base)), "source": self.boards.source,
            "dealer_and_vulnerability": "by board number" if self.boards.solved else "of the file",
            "share_in_training": self.boards.share_in_training(), "seconds": self.seconds,
            "problems": list(self.boards.problems),
        }  # fmt: skip
        return out

    def rows(self) -> list[dict[str, Any]]:
        """One dict a board: deal, both auctions, contracts, tricks, scores, IMPs."""
        return [self._row(i) for i in range(len(self.boards))]

    def _row(self, i: int) -> dict[str, Any]:
        tables = []
        for table in self.tables:
            contract = table.contracts.at(i)
            tables.append({
                "auction": [call_text(int(c)) for c in table.history[i] if c >= 0],
                "contract": str(contract),
                "tricks": None if contract.passed_out else int(table.tricks[i]),
                "score_ns": int(table.score[i]),
            })  # fmt: skip
        return {
            "board": int(self.boards.number[i]), "deal": deal_text(self.boards.owner[i]),
            "dealer": SEATS[self.boards.dealer[i]], "vulnerability": VULNERABILITIES[self.boards.vulnerability[i]],
            "a_ns": tables[0], "a_ew": tables[1], "points": int(self.points[i]), "imps": int(self.imps[i]),
        }  # fmt: skip


def play(
    a: str | Bidder,
    b: str | Bidder,
    boards: int | Boards = 1000,
    seed: int = 1,
    *,
    scoring: str = "imps",
    deals: str | Path | None = None,
    workers: int = 1,
    allowance: Allowance = STRICT,
    keep: Path | None = None,
    progress: Callable[[int], object] = lambda boards: None,
    tell: Callable[[str], object] = lambda text: None,
) -> MatchResult:
    """A duplicate match of A against B.

    Args:
        a, b: spec strings or Bidders.
        boards: how many, from the judging split of the shipped library (or the first of ``deals``), or Boards.
        seed: of the boards and of the bidders' chance.
        scoring: imps, mp (matchpoints of the two tables) or points.
        deals: a PBN file to take the boards from, with their dealer and vulnerability.
        workers: processes; the result does not depend on it. With two or more, also a bidder that ends its process
            is found.
        allowance: what is done about bidders' faults. Boards that are left out are told in ``boards.problems``.
        keep: a file of auctions; boards that are in it are not bid again, and those that are bid are added.
        progress: called with the number of boards that have just been played, or found in the file.
        tell: called with a line of text where something of the file is left out.

    Raises:
        ValueError: a spec, the scoring or the boards are faulty.
        KeptError: the file is of another match, or is none.
        NoWorkers: a script calls this with several workers, and not below ``if __name__ == "__main__":``.
        BidderFault: a bidder failed, or made an illegal call; ``done`` is the result on the boards before it, or None.
    """
    if scoring not in SCORINGS:
        raise ValueError(f"scoring {scoring!r} is not one of {', '.join(SCORINGS)}")
    if (boards if isinstance(boards, int) else len(boards)) < 1:
        raise ValueError(f"a match needs at least one board, not {boards}")
    if workers < 1:
        raise ValueError(f"a match needs at least one worker, not {workers}")
    team_a, team_b = seat_teams(a, b)  # before any work: a faulty spec is told at once
    if not isinstance(boards, Boards):
        boards = pbn_boards(deals, boards) if deals is not None else library_boards(boards, seed)
    began = time.perf_counter()
    kept = None if keep is None else KeptAuctions(keep, spec_name(a), spec_name(b), seed, boards)
    dealt, order, done, at = boards, np.arange(len(boards)), list[Played](), 0
    if kept is not None:
        known, auctions = kept.read(tell)
        order = np.concatenate([known, np.setdiff1d(order, known)])
        dealt, at = boards.take(order), len(known)
        if at:
            done.append(Played(_tables_of(auctions, boards.take(known)), np.ones(at, np.bool_)))
            progress(at)

    def result() -> MatchResult | None:
        if not any(part.tables for part in done):
            return None
        found = _match_of(a, b, scoring, seed, dealt, done, time.perf_counter() - began)
        if kept is None:
            return found
        whole = np.concatenate([part.whole for part in done])
        return found.take(np.argsort(order[: len(whole)][whole]))

    try:
        for played in _parts((a, b), (team_a, team_b), dealt.take(slice(at, len(dealt))), seed, workers, allowance):
            if kept is not None and played.tables is not None:
                places = order[at : at + len(played.whole)][played.whole]
                kept.add(places, [table.history for table in played.tables])
            done.append(played)
            at += len(played.whole)
            progress(len(played.whole))
    except BidderFault as fault:
        fault.done = result()  # type: ignore[attr-defined]
        raise
    found = result()
    if found is None:
        raise BidderFault(f"no board was bid to its end: {done[0].faults[0]}")
    return found


def _parts(
    specs: tuple[str | Bidder, str | Bidder],
    teams: tuple[Bidder, Bidder],
    boards: Boards,
    seed: int,
    workers: int,
    allowance: Allowance,
) -> Iterator[Played]:
    """The boards at both tables, in parts, in order."""
    chunk = CHUNK if boards.solved else SOLVING_CHUNK
    if any(implements(player, SlowBidder) and player.slow for player in _players(teams)):  # type: ignore[attr-defined]
        chunk = THINKING_CHUNK
    size = max(1, min(chunk, -(-len(boards) // workers)))
    parts = [boards.take(slice(at, at + size)) for at in range(0, len(boards), size)]
    if workers > 1 and len(parts) > 1:
        for found in Surviving(play_part, specs, seed, allowance).parts(parts, workers):
            yield Played(None, np.zeros(1, np.bool_), (found,)) if isinstance(found, str) else found
    else:
        yield from (_both_tables(*teams, part, seed, allowance) for part in parts)


def _match_of(
    a: str | Bidder,
    b: str | Bidder,
    scoring: str,
    seed: int,
    boards: Boards,
    parts: list[Played],
    seconds: float,
) -> MatchResult:
    """The result of the boards in ``parts``, which may be fewer than ``boards``."""
    whole = np.flatnonzero(np.concatenate([part.whole for part in parts]))
    told = tuple(text for part in parts for text in part.faults)
    if len(whole) < len(boards):
        boards = replace(boards.take(whole), problems=(*boards.problems, *told))
    at = [part.tables for part in parts if part.tables is not None]
    tables = (_joined([both[0] for both in at]), _joined([both[1] for both in at]))
    difference = tables[0].score.astype(np.int64) - tables[1].score
    gained = imps(difference).astype(np.int64)
    return MatchResult(spec_name(a), spec_name(b), scoring, seed, boards, tables, gained, seconds)


def spec_name(spec: str | Bidder) -> str:
    """What to call a bidder in reports."""
    return spec if isinstance(spec, str) else type(spec).__name__


def seat_teams(a: str | Bidder, b: str | Bidder) -> tuple[Bidder, Bidder]:
    """The two bidders, each told the other's spec, and its own for its partner."""
    spec_a, spec_b = (s if isinstance(s, str) else None for s in (a, b))
    return make(a, partner=spec_a, opponents=spec_b), make(b, partner=spec_b, opponents=spec_a)


@dataclass(frozen=True)
class Played:
    """Some boards at both tables."""

    tables: tuple[TableResult, TableResult] | None  # of those that were bid to their ends; None: of none
    whole: NDArray[np.bool_]  # (N,), which of the boards that are
    faults: tuple[str, ...] = ()  # why the others are not, a sentence each, which names the board


def play_tables(a: str | Bidder, b: str | Bidder, boards: Boards, seed: int) -> tuple[TableResult, TableResult]:
    """Both tables of some boards, of which none is left out."""
    tables = play_part(a, b, boards, seed).tables
    assert tables is not None
    return tables


def play_part(a: str | Bidder, b: str | Bidder, boards: Boards, seed: int, allowance: Allowance = STRICT) -> Played:
    """Both tables of some boards: a pure function of its arguments, for worker processes."""
    return _both_tables(*seat_teams(a, b), boards, seed, allowance)


def _players(teams: tuple[Bidder, Bidder]) -> list[Bidder]:
    return [player_at(team, seat) for team in teams for seat in (0, 2)]


def _both_tables(a: Bidder, b: Bidder, boards: Boards, seed: int, allowance: Allowance) -> Played:
    if any(isinstance(player, Doubter) for player in _players((a, b))):
        quicken()  # they ask networks thousands of times a board
    auctions, faults = _bid_out(a, b, boards, seed, allowance)
    n = len(boards)
    bad = sorted({row % n for row in faults})
    whole = ~np.isin(np.arange(n), bad)
    told = tuple(next(faults[row] for row in (at, at + n) if row in faults) for at in bad)
    if not whole.any():
        return Played(None, whole, told)
    if bad:
        auctions, boards = auctions.take(np.tile(whole, 2)), boards.take(np.flatnonzero(whole))
    return Played(_tables_of(auctions, boards), whole, told)


def _tables_of(auctions: Auctions, boards: Boards) -> tuple[TableResult, TableResult]:
    """What both tables come to, of auctions as ``bid_out`` gives them."""
    n, results = len(boards), []
    for rows in (slice(0, n), slice(n, 2 * n)):
        state = auctions.take(np.arange(2 * n)[rows])
        contracts = state.contracts()
        tricks = boards.tricks_for(contracts.declarer, contracts.bid % 5)
        points = score(contracts.bid, contracts.doubling, contracts.declarer, boards.vulnerability, tricks)
        longest = int(state.length.max(initial=1))
        results.append(TableResult(state.history[:, :longest].copy(), contracts, tricks, points))
    return results[0], results[1]


def bid_out(a: Bidder, b: Bidder, boards: Boards, seed: int) -> Auctions:
    """Bid ``boards`` at both tables: rows 0..N-1 have A North-South, rows N..2N-1 A East-West.

    A call's random stream hangs on (seed, board, call number), the same at both tables, so that A against A is level.

    Raises:
        BidderFault: a bidder gave something that is no legal call; the message names it, the board and the auction.
    """
    return _bid_out(a, b, boards, seed, STRICT)[0]


def _bid_out(a: Bidder, b: Bidder, boards: Boards, seed: int, allowance: Allowance) -> tuple[Auctions, dict[int, str]]:
    """The same, and by row what went wrong there as far as ``allowance`` lets it: those auctions are not over."""
    quick = _bid_out_by_systems(a, b, boards)
    if quick is not None:
        return quick, {}
    n = len(boards)
    under_way = Round(
        Auctions(np.tile(boards.dealer, 2), np.tile(boards.vulnerability, 2)), np.tile(boards.owner, (2, 1)),
        np.tile(streams.key("match", seed, boards.number), 2), np.repeat([[0, 1, 0, 1], [1, 0, 1, 0]], n, axis=0),
        np.tile(boards.number, 2), (a, b), allowance,
    )  # fmt: skip
    under_way.bid_out()
    return under_way.auctions, under_way.faults


def _bid_out_by_systems(a: Bidder, b: Bidder, boards: Boards) -> Auctions | None:
    """``bid_out`` in one kernel where every seat follows a system that the others know; else None."""
    # Others' bidders may call anything "systems".
    ours = (HierarchyBidder, PairBidder)
    team_a, team_b = (bidder.systems if type(bidder) in ours else None for bidder in (a, b))  # type: ignore[attr-defined]
    if team_a is None or team_b is None or not (_disclosed(team_a, team_b) and _disclosed(team_b, team_a)):
        return None
    features = deal_features(boards.owner)
    (n, s), (e, w) = [(team[0].own, team[1].own) for team in (team_a, team_b)]
    both = ((n, e, s, w), (e, n, w, s))
    return Auctions.joined([hierarchies_bid_out(q, features, boards.dealer, boards.vulnerability) for q in both])


def _disclosed(us: tuple[HierarchyBidder, HierarchyBidder], them: tuple[HierarchyBidder, HierarchyBidder]) -> bool:
    """Does each of us read partner and opponents by the systems that they really play?"""
    return all(
        me.partner is partner.own and me.opponents[0] is them[0].own and me.opponents[1] is them[1].own
        for me, partner in (us, us[::-1])
    )


def _joined(parts: list[TableResult]) -> TableResult:
    history = as_wide([part.history for part in parts])
    contracts = Contracts(*(np.concatenate(c) for c in zip(*(p.contracts for p in parts), strict=True)))
    return TableResult(
        np.concatenate(history), contracts,
        np.concatenate([p.tricks for p in parts]), np.concatenate([p.score for p in parts]),
    )  # fmt: skip
