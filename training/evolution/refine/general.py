"""Label decisions that general rules make, by kind of auction rather than by its calls.

Rare auctions are many: a rule for one kind of them (by openings, bids and levels so far) serves all of that kind. Calls
are named by their purpose, in the suit of the best fit or in the longest suit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import seen_rows
from agents.systems.language.paths import call_of
from agents.systems.language.text import constraint_text
from agents.systems.language.tree import INFINITE, Atom, Constraint
from agents.systems.language.vocabulary import WORDS
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_CALLS
from training.evaluation.partnership_match import seats_of
from training.evolution.refine.decisions import UNTRIED, DuelTable, Examples, Index, Labeller, Selector, Worth, play_out

#: The words that distinguish kinds of auctions, and the largest value that each distinguishes.
_KIND = (
    ("forced", 1), ("we-opened", 1), ("i-bid", 2), ("partner-bid", 2), ("they-bid", 2), ("last-level", 7),
    ("last-notrump", 1), ("ours", 1), ("doubled", 2),
)  # fmt: skip
_HAND = ("hcp", "points", "longest", "shortest", "balanced", "losers", "vul", "they-vul", "passes", "fit-best",
         "fit-major", "likely", "combined", "combined-max", "in-theirs", "trump-tricks", "stopped", "they-bid",
         "partner-min", "my-min")  # fmt: skip
_SUIT = ("{}", "fit:{}", "total:{}", "likely-total:{}", "top5:{}", "partner:{}", "theirs:{}")
#: Families of calls: the word that binds the suit, and the calls.
FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "plain": ("", ("P", "X", "XX", "lowest:N", "3N")),
    "fit": ("best", ("lowest:x", "jump:x", "game:x")),
    "own": ("long", ("lowest:x", "jump:x", "game:x")),
}
_LETTERS = "CDHS"


def contexts(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the kind of auction of each feature row: int16 (N, len(_KIND))."""
    return np.stack([np.minimum(rows[:, WORDS[word]], most) for word, most in _KIND], axis=1)


def context_constraint(kind: NDArray[np.int16]) -> Constraint:
    """Return a kind of auction as the constraint of ``when``, without implied conditions."""
    values = dict(zip((word for word, _ in _KIND), kind.tolist(), strict=True))
    implied = set[str]()
    if not values["i-bid"] and not values["partner-bid"]:
        implied |= {"forced", "we-opened", "ours"}
    if not values["they-bid"]:
        implied |= {"we-opened", "ours", "doubled"}
    atoms = []
    for word, most in _KIND:
        if word not in implied:
            open_ended = values[word] == most and word in ("i-bid", "partner-bid", "they-bid")
            atoms.append(Atom(word, values[word], INFINITE if open_ended else values[word]))
    return tuple(((atom,),) for atom in atoms)


def decided_rows(table: DuelTable) -> tuple[Index, Index, NDArray[np.int16]]:
    """Return the boards, numbers of calls, and feature rows of the decisions that general rules made."""
    boards, decisions = table.boards, table.decisions()
    opened = np.array([any(c >= FIRST_BID for c in calls) for _, calls in decisions.positions], bool)
    which = np.flatnonzero(opened[decisions.position])
    board, number = decisions.row[which], decisions.number[which]
    rows, general = seen_rows(
        seats_of(table.us, table.them, table.number), table.features, board, boards.dealer[board],
        boards.vulnerability[board], table.history[board], number,
    )  # fmt: skip
    return board[general], number[general], rows[general]


def count_contexts(tables: Sequence[DuelTable], select: Selector | None = None) -> Counter[str]:
    """Count the decisions of general rules, those that ``select`` selects or all, by kind of auction."""
    total: Counter[str] = Counter()
    for table in tables:
        board, number, rows = decided_rows(table)
        counted = rows if select is None else rows[select(table, board, number)]
        kinds, often = np.unique(contexts(counted), axis=0, return_counts=True)
        for kind, count in zip(kinds, often, strict=True):
            total[name_of(context_constraint(kind))] += int(count)
    return total


