"""Value candidate cards against an opponent that plays for the deals it believes in, by a search of a given size.

The deals that count most are looked at; in each the opponent imagines deals of his own (D'); the lines are followed to
exact leaves (``paired``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.card_values import Worth
from agents.cardplay.deals import BelievedDeals, believed_deals
from agents.cardplay.deception.lines import Lines
from agents.cardplay.deception.paired import LONGEST, Solver, real_values
from agents.cardplay.montecarlo import CardDecision
from agents.cardplay.table import current_trick, trick_leader
from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.rng import streams
from bridge_env.rules.auction import Contracts
from bridge_env.rules.cards import UNKNOWN
from bridge_env.rules.play import Plays


@dataclass(frozen=True)
class Size:
    """Size of a search: deals, deals imagined in each, tricks ahead, and further tricks while the opponents lead."""

    real: int
    imagined: int
    depth: int
    further: int = LONGEST


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The results of a search for each candidate."""

    seen: NDArray[np.float64]  # (C,), what they are worth if he sees all cards
    gain: NDArray[np.float64]  # (D, C), what his belief adds to that in each deal that was looked at
    weight: NDArray[np.float64]  # (D,), adds up to 1
    # for each candidate (L,), tricks from here on along every line, those of one deal after another
    taken: list[NDArray[np.float64]]
    # for each candidate, what each line counts for, adding up to 1
    shares: list[NDArray[np.float64]] = field(default_factory=list)

    @property
    def average(self) -> NDArray[np.float64]:
        """Return the candidates' average worth, given the opponent's belief: float64 (C,)."""
        return self.seen + self.weight @ self.gain

    def surely(self, plain_at: int, errors: float) -> NDArray[np.float64]:
        """Return each candidate's gain over candidate ``plain_at``, less this many standard errors: float64 (C,).

        The error is that of the mean gain over deals, with one deal more in which nothing is gained: the best of
        several cards on few deals is best by luck too.
        """
        share = np.append(self.weight * len(self.gain), 1.0)[:, None]
        more = np.append(self.gain - self.gain[:, [plain_at]], np.zeros((1, len(self.seen))), axis=0)
        mean = (share * more).sum(axis=0) / share.sum()
        error = np.sqrt((share * (more - mean) ** 2).sum(axis=0) / share.sum() / (len(more) - 1))
        return self.average - self.average[plain_at] - errors * error


@dataclass(frozen=True, eq=False)
class SearchDeals:
    """Deals to look at, the first ones first, and the candidates' results on them."""

    deals: NDArray[np.uint8]  # (S, 52)
    weight: NDArray[np.float64]  # (S,)
    tricks: NDArray[np.int8]  # (S, C), of the candidates, double dummy
    average: NDArray[np.float64]  # (C,), what the candidates are worth then, on all deals

    @classmethod
    def of(cls, thought: CardDecision, cards: NDArray[np.int64], key: np.uint64) -> SearchDeals:
        """Return the deals of a thought."""
        belief = thought.belief
        assert belief is not None
        order = search_order(belief.weight, key)
        at = np.searchsorted(thought.cards, cards)
        return cls(belief.owner[order], belief.weight[order], thought.tricks[order][:, at], thought.average[at])


def search_order(weight: NDArray[np.float64], key: np.uint64) -> NDArray[np.int64]:
    """Order the deals for the search: heaviest first, equal ones at random, since the deals of a belief are sorted."""
    chance = streams.uniforms(streams.key(key, "looked at"), len(weight))[0]
    return np.lexsort((chance, -weight))


