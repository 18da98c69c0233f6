"""Change another system instead of copying it: ``base: sayc``, and lines that replace, add or drop calls.

::

    system: mine
    base: sayc
    1N    12-14 hcp, balanced         # in place of all lines of the base for this call in this auction
      drop 2N                         # the base's lines for it go, with all that follows them
      also 2C  11+ hcp, 5 C           # in front of the base's lines for it, which stay
    when ours, not forced             # a block with the base's words changes that block, another one is new
      drop X

What follows a call in the base stays. An auction is found as it is spelled: ``1M`` and ``1H`` are different lines. A
call that the base does not make there comes in front of those that it makes. Lines of the base are numbered behind the
text's own, and name their file and their number there as ``source``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from agents.systems.language.tree import Block, Line, Step, System, atoms_of, pruned, rules_below
from agents.systems.language.vocabulary import CALL_WORDS

ALSO, DROP = "also", "drop"

Auction = tuple[Step, ...]
Item = TypeVar("Item", Line, Block)


class OverrideError(ValueError):
    """A line that changes what the base has not; with the line's number."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number


def as_base(system: System, file: Path, above: int) -> System:
    """Return the system of a base's ``file`` with the places of its lines, whose numbers now follow ``above``."""

    def placed(item: Item) -> Item:
        return replace(item, number=item.number + above, source=item.source or (file, item.number))

    out = system.rebuilt(lambda line: [placed(line)])
    return replace(out, blocks=tuple(map(placed, out.blocks)))


def overridden(base: System, own: System, marks: Mapping[int, str]) -> System:
    """Return the base as the own lines change it.

    Args:
        base: with general rules, from ``as_base``.
        marks: by the number of a line, ``ALSO`` or ``DROP``.

    Raises:
        OverrideError: a line drops what the base has not.
    """
    return replace(
        own, lines=_changed(base.lines, own.lines, marks, "among its openings"), blocks=_blocks(base, own, marks)
    )


def _changed(lines: tuple[Line, ...], own: tuple[Line, ...], marks: Mapping[int, str], top: str) -> tuple[Line, ...]:
    """Return the lines of a tree or a block as own ones change them; ``top`` says where those of one call are."""
    inside = set[Auction]()  # paths whose new rules replace the base's
    by_auction = dict[Auction, list[Line]]()
    for path, rule in rules_below(own):
        by_auction.setdefault(path, []).append(rule)
    for path, rules in by_auction.items():
        dropped = [rule for rule in rules if marks.get(rule.number) == DROP]
        new = [rule for rule in rules if rule.number not in marks]
        there = any(path == found for found, _ in rules_below(lines))
        if dropped:
            before = lines
            lines = pruned(before, lambda here, _, path=path: here[: len(path)] == path)  # type: ignore[misc]
            if lines == before:
                where = f"after {'-'.join(map(str, path[:-1]))}" if path[:-1] else top
                raise OverrideError(dropped[0].number, f"the base has no {path[-1]} to drop {where}")
        if new and there and not dropped:
            lines = _replaced(lines, path, new)
            inside.add(path)
    front = dict[Auction, list[Line]]()  # in the order of the text, as the first line that fits counts
    for path, rule in rules_below(own):
        mark = marks.get(rule.number)
        if mark == ALSO or (mark is None and path not in inside):
            front.setdefault(path[:-1], []).append(replace(rule, path=path[-1:], lines=()))
    headings = [Line(path, after=True, lines=tuple(rules)) for path, rules in front.items() if path]
    return (*front.get((), ()), *headings, *lines)


def _replaced(lines: tuple[Line, ...], path: Auction, new: list[Line], above: Auction = ()) -> tuple[Line, ...]:
    """Return the lines with ``new`` in place of the first rule of the auction; what follows any of them stays.

    Args:
        new: cleared once its rules have a place.
    """
    out: list[Line] = []
    for line in lines:
        here = (*above, *line.path)
        if here != path or line.after:
            leads = here == path[: len(here)]
            out.append(replace(line, lines=_replaced(line.lines, path, new, here)) if leads else line)
        elif new:
            first, *others = (replace(rule, path=line.path, lines=()) for rule in new)
            out += [replace(first, lines=line.lines), *others]
            new.clear()
        elif line.lines:
            out.append(Line(line.path, after=True, lines=line.lines, number=line.number, source=line.source))
    return tuple(out)


# --- general rules ----------------------------------------------------------------------------------------------------


def _blocks(base: System, own: System, marks: Mapping[int, str]) -> tuple[Block, ...]:
    blocks = list(base.blocks)
    # New blocks stand in front of all others but those for answers to conventions, which speak of a certain call.
    at = next((k for k, block in enumerate(blocks) if not answers(block)), len(blocks))
    for new in own.blocks:
        alike = [k for k, block in enumerate(blocks) if (block.when, block.weighs) == (new.when, new.weighs)]
        for k, rules in _shared_out(new.lines, blocks, alike).items():
            blocks[k] = replace(blocks[k], lines=_changed(blocks[k].lines, tuple(rules), marks, "in this block"))
        if alike:
            continue
        if dropped := [rule for rule in new.lines if marks.get(rule.number) == DROP]:
            raise OverrideError(dropped[0].number, "the base has no block of these words in which to drop a call")
        blocks.insert(at, new)
        at += 1
    return tuple(blocks)


def _shared_out(own: tuple[Line, ...], blocks: Sequence[Block], alike: Sequence[int]) -> dict[int, list[Line]]:
    """Return own rules by the block that they change: of blocks with the same words the first that makes the call."""
    out = dict[int, list[Line]]()
    for rule in own if alike else ():
        makes = (k for k in alike if any(line.path == rule.path for line in blocks[k].lines))
        out.setdefault(next(makes, alike[0]), []).append(rule)
    return out


def answers(block: Block) -> bool:
    """Return whether the block speaks of auctions in which a certain call was made, as after Blackwood."""
    return any(atom.word in CALL_WORDS for atom in atoms_of(block.when))
