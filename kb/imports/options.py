"""What the caller of an import may choose, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["DEFAULT_DATASET", "ImportOptions", "ImportReport", "Sample"]

DEFAULT_DATASET = "local"
Outcome = Literal["published", "unchanged", "held", "refused", "canceled", "failed", "dry-run"]
Kind = Literal["import", "rollback", "removal", "ranking"]


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """``complete`` is ``None`` for what the shape of the source says. ``priority`` ``None`` leaves the dataset's own.
    ``trusted`` likewise. ``max_rejects`` is how many rejected records are too many; ``strict`` means one is.
    ``confirm`` accepts that a large part of the dataset goes, ``allow_older`` an older version than the one held;
    ``force`` reads a source that is known to be unchanged, and a version that was rolled back.
    """

    dataset: str = DEFAULT_DATASET
    priority: int | None = None
    complete: bool | None = None
    dry_run: bool = False
    strict: bool = False
    max_rejects: int = 10_000
    trusted: bool | None = None
    confirm: bool = False
    allow_older: bool = False
    force: bool = False


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One line of what changed."""

    kind: str
    id: str
    repo: str


@dataclass(kw_only=True)
class ImportReport:
    """The outcome of an import. ``revision`` is that of the catalog afterwards. ``error`` says why it was refused."""

    outcome: Outcome = "failed"
    kind: Kind = "import"
    dataset: str = DEFAULT_DATASET
    release: int | None = None
    dataset_version: str = ""
    revision: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    retired: int = 0
    restored: int = 0
    rejected: int = 0
    rejected_before: int = 0  # of these, by an earlier reading of the same source
    warnings: int = 0
    warnings_told: list[str] = field(default_factory=list)
    seconds: float = 0.0
    error: str = ""
    code: str = ""
    notices: list[str] = field(default_factory=list)
    unknown_fields: list[str] = field(default_factory=list)
    problem_counts: dict[str, int] = field(default_factory=dict)
    rejections: list[dict[str, Any]] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    repositories: dict[str, dict[str, int]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints; the names in it are stable."""
        return {
            "outcome": self.outcome,
            "kind": self.kind,
            "dataset": self.dataset,
            "release": self.release,
            "datasetVersion": self.dataset_version,
            "revision": self.revision,
            "added": self.added,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "retired": self.retired,
            "restored": self.restored,
            "rejected": self.rejected,
            "warnings": self.warnings,
            "firstWarnings": self.warnings_told,
            "seconds": round(self.seconds, 3),
            "error": self.error,
            "code": self.code,
            "notices": self.notices,
            "unknownFields": self.unknown_fields,
            "problems": self.problem_counts,
            "rejections": self.rejections,
            "changes": [{"kind": row.kind, "id": row.id, "repo": row.repo} for row in self.samples],
        }
