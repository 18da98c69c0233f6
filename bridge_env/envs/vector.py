"""Many tables as a Gymnasium vector env: all of them make a call at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bridge_env.auction import IllegalCall
from bridge_env.bidders import DEFAULT_BIDDER
from bridge_env.calls import NUM_CALLS, call_text
from bridge_env.envs.deals import LibraryDeals
from bridge_env.envs.episodes import draw_episodes, episode_key, seed_base, settled_by
from bridge_env.envs.kernels.arrays import (
    DISABLED,
    NEXT_STEP,
    SAME_STEP,
    Results,
    outcomes_of,
    results_of,
    room_of,
    stock_of,
    terms_of,
)
from bridge_env.envs.kernels.crew import Crew
from bridge_env.envs.kernels.plan import Plan
from bridge_env.envs.kernels.rounds import first_bad_call, help_rounds, make_calls, new_episodes, pay, play_round, show
from bridge_env.envs.rewards import NOTHING, PAR
from bridge_env.envs.setup import Setup
from bridge_env.envs.stock import EpisodeStock
from bridge_env.envs.table import INJECTED, Tables
from bridge_env.observation import OBSERVATION_SIZE
from bridge_env.protocols import Bidder

_MODES = {AutoresetMode.NEXT_STEP: NEXT_STEP, AutoresetMode.SAME_STEP: SAME_STEP, AutoresetMode.DISABLED: DISABLED}
_LEAST_ROWS = 256  # of a thread
_SHARE = 128  # tables that a thread takes at once: some ten microseconds
_ALONE = np.zeros(0, np.int64)  # a crew's posts, without a crew

Observations = NDArray[np.int8]
Info = dict[str, Any]


class BiddingVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` tables of ``BiddingEnv``, which explains the game and the arguments not listed here.

    Table i, seeded with s, plays exactly the episodes of ``BiddingEnv`` after ``reset(seed=s + i)``: the same
    observations, masks and rewards, whatever ``num_envs`` and ``threads``.

    With compiled bidders only (``pass``, ``random``, ``doubler``, or none: ``learner="all"``), solved deals
    and a reward other than ``imps``, one compiled kernel does the whole step, new deals included. Otherwise
    other bidders are called once a round for all tables that wait for them, and boards are drawn in batches.

    ``step`` returns observations int8 (N, 480), rewards float64 (N,), terminations and truncations bool (N,)
    and ``info``, whose arrays have a row for each table. As Gymnasium has it, ``info["_name"]``, bool (N,),
    says in which rows ``info["name"]`` means something:

    - ``action_mask``, int8 (N, 38): the legal calls; always there.
    - ``seat_rewards``, float32 (N, 4), with ``learner="all"`` only: 0 until an auction has ended, then a reward
      for each seat N E S W, NS = -EW. After an illegal call: minus the penalty for the seat that made it.
      (The env's own reward is that of the seat that made the last call.)
    - where auctions have ended: ``score`` and, with reward ``imps_vs_par``, ``par``, with ``imps``,
      ``control_score``, int16 (N,), in points for the learner's side (North-South's for ``"all"``); the
      contract ``bid`` (-1: passed out), ``doubling``, ``declarer`` and its ``tricks``, int16 (N,).
    - ``estimated``, bool (N,): with ``deals="estimated"``, whose tricks are estimates.
    - ``illegal_action``, bool (N,), where illegal calls ended episodes.
    - with same-step autoreset, where episodes have ended: ``final_obs``, int8 (N, 480), and ``final_info``,
      which holds the last two groups again.

    Args:
        num_envs: how many tables.
        autoreset_mode: of Gymnasium (or its value, such as ``"SameStep"``). Next-step: a table whose episode
            has ended gets a new deal at the next step, which ignores its action. Same-step: at once. Disabled:
            by ``reset(options={"reset_mask": bool (N,)})``.
        copy: True: every step returns new arrays. False: it returns the same ones, written to again, which
            saves memory bandwidth; copy what you keep.
        threads: how many threads run the kernel (not the injected bidders), for 512 tables and up. The results are
            the same. After a step the others keep their cores busy for up to a millisecond, so that the next step
            need not wake them: ask for no more threads than there are cores with nothing else to do.
        render_mode: None or ``"ansi"``.

    Raises:
        ValueError: an argument is wrong; the message lists the choices.
        FileNotFoundError: ``deals`` is a path without a file.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as gymnasium declares it
        "render_modes": ["ansi"],
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        learner: str = "S",
        partner: str | Bidder = DEFAULT_BIDDER,
        opponents: str | Bidder = DEFAULT_BIDDER,
        control: str | Bidder = DEFAULT_BIDDER,
        deals: object = "training",
        dealer: str | int | None = None,
        vulnerability: str | int | None = None,
        reward: str | None = None,
        illegal: str = "end",
        illegal_penalty: float | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        if num_envs < 1 or threads < 1:
            raise ValueError(f"num_envs={num_envs!r} and threads={threads!r} must be 1 or more")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode={render_mode!r}: use None or 'ansi'")
        mode = AutoresetMode(autoreset_mode)
        self._setup = Setup.of(
            learner=learner,
            partner=partner,
            opponents=opponents,
            control=control,
            deals=deals,
            dealer=dealer,
            vulnerability=vulnerability,
            reward=reward,
            illegal=illegal,
            illegal_penalty=illegal_penalty,
        )
        self.num_envs, self.render_mode, self._mode = num_envs, render_mode, _MODES[mode]
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.single_action_space = spaces.Discrete(NUM_CALLS)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = spaces.MultiBinary(OBSERVATION_SIZE)
        # A Box, which batch_space gives, would hold four numbers for each feature of each table.
        self.observation_space = spaces.MultiBinary((num_envs, OBSERVATION_SIZE))
        self._copy, self._threads = copy, min(threads, max(1, num_envs // _LEAST_ROWS))
        self._crew: Crew | None = None
        self._tables = Tables(num_envs, self._setup.table)
        self._room = room_of(self._tables)
        self._terms = terms_of(self._setup, self._tables)
        self._outcomes = outcomes_of(self._setup)
        self._results = results_of(num_envs, self._mode)
        self._all = np.arange(num_envs)
        self._true, self._false = np.ones(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
        self._started = False
        # Opened at the first reset: one of the two.
        self._plan: Plan | None = None  # of what is compiled
        self._drawn: EpisodeStock | None = None

    # --- Gymnasium's methods ------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: Info | None = None
    ) -> tuple[Observations, Info]:
        """Deal boards and bid until the caller's first turns.

        Args:
            seed: table i's is ``seed + i``, or one for each table; None = the next episodes after the last seed.
            options: ``reset_mask``, bool (N,), only these tables (the others are shown as they are); and
                ``deal``, ``dealer``, ``vulnerability`` as in ``BiddingEnv``, the same for all tables.

        Raises:
            ValueError: an option or the seeds are wrong (``DealError`` for a deal).
        """
        super().reset(seed=seed if isinstance(seed, int | np.integer) else None)
        chosen = dict(options or {})
        rows = _rows_of(chosen.pop("reset_mask", None), self.num_envs)
        if not self._started and len(rows) < self.num_envs:
            raise ResetNeeded("the first reset() is of all tables, without a reset_mask")
        self._seed(seed, rows)
        self._open()
        self._deal(rows, chosen)
        self._started = True
        results = self._fresh_results()
        self._show(self._all, results.observation, results.mask)
        return results.observation, self._mask_info(results)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Make a call at every table, int (N,), and bid until the caller's next turns.

        Raises:
            IllegalCall: with ``illegal="raise"``, and then nothing has changed.
            ValueError: an action is no call at all, or there is not one for each table.
            ResetNeeded: before the first reset; or an episode is over, and there is no autoreset.
        """
        calls = self._checked(actions)
        before, results = self._results, self._fresh_results()
        if self._plan is not None:
            bad, ended, illegal = self._play(self._plan, calls, results)
        else:
            bad = first_bad_call(self._room.state, self._room.finished, calls, self._setup.illegal == "raise")
            ended, illegal = (0, 0) if bad >= 0 else self._play_with_bidders(calls, results)
        if bad >= 0:
            self._results = before
            raise self._refusal(bad, int(calls[bad]))
        info = self._info(results, ended, illegal)
        return results.observation, results.reward, results.terminated, self._false.copy(), info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal calls, bool (N, 38)."""
        return self._results.mask.astype(np.bool_)

    def render(self) -> tuple[str, ...] | None:
        """With ``render_mode="ansi"``: each table's hands, auction and, at its end, result.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        if not self._started:
            raise ResetNeeded("call reset() before render()")
        return tuple(self._tables.text(row, self._setup.deals) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if self._crew is not None:
            self._crew.close()
        if self._drawn is not None:
            self._drawn.close()

    # --- episodes -----------------------------------------------------------------------------------------

    def _seed(self, seed: int | list[int | None] | None, rows: NDArray[np.intp]) -> None:
        n = self.num_envs
        if seed is None or isinstance(seed, int | np.integer):
            if seed is None and self._started:
                return
            first = int(self.np_random.integers(2**63)) if seed is None else seed
            told = [(first + int(row)) % 2**64 for row in rows]
        else:
            if len(seed) != n:
                raise ValueError(f"{len(seed)} seeds for {n} tables")
            rows = np.array([row for row in rows if seed[row] is not None], np.intp)
            told = [int(seed[row] or 0) % 2**64 for row in rows]
            if not self._started and len(rows) < n:
                raise ValueError("the first reset() needs a seed for every table, or None for all of them")
        self._room.base[rows] = seed_base(np.array(told, np.uint64))
        self._room.number[rows] = 0

    def _open(self) -> None:
        """Open the source of episodes, once."""
        if self._plan is None and self._drawn is None:
            setup = self._setup
            compiled = INJECTED not in self._tables.kinds and setup.reward.reference in (PAR, NOTHING)
            if compiled and isinstance(setup.deals, LibraryDeals):
                self._plan = Plan(self._mode, self._room, stock_of(setup, setup.deals), self._terms)
            else:
                self._drawn = EpisodeStock(setup, self.num_envs)

    def _deal(self, rows: NDArray[np.intp], options: Info | None = None) -> None:
        """The next episodes at the tables ``rows``, with some of each settled by the options of ``reset``."""
        room, setup = self._room, self._setup
        if self._plan is not None and not options:
            new_episodes(rows, self._plan.numbers)
            return
        base, number = room.base[rows], room.number[rows]
        if options:
            settled = settled_by(options, len(rows))
            episodes, at = draw_episodes(setup, episode_key(base, number), number, **settled), np.arange(len(rows))
        else:
            assert self._drawn is not None
            episodes, at = self._drawn.take(rows, base, number)
        room.number[rows] += 1
        room.reference[rows] = episodes.reference[at]
        room.finished[rows] = False
        self._tables.start(rows, episodes.boards, episodes.key, at)

    # --- a round ------------------------------------------------------------------------------------------

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The calls as int64 (N,), of which the kernels have still to see whether they are calls."""
        room = self._room
        if not self._started:
            raise ResetNeeded("call reset() before step()")
        calls = np.ascontiguousarray(actions, np.int64)
        if calls.shape != (self.num_envs,):
            raise ValueError(f"actions are one call for each table, ({self.num_envs},); these are {calls.shape}")
        if self._mode == DISABLED and room.finished.any():
            row = int(np.flatnonzero(room.finished)[0])
            raise ResetNeeded(f"the auction at table {row} is over; reset(options={{'reset_mask': ...}}) deals anew")
        return calls

    def _refusal(self, bad: int, call: int) -> ValueError:
        """What is wrong with a call at table ``bad``."""
        if not 0 <= call < NUM_CALLS:
            return ValueError(f"{call} at table {bad} is not a call; actions go from 0 (Pass) to 37 (7NT)")
        said = self._tables.auctions.text(bad) or "no call"
        return IllegalCall(f"{call_text(call)} is not legal at table {bad} after {said}")

    def _play(self, plan: Plan, calls: NDArray[np.int64], results: Results) -> tuple[int, int, int]:
        """A round, all of it compiled.

        Returns the first table whose call was refused, or -1; how many episodes ended, and how many illegally.
        """
        crew = self._crew
        if self._threads > 1 and (crew is None or not crew.here):
            numbers = plan.numbers  # the threads keep these, not the env
            shares = self.num_envs // _SHARE
            crew = self._crew = Crew(self._threads - 1, shares, lambda posts: help_rounds(posts, numbers))
        if crew is not None:
            crew.rouse()
        posts = _ALONE if crew is None else crew.posts
        strict = self._setup.illegal == "raise"
        bad, ended, illegal, late = play_round(strict, posts, plan.numbers, calls, *results)
        if late:
            assert crew is not None
            ended, illegal = crew.gather_late()
        return bad, ended, illegal

    def _play_with_bidders(self, calls: NDArray[np.int64], results: Results) -> tuple[int, int]:
        """A round in steps, for injected bidders and any source of deals; returns as ``_play``."""
        room, terms, tables = self._room, self._terms, self._tables
        waiting = np.flatnonzero(room.finished) if self._mode == NEXT_STEP else self._all[:0]
        make_calls(
            calls, room.state, room.history, room.key, room.status, room.viewer, room.finished,
            terms.kinds, terms.side, terms.penalty,
            results.reward, results.terminated, results.illegal, results.seat_rewards,
        )  # fmt: skip
        tables.ask_bidders()
        if self._pay(results):
            over = np.flatnonzero(tables.auctions.done & ~room.finished & ~results.terminated)
            tables.solve(over, self._setup.deals)
            self._pay(results)
        ended = np.flatnonzero(results.terminated)
        room.finished[ended] = True
        if waiting.size:
            self._deal(waiting)
        elif self._mode == SAME_STEP and ended.size:
            self._show(ended, results.final_observation, results.mask)
            self._deal(ended)
        self._show(self._all, results.observation, results.mask)
        return len(ended), int(results.illegal.sum())

    def _pay(self, results: Results) -> int:
        """Pay the auctions that have just ended; returns how many have contracts with unknown tricks."""
        room, terms = self._room, self._terms
        unknown = pay(
            room.state, room.tricks, room.status, room.viewer, room.reference, room.finished,
            terms.side, terms.points, terms.rewards,
            results.reward, results.terminated, results.seat_rewards, results.outcome,
        )  # fmt: skip
        return int(unknown)

    def _show(self, rows: NDArray[np.intp], observation: Observations, mask: NDArray[np.int8]) -> None:
        room = self._room
        show(rows, room.state, room.history, room.shown, room.viewer, observation, mask)

    # --- what a step returns ------------------------------------------------------------------------------

    def _fresh_results(self) -> Results:
        if self._copy:
            # Illegal calls are rare: ``illegal`` is written to again, and copied where it is told of.
            self._results = results_of(self.num_envs, self._mode, self._results.illegal)
        return self._results

    def _mask_info(self, results: Results) -> Info:
        return {"action_mask": results.mask, "_action_mask": self._true.copy()}

    def _info(self, results: Results, ended: int, illegal: int) -> Info:
        info = self._mask_info(results)
        over = results.terminated
        if self._setup.four_seats:
            info["seat_rewards"], info["_seat_rewards"] = results.seat_rewards, over
        if not ended:
            return info
        last = info if self._mode != SAME_STEP else {}
        if illegal:
            last["illegal_action"] = last["_illegal_action"] = results.illegal.copy()
            over = over & ~results.illegal
        outcome = list(results.outcome)
        for name, has_it, row in self._outcomes:
            last[name], last[has_it] = outcome[row], over
        if self._setup.estimated:
            last["estimated"], last["_estimated"] = over.copy(), over
        if self._mode == SAME_STEP:
            info |= last
            info["final_obs"], info["_final_obs"] = results.final_observation, results.terminated
            info["final_info"], info["_final_info"] = last, results.terminated
        return info


def _rows_of(mask: Any, count: int) -> NDArray[np.intp]:
    """The tables of the option ``reset_mask``."""
    if mask is None:
        return np.arange(count)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (count,) or not mask.any():
        raise ValueError(f"the option 'reset_mask' is an array of bool ({count},) with a True in it; got {mask!r}")
    return np.flatnonzero(mask)
