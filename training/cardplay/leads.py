"""Opening leads of a record, beside those that players of cards would make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.registry import make_player
from bridge_env import streams
from bridge_env.auction import MAX_CALLS, Auctions
from bridge_env.cards import RANKS, SUITS, card_text
from bridge_env.play import Plays
from bridge_env.play_view import PlayView, play_view
from bridge_env.records.board import Board
from bridge_env.records.play_record import play_faults, play_orders
from bridge_env.records.read import read_records
from bridge_env.schema import Whole
from training.running.kept import Kept, Row

_CARDS = {suit + rank: 13 * s + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
_TOGETHER = 5  # boards between two lines of progress


@dataclass(frozen=True)
class Leads:
    """Leads of one player on some boards.

    Attributes:
        recorded, chosen: int8 (N,), cards.
        equal: bool (N,), the two are the same or touching cards of the hand.
    """

    recorded: NDArray[np.int8]
    chosen: NDArray[np.int8]
    equal: NDArray[np.bool_]

    def shares(self) -> list[tuple[str, float, float]]:
        """Return how often they agree, with the standard error: on the card, on it or one touching it, on the suit."""
        same = self.recorded == self.chosen
        suit = self.recorded // 13 == self.chosen // 13
        out = []
        for name, hit in (("the same card", same), ("or one touching it", self.equal), ("the same suit", suit)):
            share = float(hit.mean())
            out.append((name, share, float(np.sqrt(share * (1 - share) / len(hit)))))
        return out


def lead_positions(path: str | Path, count: int) -> tuple[PlayView, NDArray[np.int8]]:
    """The first ``count`` boards of a PBN file with auction and lead, as the leaders see them, and the leads.

    Raises:
        ValueError: the file has none.
    """
    boards = [b for b in read_records(path).boards if b.auction and b.play and b.contract and b.leader is not None]
    sound = [b for b, fault in zip(boards, play_faults(boards), strict=True) if fault is None][:count]
    leads = play_orders(sound)[0][:, 0] if sound else np.empty(0, np.int8)
    sound = [b for b, lead in zip(sound, leads, strict=True) if lead >= 0]
    if not sound:
        raise ValueError(f"{path}: no board has an auction and an opening lead")
    return _view(sound), leads[leads >= 0]


def _view(boards: Sequence[Board]) -> PlayView:
    history = np.full((len(boards), MAX_CALLS), -1, np.int64)
    for row, board in enumerate(boards):
        history[row, : len(board.auction or ())] = board.auction or ()
    vulnerability = np.array([b.vulnerability for b in boards])
    auctions = Auctions.replay(history, [b.dealer for b in boards], vulnerability)
    contracts = auctions.contracts()
    plays = Plays(np.stack([b.owner for b in boards]), contracts.declarer, contracts.bid % 5)
    return play_view(plays, contracts, vulnerability, auctions)


def compare_leads(
    path: str | Path,
    player: str,
    bidder: str,
    count: int,
    seed: int = 1,
    *,
    keep: Path | None = None,
    progress: Callable[[int], object] = lambda boards: None,
    tell: Callable[[str], object] = lambda text: None,
) -> Leads:
    """Ask ``player`` for the opening leads of a record.

    Args:
        path: a PBN file.
        bidder: the spec of a system by which all calls are read.
        seed: of the player's chance.
        keep: a file of lines in which every lead is kept; those in it are not asked for again.
        progress: called with the number of leads that have just been found.
        tell: called with a line of text where something of the file is left out.

    Raises:
        ValueError: the file has no leads, ``keep`` is of something else, or a spec is faulty.
    """
    chooser = make_player(player, AuctionReader.of_sides(bidder, bidder))
    view, recorded = lead_positions(path, count)
    header = {"leads": Path(path).name, "player": player, "bidder": bidder, "seed": seed}
    kept = Kept(keep, header, {"board": Whole(0), "card": str}) if keep is not None else None
    rows = kept.read(lambda rows: _lead_faults(rows, view), tell) if kept else []
    done = {row["board"]: _CARDS[row["card"]] for row in rows}
    progress(len(done.keys() & set(range(len(view)))))
    missing = np.array([row for row in range(len(view)) if row not in done], np.int64)
    key = streams.key("lead", seed, np.arange(len(view)))
    for start in range(0, len(missing), _TOGETHER):
        at = missing[start : start + _TOGETHER]
        cards = chooser.play(view.take(at), key[at])
        new = {int(board): int(card) for board, card in zip(at, cards, strict=True)}
        done |= new
        if kept is not None:
            kept.add({"board": board, "card": card_text(card)} for board, card in new.items())
        progress(len(at))
    chosen = np.array([done[row] for row in range(len(view))], np.int8)
    equal = np.array([_touching(*row) for row in zip(view.hand, recorded, chosen, strict=True)], bool)
    return Leads(recorded, chosen, equal)


def _touching(hand: NDArray[np.bool_], one: int, other: int) -> bool:
    low, high = min(one, other), max(one, other)
    return bool(low // 13 == high // 13 and hand[low : high + 1].all())


def _lead_faults(rows: Sequence[Row], view: PlayView) -> list[str | None]:
    """Return what is wrong with kept leads: a card that the leader of a board does not hold."""
    faults: list[str | None] = []
    for row in rows:
        card, at = _CARDS.get(row["card"], -1), row["board"]
        held = card >= 0 and (at >= len(view) or view.hand[at, card])
        faults.append(None if held else f"{row['card'][:20]!r} is no card of the leader of board {at}")
    return faults
