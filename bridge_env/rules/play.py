"""Play the cards, a batch of boards at a time: legal cards, winners, dummy, claims.

The laws of play (Laws 41, 44, 45, 61 and 68 of duplicate bridge) stand here once, as numba kernels over rows. One
board is a batch of one. Each row is

- ``history`` int8 (N, 52): the cards in the order of play, padded with -1;
- ``players`` int8 (N, 52): the seat that played each;
- ``left`` uint8 (N, 52): the seat that still holds each card, 255 once it is played;
- ``state`` int16 (N, 8): derived from the history; the columns are named below.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import NOTRUMP
from bridge_env.rules.cards import SEATS, UNKNOWN, UInt8Array, card_text, check_deals

# Columns of ``state``. WON counts the tricks of declarer's side.
DECLARER, STRAIN, LENGTH, LEADER, TURN, TRICKS, WON, DONE = range(8)
STATE_COLUMNS = 8
CARDS = 52

Int16Array = NDArray[np.int16]
Int8Array = NDArray[np.int8]
BoolArray = NDArray[np.bool_]


class IllegalCard(ValueError):
    """A card that the laws do not allow here, or a claim that cannot be; the message shows the play so far."""


@njit(forceinline=True)
def beats(card, best, strain):  # type: ignore[no-untyped-def]
    """Return whether ``card`` beats ``best``, the best card of the trick so far."""
    if card // 13 == best // 13:
        return card > best
    return card // 13 == strain


@njit(forceinline=True)
def row_winner(history, start, strain):  # type: ignore[no-untyped-def]
    """Return which of the four cards from ``start`` on wins the trick: 0..3."""
    best = 0
    for i in range(1, 4):
        if beats(history[start + i], history[start + best], strain):
            best = i
    return best


@njit(forceinline=True)
def row_must_follow(state, left, history):  # type: ignore[no-untyped-def]
    """Return the suit that the hand to play must follow, or -1 if it may play anything."""
    if state[LENGTH] & 3 == 0:
        return -1
    suit = history[state[LENGTH] & ~3] // 13
    for card in range(13 * suit, 13 * suit + 13):
        if left[card] == state[TURN]:
            return suit
    return -1


@njit(forceinline=True)
def row_may_play(state, left, history, card):  # type: ignore[no-untyped-def]
    """Return whether this card is legal."""
    if state[DONE] or card < 0 or card >= CARDS or left[card] != state[TURN]:
        return False
    suit = row_must_follow(state, left, history)
    return suit < 0 or card // 13 == suit


@njit(forceinline=True)
def row_play(state, left, history, players, card):  # type: ignore[no-untyped-def]
    """Play a legal card."""
    length = state[LENGTH]
    history[length] = card
    players[length] = state[TURN]
    left[card] = UNKNOWN
    state[LENGTH] = length + 1
    if length & 3 != 3:
        state[TURN] = (state[TURN] + 1) & 3
        return
    winner = (state[LEADER] + row_winner(history, length - 3, state[STRAIN])) & 3
    state[LEADER] = winner
    state[TURN] = winner
    state[TRICKS] += 1
    state[WON] += ((winner ^ state[DECLARER]) & 1) == 0
    state[DONE] = length == CARDS - 1


@njit
def _mask_all(state, left, history, mask):  # type: ignore[no-untyped-def]
    for i in range(len(state)):
        suit = row_must_follow(state[i], left[i], history[i])
        for card in range(CARDS):
            held = left[i, card] == state[i, TURN] and not state[i, DONE]
            mask[i, card] = held and (suit < 0 or card // 13 == suit)


@njit
def _step_rows(state, left, history, players, rows, cards):  # type: ignore[no-untyped-def]
    """Play at the rows in order; return the position of the first illegal card, or -1 (then all were played)."""
    for i in range(len(rows)):
        row = rows[i]
        if not row_may_play(state[row], left[row], history[row], cards[i]):
            return i
    for i in range(len(rows)):
        row = rows[i]
        row_play(state[row], left[row], history[row], players[row], cards[i])
    return -1


@njit
def _replay_all(state, left, history, players, table, faults):  # type: ignore[no-untyped-def]
    """Play ``table`` int8 (N, L), padded with -1, up to each row's first illegal card (its place to ``faults``)."""
    for i in range(len(state)):
        faults[i] = -1
        for k in range(table.shape[1]):
            if table[i, k] < 0:
                break
            if not row_may_play(state[i], left[i], history[i], table[i, k]):
                faults[i] = k
                break
            row_play(state[i], left[i], history[i], players[i], table[i, k])


