"""What a self-play run depends on."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class EvolveConfig:
    """What a run depends on. Workers and cluster are not in it: the result does not depend on them."""

    seed: int = field(default=1, metadata={"help": "of all chance: boards, proposals"})
    start: str = field(default="sayc", metadata={"help": "system that all players start from: a name or FILE.bidding"})
    control: str = field(default="sayc", metadata={"help": "system of the control pair: a name or FILE.bidding"})
    generations: int = field(default=30, metadata={"help": "how many"})
    partnerships: int = field(default=4, metadata={"help": "in the population"})
    proposals: int = field(default=12, metadata={"help": "by each partnership in a generation"})
    boards: int = field(default=2048, metadata={"help": "on which proposals are tried, fresh each generation"})
    confirm: int = field(default=16384, metadata={"help": "fresh boards on which a promising one is confirmed"})
    judge: int = field(default=9000, metadata={"help": "unseen boards on which the winner is judged"})

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for name, least in (("generations", 0), ("partnerships", 1), ("proposals", 1), ("boards", 2),
                            ("confirm", 2), ("judge", 2)):  # fmt: skip
            if getattr(self, name) < least:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {least} or more")
