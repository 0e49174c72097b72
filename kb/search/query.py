"""The query language: text into a tree of words and filters. Pure, and total: any text gives a query.

``words``, ``"exact words"``, ``-word``, ``field:value``, ``field:"value with spaces"`` and ``-field:value``. A colon
alone makes no filter: ``localhost:8080``, ``std::bad_alloc`` and ``https://…`` are words, since people paste messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from kb.records.text import clean_text
from kb.search import tuning
from kb.search.fields import ENUM_VALUES, FIELDS, QueryProblem, check_value, field_name, unknown_field

__all__ = ["ENUM_VALUES", "FIELDS", "Filter", "Query", "QueryProblem", "Word", "parse", "read_filters"]

_FIELD = re.compile(r"([A-Za-z][A-Za-z_-]{1,19}):(?=[^\s:])")


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
        name = field_name(given)
        if name is None:
            problems.append(unknown_field(given, None))
            continue
        for entry in entries:
            outcome = check_value(name, entry, None, values)
            if isinstance(outcome, str):
                if len(found) >= tuning.MAX_FILTERS:
                    problems.append(_too_many_filters(None))
                    return tuple(found), tuple(problems)
                found.append(Filter(name=name, value=outcome))
            else:
                problems.append(outcome)
    return tuple(found), tuple(problems)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One piece of the text between white space: its start, what it says, and how. ``written`` is all of it."""

    position: int
    written: str
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
            told = _first(gettext("Only the first %(number)s characters were searched."), tuning.MAX_QUERY_CHARACTERS)
            self._problem("too_long", told, 0)

    def read(self) -> None:
        for piece in self._pieces():
            if piece.field is None or not self._take_filter(piece):
                self._take_word(piece)

    def _problem(self, code: str, message: str, position: int) -> None:
        """Note a problem that a text has once at most."""
        if not any(problem.code == code for problem in self.problems):
            self.problems.append(QueryProblem(code=code, message=message, position=position))

    def _pieces(self) -> Iterator[_Piece]:
        position = 0
        while position < len(self.text):
            if self.text[position].isspace():
                position += 1
                continue
            start = position
            negated = self._is_negation(position)
            position = begin = position + negated
            field = None
            if match := _FIELD.match(self.text, position):
                field, position = match[1], match.end()
            quoted, value, position = self._value(position)
            yield _Piece(start, self.text[begin:position], value, field, quoted, negated)

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
                gettext("A quotation mark is not closed; the words after it were searched one by one."),
                position,
            )
            position += 1
        end = position
        while end < len(self.text) and not self.text[end].isspace():
            end += 1
        return False, self.text[position:end], end

    def _take_word(self, piece: _Piece) -> None:
        text = piece.text if piece.field is None else piece.written
        if not text.strip():
            return
        if len(self.words) >= tuning.MAX_WORDS:
            told = _first(gettext("Only the first %(number)s words were searched."), tuning.MAX_WORDS)
            self._problem("too_many_words", told, piece.position)
            return
        phrase = piece.quoted
        self.words.append(Word(text=text, phrase=phrase, negated=piece.negated, position=piece.position))

    def _take_filter(self, piece: _Piece) -> bool:
        """Whether the piece was a filter, be it a wrong one. What is none is searched as words."""
        given = piece.field or ""
        name = field_name(given)
        if name is None:
            if _looks_meant(given, piece) and len(self.problems) < tuning.MAX_PROBLEMS:
                self.problems.append(unknown_field(given, piece.position))
            return False
        if piece.text.startswith("//"):
            return False
        if len(self.filters) >= tuning.MAX_FILTERS:
            if not any(problem.code == "too_many_filters" for problem in self.problems):
                self.problems.append(_too_many_filters(piece.position))
            return True
        outcome = check_value(name, piece.text, piece.position, self.values)
        if isinstance(outcome, str):
            self.filters.append(Filter(name=name, value=outcome, negated=piece.negated, position=piece.position))
        elif len(self.problems) < tuning.MAX_PROBLEMS:
            self.problems.append(outcome)
        return True


def _too_many_filters(position: int | None) -> QueryProblem:
    told = _first(gettext("Only the first %(number)s filters were used."), tuning.MAX_FILTERS)
    return QueryProblem(code="too_many_filters", message=told, position=position, ignored=True)


def _first(words: str, number: int) -> str:
    return words % {"number": f"{number:,}"}


def _looks_meant(given: str, piece: _Piece) -> bool:
    """Whether somebody meant a field: a lower-case word before a word, not a host before its port or a scheme."""
    return given.islower() and piece.text[:1] not in "/\\" and not piece.text.rstrip(",.;)").isdigit()
