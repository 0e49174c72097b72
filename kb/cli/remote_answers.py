"""The answer of another server's API, read back into the values that it was made from.

Everything in it is foreign: what does not have the shape is :class:`Unreadable`, what is missing in it is empty.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from kb.catalog.answers import RecordRow, RecordView, RepositoryView
from kb.matching.answers import Capture, Confidence, Evidence, Explanation, FaultAnswer, Match, Role, SecretCount
from kb.matching.shapes import Fault, Frame, Relation
from kb.records.record import Record

__all__ = ["Unreadable", "read_answer"]


class Unreadable(ValueError):
    """An answer that is none of this API."""


class _Evidence(Struct, frozen=True, rename="camel"):
    kind: str
    text: str
    weight: float


class _Capture(Struct, frozen=True, rename="camel"):
    placeholder: str
    name: str
    value: str


class _Match(Struct, frozen=True, rename="camel"):
    """A record of any detail."""

    id: str
    score: float
    confidence: Confidence
    evidence: tuple[_Evidence, ...] = ()
    captures: tuple[_Capture, ...] = ()
    strict: bool = False
    alike: tuple[str, ...] = ()
    alike_count: int = 0
    differs: str = ""
    repo: str = ""
    slug: str = ""
    error_code: str | None = None
    error_message: str = ""
    error_class: str | None = None
    error_type: str = ""
    severity: str = ""
    http_status: int | None = None
    handling_strategy: str | None = None
    background_tag: str | None = None
    language: str | None = None
    file_path: str = ""
    line_number: int | None = None
    tags: tuple[str, ...] = ()
    excerpt: str = ""
    status: str = "current"
    record: Record | UnsetType = UNSET


class _Frame(Struct, frozen=True):
    path: str
    line: int | None
    function: str


class _Exception(Struct, frozen=True, rename="camel"):
    message: str
    role: Role
    cls: str | None = field(name="class", default=None)
    language: str | None = None
    relation: Relation | None = None
    parent: int | None = None
    frames: tuple[_Frame, ...] = ()
    matches: tuple[_Match, ...] = ()
    nearest: tuple[_Match, ...] = ()


class _Best(Struct, frozen=True):
    id: str


class _Masked(Struct, frozen=True):
    kind: str
    count: int


class _Result(Struct, frozen=True):
    status: str
    best: _Best | None
    exceptions: tuple[_Exception, ...]
    masked: tuple[_Masked, ...] = ()


class _Answer(Struct, frozen=True, rename="camel"):
    revision: int
    dataset_version: str
    results: tuple[Raw]


def read_answer(body: bytes) -> tuple[bytes, Explanation, tuple[RecordView, ...]]:
    """The one result of an answer as it came, and the explanation and the records that it tells.

    Raises :class:`Unreadable`.
    """
    try:
        answer = msgspec.json.decode(body, type=_Answer)
        raw = bytes(answer.results[0])
        result = msgspec.json.decode(raw, type=_Result)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise Unreadable from problem
    faults = tuple(map(_fault_answer, result.exceptions))
    best_fault = _best_fault(faults, result.best.id if result.best else "")
    explanation = Explanation(
        revision=answer.revision,
        version=answer.dataset_version,
        status="matched" if best_fault is not None else "none" if faults else "empty",
        text="",
        faults=faults,
        best=faults[best_fault].matches[0] if best_fault is not None else None,
        best_fault=best_fault,
        masked=tuple(SecretCount(kind=row.kind, count=row.count) for row in result.masked),
    )
    return raw, explanation, tuple(_views(result))


def _best_fault(faults: tuple[FaultAnswer, ...], best: str) -> int | None:
    """The position of the error whose first match is the best of all."""
    named = (number for number, answer in enumerate(faults) if answer.matches and answer.matches[0].id == best)
    return next(named, None)


def _fault_answer(told: _Exception) -> FaultAnswer:
    fault = Fault(
        cls=told.cls or "",
        message=told.message,
        language=told.language or "",
        kind="raised" if told.cls or told.frames else "line",
        first=0,
        last=0,
        frames=tuple(Frame(path=row.path, line=row.line, function=row.function, at=0) for row in told.frames),
        relation=told.relation or "",
        parent=told.parent,
    )
    return FaultAnswer(
        fault=fault,
        role=told.role,
        matches=tuple(map(_match, told.matches)),
        nearest=tuple(map(_match, told.nearest)),
    )


def _match(told: _Match) -> Match:
    return Match(
        id=told.id,
        row=_row(told),
        score=told.score,
        confidence=told.confidence,
        evidence=tuple(Evidence(kind=row.kind, text=row.text, weight=row.weight) for row in told.evidence),
        captures=tuple(Capture(placeholder=row.placeholder, name=row.name, value=row.value) for row in told.captures),
        strict=told.strict,
        alike=told.alike,
        alike_count=told.alike_count,
        differs=told.differs,
    )


def _row(told: _Match) -> RecordRow:
    return RecordRow(
        id=told.id,
        repo=told.repo,
        slug=told.slug,
        error_code=told.error_code,
        error_message=told.error_message,
        error_class=told.error_class,
        error_type=told.error_type,
        severity=told.severity,
        http_status=told.http_status,
        handling_strategy=told.handling_strategy,
        family=told.background_tag,
        language=told.language,
        file_path=told.file_path,
        line_number=told.line_number,
        excerpt=told.excerpt,
        tags=told.tags,
        retired=told.status == "retired",
        content_hash="",
    )


def _views(result: _Result) -> Iterator[RecordView]:
    """The records that were told as a whole."""
    for told in (match for error in result.exceptions for match in error.matches):
        if told.record is not UNSET:
            yield _view(told, told.record)


def _view(told: _Match, record: Record) -> RecordView:
    """A record as far as reports need it."""
    owner, _, name = record.repo.partition("/")
    return RecordView(
        record=record,
        row=_row(told),
        repository=RepositoryView(
            full_name=record.repo,
            owner=owner,
            name=name,
            description=None,
            language=None,
            stars=None,
            source_files=None,
            default_branch=None,
            analyzed_sha="",
            analyzed_at="",
            record_count=0,
            retired=False,
        ),
        dataset="",
        dataset_version="",
        content_hash="",
        first_revision=0,
        changed_revision=0,
        retired_revision=None,
        retired_reason="",
        successor=None,
        canonical_id=None,
        findings=(),
        code_key=None,
        class_key=None,
        raw=b"",
    )
