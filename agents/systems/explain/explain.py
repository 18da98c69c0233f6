"""Explain a call in a player's words: what it shows, what passes deny, and what a slightly other hand would call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import HierarchyBidder
from agents.systems.engine.auction_state import FORCED, GAME_BIDS
from agents.systems.engine.compiled import RULE_LINE, first_general_rule
from agents.systems.explain.counterfactuals import Counterfactual, find_counterfactuals
from agents.systems.explain.pass_inference import DeniedCall, infer_from_pass
from agents.systems.explain.player_terms import ANY, FLAG_TEXT, of_call, symbols
from agents.systems.explain.position import Position, Rule, word_value
from agents.systems.explain.ranges import Ranges, hull, unite
from agents.systems.explain.seat_shown import SeatShown
from agents.systems.explain.sentences import counts_points, either, light, sentence, under
from agents.systems.explain.statements import usual_statement
from agents.systems.explain.sums import Sum, sums_of
from agents.systems.language.text import constraint_text
from agents.systems.language.tree import INFINITE, Constraint, Line, place_of
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import hand_features
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, call_text
from bridge_env.rules.cards import SEATS, SUITS

_NEARLY = 3  # other calls in the text
_SUMS = 3  # of calls that were weighed, in the text
_OTHERS = 2  # calls that another seat's pass denies in the text
_SELDOM = 0.1  # of the hands that make a call: what fewer of them show is not in the text
_SELDOM_BY_NAME = 0.05  # the same of lines with another name, which are told apart in the text
_RARELY = 0.02  # of partner's hands: what fewer of them pass or accept is no invitation
_WAYS = 3  # in which a hand may fit, in the text
_ENOUGH = 50  # hands that pass by a line: their most is that of all


@dataclass(frozen=True)
class PassInference:
    """A pass, and what it denies."""

    seat: int
    number: int  # how many calls came before it
    system: str  # by which the seat passes
    denied: tuple[DeniedCall, ...]  # calls that were passed over, with hands that would have made them


@dataclass(frozen=True)
class Explanation:
    """One call of a system."""

    call: int
    system: str
    line: Line | None  # the line that made the call; None where none fitted, which is a pass
    general: bool  # the line is one of the general rules, not of the tree
    seat: int
    rule: int  # the rule of the system that made the call, -1 none
    position: Position = field(repr=False, compare=False)
    hand: NDArray[np.bool_] = field(repr=False, compare=False)  # (52,), on which the call was made

    def __str__(self) -> str:
        return self.text_under("says")

    def text_under(self, heading: str) -> str:
        """Return the explanation as text, with what the call shows under this heading."""
        lines = [call_text(self.call), f"  {heading:10}{self.says}", f"  because   {self.because}"]
        lines += under("sums", map(str, self.sums[:_SUMS]))
        if self.nearly:
            others = "; ".join(f"with {nearly}: {symbol_text(nearly.call)}" for nearly in self.nearly[:_NEARLY])
            lines.append(f"  nearly    {others}")
        return "\n".join([*lines, *under("denies", self._denied()), *under("shown", self._shown())])

    @cached_property
    def rules(self) -> list[Rule]:
        """Return the rule that made the call, then others of the tree with its name that often make it."""
        made = [rule for rule in self.position.rules if rule.number == self.rule]
        return made and [*made, *(rule for rule in self._named.get(self._name, []) if rule.number != self.rule)]

    @cached_property
    def ranges(self) -> Ranges:
        """Return what the call shows, by word of the language with its suit: least and most, with the least HCP and
        cards that the seat has shown by all its calls.
        """
        if not self.rules:  # a scorecard, or no rule
            found = hull(self.position.conditions(self.rule, self.call)) if self.rule >= 0 else {}
        else:
            found = self._together if len(self.rules) > _WAYS or self._say_alike else hull(self.rules[0].needs)
        shown = self.shown[self.seat].ranges
        found = {word: (max(low, shown.get(word, (0, 0))[0]), high) for word, (low, high) in found.items()}
        return self._pass_ranges(found) if self.call == PASS else found

    def _pass_ranges(self, found: Ranges) -> Ranges:
        """Return the ranges of a pass: other lines may take its strongest hands, and hands pass that no line takes."""
        hands = self.position.likely_hands[self.position.likely_decisions[1] == self.rule]
        if len(hands) >= _ENOUGH:
            rows = self.position.rows(hands)
            most = {word: max(word_value(row, word) for row in rows) for word in found}
            found = {word: (low, min(high, max(low, most[word]))) for word, (low, high) in found.items()}
        if "hcp" in found and self._named.keys() <= {self._name}:
            found["hcp"] = (found["hcp"][0], max(found["hcp"][1], self.shown[self.seat].hcp[1]))
        return found

    @cached_property
    def force(self) -> str:
        """Return ``forcing``, ``not forcing`` ...; empty where it is obvious."""
        return force_of(self.position, self.line, self.call, self.general)

    @cached_property
    def nearly(self) -> tuple[Counterfactual, ...]:
        """Return the other calls that the hand nearly makes, the smallest change first; none where the seat's calls are
        not those of its system, which no changed hand makes.
        """
        if self.shown[self.seat].foreign:
            return ()
        return tuple(find_counterfactuals(self.position, self.hand, self.call))

    @cached_property
    def passed(self) -> tuple[PassInference, ...]:
        """Return what passes deny: the call if it is one, then the last pass of each other seat."""
        return tuple(_passes(self.position, self.call, self.shown))

    @cached_property
    def shown(self) -> dict[int, SeatShown]:
        """Return what each seat that has called has shown once the call is made."""
        return self.position.shown_after([*self.position.calls.tolist(), self.call], (self.seat, self.hand))

    @cached_property
    def sums(self) -> tuple[Sum, ...]:
        """Return the sums by which scorecards chose, the highest first; empty where rules alone decided."""
        if not self.general or (self.line is not None and self.line.number < 0):
            return ()
        return tuple(sums_of(self.position, hand_features(self.hand[None])[0]))

    @property
    def says(self) -> str:
        """Return the call with what it shows: ``2♥: five or more hearts, 10 to 15 HCP, not forcing``."""
        return f"{symbol_text(self.call)}: {self.text}"

    @property
    def text(self) -> str:
        """Return what the call shows, its name and its force; behind an or what it shows by lines with other names."""
        hand = rules_text(self.rules, self.ranges)
        if self._passes_on_others:
            hand = ""
        elif self.rules and not self._say_alike:
            hand = _one_or_other(rule.needs for rule in self.rules) or hand
        artificial = "artificial" if self.line and "artificial" in self.line.flags else ""
        many = self.general or len(self.rules) > _WAYS
        if not hand or (many and not artificial and not counts_points(self.ranges)):
            hand = ", ".join(filter(None, (hand, self._usual(hand))))
        meant = [", ".join(filter(None, (hand, self._name if self._name != self.force else "")))]
        for name, rules in self._named.items():
            if name != self._name or not self.rules:
                text = rules_text(rules, unite(hull(rule.needs) for rule in rules))
                meant.append(", ".join(filter(None, (text, name))))
        words = ["; or ".join(dict.fromkeys(filter(None, meant))), self.force, artificial]
        return ", ".join(dict.fromkeys(filter(None, words)))

    @cached_property
    def _name(self) -> str:
        """Return the note of the call's line; a scorecard's is none."""
        return self.line.note if self.line and self.line.score is None else ""

    @cached_property
    def _named(self) -> dict[str, list[Rule]]:
        """Return the rules of the tree that often make the call, by their notes."""
        calls, numbers = self.position.likely_decisions
        made, found = numbers[calls == self.call], dict[str, list[Rule]]()
        for rule in self.position.rules:
            few = _SELDOM if rule.line.note == self._name else _SELDOM_BY_NAME
            if rule.tree and rule.call == self.call and (made == rule.number).sum() > few * len(made):
                found.setdefault(rule.line.note, []).append(rule)
        return found

    @cached_property
    def _together(self) -> Ranges:
        """Return the ranges that hold of each hand that one or other of the rules takes."""
        return unite(hull(rule.needs) for rule in self.rules)

    @property
    def _say_alike(self) -> bool:
        """Return whether the rules speak of the same words as the one that made the call, or all count points."""
        return set(hull(self.rules[0].needs)) <= set(self._together) or counts_points(self._together)

    @property
    def _passes_on_others(self) -> bool:
        """Return whether the call is a pass that many hands make which none of its lines takes."""
        if self.call != PASS or not self.rules:
            return False
        calls, numbers = self.position.likely_decisions
        lines = [rule.number for rules in ([*self.rules], *self._named.values()) for rule in rules]
        others = ~np.isin(numbers[calls == PASS], lines)
        return bool(others.mean() > _SELDOM) if len(others) else False

    def _usual(self, hand: str) -> str:
        """Return what hands that make the call usually hold, besides what ``hand`` says by their ranges."""
        any_other = not hand and (self.call == PASS or bool(self.rules))  # what no other call takes
        usual = usual_statement(self.position, self.call)
        if usual is None:
            shown = replace(self.shown[self.seat], foreign=())
            return (f"{ANY} with {shown.short}" if shown else ANY) if any_other else "" if hand else shown.short
        usual = usual.clipped(self.shown[self.seat].hcp)
        more = sentence({word: ends for word, ends in usual.ways[0].items() if not hand or word not in self.ranges})
        prefix = ANY if any_other and (self.call == PASS or not more) else ""
        return ", ".join(filter(None, (prefix, f"usually {more}" if more else "")))

    @property
    def because(self) -> str:
        """Describe the line that made the call."""
        if self.line is None:
            return f"no line of {self.system} fits: pass"
        if self.line.number < 0:
            rule = f"{self.line.name}  {constraint_text(self.line.constraint)}".rstrip()
            return f"no line of {self.system} fits, and a pass would end a forcing auction: {rule}"
        kind = "general rules" if self.line.score is None else "scorecards"
        where = f"{kind if self.general else self.system}, {place_of(self.line)}"
        note = f"  ({self.line.note})" if self.line.note else ""
        return f"{where}: {self.line.name}  {constraint_text(self.line.constraint)}".rstrip() + note

    def as_json(self) -> dict[str, object]:
        """Return all of it, for JSON; calls as text."""
        return {
            "call": call_text(self.call), "says": self.says, "text": self.text, "force": self.force,
            "note": self.line.note if self.line else "", "system": self.system, "because": self.because,
            "ranges": {word: list(bounds) for word, bounds in self.ranges.items()},
            "nearest": [
                {
                    "call": call_text(n.call), "with": str(n), "hand": n.hand, "share": round(n.share, 3),
                    "line": int(self.position.compiled.rules[n.rule, RULE_LINE]) if n.rule >= 0 else None,
                }
                for n in self.nearly
            ],
            "denied": [
                {
                    "seat": SEATS[passed.seat], "number": passed.number,
                    "calls": [{"call": call_text(d.call), "text": str(d)} for d in passed.denied],
                }
                for passed in self.passed
            ],
            "shown": {SEATS[seat]: str(shown) for seat, shown in sorted(self.shown.items())},
        }  # fmt: skip

    def _denied(self) -> Iterator[str]:
        for passed in self.passed:
            player = f"{SEATS[passed.seat]}{' (me)' if passed.seat == self.seat else ''}"
            calls = "; ".join(f"no {symbol_text(one.call)} ({one})" for one in passed.denied)
            by = "" if passed.system == self.system else f", by {passed.system}"
            yield f"{player} passed{by}: {calls}"

    def _shown(self) -> Iterator[str]:
        for offset in range(4):
            seat = (self.seat + offset) % 4
            if seat in self.shown:
                yield f"{SEATS[seat]}{' (me)' if not offset else '':<5} {self.shown[seat]}"


def symbol_text(call: int) -> str:
    """Write a call with a suit symbol: ``2♥``, ``3NT``, ``Pass``, ``X``."""
    return symbols(of_call(call))


def explain(bidder: HierarchyBidder, view: BidView) -> Explanation:
    """Explain the call of ``bidder`` for the one row of ``view``."""
    calls, rules, _ = bidder.decide(view)
    position, call, rule = Position(bidder, view), int(calls[0]), int(rules[0])
    general = rule >= first_general_rule(bidder.own.compiled)
    line = bidder.own.line_of(rule)
    return Explanation(call, bidder.own.system.name, line, general, position.seat, rule, position, view.hand[0])


def rules_text(rules: Sequence[Rule], ranges: Ranges) -> str:
    """Return in a sentence what hands have that one or other of the rules takes, which lie in ``ranges``."""
    needs = [rule.needs for rule in rules]
    ways = either(needs)
    rest = {word: ends for word, ends in ranges.items() if all(word not in way for way in ways)}
    choice = " or ".join(sentence(way).replace(", ", " and ") for way in ways)
    if text := ", ".join(filter(None, (sentence(rest), choice, light(needs, ranges)))):
        return text
    return _one_or_other(needs)


def _one_or_other(needs: Iterable[Constraint]) -> str:
    """Return what each constraint asks, one or the other; empty where one has no words, or there are many."""
    texts = list(dict.fromkeys(sentence(hull(need)) for need in needs))
    return "; or ".join(texts) if all(texts) and len(texts) <= _WAYS else ""


def force_of(position: Position, line: Line | None, call: int, general: bool) -> str:
    """Return what partner must do: by the line's words, a general one's if partner does so, or as partner counts it."""
    flags = line.flags if line is not None else ()
    for flag in ("gf", "signoff"):
        if flag in flags:
            return FLAG_TEXT[flag]
    if call == DOUBLE or (call < FIRST_BID and "forcing" not in flags):
        return ""  # partner may pass every double for penalties
    calls = [*position.calls.tolist(), call]
    after = position.after(calls)
    partner = after.after([*calls, PASS]) if after is not None else None
    if partner is None:
        return ""
    passed = float((partner.likely_decisions[0] == PASS).mean())
    if "invite" in flags and below_game(call) and (not general or _RARELY < passed < 1 - _RARELY):
        return FLAG_TEXT["invite"]
    if partner.context[FORCED]:
        return "forcing"
    return "not forcing" if passed and below_game(call) else ""


def below_game(call: int) -> bool:
    """Return whether ``call`` is a bid below game."""
    return call >= FIRST_BID and call - FIRST_BID < GAME_BIDS[(call - FIRST_BID) % 5]


def _passes(position: Position, call: int, shown: Mapping[int, SeatShown]) -> Iterator[PassInference]:
    """Yield what the call denies if it is a pass, and the last pass of each other seat."""
    if call == PASS and (found := infer_from_pass(position)):
        yield PassInference(position.seat, len(position.calls), position.bidder.own.system.name, tuple(found))
    for offset in (1, 2, 3):
        number = len(position.calls) - offset  # the right-hand opponent's last call, partner's, the left-hand one's
        if number < 0 or position.calls[number] != PASS:
            continue
        before = position.after(position.calls[:number].tolist())
        if before is None:
            continue
        # what a seat has shown by its other calls was too good to pass by this system
        found = [
            one for one in infer_from_pass(before, _OTHERS)
            if not _lies_in(shown[before.seat], one.ranges) and _leave_room(shown, before.seat, one.ranges)
        ]  # fmt: skip
        if found:
            yield PassInference(before.seat, number, before.bidder.own.system.name, tuple(found))


def _lies_in(shown: SeatShown, ranges: Ranges) -> bool:
    """Return whether every hand that a seat has shown lies in ranges of points and lengths; others say nothing."""
    held = shown.ranges
    held |= {word: (shown.hcp[0], INFINITE) for word in ranges if word.partition(":")[0] in ("points", "support")}
    return ranges.keys() & held.keys() != set() and all(
        low <= held[word][0] and held[word][1] <= high for word, (low, high) in ranges.items() if word in held
    )


def _leave_room(shown: Mapping[int, SeatShown], seat: int, ranges: Ranges) -> bool:
    """Return whether what the others have shown leaves a seat the least points and lengths of ``ranges``."""
    others = [held.ranges for other, held in shown.items() if other != seat]
    room = {word: 13 - sum(held[word][0] for held in others) for word in SUITS}
    room["hcp"] = 40 - sum(held["hcp"][0] for held in others)
    return all(low <= room[word] for word, (low, _) in ranges.items() if word in room)
