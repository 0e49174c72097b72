"""The words for what a scan found, which all its renderings share. Everything here is plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import quote

from kb.catalog.answers import RecordRow
from kb.matching.answers import Confidence
from kb.matching.scanning import KnownError, ScanReport, Sighting
from kb.present import links
from kb.present.message import message_text

__all__ = [
    "STANDARD_INPUT",
    "error_link",
    "error_message",
    "example_text",
    "file_uri",
    "level",
    "lines",
    "summary",
    "sure",
]

STANDARD_INPUT: Final = "-"

Level = Literal["error", "warning", "note"]

_LONGEST_MESSAGE: Final = 240  # characters
_LONGEST_EXAMPLE: Final = 400
_LEVELS: Final[Mapping[str, Level]] = {"critical": "error", "error": "error", "warning": "warning", "info": "note"}
_SURE: Final[Mapping[Confidence, str]] = {"exact": "exact match", "strong": "strong match", "weak": "weak match"}


def error_message(row: RecordRow) -> str:
    """The record's message on one line, behind its class or code."""
    name = row.error_class or row.error_code
    message = message_text(row.error_message, limit=_LONGEST_MESSAGE)
    return message if name is None or name in message else f"{message_text(name, limit=_LONGEST_MESSAGE)}: {message}"


def error_link(error: KnownError, base_url: str) -> str:
    """The permanent address of the record."""
    return links.absolute(base_url, links.short_path(error.match.id))


def example_text(error: KnownError) -> str:
    """The line that shows it, short and with nothing invisible in it."""
    return message_text(error.example, limit=_LONGEST_EXAMPLE)


def level(row: RecordRow) -> Level:
    """How severe it is, in three steps."""
    return _LEVELS.get(row.severity, "error")


def lines(sighting: Sighting) -> str:
    """``line 12``, or ``lines 12 to 3,400``."""
    if sighting.first == sighting.last:
        return f"line {sighting.first:,}"
    return f"lines {sighting.first:,} to {sighting.last:,}"


def summary(report: ScanReport) -> str:
    """What was read and how much was found, in one sentence."""
    read = f"{_counted(report.lines, 'line')} of {_counted(len(report.files), 'file')}"
    if not report.errors:
        return f"No known errors in {read}."
    total = sum(error.count for error in report.errors)
    return f"{_counted(len(report.errors), 'known error')}, {_counted(total, 'occurrence')} in {read}."


def sure(confidence: Confidence) -> str:
    """How sure an answer is, in words."""
    return _SURE[confidence]


def file_uri(name: str) -> str:
    """The address of a file: relative as given, or with its scheme when absolute."""
    if name == STANDARD_INPUT:
        return "stdin"
    path = quote(name.encode("utf-8", "surrogateescape"), safe="/")
    return f"file://{path}" if path.startswith("/") else path


def _counted(number: int, words: str) -> str:
    return f"{number:,} {words}" if number == 1 else f"{number:,} {words}s"
