"""Let bidders sit an exam: a config in, their papers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from training.exam.marks import Paper, sit
from training.exam.positions import read_exam, textbook
from training.exam.report import scores_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ExamConfig:
    """The bidders, and the exam that they sit."""

    specs: Sequence[str]  # the bidders
    key: str | None = None  # ``sayc``, ``2/1`` or ``all``; None: the one that each bidder's system names
    areas: Sequence[str] = ()  # only these areas; empty: all
    files: Sequence[str | Path] = ()  # .exam files or folders of them; empty: the textbook's


@dataclass(frozen=True)
class ExamResult:
    """The papers of all bidders, in their order."""

    config: ExamConfig
    papers: tuple[Paper, ...]

    def __str__(self) -> str:
        return scores_text(self.papers)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each answer of each bidder."""
        return [{"spec": paper.spec, **answer.record()} for paper in self.papers for answer in paper.answers]

    def to_dataframe(self) -> pd.DataFrame:
        """Return ``rows`` as a data frame of pandas, which must be installed."""
        import pandas as pd  # optional

        return pd.DataFrame(self.rows())

    def record(self) -> dict[str, Any]:
        """Return scores and answers for JSON."""
        files = [str(path) for path in self.config.files or ["textbook"]]
        return {"exam": files, "papers": [paper.record() for paper in self.papers]}


def exam(config: ExamConfig) -> ExamResult:
    """Let bidders answer an exam, all four seats playing what each plays.

    Raises:
        ExamError: a file is no exam.
        SpecError: a spec names no bidder.
        ValueError: no such key or area, or the exam has no position for the key in these areas.
    """
    chosen = read_exam(config.files) if config.files else textbook()
    return ExamResult(config, tuple(sit(spec, chosen, config.key, config.areas) for spec in config.specs))
