"""Refinement cut into tasks that any worker can do: pure functions of systems and boards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agents.hierarchy.compiled import SPAN_CODES, span_call
from bridge_env.calls import FIRST_BID
from training.duel import Partnership, Stretch, duel_changed
from training.refine.decisions import Examples, joined
from training.refine.general import count_contexts, label_general
from training.refine.induce import Rule, rules
from training.refine.labels import count_paths, label, label_duel

PARTS = 4096  # boards a task


def count_task(us: Partnership, them: Partnership, stretch: Stretch) -> tuple[Counter[str], Counter[str]]:
    """How often ``us`` decide against ``them`` at each position, and by general rules in each kind of auction."""
    return count_paths(us, them, stretch), count_contexts(us, them, stretch)


def label_task(us: Partnership, them: Partnership, stretch: Stretch, wanted: Mapping[str, int]) -> dict[str, Examples]:
    """Labelled decisions at the positions, and in the kinds of auctions, that are wanted."""
    at = {path: joined(parts) for path, parts in label(us, them, stretch, wanted).items()}
    general = label_general(us, them, stretch, wanted).items()
    return at | {f"{when} / {family}": joined(parts) for (when, family), parts in general}


def rules_task(parts: Sequence[Examples]) -> list[Rule]:
    """The rules that the decisions at a position ask for."""
    return rules(joined(list(parts)))


def answers_task(
    begun: Partnership,
    us: Partnership,
    league: Sequence[Partnership],
    stretches: Sequence[Stretch],
    path: str,
    call: str,
    most: int,
) -> list[Rule]:
    """Partner's answers to ``call`` at ``path``, which ``begun`` makes where ``us`` did not.

    They are labelled with everyone going on as now, and written as answers to ``call`` whatever its level is.
    """
    wanted, parts = dict.fromkeys(after_call(path, call), most), []
    for them in league:
        for stretch in stretches:
            now, other = duel_changed(begun, us, them, stretch)
            for examples in label_duel(begun, them, stretch, now, wanted, other).values():
                parts += examples
    if not parts:
        return []
    leads = f"{path}-{call}" if path else call
    return [replace(rule, path=leads) for rule in rules(joined(parts))]


def after_call(path: str, call: str) -> list[str]:
    """The positions in which partner answers ``call``: its level may hang on which suits they are."""
    out: dict[str, None] = {}
    for major, minor in ((2, 0), (2, 1), (3, 0), (3, 1)):
        suits = {"m": minor, "om": 1 - minor, "M": major, "oM": 5 - major, **{s: i for i, s in enumerate("CDHS")}}
        last, steps = -1, [*path.split("-"), call] if path else [call]
        for number, step in enumerate(steps):
            token = step.strip("()")
            if token in ("P", "X", "XX"):
                continue
            span, colon, name = token.partition(":")
            strain = 4 if (name or token[1:]) == "N" else suits[name or token[1:]]
            bid = span_call(SPAN_CODES[span], strain, last) - FIRST_BID if colon else 5 * (int(token[0]) - 1) + strain
            if bid <= last:
                break
            last = bid
            steps[number] = step.replace(token, f"{bid // 5 + 1}{name or token[1:]}")
        else:
            out["-".join(steps)] = None
    return list(out)
