"""Vary a scorecard at random: a number moved, a term dropped, copied or replaced, a situation split in two."""

from __future__ import annotations

from dataclasses import replace

from agents.systems.changes.edits import Edit, Replace, SetCards
from agents.systems.changes.mutation import Address, SeededRandom, Trail
from agents.systems.language.constraints import constraint_text, score_text
from agents.systems.language.tree import Atom, Line, Score, System, atoms_of

_STEPS = (-8, -4, -2, -1, 1, 2, 4, 8)
_KINDS = ("start", "points", "points", "drop", "copy", "copy", "replace", "split")
#: What divides a situation (a context asks nothing of the hand): a block where it holds goes before the block for all.
_CONTEXT_ATOMS = tuple(
    Atom(word, on, on) for word in ("vul", "they-vul", "forced", "we-opened", "i-passed") for on in (0, 1)
)


def vary_card(system: System, address: Address, trail: Trail, line: Line, chance: SeededRandom) -> Edit | None:
    """Change the scores of the card at an address; None if it has none of the terms that the change needs, or its
    context already speaks of the word drawn.
    """
    assert line.score is not None
    kind = _KINDS[chance.below(len(_KINDS))]
    score = _varied(system, line, line.score, "points" if kind == "split" else kind, chance)
    if score is None:
        return None
    varied = replace(line, score=score)
    what = f"{line.name}: {score_text(line.score)} -> {score_text(score)}"
    if kind != "split":
        return Replace(trail, line, (varied,), what)
    block_number, at = (int(number) for number in address[1:])
    block = system.blocks[block_number]
    block = replace(block, lines=(*block.lines[:at], varied, *block.lines[at + 1 :]))
    atom = _CONTEXT_ATOMS[chance.below(len(_CONTEXT_ATOMS))]
    if any(one.word == atom.word for one in atoms_of(block.when)):
        return None
    clause = ((atom,),)
    return SetCards(replace(block, when=(*block.when, clause)), f"where {constraint_text((clause,))}: {what}")


def _varied(system: System, line: Line, score: Score, kind: str, chance: SeededRandom) -> Score | None:
    step, terms = _STEPS[chance.below(len(_STEPS))], list(score.terms)
    if kind == "start":
        return replace(score, base=score.base + step)
    if kind != "copy":
        if not terms:
            return None
        at = chance.below(len(terms))
        old = terms.pop(at)
        if kind == "points" and old.points + step:  # without points the term goes
            terms.insert(at, replace(old, points=old.points + step))
    if kind in ("copy", "replace"):
        held = {replace(term, points=0) for term in score.terms}
        offered = [
            term for block in system.blocks for other in block.lines if other.score is not None
            for term in other.score.terms
            if replace(term, points=0) not in held and (_binds_suit(line) or not term.speaks_of_suit)
        ]  # fmt: skip
        if not offered:
            return None
        terms.append(offered[chance.below(len(offered))])
    return Score(score.base, tuple(terms))


def _binds_suit(line: Line) -> bool:
    """Return whether the call of a line names a suit x."""
    return line.path[-1].token.endswith(":x")
