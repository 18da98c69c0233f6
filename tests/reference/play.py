"""The Laws of play, read slowly: sets and lists of cards, nothing shared with ``bridge_env.rules.play``.

This is the oracle. A card is a pair (suit, rank), suits 0..3 for C D H S and 4 for no trump, ranks 2..14.
"""


class LawPlay:
    """One board in play: four hands as sets of cards, N E S W, the declarer's seat and the trump suit (4: none)."""

    def __init__(self, hands: list[set[tuple[int, int]]], declarer: int, trump: int) -> None:
        self.hands = [set(hand) for hand in hands]
        self.declarer, self.trump = declarer, trump
        self.tricks: list[list[tuple[int, tuple[int, int]]]] = [[]]  # each a list of (seat, card)
        self.winners: list[int] = []

    def turn(self) -> int:
        """Law 41A: the player to declarer's left leads first; then whoever took the last trick (44G), clockwise."""
        trick = self.tricks[-1]
        if trick:
            seat = trick[-1][0]
            return 0 if seat == 3 else seat + 1
        return self.winners[-1] if self.winners else (self.declarer + 1) % 4

    def ended(self) -> bool:
        return len(self.winners) == 13

    def legal(self) -> set[tuple[int, int]]:
        """Law 44: lead any card; follow suit if possible; else play any card."""
        if self.ended():
            return set()
        hand, trick = self.hands[self.turn()], self.tricks[-1]
        if trick:
            led = trick[0][1][0]
            same = {card for card in hand if card[0] == led}
            if same:
                return same
        return set(hand)

    def play(self, card: tuple[int, int]) -> None:
        assert card in self.legal()
        seat = self.turn()
        self.hands[seat].remove(card)
        self.tricks[-1].append((seat, card))
        if len(self.tricks[-1]) == 4:
            self.winners.append(self.taker(self.tricks[-1]))
            self.tricks.append([])

    def taker(self, trick: list[tuple[int, tuple[int, int]]]) -> int:
        """Law 44E and F: the highest trump, or without one the highest card of the suit led."""
        led = trick[0][1][0]
        trumps = [(card[1], seat) for seat, card in trick if card[0] == self.trump]
        suit = [(card[1], seat) for seat, card in trick if card[0] == led]
        return max(trumps or suit)[1]

    def dummy(self) -> int:
        return [2, 3, 0, 1][self.declarer]

    def declarers_tricks(self) -> int:
        return sum(winner in (self.declarer, self.dummy()) for winner in self.winners)
