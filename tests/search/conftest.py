"""A small catalog for the tests of the search, as the catalog would hand it over."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from kb.catalog.answers import RecordRow, RecordView, RepositoryView
from kb.records.encode import encode_json
from kb.records.languages import language_of
from kb.records.record import Record
from kb.search.index import prepare

MakeView = Callable[..., RecordView]
Publish = Callable[[Iterable[RecordView]], Path]


def _record(**fields: Any) -> Record:
    message = fields.get("error_message", "Something went wrong")
    repo = fields.get("repo", "acme/rocket")
    told: dict[str, Any] = {
        "repo": repo,
        "slug": "something-went-wrong",
        "error_message": message,
        "message_pattern": message,
        "error_type": "exception",
        "severity": "error",
        "file_path": "src/rocket/engine.py",
        "line_number": 10,
        "github_url": f"https://github.com/{repo}/blob/{'a' * 40}/src/rocket/engine.py#L10",
        "documentation": "The engine reports that it cannot go on.",
        "trigger_scenarios": "Starting without fuel.",
        "common_situations": "An empty tank.",
        "analyzed_sha": "a" * 40,
        "analyzed_at": "2026-08-28T05:10:05Z",
    } | fields
    digest = hashlib.sha256(f"{repo}\x01{told.get('error_code') or message}\x01{told['file_path']}".encode())
    told.setdefault("id", digest.hexdigest()[:16])
    return Record(**told)


def _repository(full_name: str) -> RepositoryView:
    owner, _, name = full_name.partition("/")
    return RepositoryView(
        full_name=full_name,
        owner=owner,
        name=name,
        description=None,
        language=None,
        stars=None,
        source_files=None,
        default_branch=None,
        analyzed_sha="a" * 40,
        analyzed_at="2026-08-28T05:10:05Z",
        record_count=1,
        retired=False,
    )


def _view(*, retired: bool = False, **fields: Any) -> RecordView:
    record = _record(**fields)
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
        language=language_of(record.file_path),
        file_path=record.file_path,
        line_number=record.line_number,
        excerpt=record.documentation[:280],
        tags=record.tags,
        retired=retired,
        content_hash="0" * 32,
    )
    return RecordView(
        record=record,
        row=row,
        repository=_repository(record.repo),
        dataset="local",
        dataset_version="2026-08-28T06:17:29.519Z",
        content_hash="0" * 32,
        first_revision=1,
        changed_revision=1,
        retired_revision=2 if retired else None,
        retired_reason="gone" if retired else "",
        successor=None,
        canonical_id=None,
        findings=(),
        code_key=None,
        class_key=None,
        raw=encode_json(record),
    )


@pytest.fixture(scope="session")
def make_view() -> MakeView:
    """Makes a record as the catalog answers it, from the fields that matter to a test."""
    return _view


@pytest.fixture(scope="session")
def publish(tmp_path_factory: pytest.TempPathFactory) -> Publish:
    """Publishes records as revision 1 of a new directory of indexes, and says which."""

    def published(views: Iterable[RecordView]) -> Path:
        directory = tmp_path_factory.mktemp("index")
        prepare(1, base=None, changed=views, removed=(), directory=directory).publish()
        return directory

    return published


@pytest.fixture(scope="session")
def catalog() -> tuple[RecordView, ...]:
    """Records that differ in all that can be searched, filtered and counted."""
    return (
        _view(
            error_code="ERR_BAD_RESPONSE",
            error_class="AxiosError",
            error_message="Request failed with status code {status}",
            repo="axios/axios",
            slug="err-bad-response",
            file_path="lib/core/settle.js",
            error_type="http",
            http_status=502,
            handling_strategy="retry",
            documentation="The server answered with a status outside 2xx.",
            tags=("http", "network"),
            background_tag="bad-upstream-response",
        ),
        _view(
            error_code="ECONNABORTED",
            error_class="AxiosError",
            error_message="timeout of {ms}ms exceeded",
            repo="axios/axios",
            slug="econnaborted",
            file_path="lib/adapters/xhr.js",
            error_type="http",
            handling_strategy="retry",
            documentation="The request took longer than its timeout allows. ERR_BAD_RESPONSE is another matter.",
            tags=("network", "timeout"),
            background_tag="timeout",
        ),
        _view(
            error_code="E0382",
            error_message="borrow of moved value: `{}`",
            repo="rust-lang/rust",
            slug="e0382",
            file_path="compiler/rustc_borrowck/src/lib.rs",
            error_type="error_code",
            severity="critical",
            documentation="A variable was used after its contents have been moved elsewhere.",
            tags=("borrow-checker", "ownership"),
        ),
        _view(
            error_class="java.lang.NullPointerException",
            error_message="Cannot invoke method on null",
            repo="openjdk/jdk",
            slug="npe",
            file_path="src/java.base/share/classes/Objects.java",
            documentation="A reference that is null was used. See requireNonNull().",
            solutions=("Check the reference first",),
            handling_strategy="type-guard",
        ),
        _view(
            error_class="ConnectionError",
            error_message="connection refused by {host}",
            repo="psf/requests",
            slug="connection-refused",
            file_path="src/requests/adapters.py",
            severity="warning",
            documentation="Nothing listens at that address and port, or a firewall refuses.",
            tags=("network",),
            source_code="raise ConnectionError(err, request=request)",
        ),
        _view(
            error_message="无法打开文件 {path}:权限不足",
            repo="acme/chinese",
            slug="permission",
            file_path="main.go",
            error_type="console",
            documentation="权限不足时会出现此错误。",
        ),
        _view(
            error_message="café not found",
            repo="acme/cafe",
            slug="cafe-not-found",
            documentation="Es gibt kein Café in der Straße.",
            error_type="validation",
        ),
        _view(
            error_message="connection pool retired long ago",
            repo="psf/requests",
            slug="retired-pool",
            file_path="src/requests/pool.py",
            retired=True,
        ),
    )


@pytest.fixture(scope="session")
def directory(publish: Publish, catalog: tuple[RecordView, ...]) -> Path:
    """The catalog's index as revision 1."""
    return publish(catalog)
