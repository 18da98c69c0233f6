"""Deceptive play: the card that is best when the next opponent plays for the deals he believes in.

Algorithm 2 of Kobayashi and Uehara (2002). For each candidate card m and each deal d that I think possible, the
opponent who decides next imagines deals D' after m: he sees his own hand as in d, dummy, and the cards played, and what
m suggests; my hand he does not know. The line is followed with a real value in d and an imaginary one in each d' of D'
(``agents.cardplay.paired``). s(m, d) is the mean over D' of the real values; the m with the greatest sum over D is
played.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deals import believed_deals
from agents.cardplay.explain import thought_text
from agents.cardplay.montecarlo import CardThought, MonteCarlo, settled, solve_cards
from agents.cardplay.options import ALWAYS, NEEDED, Options
from agents.cardplay.paired import Line, Solver, after, distinct, real_values
from agents.cardplay.table import present_trick, trick_leader
from agents.cardplay.worth import Worth
from bridge_env import streams
from bridge_env.auction import Contracts
from bridge_env.cards import SEATS, card_text, hand_text
from bridge_env.play import Plays
from bridge_env.play_view import PlayView, play_view

_SAME = 1e-9


@dataclass(frozen=True)
class DeceptiveOptions(Options):
    """What to think with, beyond the options of ``montecarlo``.

    Attributes:
        real: of the deals, so many are looked at with the opponent's belief in mind (those that count most).
        imagined: deals that the opponent imagines in each of them.
        depth: tricks that are looked ahead, more while the opponents have the lead.
        lines: lines that a level of the search may have; it ends early where there would be more.
        when: NEEDED: only where no card makes (a defender: beats) the contract double dummy on most deals; or ALWAYS.
    """

    real: int = 8
    imagined: int = 5
    depth: int = 2
    lines: int = 3000
    when: str = NEEDED


@dataclass(frozen=True, eq=False)
class Deception:
    """What the opponent is led to believe, and what that is worth.

    Attributes:
        plain: how ``montecarlo`` sees it.
        card: what is played.
        cards: the candidates; none where the plain card was played without such thought.
        average: float64 (C,), with the opponent's belief in mind, in the units of the options.
        double_dummy: float64 (C,), on the same deals if he saw all cards: what is at risk where he sees through it.
        planted: for each candidate, uint8 (S', 52), deals he imagines after it.
        opponent: his seat.
        taken: for each candidate, float64 (L,), tricks from here on along every line, those of one deal after another.
    """

    plain: CardThought
    card: int
    cards: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    average: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    double_dummy: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    planted: list[NDArray[np.uint8]] = field(default_factory=list)
    opponent: int = -1
    taken: list[NDArray[np.float64]] = field(default_factory=list)


class Deceptive:
    """A ``CardPlayer`` that thinks of what the next opponent will believe.

    Args:
        reader: of the auction, by the systems of all seats.
        options: what to think with.
        threads: of DDS.
    """

    def __init__(
        self,
        reader: AuctionReader | None = None,
        options: DeceptiveOptions | None = None,
        threads: int | None = None,
    ) -> None:
        self.reader, self.options, self.threads = reader or AuctionReader(), options or DeceptiveOptions(), threads
        self.plain = MonteCarlo(self.reader, self.options, threads)

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return np.array([found.card for found in self.think(view, key)], np.int8)

    def think(self, view: PlayView, key: NDArray[np.uint64]) -> list[Deception]:
        """How each row's card is found."""
        thoughts = [self._thought(view, row, key[row], plain) for row, plain in enumerate(self.plain.think(view, key))]
        return [
            self._deceive(view, row, key[row], thought) if self._wanted(view, row, thought)
            else Deception(thought, thought.card)
            for row, thought in enumerate(thoughts)
        ]  # fmt: skip

    def _thought(self, view: PlayView, row: int, key: np.uint64, plain: CardThought) -> CardThought:
        """The plain thought; made up where there are only touching cards, equal but for what they tell."""
        dummy = int(view.declarer[row]) ^ 2
        if plain.belief is not None or view.turn[row] == dummy or len(candidates(view, row)) < 2:
            return plain
        return self.plain.weighed(view, row, key, plain.card)

    def _wanted(self, view: PlayView, row: int, thought: CardThought) -> bool:
        if thought.belief is None:
            return False
        return self.options.when == ALWAYS or success(view, row, thought) < 0.5

    def in_deal(
        self, view: PlayView, row: int, key: np.uint64, deal: NDArray[np.uint8], cards: NDArray[np.int64]
    ) -> Deception:
        """What ``cards`` are worth in one deal, uint8 (52,), such as the true one, against what is imagined there."""
        (tricks,) = solve_cards(view, np.array([row]), [deal[None]], self.threads)
        nothing = settled(view, row, int(cards[0]))
        return self._weigh(view, row, key, nothing, deal[None], np.ones(1), tricks[:, nothing.cards], cards)

    def _deceive(self, view: PlayView, row: int, key: np.uint64, thought: CardThought) -> Deception:
        belief = thought.belief
        assert belief is not None
        chosen = looked_at(belief.weight, self.options.real, key)
        weight = belief.weight[chosen] / belief.weight[chosen].sum()
        cards = candidates(view, row)
        return self._weigh(view, row, key, thought, belief.owner[chosen], weight, thought.tricks[chosen], cards)

    def _weigh(
        self,
        view: PlayView,
        row: int,
        key: np.uint64,
        thought: CardThought,
        deals: NDArray[np.uint8],
        weight: NDArray[np.float64],
        double_dummy: NDArray[np.int8],
        cards: NDArray[np.int64],
    ) -> Deception:
        """The best of ``cards`` on deals uint8 (S, 52), whose tricks of all legal cards are known, int8 (S, C)."""
        options = self.options
        solver = Solver(int(view.strain[row]), self.threads)
        side = int(view.turn[row]) & 1
        worth = Worth(view, row, deals, options.score)
        average, plain, planted, taken = [], [], [], []
        opponent = -1
        for card in cards:
            roots, groups, opponent, imagined = self._roots(view, row, int(card), deals, key)
            tricks = real_values(roots, groups, side, solver, options.depth, options.lines)
            group = np.array(groups)
            points = np.stack([_worth(worth, tricks, group, d).mean() for d in range(len(deals))])
            average.append(float(weight @ points))
            seen = double_dummy[:, np.flatnonzero(thought.cards == card)[0]]
            plain.append(float(weight @ worth.of(seen)))
            planted.append(imagined)
            taken.append(tricks)
        best = np.flatnonzero(np.array(average) >= max(average) - _SAME)
        best = best[np.array(plain)[best] >= np.array(plain)[best].max() - _SAME]  # of equal ones what risks least
        usual = np.flatnonzero(cards[best] == thought.card)
        at = best[usual[0]] if len(usual) else best[0]
        return Deception(
            thought, int(cards[at]), cards, np.array(average), np.array(plain), planted, opponent, taken
        )  # fmt: skip

    def _roots(
        self, view: PlayView, row: int, card: int, deals: NDArray[np.uint8], key: np.uint64
    ) -> tuple[list[Line], list[int], int, NDArray[np.uint8]]:
        """The lines after ``card``: for each deal those with what the opponent imagines; and one deal's imagination."""
        looked, opponent = opponents_views(view, row, card, deals)
        gone = view.played[row]
        trick = tuple(int(c) for c in present_trick(view)[row] if c >= 0)
        leader, side = int(trick_leader(view)[row]), int(view.turn[row]) & 1
        roots: list[Line] = []
        groups: list[int] = []
        shown = np.empty((0, 52), np.uint8)
        for d, deal in enumerate(deals):
            stream = np.uint64(streams.key(key, "imagined", card, d)[0])
            belief = believed_deals(looked, d, self.reader, self.options.imagined, stream, self.options.inference)
            shown = belief.owner if d == 0 else shown
            for imagined in belief.owner:
                before = Line(_left(deal, gone), _left(imagined, gone), leader, trick)
                roots.append(after(before, card, int(view.strain[row]), side, -1))
                groups.append(d)
        return roots, groups, opponent, shown


def _left(deal: NDArray[np.uint8], gone: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.where(gone, 255, deal).astype(np.uint8)


def _worth(worth: Worth, tricks: NDArray[np.float64], group: NDArray[np.int64], deal: int) -> NDArray[np.float64]:
    """What the tricks of all lines of one deal are worth there."""
    taken = tricks[group == deal].astype(np.int8)
    table = np.zeros((len(worth.par), len(taken)), np.int8)
    table[deal] = taken
    found: NDArray[np.float64] = worth.of(table)[deal]
    return found


def looked_at(weight: NDArray[np.float64], count: int, key: np.uint64) -> NDArray[np.int64]:
    """Which deals are looked at: those that count most, chance between equals, since a belief's deals are sorted."""
    chance = streams.uniforms(streams.key(key, "looked at"), len(weight))[0]
    return np.lexsort((chance, -weight))[:count]


def candidates(view: PlayView, row: int) -> NDArray[np.int64]:
    """The legal cards that tell an opponent something of their own: all from the nine up, and one of each low run."""
    held = np.full(52, 4, np.uint8)
    held[view.played[row]] = 255
    turn = int(view.turn[row])
    held[view.mask[row]] = turn
    trick = tuple(int(c) for c in present_trick(view)[row] if c >= 0)
    low = distinct(view.mask[row], held, turn, trick)
    high = [int(c) for c in np.flatnonzero(view.mask[row]) if c % 13 >= 7]
    return np.array(sorted({*low, *high}), np.int64)


def success(view: PlayView, row: int, thought: CardThought) -> float:
    """The share of deals on which the best card makes the contract (a defender: beats it) double dummy."""
    belief = thought.belief
    assert belief is not None
    worth = Worth(view, row, belief.owner, "tricks")
    made = worth.declarers(thought.tricks) >= worth.level + 6
    reached = made if worth.declares else ~made
    return float((belief.weight @ reached).max())


def opponents_views(view: PlayView, row: int, card: int, deals: NDArray[np.uint8]) -> tuple[PlayView, int]:
    """What the next opponent who decides sees once ``card`` is played, on each of the deals; and his seat."""
    n, length = len(deals), int(view.length[row])
    declarer = int(view.declarer[row])
    history = np.tile(np.append(view.cards[row, :length], np.int8(card)), (n, 1))
    plays = Plays.replay(deals, declarer, int(view.strain[row]), history)
    contracts = Contracts(*(np.repeat(part[[row]], n) for part in (view.bid, view.doubling, view.declarer)))
    seen = play_view(plays, contracts, int(view.vulnerability[row]))
    theirs = 1 - (int(view.turn[row]) & 1)
    turn = int(plays.turn[0])
    hand = turn if turn & 1 == theirs else (turn + 1) & 3
    seat = declarer if hand == declarer ^ 2 else hand
    return replace(
        seen,
        seat=np.full(n, seat, np.int16),
        hand=deals == seat,
        history=np.repeat(view.history[[row]], n, axis=0),
        dealer=np.repeat(view.dealer[[row]], n),
    ), seat


def deception_text(found: Deception, view: PlayView, row: int, unit: str) -> str:
    """What it is worth, what it risks and which belief it plants, in words."""
    if not len(found.cards):
        return thought_text(found.plain, view, row, unit)
    lines = [f"{card_text(found.card)} (montecarlo: {card_text(found.plain.card)})"]
    lines.append(f"  cards     believing  seeing all   ({unit})")
    for at in np.argsort(-found.average, kind="stable"):
        name = card_text(int(found.cards[at]))
        lines.append(f"            {found.average[at]:>+9.2f}  {found.double_dummy[at]:>+10.2f}   {name}")
    at = int(np.flatnonzero(found.cards == found.card)[0])
    risk = float(found.double_dummy.max() - found.double_dummy[at])
    cost = "costs nothing if it is seen through" if risk < _SAME else f"risks {risk:.2f} if it is seen through"
    lines.append(f"  deception {cost}")
    me = int(view.turn[row])
    known = np.unique(found.planted[at], axis=0)[:3]
    lines += [f"  {SEATS[found.opponent]} imagines {SEATS[me]} {hand_text(owner == me)}" for owner in known]
    return "\n".join(lines)
