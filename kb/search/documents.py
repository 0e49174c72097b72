"""A record as a document of the index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from kb.catalog.answers import RecordView
from kb.records.record import Record
from kb.records.text import fold
from kb.search import tokens, tuning

__all__ = ["document", "filter_term", "message_digest"]


def filter_term(name: str, value: str) -> str:
    """The term of the ``filter`` field for a folded value; a very long value goes by its digest."""
    if len(value) > tuning.MAX_VALUE_CHARACTERS:
        value = hashlib.sha256(value.encode()).hexdigest()
    return f"{name}:{value}"


def message_digest(message: str) -> str:
    """What two messages share when they differ in nothing but case, width and white space."""
    return hashlib.sha256(" ".join(fold(message).split()).encode()).hexdigest()[:24]


def document(view: RecordView) -> dict[str, Any]:
    """The fields of one record, by the names of :mod:`kb.search.schema`. Fields without a value are left out."""
    record, row = view.record, view.row
    fields: dict[str, Any] = {
        "key": int(record.id, 16),
        "order": f"{fold(record.repo)} {record.slug} {record.id}",
        "filter": list(_filters(view)),
        "repository": record.repo,
        "language": row.language,
        "severity": record.severity,
        "type": record.error_type,
        "class": _label(record.error_class),
        "code_label": _label(record.error_code),
        "strategy": record.handling_strategy,
        "family": record.background_tag,
        "tag": sorted(set(record.tags)),
        "status": _status(view),
        "show_message": record.error_message[: tuning.STORED_MESSAGE_CHARACTERS],
        "show_documentation": record.documentation[: tuning.STORED_DOCUMENTATION_CHARACTERS],
    }
    texts = _texts(record)
    for name, values in texts.items():
        fields[name] = [tokens.prepared(value) for value in values]
    told = "\n".join(value for name, values in texts.items() if name != "code" for value in values)
    fields["parts"] = tokens.identifier_parts(told)
    fields["grams"] = list(_grams(told))
    return {name: value for name, value in fields.items() if value is not None and value != []}


def _status(view: RecordView) -> str:
    return "retired" if view.row.retired else "current"


def _label(label: str | None) -> str | None:
    return label if label and len(label) <= tuning.MAX_LABEL_CHARACTERS else None


def _filters(view: RecordView) -> Iterator[str]:
    record = view.record
    owner, _, name = fold(record.repo).partition("/")
    yield filter_term("id", record.id)
    yield filter_term("message", message_digest(record.error_message))
    yield filter_term("slug", record.slug)
    yield from sorted({filter_term("repo", value) for value in (f"{owner}/{name}", owner, name)})
    yield filter_term("severity", record.severity)
    yield filter_term("type", record.error_type)
    yield filter_term("status", _status(view))
    if view.row.language:
        yield filter_term("language", fold(view.row.language))
    if record.error_code:
        yield filter_term("code", fold(record.error_code.strip()))
    if record.error_class:
        yield from (filter_term("class", label) for label in tokens.class_labels(record.error_class))
    if record.handling_strategy:
        yield filter_term("strategy", record.handling_strategy)
    if record.http_status is not None:
        yield filter_term("http", str(record.http_status))
        yield filter_term("http", f"{record.http_status // 100}xx")
    if record.background_tag:
        yield filter_term("family", record.background_tag)
    yield from (filter_term("tag", tag) for tag in sorted(set(record.tags)))


def _texts(record: Record) -> dict[str, list[str]]:
    """The text fields of a record: values in the order that they are indexed in, none empty, none too long."""
    return {
        "message": _present(record.error_message),
        "names": _present(record.error_code, record.error_class),
        "topic": _present(record.background_tag, *record.tags),
        "place": _present(record.repo, record.file_path),
        "documentation": _present(record.documentation),
        "context": _present(record.trigger_scenarios, record.common_situations),
        "solutions": _present(*record.solutions, *record.prevention_tips),
        "code": _present(
            record.source_code,
            record.example_fix,
            record.validation_code,
            record.type_guard,
            record.try_catch_pattern,
        ),
    }


def _present(*values: str | None) -> list[str]:
    return [value[: tuning.INDEXED_CHARACTERS] for value in values if value]


def _grams(text: str) -> Iterator[str]:
    """Each run of characters without spaces as pairs, so that a phrase finds it, and then as single characters."""
    for run in tokens.unspaced_runs(text):
        yield " ".join(tokens.grams(run))
        if len(run) > 1:
            yield " ".join(run)
