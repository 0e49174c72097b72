"""A record as a row: the columns that a publication writes, made without a database.

Pure, so that other processes can make them. ``RECORD_COLUMNS`` names the columns in the order in which
:func:`record_values` gives their values.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from operator import attrgetter
from typing import Any

import msgspec

from kb.records.findings import duplicate_key, findings
from kb.records.hashing import substance_hash
from kb.records.keys import url_key
from kb.records.languages import language_of
from kb.records.record import Record
from kb.records.text import fold, one_line

__all__ = [
    "PLAIN_COLUMNS",
    "RECORD_COLUMNS",
    "column_language",
    "fold_code",
    "folded_name",
    "place_key",
    "record_values",
]

EXCERPT_LENGTH = 280
CODE_FOLD_LENGTH = 64
FOLDED_LENGTH = 400  # folding can make a text many times longer
_LANGUAGE_LENGTH = 60

# Columns that hold a field of the record as it is.
PLAIN_COLUMNS = (
    "slug",
    "error_type",
    "severity",
    "handling_strategy",
    "http_status",
    "line_number",
    "source_code_start",
    "source_code_end",
    "schema_version",
    "analyzed_sha",
    "analyzed_at",
    "content_changed_at",
    "error_code",
    "error_class",
    "file_path",
    "error_message",
    "message_pattern",
    "github_url",
    "documentation",
    "trigger_scenarios",
    "common_situations",
    "source_code",
    "example_fix",
    "validation_code",
    "type_guard",
    "try_catch_pattern",
)
_LISTS = ("solutions", "prevention_tips", "tags")
_DERIVED = (
    "id",
    "repo",
    "family",
    "content_hash",
    "substance_hash",
    "duplicate_key",
    "place_key",
    "code_key",
    "code_fold",
    "class_key",
    "language",
    "analyzed_ms",
    "excerpt",
    "findings",
    "absent",
    "extra",
)
RECORD_COLUMNS = PLAIN_COLUMNS + _LISTS + _DERIVED
_plain, _lists = attrgetter(*PLAIN_COLUMNS), attrgetter(*_LISTS)
_encode = msgspec.json.Encoder().encode
_EMPTY: dict[Any, str] = {tuple: "[]", list: "[]", dict: "{}"}


def place_key(repo: str, file_path: str) -> str:
    """A short key of a file of a repository, since paths can be too long for an index."""
    return hashlib.blake2b(f"{repo}\x01{file_path}".encode(), digest_size=16).hexdigest()


def folded_name(name: str) -> str:
    """The name of a repository as it is compared without regard to case, cut to what an index takes."""
    return fold(name)[:FOLDED_LENGTH]


def fold_code(code: str) -> str:
    """A code as it is compared without regard to case: folded, and hashed when it is long."""
    folded = fold(code)
    return folded if len(folded) <= CODE_FOLD_LENGTH else hashlib.sha256(folded.encode()).hexdigest()


def column_language(file_path: str, repository_language: str | None) -> str | None:
    """The language of a record by its file; that of the repository decides where the file does not."""
    return (language_of(file_path, repository_language) or "")[:_LANGUAGE_LENGTH] or None


def _milliseconds(written: str) -> int | None:
    try:
        return round(datetime.fromisoformat(written).timestamp() * 1000)
    except ValueError:
        return None


def _json(value: Any) -> str:
    return _encode(value).decode() if value else _EMPTY[type(value)]


def record_values(
    record: Record, *, digest: str, repository_language: str | None, substance: str | None = None
) -> tuple[Any, ...]:
    """The values of :data:`RECORD_COLUMNS` for a record, JSON columns as text.

    ``digest`` is its content hash, ``substance`` its substance hash where that is known.
    """
    code, cls = record.error_code, record.error_class
    return (
        *_plain(record),
        *map(_json, _lists(record)),
        record.id,
        record.repo,
        record.background_tag,
        digest,
        substance or substance_hash(record),
        duplicate_key(record),
        place_key(record.repo, record.file_path),
        url_key(code) if code else None,
        fold_code(code) if code else None,
        url_key(cls) if cls else None,
        column_language(record.file_path, repository_language),
        _milliseconds(record.analyzed_at),
        one_line(record.documentation, EXCERPT_LENGTH),
        _json(findings(record)),
        _json(sorted(record.absent)),
        _json(record.extra),
    )
