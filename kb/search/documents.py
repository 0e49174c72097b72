"""Records as documents of the index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from kb.catalog.answers import RecordView
from kb.catalog.search_answers import SearchFact
from kb.records.keys import url_key
from kb.records.text import fold
from kb.search import tokens, tuning
from kb.search.identifiers import parts_of_all

__all__ = ["Indexable", "document", "documents", "filter_term", "message_digest"]

Indexable = RecordView | SearchFact
"""What a document can be made of."""
_TOGETHER: Final = 100  # records whose identifiers are looked for together


def filter_term(name: str, value: str) -> str:
    """The term of the ``filter`` field for a folded value; a very long value goes by its digest."""
    if len(value) > tuning.MAX_VALUE_CHARACTERS:
        value = hashlib.sha256(value.encode()).hexdigest()
    return f"{name}:{value}"


def message_digest(message: str) -> str:
    """What two messages share when they differ in nothing but case, width and white space."""
    return hashlib.sha256(" ".join(fold(message).split()).encode()).hexdigest()[:24]


def document(found: Indexable) -> dict[str, Any]:
    """The fields of one record, by the names of :mod:`kb.search.schema`. Fields without a value are left out."""
    ((_, fields),) = documents([found])
    return fields


def documents(found: Iterable[Indexable]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The id of each record with its fields as :func:`document` gives them."""
    remaining = iter(found)
    while some := [_fact(one) for one in islice(remaining, _TOGETHER)]:
        texts = [_texts(fact) for fact in some]
        told = [
            "\n".join([value for name, values in own.items() if name != "code" for value in values]) for own in texts
        ]
        for fact, own, text, parts in zip(some, texts, told, parts_of_all(told), strict=True):
            yield fact.id, _document(fact, own, text, parts)


def _fact(found: Indexable) -> SearchFact:
    return found if isinstance(found, SearchFact) else SearchFact.of(found)


def _document(fact: SearchFact, texts: dict[str, list[str]], told: str, parts: list[str]) -> dict[str, Any]:
    tags = sorted(set(fact.tags))
    fields: dict[str, Any] = {
        "key": int(fact.id, 16),
        "order": f"{fold(fact.repo)} {fact.slug} {fact.id}",
        "filter": _filters(fact, tags),
        "repository": fact.repo,
        "language": fact.language,
        "severity": fact.severity,
        "type": fact.error_type,
        "class": _label(fact.error_class),
        "code_label": _label(fact.error_code),
        "strategy": fact.handling_strategy,
        "family": fact.background_tag,
        "tag": tags,
        "status": _status(fact),
        "path": _label(fact.file_path),
        "first": fact.first_revision,
        "retired": fact.retired_revision,
        "show_message": fact.error_message[: tuning.STORED_MESSAGE_CHARACTERS],
        "show_documentation": fact.documentation[: tuning.STORED_DOCUMENTATION_CHARACTERS],
        "parts": parts,
    }
    plain = told.isascii()
    for name, values in texts.items():
        fields[name] = values if plain and name != "code" else [tokens.prepared(value) for value in values]
    if not plain:
        fields["grams"] = list(_grams(told))
    return {name: value for name, value in fields.items() if value is not None and value != []}


def _status(fact: SearchFact) -> str:
    return "retired" if fact.retired else "current"


def _label(label: str | None) -> str | None:
    return label if label and len(label) <= tuning.MAX_LABEL_CHARACTERS else None


def _filters(fact: SearchFact, tags: list[str]) -> list[str]:
    owner, _, name = fold(fact.repo).partition("/")
    pairs = [
        ("id", fact.id),
        ("message", message_digest(fact.error_message)),
        ("slug", fact.slug),
        *(("repo", value) for value in sorted({f"{owner}/{name}", owner, name})),
        ("severity", fact.severity),
        ("type", fact.error_type),
        ("status", _status(fact)),
    ]
    if fact.language:
        pairs.append(("language", fold(fact.language)))
    if fact.error_code:
        pairs.append(("code", fold(fact.error_code.strip())))
        pairs.append(("code_key", url_key(fact.error_code)))
    if fact.error_class:
        pairs.extend(("class", label) for label in tokens.class_labels(fact.error_class))
        pairs.append(("class_key", url_key(fact.error_class)))
    if fact.handling_strategy:
        pairs.append(("strategy", fact.handling_strategy))
    if fact.http_status is not None:
        pairs += [("http", str(fact.http_status)), ("http", f"{fact.http_status // 100}xx")]
    if fact.background_tag:
        pairs.append(("family", fact.background_tag))
    pairs.extend(("tag", tag) for tag in tags)
    return [filter_term(kind, value) for kind, value in pairs]


def _texts(fact: SearchFact) -> dict[str, list[str]]:
    """The text fields of a record: values in the order that they are indexed in, none empty, none too long."""
    return {
        "message": _present(fact.error_message),
        "names": _present(fact.error_code, fact.error_class),
        "topic": _present(fact.background_tag, *fact.tags),
        "place": _present(fact.repo, fact.file_path),
        "documentation": _present(fact.documentation),
        "context": _present(fact.trigger_scenarios, fact.common_situations),
        "solutions": _present(*fact.solutions, *fact.prevention_tips),
        "code": _present(
            fact.source_code,
            fact.example_fix,
            fact.validation_code,
            fact.type_guard,
            fact.try_catch_pattern,
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
