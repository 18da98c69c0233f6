"""The auction as a PettingZoo AEC env: four agents that call in turn.

As in PettingZoo, ``env()`` makes an env that reports misuse, ``raw_env()`` the bare one, and ``parallel_env()`` one for
libraries that step all agents together, where the calls of the three agents out of turn are ignored.

Import this module, and ``pettingzoo.make("aec", "bridge_env/Bidding-v0")`` finds ``env``.

Needs PettingZoo: ``pip install -e '.[pettingzoo]' -c constraints.txt``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from gymnasium import spaces

from bridge_env.bidders.view import BidView
from bridge_env.double_dummy.boards import Boards
from bridge_env.envs.config import EnvSetting
from bridge_env.envs.episodes import OPTIONS
from bridge_env.envs.picture import Frame
from bridge_env.envs.single import BiddingEnv
from bridge_env.io.optional_dependencies import how_to_install
from bridge_env.rules.calls import NUM_CALLS
from bridge_env.rules.cards import SEATS

try:
    from pettingzoo import AECEnv, register
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as error:
    raise ImportError(
        f"bridge_env.envs.aec needs PettingZoo; install it with: {how_to_install('pettingzoo')}"
    ) from error


ID = "bridge_env/Bidding-v0"


class BiddingAEC(AECEnv[str, Any, int | None]):  # type: ignore[misc] # PettingZoo has no types
    """Contract-bridge bidding for the agents ``"N" "E" "S" "W"``; see ``BiddingEnv`` for the game.

    Observations are ``{"observation": int8 (480,), "action_mask": int8 (38,)}``: the agent's own hand and
    the auction, and the legal calls, Pass alone when another agent is to call. Actions are calls 0..37.
    When the auction has ended every agent has its reward, NS = -EW, and all are terminated. ``infos`` have the keys of
    ``BiddingEnv`` but for the mask and the rewards, in points for the agent's side. An illegal call ends the auction;
    it costs the agent that made it ``illegal_penalty``, and the others nothing.

    After ``reset(seed=s)`` the deals are those of ``BiddingEnv(learner="all")`` and of table 0 of the vector
    env. ``reset`` takes their ``options``; it ignores others, which PettingZoo's own test passes. It can be copied
    and pickled at any time.

    Args:
        render_mode: as of ``BiddingEnv``.
        setting: ``deals``, ``order``, ``dealer``, ``vulnerability``, ``reward`` (``imps_vs_par`` or ``points``),
            ``illegal``, ``illegal_penalty``, ``dtype`` and ``text``, as ``BiddingEnv`` takes them.

    Raises:
        ValueError: an argument is wrong; the message lists the choices.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo declares it
        "name": "bridge_bidding_v0",
        "render_modes": BiddingEnv.metadata["render_modes"],
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(self, *, render_mode: str | None = None, **setting: Unpack[EnvSetting]) -> None:
        super().__init__()
        self.render_mode = render_mode
        setting["learner"], setting["masked"] = "all", True
        self._env = BiddingEnv(render_mode=render_mode, **setting)
        self.possible_agents = list(SEATS)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of all agents, the same object at every call."""
        return self._env.observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of all agents, the same object at every call."""
        return self._env.action_space

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a board; the dealer is to call."""
        settled = {name: value for name, value in (options or {}).items() if name in OPTIONS}
        _, info = self._env.reset(seed=seed, options=settled)
        self.agents = list(SEATS)
        self.rewards = dict.fromkeys(SEATS, 0.0)
        self._cumulative_rewards = dict.fromkeys(SEATS, 0.0)
        self.terminations = dict.fromkeys(SEATS, False)
        self.truncations = dict.fromkeys(SEATS, False)
        self.infos: dict[str, dict[str, Any]] = {seat: _info_for(seat, info) for seat in SEATS}
        self.agent_selection = SEATS[self._env.turn]

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent, in turn or not, in new arrays."""
        return self._env.seen_by(SEATS.index(agent))

    def step(self, action: int | None) -> None:
        """Make the selected agent's call; None once it is terminated."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"it is the turn of {agent}: step() needs an action 0..{NUM_CALLS - 1}, not None")
        _, _, over, _, info = self._env.step(action)
        self._cumulative_rewards[agent] = 0.0
        self.infos = {seat: _info_for(seat, info) for seat in SEATS}
        if over:
            self.rewards = {seat: float(reward) for seat, reward in zip(SEATS, info["seat_rewards"], strict=True)}
            self.terminations = dict.fromkeys(SEATS, True)
        else:
            self._clear_rewards()
        self.agent_selection = SEATS[(SEATS.index(agent) + 1) % 4]
        self._accumulate_rewards()

    def view(self) -> BidView:
        """Return what the agent to call knows, as ``BiddingEnv.view``."""
        return self._env.view()

    def deals(self) -> Boards:
        """Return the board, as ``BiddingEnv.deals``."""
        return self._env.deals()

    def render(self) -> str | Frame | None:
        """Show hands, auction and, at its end, the result in the ``render_mode``."""
        return self._env.render()

    def close(self) -> None:
        """Close the window of ``render_mode="human"``."""
        self._env.close()


def _info_for(seat: str, info: dict[str, Any]) -> dict[str, Any]:
    """Return what ``info`` holds, from the side of ``seat``."""
    turned = {name: -info[name] for name in ("score", "par") if name in info and seat in "EW"}
    return {name: value for name, value in info.items() if name not in ("action_mask", "seat_rewards")} | turned


def env(**setting: Any) -> Any:
    """Make a ``BiddingAEC`` that raises when it is used out of order; takes the same arguments."""
    return OrderEnforcingWrapper(raw_env(**setting))


def raw_env(**setting: Any) -> BiddingAEC:
    """Make a bare ``BiddingAEC``; takes the same arguments."""
    return BiddingAEC(**setting)


def parallel_env(**setting: Any) -> Any:
    """Make PettingZoo's conversion of the turn-based env; takes the same arguments.

    ``step`` takes an action for each agent and makes that of the one to call, whose ``action_mask`` has legal calls.
    After a step, ``infos[agent]["active_agent"]`` names it.
    """
    return turn_based_aec_to_parallel(raw_env(**setting))


register("aec", ID, entry_point="bridge_env.envs.aec:env")
register("parallel", ID, entry_point="bridge_env.envs.aec:parallel_env")
