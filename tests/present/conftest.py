"""Records to render: one as rich as a record can be, and changes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kb.catalog.answers import RecordRow, RecordView, RepositoryView
from kb.records.record import Record

RICH = Record(
    id="12c38bb1afed0ec1",
    repo="example-org/data.worker",
    slug="encode-metadata-not-ready",
    error_code="ERR_NOT_READY",
    error_message="metadata of {req_id} not ready after %d ms",
    message_pattern="metadata of (.+?) not ready after (.+?) ms",
    error_type="http",
    error_class="MetaError",
    http_status=504,
    severity="error",
    file_path="python/worker/encode runtime.py",
    line_number=1280,
    source_code="try:\n    wait()\nexcept TimeoutError as error:\n    raise MetaError(f'{req_id} not ready')\n",
    source_code_start=1277,
    source_code_end=1280,
    github_url="https://github.com/example-org/data.worker/blob/0132848349585cfe6aae51c4941cbae872505f8a/python/w.py#L9",
    documentation="The worker waited on `meta.wait(req_id)` for **metadata**.\n\n- one\n- two",
    trigger_scenarios="A request whose id was never registered.",
    common_situations="The preprocessor is slow; see [its guide](https://docs.example.org/slow).",
    solutions=("Retry the request", "Raise `timeout`:\n\n```python\nwait(timeout=30)\n```"),
    example_fix="# before\nwait()\n# after\nwait(timeout=30)",
    handling_strategy="retry",
    validation_code="if not meta.has(req_id):\n    sleep(1)",
    type_guard="def ready(value: object) -> bool: ...",
    try_catch_pattern="try:\n    work()\nexcept MetaError:\n    retry()",
    prevention_tips=("Publish metadata first", "Alert on lag"),
    tags=("timeout", "worker"),
    background_tag="upstream-timeout",
    analyzed_sha="0132848349585cfe6aae51c4941cbae872505f8a",
    analyzed_at="2026-08-28T05:10:05.995Z",
    content_changed_at="2026-08-27T01:00:00Z",
    extra={"origin": "hand", "sites": [{"line": 7, "function": "wait_for"}]},
)


def _view(record: Record, **changes: Any) -> RecordView:
    owner, _, name = record.repo.partition("/")
    row = RecordRow(
        id=record.id,
        repo=record.repo,
        slug=record.slug,
        error_code=record.error_code,
        error_message=record.error_message,
        error_class=record.error_class,
        error_type=record.error_type,
        severity=record.severity,
        http_status=record.http_status,
        handling_strategy=record.handling_strategy,
        family=record.background_tag,
        language="Python",
        file_path=record.file_path,
        line_number=record.line_number,
        excerpt=record.documentation[:280].replace("\n", " "),
        tags=record.tags,
        retired=changes.get("retired_revision") is not None,
        content_hash="5" * 32,
    )
    repository = RepositoryView(
        full_name=record.repo,
        owner=owner,
        name=name,
        description=None,
        language="Python",
        stars=None,
        source_files=None,
        default_branch=None,
        analyzed_sha=record.analyzed_sha,
        analyzed_at=record.analyzed_at,
        record_count=1,
        retired=False,
    )
    facts = {
        "dataset": "local",
        "dataset_version": "2026-08-28T06:17:29.519Z",
        "content_hash": "5" * 32,
        "first_revision": 1,
        "changed_revision": 3,
        "retired_revision": None,
        "retired_reason": "",
        "successor": None,
        "canonical_id": None,
        "findings": (),
        "code_key": "err-not-ready-0a1b2c" if record.error_code else None,
        "class_key": "metaerror-3d4e5f" if record.error_class else None,
        "raw": b"{}",
    }
    return RecordView(record=record, row=row, repository=repository, **(facts | changes))


@pytest.fixture(scope="session")
def record() -> Record:
    """A record in which every field says something."""
    return RICH


@pytest.fixture(scope="session")
def bare_record() -> Record:
    """The same record with every optional field empty."""
    return msgspec.structs.replace(
        RICH,
        error_code=None,
        error_class=None,
        http_status=None,
        line_number=None,
        source_code=None,
        source_code_start=None,
        source_code_end=None,
        solutions=(),
        example_fix=None,
        handling_strategy=None,
        validation_code=None,
        type_guard=None,
        try_catch_pattern=None,
        prevention_tips=(),
        tags=(),
        background_tag=None,
        content_changed_at=None,
        extra={},
    )


@pytest.fixture(scope="session")
def view_of() -> Callable[..., RecordView]:
    """``view_of(record, **catalog_facts)``: the record as the catalog answers it."""
    return _view
