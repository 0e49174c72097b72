"""A row of numbers as the points of a small line."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["TREND_HEIGHT", "TREND_WIDTH", "trend_points"]

TREND_WIDTH = 96
TREND_HEIGHT = 24
_EDGE = 2  # so that the stroke is not cut off


def trend_points(values: Sequence[int]) -> str:
    """The ``points`` of an SVG polyline in a box of ``TREND_WIDTH`` by ``TREND_HEIGHT``, empty for less than two.

    The scale begins at nothing, so that a small change looks small.
    """
    if len(values) < 2:  # noqa: PLR2004 - a line needs two ends
        return ""
    most = max(*values, 1)
    step = (TREND_WIDTH - 2 * _EDGE) / (len(values) - 1)
    room = TREND_HEIGHT - 2 * _EDGE
    return " ".join(
        f"{_EDGE + place * step:.1f},{_EDGE + room * (1 - value / most):.1f}" for place, value in enumerate(values)
    )