def name_of(when: Constraint) -> str:
    """Return the name of a context among paths: ``when not forced, we-opened, …``."""
    return f"when {constraint_text(when)}"


def label_general(
    tables: Sequence[DuelTable], wanted: Mapping[str, int], by: Labeller = play_out
) -> dict[tuple[str, str], list[Examples]]:
    """Return examples by kind of auction and family of calls, at most ``wanted`` decisions of each kind."""
    out: dict[tuple[str, str], list[Examples]] = {}
    for table in tables:
        all_boards, all_numbers, all_rows = decided_rows(table)
        kinds, which = np.unique(contexts(all_rows), axis=0, return_inverse=True)
        which = which.reshape(-1)
        for at, kind in enumerate(kinds):
            when = name_of(context_constraint(kind))
            mine = np.flatnonzero(which == at)[: wanted.get(when, 0)]
            if not mine.size:
                continue
            board, number, rows = all_boards[mine], all_numbers[mine], all_rows[mine]
            calls = {family: _calls(rows, family) for family in FAMILIES}
            tried = np.zeros((len(mine), NUM_CALLS + 1), np.bool_)
            tried[np.arange(len(mine))[:, None], np.hstack(list(calls.values()))] = True
            legal, _ = table.legal_calls(board, number)
            worth = by(table, board, number, tried[:, :NUM_CALLS] & legal)
            for family, table_of_calls in calls.items():
                examples = _examples(when, family, table_of_calls, rows, worth, board + table.board_range.start)
                out.setdefault((when, family), []).append(examples)
    return out


def _suit_of(rows: NDArray[np.int16], word: str) -> NDArray[np.int64]:
    """Return the highest suit that a word such as ``best`` marks, int64 (N,)."""
    marks = rows[:, [WORDS[f"{word}:{s}"] for s in _LETTERS]] == 1
    return 3 - np.argmax(marks[:, ::-1], axis=1)


def _calls(rows: NDArray[np.int16], family: str) -> NDArray[np.int64]:
    """Return the calls of a family: int64 (N, calls of it); 38 where there is none."""
    marked, tokens = FAMILIES[family]
    last = rows[:, WORDS["last-level"]].astype(int) * 5 - 5
    strain = np.where(rows[:, WORDS["last-notrump"]] == 1, 4, 0)
    for suit in range(4):
        strain = np.where(rows[:, WORDS[f"last:{_LETTERS[suit]}"]] == 1, suit, strain)
    last = np.where(last >= 0, last + strain, -1)
    suits = _suit_of(rows, marked) if marked else np.full(len(rows), 4)
    out = np.full((len(rows), len(tokens)), NUM_CALLS, np.int64)
    for j, token in enumerate(tokens):
        for i in range(len(rows)):
            call = call_of(token, {"x": int(suits[i])}, int(last[i]))
            if call >= 0 and not (call == DOUBLE and last[i] < 0):
                out[i, j] = call
    return out


def _examples(
    when: str, family: str, calls: NDArray[np.int64], rows: NDArray[np.int16], worth: Worth, board: NDArray[np.int64]
) -> Examples:
    marked, tokens = FAMILIES[family]
    columns, words = [rows[:, WORDS[word]] for word in _HAND], list(_HAND)
    given: Constraint = ()
    if marked:
        suits = _suit_of(rows, marked)
        for form in _SUIT:
            by_suit = rows[:, [WORDS[form.format(s)] for s in _LETTERS]]
            columns.append(by_suit[np.arange(len(rows)), suits])
            words.append(form.format("x"))
        given = (((Atom(f"{marked}:x", 1, 1),),),)
    padded = np.concatenate([worth, np.full((len(rows), 1), UNTRIED, worth.dtype)], axis=1)
    y = padded[np.arange(len(rows))[:, None], calls]
    return Examples(when, tuple(words), tokens, np.stack(columns, axis=1), y, board, given)
