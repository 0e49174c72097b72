"""The fields of the query language: their names, their values, and what is said about wrong ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.utils.translation import gettext, gettext_lazy

from kb.records.record import ERROR_TYPES, HANDLING_STRATEGIES, SEVERITIES
from kb.records.text import clean_text, fold
from kb.search import tuning

__all__ = ["ENUM_VALUES", "FIELDS", "QueryProblem", "bounded", "check_value", "field_name", "unknown_field"]

FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "repo": "a repository, its owner or its name",
        "language": "a programming language",
        "severity": "how grave it is",
        "type": "the kind of error",
        "class": "an exception class, qualified or its last part",
        "code": "an error code",
        "strategy": "how to handle it",
        "family": "a family of errors",
        "tag": "a tag; several must all be there",
        "status": "current, retired or all; current when not given",
        "id": "a record's id of 16 hexadecimal digits",
        "http": "an HTTP status, or a class of them such as 5xx",
        "file": "a path or a part of one",
    }
)
"""The fields of the query language, with what each takes."""
ALIASES: Final[Mapping[str, str]] = MappingProxyType({"lang": "language", "repository": "repo"})
ENUM_VALUES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "severity": SEVERITIES,
        "type": ERROR_TYPES,
        "strategy": HANDLING_STRATEGIES,
        "status": ("current", "retired", "all"),
    }
)

_ID = re.compile(r"[0-9a-f]{16}")
_HTTP = re.compile(r"[1-5](?:[0-9][0-9]|xx)")
_SHAPES = {
    "id": (_ID, gettext_lazy("“%(value)s” is no value of “id”, which takes 16 hexadecimal digits; left out.")),
    "http": (
        _HTTP,
        gettext_lazy("“%(value)s” is no value of “http”, which takes a status from 100 to 599, or 4xx; left out."),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryProblem:
    """Something in the query that could not be taken as written. ``position`` counts characters of the text and is
    ``None`` for a filter given beside it. ``ignored`` says that a filter was left out because of it, so that more was
    found than was asked for; other problems are notes.

    Codes: ``unknown_field``, ``unknown_value``, ``invalid_value``, ``unbalanced_quote``, ``too_long``,
    ``too_many_words``, ``too_many_filters``, ``nothing_to_search``.
    """

    code: str
    message: str
    position: int | None = None
    value: str = ""
    ignored: bool = False


def field_name(given: str) -> str | None:
    """The field that a name or an alias means, whatever its case; ``None`` when there is none."""
    name = ALIASES.get(given.lower(), given.lower())
    return name if name in FIELDS else None


def unknown_field(given: str, position: int | None) -> QueryProblem:
    """What to say about a name that is no field, in the text at a position or beside it."""
    near = difflib.get_close_matches(given.lower(), [*FIELDS, *ALIASES], n=1, cutoff=0.5)
    if position is not None:
        told = gettext("“%(name)s” is not a field (searched as words).")
    else:
        told = gettext("“%(name)s” is not a field (left out).")
    hint = _meant(ALIASES.get(near[0], near[0]) if near else "")
    fields = gettext("The fields are %(fields)s.") % {"fields": ", ".join(FIELDS)}
    return QueryProblem(
        code="unknown_field",
        message=_sentences(told % {"name": bounded(given)}, hint, fields),
        position=position,
        value=bounded(given),
        ignored=position is None,
    )


def check_value(name: str, value: str, position: int | None, values: Mapping[str, Sequence[str]]) -> str | QueryProblem:
    """The folded value of a field, or what is wrong with it."""
    folded = " ".join(fold(clean_text(value)[0]).split())
    if not folded or len(folded) > tuning.MAX_VALUE_CHARACTERS:
        if not folded:
            told = gettext("The value of “%(name)s” is empty; left out.")
        else:
            told = gettext("The value of “%(name)s” has more than %(number)d characters; left out.")
        return QueryProblem(
            code="invalid_value",
            message=told % {"name": name, "number": tuning.MAX_VALUE_CHARACTERS},
            position=position,
            value=bounded(value),
            ignored=True,
        )
    legal = values.get(name)
    if legal is not None:
        return _check_enum(name, folded, position, legal)
    shape = _SHAPES.get(name)
    if shape and not shape[0].fullmatch(folded):
        return QueryProblem(
            code="invalid_value",
            message=str(shape[1]) % {"value": bounded(value)},
            position=position,
            value=bounded(value),
            ignored=True,
        )
    return folded


def _check_enum(name: str, folded: str, position: int | None, legal: Sequence[str]) -> str | QueryProblem:
    for value in legal:
        if folded.replace("_", "-") == value.replace("_", "-"):
            return value
    near = difflib.get_close_matches(folded, legal, n=1, cutoff=0.5)
    hint = _meant(near[0] if near else "")
    if name == "status" and _HTTP.fullmatch(folded):
        hint = gettext("Did you mean %(words)s?") % {"words": f"http:{folded}"}
    told = gettext("“%(value)s” is no value of “%(name)s” (left out).") % {"value": bounded(folded), "name": name}
    values = gettext("The values are %(values)s.") % {"values": ", ".join(legal)}
    return QueryProblem(
        code="unknown_value",
        message=_sentences(told, hint, values),
        position=position,
        value=bounded(folded),
        ignored=True,
    )


def _meant(word: str) -> str:
    return gettext("Did you mean “%(word)s”?") % {"word": word} if word else ""


def _sentences(*said: str) -> str:
    return " ".join(filter(None, said))


def bounded(value: str) -> str:
    """A value as a message can quote it."""
    value = clean_text(value)[0]
    return value if len(value) <= 60 else value[:59] + "…"  # noqa: PLR2004  for people, not for machines
