"""Boards in PBN."""

from __future__ import annotations

import numpy as np

from bridge_env.hands.deals import random_deals
from bridge_env.records.pbn import Board
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import Contract
from bridge_env.rules.play import Plays

DEAL = "N:J8.Q965.A954.985 9.KJ872.T862.KT6 T7432.T3.K7.AQJ2 AKQ65.A4.QJ3.743"


GAME = f"""[Event "A match"]
[Board "1"]
[West "Doe, \\"J\\""]
[Dealer "N"]
[Vulnerable "None"]
[Deal "{DEAL}"]
[Declarer "W"]
[Contract "2NT"]
[Result "8"]
[Auction "N"]
Pass Pass 1S 1NT
Pass 2D Pass 2H
Pass 2NT Pass Pass
Pass
[Play "N"]
SJ S9 S2 SK
D5 D2 DK DQ
*
"""


NOTES = ("", "15-17", '5+ "S"; 11\\12', "{not =1= a comment}: 3")


def random_board(seed: int, tags: dict[str, str]) -> Board:
    rng = np.random.default_rng(seed)
    dealer, vulnerability = int(rng.integers(4)), int(rng.integers(4))
    auctions = Auctions(dealer, vulnerability)
    for _ in range(int(rng.integers(0, 40))):
        legal = np.flatnonzero(auctions.legal()[0])
        auctions.step([0 if rng.random() < 0.5 else rng.choice(legal[: 1 + int(rng.integers(1, 8))])])
    made = auctions.contracts().at(0) if auctions.done[0] else None
    if made is None and rng.random() < 0.5:
        made = Contract(int(rng.integers(35)), int(rng.integers(3)), int(rng.integers(4)))
    passed_out = made is not None and made.passed_out
    owner = random_deals(seed, 0, 1)[0]
    return Board(
        owner=owner,
        dealer=dealer,
        vulnerability=vulnerability,
        number=int(rng.integers(1, 1000)) if rng.random() < 0.7 else None,
        auction=auctions.calls(0) or None,
        contract=made,
        tricks=int(rng.integers(14)) if rng.random() < 0.7 and not passed_out else None,
        play=random_play(owner, made, rng) if made is not None and not passed_out and rng.random() < 0.7 else None,
        tags=tags,
        notes={i: NOTES[int(rng.integers(4))] for i in range(auctions.length[0]) if rng.random() < 0.2},
        sections={"ScoreTable": ("Rank\\3R;Lead", "  1 H4".strip(), "2 -")} if rng.random() < 0.3 else {},
    )


def random_play(owner: np.ndarray, contract: Contract, rng: np.random.Generator) -> tuple[int, ...]:
    """Return 1 to 52 legal cards in the order of play."""
    plays = Plays(owner, contract.declarer, contract.strain)
    for _ in range(int(rng.integers(1, 53))):
        plays.step([int(rng.choice(np.flatnonzero(plays.legal()[0])))])
    return plays.cards(0)
