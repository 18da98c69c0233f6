"""A system that uses the whole language, and boards to bid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.systems.changes.mutation import line_at, with_lines
from bridge_env.hands.deals import random_deals


def boards(count, seed):
    """Deals, and the dealers and vulnerabilities of the first boards."""
    numbers = np.arange(count)
    return random_deals(seed, 0, count), (numbers % 4).astype(np.int16), (numbers // 4 % 4).astype(np.int16)


def with_constraint(system, address, constraint):
    """Replace the constraint at an address; return the system unchanged if it has no line there."""
    line = line_at(system, address)
    return system if line is None else with_lines(system, address, (replace(line, constraint=constraint),))


# A small system in which every construction of the language meets the others.
TANGLE = """\
1M    5+ M, M > oM, 11+ hcp
  3oM   4+ oM, 3+ M
  (X)
    XX    10+ hcp
  (lowest:y)
    X     3+ oM
    jump:y 0-2 y, 4+ M
    lowest:N stopper:y
    (P)
      P
  2x    4+ x, x > M or 5+ x
    3y    4+ y, y >= x
    slam:x 4+ x, 14+ hcp
  P     0-5 hcp
    (any)
      X     2+ aces
1m    11+ hcp, m >= om
after 1m-1M
  2M    3+ M, 11-15 support:M
  (2any)
    game:M 4+ M
P     0-10 hcp
(1x)
  X     12+ hcp, 0-2 x
  1y    5+ y, long:y
  (1y)
    2x    5+ x
  (P)
    2N    20+ hcp
when 0-7 last-level
  lowest:x 4+ x, 8+ hcp, 1-2 level
  P
"""

# Calls that force, for a round and to game, with few answers: players are left alone with them.
FORCING = """\
2C    18+ hcp                              ; !gf
1M    5+ M, 11+ hcp
  2m    10+ hcp, 4+ m                      ; !forcing
  lowest:N 6-12 hcp                        ; !forcing
  3m    4+ M, 13+ hcp                      ; !gf
    P     0-14 hcp
  2M    3+ M, 4-9 hcp
1x    11+ hcp, long:x
  1y    4+ y, 6+ hcp                       ; !forcing
    P     0-12 hcp
  jump:y 5+ y, 14+ hcp                     ; !gf
  3x    5+ x, 12+ hcp                      ; !gf
(1x)
  X     12+ hcp                            ; !forcing
    2x    9+ hcp                           ; !gf
  1y    5+ y, 8+ hcp
when forcing-pass, 5+ hcp
  X     2+ in-theirs
  P
when bound, 9+ hcp
  lowest:x long:x, 0-3 theirs:x
when 1+ they-bid, 0 i-bid
  lowest:x 5+ x, 9+ hcp, 1-2 level
when 0-7 last-level
  P
"""
