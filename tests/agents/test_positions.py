"""Boards bid along positions against boards bid one call after the other."""

from functools import cache

import numpy as np
import pytest
from reference.boards import bid_boards
from support.bidders import FORCING, TANGLE, boards

from agents.systems.bidder import Hierarchy, bid_out, deal_features
from agents.systems.changes.mutation import SeededRandom
from agents.systems.changes.variation import threshold_move
from agents.systems.engine import shared_cache as caches
from agents.systems.engine import state_cache
from agents.systems.engine.compiler import compile_leniently
from agents.systems.engine.shared_cache import shared_cache
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.engine.states import MEETINGS
from agents.systems.language.columns import LEAST, MOST
from agents.systems.language.text import parse_system
from agents.systems.language.tree import INFINITE, Atom, Block, Line, Score, Step, System, Term, atoms_of
from agents.systems.language.vocabulary import CONTEXT, WORDS
from agents.systems.library.shipped import read_system
from bridge_env.rules.auction import Auctions

# General rules that speak of the hand in their ``when``, of partner's ranges, stoppers, and the longest fit.
ODD = """\
1x    4+ x, 9+ hcp, long:x
  1y    3+ y, 20+ combined or 4+ y and 18+ likely
  2N    stopped, 22-30 combined
(1x)
  X     not stopped, 10+ hcp or 2+ aces and not long:x
when 8+ hcp, 0-2 last-level
  lowest:x best:x, 7+ fit:x, 1-3 level, not vul or 12+ hcp
  3N    8+ fit-best, 7-9 fit-major or stopped and 24+ total:S
  X     3+ in-theirs, 1+ trump-tricks, control:C or not control:H
when not balanced, 1+ they-bid or 1+ partner-bid and 30- combined-max
  lowest:M 5+ M, H-S = -1 or 6+ M, 1-4 level
  lowest:N 3+ combined-aces, not stopped, 1-2 level
when 0-7 last-level
  XX    0-6 points, 1 doubled
  P
""".replace("30- combined-max", "0-30 combined-max").replace("H-S = -1", "S = H+1")


def mutated(system, count, seed):
    chance = SeededRandom("positions", seed)
    for _ in range(count):
        system = threshold_move(system, chance, {}).apply(system)
    return Hierarchy(system)


@cache
def everyone():
    """The systems of these tests."""
    sayc, odd = read_system("sayc"), parse_system(ODD, name="odd")
    small = (parse_system(text, name=name) for text, name in ((TANGLE, "tangle"), (FORCING, "forcing")))
    return [
        Hierarchy(sayc), *map(Hierarchy, small), Hierarchy(odd),
        *(mutated(sayc, 40, seed) for seed in range(2)), mutated(odd, 12, 2),
    ]  # fmt: skip


TREE_CALLS = ("P", "X", "XX", "1C", "1D", "1H", "1S", "1N", "2C", "2D", "2H", "2S", "3N")
GENERAL_CALLS = ("P", "X", "XX", *(f"{span}:{strain}" for span in ("lowest", "jump", "game") for strain in "CDHSN"))
GENERAL_WORDS = [word for word in WORDS if word != "level"]  # an opening's level is not known before its line
BOOK = ((Atom("book", 1, 1),),)
AUCTION_WORDS = [word for word in GENERAL_WORDS if WORDS[word] in CONTEXT]


def random_constraint(rng, words, clauses):
    """Conditions on words drawn by chance, most of them easily met."""

    def atom():
        word = words[rng.integers(len(words))]
        column = WORDS[word]
        least, most = int(LEAST[column]), min(int(MOST[column]), 30)
        bounds = np.sort(rng.integers(least, most + 1, 2))
        low, high = int(bounds[0]), int(bounds[1])
        return Atom(word, low if rng.random() < 0.6 else least, high if rng.random() < 0.5 else INFINITE)

    return tuple(
        tuple(tuple(atom() for _ in range(rng.integers(1, 3))) for _ in range(rng.integers(1, 3)))
        for _ in range(rng.integers(0, clauses + 1))
    )


