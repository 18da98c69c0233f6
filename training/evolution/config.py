"""Define the settings of a self-play run."""

from __future__ import annotations

from dataclasses import dataclass

from training.runtime.settings import AtLeast2, Count, CountOrZero, Integer, Settings, listed

OPERATORS = ("evolution", "refinement", "swapping", "tuning", "amendment", "natural", "cards")


@dataclass(frozen=True)
class EvolveConfig(Settings):
    """Hold the settings of a run. Workers and cluster are not among them: the result does not depend on them."""

    seed: Integer = 1
    """random seed of boards and proposals"""
    start: str = "sayc"
    """system that all players start from: a name or FILE.bidding; or A,B, one for each partner"""
    control: str = "sayc"
    """system of the control pair: a name or FILE.bidding"""
    league: str = "policy:two-over-one,policy:acol"
    """more opponents to train against, separated by commas: names of systems, or strangers (policy:acol)"""
    gatekeepers: str = "policy:humans,policy:polish,policy:wbridge5"
    """bidders that only judge the winner and never train it: SPECs or names of systems"""
    validators: str = "policy:standard"
    """strangers that only validate: nothing is tuned against them, but a change must not lose to them"""
    champions: CountOrZero = 0
    """number of the latest champions that join the league"""
    operators: str = "tuning,swapping"
    """sources of change, some of evolution, refinement, swapping, tuning, amendment, natural, cards"""
    keep: str = ""
    """the pair's own calls, which no change may touch, separated by commas: '1NT, 2D, (1NT)-X'"""
    player: str = ""
    """network that bids by the system to start from (policy:FILE, made by 'train league --book'): amendment learns
    from how it uses the book"""
    generations: CountOrZero = 2
    """number of generations"""
    partnerships: Count = 2
    """number of partnerships"""
    proposals: CountOrZero = 16
    """proposals by evolution, and as many by swapping, for each partnership; and sets for each part of a natural
    system in each of four rounds"""
    positions: CountOrZero = 24
    """auctions that refinement looks at, for each partnership"""
    study: AtLeast2 = 12288
    """fresh boards whose decisions refinement and tuning value, each generation and partnership"""
    boards: AtLeast2 = 4096
    """boards to try each proposal on; the leading ones get three times as many"""
    confirm: AtLeast2 = 6144
    """fresh boards to confirm the leading proposals on"""
    judge: AtLeast2 = 6000
    """unseen boards that judge the winner"""

    def check(self) -> None:
        """Check the settings; raise ``ValueError`` where a number or name makes no sense."""
        super().check()
        if not 1 <= len(self.starts) <= 2:
            raise ValueError(f"--start {self.start!r}: name one system for all players, or two for two partners: A,B")
        known = set(listed(self.gatekeepers)) & {*self.starts, *self.opponents}
        if known:
            raise ValueError(
                f"--gatekeepers: {', '.join(sorted(known))} plays in training; a gatekeeper may only judge"
            )
        twice = set(listed(self.league)) & set(listed(self.validators))
        if twice:
            raise ValueError(f"--validators: {', '.join(sorted(twice))} is also in --league; name it in one of them")
        wrong = set(listed(self.operators)) - set(OPERATORS)
        if wrong or not listed(self.operators):
            raise ValueError(f"--operators {self.operators!r}: write some of {','.join(OPERATORS)}")
        if "empty" in self.starts and not any(map(self.uses, ("natural", "evolution", "refinement", "amendment"))):
            raise ValueError(
                "--start empty: tuning and swapping find no new calls; "
                "add --operators natural,evolution,refinement,tuning,swapping"
            )
        if self.uses("amendment") != bool(self.player):
            raise ValueError("--player and the operator amendment go together: give both, or neither")

    @property
    def opponents(self) -> list[str]:
        """Return the pairs met before the verdict: the control pair, the league, the validators."""
        return [self.control, *listed(self.league), *listed(self.validators)]

    @property
    def own_calls(self) -> set[str]:
        """Return the calls that no change may touch, as the lines of a system write them."""
        return {call.replace("NT", "N") for call in listed(self.keep)}

    @property
    def starts(self) -> list[str]:
        """Return the system that all players start from, or those of the first and the second player."""
        return listed(self.start)

    @property
    def start_spec(self) -> str:
        """Return the spec of the pair that the run starts from."""
        specs = [f"system:{name}" for name in dict.fromkeys(self.starts)]
        return specs[0] if len(specs) == 1 else f"pair:{','.join(specs)}"

    def uses(self, operator: str) -> bool:
        """Return whether the operator proposes changes."""
        return operator in listed(self.operators)

    def first_board(self, generation: int, partnership: int = 0) -> int:
        """Return where the boards of a partnership's generation begin in the endless sequence: each has its own."""
        each = self.study + 4 * self.boards + 2 * self.confirm
        return (generation * self.partnerships + partnership) * each
