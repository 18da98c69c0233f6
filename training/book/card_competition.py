"""Fill in the parts of a convention card on auctions in which both sides bid, and on slams."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from agents.systems.explain.player_terms import SUIT_MARKS, of_call, span
from bridge_env.hands.features import FEATURES
from bridge_env.rules.calls import FIRST_BID
from training.book.survey import NOT_USED, CallSurvey, CardRow, Hands, call_name, if_used, parse_auction, suit_of

_SHORT = 2.8  # cards in their suit on average: hands at random have more
_ABOVE = {"takeout": "short in their suit", "penalty": "penalties", "values": "values"}
_OFTEN = 0.002  # a double is part of the system if so many hands make it
_OVERCALLS = ("2C", "2D", "2H", "2S", "3C", "3D", "3H", "3S", "4C", "4D", "4H", "4S")
_Double = tuple[str, str, Hands]  # the call that is doubled, the kind of double, and the hands that double


_RAISES = (
    ("1S P 3S P", "1!s-3!s"), ("1D P 1S P 4S P", "1!d-1!s-4!s"), ("1D P 1S P 3S P", "1!d-1!s-3!s"),
    ("1S P 2N P 3S P", "1!s-2NT-3!s"), ("1S P 2N P 4S P", "1!s-2NT-4!s"),
)  # fmt: skip
_FEWEST = 10  # hands that answer in one way
_QUEEN = 0.5  # top honours of the suit on average by which two answers differ
_CONSISTENT = 0.97  # share of the hands of an answer that it must hold for


def _kind_of_double(hands: Hands, theirs: int, ours: int = -1) -> str:
    """Name a double of the suit ``theirs`` ``takeout``, ``penalty`` or ``values``; ``ours`` was bid before, -1 for
    none.
    """
    if not hands.known or hands.share < _OFTEN:
        return ""
    usual = hands.column("hcp") <= np.median(hands.column("hcp")) + 1  # strong hands double with any shape
    hands = Hands(hands.features[usual], hands.share)
    if hands.most(hands.length(theirs) >= 4, 0.7):
        return "penalty"
    majors = [suit for suit in (2, 3) if suit not in (theirs, ours)]
    four = any(hands.most(hands.length(suit) >= 4, 0.85) for suit in majors)
    three = bool(majors) and all(hands.most(hands.length(suit) >= 3, 0.85) for suit in majors)
    return "takeout" if four or three or float(np.mean(hands.length(theirs))) <= _SHORT else "values"


def _negative(survey: CallSurvey, opening: str) -> str:
    kinds: list[_Double] = []
    for bid in (*(("1H", "1S") if opening == "1D" else ()), *_OVERCALLS):
        if bid[1] != opening[1]:
            hands = survey.made(f"{opening} {bid} X")
            kinds.append((bid, _kind_of_double(hands, suit_of(bid), suit_of(opening)), hands))
    return _through(kinds, "negative")


def _responsive(survey: CallSurvey, auction: str) -> str:
    kinds: list[_Double] = []
    for bid in ("2D", "2S", "3D", "3S", "4D", "4S"):
        hands = survey.made(f"1{bid[1]} X {bid} X")
        kinds.append((bid, _kind_of_double(hands, suit_of(bid)), hands))
    return _through(kinds, "responsive")


def _through(kinds: list[_Double], name: str) -> str:
    """Return up to which overcall doubles are take-out, ``negative through 3!s, from 7 HCP``; and the kind above."""
    low = next((i for i, (_, kind, _) in enumerate(kinds) if kind != "takeout"), len(kinds))
    above = next((k for k in kinds[low:] if k[1]), None)
    if not low:
        return NOT_USED if above is None else f"not {name}: {above[1]} ({above[2].describe()})"
    text = f"{name} through {call_name(kinds[low - 1][0])}, from {kinds[0][2].range('hcp')[0]} HCP"
    return text if above is None else f"{text}; {_ABOVE[above[1]]} at {call_name(above[0])}"


def _support(hands: Hands, call: str) -> str:
    if hands.share < _OFTEN:
        return NOT_USED
    if hands.most(hands.length(2) == 3, 0.9):
        return f"support: three hearts, {hands.hcp()}"
    return f"no support double: {hands.describe()}"


def _takeout(survey: CallSurvey, auction: str) -> str:
    kinds = [_kind_of_double(survey.made(f"{level}H X"), 2) for level in (1, 2, 3, 4)]
    hands = survey.made(auction)
    if kinds[0] != "takeout":
        return f"not take-out: {hands.describe()}"
    level = next((i for i, kind in enumerate(kinds) if kind != "takeout"), len(kinds))
    usual = hands.column("hcp") <= 15
    shape = Hands(hands.features[usual], hands.share) if usual.sum() >= 20 else hands
    fewest, most = shape.range("length:S")[0], shape.range("length:H")[1]
    balancing = survey.made("1H P P X")
    after = f"; from {balancing.range('hcp')[0]} HCP in fourth seat" if balancing.known else ""
    least = hands.range("hcp")[0]
    return f"over (1!h) from {least} HCP, {fewest}+!s and at most {most}!h unless strong; through ({level}!h){after}"


def _overcall(hands: Hands, call: str) -> str:
    return f"{hands.hcp()}, {hands.cards(suit_of(call))}"


def _jump_overcall(hands: Hands, call: str) -> str:
    low, high = hands.range("hcp")
    return f"{'weak' if high <= 11 else 'strong' if low >= 14 else 'intermediate'}, {_overcall(hands, call)}"


def _two_suits(survey: CallSurvey, auction: str) -> str:
    hands = survey.made(auction)
    return _describe_two_suits(hands, suit_of(auction[:2])) if hands.known else NOT_USED


def _describe_two_suits(hands: Hands, theirs: int) -> str:
    """Describe which two suits a call shows: both majors, the other major and a minor, both minors."""
    clubs, diamonds, hearts, spades = (hands.length(suit) >= 4 for suit in range(4))
    if not hands.most(hands.column("longest") >= 5, 0.9):
        return hands.describe()
    if hands.most(hearts & spades, 0.9):
        return f"both majors{' (Michaels)' if theirs < 2 else ''}, {hands.hcp()}"
    if hands.most(clubs & diamonds, 0.9):
        return f"both minors (unusual), {hands.hcp()}"
    for major, held in ((3, spades), (2, hearts)):
        if theirs != major and hands.most(held & (clubs | diamonds), 0.9):
            return f"{SUIT_MARKS['CDHS'[major]]} and a minor (Michaels), {hands.hcp()}"
    return hands.describe()


def _against_notrump(survey: CallSurvey, auction: str) -> str:
    used = [(call, survey.made(f"{auction} {call}")) for call in ("X", "2C", "2D", "2H", "2S", "2N")]
    parts = [f"{call_name(call)} {_one_against_notrump(hands, call)}" for call, hands in used if hands.known]
    return "; ".join(parts) or "always pass"


def _one_against_notrump(hands: Hands, call: str) -> str:
    if call == "X":
        low, high = hands.range("hcp")
        return f"penalties, {hands.hcp()}" if low >= 13 else f"{span(low, high)} HCP"
    suit = suit_of(call)
    if suit >= 0 and hands.most(hands.length(suit) >= 5, 0.9):
        return f"natural, {hands.cards(suit)}, {hands.hcp()}"
    return _describe_two_suits(hands, -1) if not hands.most(hands.column("balanced") == 1) else hands.describe()


COMPETITION: tuple[CardRow, ...] = (
    ("double after 1!d-(overcall)", "1D", _negative),
    ("double after 1!s-(overcall)", "1S", _negative),
    ("double after (1x)-X-(raise)", "", _responsive),
    ("double after 1!c-1!h-(1!s)", "1C P 1H 1S X", if_used(_support, NOT_USED)),
    ("(1!d)-1!s", "1D 1S", if_used(_overcall, NOT_USED)),
    ("(1!s)-2!h", "1S 2H", if_used(_overcall, NOT_USED)),
    ("jump (1!d)-2!s", "1D 2S", if_used(_jump_overcall, NOT_USED)),
    ("jump (1!s)-3!d", "1S 3D", if_used(_jump_overcall, NOT_USED)),
    ("cue (1!c)-2!c", "1C 2C", _two_suits),
    ("cue (1!s)-2!s", "1S 2S", _two_suits),
    ("(1!s)-2NT", "1S 2N", _two_suits),
    ("(1!d)-1NT", "1D 1N", if_used(lambda hands, call: hands.describe(), NOT_USED)),
    ("(1!d)-P-P-1NT", "1D P P 1N", if_used(lambda hands, call: hands.describe(), NOT_USED)),
    ("take-out double", "1H X", _takeout),
    ("over (1NT)", "1N", _against_notrump),
)


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
