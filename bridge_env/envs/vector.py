"""Many tables as a Gymnasium vector env: all of them make a call at every step."""

from __future__ import annotations

from functools import cached_property
from operator import index
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.array_structs import writeable
from bridge_env.envs.compiled.arrays import (
    BIDDER,
    DISABLED,
    NEXT_STEP,
    NO_OUTCOME,
    SAME_STEP,
    SolvedDeals,
    StepOutput,
    new_output,
)
from bridge_env.envs.compiled.steps import deal_rows, step_all
from bridge_env.envs.config import EnvConfig, EnvSetting, many_calls, not_a_call
from bridge_env.envs.deals import LibraryDeals
from bridge_env.envs.episodes import EpisodeBuffer, parse_reset_options, seed_base, table_seeds
from bridge_env.envs.picture import Frame, checked_mode, frame_of
from bridge_env.envs.rewards import PAR
from bridge_env.envs.table import OpenTables, Tables
from bridge_env.rules.calls import NUM_CALLS
from bridge_env.rules.par import ACCEPTED

_MODES = {AutoresetMode.NEXT_STEP: NEXT_STEP, AutoresetMode.SAME_STEP: SAME_STEP, AutoresetMode.DISABLED: DISABLED}
_NO_ROWS = np.zeros(0, np.intp)
_NO_OUTCOME = np.array(NO_OUTCOME, np.int16)[:, None]

Observations = NDArray[Any] | dict[str, NDArray[Any]]
Info = dict[str, Any]


