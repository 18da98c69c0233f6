"""Define the settings of a fit of scorecards."""

from __future__ import annotations

from dataclasses import dataclass

from training.runtime.settings import Count, CountOrZero, Settings, Share


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
