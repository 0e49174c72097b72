"""Probes: alive without asking anything, ready only when everything can be served."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from kb.web import health
from tests.web.conftest import getter, made_record

Get = Callable[..., Any]


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier probe found does not count."""
    monkeypatch.setattr(health, "_probe", health._Probe())
    monkeypatch.setattr(health, "_migrated", threading.Event())


@pytest.fixture
def loaded(transactional_db: None, settings: Any, tmp_path: Path) -> Path:
    """A catalog with one record, committed; the directory of its index."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    settings.KB_INDEX_DIR = tmp_path / "index"
    source = tmp_path / "record.json"
    source.write_text(json.dumps(made_record("stage")), encoding="utf-8")
    assert run_import([source], ImportOptions()).outcome == "published"
    return tmp_path / "index"


def probe(**headers: str) -> Any:
    response = getter()("/readyz", **headers)
    assert response["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in response.headers
    return response, json.loads(response.text_body)


@pytest.mark.parametrize("host", ["localhost", "10.1.2.3:8000", "evil.example.com"])
def test_alive_is_answered_to_any_host_without_the_database(host: str) -> None:
    response = getter()("/healthz", host=host)
    assert (response.status_code, response.text_body) == (200, "ok\n")


def test_ready_with_data_and_its_index(loaded: Path) -> None:
    response, found = probe(host="10.1.2.3")
    assert response.status_code == 200
    assert found == {
        "status": "ready", "database": "ok", "migrations": "ok", "revision": 1, "index": "ok", "matching": "ok",
        "reasons": [],
    }  # fmt: skip


def test_not_ready_without_data(transactional_db: None) -> None:
    response, found = probe()
    assert response.status_code == 503
    assert (found["revision"], found["index"]) == (0, "none")
    assert "imported" in found["reasons"][0]


def test_not_ready_without_its_index(loaded: Path, settings: Any, tmp_path: Path) -> None:
    settings.KB_INDEX_DIR = tmp_path / "elsewhere"
    response, found = probe()
    assert response.status_code == 503
    assert found["index"] == "unusable"
    assert "index" in found["reasons"][0]


def test_not_ready_while_the_database_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> health.Readiness:
        raise OperationalError("password of the database")

    monkeypatch.setattr(health, "_checked", fail)
    response, found = probe()
    assert response.status_code == 503
    assert found["database"] == "failing"
    assert "password" not in response.text_body


def test_not_ready_while_migrations_are_pending(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_up_to_date", lambda: False)
    response, found = probe()
    assert response.status_code == 503
    assert found["migrations"] == "pending"


def test_a_database_that_hangs_holds_one_thread_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, calls = threading.Event(), []

    def hang() -> health.Readiness:
        calls.append(1)
        gate.wait(30)
        return health.Readiness(database="ok", migrations="ok", revision=1, index="ok")

    monkeypatch.setattr(health, "_checked", hang)
    for _ in range(3):
        found = health.readiness(seconds=0.01)
        assert not found.ready
        assert found.database == "no answer"
    assert len(calls) == 1
    gate.set()
    assert health.readiness(seconds=30).ready