class BiddingVectorEnv(OpenTables, VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` tables of ``BiddingEnv``, which explains the game.

    Table i, seeded with s, plays exactly the episodes of ``BiddingEnv`` after ``reset(seed=s)``: the same
    observations, masks, rewards and ``info``, whatever ``num_envs``. (Of one seed for all tables each gets its own, by
    ``bridge_env.envs.episodes.table_seeds``; with deals of your own, table i begins at deal i.)

    If all other seats pass (``"pass"``) or there are none (``learner="all"``), with solved deals and no control pair,
    one compiled kernel does the whole step, new deals included. Otherwise bidders are called once a round for all
    tables that wait for them, and boards are drawn in batches.

    It can be copied (``copy.deepcopy``) and pickled at any time; the copy goes on as the env would. If a bidder fails
    in ``step`` or ``reset``, all tables must be reset.

    ``step`` returns observations int8 (N, 480), rewards float64 (N,), terminations and truncations bool (N,)
    and ``info``, with the keys of ``BiddingEnv`` and a row for each table: ``action_mask`` int8 (N, 38), ``seat`` int8
    (N,), ``illegal_action`` bool (N,), the outcome int16 (N,), ``seat_rewards`` float32 (N, 4), ``opponent`` int8 (N,).
    All keys are there on every step. As Gymnasium has it, there is ``info["_name"]`` too, bool (N,), True.

    With same-step autoreset, where episodes have ended, there are ``final_obs``, their last observations, and
    ``final_info``, their last ``info``; ``info["_final_obs"]`` marks those tables. The outcome in ``info`` itself is
    that of the episodes that have just ended too; mask and seat are the next episode's.

    Args:
        num_envs: how many tables.
        autoreset_mode: of Gymnasium (or its value, such as ``"SameStep"``). Next-step: a table whose episode
            has ended gets a new deal at the next step, which ignores its action. Same-step: at once. Disabled:
            by ``reset(options={"reset_mask": bool (N,)})``.
        copy: True: every step returns new arrays. False: it returns the same ones, written to again, which
            saves memory bandwidth; copy those to be used later.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.
        setting: as of ``BiddingEnv``.

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
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **setting: Unpack[EnvSetting],
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs!r} must be 1 or more")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._config = config = EnvConfig.of(**setting)
        self.num_envs, self._mode, self._copy = num_envs, _MODES[self.autoreset_mode], copy
        self.render_mode = checked_mode(render_mode, self.metadata["render_modes"])
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_action_space = spaces.Discrete(NUM_CALLS)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = config.observations.space
        self._tables = Tables(num_envs, config.table, config)
        self._output = new_output(num_envs, self._mode)
        self._true, self._false = np.ones(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
        self._true.flags.writeable = False  # in every info
        self._marks: Info = {}
        # Found once: with a hundred tables a step takes some ten microseconds.
        self._outcomes, self._plain = tuple(config.outcomes.items()), config.observations.plain
        self._four_seats, self._estimated = config.four_seats, config.estimated
        self._started = False
        self._ready = False  # whether the last reset or step succeeded
        # Can one kernel do a whole step? Else episodes come from a buffer.
        bidders = BIDDER in self._tables.state.kinds or config.other_table is not None
        plain = not config.text and config.observations.function is None
        self._compiled = isinstance(config.deals, LibraryDeals) and not bidders and plain
        self._opened = False  # whether the kernel has the library, which is opened at the first reset
        self._episodes = EpisodeBuffer(config, num_envs)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_opened": False}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._output = writeable(self._output)

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """Return the space of all tables' observations, made at its first use: it has four times their memory."""
        return batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: Info | None = None
    ) -> tuple[Observations, Info]:
        """Deal boards and bid until the caller's first turns.

        Args:
            seed: one for all tables (``table_seeds``), or one for each; None = the next episodes after the last seed.
            options: ``reset_mask``, bool (N,), only these tables (the observations of the others stay as they are);
                and ``deal``, ``dealer``, ``vulnerability`` as in ``BiddingEnv``, the same for all tables.

        Raises:
            ValueError: an option or the seeds are wrong (``DealError`` for a deal); then nothing has changed.
            ResetNeeded: it is of some tables only, and all must be: at first, and after a failure.
        """
        options = dict(options or {})
        rows = _rows_of(options.pop("reset_mask", None), self.num_envs)
        if not self._ready and len(rows) < self.num_envs:
            problem = "a reset() after a failure" if self._started else "the first reset()"
            raise ResetNeeded(f"{problem} is of all tables, without a reset_mask")
        parsed = parse_reset_options(options, len(rows)) if options else None
        super().reset(seed=seed if isinstance(seed, int | np.integer) else None)
        self._seed(seed, rows)
        self._ready = False  # while an injected bidder may fail
        self._deal(rows, parsed)
        self._started = self._ready = True
        self._output = output = self._new_output()
        self._tables.show(None, output.observation, output.mask, output.seat)
        output.terminated[:], output.illegal[:], output.seat_rewards[:] = False, False, 0
        output.outcome[:] = _NO_OUTCOME
        return self._observed(output), self._info(output, self._extras(_NO_ROWS))

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
        if not self._ready:
            problem = "the last one failed halfway; call reset()" if self._started else "call reset()"
            raise ResetNeeded(f"{problem} before step()")
        calls, finished = many_calls(actions, self.num_envs), self._tables.state.finished
        if self._mode == DISABLED and finished.any():
            row = int(np.flatnonzero(finished)[0])
            raise ResetNeeded(f"the auction at table {row} is over; reset(options={{'reset_mask': ...}}) deals a board")
        output = self._new_output()
        self._ready = False  # while an injected bidder or a custom reward may fail
        ending: Info = {}
        if self._compiled:
            bad, ended = self._step_compiled(calls, output)
        else:
            bad, ended, ending = self._step_in_parts(calls, output)
        if bad >= 0:
            self._ready = True
            if not 0 <= calls[bad] < NUM_CALLS:
                raise not_a_call(np.asarray(actions)[bad], f" at table {bad}")
            raise self._tables.auctions.illegal_call_error(bad, int(calls[bad]))
        self._output, self._ready = output, True
        info = self._info(output, ending)
        if ended and self._mode == SAME_STEP:
            self._add_final(info, output, ending)
        return self._observed(output), output.reward, output.terminated, self._false.copy(), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal calls, bool (N, 38).

        Raises:
            ResetNeeded: before the first reset, or after a step that failed halfway.
        """
        if not self._ready:
            raise ResetNeeded("call reset() before action_masks()")
        return self._output.mask.astype(np.bool_)

    def render(self) -> tuple[str, ...] | tuple[Frame, ...] | None:
        """Return each table's hands, auction and, at its end, result in the ``render_mode``.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            return None
        self._check_started("render")
        tables, rows = self._tables, range(self.num_envs)
        if self.render_mode == "ansi":
            return tuple(tables.text(row) for row in rows)
        return tuple(frame_of(tables, row) for row in rows)

    def _seed(self, seed: int | list[int | None] | None, rows: NDArray[np.intp]) -> None:
        """Begin the episodes of new seeds at ``rows``, as ``reset`` says."""
        if seed is None and self._started:
            return
        if seed is None or isinstance(seed, int | np.integer):
            first = int(self.np_random.integers(2**63)) if seed is None else int(seed)
            numbers = table_seeds(first, self.num_envs)[rows]
        else:
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} tables")
            rows = np.array([row for row in rows if seed[row] is not None], np.intp)
            seeds = [index(seed[row]) for row in rows]
            if min(seeds, default=0) < 0:
                raise ValueError(f"seeds are whole numbers, 0 or more, or None; got {min(seeds)}")
            if not self._started and len(rows) < self.num_envs:
                raise ValueError("the first reset() needs a seed for every table, or None for all of them")
            numbers = np.array([number % 2**64 for number in seeds], np.uint64)
        self._tables.state.base[rows] = seed_base(numbers)
        self._tables.state.number[rows] = 0

    def _open(self) -> None:
        """Open the library for the kernel, once."""
        config, deals = self._config, self._config.deals
        if not self._opened:
            assert isinstance(deals, LibraryDeals)
            dealer, vulnerability = (-1 if fixed is None else fixed for fixed in (config.dealer, config.vulnerability))
            records, indices, images = deals.records()
            by_par = int(config.reward.reference == PAR)
            self._tables.pointers.set(
                SolvedDeals(self._mode, records, indices, images, dealer, vulnerability, by_par, ACCEPTED)
            )
            self._opened = True

    def _deal(self, rows: NDArray[np.intp], options: Info | None = None) -> None:
        """Start the next episodes at the tables ``rows``, with the parsed options of ``reset``."""
        if self._compiled and options is None:
            self._open()
            deal_rows(self._tables.pointers.addresses, rows)
        else:
            self._episodes.deal(self._tables, rows, options)

    def _step_compiled(self, calls: NDArray[np.int64], output: StepOutput) -> tuple[int, int]:
        """Do a step in one kernel; return the first table whose call is refused, or -1, and how many episodes ended."""
        self._open()
        strict = self._config.illegal == "raise"
        bad, ended = step_all(self._tables.pointers.addresses, calls, strict, *output)
        if ended:
            self._tables.write_custom_rewards(output)
        return bad, ended

    def _step_in_parts(self, calls: NDArray[np.int64], output: StepOutput) -> tuple[int, int, Info]:
        """Do any step; return the table of a refused call or -1, the episodes ended, ``info`` before new deals."""
        tables, finished = self._tables, self._tables.state.finished
        bad = tables.first_bad(calls, self._config.illegal == "raise")
        if bad >= 0:
            return bad, 0, {}
        waiting = np.flatnonzero(finished) if self._mode == NEXT_STEP else None
        tables.call(calls)
        tables.finish(output)
        ended = np.flatnonzero(output.terminated)
        finished[ended] = True
        extras = self._extras(np.flatnonzero(output.terminated & ~output.illegal))
        if waiting is not None and waiting.size:
            self._deal(waiting)
        elif self._mode == SAME_STEP and ended.size:
            tables.show(ended, output.final_observation, output.final_mask, output.final_seat)
            if self._config.observations.function is not None:
                extras["final_obs"] = self._final_observed(output)
            self._deal(ended)
        tables.show(None, output.observation, output.mask, output.seat)
        return -1, len(ended), extras

    def _new_output(self) -> StepOutput:
        """Return the arrays to write a step's results to."""
        return new_output(self.num_envs, self._mode) if self._copy else self._output

    def _observed(self, output: StepOutput) -> Observations:
        if self._plain:
            return output.observation
        return self._config.observations.of(output.observation, output.mask, self._tables.view)

    def _final_observed(self, output: StepOutput) -> Observations:
        return self._config.observations.of(output.final_observation, output.final_mask, self._tables.view)

    def _extras(self, ended: NDArray[np.intp]) -> Info:
        """Return what only some envs have in ``info``: text, of the auctions that have ``ended``, and ``opponent``."""
        extras: Info = dict(self._tables.texts(ended)) if self._config.text else {}
        if self._tables.pool:
            extras["opponent"] = self._tables.opponent.copy()
        return extras

    def _info(self, output: StepOutput, extras: Info) -> Info:
        """Return ``info``; ``extras`` are of the tables as their episodes ended."""
        info = self._numbers(output, output.mask, output.seat)
        if extras:
            info |= extras
            info.pop("final_obs", None)
            if self._tables.pool:
                info["opponent"] = self._tables.opponent.copy()
        if not self._marks:
            self._marks = dict.fromkeys((f"_{name}" for name in info), self._true)
        info.update(self._marks)
        return info

    def _numbers(self, output: StepOutput, mask: NDArray[np.int8], seat: NDArray[np.int8]) -> Info:
        """Return what every env has in ``info``."""
        info: Info = {"action_mask": mask, "seat": seat, "illegal_action": output.illegal}
        for name, row in self._outcomes:
            info[name] = output.outcome[row]
        if self._four_seats:
            info["seat_rewards"] = output.seat_rewards
        if self._estimated:
            info["estimated"] = self._true
        return info

    def _add_final(self, info: Info, output: StepOutput, extras: Info) -> None:
        """Add ``final_obs`` and ``final_info`` to ``info``."""
        over = output.terminated
        last = self._numbers(output, output.final_mask, output.final_seat) | extras
        seen = last.pop("final_obs", None)
        info["final_obs"] = self._final_observed(output) if seen is None else seen
        info["final_info"] = last | dict.fromkeys((f"_{name}" for name in last), over)
        info["_final_obs"] = info["_final_info"] = over


def _rows_of(mask: Any, count: int) -> NDArray[np.intp]:
    """Return the tables of the option ``reset_mask``."""
    if mask is None:
        return np.arange(count)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (count,) or not mask.any():
        raise ValueError(f"the option 'reset_mask' is an array of bool ({count},) with a True in it; got {mask!r}")
    return np.flatnonzero(mask)
