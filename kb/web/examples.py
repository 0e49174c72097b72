"""Errors of the catalog to try the paste box with, as a program would print them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kb.catalog.answers import RecordRow
from kb.matching.runtime import GENERIC_CLASSES
from kb.records.messages import split_message

__all__ = ["SAMPLE", "Example", "examples"]

SAMPLE: Final = 160
"""How many records to choose from."""

_MOST: Final = 3
_SHORTEST, _LONGEST = 16, 60  # characters: enough to be found by, short enough for a line
_SHOWN_CLASS: Final = 32


@dataclass(frozen=True, kw_only=True)
class Example:
    """An error as its program prints it, and the program's language, empty when that is not known."""

    text: str
    language: str


def examples(rows: Iterable[RecordRow]) -> tuple[Example, ...]:
    """At most three errors ``Class: message`` of ``rows``, of different repositories, classes and, if it can be,
    languages. Of those that fit as well the first are taken.
    """
    chosen: list[RecordRow] = []
    fitting = [row for row in rows if _fits(row)]
    for unlike in (_other_language, _other_repository):
        for row in fitting:
            if len(chosen) < _MOST and all(unlike(row, other) for other in chosen):
                chosen.append(row)
    return tuple(
        Example(text=f"{row.error_class}: {row.error_message.strip()}", language=row.language or "") for row in chosen
    )


def _other_language(row: RecordRow, other: RecordRow) -> bool:
    return row.language != other.language and _other_repository(row, other)


def _other_repository(row: RecordRow, other: RecordRow) -> bool:
    return row.repo != other.repo and row.error_class != other.error_class


def _fits(row: RecordRow) -> bool:
    """Whether the message stands as it would be printed, and its class is the library's own and no inner matter."""
    name, message = row.error_class or "", row.error_message.strip()
    return (
        bool(name)
        and not any(part.startswith("_") for part in name.split("."))
        and name.rsplit(".", 1)[-1] not in GENERIC_CLASSES
        and len(name) <= _SHOWN_CLASS
        and _SHORTEST <= len(message) <= _LONGEST
        and f"{name}{message}".isascii()
        and f"{name}{message}".isprintable()
        and all(kind == "text" for kind, _ in split_message(message))
    )
