"""Derive the facts of a board that follow from others, mend one by another, and report those that contradict.

Both readers end here. A mended fact or a contradiction is a ``BadBoard`` in a list of faults, which costs no board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from bridge_env.hands.deals import deal_of_hands
from bridge_env.records.board import BAD_PLAY, ILLEGAL_PLAY, BadBoard
from bridge_env.rules.auction import IllegalCall, one_auction
from bridge_env.rules.calls import FIRST_BID, PASS, Contract, call_text
from bridge_env.rules.cards import SEATS, UNKNOWN, DealError, UInt8Array
from bridge_env.rules.play import IllegalCard, Plays
from bridge_env.rules.scoring import score

NOT_THE_AUCTIONS = "contract is not the auction's"
MENDED = "mended"
CONTRADICTION = "contradiction"
_MOST_CUT = 4  # passes behind the end of an auction: more are no slip
_NUMBER = re.compile(
    r"""
    (.+?[\s,;/-](?=(?:board|bd|brd|hand|deal)\b\W*\d))?           # words before it: "Round 2, " of "Round 2, Board 7"
    (?:[^\W\d]{2,}[\s#.:+-]+|board|bd|brd|deal|hand|nr|no)?       # "Board ", "bd"
    (?:(?:no|nr|n)?[\s.:°º]+|№)?[\s#.:]*                          # "no. ", "№", "#"
    0*([1-9][0-9]{0,8})
    (?:\.|\s*/\s*[0-9]+|\s+(?:of|von|sur|van)\s+[0-9]+            # "7.", "7/24", "7 of 24"
    |((?:\s*[,;(-]|\s)\s*[^\W\d].*|\(?(?:open|closed)\b.*))?      # words behind it: ", table 3", "open"
    \s*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 80  # characters of a text that may have a board's number


def board_number(text: str) -> int | None:
    """Return the number of ``"7"``, ``"07"``, ``"7 of 24"`` or ``"Round 2, Board 7"``; None for other text."""
    match = _NUMBER.match(text.strip()[:_LONGEST])
    return int(match[2]) if match else None


def report_words_beside_number(text: str, line: int, faults: list[BadBoard]) -> None:
    """Report the ``Round 2`` and ``table 3`` of ``"Round 2, Board 7, table 3"``, which are lost."""
    match = _NUMBER.match(text.strip()[:_LONGEST])
    for words, where in ((match[1], "before"), (match[3], "behind")) if match else ():
        if words:
            faults.append(BadBoard(line, f"board: {words.strip()!r} {where} the number is not read", "mark"))


def by_number_or_place(
    number: int | None, place: int, rule: Callable[[int], object], line: int, what: str, faults: list[BadBoard]
) -> int:
    """Return the dealer or vulnerability (``what``) by ``rule`` of the board's number, else, reported, its place."""
    if number is None:
        reason = f"no {what} and no board number to read: the {what} is that of board {place}, its place in the file"
        faults.append(BadBoard(line, reason, f"{what} by place"))
    return int(rule(place if number is None else number))  # type: ignore[call-overload]


def passes_missing(calls: Sequence[int]) -> int:
    """Return the number of passes that end an auction."""
    trailing = 0
    while trailing < len(calls) and calls[-1 - trailing] == PASS:
        trailing += 1
    return max(0, (3 if any(c >= FIRST_BID for c in calls) else 4) - trailing)


def passes_text(count: int, kind: str) -> str:
    """Return ``1 opening pass`` or ``2 opening passes``."""
    return f"{count} {kind} pass{'es' * (count > 1)}"


def auction_end(line: int, calls: Sequence[int], dealer: int) -> Contract | None:
    """Return the contract that an auction ends in, None if it is not finished.

    Raises:
        BadBoard: a call that is not legal, or one after the end.
    """
    try:
        auctions = one_auction(calls, dealer)
    except IllegalCall as error:
        reason = str(error).replace(" at table 0", "").replace("auction 0 ", "it ")
        raise BadBoard(line, f"auction: {reason}", "illegal call") from None
    return auctions.contracts().at(0) if auctions.done[0] else None


@dataclass
class Bidding:
    """The auction of a file beside what its other facts say of it.

    Attributes:
        line: where the auction is.
        contract_line: where the contract is.
        calls: from the dealer on.
        notes: explanations, by their index in ``calls``.
        contract: of the tags; its declarer is -1.
        seat: the declarer of the tags.
        leader: the seat that holds the first card of the play.
        broken_off: whether the file marks that the auction goes on.
        dealer_by: ``tag``, ``number`` or ``place``.
        irregular: whether the file marks (``^``) that the declarer is not the auction's.
    """

    line: int
    dealer: int
    calls: tuple[int, ...]
    notes: dict[int, str]
    contract_line: int
    contract: Contract | None = None
    seat: int | None = None
    leader: int | None = None
    broken_off: bool = False
    dealer_by: str = "tag"
    irregular: bool = False

    @property
    def declarer(self) -> int | None:
        """Return the declarer by the tags, else by the opening lead."""
        if self.seat is not None or self.leader is None:
            return self.seat
        return (self.leader - 1) & 3

    def settle(self, faults: list[BadBoard]) -> Contract | None:
        """Mend the calls by the contract, the declarer and the lead; return the contract.

        Passes are put in front or left out until the declarer agrees, and put at the end where the contract or a play
        says that the auction is over. A declarer that neither the auction nor the lead agrees with is theirs. A dealer
        that the file does not name follows from the declarer.

        Raises:
            BadBoard: an illegal auction, or one that ends in another contract.
        """
        self._cut(faults)
        end = auction_end(self.line, self.calls, self.dealer)
        if end is None and self.calls:
            end = self._close(faults)
        if end is None:
            return self._contract_of_tags(faults)
        named = self.contract
        if named is not None and named.bid != end.bid:
            raise BadBoard(self.contract_line, self._differs(end), NOT_THE_AUCTIONS)
        if named is not None and named.doubling != end.doubling:
            faults.append(BadBoard(self.contract_line, f"{self._differs(end)}; the auction counts", CONTRADICTION))
        if end.passed_out or self.declarer in (None, end.declarer):
            return end
        if self.irregular:
            faults.append(BadBoard(self.contract_line, f"{self._differs(end)} (^); the auction counts", CONTRADICTION))
            return end
        if self.leader is not None and self.leader == (end.declarer + 1) & 3:
            reason = f"{self._differs(end)}; {SEATS[self.leader]} leads, so the auction counts"
            faults.append(BadBoard(self.contract_line, reason, CONTRADICTION))
            return end
        opening = next(place for place, call in enumerate(self.calls) if call != PASS)
        ways = [(count, self.dealer) for count in range(1, 4 - opening)]
        if self.dealer_by == "tag" and self.seat is not None:
            ways += [(-count, self.dealer) for count in range(1, opening + 1)]
        elif self.dealer_by != "tag" and self.declarer is not None:
            turned = (0, (self.dealer + self.declarer - end.declarer) & 3)
            ways = [*ways, turned] if self.dealer_by == "number" else [turned]
        for count, dealer in ways:
            moved = auction_end(self.line, (PASS,) * count + self.calls[max(0, -count) :], dealer)
            if moved is not None and moved.declarer == self.declarer:
                how = f"{passes_text(abs(count), 'opening')} {'put in front' if count > 0 else 'left out'}"
                how = how if count else f"{SEATS[dealer]} is the dealer"
                reason = f"auction: {how}, so that {SEATS[moved.declarer]} is the declarer"
                faults.append(BadBoard(self.line, reason, MENDED))
                self.begin(count, dealer)
                return moved
        return end

    def _cut(self, faults: list[BadBoard]) -> None:
        """Leave out calls behind the three or four passes that end an auction."""
        bid = next((place for place, call in enumerate(self.calls) if call != PASS), 1)
        end = next(
            (n for n in range(bid + 3, len(self.calls)) if set(self.calls[n - 3 : n]) == {PASS}), len(self.calls)
        )
        behind = self.calls[end:]
        if 0 < len(behind) <= _MOST_CUT:
            self.calls = self.calls[:end]
            self.notes = {index: text for index, text in self.notes.items() if index < end}
            what = passes_text(len(behind), "further") if not any(behind) else " ".join(map(call_text, behind))
            faults.append(BadBoard(self.line, f"auction: {what} behind its end left out", MENDED))

    def _close(self, faults: list[BadBoard]) -> Contract | None:
        """Put passes at the end of an auction that the contract or the play says is over."""
        count, named = passes_missing(self.calls), self.contract
        if self.broken_off or (named is None and self.leader is None):
            return None
        end = auction_end(self.line, (*self.calls, *(PASS,) * count), self.dealer)
        if end is None or (named is not None and (named.bid, named.doubling) != (end.bid, end.doubling)):
            return None
        if end.passed_out and self.leader is not None:
            return None
        self.calls += (PASS,) * count
        reason = f"auction: {passes_text(count, 'closing')} put at the end, which the file leaves out"
        faults.append(BadBoard(self.line, reason, MENDED))
        return end

    def begin(self, count: int, dealer: int) -> None:
        """Put passes in front, or leave them out, and let a seat be the dealer."""
        self.dealer, self.calls = dealer, (PASS,) * count + self.calls[max(0, -count) :]
        self.notes = {index + count: text for index, text in self.notes.items() if index + count >= 0}

    def _contract_of_tags(self, faults: list[BadBoard]) -> Contract | None:
        named = self.contract
        last = max(self.calls, default=PASS)
        if named is not None and last >= FIRST_BID and named.bid < last - FIRST_BID:
            bid, contract = call_text(last), "Pass" if named.passed_out else str(named)[:-2]
            reason = f"the contract is {contract}, but the auction, which is not finished, has {bid}"
            faults.append(BadBoard(self.contract_line, reason, CONTRADICTION))
        if named is None or named.passed_out:
            return named
        if self.declarer is None:
            reason = f"the contract {str(named)[:-2]} is left out, as its declarer is not known"
            faults.append(BadBoard(self.contract_line, reason, "no declarer"))
            return None
        return replace(named, declarer=self.declarer)

    def _differs(self, end: Contract) -> str:
        named = self.contract or end
        seat = end.declarer if self.seat is None else self.seat
        return f"the auction ends in {end}, the tags say {named if named.passed_out else replace(named, declarer=seat)}"


def leader_of(owner: UInt8Array, cards: Sequence[int]) -> int | None:
    """Return the seat that holds the first card, if both are known."""
    return int(owner[cards[0]]) if cards and cards[0] >= 0 and owner[cards[0]] != UNKNOWN else None


def settle_deal(
    line: int, hands: Sequence[str], first: int, text: str, faults: list[BadBoard], is_last_redundant: bool = False
) -> UInt8Array:
    """Return the deal of hands clockwise from seat ``first``, uint8 (52,), 255 for the cards of hands left out.

    A hand that cannot be read follows from the other three, where only one of the four can be wrong.

    Args:
        text: the deal as it was written, for errors.
        is_last_redundant: whether the fourth is wrong wherever it can be.

    Raises:
        DealError: not a deal.
    """
    try:
        return deal_of_hands(hands, first, text)
    except DealError as error:
        mended: dict[int, UInt8Array] = {}
        for place in range(4) if len(hands) == 4 else ():
            with suppress(DealError):
                owner = deal_of_hands([*hands[:place], "-", *hands[place + 1 :]], first, text)
                if not (owner == UNKNOWN).any():
                    mended[place] = owner
        if len(mended) != 1 and not (is_last_redundant and 3 in mended):
            raise
        place = max(mended)
        seat = SEATS[(first + place) & 3]
        faults.append(BadBoard(line, f"{error}; the hand of {seat} follows from the other three", MENDED))
        return mended[place]


def settle_play(
    line: int, owner: UInt8Array, contract: Contract | None, cards: Sequence[int], faults: list[BadBoard]
) -> Plays | None:
    """Return the play of the cards, -1 where one is not known, up to the first of those; None without any.

    From the first card on that is not legal it is left out. Losses are reported.
    """
    if not any(card >= 0 for card in cards):
        return None
    if contract is None or (owner == UNKNOWN).any():
        what = "the contract is" if contract is None else "all four hands are"
        faults.append(BadBoard(line, f"play: {what} not known", BAD_PLAY))
        return None
    known = next((place for place, card in enumerate(cards) if card < 0), len(cards))
    if any(card >= 0 for card in cards[known:]):
        reason = f"play: cards follow one that is missing, after {known} cards; those are left out"
        faults.append(BadBoard(line, reason, BAD_PLAY))
    legal = cards[: min(known, 53)]
    try:
        plays = Plays.replay(owner, contract.declarer, contract.strain, np.array([legal], np.int8))
    except IllegalCard as error:
        faults.append(BadBoard(line, f"play: {str(error).replace(' at table 0', '')}", ILLEGAL_PLAY))
        plays = Plays(owner, contract.declarer, contract.strain)
        with suppress(IllegalCard):
            for card in legal:
                plays.step([card])
    return plays if plays.length[0] else None


def settle_tricks(
    line: int, contract: Contract | None, tricks: int | None, plays: Plays | None, faults: list[BadBoard]
) -> int | None:
    """Return declarer's tricks: of the file, else of a play up to the last trick. A contradiction is reported.

    Where they contradict one another, the file's count.
    """
    if contract is not None and contract.passed_out and tricks:
        faults.append(BadBoard(line, f"the result is {tricks}, but the board is passed out", CONTRADICTION))
    if plays is None or contract is None:
        return None if contract is not None and contract.passed_out else tricks
    rest = plays.take(np.array([0]))  # a copy
    while 48 <= rest.length[0] < 52:  # of the last trick each hand has one card
        rest.step(np.flatnonzero(rest.legal()[0]))
    won, left = int(rest.won[0]), 13 - int(rest.tricks[0])
    if tricks is not None and not won <= tricks <= won + left:
        taken = f"{won} of {13 - left} tricks" if left else f"{won} tricks"
        reason = f"the result is {tricks}, but in the play declarer takes {taken}"
        faults.append(BadBoard(line, reason, CONTRADICTION))
    return won if tricks is None and not left else tricks


def settle_score(
    line: int, contract: Contract | None, vulnerability: int, tricks: int | None, points: int, side: int | None,
    faults: list[BadBoard],
) -> int | None:  # fmt: skip
    """Return declarer's tricks, from the score if they are not known; a score that contradicts them is reported.

    Args:
        points: of ``side`` (0 NS, 1 EW; None: declarer's).
    """
    if contract is None:
        return tricks
    declarer = max(contract.declarer, 0)
    sign = 1 if side is None or side == declarer & 1 else -1
    own = score(contract.bid, contract.doubling, contract.declarer, vulnerability, np.arange(14)) * (
        1 - 2 * (declarer & 1)
    )
    places = np.flatnonzero(own == sign * points)
    if contract.passed_out:
        right, which = points == 0, "Pass"
    elif tricks is None:
        right, which = places.size > 0, str(contract)
        tricks = int(places[0]) if places.size else None
    else:
        right, which = tricks in places, f"{contract} with {tricks} tricks, {sign * int(own[tricks])}"
    if not right:
        faults.append(BadBoard(line, f"the score is {points}, which is not that of {which}", CONTRADICTION))
    return tricks
