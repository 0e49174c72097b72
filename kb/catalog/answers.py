"""What the catalog answers: plain frozen values. No model leaves the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from kb.records.record import Record

__all__ = [
    "ArticleView",
    "BadCursor",
    "CatalogView",
    "HomeView",
    "ListOrder",
    "MatchFact",
    "Page",
    "RecordFilter",
    "RecordRow",
    "RecordView",
    "RejectionView",
    "Related",
    "ReleaseView",
    "RepositorySort",
    "RepositoryView",
    "SlugAnswer",
    "Term",
    "TermKind",
    "TermSort",
]

T = TypeVar("T")
TermKind = Literal["family", "code", "class", "tag"]
RepositorySort = Literal["name", "records", "stars", "language", "analyzed"]
TermSort = Literal["name", "records", "repositories"]


class BadCursor(ValueError):
    """A cursor that this catalog did not make, or that belongs to another list."""


@dataclass(frozen=True, kw_only=True)
class CatalogView:
    """The state of the catalog at one revision.

    ``version`` is the ISO time of the revision's commit, empty before the first.
    """

    revision: int
    version: str
    records: int
    repositories: int
    families: int
    datasets: int


@dataclass(frozen=True, kw_only=True)
class RepositoryView:
    """One repository. ``record_count`` counts current records."""

    full_name: str
    owner: str
    name: str
    description: str | None
    language: str | None
    stars: int | None
    source_files: int | None
    default_branch: str | None
    analyzed_sha: str
    analyzed_at: str
    record_count: int
    retired: bool
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RecordRow:
    """One record as a line of a list. ``excerpt`` is at most 280 characters of its documentation, on one line."""

    id: str
    repo: str
    slug: str
    error_code: str | None
    error_message: str
    error_class: str | None
    error_type: str
    severity: str
    http_status: int | None
    handling_strategy: str | None
    family: str | None
    language: str | None
    file_path: str
    line_number: int | None
    excerpt: str
    tags: tuple[str, ...]
    retired: bool
    content_hash: str


@dataclass(frozen=True, kw_only=True)
class RecordView:
    """One record with all that the catalog knows about it. ``raw`` is its compact JSON in the dataset's field names.

    ``holders`` are the other datasets that have a copy, the first in rank first, where the record was read alone.
    """

    record: Record
    row: RecordRow
    repository: RepositoryView
    dataset: str
    dataset_version: str
    content_hash: str
    first_revision: int
    changed_revision: int
    retired_revision: int | None
    retired_reason: str
    successor: str | None
    canonical_id: str | None
    findings: tuple[str, ...]
    code_key: str | None
    class_key: str | None
    raw: bytes
    trusted: bool = True
    holders: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SlugAnswer:
    """Who owns a slug now, and the other records that had it before."""

    current: RecordView | None
    former: tuple[RecordRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Related:
    """Records near another one: its family, code or class elsewhere, its file, its duplicate group."""

    family: tuple[RecordRow, ...] = ()
    alike: tuple[RecordRow, ...] = ()
    file: tuple[RecordRow, ...] = ()
    duplicates: tuple[RecordRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Term:
    """One family, code, class or tag with its counts over current records. ``key`` is its part of the URL."""

    kind: TermKind
    key: str
    label: str
    record_count: int
    repository_count: int


@dataclass(frozen=True, kw_only=True)
class ArticleView:
    """A background article about a family, a code or a class."""

    slug: str
    title: str
    summary: str
    background: str
    common_causes: tuple[tuple[str, str], ...]
    fixes: tuple[str, ...]
    error_ids: tuple[str, ...]
    cluster_key: str
    generated_at: str


@dataclass(frozen=True, kw_only=True)
class ReleaseView:
    """One import of one version of a dataset. ``state`` is running, published, unchanged, refused or failed."""

    id: int
    dataset: str
    dataset_version: str
    source: str
    started_at: datetime
    finished_at: datetime | None
    state: str
    revision: int | None
    added: int
    changed: int
    unchanged: int
    retired: int
    restored: int
    rejected: int
    warnings: int
    seconds: float | None
    notices: tuple[str, ...]
    unknown_fields: tuple[str, ...]
    problem_counts: dict[str, int]
    error: str


@dataclass(frozen=True, kw_only=True)
class RejectionView:
    """One problem of one rejected record. ``raw`` is the beginning of the offending record's text."""

    id: int
    release_id: int
    origin: str
    position: int
    record_id: str | None
    repo: str | None
    path: str
    rule: str
    message: str
    value: str
    raw: str


@dataclass(frozen=True, kw_only=True)
class Page(Generic[T]):
    """Some items of a list in its order, and the cursor of what follows, ``None`` at the end."""

    items: tuple[T, ...]
    next: str | None = None


@dataclass(frozen=True)
class ListOrder(Generic[T]):
    """What a list is sorted by. Names begin with the first, counts with the largest, times with the newest, what has
    no value stands last; ``reverse`` turns it round.
    """

    by: T
    reverse: bool = False


@dataclass(frozen=True, kw_only=True)
class HomeView:
    """What the front page shows."""

    state: CatalogView
    repositories: tuple[RepositoryView, ...]
    families: tuple[Term, ...]


@dataclass(frozen=True, kw_only=True)
class RecordFilter:
    """Which records of a list; empty fields do not restrict. ``code`` and ``cls`` are exact labels, ``code_key`` and
    ``class_key`` the keys in URLs.
    """

    repo: str | None = None
    language: str | None = None
    severity: str | None = None
    type: str | None = None
    cls: str | None = None
    class_key: str | None = None
    code: str | None = None
    code_key: str | None = None
    strategy: str | None = None
    family: str | None = None
    tag: str | None = None
    dataset: str | None = None
    status: Literal["current", "retired", "all"] = "current"


class MatchFact(NamedTuple):
    """What matching needs of a current record. ``function`` is empty when nothing shows it; ``group`` is the id of the
    record that stands for its duplicates, its own when it has none; ``quality`` is 100 less the number of findings.
    """

    id: str
    pattern: str
    cls: str | None
    code: str | None
    message: str
    path: str
    line: int | None
    function: str
    repo: str
    status: int | None
    language: str
    group: str
    quality: int
