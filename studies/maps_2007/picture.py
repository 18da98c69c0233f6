"""Draw maps: a unit's colour is its most frequent call, paler the fewer of its hands made it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import Atlas, Map
from agents.maps.situations import SITUATIONS
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, call_text

_STRAINS = ((0.18, 0.55, 0.25), (0.95, 0.60, 0.10), (0.85, 0.15, 0.20), (0.15, 0.30, 0.75), (0.55, 0.25, 0.65))
_NAMED = 8  # calls in a legend


def colours() -> NDArray[np.float64]:
    """Return a colour for each call, float64 (38, 3): the strain's, darker the higher; pass grey, doubles cyan."""
    out = np.zeros((NUM_CALLS, 3))
    out[PASS], out[DOUBLE], out[DOUBLE + 1] = (0.72, 0.72, 0.72), (0.0, 0.75, 0.75), (0.0, 0.45, 0.5)
    for call in range(FIRST_BID, NUM_CALLS):
        level, strain = divmod(call - FIRST_BID, 5)
        base = np.array(_STRAINS[strain])
        shade = (0.4, 0.2, 0.0, -0.3, -0.45, -0.6, -0.7)[level]
        out[call] = base + (1 - base) * shade if shade >= 0 else base * (1 + shade)
    return out


def picture(one: Map) -> NDArray[np.float64]:
    """Return the grid in colours, float64 (rows, columns, 3); units without hands are black."""
    total = one.calls.sum(axis=1)
    colour = colours()[one.calls.argmax(axis=1)]
    sure = np.where(total > 0, one.calls.max(axis=1) / np.maximum(total, 1), 0)[:, None]
    out = np.where((total > 0)[:, None], 1 - (1 - colour) * (0.15 + 0.85 * sure), 0.0)
    return out.reshape(one.rows, one.columns, 3)


def draw_maps(atlas: Atlas, path: Path) -> None:
    """Write a PNG of all maps, with the most frequent calls of each."""
    from matplotlib.figure import Figure  # the figure itself: no window system, no global state
    from matplotlib.patches import Patch

    figure = Figure(figsize=(15, 9.2))
    axes = figure.subplots(2, 4).ravel()
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.08, top=0.96, wspace=0.03, hspace=0.22)
    for k, axis in enumerate(axes):
        axis.set_axis_off()
        if k not in atlas.maps:
            continue
        one = atlas.maps[k]
        axis.set_title(f"{SITUATIONS[k]}, {one.rows} by {one.columns}", fontsize="medium")
        axis.imshow(picture(one), interpolation="nearest")
        count = one.calls.sum(axis=0, dtype=np.int64)
        named = [int(c) for c in np.argsort(-count, kind="stable")[:_NAMED] if count[c]]
        marks = [Patch(color=colours()[c], label=call_text(c)) for c in sorted(named)]
        axis.legend(handles=marks, ncols=4, fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, 0))
    figure.savefig(path, dpi=80)
