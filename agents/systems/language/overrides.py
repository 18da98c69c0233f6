"""Change another system instead of copying it: ``base: sayc``, and lines that replace, add or drop calls.

::

    system: mine
    base: sayc
    1N    12-14 hcp, balanced         # in place of all lines of the base for this call in this auction
      drop 2N                         # the base's lines for it go, with all that follows them
      also 2C  11+ hcp, 5 C           # in front of the base's lines for it, which stay
    when ours, not forced             # a block with the base's words changes that block, another one is new
      drop X

What follows a call in the base stays. An auction is found as it is spelled: ``1M`` and ``1H`` are different lines.
The rules of an auction that the text writes keep its order: as many as possible take the place of one of the base for
their call, others stand right behind the rule above them, or in front of all. Lines of the base are numbered behind the
text's own, and name their file and their number there as ``source``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
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


@dataclass(eq=False)
class _Place:
    """A line of a tree that is being changed, among the others of its list."""

    line: Line
    among: list[_Place]
    below: list[_Place] = field(default_factory=list)


def _places(lines: tuple[Line, ...]) -> list[_Place]:
    out = list[_Place]()
    for line in lines:
        out.append(_Place(line, out, _places(line.lines)))
    return out


def _lines(places: Sequence[_Place]) -> tuple[Line, ...]:
    return tuple(replace(place.line, lines=_lines(place.below)) for place in places)


def _rules_at(places: Sequence[_Place], auction: Auction, above: Auction = ()) -> Iterator[_Place]:
    """Iterate over the rules that make a call after an auction."""
    for place in places:
        here = (*above, *place.line.path)
        if here[:-1] == auction and not place.line.after:
            yield place
        elif here == auction[: len(here)]:
            yield from _rules_at(place.below, auction, here)


def _changed(lines: tuple[Line, ...], own: tuple[Line, ...], marks: Mapping[int, str], top: str) -> tuple[Line, ...]:
    """Return the lines of a tree or a block as own ones change them; ``top`` says where those of one call are."""
    by_auction = dict[Auction, list[Line]]()
    for path, rule in rules_below(own):
        by_auction.setdefault(path[:-1], []).append(replace(rule, path=path[-1:], lines=()))
    for auction, rules in by_auction.items():
        for rule in rules:
            if marks.get(rule.number) == DROP:
                before, dropped = lines, (*auction, *rule.path)
                lines = pruned(before, lambda here, _, dropped=dropped: here[: len(dropped)] == dropped)  # type: ignore[misc]
                if lines == before:
                    where = f"after {'-'.join(map(str, auction))}" if auction else top
                    raise OverrideError(rule.number, f"the base has no {rule.path[0]} to drop {where}")
    front, headings = list[_Place](), list[_Place]()
    places = _places(lines)
    for auction, rules in by_auction.items():
        written = [rule for rule in rules if marks.get(rule.number) != DROP]
        new = _write(places, auction, written, marks)
        if new and auction:
            headings.append(_Place(Line(auction, after=True), headings, new))
        front += [] if auction else new
    return _lines([*front, *headings, *places])


def _write(places: list[_Place], auction: Auction, rules: Sequence[Line], marks: Mapping[int, str]) -> list[_Place]:
    """Put own rules after an auction among those of the base, in the order of the text; return those in front."""
    order = list(_rules_at(places, auction))
    calls = [rule.path[0] if marks.get(rule.number) != ALSO else None for rule in rules]
    rest = [place for place in order if place.line.path[-1] in calls]
    matcher = SequenceMatcher(None, calls, [place.line.path[-1] for place in rest], autojunk=False)
    matches = {a + n: rest[b + n] for a, b, size in matcher.get_matching_blocks() for n in range(size)}
    front = list[_Place]()
    above: _Place | None = None
    for number, rule in enumerate(rules):
        if number in matches:
            above = matches[number]
            above.line = replace(rule, path=above.line.path)
            continue
        among = front if above is None else above.among
        path = (*(above.line.path[:-1] if above else ()), *rule.path)
        place = _Place(replace(rule, path=path), among)
        among.insert(len(front) if above is None else among.index(above) + 1, place)
        above = place if above else None
    for place in rest:
        if place in matches.values():
            continue
        if place.below:
            place.line = Line(place.line.path, after=True, number=place.line.number, source=place.line.source)
        else:
            place.among.remove(place)
    return front


# --- general rules ----------------------------------------------------------------------------------------------------


def _blocks(base: System, own: System, marks: Mapping[int, str]) -> tuple[Block, ...]:
    blocks = list(base.blocks)
    # New blocks stand in front of all others but those for answers to conventions, which speak of a certain call.
    # Behind a block that changes one of the base, they stand behind that.
    at = next((k for k, block in enumerate(blocks) if not answers(block)), len(blocks))
    for new in own.blocks:
        alike = [k for k, block in enumerate(blocks) if (block.when, block.weighs) == (new.when, new.weighs)]
        for k, rules in _shared_out(new.lines, blocks, alike).items():
            blocks[k] = replace(blocks[k], lines=_changed(blocks[k].lines, tuple(rules), marks, "in this block"))
        if alike:
            at = alike[-1] + 1
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
