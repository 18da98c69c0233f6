"""A challenge: all who have its link bid the same boards alone, and see the results of the others on those."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.rules.scoring import imps, matchpoint_percent
from bridge_table.board.dealing import random_deal
from bridge_table.board.table import Setup
from bridge_table.http.fields import RequestError
from bridge_table.people.rooms import CHALLENGE, Room, Rooms, SeatInvite, check_name, fresh_key

MAX_PLAYERS = 16
_SEAT = 2  # South


@dataclass(eq=False)
class Challenge:
    """Some boards, and the people who bid them."""

    rooms: Rooms
    setup: Setup  # of every player's table
    seed: int  # names the boards
    boards: int
    players: list[Room] = field(default_factory=list)  # their rooms, in the order in which they came
    names: list[str] = field(default_factory=list)  # theirs
    key: str = field(default_factory=fresh_key)

    def join(self, name: str) -> SeatInvite:
        """Seat one more player.

        Raises:
            RequestError: the name is missing or taken, or there are too many players.
        """
        name = check_name(name)
        if not name:
            raise RequestError("Choose a name, by which the others find you among the results.")
        if name.casefold() in (other.casefold() for other in self.names):
            raise RequestError("Somebody has that name already; take another.", 409)
        if len(self.players) >= MAX_PLAYERS:
            raise RequestError(f"There are {MAX_PLAYERS} players already, and no more are taken.", 409)
        room = Room(
            CHALLENGE, self.setup, lambda number: random_deal(self.seed, number), self.rooms.clock, self.boards,
            self.players, self.results,
        )  # fmt: skip
        self.names.append(name)
        self.players.append(room)
        invite = self.rooms.invite(room, _SEAT)
        invite.name = name
        return invite

    def view(self) -> dict[str, Any]:
        """Return what a person sees before joining."""
        return {"boards": self.boards, "players": len(self.players), "control": self.setup.control,
                "reach": self.rooms.reach}  # fmt: skip

    def results(self, room: Room) -> dict[str, Any]:
        """Return the results of the boards that ``room`` has finished, and of no others."""
        numbers = sorted(room.results)
        points = np.full((len(numbers), len(self.players)), np.nan)
        for column, player in enumerate(self.players):
            for row, number in enumerate(numbers):
                if number in player.results:
                    points[row, column] = player.results[number]["points"]
        met = ~np.isnan(points)
        if not numbers:
            return {"results": [], "players": []}
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
        return {"results": boards, "players": sorted(players, key=lambda row: -row["cross"])}


def cross_imps(scores: NDArray[np.int64], met: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return each player's average IMPs on a board against all others that have finished it; NaN where unfinished.

    Args:
        scores: (boards, players), points of the players' side.
        met: (boards, players), where they count.
    """
    between = imps(scores[:, :, None] - scores[:, None, :]).astype(np.float64) * met[:, None, :]
    others = np.maximum(met.sum(axis=1, keepdims=True) - 1, 1)  # a player without opponents has gained nothing
    return np.where(met, between.sum(axis=2) / others, np.nan)
