"""What an episode pays: a difference in points, in IMPs or as it is.

===============  =====================================================================  ======  ============
reward           the learner's side's score is compared with                            unit    worst result
===============  =====================================================================  ======  ============
``imps``         its score at the other table, where ``control`` bids both its seats    IMPs    -24
``imps_vs_par``  par for this dealer and vulnerability                                  IMPs    -24
``points``       nothing                                                                points  -7600
===============  =====================================================================  ======  ============
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.kernels import njit
from bridge_env.scoring import SCORE_TABLE, imps

CONTROL, PAR, NOTHING = "control", "par", "nothing"

_WORST_SCORE = -int(SCORE_TABLE.min())
# Scores are multiples of 10, so all differences of two of them fit a small table.
_UNIT = 10
_ZERO = 2 * _WORST_SCORE // _UNIT
_DIFFERENCES = np.arange(-_ZERO, _ZERO + 1) * _UNIT
STEPS = len(_DIFFERENCES)


@njit(forceinline=True)
def row_reward(side, score, reference, table):  # type: ignore[no-untyped-def]
    """What ``side`` (0 NS, 1 EW) is paid for a score and what it is compared with, both in points for NS.

    ``table`` is that of a ``Reward``.
    """
    tens = (score - reference) // _UNIT
    return table[_ZERO - tens if side else _ZERO + tens]


@dataclass(frozen=True, eq=False)
class Reward:
    """One kind of reward.

    Attributes:
        name: as in the env's argument ``reward``.
        reference: what the score is compared with: ``control``, ``par`` or ``nothing``.
        worst: the size of the worst result, in the reward's unit; what an illegal call costs by default.
        table: float64 (STEPS,), the rewards of all differences in tens of points, worst first: see ``row_reward``.
    """

    name: str
    reference: str
    worst: float
    table: NDArray[np.float64]

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name,)  # there is one of each name


_IMPS = imps(_DIFFERENCES).astype(np.float64)
_POINTS = _DIFFERENCES.astype(np.float64)
_IMPS.flags.writeable = _POINTS.flags.writeable = False

REWARDS = {
    reward.name: reward
    for reward in (
        Reward("imps", CONTROL, 24.0, _IMPS),
        Reward("imps_vs_par", PAR, 24.0, _IMPS),
        Reward("points", NOTHING, float(_WORST_SCORE), _POINTS),
    )
}


def _named(name: str) -> Reward:
    return REWARDS[name]
