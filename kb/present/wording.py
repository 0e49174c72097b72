"""The words for a record's facts, which HTML, Markdown and plain text share. Everything here is plain text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from kb.catalog.answers import RecordRow, RecordView
from kb.present.dates import day
from kb.present.language import gettext
from kb.present.links import class_path, code_path, commit_url, family_path, repository_path, short_path, source_url
from kb.records.findings import FINDINGS
from kb.records.problems import PROBLEM_CODES

__all__ = [
    "SHORT_SHA",
    "Fact",
    "detail_facts",
    "finding_meaning",
    "finding_sentences",
    "headline_facts",
    "place",
    "pretty_json",
    "problem_meaning",
    "provenance_facts",
    "row_facts",
    "status_sentence",
]

_NOT_TRUSTED = gettext_lazy("dataset not marked as trusted")
SHORT_SHA = 7  # digits of a commit in running text


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One thing known of a record. ``name`` is a stable word for style sheets, ``href`` a path or a checked URL."""

    name: str
    label: str
    value: str
    href: str | None = None


def place(file_path: str, line: int | None) -> str:
    """``path/file.py:12``, or the path alone."""
    return file_path if line is None else f"{file_path}:{line}"


def _present(*facts: Fact | None) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact is not None)


def _fact(name: str, label: str, value: object, href: str | None = None) -> Fact | None:
    """A fact, or ``None`` when there is no value."""
    return None if value is None or value == "" else Fact(name=name, label=label, value=str(value), href=href)


def headline_facts(view: RecordView) -> tuple[Fact, ...]:
    """The facts line below the title: what kind of error this is. Absent ones are absent."""
    record = view.record
    return _present(
        _fact("class", gettext("Class"), record.error_class, class_path(view.class_key) if view.class_key else None),
        _fact("code", gettext("Code"), record.error_code, code_path(view.code_key) if view.code_key else None),
        _fact("severity", gettext("Severity"), record.severity),
        _fact("type", gettext("Type"), record.error_type),
        _fact("http", gettext("HTTP status"), record.http_status),
        _fact("strategy", gettext("Strategy"), record.handling_strategy),
        _fact("language", gettext("Language"), view.row.language),
        _fact("family", gettext("Family"), record.background_tag, family_path(record.background_tag or "")),
    )


def row_facts(row: RecordRow) -> tuple[str, ...]:
    """The facts of a record in a list, in the order of :func:`headline_facts`, as short words."""
    return tuple(
        word
        for word in (
            row.error_class,
            row.error_code,
            row.severity,
            row.error_type,
            f"http {row.http_status}" if row.http_status is not None else None,
            row.handling_strategy,
            row.family,
            "retired" if row.retired else None,
        )
        if word
    )


def provenance_facts(view: RecordView) -> tuple[Fact, ...]:
    """Where the record comes from: what the dataset says of itself, and when this catalog learned it."""
    record = view.record
    commit = commit_url(record.github_url, record.repo, record.analyzed_sha)
    return _present(
        _fact("repository", gettext("Repository"), record.repo, repository_path(record.repo)),
        _fact("commit", gettext("Commit"), record.analyzed_sha[:SHORT_SHA], commit),
        _fact("analyzed", gettext("Analyzed"), day(record.analyzed_at)),
        _fact("content-changed", gettext("Content changed"), day(record.content_changed_at or "")),
        _fact("dataset", gettext("Dataset"), view.dataset),
        _fact("trust", gettext("Trust"), None if view.trusted else _NOT_TRUSTED),
        _fact("also-in", gettext("Also in"), ", ".join(view.holders) or None),
        _fact("dataset-version", gettext("Dataset version"), view.dataset_version),
        _fact("first-revision", gettext("First in revision"), view.first_revision),
        _fact("changed-revision", gettext("Last changed in revision"), view.changed_revision),
    )


def detail_facts(view: RecordView) -> tuple[Fact, ...]:
    """The remaining fields, as the dataset has them."""
    record = view.record
    return _present(
        _fact("id", gettext("Id"), record.id, short_path(record.id)),
        _fact("slug", gettext("Slug"), record.slug),
        _fact("status", gettext("Status"), status_sentence(view)),
        _fact("successor", gettext("Replaced by"), view.successor, short_path(view.successor or "")),
        _fact("canonical", gettext("Same error as"), view.canonical_id, short_path(view.canonical_id or "")),
        _fact("pattern", gettext("Message pattern"), record.message_pattern),
        _fact("path", gettext("File"), record.file_path),
        _fact("line", gettext("Line"), record.line_number),
        _fact("source-lines", gettext("Snippet"), _snippet_lines(view)),
        _fact("source-url", gettext("Permalink"), record.github_url, source_url(record.github_url)),
        _fact("analyzed-sha", gettext("Analyzed commit"), record.analyzed_sha),
        _fact("analyzed-at", gettext("Analyzed at"), record.analyzed_at),
        _fact("content-changed-at", gettext("Content changed at"), record.content_changed_at),
        _fact("schema-version", gettext("Schema version"), record.schema_version),
        _fact("content-hash", gettext("Content hash"), view.content_hash),
    )


def _snippet_lines(view: RecordView) -> str | None:
    start, end = view.record.source_code_start, view.record.source_code_end
    if start is None and end is None:
        return None
    first, last = "?" if start is None else start, "?" if end is None else end
    return gettext("lines %(first)s to %(last)s") % {"first": first, "last": last}


def status_sentence(view: RecordView) -> str:
    """``current``, or when and why the record was retired."""
    if view.retired_revision is None:
        return gettext("current")
    named = {"revision": view.retired_revision, "reason": view.retired_reason}
    if view.retired_reason:
        return gettext("retired in revision %(revision)d: %(reason)s") % named
    return gettext("retired in revision %(revision)d") % named


def finding_meaning(code: str) -> str:
    """What a finding says of a record, in a sentence; empty for a code without words."""
    return gettext(FINDINGS[code]) if code in FINDINGS else ""


def problem_meaning(code: str) -> str:
    """The rule of a problem that rejected a record, in a sentence; empty for a code without words."""
    return gettext(PROBLEM_CODES[code]) if code in PROBLEM_CODES else ""


def finding_sentences(view: RecordView) -> tuple[str, ...]:
    """What is weak about the record, in words; a finding without words speaks for itself."""
    return tuple(finding_meaning(code) or code for code in view.findings)


def pretty_json(value: Any) -> str:
    """``value`` as indented JSON, its characters as they are; lone surrogates and control characters as escapes."""
    return json.dumps(value, ensure_ascii=False, indent=2)
