"""The part of a convention card for slams: 4NT and 4!c, and what their answers count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.telling.wording import of_call
from bridge_env.calls import FIRST_BID
from bridge_env.features import FEATURES
from training.book.printed.asking import Asker, parsed

_RAISES = (
    ("1S P 3S P", "1!s-3!s"), ("1D P 1S P 4S P", "1!d-1!s-4!s"), ("1D P 1S P 3S P", "1!d-1!s-3!s"),
    ("1S P 2N P 3S P", "1!s-2NT-3!s"), ("1S P 2N P 4S P", "1!s-2NT-4!s"),
)  # fmt: skip
_FEWEST = 10  # hands that answer in one way
_QUEEN = 0.5  # top honours of the suit on average by which two answers are apart
_KEEPS = 0.97  # of the hands of an answer that it must hold for


def slam(asker: Asker) -> Iterator[tuple[str, str]]:
    """4NT over a raise, 4NT and 4!c over 1NT."""
    yield "4NT with spades agreed", _with_spades(asker)
    yield "1NT - 4!c", _asking(asker, "1N P", "4C", "")
    quantitative = asker.made("1N P 4N")
    if quantitative.known:
        yield "1NT - 4NT", f"invites six, {quantitative.hcp()}" + ("" if _answers(asker, "1N P 4N P", "") is None else (
            "; answered by aces"
        ))  # fmt: skip


def _with_spades(asker: Asker) -> str:
    """4NT after the first of some raises over which it is bid."""
    for before, title in _RAISES:
        if asker.made(f"{before} 4N").known:
            return f"{_asking(asker, before, '4N', 'S')} (after {title})"
    return _asking(asker, _RAISES[0][0], "4N", "S")


def _asking(asker: Asker, before: str, call: str, suit: str) -> str:
    answers = _answers(asker, f"{before} {call} P", suit)
    made = asker.made(f"{before} {call}")
    if answers is None:
        return f"no ace ask: {made.words()}" if made.known else "not used"
    return answers + ("" if len(made) else ", but hardly ever asked")


def _answers(asker: Asker, text: str, suit: str) -> str | None:
    """What the answers to an ask count; None where no count tells them apart."""
    auction = parsed(text)
    calls = asker.calls(auction)
    counts = (("aces", "aces"), (f"keycards:{suit}", "key cards")) if suit else (("aces", "aces"),)
    for feature, name in counts:
        found = _counted(asker, calls, asker.among(auction), feature)
        if found:
            return f"{name}: {', '.join(found)}"
    return None


def _counted(asker: Asker, calls: NDArray[np.int8], among: NDArray[np.bool_], feature: str) -> list[str]:
    """Each answer with the numbers it stands for; empty where hands with the same number answer differently."""
    values = asker.hands[:, FEATURES[feature]]
    suit = feature.partition(":")[2]
    fit = asker.hands[:, FEATURES[f"length:{suit}"]] >= 4 if suit else np.ones(len(values), np.bool_)
    by_call: dict[int, list[str]] = {}
    for n in range(6):
        rows = among & (values == n)
        if rows.sum() < _FEWEST:
            rows = (values == n) & fit  # few such hands come so far: how any of them answers
        if rows.sum() < _FEWEST:
            continue
        told = _answered(asker, calls, rows, suit)
        if not told:
            return []
        for call, more in told:
            by_call.setdefault(call, []).append(f"{n}{more}")
    if len(by_call) < 3 or min(by_call) < FIRST_BID:
        return []
    return [f"{of_call(call)} {' or '.join(by_call[call])}" for call in sorted(by_call)]


def _answered(
    asker: Asker, calls: NDArray[np.int8], rows: NDArray[np.bool_], suit: str
) -> list[tuple[int, str]]:  # fmt: skip
    """The answer of hands with one count; two where the queen of the suit tells them apart; none without a rule."""
    answers, counts = np.unique(calls[rows], return_counts=True)
    order = np.argsort(-counts)
    if counts[order[0]] >= _KEEPS * rows.sum():
        return [(int(answers[order[0]]), "")]
    if not suit or len(order) < 2 or counts[order[:2]].sum() < _KEEPS * rows.sum():
        return []
    honours = asker.hands[:, FEATURES[f"top3:{suit}"]]
    two = sorted((float(honours[rows & (calls == answers[k])].mean()), int(answers[k])) for k in order[:2])
    if two[1][0] - two[0][0] < _QUEEN:
        return []
    return [(two[0][1], ""), (two[1][1], " with the queen")]
