"""What reads answer about datasets, keys and queued imports: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

__all__ = ["ApiKeyView", "DatasetView", "ImportJobView"]


@dataclass(frozen=True, kw_only=True)
class DatasetView:
    """A dataset as its registration and its last release have it. Without an ``address`` it is imported by hand only.

    ``coverage`` is complete, partial, or empty for what the shape of its source says.
    """

    name: str
    priority: int
    trusted: bool
    address: str
    coverage: str
    schedule: str
    source: str
    version: str
    removed_at: datetime | None
    records: int
    release: int | None
    release_state: str
    release_finished_at: datetime | None

    def as_json(self) -> dict[str, Any]:
        """The object that ``datasets list --json`` prints; the names in it are stable."""
        return {
            "name": self.name,
            "priority": self.priority,
            "trusted": self.trusted,
            "address": self.address or None,
            "coverage": self.coverage or None,
            "schedule": self.schedule or None,
            "source": self.source,
            "datasetVersion": self.version,
            "removedAt": self.removed_at.isoformat() if self.removed_at else None,
            "records": self.records,
            "lastRelease": self.release,
            "lastState": self.release_state or None,
            "lastFinishedAt": self.release_finished_at.isoformat() if self.release_finished_at else None,
        }


@dataclass(frozen=True, kw_only=True)
class ApiKeyView:
    """A key without what is secret of it."""

    id: int
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    def state(self, now: datetime) -> str:
        """valid, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "valid"


@dataclass(frozen=True, kw_only=True)
class ImportJobView:
    """An import that was asked for. ``state`` is queued, running, done, failed or canceled; ``source`` is a path in the
    spool for an uploaded file, and empty for a registered dataset.
    """

    id: UUID
    dataset: str
    source: str
    options: Mapping[str, Any]
    state: str
    key: str
    release: int | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    report: Mapping[str, Any]
