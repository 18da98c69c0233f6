"""Play matches: boards, both tables, scores and verdicts."""

from training.evaluation.duplicate import MatchResult, match

__all__ = ["MatchResult", "match"]
