"""Fill in the part of a convention card for slams: 4NT and 4!c, and what their answers count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from agents.systems.explain.player_terms import of_call
from bridge_env.hands.features import FEATURES
from bridge_env.rules.calls import FIRST_BID
from training.book.survey import NOT_USED, CallSurvey, parse_auction

_RAISES = (
    ("1S P 3S P", "1!s-3!s"), ("1D P 1S P 4S P", "1!d-1!s-4!s"), ("1D P 1S P 3S P", "1!d-1!s-3!s"),
    ("1S P 2N P 3S P", "1!s-2NT-3!s"), ("1S P 2N P 4S P", "1!s-2NT-4!s"),
)  # fmt: skip
_FEWEST = 10  # hands that answer in one way
_QUEEN = 0.5  # top honours of the suit on average by which two answers differ
_CONSISTENT = 0.97  # share of the hands of an answer that it must hold for


def slam_rows(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    """Yield label and text of the rows on 4NT over a raise, and on 4NT and 4!c over 1NT."""
    before, title = next((pair for pair in _RAISES if survey.made(f"{pair[0]} 4N").known), (_RAISES[0][0], ""))
    spades = _describe_ask(survey, before, "4N", "S")
    yield "4NT with spades agreed", spades + (f" (after {title})" if title else "")
    yield "1NT - 4!c", _describe_ask(survey, "1N P", "4C", "")
    quantitative = survey.made("1N P 4N")
    if quantitative.known:
        by_aces = _answers(survey, "1N P 4N P", "")
        yield "1NT - 4NT", f"invites six, {quantitative.hcp()}{'; answered by aces' if by_aces else ''}"


def _describe_ask(survey: CallSurvey, before: str, call: str, suit: str) -> str:
    answers = _answers(survey, f"{before} {call} P", suit)
    made = survey.made(f"{before} {call}")
    if not answers:
        return f"no ace ask: {made.describe()}" if made.known else NOT_USED
    return answers + ("" if len(made) else ", but hardly ever used")


def _answers(survey: CallSurvey, auction: str, suit: str) -> str:
    """Describe what the answers to an ask count; empty where no count separates them."""
    for feature, name in [("aces", "aces"), *([(f"keycards:{suit}", "key cards")] if suit else [])]:
        found = _answers_by_count(survey, auction, feature)
        if found:
            return f"{name}: {', '.join(found)}"
    return ""


def _answers_by_count(survey: CallSurvey, auction: str, feature: str) -> list[str]:
    """Return each answer with its counts; empty where hands with the same count answer differently."""
    calls, among = survey.calls(parse_auction(auction)), survey.among(parse_auction(auction))
    values = survey.hands[:, FEATURES[feature]]
    suit = feature.partition(":")[2]
    fit = survey.hands[:, FEATURES[f"length:{suit}"]] >= 4 if suit else np.ones(len(values), np.bool_)
    by_call: dict[int, list[str]] = {}
    for n in range(6):
        rows = among & (values == n)
        if rows.sum() < _FEWEST:
            rows = (values == n) & fit  # few such hands come so far: how any of them answers
        if rows.sum() < _FEWEST:
            continue
        answers = _answers_of_hands(survey, calls, rows, suit)
        if not answers:
            return []
        for call, more in answers:
            by_call.setdefault(call, []).append(f"{n}{more}")
    if len(by_call) < 3 or min(by_call) < FIRST_BID:
        return []
    return [f"{of_call(call)} {' or '.join(by_call[call])}" for call in sorted(by_call)]


def _answers_of_hands(
    survey: CallSurvey, calls: NDArray[np.int8], rows: NDArray[np.bool_], suit: str
) -> list[tuple[int, str]]:
    """Return the answer of hands with one count: two where the queen of the suit decides, none without a rule."""
    answers, counts = np.unique(calls[rows], return_counts=True)
    order = np.argsort(-counts)[:2]
    if counts[order[0]] >= _CONSISTENT * rows.sum():
        return [(int(answers[order[0]]), "")]
    if not suit or counts[order].sum() < _CONSISTENT * rows.sum():
        return []
    honours = survey.hands[:, FEATURES[f"top3:{suit}"]]
    (without, call), (held, other) = sorted(
        (float(honours[rows & (calls == answer)].mean()), int(answer)) for answer in answers[order]
    )
    return [(call, ""), (other, " with the queen")] if held - without >= _QUEEN else []
