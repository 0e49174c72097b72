"""The record: one documented error as a frozen, typed value.

This is the contract between the sources of data and everything that comes after them. Attribute names are the
dataset's own field names in snake case (``errorCode`` is ``error_code``). Only :mod:`kb.records.decode` makes records
from foreign data; the catalog makes them again from its rows.
"""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["ERROR_TYPES", "HANDLING_STRATEGIES", "SCHEMA_VERSION", "SEVERITIES", "Record"]

SCHEMA_VERSION = 2
ERROR_TYPES = ("exception", "error_code", "console", "http", "validation", "panic")
SEVERITIES = ("critical", "error", "warning", "info")
HANDLING_STRATEGIES = ("try-catch", "type-guard", "validation", "retry", "fallback")


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One error record of schema version 2.

    ``absent`` holds the dataset names of the optional fields that the source did not have, so that they stay absent on
    the way out; in the struct such a field reads as ``None`` or as an empty tuple. ``extra`` holds the fields that the
    contract does not name, as decoded JSON. ``analyzed_at`` and ``content_changed_at`` are kept as written.
    Line numbers are 1-based and inclusive.
    """

    id: str
    repo: str
    slug: str
    error_code: str | None = None
    error_message: str
    message_pattern: str
    error_type: str
    error_class: str | None = None
    http_status: int | None = None
    severity: str
    file_path: str
    line_number: int | None = None
    source_code: str | None = None
    source_code_start: int | None = None
    source_code_end: int | None = None
    github_url: str
    documentation: str
    trigger_scenarios: str
    common_situations: str
    solutions: tuple[str, ...] = ()
    example_fix: str | None = None
    handling_strategy: str | None = None
    validation_code: str | None = None
    type_guard: str | None = None
    try_catch_pattern: str | None = None
    prevention_tips: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    background_tag: str | None = None
    analyzed_sha: str
    analyzed_at: str
    content_changed_at: str | None = None
    schema_version: int = SCHEMA_VERSION
    absent: frozenset[str] = frozenset()
    extra: dict[str, Any] = {}
