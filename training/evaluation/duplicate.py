"""Play duplicate matches: teams of four, every board bid twice with the pairs swapped, all boards at once.

At the first table A sits North-South, at the second East-West; B takes the other seats. The result is A's: IMPs for the
difference of the two North-South scores at double-dummy tricks. Systems are disclosed: a bidder that reads calls knows
the specs of its partner and of its opponents.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.lookahead import Lookahead
from agents.pair import PairBidder
from agents.systems.bidder import HierarchyBidder, deal_features
from agents.systems.bidder import bid_out as hierarchies_bid_out
from bridge_env.bidders.bidding import complete_auctions
from bridge_env.bidders.errors import BidderError
from bridge_env.bidders.protocols import Bidder, CardPlayer, SlowBidder
from bridge_env.bidders.registry import implements, make, player_at
from bridge_env.double_dummy.boards import Boards
from bridge_env.hands.deals import deal_text
from bridge_env.records.board import Board
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, Contracts
from bridge_env.rules.calls import as_wide, call_text, histories_of
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from bridge_env.rules.scoring import imps, score
from training.evaluation.boards import first_deal_hash, library_boards, nan_as_none, standard_error
from training.runtime.pages import facts_text, figure
from training.runtime.processes import map_in_processes, use_fast_matmul
from training.runtime.runs import ResultLog

CHUNK = 4096  # boards bid at a time
SOLVING_CHUNK = 200  # if their contracts have to be solved, some twenty milliseconds each
SLOW_CHUNK = 50  # of slow bidders, so that progress can be seen


@dataclass(frozen=True)
class TableResult:
    """The results of all boards at one of the two tables."""

    history: NDArray[np.int8]  # (N, L), calls padded with -1
    contracts: Contracts  # ``bid``, ``doubling``, ``declarer``, each int8 (N,)
    tricks: NDArray[np.int8]  # (N,), 0 where passed out
    score: NDArray[np.int16]  # (N,), North-South's

    def take(self, rows: NDArray[np.int64]) -> TableResult:
        """Return some of the boards, by position."""
        contracts = Contracts(*(part[rows] for part in self.contracts))
        return TableResult(self.history[rows], contracts, self.tricks[rows], self.score[rows])


Tables = tuple[TableResult, TableResult]
"""A North-South, then A East-West."""


@dataclass(frozen=True)
class Difference:
    """The difference of two matches on the same boards, in IMPs a board."""

    mean_imps: float
    standard_error: float  # of the mean; images of one deal count as one observation
    imps: NDArray[np.int64]  # (N,)

    def __str__(self) -> str:
        return f"{figure(self.mean_imps, self.standard_error)} IMPs per board over {len(self.imps):,} boards"


@dataclass(frozen=True)
class MatchResult:
    """The result of a match from A's side.

    Attributes:
        a, b: the specs.
        seed: of the boards and of the bidders' chance.
        boards: the boards, in order.
        tables: A North-South, then A East-West.
        imps: int64 (N,), A's IMPs a board.
        seconds: spent bidding and scoring.
    """

    a: str
    b: str
    seed: int
    boards: Boards
    tables: Tables
    imps: NDArray[np.int64]
    seconds: float = field(compare=False)

    @property
    def mean_imps(self) -> float:
        """Return A's average IMPs a board."""
        return int(self.imps.sum()) / len(self.imps)

    @property
    def standard_error(self) -> float:
        """Return the standard error of ``mean_imps``; images of one deal count as one observation."""
        return standard_error(self.imps, self.boards.base)

    @property
    def points(self) -> NDArray[np.int64]:
        """Return A's total points a board, both tables together: int64 (N,)."""
        return self.tables[0].score.astype(np.int64) - self.tables[1].score

    def __str__(self) -> str:
        return facts_text(f"{self.a} against {self.b}", self.figures())

    def _repr_html_(self) -> str:
        """Draw the result, for notebooks."""
        from training.evaluation.report import match_html

        return match_html(self)

    def minus(self, other: MatchResult) -> Difference:
        """Return what A wins more than the A of another match on the same boards, with the error of the pairs; raise
        ``ValueError`` where the boards are others.
        """
        mine, theirs = self.boards, other.boards
        for name in ("owner", "dealer", "vulnerability"):
            if not np.array_equal(getattr(mine, name), getattr(theirs, name)):
                raise ValueError(
                    f"the two matches are on different boards (their {name}); play both with the same boards and seed"
                )
        gains = self.imps - other.imps
        return Difference(float(gains.mean()), standard_error(gains, mine.base), gains)

    def take(self, rows: NDArray[np.int64]) -> MatchResult:
        """Return the result on some of the boards, by position."""
        tables = self.tables[0].take(rows), self.tables[1].take(rows)
        return replace(self, boards=self.boards.take(rows), tables=tables, imps=self.imps[rows])

    def summary(self) -> dict[str, Any]:
        """Return the figures of the match, ready for JSON."""
        return {
            "a": self.a, "b": self.b, "boards": len(self.boards), "seed": self.seed,
            "mean_imps": self.mean_imps, "standard_error": nan_as_none(self.standard_error),
            "deals": len(np.unique(self.boards.base)), "source": self.boards.source,
            "dealer_and_vulnerability": "of the file" if self.boards.of_file else "by board number",
            "share_in_training": self.boards.share_in_training(), "seconds": self.seconds,
            "problems": list(self.boards.problems),
        }  # fmt: skip

    def figures(self) -> list[tuple[str, str]]:
        """Return the figures of the match in words: name and value."""
        facts, n = self.summary(), len(self.boards)
        deals = "" if facts["deals"] == n else f" (images of {facts['deals']:,} deals)"
        rows = [
            ("IMPs per board", figure(self.mean_imps, self.standard_error)),
            ("boards", f"{n:,}{deals}"),
            ("boards from", self.boards.source),
            ("dealer, vulnerability", facts["dealer_and_vulnerability"]),
            ("seed", str(self.seed)),
            ("seconds", f"{self.seconds:.1f}"),
        ]
        if facts["share_in_training"] > 0:
            rows.append(("open to training", f"{facts['share_in_training']:.0%} of the boards"))
        return rows

    def records(self, row: int) -> list[Board]:
        """Return a board, by position, as a record of each table: first that where A sits North-South."""
        boards, out = self.boards, []
        for table, (ns, ew) in zip(self.tables, ((self.a, self.b), (self.b, self.a)), strict=True):
            contract = table.contracts.at(row)
            out.append(Board(
                boards.owner[row], int(boards.dealer[row]), int(boards.vulnerability[row]), int(boards.number[row]),
                tuple(call for call in table.history[row].tolist() if call >= 0), contract,
                None if contract.passed_out else int(table.tricks[row]),
                tags={"North": ns, "East": ew, "South": ns, "West": ew},
            ))  # fmt: skip
        return out

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict a board: deal, both auctions, contracts, tricks, scores, IMPs."""
        names, out = ("a_ns", "a_ew"), []
        for i in range(len(self.boards)):
            both = self.records(i)
            tables: dict[str, dict[str, Any]] = {
                name: {
                    "auction": list(map(call_text, board.auction or ())), "contract": str(board.contract),
                    "tricks": board.tricks, "score_ns": int(table.score[i]),
                }
                for name, board, table in zip(names, both, self.tables, strict=True)
            }  # fmt: skip
            out.append({
                "board": both[0].number, "deal": deal_text(both[0].owner), "dealer": SEATS[both[0].dealer],
                "vulnerability": VULNERABILITIES[both[0].vulnerability], **tables,
                "points": tables["a_ns"]["score_ns"] - tables["a_ew"]["score_ns"], "imps": int(self.imps[i]),
            })  # fmt: skip
        return out

    def to_dataframe(self) -> Any:
        """Return ``rows`` as a pandas DataFrame, with columns such as ``a_ns.contract``."""
        import pandas as pd  # type: ignore[import-untyped, unused-ignore]  # optional

        return pd.json_normalize(self.rows())


def match(
    a: str | Bidder,
    b: str | Bidder,
    boards: int | Boards = 1000,
    seed: int = 1,
    *,
    workers: int = 1,
    log: Path | None = None,
    progress: Callable[[int], object] = lambda boards: None,
) -> MatchResult:
    """Play a duplicate match of A against B.

    Args:
        a, b: spec strings or Bidders.
        boards: how many, from the judging split of the shipped library, or Boards, such as those of ``pbn_boards``.
        seed: of the boards and of the bidders' random streams.
        workers: processes; the result does not depend on it.
        log: a file of auctions; its boards are not bid again, and boards that are bid are appended.
        progress: called with the number of boards that have just been played, or found in the file.

    Raises:
        ValueError: a spec or the boards are faulty.
        ResultLogError: the file is of another match, or damaged.
        ChildProcessError: a worker process ended by itself.
        BidderError: a bidder raised an error or made an illegal call; the message names bidder, board and auction.
    """
    if (boards if isinstance(boards, int) else len(boards)) < 1:
        raise ValueError(f"a match needs at least one board, not {boards}")
    if workers < 1:
        raise ValueError(f"a match needs at least one worker, not {workers}")
    teams = seat_teams(a, b)  # a faulty spec is an error before any work
    if not isinstance(boards, Boards):
        boards = library_boards(boards, seed)
    began = time.perf_counter()
    missing, places, tables = np.arange(len(boards)), list[NDArray[np.int64]](), list[Tables]()
    auction_log = None
    if log is not None:
        header = {"auctions_of": [spec_name(a), spec_name(b)], "seed": seed, "first_deal": first_deal_hash(boards)}
        auction_log = ResultLog(log, header, BoardAuctions)
        done = {board.place - 1: board.calls for board in auction_log.read() if board.place <= len(boards)}
        if done:
            known = np.array(sorted(done))
            missing = np.setdiff1d(missing, known)
            history = histories_of([done[at][table] for table in (0, 1) for at in known.tolist()])
            auctions = Auctions.replay(
                history, np.tile(boards.dealer[known], 2), np.tile(boards.vulnerability[known], 2)
            )
            places, tables = [known], [_tables_of(auctions, boards.take(known))]
            progress(len(known))
    parts = _parts(teams, boards, missing, workers)
    if workers > 1 and len(parts) > 1:
        played = map_in_processes(play_tables, [(a, b, boards.take(part), seed) for part in parts], workers)
    else:
        played = (_both_tables(*teams, boards.take(part), seed) for part in parts)
    for part, both in zip(parts, played, strict=True):
        if auction_log is not None:
            rows = zip(part.tolist(), *(table.history.tolist() for table in both), strict=True)
            auction_log.add(BoardAuctions(at + 1, (_made(first), _made(second))) for at, first, second in rows)
        places.append(part)
        tables.append(both)
        progress(len(part))
    order = np.argsort(np.concatenate(places))
    first, second = (_joined([both[k] for both in tables]).take(order) for k in (0, 1))
    gained = imps(first.score.astype(np.int64) - second.score).astype(np.int64)
    seconds = time.perf_counter() - began
    return MatchResult(spec_name(a), spec_name(b), seed, boards, (first, second), gained, seconds)


@dataclass(frozen=True)
class BoardAuctions:
    """The auctions of a board at both tables, in the file of a match."""

    place: int  # among the boards of the match, from 1
    calls: tuple[tuple[int, ...], tuple[int, ...]]


def _made(history: list[int]) -> tuple[int, ...]:
    return tuple(call for call in history if call >= 0)


def _parts(
    teams: tuple[Bidder, Bidder], boards: Boards, missing: NDArray[np.int64], workers: int
) -> list[NDArray[np.int64]]:
    """Return the positions of ``missing`` boards in parts that are bid together."""
    chunk = CHUNK if boards.solved else SOLVING_CHUNK
    if any(implements(player, SlowBidder) and player.slow for player in _players(teams)):  # type: ignore[attr-defined]
        chunk = SLOW_CHUNK
    size = max(1, min(chunk, -(-len(missing) // workers)))
    return [missing[at : at + size] for at in range(0, len(missing), size)]


def spec_name(spec: str | Bidder | CardPlayer) -> str:
    """Return the name of a bidder or card player in reports."""
    return spec if isinstance(spec, str) else type(spec).__name__


def seat_teams(a: str | Bidder, b: str | Bidder) -> tuple[Bidder, Bidder]:
    """Make the two bidders, each with the specs of its partner and of its opponents."""
    spec_a, spec_b = (s if isinstance(s, str) else None for s in (a, b))
    return make(a, partner=spec_a, opponents=spec_b), make(b, partner=spec_b, opponents=spec_a)


def play_tables(a: str | Bidder, b: str | Bidder, boards: Boards, seed: int) -> Tables:
    """Play some boards at both tables: a pure function of its arguments, for worker processes."""
    return _both_tables(*seat_teams(a, b), boards, seed)


def _players(teams: tuple[Bidder, Bidder]) -> list[Bidder]:
    return [player_at(team, seat) for team in teams for seat in (0, 2)]


def _both_tables(a: Bidder, b: Bidder, boards: Boards, seed: int) -> Tables:
    if any(isinstance(player, Lookahead) for player in _players((a, b))):
        use_fast_matmul()  # they call networks thousands of times a board
    return _tables_of(bid_out(a, b, boards, seed), boards)


def _tables_of(auctions: Auctions, boards: Boards) -> Tables:
    """Return the results of both tables, of auctions as ``bid_out`` returns them."""
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

    A call's random stream depends on (seed, board, call number), the same at both tables, so that A against A is level.

    Raises:
        BidderError: a bidder raised an error or made an illegal call; the message names bidder, board and auction.
    """
    auctions = _bid_out_by_systems(a, b, boards)
    if auctions is not None:
        return auctions
    n = len(boards)
    auctions = Auctions(np.tile(boards.dealer, 2), np.tile(boards.vulnerability, 2))
    key = np.tile(streams.key("match", seed, boards.number), 2)
    seats = np.repeat([[0, 1, 0, 1], [1, 0, 1, 0]], n, axis=0)
    try:
        complete_auctions(auctions, np.tile(boards.owner, (2, 1)), key, seats, (a, b))
    except BidderError as fault:
        if fault.row is None:
            raise
        raise type(fault)(f"board {boards.number[fault.row % n]}: {fault}") from fault
    return auctions


def _bid_out_by_systems(a: Bidder, b: Bidder, boards: Boards) -> Auctions | None:
    """Return ``bid_out`` by one kernel if every seat follows a system that the others know, else None."""
    ours = (HierarchyBidder, PairBidder)
    team_a, team_b = (bidder.systems if type(bidder) in ours else None for bidder in (a, b))  # type: ignore[attr-defined]
    if team_a is None or team_b is None or not (_disclosed(team_a, team_b) and _disclosed(team_b, team_a)):
        return None
    features = deal_features(boards.owner)
    (n, s), (e, w) = [(team[0].own, team[1].own) for team in (team_a, team_b)]
    both = ((n, e, s, w), (e, n, w, s))
    return Auctions.joined([hierarchies_bid_out(q, features, boards.dealer, boards.vulnerability) for q in both])


def _disclosed(us: tuple[HierarchyBidder, HierarchyBidder], them: tuple[HierarchyBidder, HierarchyBidder]) -> bool:
    """Return whether each of us reads partner and opponents by the systems that they really play."""
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
