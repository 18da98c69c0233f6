"""Let a network bid by a book: a bidding system that it sees, and that its calls are held to.

Beside a network's own inputs it sees what its system would call on the hand, and what the four seats have shown by the
system. To its outputs is added what the book has to say: ``Terms.prior`` for the system's own call, and for every
other call ``Terms.truth`` less for each point, card or ace, at most four, by which the call misdescribes the hand to
partner. With a large prior the network makes its system's calls; with a small one it leaves them by judgement, within
what they say.
Answers are the system's alone: to a call of partner whose note asks (``agents.systems.engine.compiler.ASKING_NOTE``),
and to four no trump, where the opponents have passed since.

=============  ====  =============================================================================================
offset         size  what it says
=============  ====  =============================================================================================
``CALLED``       38  what the system calls on my hand
``MADE_BY``       3  what says so: 0 nothing (a pass), 1 a line of its tree, 2 a general rule
``STRENGTH``    256  least and most strength of me, left, partner, right: ``seat * 64 + end * 32 + points``
``CARDS``       288  cards in each suit: ``seat * 72 + suit * 18 + end * 9 + cards``, 8 and more as 8
=============  ====  =============================================================================================

These inputs follow those of ``agents.networks.inputs``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from agents.networks import inputs
from agents.networks.inputs import NUM_INPUTS, Sparse
from agents.networks.network import Network
from agents.systems.bidder import Hierarchy
from agents.systems.engine.compiled import first_general_rule
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.language.text import system_text
from agents.systems.language.tree import System
from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import NUM_CALLS

BOOK_LAYOUT = f"{inputs.LAYOUT}+book/1"  # goes into the files of such networks
CALLED = NUM_INPUTS
MADE_BY = CALLED + NUM_CALLS
STRENGTH = MADE_BY + 3
CARDS = STRENGTH + 4 * 2 * 32
BOOK_INPUTS = CARDS + 4 * 4 * 2 * 9
BOOK_ON = 2 + 4 * 2 * 5  # of them are on, always
NO_RULE, BY_LINE, BY_GENERAL = range(3)
MOST_MISDESCRIPTION = 4  # points, cards and aces that count
ANSWER = 1000.0  # added to the output of the system's call where partner asks: no other call is ever likelier
Weight = Annotated[float, Meta(ge=0.001, lt=1e6)]
REACH = 8.0  # calls whose outputs lie further behind are not looked at: they count as MOST_MISDESCRIPTION


@dataclass(frozen=True)
class Terms:
    """The weights of the book in a network's outputs."""

    prior: Weight = 1.0  # added to the output of the system's own call
    truth: Weight = 4.0  # taken from any other call for each point, card or ace by which it misdescribes the hand


class Look(NamedTuple):
    """The answers of a book for N positions and hands."""

    call: NDArray[np.int8]  # (N,), what the system calls; Pass where an auction is over
    rule: NDArray[np.int32]  # (N,), which rule of the system says so, -1 none
    made_by: NDArray[np.int8]  # (N,), NO_RULE, BY_LINE or BY_GENERAL
    # (N, 4, QUANTITIES, 2), what the seats N E S W have shown: strength, cards of C D H S, aces; least and most
    shown: NDArray[np.int16]
    answers: NDArray[np.bool_]  # (N,), whether partner's last call asks, and the opponents have passed since


@dataclass(frozen=True, eq=False)
class Book:
    """A system as a book, with its cache of auction states."""

    hierarchy: Hierarchy

    @cached_property
    def states(self) -> StateCache:
        """Return the store of auction states."""
        return StateCache([self.hierarchy])

    @cached_property
    def digest(self) -> str:
        """Return a hash of all that the system says; its name and comments do not count."""
        text = system_text(self.hierarchy.system).splitlines()
        lines = (line for line in text if not line.lstrip().startswith(("#", "system:")))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return shared_book, (self.hierarchy.system,)  # a process that gets it again and again has one cache

    def look(self, queries: Queries) -> Look:
        """Return the system's calls and what the seats have shown, for auctions and hands."""
        answers = np.zeros(len(queries.length), np.bool_)
        call, rule, shown = self.states.look(queries, answers=answers)
        general = first_general_rule(self.hierarchy.compiled)
        made_by = np.where(rule < 0, NO_RULE, np.where(rule < general, BY_LINE, BY_GENERAL)).astype(np.int8)
        return Look(call, rule, made_by, shown, answers)