class Plays:
    """N boards in play side by side.

    Args:
        owner: uint8 (N, 52).
        declarer: seats 0..3, scalar or (N,); -1 where the board was passed out: then nothing is played.
        strain: 0..4 (C D H S NT), scalar or (N,).

    Raises:
        DealError: not deals.
        ValueError: not a declarer or a strain.
    """

    __slots__ = ("history", "left", "owner", "players", "state")

    def __init__(self, owner: ArrayLike, declarer: ArrayLike, strain: ArrayLike) -> None:
        self.owner: UInt8Array = check_deals(owner)
        n = len(self.owner)
        d = np.broadcast_to(np.asarray(declarer, np.int16), n)
        s = np.where(d < 0, 0, np.broadcast_to(np.asarray(strain, np.int16), n))
        if ((d < -1) | (d > 3)).any() or ((s < 0) | (s > NOTRUMP)).any():
            raise ValueError("a declarer is a seat 0..3, or -1 where the board was passed out, and a strain is 0..4")
        self.state: Int16Array = np.zeros((n, STATE_COLUMNS), np.int16)
        self.state[:, DECLARER], self.state[:, STRAIN], self.state[:, DONE] = d, s, d < 0
        self.state[:, LEADER] = self.state[:, TURN] = (d + 1) & 3
        self.history: Int8Array = np.full((n, CARDS), -1, np.int8)
        self.players: Int8Array = np.full((n, CARDS), -1, np.int8)
        self.left: UInt8Array = self.owner.copy()

    @classmethod
    def replay(cls, owner: ArrayLike, declarer: ArrayLike, strain: ArrayLike, history: ArrayLike) -> Plays:
        """Make boards after ``history`` (N, L), cards in the order of play, padded with -1.

        Raises:
            IllegalCard: where a card of it is not legal; names the first such board.
        """
        plays = cls(owner, declarer, strain)
        table = np.ascontiguousarray(np.atleast_2d(np.asarray(history, np.int8)))
        faults = np.empty(len(plays), np.int8)
        _replay_all(plays.state, plays.left, plays.history, plays.players, table, faults)
        bad = np.flatnonzero(faults >= 0)
        if bad.size:
            row = int(bad[0])
            raise IllegalCard(plays._fault_text(row, int(table[row, faults[row]])))
        return plays

    def __len__(self) -> int:
        return len(self.state)

    @property
    def declarer(self) -> Int16Array:
        return self.state[:, DECLARER]

    @property
    def dummy(self) -> Int16Array:
        """Return declarer's partner, int16 (N,); -1 where passed out."""
        d = self.state[:, DECLARER]
        return np.where(d < 0, d, d ^ 2)

    @property
    def strain(self) -> Int16Array:
        return self.state[:, STRAIN]

    @property
    def length(self) -> Int16Array:
        """Return the number of cards played, int16 (N,)."""
        return self.state[:, LENGTH]

    @property
    def leader(self) -> Int16Array:
        """Return the leader of the present trick."""
        return self.state[:, LEADER]

    @property
    def turn(self) -> Int16Array:
        """Return the hand to play from, int16 (N,)."""
        return self.state[:, TURN]

    @property
    def decider(self) -> Int16Array:
        """Return the seat that chooses its card: the seat itself, and declarer for dummy (Law 45B). int16 (N,)."""
        return np.where(self.turn == self.dummy, self.declarer, self.turn)

    @property
    def done(self) -> BoolArray:
        return self.state[:, DONE] != 0

    @property
    def tricks(self) -> Int16Array:
        """Return the tricks that are played or claimed, int16 (N,)."""
        return self.state[:, TRICKS]

    @property
    def won(self) -> Int16Array:
        """Return the tricks of declarer's side so far, int16 (N,); the result once a row is ``done``."""
        return self.state[:, WON]

    def legal(self) -> BoolArray:
        """Return the legal cards, bool (N, 52); none where a row is done."""
        mask = np.empty((len(self.state), CARDS), np.bool_)
        _mask_all(self.state, self.left, self.history, mask)
        return mask

    def step(self, cards: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Play one card at each of ``rows`` (default all).

        Raises:
            IllegalCard: a card is not legal at its table; then no card of the batch was played.
        """
        r = np.arange(len(self.state)) if rows is None else np.asarray(rows, np.int64)
        c = np.array(np.broadcast_to(cards, r.shape), np.int64)  # a read-only view is another type to numba
        bad = int(_step_rows(self.state, self.left, self.history, self.players, r, c))
        if bad >= 0:
            raise IllegalCard(self._fault_text(int(r[bad]), int(c[bad])))

    def claim(self, tricks: ArrayLike, rows: ArrayLike | None = None) -> None:
        """End the play at ``rows`` (default all): declarer's side takes ``tricks`` of those that are left (Law 68).

        Raises:
            IllegalCard: more tricks than are left, or a board that is over; then nothing was claimed.
        """
        r = np.arange(len(self.state)) if rows is None else np.asarray(rows, np.int64)
        t = np.broadcast_to(np.asarray(tricks, np.int64), r.shape)
        remaining = 13 - self.tricks[r].astype(np.int64)
        bad = np.flatnonzero(self.done[r] | (t < 0) | (t > remaining))
        if bad.size:
            at = int(bad[0])
            raise IllegalCard(f"{int(t[at])} tricks cannot be claimed at table {int(r[at])}: {remaining[at]} are left")
        self.state[r, WON] += t.astype(np.int16)
        self.state[r, TRICKS] = 13
        self.state[r, DONE] = 1

    def cards(self, row: int) -> tuple[int, ...]:
        """Return the cards of one board in the order of play."""
        return tuple(self.history[row, : self.state[row, LENGTH]].tolist())

    def text(self, row: int) -> str:
        """Write the play of one board, a bar after each trick: ``"E: HQ H6 H2 H4 | H5"``; empty at the start."""
        words = [card_text(card) for card in self.cards(row)]
        tricks = [" ".join(words[i : i + 4]) for i in range(0, len(words), 4)]
        return f"{SEATS[int(self.players[row, 0])]}: {' | '.join(tricks)}" if words else ""

    def _fault_text(self, row: int, card: int) -> str:
        """Explain why ``card`` cannot be played at ``row`` now."""
        name, seat = (card_text(card) if 0 <= card < CARDS else repr(card)), int(self.turn[row])
        if self.done[row]:
            why = "the play is over"
        elif not 0 <= card < CARDS:
            why = "it is no card"
        elif self.left[row, card] != seat:
            why = f"{SEATS[seat]} does not hold it"
        else:
            why = f"{SEATS[seat]} can follow suit"
        return f"{name} is not legal at table {row} after {self.text(row) or 'no card'}: {why}"

    def take(self, rows: NDArray[np.int64] | BoolArray) -> Plays:
        """Copy some rows."""
        out = object.__new__(Plays)
        for name in self.__slots__:
            setattr(out, name, getattr(self, name)[rows])
        return out
