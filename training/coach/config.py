"""Define the settings of a coaching."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.evolve.config import EvolveConfig
from training.networks.league_config import LeagueConfig

STRANGERS = "policy:two-over-one,policy:acol"
VALIDATORS = "policy:standard"


@dataclass(frozen=True)
class CoachConfig:
    """The settings of a coaching; cores and time are not among them."""

    system: str = field(default="sayc", metadata={"help": "the system: a name or FILE.bidding"})
    iterations: int = field(default=2000, metadata={"help": "rollouts that the player by the book learns from"})
    generations: int = field(default=4, metadata={"help": "generations in which the book learns from the player"})
    rounds: int = field(default=1, metadata={"help": "times that a player learns by the book, and the book from it; "
                        "from the second on, the player learns a third as long, by the amended book"})  # fmt: skip
    untruth: float = field(default=1.0, metadata={"help": "IMPs that the player pays for each point or card by which "
                           "its hand misses what a call tells by the book"})  # fmt: skip
    study: int = field(default=24576, metadata={"help": "boards that amendments are found on, each generation"})
    confirm: int = field(default=16384, metadata={"help": "boards that amendments are confirmed on"})
    counted: int = field(
        default=60_000,
        metadata={"help": "boards that departures and lines are counted on, and the player's truth on 10,000 of them"},
    )
    judge: int = field(default=10_000, metadata={"help": "judging boards against each gatekeeper"})
    rollout: int = field(default=4096, metadata={"help": "boards in each rollout"})
    estimated: int = field(default=200_000, metadata={"help": "deals to play besides the solved ones"})
    seed: int = field(default=1, metadata={"help": "random seed"})

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("iterations", 1), ("generations", 0), ("rounds", 1), ("untruth", 0), ("study", 2),
                            ("confirm", 2), ("counted", 64), ("judge", 2), ("rollout", 16),
                            ("estimated", 0), ("seed", 0)):  # fmt: skip
            if not getattr(self, name) >= least:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {least} or more")

    def iterations_of(self, number: int) -> int:
        """How long the player learns in a round, from 1."""
        return self.iterations if number == 1 else max(1, self.iterations // 3)

    def league(self, system: str, start: str, iterations: int) -> LeagueConfig:
        """The settings by which the player learns; ``system`` is a copy of the book that the run keeps."""
        return LeagueConfig(
            start=start, book=system, untruth=self.untruth, iterations=iterations,
            boards=self.rollout, estimated=self.estimated, drawn=24, keep=0.3, learning_rate=1.2e-4, last_rate=0.05,
            batch=2048, average=0.99, pool=f"{STRANGERS},{VALIDATORS}", panel="policy:two-over-one", seed=self.seed,
            evaluate=min(100, iterations),
        )  # fmt: skip

    def evolve(self, system: str, player: str) -> EvolveConfig:
        """The settings by which the book learns from ``player``."""
        return EvolveConfig(
            start=system, control=system, league=STRANGERS, validators=VALIDATORS, gatekeepers="", player=player,
            operators="amendment,tuning", generations=self.generations, partnerships=1, study=self.study,
            positions=40, confirm=self.confirm, seed=self.seed,
        )  # fmt: skip
