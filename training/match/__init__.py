"""Matches: boards, both tables, scores, and what they tell."""

from training.match.match import MatchResult, play

__all__ = ["MatchResult", "play"]
