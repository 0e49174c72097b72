"""The query language: text into a tree of words and filters. Pure, and total: any text gives a query.

``words``, ``"exact words"``, ``-word``, ``field:value``, ``field:"value with spaces"`` and ``-field:value``. A colon
alone makes no filter: ``localhost:8080``, ``std::bad_alloc`` and ``https://…`` are words, since people paste messages.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from kb.records.record import ERROR_TYPES, HANDLING_STRATEGIES, SEVERITIES
from kb.records.text import clean_text, fold
from kb.search import tuning

__all__ = ["ENUM_VALUES", "FIELDS", "Filter", "Query", "QueryProblem", "Word", "parse", "read_filters"]

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

_FIELD = re.compile(r"([A-Za-z][A-Za-z_-]{1,19}):(?=[^\s:])")
_ID = re.compile(r"[0-9a-f]{16}")
_HTTP = re.compile(r"[1-5](?:[0-9][0-9]|xx)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word, or the words between two quotation marks (``phrase``). ``position`` counts characters of the text."""

    text: str
    phrase: bool = False
    negated: bool = False
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One restriction: a name of :data:`FIELDS`, and its folded value."""

    name: str
    value: str
    negated: bool = False
    position: int | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query as understood. ``plain`` is its text without filters and negations, white space made single."""

    text: str = ""
    words: tuple[Word, ...] = ()
    filters: tuple[Filter, ...] = ()
    problems: tuple[QueryProblem, ...] = ()
    plain: str = ""


def parse(text: str, *, values: Mapping[str, Sequence[str]] = ENUM_VALUES) -> Query:
    """Read a query. Never raises; what is wrong stands in ``problems``.

    ``values`` are the legal values of the fields that have a fixed set.
    """
    reader = _Reader(text, values)
    reader.read()
    words = tuple(reader.words)
    plain = " ".join(word.text for word in words if not word.negated)
    return Query(
        text=reader.text,
        words=words,
        filters=tuple(reader.filters),
        problems=tuple(reader.problems),
        plain=" ".join(plain.split()),
    )


