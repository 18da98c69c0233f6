"""Define the settings of a self-play run."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.running.listed import listed

OPERATORS = ("evolution", "refinement", "swapping", "tuning", "amendment")
BY_DEFAULT = ("tuning", "swapping")
RULES = ("sound", "sayable", "any")


names = listed


def is_stranger(name: str) -> bool:
    """Return whether the opponent is a network, which discloses no system."""
    return name.startswith("policy:")


def spec_of(name: str) -> str:
    """The spec of a pair that is listed: itself, or of the system of that name."""
    return name if ":" in name else f"system:{name}"


@dataclass(frozen=True)
class EvolveConfig:
    """The settings of a run. Workers and cluster are not among them: the result does not depend on them."""

    seed: int = field(default=1, metadata={"help": "random seed of boards and proposals"})
    start: str = field(
        default="sayc",
        metadata={"help": "system that all players start from: a name or FILE.bidding; or A,B, one for each partner"},
    )
    root: str = field(
        default="",
        metadata={"help": "system to compare with, whose lines tidying leaves alone; none = --start"},
    )
    control: str = field(default="sayc", metadata={"help": "system of the control pair: a name or FILE.bidding"})
    league: str = field(
        default="policy:two-over-one,policy:acol",
        metadata={
            "help": "more opponents to train against, separated by commas: names of systems, or strangers (policy:acol)"
        },
    )
    gatekeepers: str = field(
        default="policy:humans,policy:polish,policy:wbridge5",
        metadata={"help": "bidders that only judge the winner and never train it: SPECs or names of systems"},
    )
    validators: str = field(
        default="policy:standard",
        metadata={
            "help": "strangers that only validate: nothing is tuned against them, but a change must not lose to them"
        },
    )
    champions: int = field(default=0, metadata={"help": "how many of the latest champions join the league"})
    operators: str = field(
        default=",".join(BY_DEFAULT), metadata={"help": f"sources of change, some of {', '.join(OPERATORS)}"}
    )
    player: str = field(
        default="",
        metadata={
            "help": "network that bids by the system to start from (policy:FILE, made by 'train league --book'): "
            "amendment learns from how it uses the book"
        },
    )
    generations: int = field(default=2, metadata={"help": "number of generations"})
    partnerships: int = field(default=2, metadata={"help": "number of partnerships"})
    proposals: int = field(
        default=16, metadata={"help": "proposals by evolution, and as many by swapping, for each partnership"}
    )
    positions: int = field(default=24, metadata={"help": "auctions that refinement looks at, for each partnership"})
    rules: str = field(
        default=RULES[0],
        metadata={
            "help": "rules that operators may propose: those that a pair can say and remember (sayable), those of them "
            "that 'check --sound' has nothing against (sound), or any"
        },
    )
    study: int = field(
        default=24576,
        metadata={"help": "fresh boards whose decisions refinement and tuning value, each generation and partnership"},
    )
    boards: int = field(
        default=4096, metadata={"help": "boards to try each proposal on; the leading ones get three times as many"}
    )
    confirm: int = field(default=8192, metadata={"help": "fresh boards to confirm the leading proposals on"})
    judge: int = field(default=6000, metadata={"help": "unseen boards that judge the winner"})

    def check(self) -> None:
        """Raises: ValueError for a number or name that makes no sense."""
        for name, least in (("generations", 0), ("partnerships", 1), ("proposals", 0), ("positions", 0), ("study", 2),
                            ("boards", 2), ("confirm", 2), ("judge", 2), ("champions", 0)):  # fmt: skip
            if getattr(self, name) < least:
                raise ValueError(f"--{name} is {getattr(self, name)}; it must be {least} or more")
        if not 1 <= len(self.starts) <= 2:
            raise ValueError(f"--start {self.start!r}: name one system for all players, or two for two partners: A,B")
        met = {self.control, *self.starts, *names(self.league), *names(self.validators)}
        known = set(names(self.gatekeepers)) & met
        if known:
            raise ValueError(
                f"--gatekeepers: {', '.join(sorted(known))} plays in training; a gatekeeper may only judge"
            )
        twice = set(names(self.league)) & set(names(self.validators))
        if twice:
            raise ValueError(f"--validators: {', '.join(sorted(twice))} is also in --league; name it in one of them")
        wrong = set(names(self.operators)) - set(OPERATORS)
        if wrong or not names(self.operators):
            raise ValueError(f"--operators {self.operators!r}: write some of {','.join(OPERATORS)}")
        if "empty" in self.starts and not any(map(self.uses, ("evolution", "refinement", "amendment"))):
            raise ValueError(
                "--start empty: tuning and swapping find no new calls; "
                "add --operators evolution,refinement,tuning,swapping"
            )
        if self.uses("amendment") != bool(self.player):
            raise ValueError("--player and the operator amendment go together: give both, or neither")
        if self.rules not in RULES:
            raise ValueError(f"--rules {self.rules!r}: write {' or '.join(RULES)}")

    @property
    def starts(self) -> list[str]:
        """The system that all players start from, or those of the first and the second player."""
        return names(self.start)

    @property
    def apart(self) -> bool:
        """Return whether partners start from different systems."""
        return len(set(self.starts)) > 1

    @property
    def roots(self) -> list[str]:
        """The systems that the run's start came from."""
        return [self.root] if self.root else self.starts

    @property
    def rooted(self) -> str:
        """The spec of the pair that the run's start came from."""
        specs = [f"system:{name}" for name in dict.fromkeys(self.roots)]
        return specs[0] if len(specs) == 1 else f"pair:{','.join(specs)}"

    def uses(self, operator: str) -> bool:
        return operator in names(self.operators)

    def first_board(self, generation: int, partnership: int = 0) -> int:
        """Where the boards of a partnership's generation begin in the endless sequence: each has its own."""
        each = self.study + 4 * self.boards + 2 * self.confirm
        return (generation * self.partnerships + partnership) * each
