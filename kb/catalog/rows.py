"""Between rows and values: a model's row as an answer, and a record as a row.

``RECORD_COLUMNS`` names the columns that a publication writes, in the order in which :func:`record_values` gives them.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

import msgspec

from kb.catalog.answers import RecordRow, RecordView, ReleaseView, RepositoryView
from kb.catalog.models import Record as RecordModel
from kb.catalog.models import Release, Repository
from kb.records.encode import encode_json
from kb.records.findings import duplicate_key, findings
from kb.records.hashing import substance_hash
from kb.records.keys import url_key
from kb.records.languages import language_of
from kb.records.record import Record
from kb.records.text import fold, one_line

__all__ = [
    "RECORD_COLUMNS",
    "ROW_FIELDS",
    "fold_code",
    "folded_name",
    "place_key",
    "record_of",
    "record_values",
    "record_view",
    "release_view",
    "repository_view",
    "row_of",
]

EXCERPT_LENGTH = 280
CODE_FOLD_LENGTH = 64
FOLDED_LENGTH = 400  # folding can make a text many times longer
_LANGUAGE_LENGTH = 60

# What a line of a list needs, in the order of :func:`row_of`.
ROW_FIELDS = (
    "id",
    "repository_id",
    "slug",
    "error_code",
    "error_message",
    "error_class",
    "error_type",
    "severity",
    "http_status",
    "handling_strategy",
    "family",
    "language",
    "file_path",
    "line_number",
    "excerpt",
    "tags",
    "retired_revision",
    "content_hash",
)

# Columns that hold a field of the record as it is.
_PLAIN = (
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
RECORD_COLUMNS = _PLAIN + _LISTS + _DERIVED


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


def _milliseconds(written: str) -> int | None:
    try:
        return round(datetime.fromisoformat(written).timestamp() * 1000)
    except ValueError:
        return None


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def record_values(record: Record, *, digest: str, repository_language: str | None) -> tuple[Any, ...]:
    """The values of :data:`RECORD_COLUMNS` for a record, JSON columns as text. ``digest`` is its content hash."""
    code, cls = record.error_code, record.error_class
    return (
        *(getattr(record, name) for name in _PLAIN),
        *(_json(getattr(record, name)) for name in _LISTS),
        record.id,
        record.repo,
        record.background_tag,
        digest,
        substance_hash(record),
        duplicate_key(record),
        place_key(record.repo, record.file_path),
        url_key(code) if code else None,
        fold_code(code) if code else None,
        url_key(cls) if cls else None,
        (language_of(record.file_path, repository_language) or "")[:_LANGUAGE_LENGTH] or None,
        _milliseconds(record.analyzed_at),
        one_line(record.documentation, EXCERPT_LENGTH),
        _json(findings(record)),
        _json(sorted(record.absent)),
        _json(record.extra),
    )


def record_of(row: RecordModel) -> Record:
    """The record that a row holds, field for field."""
    return Record(
        id=row.id,
        repo=row.repository_id,
        background_tag=row.family,
        solutions=tuple(row.solutions),
        prevention_tips=tuple(row.prevention_tips),
        tags=tuple(row.tags),
        absent=frozenset(row.absent),
        extra=row.extra,
        **{name: getattr(row, name) for name in _PLAIN},
    )


def row_of(values: tuple[Any, ...]) -> RecordRow:
    """The values of :data:`ROW_FIELDS` as an answer."""
    (*start, tags, retired_revision, content) = values
    names = ("id", "repo", *ROW_FIELDS[2:15])
    return RecordRow(
        **dict(zip(names, start, strict=True)),
        tags=tuple(tags),
        retired=retired_revision is not None,
        content_hash=content,
    )


def repository_view(row: Repository) -> RepositoryView:
    """A repository as an answer."""
    owner, _, name = row.full_name.partition("/")
    return RepositoryView(
        full_name=row.full_name,
        owner=owner,
        name=name,
        description=row.description,
        language=row.language,
        stars=row.stars,
        source_files=row.source_files,
        default_branch=row.default_branch,
        analyzed_sha=row.analyzed_sha,
        analyzed_at=row.analyzed_at,
        record_count=row.record_count,
        retired=row.retired,
        extra=row.extra,
    )


def record_view(row: RecordModel) -> RecordView:
    """A record with all that the catalog knows; ``row`` has its repository and dataset selected."""
    record = record_of(row)
    return RecordView(
        record=record,
        row=row_of(tuple(getattr(row, name) for name in ROW_FIELDS)),
        repository=repository_view(row.repository),
        dataset=row.dataset.name,
        dataset_version=row.dataset.version,
        content_hash=row.content_hash,
        first_revision=row.first_revision,
        changed_revision=row.changed_revision,
        retired_revision=row.retired_revision,
        retired_reason=row.retired_reason,
        successor=row.successor,
        canonical_id=row.canonical_id,
        findings=tuple(row.findings),
        code_key=row.code_key,
        class_key=row.class_key,
        raw=encode_json(record),
    )


def release_view(row: Release) -> ReleaseView:
    """A release as an answer; ``row`` has its dataset selected."""
    names = (
        "id", "dataset_version", "source", "started_at", "finished_at", "state", "revision", "added", "changed",
        "unchanged", "retired", "restored", "rejected", "warnings", "seconds", "problem_counts", "error",
    )  # fmt: skip
    return ReleaseView(
        dataset=row.dataset.name,
        notices=tuple(row.notices),
        unknown_fields=tuple(row.unknown_fields),
        **{name: getattr(row, name) for name in names},
    )