class Lookahead:
    """One card's search, which may be done at several sizes: deals and solved positions are cached.

    Args:
        view, row, key: as of a ``CardPlayer``.
        cards: the candidates, int64 (C,).
        reader, inference: of the opponent's beliefs.
        score: what leaves are scored in.
    """

    def __init__(
        self, view: PlayView, row: int, key: np.uint64, cards: NDArray[np.int64], deals: SearchDeals,
        reader: AuctionReader, inference: str, score: str,
    ) -> None:  # fmt: skip
        self.view, self.row, self.key, self.cards = view, row, key, cards
        self.reader, self.inference, self.score = reader, inference, score
        self.deals, self.weight, self.tricks, self.average = deals.deals, deals.weight, deals.tricks, deals.average
        self.solver = Solver()
        self._after: dict[int, PlayView] = {}  # what the opponent sees once a candidate is played, deal by deal
        self._imagined: dict[tuple[int, int, int], BelievedDeals] = {}

    def exact(self, size: Size, lines: int) -> SearchResult | None:
        """Search with exact double dummy at the leaves; returns None if ``solver`` is spent.

        What he loses by his belief is added up on the deals that are looked at. What the cards are worth if he sees all
        is known on all deals, and taken from there: it differs more from deal to deal.
        """
        deals, weight = self.deals[: size.real], self.weight[: size.real] / self.weight[: size.real].sum()
        worth = Worth(self.view, self.row, deals, self.score)
        dealt = worth.of(self.tricks[: len(deals)])
        gain, taken, shares = np.zeros((len(deals), len(self.cards))), [], []
        for at in range(len(self.cards)):
            beliefs = [self.imagined(at, d, size.imagined) for d in range(len(deals))]
            of = np.repeat(np.arange(len(deals)), [len(belief.owner) for belief in beliefs])
            each = np.concatenate([belief.weight for belief in beliefs])
            imagined = np.concatenate([belief.owner for belief in beliefs])
            roots = self._roots(self.cards[at], deals[of], imagined, size.depth)
            tricks = real_values(roots, of, self.solver, lines, size.further, each)
            if self.solver.spent:
                return None
            taken.append(tricks)
            shares.append(each * weight[of])
            for d in range(len(deals)):
                along = np.tile(tricks[of == d].astype(np.int8), (len(deals), 1))
                gain[d, at] = each[of == d] @ worth.of(along)[d] - dealt[d, at]
        return SearchResult(self.average, gain, weight, taken, shares)

    def imagined(self, at: int, d: int, count: int) -> BelievedDeals:
        """Return what the opponent imagines after candidate ``at`` in the deal ``d``."""
        card = int(self.cards[at])
        if at not in self._after:
            self._after[at] = opponents_views(self.view, self.row, card, self.deals)
        if (at, d, count) not in self._imagined:
            stream = np.uint64(streams.key(self.key, "imagined", card, d)[0])
            found = believed_deals(self._after[at], d, self.reader, count, stream, self.inference)
            self._imagined[at, d, count] = found
        return self._imagined[at, d, count]

    def _roots(self, card: np.int64, deals: NDArray[np.uint8], imagined: NDArray[np.uint8], depth: int) -> Lines:
        """Return where ``card`` leads in deals uint8 (N, 52), if the opponent believes in the ``imagined`` ones."""
        view, row = self.view, self.row
        real, believed = (np.where(view.played[row], np.uint8(UNKNOWN), d) for d in (deals, imagined))
        trick = tuple(int(c) for c in current_trick(view)[row] if c >= 0)
        leader, side, strain = (int(n[row]) for n in (trick_leader(view), view.turn & 1, view.strain))
        before = Lines.of(real, believed, leader, trick, side, strain, depth)
        return before.children(np.tile(np.arange(52) == card, (len(deals), 1)))


def opponents_views(view: PlayView, row: int, card: int, deals: NDArray[np.uint8]) -> PlayView:
    """Return the views of the next opponent to decide after ``card``, on each of the deals."""
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
    )


def sizes(wanted: Size) -> list[Size]:
    """Return searches one after the other, each larger, up to ``wanted``; the first look at few deals."""
    out = [replace(wanted, depth=depth, further=min(1, wanted.further)) for depth in range(1, wanted.depth + 1)]
    out += [replace(wanted, further=further) for further in range(2, wanted.further + 1)]
    few = Size(max(1, wanted.real // 4), max(1, wanted.imagined // 2), 1, 0)
    return [few, replace(wanted, depth=1, further=0), *out]