def random_system(seed):
    """A system of random lines, as deep as an auction of five calls, and of random general rules."""
    rng, flags = np.random.default_rng(seed), ((), (), ("forcing",), ("artificial",), ("gf", "forcing"))

    def lines(depth):
        chosen = rng.choice(TREE_CALLS, 6 - depth, replace=False)
        out = []
        for call in chosen:
            steps = (Step(str(call)),) if rng.random() < 0.7 or depth == 4 else (Step(str(call), True), Step("2N"))
            more = lines(depth + 1) if depth < 3 else ()
            kind = flags[rng.integers(len(flags))]
            out.append(Line(steps, random_constraint(rng, GENERAL_WORDS, 2), flags=kind, lines=more))
        return tuple(out)

    def general():
        calls = (
            Line((Step(str(rng.choice(GENERAL_CALLS))),), random_constraint(rng, list(WORDS), 2)) for _ in range(12)
        )
        return Block(random_constraint(rng, GENERAL_WORDS, 1), tuple(calls))

    def term():
        points = int(rng.integers(-20, 21))
        if rng.random() < 0.5:
            return Term(points, (random_constraint(rng, list(WORDS), 1) or (BOOK,))[0])
        return Term(points, word=str(rng.choice(list(WORDS))), less=str(rng.choice(list(WORDS))) * (rng.random() < 0.5))

    def cards():
        calls = (
            Line(
                (Step(str(call)),),
                random_constraint(rng, list(WORDS), 1),
                flags=flags[rng.integers(len(flags))],
                shows=random_constraint(rng, list(WORDS), 2),
                score=Score(int(rng.integers(-20, 21)), tuple(term() for _ in range(4))),
            )
            for call in ("P", *rng.choice(GENERAL_CALLS, 8))
        )
        return Block(random_constraint(rng, AUCTION_WORDS, 1), tuple(calls), weighs=True)

    blocks = [general() if number % 3 else cards() for number in range(12)]
    return System(f"random {seed}", lines(0), tuple(blocks))


def random_prefixes(auctions, seed):
    """Up to seven legal calls, cheap ones, before the systems take over: int8 (N, 7) and how many."""
    rng = np.random.default_rng(seed)
    length = rng.integers(0, 8, len(auctions))
    for at in range(7):
        rows = np.flatnonzero((length > at) & ~auctions.done)
        legal = auctions.legal()[rows]
        legal[:, 3:] &= np.cumsum(legal[:, 3:], axis=1) <= 6
        auctions.step(np.array([rng.choice(np.flatnonzero(row)) for row in legal], np.int64), rows)
    return auctions.history[:, :7].copy(), auctions.length.astype(np.int64)


def case(count, seed, given=True):
    """Systems in the seats, boards, calls already made."""
    rng = np.random.default_rng(seed)
    owner, dealer, vulnerability = boards(count, seed)
    arrangements = rng.integers(0, len(everyone()), (8, 4))
    arrangements[:4] = arrangements[:4, :1]  # some tables with one system all round
    systems = arrangements[rng.integers(0, 8, count)].astype(np.int32)
    of_board = rng.integers(0, count, count)
    start = Auctions(dealer, vulnerability)
    calls, length = (
        random_prefixes(start, seed) if given else (np.empty((count, 0), np.int8), np.zeros(count, np.int64))
    )
    return systems, deal_features(owner), dealer, vulnerability, of_board, calls, length


def one_after_the_other(positions, systems, features, dealer, vulnerability, of_board, calls, length):
    """The auctions, and how often each rule made a call."""
    slow, expected = Auctions(dealer, vulnerability), np.zeros(len(positions.pool.rules), np.int64)
    bid_boards(positions.pool, systems, features, of_board, calls, length, slow.state, slow.history, expected)
    return slow, expected


def assert_same(positions, systems, features, dealer, vulnerability, of_board, calls, length, known=None):
    """``known``: the results of ``one_after_the_other``, where they are at hand."""
    quick = Auctions(dealer, vulnerability)
    used = positions.bid(systems, features, quick, of_board, calls, length)
    slow, expected = known or one_after_the_other(
        positions, systems, features, dealer, vulnerability, of_board, calls, length
    )
    assert (quick.history == slow.history).all()
    assert (quick.state == slow.state).all()
    assert (used == expected).all()
    return used


