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

import numpy as np
from numpy.typing import NDArray

from bridge_env.scoring import SCORE_TABLE, imps

CONTROL, PAR, NOTHING = "control", "par", "nothing"

_WORST_SCORE = -int(SCORE_TABLE.min())
# Scores are multiples of 10, so all differences of two of them fit a small table.
_UNIT = 10
_ZERO = 2 * _WORST_SCORE // _UNIT
_DIFFERENCES = np.arange(-_ZERO, _ZERO + 1) * _UNIT


@dataclass(frozen=True, eq=False)
class Reward:
    """One kind of reward.

    Attributes:
        name: as in the env's argument ``reward``.
        reference: what the score is compared with: ``control``, ``par`` or ``nothing``.
        worst: the size of the worst result, in the reward's unit; what an illegal call costs by default.
        table: float64, the reward of the difference ``10 * (index - zero)`` in points, worst first.
    """

    name: str
    reference: str
    worst: float
    table: NDArray[np.float64]

    zero = _ZERO

    def of(self, side: int, score: NDArray[np.int16], reference: NDArray[np.int16]) -> NDArray[np.float64]:
        """Rewards float64 (N,) of ``side`` (0 NS, 1 EW), from scores and references in points for NS (N,)."""
        tens = (score - reference) // _UNIT  # at most 15,200 points, which int16 can hold
        paid: NDArray[np.float64] = self.table[self.zero - tens if side else self.zero + tens]
        return paid


def seat_rewards(side: int, reward: float) -> NDArray[np.float32]:
    """A reward of ``side`` (0 NS, 1 EW) as one for each seat N, E, S, W: float32 (4,), NS = -EW."""
    ns = -reward if side else reward
    return np.array([ns, -ns, ns, -ns], np.float32)


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
