"""Find the bidder that ended its process: a crash in compiled code, ``os._exit``, or the system for want of memory.

What the others did meanwhile is kept. The boards of the process that ended are played again, each half in a process of
its own, until one board is left; it is played once more with a witness, which tells who was asked last.
"""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Generic, TypeVar

from bridge_env.boards import Boards
from bridge_env.faults import BidderFault
from bridge_env.protocols import Bidder
from training.match.faults import Allowance
from training.running.processes import WorkerDied, in_processes

MOST_DEATHS = 3  # boards that may be left out for this reason; finding one takes some starts of a process
Given = TypeVar("Given")


@dataclass(frozen=True)
class Surviving(Generic[Given]):
    """Plays boards in processes that may end by themselves."""

    # a pure function of the two bidders, some boards, the seed and the allowance, for worker processes
    play: Callable[[str | Bidder, str | Bidder, Boards, int, Allowance], Given]
    teams: tuple[str | Bidder, str | Bidder]  # specs, or bidders
    seed: int  # as ``training.match.match.play`` has it
    allowance: Allowance

    def parts(self, parts: Sequence[Boards], workers: int) -> Iterator[Given | str]:
        """What ``play`` gives for each part, in order; of a board that nobody survives, what happened there.

        A part in which somebody dies comes in pieces.

        Raises:
            BidderFault: somebody died, and nothing may be left out, or it was once too often.
        """
        done = 0
        try:
            for found in in_processes(self.play, [self._task(part) for part in parts], workers):
                done += 1
                yield found
        except WorkerDied:
            deaths: list[str] = []
            for part in parts[done:]:
                yield from self._alone(part, deaths)

    def _task(self, boards: Boards) -> tuple[str | Bidder, str | Bidder, Boards, int, Allowance]:
        return (*self.teams, boards, self.seed, self.allowance)

    def _alone(self, boards: Boards, deaths: list[str]) -> Iterator[Given | str]:
        try:
            (found,) = in_processes(self.play, [self._task(boards)], 1)
        except WorkerDied:
            if len(boards) > 1:
                half = len(boards) // 2
                for piece in (slice(0, half), slice(half, len(boards))):
                    yield from self._alone(boards.take(piece), deaths)
                return
            told = self._last_words(boards)
            deaths.append(told)
            if not self.allowance.leave:
                raise BidderFault(told) from None
            if len(deaths) > MOST_DEATHS:
                raise BidderFault(f"{told}; it is the fourth time, so the match ends here") from None
            yield told
        else:
            yield found

    def _last_words(self, board: Boards) -> str:
        """Who ended the process on this one board, and when."""
        with tempfile.TemporaryDirectory() as folder:
            witness = Path(folder) / "asked"
            allowance = replace(self.allowance, witness=witness)
            process = get_context("spawn").Process(
                target=self.play, args=(*self.teams, board, self.seed, allowance), daemon=True
            )
            process.start()
            process.join()
            code = process.exitcode or 0
            who, _, auction = (witness.read_text("utf-8") if witness.exists() else "\n\n").split("\n")
        where = f"on board {int(board.number[0])}"
        if not code:
            return f"{where}, a worker process ended by itself, but not when the board was played again"
        how = f"with exit code {code}" if code > 0 else f"by {signal.Signals(-code).name}"
        return f"{where}, {who or 'a bidder'} ended its process ({how}) after {auction or 'no call'}"