@lru_cache(maxsize=8)
def shared_book(system: System) -> Book:
    """Return the one book of this process for a system."""
    return Book(Hierarchy(system))


@dataclass(frozen=True, eq=False)
class SystemGuided:
    """A network with the book that it bids by."""

    network: Network
    book: Book
    terms: Terms

    def judge(
        self, rows: Sparse, mask: NDArray[np.bool_], states: Queries
    ) -> tuple[NDArray[np.float32], Sparse, NDArray[np.float32]]:
        """Return the outputs for every call, float32 (N, 38); all inputs; and the book's guidance in the outputs.

        Args:
            rows: the network's own inputs; mask: bool (N, 38), the legal calls.
        """
        look = self.book.look(states)
        inputs_on = with_book(rows, states.seat, look)
        outputs = self.network.outputs(*inputs_on)
        guidance = self._part(outputs, mask, look, states)
        return np.asarray(outputs + guidance, np.float32), inputs_on, guidance

    def _part(
        self, outputs: NDArray[np.float32], mask: NDArray[np.bool_], look: Look, states: Queries
    ) -> NDArray[np.float32]:
        """Return what the book adds to the outputs: 0 for truthful calls, less for others and for those out of
        ``REACH``; for its own call the prior, and more where it answers.
        """
        everyone, own = np.arange(len(outputs)), look.call
        wanted = np.where(mask, outputs, np.float32(-np.inf))
        wanted[everyone, own] += np.float32(self.terms.prior)
        near = wanted >= wanted.max(axis=1, keepdims=True) - np.float32(REACH)
        near[everyone, own] = False
        misdescription = self.book.states.misdescription(states, near)
        lost = np.where(near, np.minimum(misdescription, MOST_MISDESCRIPTION), MOST_MISDESCRIPTION)
        guidance: NDArray[np.float32] = np.empty(outputs.shape, np.float32)
        guidance[:] = -self.terms.truth * lost
        guidance[everyone, own] = self.terms.prior + ANSWER * look.answers
        return guidance


def departs(guidance: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which calls are not the system's own, from what the book added to their outputs."""
    return guidance <= 0


def misdescriptions(guidance: NDArray[np.float32], terms: Terms) -> NDArray[np.float32]:
    """Return by how much calls mislead, from what the book added; those out of ``REACH`` by the most that counts."""
    return np.asarray(np.maximum(-guidance, 0) / terms.truth, np.float32)


def with_book(rows: Sparse, seat: NDArray[np.int16], look: Look) -> Sparse:
    """Return the inputs that are on, with those that the book turns on behind them."""
    numbers, starts = rows
    out = np.empty(len(numbers) + BOOK_ON * len(seat), np.uint16)
    ends = starts + BOOK_ON * np.arange(len(starts))
    _write(numbers, starts, seat, look.call, look.made_by, look.shown, ends, out)
    return out, ends


@njit
def _write(numbers, starts, seat, call, made_by, shown, ends, out):  # type: ignore[no-untyped-def]
    for i in range(len(seat)):
        n = ends[i]
        for k in range(starts[i], starts[i + 1]):
            out[n] = numbers[k]
            n += 1
        out[n], out[n + 1] = CALLED + int(call[i]), MADE_BY + int(made_by[i])
        n += 2
        for offset in range(4):
            ranges = shown[i, (seat[i] + offset) & 3]
            for end in range(2):
                out[n] = STRENGTH + offset * 64 + end * 32 + min(max(ranges[0, end], 0), 31)
                n += 1
                for suit in range(4):
                    out[n] = CARDS + offset * 72 + suit * 18 + end * 9 + min(max(ranges[1 + suit, end], 0), 8)
                    n += 1
