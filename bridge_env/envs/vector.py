"""Many tables as a Gymnasium vector env: all of them make a call at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bridge_env.bidders import DEFAULT_BIDDER
from bridge_env.calls import NUM_CALLS
from bridge_env.envs.deals import LibraryDeals
from bridge_env.envs.episodes import EpisodeStock, draw_episodes, episode_key, seed_base, settled_by
from bridge_env.envs.kernels.arrays import (
    DISABLED,
    INJECTED,
    NEXT_STEP,
    SAME_STEP,
    Results,
    Room,
    outcomes_of,
    results_of,
    stock_of,
    terms_of,
)
from bridge_env.envs.kernels.crew import Crew
from bridge_env.envs.kernels.rounds import help_rounds, new_episodes, play_round
from bridge_env.envs.picture import Frame, checked_mode, frame_of
from bridge_env.envs.rewards import NOTHING, PAR, OwnReward, RewardFunction
from bridge_env.envs.setup import Setup, many_calls, no_call
from bridge_env.envs.table import Tables
from bridge_env.kernel_records import writeable
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

    With compiled bidders only (``pass``, ``random``, ``doubler``, or none: ``learner="all"``), solved deals and no
    control pair, one compiled kernel does the whole step, new deals included. Otherwise other bidders are called
    once a round for all tables that wait for them, and boards are drawn in batches.

    It can be copied (``copy.deepcopy``) and pickled at any time; the copy goes on as the env would, with threads of its
    own. If a bidder fails in ``step`` or ``reset``, all tables must be reset.

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
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.

    Raises:
        ValueError: an argument is wrong; the message lists the choices.
        FileNotFoundError: ``deals`` is a path without a file.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as gymnasium declares it
        "render_modes": ["ansi", "rgb_array"],
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
        reward: str | RewardFunction | None = None,
        illegal: str = "end",
        illegal_penalty: float | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        if num_envs < 1 or threads < 1:
            raise ValueError(f"num_envs={num_envs!r} and threads={threads!r} must be 1 or more")
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
        self.num_envs, self._mode = num_envs, _MODES[mode]
        self.render_mode = checked_mode(render_mode, self.metadata["render_modes"])
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.single_action_space = spaces.Discrete(NUM_CALLS)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = spaces.MultiBinary(OBSERVATION_SIZE)
        # A Box, which batch_space gives, would hold four numbers for each feature of each table.
        self.observation_space = spaces.MultiBinary((num_envs, OBSERVATION_SIZE))
        self._copy, self._threads = copy, min(threads, max(1, num_envs // _LEAST_ROWS))
        self._crew: Crew | None = None
        self._tables = Tables(num_envs, self._setup.table, terms_of(self._setup))
        self._outcomes = outcomes_of(self._setup)
        self._own_reward = isinstance(self._setup.reward, OwnReward)
        self._results = results_of(num_envs, self._mode)
        self._true, self._false = np.ones(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
        self._started = False
        self._whole = False  # has the last reset or step been done to its end?
        # The source of episodes is opened at the first reset, and by a copy when it is first used.
        self._compiled: bool | None = None  # is it the kernel's?
        self._drawn: EpisodeStock | None = None  # else this

    def __getstate__(self) -> dict[str, Any]:
        # What is dealt is at the tables; threads and what kernels deal from are found again when they are needed.
        return self.__dict__ | {"_crew": None, "_compiled": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._results = writeable(self._results)

    @property
    def _room(self) -> Room:
        return self._tables.room

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
            ValueError: an option or the seeds are wrong (``DealError`` for a deal); then nothing has changed.
            ResetNeeded: it is of some tables only, and all must be: at first, and after a failure.
        """
        chosen = dict(options or {})
        rows = _rows_of(chosen.pop("reset_mask", None), self.num_envs)
        if not self._whole and len(rows) < self.num_envs:
            what = "a reset() after a failure" if self._started else "the first reset()"
            raise ResetNeeded(f"{what} is of all tables, without a reset_mask")
        settled = settled_by(chosen, len(rows)) if chosen else None
        super().reset(seed=seed if isinstance(seed, int | np.integer) else None)
        self._seed(seed, rows)
        self._open()
        self._whole = False  # until all went well: an injected bidder may fail
        self._deal(rows, settled)
        self._started = self._whole = True
        results = self._fresh_results()
        self._tables.show(None, results.observation, results.mask)
        return results.observation, self._mask_info(results)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Make a call at every table, int (N,), and bid until the caller's next turns.

        Raises:
            IllegalCall: with ``illegal="raise"``, and then nothing has changed.
            ValueError: an action is no call at all, or there is not one for each table; nothing has changed either.
            ResetNeeded: before the first reset; an episode is over, and there is no autoreset; or the last step failed
                halfway, because a bidder did.
        """
        calls = self._checked(actions)
        if self._compiled is None:
            self._open()
        before, results = self._results, self._fresh_results()
        self._whole = False
        bad, ended, illegal = self._play(calls, results) if self._compiled else self._play_in_steps(calls, results)
        if ended and self._own_reward:
            self._tables.pay_own(self._setup, results)
        self._whole = True
        if bad >= 0:
            self._results = before
            raise self._refusal(bad, np.asarray(actions)[bad])
        info = self._info(results, ended, illegal)
        return results.observation, results.reward, results.terminated, self._false.copy(), info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal calls, bool (N, 38).

        Raises:
            ResetNeeded: before the first reset, or after a step that failed halfway.
        """
        if not self._whole:
            raise ResetNeeded("call reset() before action_masks()")
        return self._results.mask.astype(np.bool_)

    def render(self) -> tuple[str, ...] | tuple[Frame, ...] | None:
        """Each table's hands, auction and, at its end, result, as ``render_mode`` says.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        if not self._started:
            raise ResetNeeded("call reset() before render()")
        tables, deals, rows = self._tables, self._setup.deals, range(self.num_envs)
        if self.render_mode == "ansi":
            return tuple(tables.text(row, deals) for row in rows)
        return tuple(frame_of(tables, row, deals) for row in rows)

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
            told = [_whole_seed(seed[row], int(row)) for row in rows]
            if not self._started and len(rows) < n:
                raise ValueError("the first reset() needs a seed for every table, or None for all of them")
        self._room.base[rows] = seed_base(np.array(told, np.uint64))
        self._room.number[rows] = 0

    def _open(self) -> None:
        """Open the source of episodes, once."""
        if self._compiled is not None:
            return
        setup = self._setup
        compiled = INJECTED not in self._room.kinds and setup.reward.reference in (PAR, NOTHING)
        if compiled and isinstance(setup.deals, LibraryDeals):
            self._tables.plan.put(stock_of(setup, setup.deals, self._mode))
        elif self._drawn is None:
            self._drawn = EpisodeStock(setup, self.num_envs)
        self._compiled = self._drawn is None

    def _deal(self, rows: NDArray[np.intp], settled: Info | None = None) -> None:
        """The next episodes at the tables ``rows``, with some of each settled by the options of ``reset``."""
        room, setup = self._room, self._setup
        if self._compiled and settled is None:
            new_episodes(rows, self._tables.plan.numbers)
            return
        base, number = room.base[rows], room.number[rows]
        if settled is not None:
            episodes, at = draw_episodes(setup, episode_key(base, number), number, **settled), np.arange(len(rows))
        else:
            assert self._drawn is not None
            episodes, at = self._drawn.take(rows, base, number)
        room.number[rows] += 1
        self._tables.start(rows, episodes.boards, episodes.key, at, episodes.reference)

    # --- a round ------------------------------------------------------------------------------------------

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The calls as int64 (N,), of which the kernels have still to see whether they are calls."""
        if not self._whole:
            why = "the last one failed halfway; call reset()" if self._started else "call reset()"
            raise ResetNeeded(f"{why} before step()")
        calls = many_calls(actions, self.num_envs)
        if self._mode == DISABLED and self._room.finished.any():
            row = int(np.flatnonzero(self._room.finished)[0])
            raise ResetNeeded(f"the auction at table {row} is over; reset(options={{'reset_mask': ...}}) deals a board")
        return calls

    def _refusal(self, bad: int, action: Any) -> ValueError:
        """What is wrong with the action at table ``bad``."""
        if not 0 <= action < NUM_CALLS:
            return no_call(action, f" at table {bad}")
        return self._tables.auctions.illegal_call_error(bad, int(action))

    def _play(self, calls: NDArray[np.int64], results: Results) -> tuple[int, int, int]:
        """A round, all of it compiled.

        Returns the first table whose call was refused, or -1; how many episodes ended, and how many illegally.
        """
        crew, plan = self._crew, self._tables.plan
        if self._threads > 1 and (crew is None or not crew.here):
            shares = self.num_envs // _SHARE  # the threads keep the plan and its arrays, not the env
            crew = self._crew = Crew(self._threads - 1, shares, lambda posts: help_rounds(posts, plan.numbers))
        if crew is not None:
            crew.rouse()
        posts = _ALONE if crew is None else crew.posts
        strict = self._setup.illegal == "raise"
        bad, ended, illegal, late = play_round(strict, posts, plan.numbers, calls, *results)
        if late:
            assert crew is not None
            ended, illegal = crew.gather_late()
        return bad, ended, illegal

    def _play_in_steps(self, calls: NDArray[np.int64], results: Results) -> tuple[int, int, int]:
        """A round for injected bidders and any source of deals; returns as ``_play``."""
        tables, room = self._tables, self._room
        bad = tables.first_bad(calls, self._setup.illegal == "raise")
        if bad >= 0:
            return bad, 0, 0
        waiting = np.flatnonzero(room.finished) if self._mode == NEXT_STEP else None
        tables.call(calls)
        tables.settle(results, self._setup.deals)
        ended = np.flatnonzero(results.terminated)
        room.finished[ended] = True
        if waiting is not None and waiting.size:
            self._deal(waiting)
        elif self._mode == SAME_STEP and ended.size:
            tables.show(ended, results.final_observation, results.mask)
            self._deal(ended)
        tables.show(None, results.observation, results.mask)
        return -1, len(ended), int(results.illegal.sum())

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


def _whole_seed(seed: Any, row: int) -> int:
    """The seed of the table ``row``."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"the seed of table {row} is {seed!r}; seeds are whole numbers, 0 or more, or None")
    return int(seed) % 2**64


def _rows_of(mask: Any, count: int) -> NDArray[np.intp]:
    """The tables of the option ``reset_mask``."""
    if mask is None:
        return np.arange(count)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (count,) or not mask.any():
        raise ValueError(f"the option 'reset_mask' is an array of bool ({count},) with a True in it; got {mask!r}")
    return np.flatnonzero(mask)
