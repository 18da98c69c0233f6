"""Define the settings of the league. Nothing here needs torch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from training.networks.configs import widths
from training.runtime.settings import AtLeast2, AtLeast16, Count, CountOrZero, NonNegative, Positive, Settings, Share


@dataclass(frozen=True)
class LeagueConfig(Settings):
    """Hold the settings of a league. The same settings and machine give the same weights, for any number of workers."""

    start: str = "system:two-over-one"
    """what to begin with: a network (policy:FILE), a bidder whose auctions are imitated first (system:NAME), or
    nothing"""
    iterations: Count = 4000
    """number of rollouts to learn from"""
    boards: AtLeast16 = 4096
    """boards in each rollout"""
    estimated: CountOrZero = 300_000
    """deals to play besides the solved ones, with tricks drawn from the trick estimator: a network overfits to few
    deals"""
    samples_per_side: Count = 4
    """auctions to sample beside the likeliest one, for each side that learns"""
    decision_fraction: Share = 0.4
    """share of the decisions to learn from: those with the most to teach"""
    double_failing: NonNegative = 0.05
    """share of the boards on which every failing contract counts as doubled"""
    artificial_penalty: NonNegative = 0.0
    """penalty in IMPs for an artificial call: a suit bid without four cards, a low double ... (0.5 makes a system
    for people)"""
    book: str = ""
    """system (NAME or FILE.bidding) to bid by: the network sees its call and what was shown, and other calls have a
    penalty (--departure, --misinformation-penalty)"""
    prior: Positive = 2.0
    """with --book: log odds by which the system's own call is preferred (with 1000 the network starts as the system
    itself)"""
    truth: Positive = 10.0
    """with --book: log odds by which a call is less likely for each point, card or ace by which the hand misses what
    the call shows"""
    departure: NonNegative = 0.0
    """with --book: penalty in IMPs for a call that is not the system's own"""
    misinformation_penalty: NonNegative = 1.0
    """with --book: penalty in IMPs for each point, card or ace by which the hand misses what a call shows by the
    system"""
    pool: str = ""
    """opponents besides the start and earlier versions, as in policy:a.npz,system:sayc,pass"""
    layers: str = "640,384,384"
    """widths of the hidden layers, where the network starts from nothing"""
    rollouts: CountOrZero = 0
    """rollouts to play side by side and to learn from together; 0: as many as suit the cores at the beginning of the
    run (1 on fewer than 8, then half as many as cores)"""
    batch: CountOrZero = 0
    """decisions in each gradient step; 0: as suits the cores (1024 on fewer than 8, then as many shards as cores)"""
    shard: AtLeast2 = 4096
    """most decisions whose gradient one task computes; a larger --batch is cut into such shards, for any core of
    the cluster"""
    learning_rate: Share = 3e-4
    """first learning rate"""
    last_rate: Share = 0.1
    """final learning rate, as a share of the first"""
    entropy: NonNegative = 0.004
    """weight of the entropy bonus"""
    average: float = 0.995
    """decay of the running average of weights, for each gradient step"""
    evaluate: Count = 100
    """iterations between evaluations, each with a checkpoint"""
    judged: AtLeast2 = 2000
    """solved boards in each evaluation; no rollout plays them"""
    panel: str = "system:sayc,system:two-over-one"
    """opponents to evaluate against, beside the start"""
    device: str = "cpu"
    """compute gradients on this device: cpu, or cuda (its weights differ from run to run)"""
    seed: CountOrZero = 1
    """random seed"""

    def for_cores(self, cores: int) -> LeagueConfig:
        """Return the settings with rollouts and batch filled in, for a run that begins on ``cores``."""
        rollouts, batch = (cores // 2, cores * self.shard) if cores >= 8 else (1, 1024)
        return replace(self, rollouts=self.rollouts or rollouts, batch=self.batch or batch)

    def check(self) -> None:
        super().check()
        if self.batch == 1:
            raise ValueError("--batch is 1; it must be 2 or more, or 0 for what suits the cores")
        if self.device.partition(":")[0] not in ("cpu", "cuda"):
            raise ValueError(f"--device is {self.device}; it must be cpu or cuda")
        if not 0 <= self.average < 1:
            raise ValueError("--average must be at least 0 and below 1")
        widths(self.layers)
