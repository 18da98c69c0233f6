"""One table as a Gymnasium env: one learner, the other seats bid by injected bidders."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from bridge_env.bidders.observation import OBSERVATION_SIZE
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import DEFAULT_BIDDER
from bridge_env.envs.compiled.arrays import CALLER_TURN, DISABLED, REFERENCE, SCORE, TRICKS, new_output
from bridge_env.envs.config import EnvConfig, one_call
from bridge_env.envs.episodes import EpisodeBuffer, parse_reset_options, seed_base
from bridge_env.envs.picture import Frame, checked_mode, close_window, frame_of, show_frame
from bridge_env.envs.rewards import PAR, RewardFunction
from bridge_env.envs.table import Tables
from bridge_env.rules.auction import Contracts
from bridge_env.rules.calls import NUM_CALLS
from bridge_env.rules.cards import parse_seat

_ROW = np.zeros(1, np.intp)

Observation = NDArray[np.int8]


class BiddingEnv(gymnasium.Env[Observation, np.int64]):
    """Contract-bridge bidding for one learner, who acts only when it is its turn.

    Actions are ``Discrete(38)``: Pass 0, X 1, XX 2, 1C 3 ... 7NT 37 (``bridge_env.rules.calls``). Observations
    are ``MultiBinary(480)``, int8 (``bridge_env.bidders.observation``). ``info["action_mask"]``, int8 (38,), marks
    on reset and on every step the legal calls; ``action_masks()`` returns it as bool, for sb3-contrib's
    MaskablePPO.

    Every seat calls at least once in an auction, so ``reset`` always returns at a turn of the learner. The
    reward is 0 until the auction has ended; then it is what ``reward`` names (``bridge_env.envs.rewards``)
    and the episode is terminated. The last observation shows the whole auction to the learner's seat that
    called last, its mask allows Pass only, and its ``info`` also holds

    - ``contract``, such as ``"4SX N"`` or ``"Pass"``, and ``auction``, ``"N: 1C Pass ..."``,
    - ``tricks``, declarer's, -1 if passed out, and ``score``, in points for the learner's side,
    - with reward ``imps``: ``control_contract`` and ``control_score``, the learner's side's at the other
      table,
    - with reward ``imps_vs_par``: ``par``, in points for the learner's side,
    - ``estimated``, True, where the tricks are estimates (``deals="estimated"``).

    With ``learner="all"`` the caller bids all four seats, each observation is that of the seat to call, and
    there are no other bidders. The reward is that of the seat that made the last call; ``info["seat_rewards"]``,
    float32 (4,), has one for each seat N E S W, where NS = -EW. Points in ``info`` are North-South's.

    An illegal call ends the episode with minus ``illegal_penalty`` and ``info["illegal_action"] = True``
    (of four seats, the other three pay nothing); with ``illegal="raise"`` it raises ``IllegalCall`` and
    changes nothing.

    ``reset(seed=)`` begins a sequence of episodes, each a function of (seed, its number) alone. The
    ``options`` of ``reset`` set one episode; each may be left out: ``deal`` (``"N:AK... ..."`` or owners
    (52,)), ``dealer`` (``"N"``) and ``vulnerability`` (``"NS"``).

    It can be copied (``copy.deepcopy``) and pickled at any time; the copy goes on as the env would. (Pickling needs a
    reward that is no lambda.)

    A function as ``reward`` is called with the N auctions that have ended together, here one, and returns numbers,
    (N,); the names of its parameters choose its arguments (``bridge_env.envs.rewards``).

    Args:
        learner: the seat to bid for, ``"N" "E" "S" "W"``, both seats of a partnership, ``"NS" "EW"``, or
            ``"all"`` four.
        partner: a spec string (``bridge_env.bidders.registry``) or a Bidder; not used if the learner bids both seats.
        opponents: spec or Bidder of the other side, the same at both tables.
        control: spec or Bidder of the learner's side at the other table; used by the reward ``imps`` only.
        deals: ``"training"``, ``"judging"``, ``"library"``, ``"random"``, ``"estimated"``, a PBN file, owners, or a
            DealSource (``bridge_env.envs.deals``). Nothing is read before the first reset.
        dealer: a seat; None = the board's, else at random.
        vulnerability: ``"None" "NS" "EW" "Both"``; None = the board's, else at random.
        reward: ``"imps"``, ``"imps_vs_par"`` or ``"points"``; None = ``"imps"``, and ``"imps_vs_par"`` for all
            four seats, who have no control pair. Or a function, see above.
        illegal: ``"end"`` or ``"raise"``.
        illegal_penalty: what an illegal call costs; None = the worst result, 24 IMPs or 7600 points. A function that
            pays needs a number here, unless ``illegal="raise"``.
        render_mode: None; ``"ansi"``: hand diagram and auction as text; ``"rgb_array"``: the table as a picture, uint8
            (480, 720, 3); ``"human"``: that in a window, renewed by every ``reset`` and ``step``.

    Raises:
        ValueError: an argument is wrong; the message lists the choices.
        FileNotFoundError: ``deals`` is a path without a file.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 1}  # noqa: RUF012 - as gymnasium.Env declares it

    def __init__(
        self,
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
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = checked_mode(render_mode, self.metadata["render_modes"])
        self.action_space = spaces.Discrete(NUM_CALLS)
        self.observation_space = spaces.MultiBinary(OBSERVATION_SIZE)
        self._config = EnvConfig.of(
            learner=learner, partner=partner, opponents=opponents, control=control, deals=deals, dealer=dealer,
            vulnerability=vulnerability, reward=reward, illegal=illegal, illegal_penalty=illegal_penalty,
        )  # fmt: skip
        self._tables = Tables(1, self._config.table, self._config)
        self._episodes = EpisodeBuffer(self._config, 1)
        self._control: tuple[Contracts, int] | None = None  # the other table's contracts, and which is the episode's
        self._seeded = False
        self._dealt = False
        self._over = True
        self._mask: NDArray[np.int8] | None = None  # of the learner's turn; None after a failure too

    # --- Gymnasium's methods ------------------------------------------------------------------------------

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
        episodes, at = self._episodes.deal(self._tables, _ROW, parsed)
        self._control = None if episodes.control is None else (episodes.control, int(at[0]))
        self._dealt, self._over = True, False
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
        observation, info = self._observe()
        reward = self._finish(info) if self._over else 0.0
        if self.render_mode == "human":
            self.render()
        return observation, reward, self._over, False, info

    def close(self) -> None:
        """Close the window."""
        if self.render_mode == "human":
            close_window()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal calls, bool (38,).

        Raises:
            ResetNeeded: before the first reset.
        """
        if self._mask is None:
            raise ResetNeeded("call reset() before action_masks()")
        return self._mask.astype(np.bool_)

    @property
    def turn(self) -> int:
        """Return the seat 0..3 to call."""
        return int(self._tables.auctions.turn[0])

    def seen_by(self, seat: int) -> Observation:
        """Return the observation of any seat 0..3, whoever is to call: int8 (480,).

        Raises:
            ValueError: not a seat.
            ResetNeeded: before the first reset.
        """
        if not self._dealt:
            raise ResetNeeded("call reset() before seen_by()")
        return self._tables.seen_by(0, parse_seat(seat))

    def render(self) -> str | Frame | None:
        """Show all four hands, the auction so far and, at its end, the result in the ``render_mode``.

        Raises:
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi', 'rgb_array' or 'human'; nothing is shown")
            return None
        if not self._dealt:
            raise ResetNeeded("call reset() before render()")
        if self.render_mode == "ansi":
            return self._tables.text(0)
        frame = frame_of(self._tables, 0)
        if self.render_mode == "rgb_array":
            return frame
        show_frame(frame, 1 / self.metadata["render_fps"])
        return None

    # --- what a step returns ------------------------------------------------------------------------------

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        observation, mask = np.empty((1, OBSERVATION_SIZE), np.int8), np.empty((1, NUM_CALLS), np.int8)
        self._tables.show(None, observation, mask)
        self._mask = mask[0]
        return observation[0], {"action_mask": self._mask}

    def _finish(self, info: dict[str, Any]) -> float:
        """Return the reward of an episode that has ended, and write its outcome to ``info``."""
        config, auctions, output = self._config, self._tables.auctions, new_output(1, DISABLED)
        self._tables.finish(output)
        self._tables.write_custom_rewards(output)
        outcome = output.outcome[:, 0]
        if output.illegal[0]:
            info["illegal_action"] = True
        else:
            info["contract"] = str(auctions.contracts().at(0))
            info["auction"] = auctions.text(0)
            info["tricks"] = int(outcome[TRICKS])
            info["score"] = int(outcome[SCORE])
            if config.estimated:
                info["estimated"] = True
            if self._control is not None:
                contracts, row = self._control
                info["control_contract"] = str(contracts.at(row))
                info["control_score"] = int(outcome[REFERENCE])
            elif config.reward.reference == PAR:
                info["par"] = int(outcome[REFERENCE])
        if config.four_seats:
            info["seat_rewards"] = output.seat_rewards[0]
        return float(output.reward[0])
