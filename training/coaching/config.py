"""Define the settings of a coaching."""

from __future__ import annotations

from dataclasses import dataclass

from training.configs import CardsConfig, LeagueConfig
from training.evolution.config import EvolveConfig
from training.runtime.settings import AtLeast2, AtLeast16, AtLeast64, Count, CountOrZero, NonNegative, Settings

STRANGERS = "policy:two-over-one,policy:acol"
VALIDATORS = "policy:standard"


@dataclass(frozen=True)
class CoachConfig(Settings):
    """Hold the settings of a coaching; cores and time are not among them."""

    system: str = "sayc"
    """the system: a name or FILE.bidding"""
    keep: str = ""
    """the pair's own calls, which no amendment may touch, separated by commas: '1NT, 2D, (1NT)-X'"""
    iterations: Count = 2000
    """rollouts that the player by the book learns from"""
    generations: CountOrZero = 4
    """generations in which the book learns from the player"""
    rounds: Count = 1
    """number of rounds: a player learns by the book, then the book from it; from the second on, the player learns a
    third as long, by the amended book"""
    terms: CountOrZero = 400
    """most terms of the scorecards that the amended book gets from the player; 0: no scorecards"""
    misinformation_penalty: NonNegative = 1.0
    """penalty in IMPs for each point, card or ace by which the player's hand misses what a call shows by the book"""
    study: AtLeast2 = 24576
    """boards that amendments are found on, each generation, and scorecards, against each opponent"""
    confirm: AtLeast2 = 16384
    """boards that amendments are confirmed on"""
    counted: AtLeast64 = 60_000
    """boards to count departures and lines on, and the player's truth on 10,000 of them"""
    judge: AtLeast2 = 10_000
    """judging boards against each gatekeeper"""
    rollout: AtLeast16 = 4096
    """boards in each rollout"""
    estimated: CountOrZero = 200_000
    """deals to play besides the solved ones"""
    seed: CountOrZero = 1
    """random seed"""

    def league(self, system: str, start: str, iterations: int) -> LeagueConfig:
        """Return the settings of the player; ``system`` is the run's copy of the book."""
        return LeagueConfig(
            start=start, book=system, misinformation_penalty=self.misinformation_penalty, iterations=iterations,
            boards=self.rollout, estimated=self.estimated, samples_per_side=24, decision_fraction=0.3,
            learning_rate=1.2e-4, last_rate=0.05, batch=2048, average=0.99, pool=f"{STRANGERS},{VALIDATORS}",
            panel="policy:two-over-one", seed=self.seed, evaluate=min(100, iterations),
        )  # fmt: skip

    def evolve(self, system: str, player: str) -> EvolveConfig:
        """Return the settings of the book's amendment by ``player``."""
        return EvolveConfig(
            start=system, control=system, league=STRANGERS, validators=VALIDATORS, gatekeepers="", player=player,
            operators="amendment,tuning", generations=self.generations, partnerships=1, study=self.study,
            positions=40, confirm=self.confirm, seed=self.seed, keep=self.keep,
        )  # fmt: skip

    def cards(self, system: str, player: str) -> CardsConfig:
        """Return the settings of the fit of scorecards for ``system`` by ``player``."""
        return CardsConfig(
            system=system, player=player, against=f"{STRANGERS},{VALIDATORS}", terms=self.terms, boards=self.study,
            judge=0, seed=self.seed,
        )  # fmt: skip
