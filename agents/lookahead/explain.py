"""Explain calls of look-aheads, and those of a network that bids by a book."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.lookahead.call_models import SystemCallModel, shown_by_others
from agents.lookahead.game_lookahead import GameLookahead
from agents.lookahead.lookahead import Decision, Lookahead
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided
from agents.networks.call_reader import average_hands, shows_by_network
from agents.systems.bidder import HierarchyBidder
from agents.systems.explain.explain import explain as explain_system
from agents.systems.explain.explain import symbol_text
from agents.systems.explain.sentences import sentence, under
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import hand_features
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS

_EXAMPLES = 3
_MEASURABLE = 2  # standard errors that a difference must reach to be one


def _others(owner: NDArray[np.uint8], seat: int) -> str:
    """Return the hands of the others in a deal that is seen from ``seat`` as 0."""
    return "  ".join(f"{SEATS[(seat + k) % 4]} {hand_text(owner == k)}" for k in (1, 2, 3))


def explain(lookahead: Lookahead | GameLookahead, view: BidView, decision: Decision, thinks: bool = True) -> str:
    """Return why ``lookahead`` calls as it does with the hand of the one row: candidates, what is shown, belief, deals.

    Args:
        thinks: the bidder makes the call that thinking has found; else it makes its usual call.
    """
    seat, usual, made = int(view.seat[0]), call_text(decision.usual), int(decision.call if thinks else decision.usual)
    model = lookahead if isinstance(lookahead, GameLookahead) else lookahead.call_model
    lines = [call_text(made)]
    if isinstance(model, SystemCallModel):
        lines.append(f"  usual     {usual}: {explain_system(model.bidder, view).because}")
    elif not isinstance(model, GameLookahead):
        lines.append(f"  usual     {usual}")
        lines.append(f"  says      {symbol_text(made)}: {shows_by_network(model.bidder, view, made)}")
    lines += under("shown", model.shown(view))
    if decision.sample is None:
        return "\n".join([*lines, "  thought   none: no other call is likely enough"])
    owner, weight = decision.sample.owner, decision.sample.weight
    how = "a game with open hands" if isinstance(model, GameLookahead) else "each bid out after each call"
    lines.append(f"  thought   {decision.num_deals} deals that tell as much as {decision.sample.effective:.0f}, {how}")
    chances = decision.chance if len(decision.chance) else np.full(len(decision.calls), np.nan)
    lines.append(f"  calls     {'':5} {'chance' if len(decision.chance) else '':>7}  IMPs v. {usual}")
    for call, chance, gain, error in zip(decision.calls, chances, decision.gain, decision.error, strict=True):
        over = "" if call == decision.usual else f"{gain:+.2f} ± {error:.2f}"
        lines.append(f"            {call_text(call):5} {'' if np.isnan(chance) else f'{chance:.1%}':>7}  {over}")
    held = np.stack([weight @ (owner == which) for which in (1, 2, 3)], axis=1)
    lines += under("believes", average_hands(held, seat))
    heaviest = np.argsort(-weight, kind="stable")[:_EXAMPLES]
    return "\n".join([*lines, *under("deals", (_others(owner[which], seat) for which in heaviest))])


def explain_by_book(bidder: NetworkBidder, lookahead: Lookahead, view: BidView, key: NDArray[np.uint64]) -> str:
    """Explain the call of ``bidder`` by its book's line, or as a judgement, weighed by ``lookahead``, it thinking."""
    player = bidder.networks.player
    assert isinstance(player, SystemGuided)
    chances, call = bidder.probabilities(view)[0], int(bidder.bid(view, key)[0])
    system = HierarchyBidder(player.book.hierarchy)
    book = explain_system(system, view)
    if call == book.call:
        text = book.text_under("book")  # the network's own partner may pass what forces by the book
        return f"{text}\n  follows   the book ({chances[call]:.1%} sure)"
    decision = lookahead.compare(view, key, [book.call, call])
    shows = shows_by_network(bidder, view, call)
    missed = shows.stated.missed(book.position.row(hand_features(view.hand)[0])) if shows.stated else {}
    mine, by_book = symbol_text(call), symbol_text(book.call)
    gain, error = float(decision.gain[-1]), float(decision.error[-1])
    worth = f"{gain:+.2f} ± {error:.2f} IMPs over {by_book}, on {decision.num_deals} deals that fit the auction"
    if abs(gain) < _MEASURABLE * error:
        worth = f"no measurable difference: {worth}"
    return "\n".join(
        [
            call_text(call),
            f"  judgement the book bids {by_book} here; this hand makes it {mine} ({chances[call]:.1%} sure)",
            f"  book      {book.says}",
            f"            {book.because}",
            f"  tells     {mine}: {shows}",
            *under("", [f"this hand: {sentence(missed)}"] if missed else []),
            f"            {shows.how}",
            f"  worth     {worth}",
            *under("shown", shown_by_others(system, view)),
        ]
    )
