"""Each start-up check speaks up when it must, and is silent in a sound installation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import CheckMessage
from django.db import connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from kb import checks


def _ids(messages: list[CheckMessage]) -> list[str | None]:
    assert all(message.hint for message in messages), "a check without a hint"
    return [message.id for message in messages]


@pytest.mark.parametrize("host", ["errors.example.org", ".example.org", "*", "10.0.0.1", "[2001:db8::1]"])
def test_debug_is_refused_on_a_public_host(settings: Settings, host: str) -> None:
    settings.DEBUG = True
    settings.ALLOWED_HOSTS = ["localhost", host]
    assert _ids(checks.check_debug_host()) == ["kb.E001"]
    assert host in checks.check_debug_host()[0].msg
    settings.DEBUG = False
    assert checks.check_debug_host() == []


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "kb.localhost", ".localhost"])
def test_debug_is_allowed_on_this_machine(settings: Settings, host: str) -> None:
    settings.DEBUG = True
    settings.ALLOWED_HOSTS = [host]
    assert checks.check_debug_host() == []


@pytest.mark.parametrize("key", ["changeme", "x" * 80, "abcdefghi" * 9])
def test_a_weak_key_is_refused_unless_debugging(settings: Settings, key: str) -> None:
    settings.DEBUG = False
    settings.SECRET_KEY = key
    assert _ids(checks.check_secret_key()) == ["kb.E002"]
    assert key not in checks.check_secret_key()[0].msg
    settings.DEBUG = True
    assert checks.check_secret_key() == []


def test_a_directory_that_cannot_be_made_is_refused(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.KB_DATA_DIR = tmp_path / "file" / "data"
    settings.KB_INDEX_DIR = tmp_path / "index" / "deep"
    assert _ids(checks.check_data_directory()) == ["kb.E003"]
    assert "KB_DATA_DIR" in checks.check_data_directory()[0].msg


def test_a_directory_without_write_permission_is_refused(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.KB_DATA_DIR = settings.KB_INDEX_DIR = tmp_path
    assert checks.check_data_directory() == []
    monkeypatch.setattr("kb.checks.os.access", lambda _path, _mode: False)  # root may write anywhere
    assert _ids(checks.check_data_directory()) == ["kb.E003", "kb.E003"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [({"pool": {"max_size": 7}}, ["kb.E004"]), ({"pool": {"max_size": 8}}, []), ({"pool": True}, []), ({}, [])],
)
def test_more_threads_than_connections_are_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], expected: list[str]
) -> None:
    settings.KB_THREADS = 8
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    assert _ids(checks.check_connection_pool()) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://errors.example.org", ["kb.W001"]),
        ("http://10.1.2.3:8000", ["kb.W001"]),
        ("https://errors.example.org", []),
        ("http://localhost:8000", []),
        ("http://[::1]:8000", []),
        ("", []),
    ],
)
def test_a_public_address_without_encryption_is_warned_of(
    settings: Settings, address: str, expected: list[str]
) -> None:
    settings.KB_BASE_URL = address
    assert _ids(checks.check_base_url()) == expected


@pytest.mark.parametrize(("journal", "expected"), [("WAL", []), ("DELETE", ["kb.W002"]), ("TRUNCATE", ["kb.W002"])])
def test_sqlite_without_wal_is_warned_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: DjangoDbBlocker,
    journal: str,
    expected: list[str],
) -> None:
    options = {"init_command": f"PRAGMA journal_mode={journal}"}
    database = DatabaseWrapper({**connection.settings_dict, "NAME": str(tmp_path / "kb.sqlite3"), "OPTIONS": options})
    monkeypatch.setattr("kb.checks.connection", database)
    with django_db_blocker.unblock():
        found = checks.check_journal(databases=["default"])
        database.close()
    assert _ids(found) == expected


def test_the_database_is_not_asked_unless_it_is_allowed() -> None:
    assert checks.check_journal() == []


def test_a_missing_index_is_warned_of(
    import_sources: Callable[..., Any], settings: Settings, tmp_path: Path, project_root: Path
) -> None:
    import_sources(project_root / "fixtures" / "datasets" / "seed" / "seed-record.json", dataset="seed")
    assert checks.check_search_index(databases=["default"]) == []
    settings.KB_INDEX_DIR = tmp_path / "elsewhere"
    assert _ids(checks.check_search_index(databases=["default"])) == ["kb.W003", "kb.W004"]
    assert checks.check_search_index() == []


@pytest.mark.django_db
def test_an_empty_catalog_needs_no_index() -> None:
    assert checks.check_search_index(databases=["default"]) == []


def test_a_database_without_tables_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    database = DatabaseWrapper({**connection.settings_dict, "NAME": str(tmp_path / "new.sqlite3"), "OPTIONS": {}})
    monkeypatch.setattr(connections._connections, "default", database)
    with django_db_blocker.unblock():
        found = checks.check_search_index(databases=["default"])
        database.close()
    assert found == []