def read_filters(
    filters: Mapping[str, Sequence[str]], *, values: Mapping[str, Sequence[str]] = ENUM_VALUES
) -> tuple[tuple[Filter, ...], tuple[QueryProblem, ...]]:
    """Check filters that are given apart from the text, by the same rules: names of :data:`FIELDS` to values."""
    found: list[Filter] = []
    problems: list[QueryProblem] = []
    for given, entries in filters.items():
        name = ALIASES.get(given, given)
        if name not in FIELDS:
            problems.append(_unknown_field(given, None))
            continue
        for entry in entries:
            outcome = _check_value(name, entry, None, values)
            if isinstance(outcome, str):
                found.append(Filter(name=name, value=outcome))
            else:
                problems.append(outcome)
    return tuple(found), tuple(problems)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One piece of the text between white space: its start, what it says, and how."""

    position: int
    text: str
    field: str | None
    quoted: bool
    negated: bool


class _Reader:
    """One reading of one text."""

    def __init__(self, text: str, values: Mapping[str, Sequence[str]]) -> None:
        self.text = clean_text(text[: tuning.MAX_QUERY_CHARACTERS])[0]
        self.values = values
        self.words: list[Word] = []
        self.filters: list[Filter] = []
        self.problems: list[QueryProblem] = []
        if len(text) > tuning.MAX_QUERY_CHARACTERS:
            self._problem("too_long", f"Only the first {tuning.MAX_QUERY_CHARACTERS:,} characters were searched.", 0)

    def read(self) -> None:
        for piece in self._pieces():
            if piece.field is None or not self._take_filter(piece):
                self._take_word(piece)

    def _problem(self, code: str, message: str, position: int, value: str = "") -> None:
        self.problems.append(QueryProblem(code=code, message=message, position=position, value=_bounded(value)))

    def _pieces(self) -> Iterator[_Piece]:
        position = 0
        while position < len(self.text):
            if self.text[position].isspace():
                position += 1
                continue
            start = position
            negated = self._is_negation(position)
            position += negated
            field = None
            if match := _FIELD.match(self.text, position):
                field, position = match[1], match.end()
            quoted, value, position = self._value(position)
            yield _Piece(start, value, field, quoted, negated)

    def _is_negation(self, position: int) -> bool:
        """A minus before a word, a quotation mark or a field; ``-1``, ``--flag`` and a lone dash are text."""
        following = self.text[position + 1 : position + 2]
        return self.text[position] == "-" and (following == '"' or following.isalpha())

    def _value(self, position: int) -> tuple[bool, str, int]:
        """What stands at a position: whether quoted, the text, and the position after it."""
        if self.text[position] == '"':
            end = self.text.find('"', position + 1)
            if end >= 0:
                return True, self.text[position + 1 : end], end + 1
            self._problem(
                "unbalanced_quote",
                "A quotation mark is not closed; the words after it were searched one by one.",
                position,
            )
            position += 1
        end = position
        while end < len(self.text) and not self.text[end].isspace():
            end += 1
        return False, self.text[position:end], end

    def _take_word(self, piece: _Piece) -> None:
        text = piece.text if piece.field is None else f"{piece.field}:{piece.text}"
        if not text.strip():
            return
        if len(self.words) >= tuning.MAX_WORDS:
            if not any(problem.code == "too_many_words" for problem in self.problems):
                self._problem(
                    "too_many_words", f"Only the first {tuning.MAX_WORDS} words were searched.", piece.position
                )
            return
        phrase = piece.quoted
        self.words.append(Word(text=text, phrase=phrase, negated=piece.negated, position=piece.position))

    def _take_filter(self, piece: _Piece) -> bool:
        """Whether the piece was a filter, be it a wrong one. What is none is searched as words."""
        given = piece.field or ""
        name = ALIASES.get(given.lower(), given.lower())
        if name not in FIELDS:
            if _looks_meant(given, piece):
                self.problems.append(_unknown_field(given, piece.position))
            return False
        if piece.text.startswith("//"):
            return False
        if len(self.filters) >= tuning.MAX_FILTERS:
            self._problem("too_many_filters", f"Only the first {tuning.MAX_FILTERS} filters were used.", piece.position)
            return True
        outcome = _check_value(name, piece.text, piece.position, self.values)
        if isinstance(outcome, str):
            self.filters.append(Filter(name=name, value=outcome, negated=piece.negated, position=piece.position))
        else:
            self.problems.append(outcome)
        return True


def _looks_meant(given: str, piece: _Piece) -> bool:
    """Whether somebody meant a field: a lower-case word before a word, not a host before its port or a scheme."""
    return given.islower() and piece.text[:1] not in "/\\" and not piece.text.rstrip(",.;)").isdigit()


def _unknown_field(given: str, position: int | None) -> QueryProblem:
    near = difflib.get_close_matches(given.lower(), [*FIELDS, *ALIASES], n=1, cutoff=0.5)
    hint = f"did you mean “{ALIASES.get(near[0], near[0])}”? " if near else ""
    taken = "searched as words" if position is not None else "left out"
    return QueryProblem(
        code="unknown_field",
        message=f"“{_bounded(given)}” is not a field ({taken}); {hint}The fields are {', '.join(FIELDS)}.",
        position=position,
        value=_bounded(given),
        ignored=position is None,
    )


def _check_value(
    name: str, value: str, position: int | None, values: Mapping[str, Sequence[str]]
) -> str | QueryProblem:
    """The folded value of a field, or what is wrong with it."""
    folded = " ".join(fold(clean_text(value)[0]).split())
    if not folded or len(folded) > tuning.MAX_VALUE_CHARACTERS:
        wrong = "is empty" if not folded else f"has more than {tuning.MAX_VALUE_CHARACTERS} characters"
        return QueryProblem(
            code="invalid_value",
            message=f"The value of “{name}” {wrong}; left out.",
            position=position,
            value=_bounded(value),
            ignored=True,
        )
    legal = values.get(name)
    if legal is not None:
        return _check_enum(name, folded, position, legal)
    shape = {"id": (_ID, "16 hexadecimal digits"), "http": (_HTTP, "a status from 100 to 599, or 4xx")}.get(name)
    if shape and not shape[0].fullmatch(folded):
        return QueryProblem(
            code="invalid_value",
            message=f"“{_bounded(value)}” is no value of “{name}”, which takes {shape[1]}; left out.",
            position=position,
            value=_bounded(value),
            ignored=True,
        )
    return folded


def _check_enum(name: str, folded: str, position: int | None, legal: Sequence[str]) -> str | QueryProblem:
    for value in legal:
        if folded.replace("_", "-") == value.replace("_", "-"):
            return value
    near = difflib.get_close_matches(folded, legal, n=1, cutoff=0.5)
    hint = f"did you mean “{near[0]}”? " if near else ""
    if name == "status" and _HTTP.fullmatch(folded):
        hint = f"did you mean http:{folded}? "
    return QueryProblem(
        code="unknown_value",
        message=f"“{_bounded(folded)}” is no value of “{name}” (left out); {hint}The values are {', '.join(legal)}.",
        position=position,
        value=_bounded(folded),
        ignored=True,
    )


def _bounded(value: str) -> str:
    value = clean_text(value)[0]
    return value if len(value) <= 60 else value[:59] + "…"  # noqa: PLR2004  for people, not for machines
