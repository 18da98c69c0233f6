"""What a call of a textbook promises, as far as a test can tell: used against slips in the exam's key."""

from __future__ import annotations

from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, call_text, level_of, strain_of

_HONOURS = {"A": 4, "K": 3, "Q": 2, "J": 1}
_WEAK_TWOS = {"2D": 1, "2H": 2, "2S": 3}


class Hand:
    """Points and lengths of a hand in text; suits are C D H S = 0..3."""

    def __init__(self, text):
        self.suits = text.split(".")[::-1]
        self.lengths = [len(suit) if suit != "-" else 0 for suit in self.suits]
        self.hcp = sum(_HONOURS.get(rank, 0) for rank in text)
        self.sorted = sorted(self.lengths, reverse=True)
        self.balanced = self.sorted[-1] >= 2 and self.sorted[2] >= 3
        self.twenty = self.hcp + self.sorted[0] + self.sorted[1]


def opening(hand, call, seat):
    """Is it such an opening, in the seat 0..3 after the dealer? The fault in words, or None."""
    clubs, diamonds, hearts, spades = hand.lengths
    word = call_text(call)
    if call == PASS:
        fits = hand.hcp <= 12 and (hand.twenty < 20 or hand.hcp < 10 or seat == 3)
    elif word in ("1H", "1S"):
        own, other = (hearts, spades) if word == "1H" else (spades, hearts)
        longer = own > other if word == "1H" else own >= other
        fits = own >= 5 and longer and own >= max(clubs, diamonds) and 10 <= hand.hcp <= 21
        fits = fits and not (hand.balanced and own == 5 and hand.hcp in (15, 16))
    elif word in ("1C", "1D"):
        own, other = (clubs, diamonds) if word == "1C" else (diamonds, clubs)
        major = max(hearts, spades)
        better = own > other if max(own, other) > 3 or word == "1D" else own == other
        fits = own >= 3 and (better or (word == "1D" and own == other == 4)) and (major <= 4 or own > major)
        fits = fits and 11 <= hand.hcp <= 21 and (hand.hcp >= 12 or hand.twenty >= 20)
        fits = fits and not (hand.balanced and hand.hcp in (15, 16, 17, 20, 21))
    elif word in ("1NT", "2NT"):
        least, most = (15, 17) if word == "1NT" else (20, 21)
        fits = least <= hand.hcp <= most and hand.sorted[-1] >= 2 and hand.sorted[0] <= 5
        fits = fits and max(hearts, spades) < 5
    elif word == "3NT":
        fits = 25 <= hand.hcp <= 27 and hand.balanced
    elif word == "2C":
        fits = hand.hcp >= 19
    elif word in _WEAK_TWOS:
        fits = hand.lengths[_WEAK_TWOS[word]] == 6 and 5 <= hand.hcp <= 10
    else:
        fits = hand.lengths[strain_of(call)] >= level_of(call) + 4 and hand.hcp <= 10
    return None if fits else f"no opening of {word}"


def response(hand, opened, call):
    """Is it such a response to one of a suit, the opponents silent? The fault in words, or None."""
    word, suit = call_text(call), strain_of(opened)
    if call == PASS:
        fits = hand.hcp <= 5
    elif level_of(call) == 1 and strain_of(call) < 4:
        own = hand.lengths[strain_of(call)]
        skipped = [hand.lengths[s] for s in range(suit + 1, strain_of(call))]
        four_first = own >= 5 or all(length < 4 for length in skipped) or (own == 4 and hand.lengths[1] < 5)
        fits = own >= 4 and hand.hcp >= 5 and all(length <= own for length in skipped[-1:]) and four_first
        if word == "1S" and suit < 2 and own == 4:
            fits = fits and hand.lengths[2] < 4
    elif word == "1NT":
        fits = 6 <= hand.hcp <= 12 and hand.lengths[3] < 4 + (suit == 3) and hand.lengths[suit] < 4 + (suit < 2)
    elif level_of(call) == 2 and strain_of(call) == suit:
        fits = hand.lengths[suit] >= (3 if suit > 1 else 5) and hand.hcp >= 6
    elif level_of(call) == 2 and strain_of(call) < suit:
        fits = hand.hcp >= 10 and hand.lengths[strain_of(call)] >= (5 if strain_of(call) == 2 else 4)
    elif word == "2NT" and suit > 1:
        fits = hand.hcp >= 12 and hand.lengths[suit] >= 4
    elif level_of(call) == 3 and strain_of(call) == suit and suit > 1:
        fits = 10 <= hand.hcp <= 12 and hand.lengths[suit] >= 3
    elif level_of(call) == 4 and strain_of(call) == suit and suit > 1:
        fits = hand.hcp <= 8 and hand.lengths[suit] >= 5
    else:
        return None
    return None if fits else f"no response of {word}"


