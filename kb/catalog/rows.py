"""Between rows and values: a model's row as an answer or as the record that it holds."""

from __future__ import annotations

from typing import Any

from kb.catalog.answers import RecordRow, RecordView, ReleaseView, RepositoryView
from kb.catalog.columns import PLAIN_COLUMNS, RECORD_COLUMNS, fold_code, folded_name, place_key, record_values
from kb.catalog.models import Record as RecordModel
from kb.catalog.models import Release, Repository
from kb.records.encode import encode_json
from kb.records.record import Record

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
        **{name: getattr(row, name) for name in PLAIN_COLUMNS},
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
        trusted=row.dataset.trusted,
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
