"""Draw the plots of a report as SVG: bars of what each class came to, and the running total."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from training.evaluation.first_difference import Share

_WIDE, _HIGH, _LEFT, _BELOW, _RIGHT, _ABOVE = 720, 250, 76, 30, 12, 12
_POINTS = 500  # of a line, at most
_BAR = 200  # units from end to end


def bar_svg(row: Share, most: float) -> str:
    """Return the bar of a class: right what A gained, left what it lost, and a mark for the difference ± its error.

    Args:
        row: the class.
        most: IMPs a board at either end of the bar.
    """
    half = _BAR / 2

    def at(imps: float) -> float:
        return half + half * float(np.clip(imps / most, -1, 1)) if most else half

    mean, error = row.mean, 0.0 if np.isnan(row.error) else row.error
    lost, won, low, high = at(-row.lost), at(row.won), at(mean - error), at(mean + error)
    words = f"A gained {row.won:.3f} and lost {row.lost:.3f} IMPs a board"
    return (
        f'<svg class="report-bar" viewBox="0 0 {_BAR} 20" preserveAspectRatio="none" role="img" aria-label="{words}">'
        f"<title>{words}</title>"
        f'<rect class="report-lost" x="{lost:.1f}" y="4" width="{half - lost:.1f}" height="12"></rect>'
        f'<rect class="report-won" x="{half:.1f}" y="4" width="{won - half:.1f}" height="12"></rect>'
        f'<rect class="report-zero" x="{half - 0.4:.1f}" y="0" width="0.8" height="20"></rect>'
        f'<rect class="report-error" x="{low:.1f}" y="9" width="{max(high - low, 0.8):.1f}" height="2"></rect>'
        f'<rect class="report-mean" x="{at(mean) - 1:.1f}" y="5" width="2" height="10"></rect></svg>'
    )


def running_svg(imps: ArrayLike) -> str:
    """Draw A's IMPs in all after each board as a line; the dashed line is the average.

    Args:
        imps: (N,), A's IMPs a board, in their order.
    """
    total = np.concatenate([[0], np.cumsum(np.asarray(imps, np.int64))])
    boards = len(total) - 1
    shown = np.unique(np.linspace(0, boards, min(boards + 1, _POINTS)).astype(np.int64))
    low, high = int(total.min()), int(total.max())
    steps = _ticks(low, high)

    def x(board: float) -> float:
        return _LEFT + (_WIDE - _LEFT - _RIGHT) * board / boards

    def y(value: float) -> float:
        return _ABOVE + (_HIGH - _ABOVE - _BELOW) * (high - value) / max(high - low, 1)

    parts = []
    for step in steps:
        kind = "report-zero" if step == 0 else "report-grid"
        parts.append(f'<path class="{kind}" d="M{_LEFT} {y(step):.1f}H{_WIDE - _RIGHT}"></path>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y(step) + 4:.1f}" text-anchor="end">{step:+,}</text>'.replace("+0<", "0<")
        )
    for board, anchor in ((0, "start"), (boards // 2, "middle"), (boards, "end")):
        parts.append(f'<text x="{x(board):.1f}" y="{_HIGH - 8}" text-anchor="{anchor}">{board:,}</text>')
    line = "L".join(f"{x(int(board)):.1f} {y(int(total[board])):.1f}" for board in shown)
    parts.append(
        f'<path class="report-mean" d="M{x(0):.1f} {y(0):.1f}L{x(boards):.1f} {y(int(total[-1])):.1f}"></path>'
        f'<path class="report-line" d="M{line}"></path>'
    )
    words = f"A's IMPs in all after each of {boards:,} boards; {total[-1]:+,} at the end"
    return (
        f'<svg class="report-running" viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{words}">'
        f"<title>{words}</title>{''.join(parts)}</svg>"
    )


def _ticks(low: int, high: int) -> list[int]:
    """Return round numbers between ``low`` and ``high``, among them 0: about five."""
    span = max(high - low, 4)
    step = 10 ** int(np.floor(np.log10(span / 4)))
    step = next(step * times for times in (1, 2, 5, 10) if step * times >= span / 5)
    return list(range(-(-low // step) * step, high + 1, step))
