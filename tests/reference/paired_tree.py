"""Lines with a real and an imaginary value, by trying all cards: sets and recursion, nothing shared with the kernels.

This is the oracle of ``deception.paired_tree`` and of the published leaf. A card is 0..51 (suit * 13 + rank), a
deal four frozensets N E S W, a position (deal, leader, trick, won, lost): the tricks of my side and of the other.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

Deal = tuple[frozenset[int], frozenset[int], frozenset[int], frozenset[int]]
Position = tuple[Deal, int, tuple[int, ...], int, int]


@dataclass(frozen=True)
class Rule:
    """Trumps (4: none), my side, the tricks that mine needs of thirteen, and how far is looked ahead."""

    trump: int
    side: int
    goal: int
    ends: int  # tricks of the board after which a line ends where my side leads
    longest: int

    def value(self, position: Position) -> int:
        """Of an end of a line."""
        deal, leader, _, won, lost = position
        cash = top_tricks(deal, leader, self.trump)
        if leader % 2 == self.side:
            won += cash
        else:
            lost += cash
        return 0 if lost > 13 - self.goal else won

    def ended(self, position: Position) -> bool:
        deal, leader, trick, won, lost = position
        if trick:
            return False
        ends = self.ends if leader % 2 == self.side else self.ends + self.longest
        return won + lost >= ends or not deal[leader]

    def failed(self, position: Position) -> bool:
        return position[4] > 13 - self.goal


def turn(position: Position) -> int:
    return (position[1] + len(position[2])) % 4


def top_tricks(deal: Deal, leader: int, trump: int) -> int:
    """What the leader's side cashes, round by round, suit by suit."""
    ours = [set(deal[leader]), set(deal[(leader + 2) % 4])]
    theirs = [set(deal[(leader + 1) % 4]), set(deal[(leader + 3) % 4])]
    total = 0
    for suit in sorted(range(4), key=lambda s: s != trump):
        mine = [sorted((c for c in hand if c // 13 == suit), reverse=True) for hand in ours]
        tops = {c for hand in mine for c in hand if all(c > o for other in theirs for o in other if o // 13 == suit)}
        for _ in range(max(len(hand) for hand in mine)):
            can_ruff = suit != trump and any(
                any(c // 13 == trump for c in hand) and not any(c // 13 == suit for c in hand) for hand in theirs
            )
            out = not any(c // 13 == suit for hand in theirs for c in hand)
            if can_ruff or not (tops or out):
                break
            total += 1
            tops -= {max(tops)} if tops else set()
            for hand in theirs:
                held = [c for c in hand if c // 13 == suit]
                hand -= {min(held)} if held else set()
    return min(total, len(deal[leader]))


def legal(deal: Deal, seat: int, trick: tuple[int, ...]) -> set[int]:
    same = {c for c in deal[seat] if trick and c // 13 == trick[0] // 13}
    return same or set(deal[seat])


def runs(cards: set[int], elsewhere: set[int]) -> list[int]:
    """The lowest of each run: of two cards next to each other in order, of one suit, with none of others between."""
    order = sorted(cards)
    kept = order[:1]
    for low, high in pairwise(order):
        if low // 13 != high // 13 or any(low < c < high for c in elsewhere):
            kept.append(high)
    return kept


def played(deal: Deal, seat: int, card: int) -> Deal:
    """Without the card; if another held it, the seat gives its nearest of the suit for it, or its lowest."""
    hands = [set(hand) for hand in deal]
    if card not in hands[seat]:
        same = [c for c in hands[seat] if c // 13 == card // 13]
        gift = min(same, key=lambda c: (abs(c - card), c)) if same else min(hands[seat], key=lambda c: (c % 13, c))
        holder = next(s for s in range(4) if card in hands[s])
        hands[holder] = hands[holder] - {card} | {gift}
        hands[seat] = hands[seat] - {gift} | {card}
    hands[seat] -= {card}
    n, e, s, w = (frozenset(hand) for hand in hands)
    return n, e, s, w


def after(position: Position, card: int, rule: Rule) -> Position:
    deal, leader, trick, won, lost = position
    deal, trick = played(deal, turn(position), card), (*trick, card)
    if len(trick) < 4:
        return deal, leader, trick, won, lost
    trumps = [c for c in trick if c // 13 == rule.trump]
    best = max(trumps or [c for c in trick if c // 13 == trick[0] // 13])
    taker = (leader + trick.index(best)) % 4
    mine = taker % 2 == rule.side
    return deal, taker, (), won + mine, lost + (not mine)


@cache
def imaginary(position: Position, rule: Rule) -> int:
    """Of a position as the opponents imagine it: each side plays its best there."""
    if rule.failed(position):
        return 0
    if rule.ended(position):
        return rule.value(position)
    deal, seat = position[0], turn(position)
    cards = legal(deal, seat, position[2])
    elsewhere = {c for s in range(4) if s != seat for c in deal[s]} | set(position[2])
    values = [imaginary(after(position, card, rule), rule) for card in runs(cards, elsewhere)]
    return max(values) if seat % 2 == rule.side else min(values)


def choices(position: Position, imagined: list[Position]) -> list[int]:
    """What an opponent may play in d and all of d', touching cards once."""
    seat, trick = turn(position), position[2]
    cards = legal(position[0], seat, trick)
    both = cards.intersection(*(legal(other[0], seat, trick) for other in imagined))
    deals = [position[0], *(other[0] for other in imagined)]
    elsewhere = {c for deal in deals for s in range(4) if s != seat for c in deal[s]} | set(trick)
    return runs(both or cards, elsewhere)


@cache
def real(position: Position, imagined: Position, rule: Rule) -> int:
    """Of a position where theirs believe in another."""
    if rule.failed(position):
        return 0
    if rule.ended(position):
        return rule.value(position)
    seat = turn(position)
    if seat % 2 == rule.side:
        elsewhere = {c for s in range(4) if s != seat for c in position[0][s]} | set(position[2])
        cards = runs(legal(position[0], seat, position[2]), elsewhere)
        return max(real(after(position, c, rule), after(imagined, c, rule), rule) for c in cards)
    pairs = [(after(position, c, rule), after(imagined, c, rule)) for c in choices(position, [imagined])]
    looks = [imaginary(believed, rule) for _, believed in pairs] if len(pairs) > 1 else [0]
    return min(
        real(actual, believed, rule)
        for (actual, believed), look in zip(pairs, looks, strict=True)
        if look == min(looks)
    )  # fmt: skip


def answered(position: Position, imagined: list[Position], weight: list[float], rule: Rule) -> list[int]:
    """The values over D' where one opponent, who is to play, chooses for all of it."""
    cards = choices(position, imagined)
    looks = [
        sum(w * imaginary(after(believed, c, rule), rule) for w, believed in zip(weight, imagined, strict=True))
        for c in cards
    ]
    found = [
        [real(after(position, c, rule), after(believed, c, rule), rule) for believed in imagined]
        for c, look in zip(cards, looks, strict=True)
        if look < min(looks) + 1e-9
    ]
    return min(found, key=lambda values: round(sum(w * v for w, v in zip(weight, values, strict=True)), 9))


def mean(position: Position, imagined: list[Position], rule: Rule, weight: list[float] | None = None) -> float:
    """The weighted mean over D'; the opponent who plays next, at once or after a card of mine, chooses once for all."""
    weight = weight or [1.0] * len(imagined)
    seat = turn(position)
    if seat % 2 != rule.side:
        values: list[int] = answered(position, imagined, weight, rule)
    elif rule.failed(position) or rule.ended(position):
        values = [real(position, believed, rule) for believed in imagined]
    else:
        elsewhere = {c for s in range(4) if s != seat for c in position[0][s]} | set(position[2])
        lines = []
        for card in runs(legal(position[0], seat, position[2]), elsewhere):
            then, beliefs = after(position, card, rule), [after(believed, card, rule) for believed in imagined]
            mine = turn(then) % 2 == rule.side or rule.failed(then) or rule.ended(then)
            lines.append([real(then, b, rule) for b in beliefs] if mine else answered(then, beliefs, weight, rule))
        values = [max(values) for values in zip(*lines, strict=True)]
    return sum(w * v for w, v in zip(weight, values, strict=True)) / sum(weight)
