"""Boards in PBN and LIN, damaged files, and deals with known tables."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from support.places import DATA

from bridge_env.hands.deals import parse_deal, random_deals
from bridge_env.records.pbn import Board
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, Contract
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


def random_auction(rng: np.random.Generator) -> Auctions:
    """Return an auction of up to forty legal calls, half of them passes."""
    auctions = Auctions(int(rng.integers(4)), int(rng.integers(4)))
    for _ in range(int(rng.integers(0, 40))):
        legal = np.flatnonzero(auctions.legal()[0])
        auctions.step([0 if rng.random() < 0.5 else rng.choice(legal[: 1 + int(rng.integers(1, 8))])])
    return auctions


def random_board(seed: int, tags: dict[str, str]) -> Board:
    rng = np.random.default_rng(seed)
    auctions = random_auction(rng)
    made = auctions.contracts().at(0) if auctions.done[0] else None
    if made is None and rng.random() < 0.5:
        last = max(auctions.calls(0), default=0) - FIRST_BID
        made = Contract(max(int(rng.integers(35)), last), int(rng.integers(3)), int(rng.integers(4)))
    passed_out = made is not None and made.passed_out
    owner = random_deals(seed, 0, 1)[0]
    return Board(
        owner=owner,
        dealer=int(auctions.dealer[0]),
        vulnerability=int(auctions.vulnerability[0]),
        number=int(rng.integers(1, 1000)) if rng.random() < 0.7 else None,
        auction=auctions.calls(0) or None,
        contract=made,
        **play_and_tricks(
            owner,
            made,
            int(rng.integers(14)) if rng.random() < 0.7 and not passed_out else None,
            random_play(owner, made, rng) if made is not None and not passed_out and rng.random() < 0.7 else None,
        ),
        tags=tags,
        notes={i: NOTES[int(rng.integers(4))] for i in range(auctions.length[0]) if rng.random() < 0.2},
        sections={"ScoreTable": ("Rank\\3R;Lead", "  1 H4".strip(), "2 -")} if rng.random() < 0.3 else {},
    )


def play_and_tricks(owner: np.ndarray, contract: Contract | None, tricks: int | None, play: tuple | None) -> dict:
    """Return a play and the number of tricks next to those wanted that it allows; a play to the end has but one."""
    if play is None or contract is None:
        return {"tricks": tricks, "play": play}
    plays = Plays.replay(owner, contract.declarer, contract.strain, np.array([play], np.int8))
    while 48 <= plays.length[0] < 52:
        plays.step(np.flatnonzero(plays.legal()[0]))
    won, left = int(plays.won[0]), 13 - int(plays.tricks[0])
    known = won if not left else None if tricks is None else min(max(tricks, won), won + left)
    return {"tricks": known, "play": play}


def random_play(owner: np.ndarray, contract: Contract, rng: np.random.Generator) -> tuple[int, ...]:
    """Return 1 to 52 legal cards in the order of play."""
    plays = Plays(owner, contract.declarer, contract.strain)
    for _ in range(int(rng.integers(1, 53))):
        plays.step([int(rng.choice(np.flatnonzero(plays.legal()[0])))])
    return plays.cards(0)


HANDS = "SAQJ8HKQ87DA7CKQ2,ST964H962D932CT73,S752HDKQJ54CAJ984,"

BOARD = f"pn|Sue,Wes,Nan,Ed|st||md|3{HANDS}|rh||ah|Board 7|sv|n|mb|1D|mb|p|mb|2H!|an|strong, !S|mb|P|mb|6N|"


def played_board(seed: int) -> Board:
    rng = np.random.default_rng(seed)
    auctions = random_auction(rng)
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
        **play_and_tricks(
            owner, end, int(rng.integers(14)) if rng.random() < 0.7 and not (end and end.passed_out) else None, play
        ),
        tags={"North": "Zoë", **room, **({"Event": "Cup"} if rng.random() < 0.3 else {})},
        notes={
            i: ("", "5+ !S", "a=b&c")[int(rng.integers(3))] for i in range(auctions.length[0]) if rng.random() < 0.2
        },
    )


JSON_WORDS = (
    b"null", b"true", b"-1", b"1e999", b"NaN", b"{}", b"[]", b'""', b'"\\ud800"', b"9" * 30, b"0.5", b",", b":",
    b"[" * 2000, b'{"a":' * 100, b"\xff", b"\0", b"\n", b'"',
)  # fmt: skip
ARRAY_WORDS = (b"PK\3\4", b"PK\1\2", b"PK\5\6", b"\x93NUMPY", b"\xff" * 8, b"\0" * 8, b"(", b"'", b"f8", b"|O")
RECORD_WORDS = (
    b"[", b"]", b'"', b"{", b"}", b";", b"%", b"\n", b"\r", b"\n\n", b"|", b"\\", b"#", b"-", b"AP", b"*", b"+", b"^",
    b"=1=", b"?", b"$1", b"\0", b"\x1a", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"9" * 20, b"1NT", b"X", b"P",
    b"[Deal ", b"[Auction ", b'[Note "', b"mb|", b"md|", b"qx|", b"pc|", b"(", b"!",
)  # fmt: skip
SYSTEM_WORDS = tuple(word.encode() for word in (
    "(any)", "(1any)", "1M", "2x", "oM", "lowest:y", "game:M", "after ", "when ", " or ", " and ", ",", ";", "!gf",
    "-", "  ", "\n", "\t", "9" * 6, "5+ H", "H >= S", "fit:x", "partner-called:", "\u0663", "\u2028", "(", ")", ":",
))  # fmt: skip


@st.composite
def damaged(draw, data, words):
    """``data`` with up to three damages: pieces cut out, overwritten, inserted, or the end cut off."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(out)))
        length = draw(st.sampled_from((0, 0, 1, 1, 5, 40)))
        piece = draw(st.one_of(st.sampled_from(words), st.binary(max_size=2), st.just(bytes(out[:30]))))
        out[at : at + length] = piece
    if draw(st.integers(0, 4)) == 0:
        del out[draw(st.integers(0, len(out))) :]
    return bytes(out)


DDS_LIST = DATA / "dds_list100.txt"


def dds_list() -> tuple[np.ndarray, np.ndarray]:
    """The DDS project's 100 deals and tables; theirs are strain by strain, S H D C NT, seats N E S W."""
    lines = DDS_LIST.read_text().splitlines()
    deals = [parse_deal(line.split('"')[1]) for line in lines if line.startswith("PBN")]
    tables = [[int(n) for n in line.split()[1:]] for line in lines if line.startswith("TABLE")]
    theirs = np.array(tables, np.int8).reshape(-1, 5, 4)
    return np.stack(deals), theirs[:, [3, 2, 1, 0, 4]].transpose(0, 2, 1)
