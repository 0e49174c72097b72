"""The fields of the query language: their names, their values, and what is said about wrong ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

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
    hint = f"Did you mean “{ALIASES.get(near[0], near[0])}”? " if near else ""
    taken = "searched as words" if position is not None else "left out"
    return QueryProblem(
        code="unknown_field",
        message=f"“{bounded(given)}” is not a field ({taken}). {hint}The fields are {', '.join(FIELDS)}.",
        position=position,
        value=bounded(given),
        ignored=position is None,
    )


def check_value(name: str, value: str, position: int | None, values: Mapping[str, Sequence[str]]) -> str | QueryProblem:
    """The folded value of a field, or what is wrong with it."""
    folded = " ".join(fold(clean_text(value)[0]).split())
    if not folded or len(folded) > tuning.MAX_VALUE_CHARACTERS:
        wrong = "is empty" if not folded else f"has more than {tuning.MAX_VALUE_CHARACTERS} characters"
        return QueryProblem(
            code="invalid_value",
            message=f"The value of “{name}” {wrong}; left out.",
            position=position,
            value=bounded(value),
            ignored=True,
        )
    legal = values.get(name)
    if legal is not None:
        return _check_enum(name, folded, position, legal)
    shape = {"id": (_ID, "16 hexadecimal digits"), "http": (_HTTP, "a status from 100 to 599, or 4xx")}.get(name)
    if shape and not shape[0].fullmatch(folded):
        return QueryProblem(
            code="invalid_value",
            message=f"“{bounded(value)}” is no value of “{name}”, which takes {shape[1]}; left out.",
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
    hint = f"Did you mean “{near[0]}”? " if near else ""
    if name == "status" and _HTTP.fullmatch(folded):
        hint = f"Did you mean http:{folded}? "
    return QueryProblem(
        code="unknown_value",
        message=f"“{bounded(folded)}” is no value of “{name}” (left out). {hint}The values are {', '.join(legal)}.",
        position=position,
        value=bounded(folded),
        ignored=True,
    )


def bounded(value: str) -> str:
    """A value as a message can quote it."""
    value = clean_text(value)[0]
    return value if len(value) <= 60 else value[:59] + "…"  # noqa: PLR2004  for people, not for machines
