"""What the search page was asked, read from its address; and addresses that ask a little more or less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from kb.present import links
from kb.search.facets import FACET_FILTERS, FacetValue

__all__ = [
    "FACET_TITLES",
    "Chosen",
    "Example",
    "FacetGroup",
    "FacetLink",
    "SearchRequest",
    "example_links",
    "facet_groups",
]

FACET_TITLES: Mapping[str, Promise] = {
    "severity": _("Severity"),
    "language": _("Language"),
    "type": pgettext_lazy("kind of error", "Type"),
    "repository": _("Repository"),
    "family": _("Family"),
    "tag": _("Tag"),
    "class": pgettext_lazy("exception class", "Class"),
    "code": _("Code"),
    "strategy": _("Handling"),
    "status": _("Status"),
}
_FILTER_TITLES: Mapping[str, Promise] = {
    **{field: FACET_TITLES[facet] for facet, field in FACET_FILTERS.items()},
    "http": _("HTTP status"),
    "file": _("File"),
}
_FILTERS = (*FACET_FILTERS.values(), "http", "file")
_EXAMPLES = ("severity", "language", "repository", "family", "tag")  # facets whose first value makes an example
_AT_ONCE = 6  # values of a facet
_MOST_VALUES = 20  # of one filter; the search room has bounds of its own


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A filter that is on, and the address without it."""

    title: Promise
    value: str
    without: str


@dataclass(frozen=True, kw_only=True)
class FacetLink:
    """One value of a facet with the address that turns it on, or off when it is ``selected``."""

    value: str
    count: int
    selected: bool
    href: str


@dataclass(frozen=True, kw_only=True)
class FacetGroup:
    """A facet with its values: some at once, selected ones among them, ``more`` on demand."""

    name: str
    title: Promise
    first: tuple[FacetLink, ...]
    more: tuple[FacetLink, ...]


@dataclass(frozen=True, kw_only=True)
class Example:
    """A search that finds something in this catalog, and its address."""

    text: str
    href: str


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """Words, filters by the names of the query language, and where the list goes on.

    A space behind the last word stays: it says that the word is finished.
    """

    text: str
    filters: Mapping[str, tuple[str, ...]]
    cursor: str | None

    @classmethod
    def of(cls, request: HttpRequest) -> SearchRequest:
        """Read the query string. Parameters of others, such as those of campaigns, are passed over."""
        filters = {
            name: tuple(
                dict.fromkeys(value.strip() for value in request.GET.getlist(name)[:_MOST_VALUES] if value.strip())
            )
            for name in _FILTERS
        }
        return cls(
            text=_spaced_once(request.GET.get("q", "")),
            filters={name: values for name, values in filters.items() if values},
            cursor=request.GET.get("cursor") or None,
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked for yet."""
        return not (self.text or self.filters or self.cursor)

    def address(
        self, *, text: str | None = None, filters: Mapping[str, Sequence[str]] | None = None, cursor: str = ""
    ) -> str:
        """The search page with these words and filters, by default those of this request."""
        words = self.text if text is None else text
        kept = self.filters if filters is None else filters
        parts = [("q", words)] if words else []
        parts += [(name, value) for name, values in kept.items() for value in values]
        parts += [("cursor", cursor)] if cursor else []
        return f"{links.SEARCH}?{urlencode(parts)}" if parts else links.SEARCH

    def toggled(self, name: str, value: str) -> str:
        """The address with one filter turned the other way."""
        values = self.filters.get(name, ())
        matching = tuple(entry for entry in values if entry.casefold() == value.casefold())
        turned = tuple(entry for entry in values if entry not in matching) if matching else (*values, value)
        others = {**self.filters, name: turned}
        return self.address(filters={field: entries for field, entries in others.items() if entries})

    @property
    def chosen(self) -> tuple[Chosen, ...]:
        """The filters that are on."""
        return tuple(
            Chosen(title=_FILTER_TITLES[name], value=value, without=self.toggled(name, value))
            for name, values in self.filters.items()
            for value in values
        )


def _spaced_once(text: str) -> str:
    words = text.strip()
    return f"{words} " if words and text[-1].isspace() else words


def example_links(facets: Mapping[str, Sequence[FacetValue]]) -> tuple[Example, ...]:
    """A search of the query language for the most frequent value of each facet that makes a good example."""
    first = ((FACET_FILTERS[name], facets[name][0].value) for name in _EXAMPLES if facets.get(name))
    texts = (f'{field}:"{value}"' if " " in value else f"{field}:{value}" for field, value in first)
    return tuple(Example(text=text, href=f"{links.SEARCH}?{urlencode({'q': text})}") for text in texts)


def facet_groups(asked: SearchRequest, facets: Mapping[str, Sequence[FacetValue]]) -> tuple[FacetGroup, ...]:
    """The facets that can narrow the hits, in the page's order; one value for all hits narrows nothing."""
    narrowing = (
        (name, facets[name])
        for name in FACET_TITLES
        if len(facets.get(name, ())) > 1 or any(entry.selected for entry in facets.get(name, ()))
    )
    return tuple(_group(asked, name, values) for name, values in narrowing)


def _group(asked: SearchRequest, name: str, values: Sequence[FacetValue]) -> FacetGroup:
    field = FACET_FILTERS[name]
    at_once = [entry for place, entry in enumerate(values) if place < _AT_ONCE or entry.selected]
    later = [entry for entry in values if entry not in at_once]
    if len(later) == 1:  # the line that offers it would be as long
        at_once, later = list(values), []
    first, more = (tuple(_link(asked, field, entry) for entry in part) for part in (at_once, later))
    return FacetGroup(name=name, title=FACET_TITLES[name], first=first, more=more)


def _link(asked: SearchRequest, field: str, entry: FacetValue) -> FacetLink:
    return FacetLink(
        value=entry.value, count=entry.count, selected=entry.selected, href=asked.toggled(field, entry.value)
    )