@pytest.mark.parametrize("given", [False, True])
def test_calls_and_counts_are_those_of_one_call_after_the_other(given):
    positions = StateCache(everyone())
    first = case(1000, 1 + given, given)
    used = assert_same(positions, *first)
    assert (used > 0).sum() > 300
    assert_same(positions, *case(1000, 3 + given, given))
    known = one_after_the_other(positions, *first)
    for _ in range(20):  # by now common positions have programs
        assert_same(positions, *first, known)


@pytest.mark.parametrize(
    ("seeds", "least"),
    [(range(4), 10_000), pytest.param(range(4, 20), 40_000, marks=[pytest.mark.slow, pytest.mark.weekly])],
)
def test_random_systems_with_every_word_of_the_language(seeds, least):
    calls, words = 0, set()
    for seed in seeds:
        systems = [random_system(2 * seed), random_system(2 * seed + 1)]
        words |= {atom.word for system in systems for block in system.blocks for line in block.lines
                  for atom in atoms_of(line.constraint)}  # fmt: skip
        states = StateCache([Hierarchy(system, compile_leniently(system)[0]) for system in systems])
        _, features, dealer, vulnerability, of_board, made, length = case(400, seed)
        tables = np.random.default_rng(seed).integers(0, 2, (400, 4)).astype(np.int32) * (np.arange(400) % 2)[:, None]
        rest = (features, dealer, vulnerability, of_board, made, length)
        tables = tables.astype(np.int32)
        known = one_after_the_other(states, tables, *rest)
        for _ in range(MEETINGS + 3):  # at last by programs
            assert_same(states, tables, *rest, known)
        calls += int(known[0].length.sum() - length.sum())
    assert calls > least
    assert words == set(WORDS)


def test_nothing_hangs_on_the_room(monkeypatch):
    for positions, steps, roots in ((1, 8_000_000, 4096), (700, 30_000, 64), (100_000, 0, 4), (100_000, 6000, 4096)):
        for name, most in (("MOST_STATES", positions), ("MOST_CODE", steps), ("MOST_ROOTS", roots)):
            monkeypatch.setattr(state_cache, name, most)
        small = StateCache(everyone())
        for turn in range(6):
            assert_same(small, *case(300, 10 + turn % 2))
        assert len(small) <= positions


def test_many_hands_at_one_auction_call_as_each_by_itself(monkeypatch):
    owner, dealer, vulnerability = boards(90, 50)
    features = deal_features(owner)
    auctions = bid_out((everyone()[0],) * 4, features, dealer, vulnerability)
    rng = np.random.default_rng(1)
    length = rng.integers(0, auctions.length + 1)
    counts = rng.integers(0, 4, len(length))
    hands, which = rng.integers(0, 90, counts.sum()), np.repeat(np.arange(90), counts)
    begins = np.concatenate([[0], np.cumsum(counts)])
    together = Queries(features, hands, auctions.state, auctions.history, length, begins)
    separate = Queries(features, hands, auctions.state[which], auctions.history[which], length[which])
    calls, rules, each = StateCache(everyone()[:1]).look(separate)
    for most in (100_000, 200):  # also where positions do not all find room
        monkeypatch.setattr(state_cache, "MOST_STATES", most)
        call, rule, shown = StateCache(everyone()[:1]).look(together)
        np.testing.assert_array_equal(call, calls)
        np.testing.assert_array_equal(rule, rules)
        np.testing.assert_array_equal(shown[which], each)


def test_the_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(caches, "CACHE_BYTES", 1 << 20)
    monkeypatch.setattr(caches, "_cache", type(caches._cache)())
    owner, dealer, vulnerability = boards(300, 50)
    features = deal_features(owner)
    for hierarchy in everyone() * 2:
        bid_out((hierarchy,) * 4, features, dealer, vulnerability)
        shared_cache([hierarchy])  # which enforces the bound
        assert len(caches._cache) == 1 or sum(p.bytes for p in caches._cache.values()) <= 1 << 20
    first, _ = shared_cache((everyone()[-1],) * 4)
    assert shared_cache((everyone()[-1],) * 4)[0] is first
