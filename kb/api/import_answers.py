"""The shapes of answers about queued imports. Docstrings and descriptions are read by clients."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from kb.api.answers import Answer, Url

__all__ = ["Import", "ImportAnswer", "ImportList", "ImportLog", "ImportProgress", "LogLine"]


class ImportProgress(Struct, frozen=True, kw_only=True, rename="camel"):
    """How far the present phase of a running import is."""

    phase: str
    done: int
    total: Annotated[int | None, Meta(description="Records of the phase, where that is known.")]
    per_second: float
    seconds: Annotated[float, Meta(description="Since the phase began.")]
    seconds_left: Annotated[float | None, Meta(description="A guess, once one can be made.")]


class Import(Struct, frozen=True, kw_only=True, rename="camel"):
    """One import that was asked for over HTTP."""

    id: str
    api_url: Url
    log_url: Url
    rejections_url: Annotated[Url | None, Meta(description="What was rejected, once there is a release.")]
    dataset: str
    source: Annotated[str, Meta(description="The uploaded file; empty for the address of a registered dataset.")]
    options: Annotated[dict[str, Any], Meta(description="What the client chose.")]
    state: Literal["queued", "running", "done", "failed", "canceled"]
    key: Annotated[str, Meta(description="The name of the key that asked.")]
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress: Annotated[ImportProgress | None, Meta(description="While it runs.")]
    release: Annotated[int | None, Meta(description="The number of its release, once it has ended with one.")]
    report: Annotated[
        dict[str, Any] | None, Meta(description="What `import_dataset --json` prints, once it has ended.")
    ]


class ImportList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of imports, the newest first."""

    results: list[Import]
    next: Annotated[Url | None, Meta(description="Address of the next page; null on the last one.")]


class ImportAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """One import."""

    job: Annotated[Import, Meta(description="The import.")]


class LogLine(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line of a log."""

    number: Annotated[int, Meta(description="Counts from 1; send the last one as `after` to follow the log.")]
    at: Annotated[str, Meta(description="When, ISO 8601.")]
    text: str


class ImportLog(Answer, frozen=True, kw_only=True, rename="camel"):
    """Lines of an import's log, the oldest first."""

    lines: list[LogLine]
