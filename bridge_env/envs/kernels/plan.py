"""Where a round's arrays lie in memory: for a kernel one array to take instead of thirty.

To hand over an array costs some 60 ns, which at 128 tables counts; and threads that wait inside a kernel learn from
here where the arrays of the next round are. Kernels make the arrays again with ``memory.array_at``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import MAX_CALLS, STATE_COLUMNS
from bridge_env.double_dummy.packing import RECORD_BYTES
from bridge_env.envs.kernels.arrays import Room, Stock, Terms
from bridge_env.par import ACCEPTED
from bridge_env.scoring import SCORE_TABLE

# Places in ``Plan.numbers``: first numbers,
_next: Iterator[int] = count()
TABLES, MODE, LIBRARY, DEALS, IMAGES, DEALER, VULNERABILITY, BY_PAR, SIDE = (next(_next) for _ in range(9))
# then the addresses of what stays the same ...
STATE, HISTORY, OWNER, SHOWN, TRICKS, KEY, STATUS, VIEWER = (next(_next) for _ in range(8))
BASE, NUMBER, REFERENCE, FINISHED, RECORDS, INDICES, ACCEPTED_AT = (next(_next) for _ in range(7))
KINDS, POINTS, REWARDS_AT, PENALTY = (next(_next) for _ in range(4))
# ... and of what is new in every round.
CALLS, OBSERVATION, MASK, REWARD, TERMINATED, ILLEGAL_AT, SEAT_REWARDS, OUTCOME, FINAL = (next(_next) for _ in range(9))
PLACES = next(_next)

_ROOM: Mapping[str, tuple[int, type[np.generic], tuple[int, ...]]] = {
    "state": (STATE, np.int16, (STATE_COLUMNS,)),
    "history": (HISTORY, np.int8, (MAX_CALLS,)),
    "owner": (OWNER, np.uint8, (52,)),
    "shown": (SHOWN, np.uint8, (52,)),
    "tricks": (TRICKS, np.int8, (4, 5)),
    "key": (KEY, np.uint64, ()),
    "status": (STATUS, np.int8, ()),
    "viewer": (VIEWER, np.int8, ()),
    "base": (BASE, np.uint64, ()),
    "number": (NUMBER, np.int64, ()),
    "reference": (REFERENCE, np.int16, ()),
    "finished": (FINISHED, np.bool_, ()),
}


class Plan:
    """The numbers that ``rounds.play_round`` takes. Keeps what they point to.

    Args:
        mode: of autoreset, as in ``arrays``.
        room, stock, terms: of a vector env with compiled bidders and solved deals.

    Attributes:
        numbers: int64 (PLACES,); the addresses of a round's own arrays are written by ``play_round``.
    """

    def __init__(self, mode: int, room: Room, stock: Stock, terms: Terms) -> None:
        self.numbers: NDArray[np.int64] = np.zeros(PLACES, np.int64)
        self._kept: list[NDArray[np.generic]] = []
        n = len(room.status)
        by_par = len(stock.accepted) > 0  # else ACCEPTED is there all the same, and not read
        numbers = {
            TABLES: n, MODE: mode, LIBRARY: len(stock.records), DEALS: len(stock.indices), IMAGES: stock.images,
            DEALER: stock.dealer, VULNERABILITY: stock.vulnerability, BY_PAR: by_par, SIDE: terms.side,
        }  # fmt: skip
        for place, number in numbers.items():
            self.numbers[place] = number
        for name, (place, kind, rest) in _ROOM.items():
            self._point(place, getattr(room, name), kind, (n, *rest))
        self._point(RECORDS, stock.records, np.uint8, (len(stock.records), RECORD_BYTES))
        self._point(INDICES, stock.indices, np.int64, (len(stock.indices),))
        self._point(ACCEPTED_AT, ACCEPTED, np.int16, ACCEPTED.shape)
        self._point(KINDS, terms.kinds, np.int8, (4,))
        self._point(POINTS, terms.points, np.int16, SCORE_TABLE.shape)
        self._point(REWARDS_AT, terms.rewards, np.float64, (len(terms.rewards),))
        self._point(PENALTY, np.array([terms.penalty], np.float64), np.float64, (1,))

    def _point(self, place: int, array: NDArray[np.generic], kind: type[np.generic], shape: tuple[int, ...]) -> None:
        """Write the address of ``array``, which must be what the kernel takes it for."""
        right = array.dtype == kind and array.shape == shape and array.flags.c_contiguous and array.flags.aligned
        if not right:
            raise TypeError(
                f"a kernel takes {np.dtype(kind)} {shape} in one piece; this is {array.dtype} {array.shape}"
            )
        self._kept.append(array)
        self.numbers[place] = array.__array_interface__["data"][0]
