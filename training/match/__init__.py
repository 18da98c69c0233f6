"""Play matches: boards, both tables, scores and verdicts."""

from training.match.match import MatchResult, play

__all__ = ["MatchResult", "play"]
