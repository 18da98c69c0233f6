"""One table as a Gymnasium env: one learner, the other seats bid by injected bidders."""

from __future__ import annotations

from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from bridge_env.bidders.observation import OBSERVATION_SIZE
from bridge_env.envs.compiled.arrays import CALLER_TURN, DISABLED, NO_OUTCOME, StepOutput, new_output
from bridge_env.envs.config import EnvConfig, EnvSetting, one_call
from bridge_env.envs.episodes import EpisodeBuffer, parse_reset_options, seed_base
from bridge_env.envs.picture import Frame, checked_mode, close_window, frame_of, show_frame
from bridge_env.envs.table import OpenTables, Tables
from bridge_env.rules.calls import NUM_CALLS, PASS
from bridge_env.rules.cards import parse_seat

_ROW = np.zeros(1, np.intp)
_PASS_ONLY = (np.arange(NUM_CALLS) == PASS).astype(np.int8)

Observation = NDArray[Any] | dict[str, NDArray[Any]]


class BiddingEnv(OpenTables, gymnasium.Env[Observation, np.int64]):
    """Contract-bridge bidding for one learner, who acts only when it is its turn.

    Actions are ``Discrete(38)``: Pass 0, X 1, XX 2, 1C 3 ... 7NT 37 (``bridge_env.rules.calls``). Observations
    are ``Box(0, 1, (480,), int8)`` (``bridge_env.bidders.observation``), or what ``observation``, ``masked`` and
    ``dtype`` make of them.

    Every seat calls at least once in an auction, so ``reset`` always returns at a turn of the learner. The
    reward is 0 until the auction has ended; then it is what ``reward`` names (``bridge_env.envs.rewards``)
    and the episode is terminated. The last observation shows the whole auction to the learner's seat that
    called last, and its mask allows Pass only.

    ``info`` has the same keys on ``reset`` and on every step:

    - ``action_mask``, int8 (38,): the legal calls. (``action_masks()`` returns it as bool, for sb3-contrib's
      MaskablePPO.)
    - ``seat``: whose turn it is and whose observation this is, 0 to 3 for N E S W.
    - ``illegal_action``: whether an illegal call has ended the episode.
    - of an auction that has ended: ``score`` and, with reward ``imps_vs_par``, ``par``, with ``imps``,
      ``control_score``, in points for the learner's side (North-South's for ``"all"``); the contract ``bid`` (0 to 34
      for 1C to 7NT, -1 if passed out), ``doubling`` (0, 1, 2), ``declarer`` and its ``tricks`` (-1 if passed out).
      Before that: as if passed out.
    - ``seat_rewards``, float32 (4,), with ``learner="all"``: the reward of each seat N E S W, where NS = -EW.
    - ``opponent``, with a pool of opponents: which of them the episode has.
    - ``estimated``, True: with ``deals="estimated"``, whose tricks are estimates.
    - with ``text=True``: ``auction``, ``"N: 1C Pass ..."``, ``contract``, such as ``"4SX N"`` or ``"Pass"``, and with
      reward ``imps`` ``control_contract``, that of the other table; ``""`` until the auction has ended.

    With ``learner="all"`` the caller bids all four seats, each observation is that of the seat to call, and
    there are no other bidders. The reward is that of the seat that made the last call.

    An illegal call ends the episode with minus ``illegal_penalty`` (of four seats, the other three pay nothing); with
    ``illegal="raise"`` it raises ``IllegalCall`` and changes nothing.

    ``reset(seed=)`` begins a sequence of episodes, each a function of (seed, its number) alone. The
    ``options`` of ``reset`` set one episode; each may be left out: ``deal`` (``"N:AK... ..."`` or owners
    (52,)), ``dealer`` (``"N"``) and ``vulnerability`` (``"NS"``).

    It can be copied (``copy.deepcopy``) and pickled at any time; the copy goes on as the env would, with the same
    bidders. (Pickling needs functions that are no lambdas.)

    A function as ``reward`` is called with the N auctions that have ended together, here one, and returns numbers,
    (N,); the names of its parameters choose its arguments (``bridge_env.envs.rewards``).

    Args:
        render_mode: None; ``"ansi"``: hand diagram and auction as text; ``"rgb_array"``: the table as a picture, uint8
            (480, 720, 3); ``"human"``: that in a window, renewed by every ``reset`` and ``step``.
        setting:
            - ``learner``: the seat to bid for, ``"N" "E" "S" "W"``, both seats of a partnership, ``"NS" "EW"``, or
              ``"all"`` four.
            - ``partner``: a spec string (``bridge_env.bidders.registry``) or a Bidder; not used if the learner bids
              both seats.
            - ``opponents``: spec or Bidder of the other side, the same at both tables; or a list of them, a pool of
              which each episode has one, drawn from the seed.
            - ``control``: spec or Bidder of the learner's side at the other table; used by the reward ``imps`` only.
            - ``deals``: ``"training"``, ``"judging"``, ``"library"``, ``"random"``, ``"estimated"``, a PBN file,
              owners, or a DealSource (``bridge_env.envs.deals``). Nothing is read before the first reset.
            - ``order``: of deals of your own. ``"next"``: table i of a vector env plays deals i, i + 1 ...;
              ``"spread"``: i, i + N ... at N tables; ``"shuffle"``: each table all of them in an order by chance.
            - ``dealer``: a seat; None = the board's, else at random.
            - ``vulnerability``: ``"None" "NS" "EW" "Both"``; None = the board's, else at random.
            - ``reward``: ``"imps"``, ``"imps_vs_par"`` or ``"points"``; None = ``"imps"``, and ``"imps_vs_par"`` for
              all four seats, who have no control pair. Or a function, see above.
            - ``illegal``: ``"end"`` or ``"raise"``.
            - ``illegal_penalty``: what an illegal call costs; None = the worst result, 24 IMPs or 7600 points. A
              function that pays needs a number here, unless ``illegal="raise"``.
            - ``observation``: ``"bits"``, ``"hand"``, ``"shown:SYSTEM"`` or a function of the view
              (``bridge_env.envs.observations``).
            - ``masked``: True: observations are ``{"observation": ..., "action_mask": int8 (38,)}``.
            - ``dtype``: ``"int8"``, or ``"float32"`` for observations and masks in them.
            - ``text``: whether ``info`` holds text too.

    Raises:
        ValueError: an argument is wrong; the message lists the choices.
        FileNotFoundError: ``deals`` is a path without a file.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 1}  # noqa: RUF012 - as gymnasium.Env declares it

    def __init__(self, *, render_mode: str | None = None, **setting: Unpack[EnvSetting]) -> None:
        self.render_mode = checked_mode(render_mode, self.metadata["render_modes"])
        self._config = config = EnvConfig.of(**setting)
        self.action_space = spaces.Discrete(NUM_CALLS)
        self.observation_space = config.observations.space
        self._tables = Tables(1, config.table, config)
        self._episodes = EpisodeBuffer(config, 1)
        self._seeded = False
        self._started = False
        self._over = True
        self._mask: NDArray[np.int8] | None = None  # of the learner's turn; None after a failure too
        # What does not change while an auction goes on, found once: a step takes some ten microseconds.
        self._same: dict[str, Any] = {"illegal_action": False}
        self._same |= {name: NO_OUTCOME[row] for name, row in config.outcomes.items()}
        self._same |= {"estimated": True} if config.estimated else {}
        self._four_seats, self._plain, self._text = config.four_seats, config.observations.plain, config.text

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a board and bid until the learner's first turn.

        Raises:
            ValueError: an option is unknown or wrong (``DealError`` for a deal); then nothing has changed.
        """
        parsed = parse_reset_options(options, 1) if options else None
        super().reset(seed=seed)
        self._over, self._mask = True, None
        if seed is not None or not self._seeded:
            self._tables.state.base[:] = seed_base(self.np_random.integers(2**63) if seed is None else seed % 2**64)
            self._tables.state.number[:] = 0
            self._seeded = True
        self._episodes.deal(self._tables, _ROW, parsed)
        self._started, self._over = True, False
        if self.render_mode == "human":
            self.render()
        return self._observe()

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make the learner's call and bid until its next turn or the end of the auction.

        Raises:
            IllegalCall: with ``illegal="raise"``, and then nothing has changed.
            ValueError: the action is no call at all, and nothing has changed either.
            ResetNeeded: the episode is over, or ended when a bidder failed.
        """
        if self._over:
            raise ResetNeeded("the auction is over; call reset() before the next step()")
        tables, calls = self._tables, np.array([one_call(action)])
        if self._config.illegal == "raise" and tables.first_bad(calls, True) == 0:
            raise tables.auctions.illegal_call_error(0, int(calls[0]), "")
        self._over, self._mask = True, None  # while an injected bidder may fail
        tables.call(calls)
        self._over = bool(tables.state.status[0] != CALLER_TURN)
        output = None
        if self._over:
            output = new_output(1, DISABLED)
            tables.finish(output)
        observation, info = self._observe(output)
        reward = 0.0 if output is None else float(output.reward[0])
        if self.render_mode == "human":
            self.render()
        return observation, reward, self._over, False, info

    def close(self) -> None:
        """Close the window."""
        if self.render_mode == "human":
            close_window()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal calls, bool (38,), as MaskablePPO asks for them.

        Raises:
            ValueError: the caller bids all four seats. A learner that takes them for one would be paid for the
                opponents' calls.
            ResetNeeded: before the first reset.
        """
        if self._config.four_seats:
            raise ValueError(
                "with learner='all' each call is another seat's, and a learner that asks for action_masks() would pay "
                "one seat for another's calls; use learner='NS', or info['action_mask'] in a loop of your own"
            )
        if self._mask is None:
            raise ResetNeeded("call reset() before action_masks()")
        return self._mask.astype(np.bool_)

    @property
    def turn(self) -> int:
        """Return the seat 0..3 to call."""
        return int(self._tables.auctions.turn[0])

    def seen_by(self, seat: int) -> Observation:
        """Return the observation of any seat 0..3, whoever is to call; a mask in it allows the others Pass only.

        Raises:
            ValueError: not a seat.
            ResetNeeded: before the first reset.
        """
        self._check_started("seen_by")
        tables, seat = self._tables, parse_seat(seat)
        mask = _PASS_ONLY if self._over or self._mask is None or seat != self.turn else self._mask
        return self._config.observations.first(
            tables.seen_by(0, seat)[None], mask[None].copy(), lambda: tables.view(seat)
        )

    def render(self) -> str | Frame | None:
        """Show all four hands, the auction so far and, at its end, the result in the ``render_mode``.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi', 'rgb_array' or 'human'; nothing is shown")
            return None
        self._check_started("render")
        if self.render_mode == "ansi":
            return self._tables.text(0)
        frame = frame_of(self._tables, 0)
        if self.render_mode == "rgb_array":
            return frame
        show_frame(frame, 1 / self.metadata["render_fps"])
        return None

    def _observe(self, output: StepOutput | None = None) -> tuple[Observation, dict[str, Any]]:
        """Return the observation and ``info``; ``output`` is that of an episode that has ended."""
        tables, seat = self._tables, np.empty(1, np.int8)
        bits, mask = np.empty((1, OBSERVATION_SIZE), np.int8), np.empty((1, NUM_CALLS), np.int8)
        tables.show(None, bits, mask, seat)
        self._mask = mask[0]
        info = {"action_mask": self._mask, "seat": int(seat[0]), **self._same}
        if self._four_seats:
            info["seat_rewards"] = np.zeros(4, np.float32) if output is None else output.seat_rewards[0]
        if tables.pool:
            info["opponent"] = int(tables.opponent[0])
        if output is not None:
            info["illegal_action"] = bool(output.illegal[0])
            info.update((name, int(output.outcome[row, 0])) for name, row in self._config.outcomes.items())
        if self._text:
            ended = output is not None and not info["illegal_action"]
            info.update((name, text[0]) for name, text in tables.texts(_ROW[: int(ended)]).items())
        observation = bits[0] if self._plain else self._config.observations.first(bits, mask, tables.view)
        return observation, info
