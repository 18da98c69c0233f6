"""Define the settings of fits and of training. Nothing here needs torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from training.runtime.settings import (
    AtLeast2,
    AtLeast16,
    Count,
    CountOrZero,
    Integer,
    NonNegative,
    Positive,
    Rate,
    Seed,
    Settings,
    Share,
    listed,
)


def widths(text: str) -> list[int]:
    """Return the widths of hidden layers from a text such as ``256,128``, none of an empty text; raise ``ValueError``
    where it does not list at most 8 of 1 to 4096.
    """
    parts = listed(text)
    if not all(part.isdecimal() and 0 < int(part) <= 4096 for part in parts) or len(parts) > 8:
        raise ValueError(f"{text!r}: write the widths of at most 8 layers, 1 to 4096 each, as in 256,128")
    return [int(part) for part in parts]


@dataclass(frozen=True)
class ImitationConfig(Settings):
    """Hold the settings of a network's fit to recorded auctions."""

    layers: str = "640,384,384"
    """widths of the hidden layers"""
    epochs: Count = 8
    """passes over the calls"""
    batch: Count = 1024
    """calls in each gradient step"""
    learning_rate: Rate = 1e-3
    """first learning rate; it falls to 0 along a cosine"""
    decay: NonNegative = 0.02
    """weight decay"""
    seed: CountOrZero = 1
    """random seed"""

    def check(self) -> None:
        super().check()
        if not widths(self.layers):
            raise ValueError("--layers: name at least one hidden layer, as in 256,256")


@dataclass(frozen=True)
class BeliefConfig(Settings):
    """Hold the settings of a belief's fit."""

    boards: AtLeast2 = 100_000
    """training boards to learn from, each bid at two tables"""
    layers: str = "256,256"
    """widths of the hidden layers"""
    batch: Count = 1024
    """states in each gradient step"""
    learning_rate: Rate = 1e-3
    """first learning rate; it falls to 0 along a cosine"""
    seed: CountOrZero = 1
    """random seed"""

    def check(self) -> None:
        super().check()
        widths(self.layers)


@dataclass(frozen=True)
class PPOConfig(Settings):
    """Hold the settings of PPO. With ``steps`` as its limit, the same machine and threads give the same policy."""

    minutes: NonNegative = 15.0
    """stop after this many minutes, evaluations included; 0 = no limit"""
    steps: CountOrZero = 0
    """stop after this many calls; 0 = no limit"""
    seed: Seed = 1
    """random seed of weights, deals and exploration, 0 to 4,294,967,295"""
    opponents: str = "pass"
    """bidder that sits East-West while the policy learns"""
    control: str = "pass"
    """bidder of the control pair, which the policy should beat"""
    tables: Count = 1024
    """tables to play at a time"""
    rollout: Count = 8
    """calls at each table between updates"""
    batch: AtLeast2 = 1024
    """calls in each gradient step"""
    epochs: Count = 4
    """passes over each rollout"""
    learning_rate: Rate = 1.5e-3
    """first learning rate; it falls to a tenth"""
    entropy: NonNegative = 0.02
    """first weight of the entropy bonus; it falls to a tenth"""
    layers: str = "256,128"
    """widths of the policy's hidden layers, as in 256,128"""
    evaluate: AtLeast2 = 2000
    """training boards for each point of the curve"""
    every: NonNegative = 60.0
    """seconds between evaluations, each with a checkpoint"""
    judge: AtLeast2 = 5000
    """unseen boards that judge the policy at the end"""

    def check(self) -> None:
        super().check()
        if not (self.minutes or self.steps):
            raise ValueError("give --minutes or --steps: with both at 0 the run would never end")
        if self.tables * self.rollout < 2:
            raise ValueError("--tables times --rollout must be 2 or more: PPO compares the calls of a rollout")
        widths(self.layers)


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


@dataclass(frozen=True)
class CasesConfig(Settings):
    """Hold the settings of the fit of a case base."""

    epochs: Count = 8
    """passes over the cases to learn the metric"""
    members: Count = 2
    """number of networks that make up the metric"""
    trees: Count = 64
    """trees in each forest"""
    seed: Integer = 1
    """random seed"""


@dataclass(frozen=True)
class MapsConfig(Settings):
    """Hold the settings of the fit of maps."""

    system: str = "system:sayc"
    """learn the calls of this system, and interpret calls by it"""
    inputs: Literal["published", "learned"] = "published"
    """lengths, points and a little of the auction, or a learned metric of all that case bases see"""
    fallback: str = ""
    """system for the calls that the maps of 2007 leave out (default: two more maps)"""
    boards: Count = 30_000
    """deals that the teacher bids"""
    rounds: CountOrZero = 1
    """rounds in which the maps bid and the teacher corrects them"""
    side: Count = 64
    """largest number of units along a side of a map"""
    hands: Count = 12
    """fewest training hands for each unit"""
    seed: CountOrZero = 1
    """random seed"""
    match_boards: CountOrZero = 5000
    """boards in each match that judges the maps"""


@dataclass(frozen=True)
class EstimatorConfig(Settings):
    """Hold the settings of a fit; with the same deals, machine and threads they make the same network."""

    epochs: Count = 40
    """passes over the training deals"""
    seed: CountOrZero = 1
    """random seed of weights and of the order of deals"""
    deals: CountOrZero = 0
    """training deals to learn from; 0 = all"""
    library: str = ""
    """library of solved deals; without it, the one in the package"""
    hidden: Count = 48
    """channels for each seat in a suit's encoder"""
    depth: AtLeast2 = 3
    """layers of an encoder, 2 or more"""
    width: Count = 96
    """channels for each seat in a strain's trunk"""
    blocks: CountOrZero = 3
    """layers of the trunk"""
    batch: AtLeast2 = 512
    """deals in each gradient step"""
    learning_rate: Rate = 2e-3
    """highest learning rate; it rises, then falls to 0"""
    weight_decay: NonNegative = 0.1
    """weight decay of AdamW, on weights, not on biases"""
    threads: Count = 1
    """threads for torch; more are slower where cores are busy"""


@dataclass(frozen=True)
class CardsConfig(Settings):
    """Hold the settings of a fit of scorecards."""

    system: str = "sayc"
    """system to fit scorecards for: a shipped one, or a file"""
    player: str = ""
    """whose judgement the cards learn: a network that bids by the system (policy:NAME or policy:FILE), or the
    scorecards of another system (system:champion-strong); without one calls drawn at random are played out"""
    against: str = "policy:two-over-one,policy:acol,policy:standard"
    """opponents to meet, none of them a gatekeeper"""
    terms: Count = 1500
    """most terms of all cards together: what a pair is ready to learn; with fewer than 300 the same cards serve all
    contested auctions, with fewer than 525 there are cards for the situations where they gain most"""
    boards: Count = 40_960
    """training boards in each round, against each opponent"""
    rounds: Count = 2
    """rounds: the cards of each bid the boards of the next"""
    share: Share = 0.5
    """share of a call's worth that is the average of calls that the player prefers as much; the rest is the play-out"""
    judge: CountOrZero = 8192
    """other training boards, against each opponent, that tell what the cards gain"""
    seed: CountOrZero = 1
    """random seed"""
