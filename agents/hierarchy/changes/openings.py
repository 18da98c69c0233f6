"""Draw whole sets of natural opening bids by chance, and cross them.

One opening alone gains little while partner hears no other: a hand that it leaves out is passed. So a system that has
none is given a set at once. What is natural is fixed here: long suits, balanced no trumps, weak hands high, and an
opening for every hand that is strong enough. The numbers, and a few choices, are left to whoever tries the sets.
"""

from __future__ import annotations

from agents.hierarchy.changes.chapters import OPENINGS, Adopt
from agents.hierarchy.changes.mutation import Chance
from agents.hierarchy.language.text import parse_system

Genes = tuple[int, ...]
_CHOICES: dict[str, tuple[int, ...]] = {
    "no trump": (10, 11, 12, 13, 14, 15, 16),  # points of one no trump, from
    "span": (2, 3),  # and how many more
    "two no trump": (20, 21, 22),
    "majors": (4, 5),  # cards
    "diamonds": (3, 4, 5),
    "opens": (10, 11, 12, 13),  # points of one of a suit, from
    "strong": (0, 20, 22, 23),  # points of an artificial two clubs; 0: there is none
    "weak": (3, 4, 5, 6, 7),  # points of a weak two, from
    "weak to": (9, 10, 11),
    "weak twos": (0, 1, 2),  # in the majors alone, in diamonds too, in clubs too where these are not strong
    "three": (6, 7),  # cards of an opening at the three level, not vulnerable
    "third": (0, 2),  # points fewer in third seat
}
_CHANGED_ONE_IN = 8


def drawn(chance: Chance) -> Genes:
    """Draw a set."""
    return tuple(chance.below(len(choices)) for choices in _CHOICES.values())


def crossed(one: Genes, other: Genes, chance: Chance) -> Genes:
    """Draw each choice from one of two sets, and now and then anew."""
    out = []
    for a, b, choices in zip(one, other, _CHOICES.values(), strict=True):
        anew = chance.below(_CHANGED_ONE_IN) == 0
        out.append(chance.below(len(choices)) if anew else (a, b)[chance.below(2)])
    return tuple(out)


def edit(genes: Genes) -> Adopt:
    """Return the change that gives a system this set for its opening bids."""
    return Adopt(OPENINGS, parse_system(_text(genes)).lines, (), f"a set of openings at once: {_said(genes)}")


def _chosen(genes: Genes) -> dict[str, int]:
    return {name: choices[at] for (name, choices), at in zip(_CHOICES.items(), genes, strict=True)}


def _said(genes: Genes) -> str:
    of = _chosen(genes)
    strong = f"2C from {of['strong']}" if of["strong"] else "no strong 2C"
    return (
        f"1N {of['no trump']}-{of['no trump'] + of['span']}, {of['majors']}-card majors, one of a suit from "
        f"{of['opens']}, {strong}, weak twos {of['weak']}-{of['weak to']}"
    )


def _text(genes: Genes) -> str:
    of = _chosen(genes)
    least, strong = of["opens"], of["strong"]
    most = f"-{strong - 1}" if strong else "+"
    rows = [f"2C {strong}+ hcp ; strong !forcing !artificial"] if strong else []
    rows += [
        f"2N {of['two no trump']}-{of['two no trump'] + 2} hcp, balanced",
        f"1N {of['no trump']}-{of['no trump'] + of['span']} hcp, balanced",
    ]
    for points, where in ((least, ""), (least - of["third"], ", 3 position"))[: 2 if of["third"] else 1]:
        rows += [f"1{suit} {points}{most} hcp, {shape}{where}" for suit, shape in _suits(of)]
    twos = ("S", "H", *("D",) * (of["weak twos"] > 0), *("C",) * (of["weak twos"] > 1 and not strong))
    rows += [f"2{x} {of['weak']}-{of['weak to']} hcp, 6+ {x}, 1+ top3:{x}, 1-3 position ; weak" for x in twos]
    rows += [
        f"3x {of['weak']}-{of['weak to']} hcp, 7+ x, 1+ top3:x, 2+ top5:x, 1-3 position",
        f"3x {of['weak']}-{of['weak to']} hcp, {of['three']}+ x, 1+ top3:x, not vul, 1-3 position",
        "P",
    ]
    return "\n".join(["system: drawn", *rows]) + "\n"


def _suits(of: dict[str, int]) -> list[tuple[str, str]]:
    """Which suit is opened on which shape, the first that fits; every hand fits one."""
    if of["majors"] == 4:
        return [
            ("S", "4+ S, S >= H, S >= D, S >= C"), ("H", "4+ H, H >= D, H >= C"), ("D", "4+ D, D >= C"), ("C", "4+ C"),
        ]  # fmt: skip
    diamonds = of["diamonds"]
    return [
        ("S", "5+ S, S >= H"), ("H", "5+ H"), ("D", f"{diamonds}+ D, D >= C"), ("C", "3+ C"), ("D", "3+ D"),
    ]  # fmt: skip