def to_notrump(hand, call):
    """Is it such a response to 1NT, the opponents silent? The fault in words, or None."""
    clubs, _, hearts, spades = hand.lengths
    fits = {
        "Pass": hand.hcp <= 7 and max(hearts, spades) < 5,
        "2C": 4 in (hearts, spades) or hand.hcp in (8, 9),
        "2D": hearts >= 5,
        "2H": spades >= 5,
        "2S": clubs >= 6 or hand.lengths[1] >= 6,
        "2NT": hand.hcp in (8, 9) and max(hearts, spades) < 5,
        "3NT": 10 <= hand.hcp <= 14 and max(hearts, spades) < 5,
        "4NT": hand.hcp in (15, 16) and hand.balanced,
        "6NT": hand.hcp in (18, 19) and hand.balanced,
    }
    return None if fits.get(call_text(call), True) else f"no answer of {call_text(call)} to 1NT"


def overcall(hand, opened, call):
    """Is it such a call directly over their one of a suit? The fault in words, or None."""
    word = call_text(call)
    theirs = hand.lengths[strain_of(opened)]
    if call == PASS:
        fits = hand.hcp <= 16
    elif call == DOUBLE:
        others = [n for suit, n in enumerate(hand.lengths) if suit != strain_of(opened)]
        fits = hand.hcp >= 10 and (hand.hcp >= 17 or (theirs <= 2 and min(others) >= 3) or (theirs < 2))
    elif word == "1NT":
        stopper = set(hand.suits[strain_of(opened)])
        fits = 15 <= hand.hcp <= 18 and hand.balanced and theirs >= 2 and bool(stopper & {"A", "K", "Q"})
    elif strain_of(call) == strain_of(opened):
        rest = [hand.lengths[s] for s in ((2, 3) if strain_of(opened) < 2 else (5 - strain_of(opened),))]
        fits = min(rest) >= 5 and hand.sorted[1] >= 5
    elif word == "2NT":
        low = [s for s in range(4) if s != strain_of(opened)][:2]
        fits = min(hand.lengths[s] for s in low) >= 5
    elif strain_of(call) < 4:
        jump = call - 5 > opened
        fits = hand.lengths[strain_of(call)] >= 5 + jump * (level_of(call) - 1 - (level_of(call) > 2))
        fits = fits and (hand.hcp <= 10 if jump else hand.hcp >= 8)
    else:
        return None
    return None if fits else f"no {word} over their {call_text(opened)}"


def fault(hand, before, call):
    """What is wrong with ``call`` after the calls ``before``, as far as these rules tell; None if nothing."""
    bids = [c for c in before if c != PASS]
    if not bids:
        return opening(hand, call, len(before))
    first = next(i for i, c in enumerate(before) if c != PASS)
    distance = len(before) - first
    opened = before[first]
    if len(bids) == 1 and distance == 2 and all(c == PASS for c in before[first + 1 :]):
        if first >= 2 and len(before) >= 4:
            return None  # a passed hand's calls mean something else
        if FIRST_BID <= opened < FIRST_BID + 4:
            return response(hand, opened, call)
        if call_text(opened) == "1NT":
            return to_notrump(hand, call)
    if len(bids) == 1 and distance == 1 and FIRST_BID <= opened < FIRST_BID + 4 and first < 3:
        return overcall(hand, opened, call)
    return None
