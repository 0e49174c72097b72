"""Tables that sort by link: which column was asked for, and the links of the headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.functional import Promise

from kb.catalog.answers import ListOrder
from kb.present.charts import Value, bars
from kb.web.paging import word_of

__all__ = ["Column", "Heading", "headings", "is_default", "order_of", "widths"]

S = TypeVar("S", bound=str)


@dataclass(frozen=True, kw_only=True)
class Column(Generic[S]):
    """A column to sort by. ``down`` says that its largest come first unless it is turned round; a list that nobody
    sorted is in the order of the column that is ``first``.
    """

    by: S
    label: str | Promise
    down: bool = False
    number: bool = False
    first: bool = False


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A column's heading: a link to the list in its order, turned round when it has that order already.

    ``sorted`` is the value of ``aria-sort``, empty unless the list has this order.
    """

    label: str
    url: str
    sorted: str
    number: bool


def order_of(request: HttpRequest, columns: Sequence[Column[S]]) -> ListOrder[S]:
    """The order that ``sort`` names: a column, with a minus before it the other way round.

    A list that nobody sorted, or by what it does not have, is in the order of the column that comes first.
    """
    asked = word_of(request, "sort")
    name = asked.removeprefix("-")
    column = next((column for column in columns if column.by == name), None)
    return _unasked(columns) if column is None else ListOrder(column.by, asked.startswith("-"))


def is_default(order: ListOrder[S], columns: Sequence[Column[S]]) -> bool:
    """Whether a list has the order that it has unasked."""
    return order == _unasked(columns)


def _unasked(columns: Sequence[Column[S]]) -> ListOrder[S]:
    return ListOrder(next(column.by for column in columns if column.first))


def headings(request: HttpRequest, columns: Sequence[Column[S]], order: ListOrder[S]) -> tuple[Heading, ...]:
    """The headings of a list in ``order``. Each keeps what the list was narrowed to, and begins it anew."""
    kept = [
        (name, value)
        for name, values in request.GET.lists()
        if name not in {"cursor", "sort"}
        for value in values
        if value
    ]
    made = []
    for column in columns:
        active = column.by == order.by
        turned = ListOrder(column.by, active and not order.reverse)
        sort = [] if is_default(turned, columns) else [("sort", f"{'-' if turned.reverse else ''}{column.by}")]
        falls = column.down != order.reverse
        made.append(
            Heading(
                label=str(column.label),
                url=f"?{urlencode([*kept, *sort])}",
                sorted=("descending" if falls else "ascending") if active else "",
                number=column.number,
            )
        )
    return tuple(made)


def widths(counts: Sequence[int], *, drawn: bool) -> tuple[str, ...]:
    """The width of a bar for each count, in per cent of the largest; empty where none is ``drawn``.

    Bars are for a list in the order of what they show: in another one they are noise.
    """
    if not drawn:
        return ("",) * len(counts)
    return tuple(bar.width for bar in bars("", [Value(label="", count=count) for count in counts]).bars)
