"""Numbers as small charts: bars, a strip of parts and a line in steps, measured for SVG. The templates draw them.

Widths are percentages, since nothing on a page may carry a style: a drawing is stretched over the room it has. Every
chart is a list or a table of links and numbers first; what is drawn beside repeats it for the eye.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Bar", "Bars", "Line", "Mark", "Part", "Strip", "Value", "bars", "line", "strip"]

_WIDTH = 600
_HEIGHT = 80
_EDGE = 2  # so that the stroke is not cut off
_LEAST = 1.5  # per cent: what is not nothing is seen


@dataclass(frozen=True, kw_only=True)
class Value:
    """A number with its name. ``role`` names its color (see ``charts.css``), ``href`` leads to what was counted.

    ``machine`` says that the name is set as code, ``selected`` that the page shows this part alone.
    """

    label: str
    count: int
    href: str = ""
    role: str = "plain"
    machine: bool = False
    selected: bool = False


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A value and the width of its bar in per cent."""

    value: Value
    width: str


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Bars below each other, the longest one filling the room. ``rest`` counts what has none of these values."""

    title: str
    bars: tuple[Bar, ...]
    rest: int = 0


@dataclass(frozen=True, kw_only=True)
class Part:
    """A value as a part of a strip: where it begins and how wide it is, in per cent."""

    value: Value
    start: str
    width: str


@dataclass(frozen=True, kw_only=True)
class Strip:
    """Parts of a whole in one row, without those that are nothing. ``scale`` is its length in per cent."""

    parts: tuple[Part, ...]
    scale: str = "100"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One point of a line: ``label`` says when, ``href`` leads to what happened then."""

    label: str
    count: int
    href: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A number over time as a line in steps: the paths of the stroke and of the area below it, in ``box``."""

    title: str
    marks: tuple[Mark, ...]
    stroke: str
    area: str
    box: str = f"0 0 {_WIDTH} {_HEIGHT}"

    @property
    def first(self) -> Mark:
        """Where the line begins."""
        return self.marks[0]

    @property
    def last(self) -> Mark:
        """Where the line ends."""
        return self.marks[-1]


def bars(title: str, values: Iterable[Value], *, total: int = 0) -> Bars:
    """Bars in the given order; ``total`` is the number of all things counted, where each has at most one value."""
    told = tuple(values)
    most = max((value.count for value in told), default=0)
    shown = tuple(Bar(value=value, width=_percent(value.count, most)) for value in told)
    return Bars(title=title, bars=shown, rest=max(0, total - sum(value.count for value in told)))


def strip(values: Iterable[Value], *, most: int = 0) -> Strip:
    """The parts of a whole. With ``most``, the largest whole of its list, the strip is as long as its own share."""
    told = [value for value in values if value.count > 0]
    whole = sum(value.count for value in told)
    widths = [max(100 * value.count / whole, _LEAST) for value in told]
    parts: list[Part] = []
    start = 0.0
    for value, width in zip(told, widths, strict=True):
        share = 100 * width / sum(widths)
        parts.append(Part(value=value, start=_short(start), width=_short(share)))
        start += share
    return Strip(parts=tuple(parts), scale=_percent(whole, max(most, whole)))


def line(title: str, marks: Sequence[Mark]) -> Line | None:
    """A line through the marks, evenly spaced, each holding until the next; ``None`` where it would say nothing.

    The scale begins at nothing, so that a small change looks small.
    """
    if len({mark.count for mark in marks}) < 2:  # noqa: PLR2004 - one level is no line
        return None
    most = max(mark.count for mark in marks)
    step = _WIDTH / len(marks)
    heights = [_short(_EDGE + (_HEIGHT - 2 * _EDGE) * (1 - mark.count / most)) for mark in marks]
    path = f"M0 {heights[0]}" + "".join(f"H{_short(place * step)}V{y}" for place, y in enumerate(heights[1:], start=1))
    path += f"H{_WIDTH}"
    return Line(title=title, marks=tuple(marks), stroke=path, area=f"{path}V{_HEIGHT}H0Z")


def _percent(count: int, most: int) -> str:
    return _short(max(100 * count / most, _LEAST)) if count and most else "0"


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
