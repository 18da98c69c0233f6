"""Compile a system to arrays: suit variables filled in, paths turned into a table of nodes, constraints into ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.compiled import (
    ASKS,
    ATOM_COLUMNS,
    EXACT_CALL,
    FLAG_BITS,
    FOUR_NOTRUMP,
    GROUP_COLUMNS,
    PAIR,
    RULE_COLUMNS,
    RULE_END,
    RULE_FIRST,
    RULE_LINE,
    SHOWS_NOTHING,
    TERM_COLUMNS,
    Alternatives,
    Compiled,
)
from agents.systems.language.files import LAST_RESORT_FILE
from agents.systems.language.paths import (
    ANY_BID,
    ANY_BID_FORMS,
    FORM_CODES,
    HIGHEST,
    HIGHEST_NOTRUMP,
    STRAINS,
    Bindings,
    strains_of,
    token_readings,
)
from agents.systems.language.text import SUITS, VARIABLES, SystemTextError, is_difference, load_system
from agents.systems.language.tree import (
    INFINITE,
    Atom,
    Block,
    Clause,
    Constraint,
    Line,
    Score,
    Step,
    System,
    atoms_of,
    place_of,
)
from agents.systems.language.vocabulary import CONTEXT, WORDS, difference, speaks_of_hand
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, REDOUBLE

#: Of a call that asks partner.
ASKING_NOTE = re.compile(r"Blackwood|Drury|Gerber|Stayman|Texas|transfer|aces\b|key cards|.*\basks\b|.*\?$")
_NO_SCORE = (0, 0, 0, -1, -1)  # the last columns of a rule that is no scorecard
MOST_POSITIONS = 50_000  # that the calls of all lines may lead to; the largest system that is shipped has 7,500
_TOO_MANY = (
    f"with this line the system stands for more than {MOST_POSITIONS:,} auctions; nest fewer lines with 'any' in each "
    "other, or name the calls"
)
_PARTS = re.compile("[-:]")  # of a word, such as hcp:x or x-H
_BOUND = WORDS["bound"]
#: Of scorecards: answers to partner's 4NT are the rules' alone.
_ANSWERS_NO_ACES: Clause = tuple(
    (Atom("partner-called", *limits),) for limits in ((-INFINITE, FOUR_NOTRUMP - 1), (FOUR_NOTRUMP + 1, INFINITE))
)
_NOT_BOUND: Clause = ((Atom("bound", 0, 0),),)  # of a rule that passes: its side need not go on
_UP_TO: Clause = ((Atom("level", 0, HIGHEST),),)
_UP_TO_NOTRUMP: Clause = ((Atom("level", 0, HIGHEST_NOTRUMP),),)


def _last_resort() -> tuple[Block, ...]:
    """Read ``last-resort.bidding``; lines get numbers below -1: they are no lines of a system, and -1 is no line."""
    out, number = [], -2
    for block in load_system(LAST_RESORT_FILE).blocks:
        lines = tuple(replace(line, number=number - i) for i, line in enumerate(block.lines))
        out.append(replace(block, number=0, lines=lines))
        number -= len(lines)
    return tuple(out)


#: The calls of a player that may not pass, where no rule of the system has a call: these follow the general rules of
#: every system. General rules never pass an auction that the side must go on with (the word ``bound``).
LAST_RESORT = _last_resort()


class _Place(NamedTuple):
    """A place in the expansion of the tree: a node, and what the auction that leads to it allows next."""

    node: int
    bindings: Bindings = ()
    bid: int = -1
    bid_is_theirs: bool = False
    doubling: int = 0


def compile_system(system: System) -> Compiled:
    """Return the arrays of one system.

    Raises:
        SystemTextError: a line that no auction can reach, or a variable that nothing binds; names the line.
    """
    compiled, faults = compile_leniently(system)
    if faults:
        raise faults[0]
    return compiled


def compile_leniently(system: System) -> tuple[Compiled, list[SystemTextError]]:
    """Return the arrays of a system without its faulty lines and what follows these, and the faults."""
    builder = _Builder(system)
    return builder.build(), builder.faults


class _Builder:
    def __init__(self, system: System) -> None:
        self.system = system
        self.children: list[dict[tuple[int, int], int]] = [{}]
        self.rules_of: list[list[tuple[int, ...]]] = [[]]
        self.clauses: list[tuple[int, int]] = []
        self.alternatives: list[tuple[int, int]] = []
        self.atoms: list[tuple[int, int, int]] = []
        self.faults: list[SystemTextError] = []
        self.positions = 0  # that the calls of the lines so far lead to
        self.terms: list[tuple[int, ...]] = []

    def build(self) -> Compiled:
        self.expand(self.system.lines, [_Place(0)])
        rules: list[tuple[int, ...]] = []
        groups = []
        for own in self.rules_of:
            self.add_limits(own)
            groups.append((0, 0, len(rules), len(rules) + len(own)))
            rules += own
        weighing = 0  # blocks of scorecards
        for block in (*sorted(self.system.blocks, key=lambda block: not block.weighs), *LAST_RESORT):
            first = len(rules)
            try:
                when = (*block.when, _ANSWERS_NO_ACES) if block.weighs else block.when
                context = self.conditions(when, block)(())
                if block.weighs and any(speaks_of_hand(atom.word) for atom in atoms_of(block.when)):
                    raise self.fault(block, "what follows 'weigh when' is known to all: it cannot ask about the hand")
            except SystemTextError as fault:
                self.faults.append(fault)
                continue
            for line in block.lines:
                try:
                    rules += list(self.general_rules(line))
                except SystemTextError as fault:
                    self.faults.append(fault)
            groups.append((*context, first, len(rules)))
            weighing += block.weighs
        nodes = len(self.children)
        children = np.full((nodes, 2, NUM_CALLS), -1, np.int32)
        edges = _table([(n, *at, child) for n, table in enumerate(self.children) for at, child in table.items()], 4)
        children[edges[:, 0], edges[:, 1], edges[:, 2]] = edges[:, 3]
        return Compiled(
            children, _table(groups, GROUP_COLUMNS), _table(rules, RULE_COLUMNS), _table(self.clauses, PAIR),
            _table(self.alternatives, PAIR), _table(self.atoms, ATOM_COLUMNS).astype(np.int16),
            _table(self.terms, TERM_COLUMNS), np.zeros(1, np.int32),
            np.array([[nodes + weighing, len(groups), nodes]], np.int32),
        )  # fmt: skip

    # --- the tree ---------------------------------------------------------------------------------

    def expand(self, lines: tuple[Line, ...], places: list[_Place]) -> None:
        """Add ``lines`` as what may follow at every place."""
        for line in lines:
            if self.positions > MOST_POSITIONS:
                return
            try:
                reached = self.add_line(line, places)
            except SystemTextError as fault:
                self.faults.append(fault)
                continue
            if line.lines:
                self.expand(line.lines, reached)

    def add_line(self, line: Line, places: list[_Place]) -> list[_Place]:
        """Add the rules of one line, and return where its calls lead."""
        reached, rules = list[_Place](), list[tuple[int, tuple[int, ...]]]()
        more = (_NOT_BOUND,) if line.path[-1].token == "P" else ()
        conditions, flags = self.conditions((*line.constraint, *more), line), _bits(line)
        for place in places:
            for before in self.follow(place, line.path[:-1], line):
                for call, after in self.successors(before, line.path[-1], line):
                    if not line.after:
                        clauses = conditions(after.bindings)
                        rules.append((before.node, (EXACT_CALL, call, flags, *clauses, line.number, *_NO_SCORE)))
                    reached.append(after)
        if not reached:
            reason = "no auction leads here: the call is not legal after the lines above it"
            raise self.fault(line, f"{reason}: {line.name!r}")
        for node, rule in rules:
            self.rules_of[node].append(rule)
        return reached

    def follow(self, place: _Place, path: tuple[Step, ...], line: Line) -> list[_Place]:
        places = [place]
        for step in path:
            places = [after for p in places for _, after in self.successors(p, step, line)]
        return places

    def successors(self, place: _Place, step: Step, line: Line) -> Iterator[tuple[int, _Place]]:
        """Iterate over every call that ``step`` can be at ``place``, and where it leads."""
        node, before, bid, bid_is_theirs, doubling = place
        token, theirs = step.token, step.theirs
        for call, bindings in token_readings(token, before, bid):
            if call == DOUBLE and (bid < 0 or bid_is_theirs == theirs or doubling):
                continue
            if call == REDOUBLE and (bid_is_theirs != theirs or doubling != 1):
                continue
            if call >= FIRST_BID and call - FIRST_BID <= bid:
                continue
            self.positions += 1
            if self.positions > MOST_POSITIONS:
                raise self.fault(line, _TOO_MANY)
            if call == PASS and bid < 0:  # leads nowhere before the opening: a line names the position
                yield call, place
                continue
            child = self.children[node].get((int(theirs), call))
            if child is None:
                child = len(self.children)
                self.children[node][(int(theirs), call)] = child
                self.children.append({})
                self.rules_of.append([])
            if call >= FIRST_BID:
                yield call, _Place(child, bindings, call - FIRST_BID, theirs, 0)
            else:
                yield call, _Place(child, bindings, bid, bid_is_theirs, doubling if call == PASS else call)

    # --- general rules ------------------------------------------------------------------------------

    def general_rules(self, line: Line) -> Iterator[tuple[int, ...]]:
        if len(line.path) != 1 or line.path[0].theirs or line.lines:
            raise self.fault(line, f"a general rule is one call of ours, and no line follows it: {line.name!r}")
        form, _, strain = line.path[0].token.partition(":")
        if not strain:
            readings = [([EXACT_CALL], call, b) for call, b in token_readings(form, (), -1)]
        else:
            codes = [FORM_CODES[one] for one in (ANY_BID_FORMS if form == ANY_BID else (form,))]
            readings = [(codes, value, b) for value, b in strains_of(strain, ())]
        constraint = line.constraint
        if form == "P":
            constraint = (*constraint, _NOT_BOUND)
        elif form == ANY_BID:
            constraint = (*constraint, _UP_TO_NOTRUMP if strain == "N" else _UP_TO)
        conditions = self.conditions(constraint, line)
        for codes, value, bindings in readings:
            clauses, flags, score = conditions(bindings), _bits(line), _NO_SCORE
            if line.score is not None:
                shows = (-1, -1)
                if line.shows:
                    shows = self.add([], (self.alternatives_of(c, bindings, line) for c in (*constraint, *line.shows)))
                else:
                    flags |= SHOWS_NOTHING
                score = (*self.score(line.score, bindings, line), *shows)
            for code in codes:  # with the same terms: ``sums`` adds them up once
                yield (code, value, flags, *clauses, line.number, *score)

    def score(self, score: Score, bindings: Bindings, line: Line) -> tuple[int, int, int]:
        """Add the terms of a score; return its start, the first term and the end."""
        first = len(self.terms)
        for term in score.terms:
            word, less = (
                self.atom(Atom(word, 0, 0), bindings, line)[0] if word else -1 for word in (term.word, term.less)
            )
            clause = -1 if term.word else self.add([], [self.alternatives_of(term.condition, bindings, line)])[0]
            self.terms.append((term.points, word, less, clause))
        return score.base, first, len(self.terms)

    # --- constraints --------------------------------------------------------------------------------

    def add_limits(self, rules: list[tuple[int, ...]]) -> None:
        """Add to the rules of a node what the auction must be like where they count (``_auctions_below``)."""
        left = list[Alternatives]()
        for place, rule in enumerate(rules):
            if left:
                clauses = self.add(self.clauses[rule[RULE_FIRST] : rule[RULE_END]], left)
                rules[place] = (*rule[:RULE_FIRST], *clauses, *rule[RULE_LINE:])
            if rule[RULE_END] - rule[RULE_FIRST] <= 2:
                clauses_of = self.clauses[rule[RULE_FIRST] : rule[RULE_END]]
                rows = ([self.alternatives[k] for k in range(*clause)] for clause in clauses_of)
                left += _auctions_below([[self.atoms[slice(*atoms)] for atoms in clause] for clause in rows])

    def add(self, clauses: list[tuple[int, int]], more: Iterable[Alternatives]) -> tuple[int, int]:
        """Add some clauses and new ones; return the first clause and the end."""
        for alternatives in more:
            first = len(self.alternatives)
            for atoms in alternatives:
                self.alternatives.append((len(self.atoms), len(self.atoms) + len(atoms)))
                self.atoms += atoms
            clauses.append((first, len(self.alternatives)))
        self.clauses += clauses
        return len(self.clauses) - len(clauses), len(self.clauses)

    def conditions(self, constraint: Constraint, line: Line | Block) -> Callable[[Bindings], tuple[int, int]]:
        """Return a function of bindings that adds a constraint once, and returns its first clause and the end."""
        names = _variables(constraint)

        @cache
        def added(bindings: Bindings) -> tuple[int, int]:
            return self.add([], (self.alternatives_of(clause, bindings, line) for clause in constraint))

        return lambda bindings: added(tuple(bound for bound in bindings if bound[0] in names))

    def alternatives_of(self, clause: Clause, bindings: Bindings, line: Line | Block) -> Alternatives:
        """Return the atoms of a clause."""
        return [[self.atom(atom, bindings, line) for atom in alternative] for alternative in clause]

    def atom(self, atom: Atom, bindings: Bindings, line: Line | Block) -> tuple[int, int, int]:
        word, suits = atom.word, dict(bindings)

        def suit_of(name: str) -> int:
            if name in STRAINS:
                return STRAINS[name]
            if name not in suits:
                reason = f"{name!r} in {word!r} stands for no suit here; a call such as 1{name} must come first"
                raise self.fault(line, reason)
            return suits[name]

        if is_difference(word):
            first, _, second = word.partition("-")
            if suit_of(first) == suit_of(second):  # "M > H" where M is H
                return WORDS["hcp"], *((0, 99) if atom.lo <= 0 else (99, 0))
            column, sign = difference(suit_of(first), suit_of(second))
            return (column, atom.lo, atom.hi) if sign > 0 else (column, -atom.hi, -atom.lo)
        stem, colon, suit = word.partition(":")
        if not colon and word in WORDS:
            return WORDS[word], atom.lo, atom.hi
        name = SUITS[suit_of(suit if colon else word)]
        return WORDS[f"{stem}:{name}" if colon else name], atom.lo, atom.hi

    def fault(self, line: Line | Block, reason: str) -> SystemTextError:
        return SystemTextError(f"system {self.system.name!r}, {place_of(line)}: {reason}", line, reason)


def _auctions_below(clauses: Sequence[Alternatives]) -> list[Alternatives]:
    """Return what the auction must be like for rules below a rule to count, if that takes every hand in some auctions.

    "P  15+ they-min" does so: conditions of the rules below it are not read into the calls of the rules above.

    Args:
        clauses: of the rule; with ``bound`` where it passes.
    """
    alone = [clause[0][0] for clause in clauses if len(clause) == len(clause[0]) == 1]
    conditions = [atom for atom in alone if atom[0] != _BOUND]
    if len(alone) < len(clauses) or len(conditions) != 1 or conditions[0][0] not in CONTEXT - {WORDS["level"]}:
        return []
    column, low, high = conditions[0]
    others = [(column, -1, low - 1), (column, high + 1, 99), *[(_BOUND, 1, 1)] * (len(alone) - 1)]
    return [[[atom] for atom in others if 0 <= atom[2] >= atom[1]]]


def _bits(line: Line) -> int:
    return sum(FLAG_BITS[flag] for flag in line.flags) + (ASKS if ASKING_NOTE.match(line.note) else 0)


def _variables(constraint: Constraint) -> frozenset[str]:
    """Return the suit variables that a constraint speaks of, such as x in ``4+ x`` and ``hcp:x``."""
    words = {atom.word for atom in atoms_of(constraint)}
    return frozenset(part for word in words for part in _PARTS.split(word) if part in VARIABLES)


def _table(rows: Sequence[tuple[int, ...]], width: int) -> NDArray[np.int32]:
    return np.fromiter(chain.from_iterable(rows), np.int32, len(rows) * width).reshape(-1, width)
