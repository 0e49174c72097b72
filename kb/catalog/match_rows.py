"""A row of columns as what the match index holds of a record; pure, so that another process can do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kb.catalog.answers import MatchFact
from kb.records.functions import enclosing_function
from kb.records.patterns import matching_pattern

__all__ = ["MATCH_COLUMNS", "match_fact"]

MATCH_COLUMNS = (
    "id",
    "message_pattern",
    "error_class",
    "error_code",
    "error_message",
    "file_path",
    "line_number",
    "repo",
    "http_status",
    "language",
    "canonical_id",
    "findings",
    "source_code",
    "source_code_start",
    "CASE WHEN extra LIKE '%%\"function\"%%' THEN extra ELSE '{}' END",
)
"""What to select of a record that is not retired, in the order of :func:`match_fact`."""

_decode = msgspec.json.Decoder().decode


def match_fact(row: Sequence[Any]) -> MatchFact:
    """The fact that a row of :data:`MATCH_COLUMNS` holds."""
    pattern, cls, code, message, path, line, repo, status, language, canonical, findings = row[1:12]
    return MatchFact(
        id=row[0],
        pattern=matching_pattern(pattern, message),
        cls=cls,
        code=code,
        message=message,
        path=path,
        line=line,
        function=_function(row, language, line),
        repo=repo,
        status=status,
        language=language or "",
        group=canonical or row[0],
        quality=100 - min(len(_decode(findings)), 100) if findings != "[]" else 100,
    )


def _function(row: Sequence[Any], language: str | None, line: int | None) -> str:
    """The function that the record names, else the one that its snippet shows."""
    if row[14] != "{}":
        named = _decode(row[14]).get("function")
        if isinstance(named, str) and named:
            return named[:200]
    source, start = row[12], row[13]
    if not source or line is None:
        return ""
    return enclosing_function(source, (line - start) if start is not None else None, language or "")
