"""Define the settings of a run of the league."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from training.networks.ppo_config import widths


@dataclass(frozen=True)
class LeagueConfig:
    """The settings of a run. The same settings and machine give the same weights, for any number of workers."""

    start: str = field(default="system:two-over-one", metadata={"help": "what to begin with: a network (policy:FILE), "
                       "a bidder whose auctions are imitated first (system:NAME), or nothing"})  # fmt: skip
    iterations: int = field(default=4000, metadata={"help": "number of rollouts to learn from"})
    boards: int = field(default=4096, metadata={"help": "boards in each rollout"})
    estimated: int = field(default=300_000, metadata={"help": "deals to play besides the solved ones, whose tricks the "
                           "trick estimator draws: of few deals a network learns by heart"})  # fmt: skip
    lessons: int = field(
        default=200, metadata={"help": "rollouts of first lessons for a network that starts from nothing"}
    )
    silent: int = field(default=200, metadata={"help": "iterations against opponents who pass, after those lessons"})
    drawn: int = field(
        default=4, metadata={"help": "auctions to sample beside the likeliest one, for each side that learns"}
    )
    keep: float = field(default=0.4, metadata={"help": "share of the decisions to learn from: those that teach most"})
    doubled: float = field(
        default=0.05, metadata={"help": "share of the boards on which every failing contract counts as doubled"}
    )
    plain: float = field(default=0.0, metadata={"help": "IMPs that a call costs which does not mean what it says: a "
                         "suit bid without four cards, a low double ... (0.5 makes a system for people)"})  # fmt: skip
    book: str = field(default="", metadata={"help": "system (NAME or FILE.bidding) to bid by: the network sees its "
                      "call and what was shown, and pays for straying (--departure, --untruth)"})  # fmt: skip
    prior: float = field(default=2.0, metadata={"help": "with --book: what the system's own call has ahead of all "
                         "others (in log odds; with 1000 the network starts as the system itself)"})  # fmt: skip
    truth: float = field(default=10.0, metadata={"help": "with --book: how much less likely (in log odds) a call is "
                         "for each point or card by which the hand misses what the call tells"})  # fmt: skip
    departure: float = field(
        default=0.0, metadata={"help": "with --book: IMPs that a call costs that is not the system's own"}
    )
    untruth: float = field(default=1.0, metadata={"help": "with --book: IMPs for each point or card by which the hand "
                           "misses what a call tells by the system"})  # fmt: skip
    strangers: float = field(
        default=0.3, metadata={"help": "share of the boards to play against the networks in --pool"}
    )
    earlier: float = field(
        default=0.2, metadata={"help": "share of the boards to play against earlier versions of the network"}
    )
    pool: str = field(default="", metadata={"help": "opponents besides the start and earlier versions, as in "
                      "policy:a.npz,system:sayc,pass"})  # fmt: skip
    remember: int = field(
        default=200, metadata={"help": "iterations between additions of the network to its opponents"}
    )
    selves: int = field(
        default=6, metadata={"help": "number of earlier versions to play against: the latest and some older ones"}
    )
    layers: str = field(
        default="640,384,384", metadata={"help": "widths of the hidden layers, where the network starts from nothing"}
    )
    widen: str = field(default="", metadata={"help": "widths to grow the hidden layers of the network that it starts "
                       "from to, as in 1024,512,512; it calls as before at first"})  # fmt: skip
    critic: str = field(default="256,256", metadata={"help": "widths of the critic's hidden layers"})
    cores: int = field(default=0, metadata={"help": "cores that --rollouts and --batch are set for where these are 0; "
                       "0: those that are there when the run begins"})  # fmt: skip
    rollouts: int = field(default=0, metadata={"help": "rollouts to play side by side and to learn from together; 0: "
                          "as many as suit --cores (1 on fewer than 8, then half as many as cores)"})  # fmt: skip
    batch: int = field(default=0, metadata={"help": "decisions in each gradient step; 0: as suits --cores (1024 on "
                       "fewer than 8, then as many shards as cores)"})  # fmt: skip
    shard: int = field(default=4096, metadata={"help": "most decisions whose gradient one task computes; a larger "
                       "--batch is cut into such shards, for any core of the cluster"})  # fmt: skip
    learning_rate: float = field(default=3e-4, metadata={"help": "first learning rate"})
    last_rate: float = field(default=0.1, metadata={"help": "final learning rate, as a share of the first"})
    critic_rate: float = field(default=5e-4, metadata={"help": "learning rate of the critic"})
    clip: float = field(default=0.2, metadata={"help": "clip range of PPO: how far a probability may move in one pass"})
    entropy: float = field(default=0.004, metadata={"help": "weight of the entropy bonus"})
    average: float = field(
        default=0.995, metadata={"help": "decay of the running average of weights, for each gradient step"}
    )
    slow: float = field(default=0.0, metadata={"help": "decay of a slower average, which is judged and saved while the "
                        "other one plays rollouts (0: the same one)"})  # fmt: skip
    most_gradient: float = field(default=1.0, metadata={"help": "clip the gradient at this norm"})
    evaluate: int = field(default=100, metadata={"help": "iterations between evaluations, each with a checkpoint"})
    judged: int = field(default=2000, metadata={"help": "solved boards in each evaluation; no rollout plays them"})
    panel: str = field(
        default="system:sayc,system:two-over-one", metadata={"help": "opponents to evaluate against, beside the start"}
    )
    lag: int = field(default=3, metadata={"help": "rollouts in progress while the learner learns"})
    device: str = field(default="cpu", metadata={"help": "where gradients are computed: cpu, or cuda (which gives "
                        "other weights, and others each time)"})  # fmt: skip
    seed: int = field(default=1, metadata={"help": "random seed"})

    def settled(self, cores: int) -> LeagueConfig:
        """The settings of a run that begins where there are so many cores: no number is left open."""
        cores = self.cores or cores
        rollouts, batch = (cores // 2, cores * self.shard) if cores >= 8 else (1, 1024)
        return replace(self, cores=cores, rollouts=self.rollouts or rollouts, batch=self.batch or batch)

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("iterations", 1), ("boards", 16), ("drawn", 1), ("remember", 1), ("selves", 0),
                            ("lessons", 0), ("estimated", 0), ("silent", 0),
                            ("batch", 0), ("shard", 2), ("cores", 0), ("rollouts", 0), ("lag", 1),
                            ("evaluate", 1), ("judged", 2),
                            ("entropy", 0), ("doubled", 0), ("plain", 0), ("departure", 0),
                            ("untruth", 0), ("strangers", 0), ("earlier", 0), ("seed", 0)):  # fmt: skip
            if not getattr(self, name) >= least:
                raise ValueError(f"--{name.replace('_', '-')} is {getattr(self, name)}; it must be {least} or more")
        for name in ("keep", "learning_rate", "critic_rate", "clip", "last_rate"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(
                    f"--{name.replace('_', '-')} is {getattr(self, name)}; it must be above 0 and at most 1"
                )
        for name in ("prior", "truth"):
            if not getattr(self, name) > 0:
                raise ValueError(f"--{name.replace('_', '-')} is {getattr(self, name)}; it must be above 0")
        if self.batch == 1:
            raise ValueError("--batch is 1; it must be 2 or more, or 0 for what suits the cores")
        if self.device.partition(":")[0] not in ("cpu", "cuda"):
            raise ValueError(f"--device is {self.device}; it must be cpu or cuda")
        if self.strangers + self.earlier > 1:
            raise ValueError("--strangers plus --earlier must be at most 1: both are shares of the boards")
        if not 0 <= self.slow < 1 or not 0 <= self.average < 1:
            raise ValueError("--average and --slow must be at least 0 and below 1")
        widths(self.layers), widths(self.critic)
        if self.widen:
            widths(self.widen)
