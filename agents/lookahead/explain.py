"""Explain calls of look-aheads: of a system, of a network, and of a network that bids by a book."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.player_models import AS_BEST, BY_SYSTEM, PlayerModel
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided
from agents.networks.explain import average_hand, average_hands
from agents.systems.bidder import HierarchyBidder
from agents.systems.engine.shown_ranges import natural_cards
from agents.systems.engine.state_cache import Queries
from agents.systems.explain.explain import explain as explain_system
from agents.systems.explain.explain import symbol_text
from agents.systems.explain.player_terms import SUIT_NAMES, counted, sentence, under
from agents.systems.explain.position import Position
from agents.systems.explain.ranges import hull, unite
from agents.systems.explain.shown_text import shown_text
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hand_text, hands
from bridge_env.hands.features import HCP, LENGTH, hand_features
from bridge_env.rules.calls import PASS, call_text, strain_of
from bridge_env.rules.cards import SEATS
from bridge_env.sampling import Sample

if TYPE_CHECKING:  # they import this module to explain themselves
    from agents.lookahead.network_lookahead import NetworkDecision, NetworkLookahead
    from agents.lookahead.system_lookahead import SystemDecision, SystemLookahead

_EXAMPLES = 3


def _others(owner: NDArray[np.uint8], seat: int) -> str:
    """Return the hands of the others in a deal that is seen from ``seat`` as 0."""
    return "  ".join(f"{SEATS[(seat + k) % 4]} {hand_text(owner == k)}" for k in (1, 2, 3))


# --- a system that thinks ---------------------------------------------------------------------------------


def explain(lookahead: SystemLookahead, view: BidView, decision: SystemDecision) -> str:
    """Explain what ``lookahead`` thought for the one row of ``view``: candidates, what the seats have shown, deals."""
    lines, usual = [call_text(decision.call)], call_text(decision.usual)
    if not lookahead.free:
        lines.append(f"  usual     {usual}: {explain_system(lookahead.reader, view).because}")
    sample = decision.sample
    if sample is None:
        return "\n".join([*lines, "  thought   none: no other call could be better"])
    look = "as each seat's system goes on" if lookahead.options.look == "systems" else "as a game with open hands"
    lines.append(f"  thought   {sample}; {look}, estimated tricks")
    lines += [*_candidates(decision, sample), *under("shown", _shown(lookahead, view, sample))]
    return "\n".join([*lines, *under("deals", _deals(decision, sample, int(view.seat[0])))])


def _candidates(decision: SystemDecision, sample: Sample) -> Iterator[str]:
    head = "IMPs v. field", f"IMPs v. {call_text(decision.usual)}", "points, spread"
    yield f"  calls     {'':5} {head[0]:>14}  {head[1]:>15}  {head[2]:>15}"
    remaining = [i for i in range(len(decision.calls)) if not decision.dropped[i]]
    for i in sorted(remaining, key=lambda i: -np.nan_to_num(decision.average[i])):
        seen = ~np.isnan(decision.points[i])  # all deals, or where nothing was left to compare, the first
        share = sample.weight[seen] / sample.weight[seen].sum()
        mean = float(decision.points[i, seen] @ share)
        spread = float(np.sqrt(np.square(decision.points[i, seen] - mean) @ share))
        over = "" if i == 0 else f"{decision.gain[i]:+.2f} ± {decision.error[i]:.2f}"
        points = f"{mean:+.0f}, {spread:.0f}"
        average = "" if np.isnan(decision.average[i]) else f"{decision.average[i]:+.2f}"
        yield f"            {call_text(decision.calls[i]):5} {average:>14}  {over:>15}  {points:>15}"
    behind = ", ".join(call_text(c) for c, out in zip(decision.calls, decision.dropped, strict=True) if out)
    if behind:
        yield f"            far behind on the first deals: {behind}"


def _shown(lookahead: SystemLookahead, view: BidView, sample: Sample) -> Iterator[str]:
    """Return what each other seat has shown, seat by seat to the left, and its average hand."""
    seat, meaning = int(view.seat[0]), lookahead.reader.meaning(view)[0]
    partner, low, high = lookahead.player_models
    for offset in (1, 2, 3):
        other = (seat + offset) % 4
        player_model = partner if offset == 2 else (low if other < 2 else high)
        features = hand_features(hands(sample.owner, np.full(len(sample), offset))).astype(np.float64)
        mean = sample.weight @ features
        average = average_hand(float(mean[HCP]), mean[LENGTH : LENGTH + 4].tolist())
        yield f"{SEATS[other]}  {_inference_text(player_model, meaning[other])}; {average}"


def _inference_text(player_model: PlayerModel, meaning: NDArray[np.int16]) -> str:
    if player_model.inference == BY_SYSTEM:
        return shown_text(meaning)
    return "that its calls seemed best" if player_model.inference == AS_BEST else "nothing"


def _deals(decision: SystemDecision, sample: Sample, seat: int) -> Iterator[str]:
    for row in np.argsort(-sample.weight, kind="stable")[:_EXAMPLES]:
        worth = [
            f"{call_text(call)} {points[row]:+.0f}"
            for call, points in zip(decision.calls, decision.points, strict=True)
            if not np.isnan(points[row])
        ]
        yield f"{_others(sample.owner[row], seat)}\n            {', '.join(worth)}"


# --- a player among strangers -----------------------------------------------------------------------------


def explain_network_lookahead(lookahead: NetworkLookahead, view: BidView, found: NetworkDecision, acts: bool) -> str:
    """Return why ``lookahead`` calls as it does with the hand of the one row: candidates in play-outs, belief, deals.

    Args:
        acts: a network that thinks makes the call that was found, a plain one its usual call.
    """
    seat = int(view.seat[0])
    lines = [call_text(found.call if acts else found.usual), f"  usual     {call_text(found.usual)}"]
    lines += under("shown", lookahead.call_model.shown(view))
    if found.drawn is None:
        return "\n".join([*lines, "  thought   none: no other call is likely enough"])
    owner, weight = found.drawn.owner[found.drawn.deal], found.drawn.weight
    lines.append(
        f"  thought   {len(found.drawn.owner)} deals that tell as much as {found.drawn.effective:.0f}, "
        "each bid out after each call"
    )
    lines.append(f"  calls     {'':5} {'chance':>7}  IMPs v. {call_text(found.usual)}")
    for call, chance, gain, error in zip(found.calls, found.chance, found.gain, found.error, strict=True):
        over = "" if call == found.usual else f"{gain:+.2f} ± {error:.2f}"
        lines.append(f"            {call_text(call):5} {chance:7.1%}  {over}")
    held = np.stack([weight @ (owner == which) for which in (1, 2, 3)], axis=1)
    lines += under("believes", average_hands(held, seat))
    heaviest = np.argsort(-weight, kind="stable")[:_EXAMPLES]
    return "\n".join([*lines, *under("deals", (_others(owner[which], seat) for which in heaviest))])


# --- a network by a book ----------------------------------------------------------------------------------


def explain_by_book(bidder: NetworkBidder, lookahead: NetworkLookahead, view: BidView, key: NDArray[np.uint64]) -> str:
    """Explain the call of ``bidder``, which bids by a book, for the one row of ``view``: by the book's line, or as the
    judgement that left it, with what the call shows and what it gains.

    Args:
        lookahead: the same network, thinking: it samples the deals.
    """
    player = bidder.networks.player
    assert isinstance(player, SystemGuided)
    chances, call = bidder.probabilities(view)[0], int(bidder.bid(view, key)[0])
    system = HierarchyBidder(player.book.hierarchy)
    book = explain_system(system, view)
    if call == book.call:
        return f"{book}\n  follows   the book ({chances[call]:.1%} sure)"
    weighing = lookahead.compare(view, key, ([book.call, call], chances[[book.call, call]]))
    wanted = np.zeros_like(view.mask)
    wanted[0, call] = True
    misdescription = int(player.book.misdescription(Queries.of_view(view), wanted)[0, call])  # in points and cards
    mine, theirs = symbol_text(call), symbol_text(book.call)
    off = "the hand has it" if not misdescription else f"the hand is {misdescription} short of it, in points and cards"
    deals = 0 if weighing.drawn is None else len(weighing.drawn.owner)
    worth = f"{weighing.gain[-1]:+.2f} ± {weighing.error[-1]:.2f} IMPs over {theirs}"
    seat, before = int(view.seat[0]), system.meaning(view)[0]
    shown = (f"{SEATS[(seat + k) % 4]}  {shown_text(before[(seat + k) % 4])}" for k in (1, 2, 3))
    return "\n".join(
        [
            call_text(call),
            f"  judgement the book bids {theirs} here; this hand makes it {mine} ({chances[call]:.1%} sure)",
            f"  book      {book.says}",
            f"            {book.because}",
            f"  tells     {mine} by the book: {_meaning_by_system(system, view, call)}; {off}",
            f"  worth     {worth}, on {deals} deals that fit the auction",
            *under("shown", shown),
        ]
    )


def _meaning_by_system(system: HierarchyBidder, view: BidView, call: int) -> str:
    """Return what a call shows by a book's lines, in words; where it has none for it, what a natural bid shows."""
    rules = [rule for rule in Position(system, view).rules if rule.call == call]
    if rules:
        words = sentence(unite(hull(rule.needs) for rule in rules)) or "any hand"
        notes = dict.fromkeys(rule.line.note for rule in rules if rule.line.note)
        return ", ".join([words, *notes])
    least = int(natural_cards(system.meaning(view)[0, int(view.seat[0]) ^ 2].astype(np.int16), call))
    if not least:
        return "nothing that the book has words for" if call != PASS else "any hand"
    name = SUIT_NAMES["CDHS"[strain_of(call)]]
    return f"{counted(least, 13, 13, name, name)}: the book has no line for it, so it is natural"
