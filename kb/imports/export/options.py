"""What the caller of an export may choose, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["ExportOptions", "ExportReport", "Form"]

Form = Literal["layout", "jsonl"]
Outcome = Literal["exported", "refused", "failed"]


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """``target`` is the name of a directory or a file, or ``-`` for standard output; ``form`` is ``None`` for what that
    name says. Without ``dataset`` it is what readers see that is exported; with it, that dataset's own copies.
    ``repositories`` limits it to these, by their full names.
    """

    target: str
    form: Form | None = None
    dataset: str | None = None
    repositories: tuple[str, ...] = ()


@dataclass(kw_only=True)
class ExportReport:
    """The outcome of an export. ``revision`` is the one that was exported, ``size`` the bytes that were written.
    ``error`` says why there is none, ``code`` names the reason.
    """

    outcome: Outcome = "failed"
    target: str = ""
    form: str = ""
    dataset: str | None = None
    dataset_version: str = ""
    revision: int = 0
    records: int = 0
    repositories: int = 0
    articles: int = 0
    files: int = 0
    size: int = 0
    seconds: float = 0.0
    error: str = ""
    code: str = ""
    notices: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints; the names in it are stable."""
        return {
            "outcome": self.outcome,
            "target": self.target,
            "format": self.form,
            "dataset": self.dataset,
            "datasetVersion": self.dataset_version,
            "revision": self.revision,
            "records": self.records,
            "repositories": self.repositories,
            "articles": self.articles,
            "files": self.files,
            "bytes": self.size,
            "seconds": round(self.seconds, 3),
            "error": self.error,
            "code": self.code,
            "notices": self.notices,
        }
