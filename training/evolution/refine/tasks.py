"""Refine in tasks that any worker can do: pure functions of systems and boards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from agents.systems.language.paths import call_of, readings
from bridge_env.rules.calls import FIRST_BID, PASS
from training.evaluation.partnership_match import BoardRange, Partnership, Rival, duel_changed, is_system
from training.evolution.refine.decisions import (
    Examples,
    Labeller,
    by_judgement,
    departs_from_system,
    joined,
    play_out,
    tables_of,
)
from training.evolution.refine.general import count_contexts, label_general
from training.evolution.refine.induce import Rule, rules
from training.evolution.refine.labels import count_paths, label

PARTS = 4096  # boards a task


def labeller(judge: str) -> Labeller:
    """Return the labeller: play-outs, or the judgement of a player by its spec."""
    return partial(by_judgement, judge) if judge else play_out


def count_task(
    us: Partnership, them: Rival, board_range: BoardRange, judge: str = ""
) -> tuple[Counter[str], Counter[str]]:
    """Count the decisions of ``us`` at each position, and by general rules in each kind of auction; with a ``judge``,
    the spec of a player by a book, those at which it would depart.
    """
    tables, select = tables_of(us, them, board_range), partial(departs_from_system, judge) if judge else None
    return count_paths(tables, select), count_contexts(tables, select)


def label_task(
    us: Partnership, them: Rival, board_range: BoardRange, wanted: Mapping[str, int], judge: str = ""
) -> dict[str, Examples]:
    """Label decisions at the positions, and in the kinds of auctions, that are wanted."""
    by, tables = labeller(judge), tables_of(us, them, board_range)
    at = {path: joined(parts) for path, parts in label(tables, wanted, by).items()}
    general = label_general(tables, wanted, by).items()
    return at | {f"{when} / {family}": joined(parts) for (when, family), parts in general}


def rules_task(parts: Sequence[Examples]) -> list[Rule]:
    """Return the rules that the decisions at a position suggest."""
    return rules(joined(parts))


def answers_task(
    begun: Partnership, us: Partnership, league: Sequence[Rival], ranges: Sequence[BoardRange], path: str, call: str,
    most: int, judge: str = "",
) -> list[Rule]:  # fmt: skip
    """Return partner's answers to ``call`` at ``path``, which ``begun`` makes where ``us`` did not.

    They are labelled with everyone going on as now, and written as answers to ``call`` at any level. A change that
    makes no system needs none.
    """
    if not is_system(begun):
        return []
    by, leads = labeller(judge), after_call(path, call)
    wanted = dict.fromkeys(leads, most)
    parts: dict[str, list[Examples]] = {}
    for them in league:
        for board_range in ranges:
            now, other = duel_changed(begun, us, them, board_range)
            tables = tables_of(begun, them, board_range, now)
            for text, examples in label(tables, wanted, by, other).items():
                parts.setdefault(leads[text], []).extend(examples)
    found = {lead: rules(joined(examples)) for lead, examples in parts.items()}
    return [replace(rule, path=lead) for lead, of_lead in found.items() for rule in of_lead]


def after_call(path: str, call: str) -> dict[str, str]:
    """Return the positions in which partner answers ``call``, and the path under which each writes its answers.

    They may depend on the suits: a call's level does, and a suit of a kind that was not named before gets another name
    when it is (after 1M-lowest:C, C is m). Then the exact position is taken.
    """
    out: dict[str, str] = {}
    steps = [*path.split("-"), call] if path else [call]
    for major, minor in ((2, 0), (2, 1), (3, 0), (3, 1)):
        suits = {"m": minor, "om": 1 - minor, "M": major, "oM": 5 - major, **{s: i for i, s in enumerate("CDHS")}}
        made = _calls(steps, suits)
        if made is None:
            continue
        texts = [reading.text for reading in readings([made_call for made_call, _ in made], int(made[0][1]), 0)]
        calls = [call for call, theirs in made if call != PASS or not theirs]  # their passes are not written
        plain = "-".join(_plain(step, bid) for step, bid in zip(steps, calls, strict=True))
        if plain in texts:
            out[plain] = "-".join(steps)
        else:
            out[texts[0]] = texts[0]
    return out


def _calls(steps: Sequence[str], suits: Mapping[str, int]) -> list[tuple[int, bool]] | None:
    """Return the steps as calls, each with whether it is theirs, passes filled in; None where one is too low."""
    last, out = -1, list[tuple[int, bool]]()
    for step in steps:
        theirs, token = step.startswith("("), step.strip("()")
        if out and out[-1][1] == theirs:
            out.append((PASS, not theirs))
        call = call_of(token, suits, last)
        if call < 0:
            return None
        last = max(last, call - FIRST_BID)
        out.append((call, theirs))
    return out


def _plain(step: str, call: int) -> str:
    """Return a step with its level in place of ``lowest:`` and the like."""
    token = step.strip("()")
    if ":" not in token:
        return step
    return step.replace(token, f"{(call - FIRST_BID) // 5 + 1}{token.partition(':')[2]}")
