"""Lists of records narrowed by parameters of their own page, one value each, and addresses with other values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from kb.catalog.answers import RecordFilter
from kb.records.keys import url_key
from kb.records.record import SEVERITIES
from kb.web.paging import word_of
from kb.web.search_request import FACET_TITLES, Chosen

__all__ = ["FACET_NAMES", "PARAMETERS", "Narrowing"]

FACET_NAMES: Final[Mapping[str, Promise]] = {**FACET_TITLES, "file": gettext_lazy("File")}
"""What can be counted, in words for people, one of them at a time."""
PARAMETERS: Final[Mapping[str, str]] = {
    "severity": "severity",
    "type": "type",
    "language": "language",
    "repository": "repo",
    "class": "class",
    "code": "code",
    "family": "family",
}
"""The parameters of a page for facets, named as the filters of a search are."""
_KEYED: Final = frozenset({"class", "code"})  # labels that a list is filtered by the key of
_LIST: Final = "#records"


@dataclass(frozen=True, kw_only=True)
class Narrowing:
    """The values that are on, by the names of facets; ``path`` is the page, ``retired`` that it lists the retired.

    ``filterable`` are the facets that the page can be narrowed by.
    """

    path: str
    filterable: tuple[str, ...]
    values: Mapping[str, str]
    retired: bool = False

    @classmethod
    def of(cls, request: HttpRequest, path: str, *names: str) -> Narrowing:
        """Read the parameters of ``names``. Severities are a fixed set; of the others any value is taken."""
        asked = {name: word_of(request, PARAMETERS[name]) for name in names}
        if asked.get("severity") not in SEVERITIES:
            asked.pop("severity", None)
        return cls(
            path=path,
            filterable=names,
            values={name: value for name, value in asked.items() if value},
            retired=word_of(request, "status") == "retired",
        )

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """What is on, as the filters of a search."""
        return {PARAMETERS[name]: (value,) for name, value in self.values.items()}

    def filters(self, whole: RecordFilter) -> RecordFilter:
        """The filter of the whole list with what is on."""
        on = {
            f"{name}_key" if name in _KEYED else PARAMETERS[name]: url_key(value) if name in _KEYED else value
            for name, value in self.values.items()
        }
        return replace(whole, **on, status="retired" if self.retired else "current")

    def address(self, values: Mapping[str, str], *, path: str = "") -> str:
        """The list with other values on, perhaps on another page."""
        told = [(PARAMETERS[name], value) for name, value in values.items()]
        return (path or self.path) + (f"?{urlencode(told)}" if told else "") + _LIST

    def toggled(self, name: str, value: str) -> str:
        """The list with one value turned the other way; another value of the same name gives way."""
        others = {known: kept for known, kept in self.values.items() if known != name}
        return self.address(others if self.values.get(name) == value else {**others, name: value})

    @property
    def chosen(self) -> tuple[Chosen, ...]:
        """What is on, each with the way back."""
        return tuple(
            Chosen(title=FACET_NAMES[name], value=value, without=self.toggled(name, value))
            for name, value in self.values.items()
        )
