"""A challenge: everybody who has its link bids the same boards alone, and sees how the others did on those."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.scoring import imps, matchpoint_percent
from bridge_table.board.dealing import random_deal
from bridge_table.board.table import Setup
from bridge_table.http.asked import Refused
from bridge_table.http.guard import Bucket
from bridge_table.people.rooms import CHALLENGE, Place, Room, Rooms, checked_name, fresh_bucket, fresh_key

MOST_CHALLENGES, MOST_PLAYERS, MOST_BOARDS = 4, 16, 32
_SEAT = 2  # South


@dataclass(eq=False)
class Challenge:
    """Some boards, and who bids them."""

    rooms: Rooms
    setup: Setup  # of every player's table
    seed: int  # names the boards
    boards: int
    players: list[Room] = field(default_factory=list)  # their rooms, in the order in which they came
    names: list[str] = field(default_factory=list)  # theirs
    key: str = field(default_factory=fresh_key)
    bucket: Bucket = field(default_factory=lambda: fresh_bucket(4))

    def join(self, name: str) -> Place:
        """Seat one more player.

        Raises:
            Refused: the name is missing or taken, or there are too many players.
        """
        name = checked_name(name)
        if not name:
            raise Refused("Tell a name, by which the others find you among the results.")
        if name.casefold() in (other.casefold() for other in self.names):
            raise Refused("Somebody has that name already; take another.", 409)
        if len(self.players) >= MOST_PLAYERS:
            raise Refused(f"There are {MOST_PLAYERS} players already, and no more are taken.", 409)
        room = Room(
            CHALLENGE, self.setup, lambda number: random_deal(self.seed, number), self.rooms.clock, self.boards,
            self.players, self.told,
        )  # fmt: skip
        self.names.append(name)
        self.players.append(room)
        place = self.rooms.invite(room, _SEAT)
        place.name = name
        return place

    def about(self) -> dict[str, Any]:
        """Return what is told before one joins."""
        return {"boards": self.boards, "players": len(self.players), "control": self.setup.control}

    def told(self, room: Room) -> dict[str, Any]:
        """Return the results of the boards that ``room`` has finished; of others nothing is told before."""
        numbers = sorted(room.results)
        points = np.full((len(numbers), len(self.players)), np.nan)
        for column, player in enumerate(self.players):
            for row, number in enumerate(numbers):
                if number in player.results:
                    points[row, column] = player.results[number]["points"]
        met = ~np.isnan(points)
        if not numbers:
            return {"boards_told": [], "players": []}
        scores = np.where(met, points, 0).astype(np.int64)
        percent, cross = matchpoint_percent(scores, met), cross_imps(scores, met)
        boards = [
            {"number": number, "other": room.results[number]["other"], "rows": [
                {"name": self.names[k], **{name: player.results[number][name] for name in ("text", "points", "imps")},
                 "cross": round(float(cross[row, k]), 1), "percent": round(float(percent[row, k])),
                 "you": player is room}
                for k, player in enumerate(self.players) if met[row, k]
            ]}
            for row, number in enumerate(numbers)
        ]  # fmt: skip
        players = [
            {"name": self.names[k], "boards": int(met[:, k].sum()), "you": player is room,
             "imps": sum(player.results[number]["imps"] for number in numbers if number in player.results),
             "cross": round(float(np.nansum(cross[:, k])), 1), "percent": round(float(np.nanmean(percent[:, k])))}
            for k, player in enumerate(self.players) if met[:, k].any()
        ]  # fmt: skip
        return {"boards_told": boards, "players": sorted(players, key=lambda row: -row["cross"])}


def cross_imps(scores: NDArray[np.int64], met: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Average IMPs of each player of a board against every other who has finished it; NaN where it is unfinished.

    Args:
        scores: (boards, players), points of the players' side.
        met: (boards, players), where they count.
    """
    between = imps(scores[:, :, None] - scores[:, None, :]).astype(np.float64) * met[:, None, :]
    others = np.maximum(met.sum(axis=1, keepdims=True) - 1, 1)  # who has met nobody has gained nothing
    return np.where(met, between.sum(axis=2) / others, np.nan)
