"""Options that commands share, as annotated types."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from cyclopts import Parameter
from cyclopts.validators import Number

from training.runtime.settings import Settings

if TYPE_CHECKING:
    from training.evaluation.boards import Boards

C = TypeVar("C", bound=Settings)
_LARGEST = 1 << 62
Count = Annotated[int, Parameter(validator=Number(gte=1, lt=_LARGEST))]
AtLeast2 = Annotated[int, Parameter(validator=Number(gte=2, lt=_LARGEST))]
CountOrZero = Annotated[int, Parameter(validator=Number(gte=0, lt=_LARGEST))]
Seed = Annotated[int, Parameter(validator=Number(gte=-(1 << 63), lt=1 << 63))]
JsonFile = Annotated[Path, Parameter(allow_leading_hyphen=True)]  # - is standard output
Port = Annotated[int, Parameter(validator=Number(gte=0, lte=65535))]
Positive = Annotated[float, Parameter(validator=Number(gt=0, lt=1e9))]
Flat = Parameter(name="*")  # of a config: each field is an option
Several = Parameter(consume_multiple=True)


@Flat
@dataclass(frozen=True)
class BoardOptions:
    """Choose the boards to play."""

    boards: Count | None = None
    """number of boards"""
    seed: Seed = 1
    """random seed of the boards and the bidders"""
    deals: Path | None = None
    """take the boards from this PBN file"""

    def read(self, usual: int) -> Boards:
        """Return the boards: of the file, or ``usual`` many of the library's judging split."""
        from training.cli.output import print_problems
        from training.evaluation.boards import library_boards, pbn_boards

        if self.deals is None:
            return library_boards(self.boards or usual, self.seed)
        boards = pbn_boards(self.deals, self.boards)
        print_problems(boards.problems)
        return boards


@Flat
@dataclass(frozen=True)
class ServerOptions:
    """Choose the address at which a server listens."""

    host: str = "127.0.0.1"
    """listen on this address; 0.0.0.0 admits other machines"""
    patience: Positive = 120.0
    """seconds after which a bidder or player that has not answered is given up"""


@Flat
@dataclass(frozen=True)
class RunOptions:
    """Choose the folder of a run, or the run to resume."""

    name: str | None = None
    """name of the run's folder (default: run-001, run-002 ...)"""
    out: Path = Path("results")
    """parent of the run folders"""
    resume: Path | None = None
    """go on with the run in this folder, with its settings"""
    track: Literal["wandb", "mlflow", "tensorboard"] | None = None
    """send the metrics to this tracker too"""

    def tracking(self) -> AbstractContextManager[None]:
        """Return a block in which the metrics of runs are sent to the tracker, if there is one."""
        from training.runtime.tracking import tracked

        return tracked(self.track)

    def check(self, config: C, may_change: Sequence[str]) -> C:
        """Return the settings, checked; those of a run to resume may differ from its own only where they may change.

        Raises:
            RunError: ``resume`` names no such run, or a setting may not change.
            ValueError: a setting makes no sense.
        """
        from training.runtime import runs  # here: --help does without them
        from training.runtime.runs import resume_config

        config.check()
        if self.resume is None:
            runs.check_name(self.name)
            return config
        if self.name is not None:
            raise runs.RunError("--name is for a new run; --resume continues in its folder")
        own = resume_config(self.resume, type(config))
        for name in (item.name for item in fields(config)):
            if getattr(config, name) != getattr(own, name) and name not in may_change:
                option = f"--{name.replace('_', '-')}"
                raise runs.RunError(f"{option} cannot change on --resume; these can: {', '.join(may_change)}")
        return config
