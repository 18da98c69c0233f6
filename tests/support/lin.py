"""Boards in LIN."""

from __future__ import annotations

import numpy as np
from support.pbn import random_play

from bridge_env.hands.deals import random_deals
from bridge_env.records.board import Board
from bridge_env.rules.auction import Auctions

HANDS = "SAQJ8HKQ87DA7CKQ2,ST964H962D932CT73,S752HDKQJ54CAJ984,"


BOARD = f"pn|Sue,Wes,Nan,Ed|st||md|3{HANDS}|rh||ah|Board 7|sv|n|mb|1D|mb|p|mb|2H!|an|strong, !S|mb|P|mb|6N|"


def played_board(seed: int) -> Board:
    rng = np.random.default_rng(seed)
    auctions = Auctions(int(rng.integers(4)), int(rng.integers(4)))
    for _ in range(int(rng.integers(0, 40))):
        legal = np.flatnonzero(auctions.legal()[0])
        auctions.step([0 if rng.random() < 0.5 else rng.choice(legal[: 1 + int(rng.integers(1, 8))])])
    end = auctions.contracts().at(0) if auctions.done[0] else None
    owner = random_deals(seed, 0, 1)[0]
    played = end is not None and not end.passed_out and rng.random() < 0.8
    play = random_play(owner, end, rng) if played else None
    room = {"Room": "Open" if rng.random() < 0.5 else "Closed"} if rng.random() < 0.3 else {}
    return Board(
        owner=owner,
        dealer=int(auctions.dealer[0]),
        vulnerability=int(auctions.vulnerability[0]),
        number=int(rng.integers(1, 1000)) if room or rng.random() < 0.7 else None,
        auction=auctions.calls(0) or None,
        contract=end,
        tricks=int(rng.integers(14)) if rng.random() < 0.7 and not (end and end.passed_out) else None,
        play=play,
        tags={"North": "Zoë", **room, **({"Event": "Cup"} if rng.random() < 0.3 else {})},
        notes={
            i: ("", "5+ !S", "a=b&c")[int(rng.integers(3))] for i in range(auctions.length[0]) if rng.random() < 0.2
        },
    )
