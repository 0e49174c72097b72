"""What the pages of repositories and terms show of all their records: charts whose bars lead to what they count."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from kb.catalog import queries
from kb.catalog.history_answers import RevisionView
from kb.present import links
from kb.present.charts import Bars, Line, Mark, Value, bars, line
from kb.present.dates import day
from kb.present.invisible import visible_html
from kb.present.numbers import grouped
from kb.records.keys import url_key
from kb.records.record import SEVERITIES
from kb.search.errors import SearchUnavailable
from kb.search.facets import FacetValue
from kb.search.overview import Overview, Scope, overview
from kb.web.narrowing import FACET_NAMES

__all__ = ["Glance", "Shown", "glance"]

_SHOWN: Final = 6  # bars of a chart
_FROM: Final = 4  # records; fewer are seen at a glance in the list
_TOLD_SHARE: Final = 0.1  # of the records have one of the values shown
_MACHINE: Final = frozenset({"class", "code", "file"})
_TITLES: Final[Mapping[str, Promise]] = {
    "severity": gettext_lazy("Severity"),
    "type": pgettext_lazy("kind of error", "Type"),
    "language": gettext_lazy("Languages"),
    "repository": gettext_lazy("Repositories"),
    "class": gettext_lazy("Most common classes"),
    "code": gettext_lazy("Most common codes"),
    "family": gettext_lazy("Families"),
    "file": gettext_lazy("Busiest files"),
}

_PAGES: Final[Mapping[str, Callable[[str], str]]] = {
    "repository": links.repository_path,
    "family": links.family_path,
    "class": lambda label: links.class_path(url_key(label)),
    "code": lambda label: links.code_path(url_key(label)),
}
"""Values that have a page of their own."""

Leads = Callable[[str, str], str]
"""The address of the records with one value of a facet: name, value."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What to show of a scope: the facets in the page's order, and where their values lead. ``repo`` narrows the links
    to revisions.
    """

    scope: Scope
    facets: Sequence[str]
    leads: Leads
    repo: str = ""


@dataclass(frozen=True, kw_only=True)
class Glance:
    """The charts of a page; ``None`` where the index is away. ``same`` is what all records share: a name and a value
    as HTML, which leads to the page of its own that it may have.
    """

    revision: int = 0
    count: int | None = None
    charts: tuple[Bars, ...] = ()
    same: tuple[tuple[Promise, SafeString], ...] = ()
    growth: Line | None = None


def glance(shown: Shown, *, revision: int, listed: bool) -> Glance | None:
    """Count and draw. ``None`` when there is no index: pages are whole without. At most one query.

    ``listed`` says that the page's list has records. Where it has none though some are counted, a value was asked for
    in letters of another case, which the index passes over: then nothing is shown.
    """
    try:
        found = overview(shown.scope, facets=shown.facets, revision=revision)
    except SearchUnavailable as problem:
        logging.getLogger(__name__).info("a page without its charts: %s", problem.reason)
        return None
    if found.count and not listed:
        return None
    counted = [(name, found.facets[name]) for name in shown.facets]
    few = found.count < _FROM and not shown.scope.narrowed
    several = [(name, values) for name, values in counted if not few and _tells(values, found.count)]
    return Glance(
        revision=found.revision,
        count=found.count,
        charts=tuple(_bars(shown, name, values, found.count) for name, values in several),
        same=tuple(_linked(name, values[0].value) for name, values in counted if _shared(values, found.count)),
        growth=None if few else _growth(found, repo=shown.repo),
    )


def _tells(values: Sequence[FacetValue], count: int) -> bool:
    """Whether a chart says more than a word would: one value alone does not, nor do values that hardly any record has.

    What is chosen is always shown, since it is there that it is turned off.
    """
    if any(value.selected for value in values):
        return True
    shown = sum(value.count for value in _first(values))
    return len(values) > 1 and values[0].count > 1 and shown >= _TOLD_SHARE * count


def _shared(values: Sequence[FacetValue], count: int) -> bool:
    return len(values) == 1 and values[0].count == count and not values[0].selected


def _linked(name: str, value: str) -> tuple[Promise, SafeString]:
    told = visible_html(value)
    path = _PAGES.get(name)
    return FACET_NAMES[name], format_html('<a href="{}">{}</a>', path(value), told) if path else told


def _bars(shown: Shown, name: str, values: Sequence[FacetValue], count: int) -> Bars:
    told = sorted(values, key=_rank) if name == "severity" else _first(values)
    drawn = [
        Value(
            label=value.value,
            count=value.count,
            href=shown.leads(name, value.value),
            role=value.value if name == "severity" and value.value in SEVERITIES else "plain",
            machine=name in _MACHINE,
            selected=value.selected,
        )
        for value in told
    ]
    return bars(str(_TITLES[name]), drawn, total=0 if name in shown.scope.narrowed else count)


def _rank(value: FacetValue) -> tuple[int, str]:
    """The gravest first."""
    place = SEVERITIES.index(value.value) if value.value in SEVERITIES else len(SEVERITIES)
    return place, value.value


def _first(values: Sequence[FacetValue]) -> list[FacetValue]:
    return [value for place, value in enumerate(values) if place < _SHOWN or value.selected]


def _growth(found: Overview, *, repo: str) -> Line | None:
    """The number of records over revisions, if it was ever more or less than at its beginning."""
    if len({count for _, count in found.growth if count}) < 2:  # noqa: PLR2004 - one level is no story
        return None
    known = queries.revisions_by_number([number for number, _ in found.growth])
    return line(gettext("Records over revisions"), list(_marks(found.growth, known, repo)))


def _marks(growth: Iterable[tuple[int, int]], known: Mapping[int, RevisionView], repo: str) -> Iterable[Mark]:
    for number, count in growth:
        if number in known:
            label = gettext("Revision %(number)s, %(day)s") % {"number": grouped(number), "day": day(known[number].at)}
            yield Mark(label=label, count=count, href=links.revision_path(number, repo=repo))
        else:
            yield Mark(label=gettext("Revision %(number)s") % {"number": grouped(number)}, count=count)
