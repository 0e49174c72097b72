"""The live page of imports: for staff alone, true while an import runs, and harmless whatever datasets say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from kb.catalog import keys
from kb.catalog.registrations import Registration
from kb.imports.jobs import queue as jobs
from kb.imports.jobs.registered import register_dataset
from kb.imports.jobs.worker import Worker
from kb.imports.progress import NoProgress
from kb.imports.running import WatchedProgress, running_import
from tests.web.conftest import made_record

PAGE, PART = "/admin/imports/", "/admin/imports/part/"


@pytest.fixture(autouse=True)
def _own_data(settings: Any, tmp_path: Path) -> None:
    settings.KB_DATA_DIR = tmp_path / "data"


@pytest.mark.parametrize("path", [PAGE, PART])
def test_it_is_for_staff_alone(path: str, db: None, django_user_model: Any) -> None:
    assert Client().get(path)["location"].startswith("/admin/login/")
    reader = Client()
    reader.force_login(django_user_model.objects.create_user("reader"))
    assert reader.get(path).status_code == 302


def test_it_says_what_to_do_while_there_is_nothing(admin_client: Any) -> None:
    text = admin_client.get(PAGE).content.decode()
    for part in ("No import is running", "apikeys create", "datasets add"):
        assert part in text
    assert admin_client.post(PAGE).status_code == 405
    assert PAGE in admin_client.get("/admin/").content.decode()


def test_it_shows_what_runs_and_what_came_of_it(admin_client: Any, tmp_path: Path) -> None:
    source = tmp_path / "mine.jsonl"
    source.write_text(json.dumps(made_record("first-stage")))
    register_dataset(Registration(name="mine", address=str(source), schedule="<script>", trusted=False))
    key, _ = keys.create_key("<b>nightly", scopes=("import",), days=1)
    jobs.queue_registered("mine", {}, key_id=key.id)
    assert "queued" in admin_client.get(PART).content.decode()
    Worker().run(batch=True)
    progress = WatchedProgress(NoProgress(), what="Import of <i>mine")
    progress.phase("Reading <u>x", 1_000)
    progress.advance(250)
    progress.phase("Publishing", 2_000)
    text = admin_client.get(PART).content.decode()
    for part in ("&lt;i&gt;mine", "Publishing", "1 added", "&lt;b&gt;nightly", "not trusted", "&lt;script&gt;"):
        assert part in text
    assert not any(tag in text for tag in ("<i>", "<b>", "<u>", "<script>"))
    progress.close()
    assert "No import is running" in admin_client.get(PART).content.decode()


def test_one_that_is_refused_leaves_the_running_one(db: None) -> None:
    running, refused = (WatchedProgress(NoProgress(), what=what) for what in ("first", "second"))
    running.phase("Reading")
    refused.close()
    assert running_import()["what"] == "first"
    running.close()
    assert running_import() == {}


def test_what_a_killed_process_left_is_no_running_import(settings: Any, db: None) -> None:
    progress = WatchedProgress(NoProgress(), what="first")
    progress.phase("Reading")
    path = settings.KB_DATA_DIR / "spool" / "running.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"process": 2**22 + 1}))
    assert running_import() == {}
    path.write_text("{")
    assert running_import() == {}


@pytest.mark.parametrize("place", ["apikey", "importjob"])
def test_keys_and_jobs_are_looked_at_without_secrets(place: str, admin_client: Any, tmp_path: Path) -> None:
    from django.apps import apps

    register_dataset(Registration(name="mine", address=str(tmp_path)))
    key, text = keys.create_key("nightly", scopes=("import",), days=1)
    jobs.queue_registered("mine", {}, key_id=key.id)
    row = apps.get_model("catalog", place).objects.get()
    for path in (f"/admin/catalog/{place}/", f"/admin/catalog/{place}/{row.pk}/change/"):
        response = admin_client.get(path)
        assert response.status_code == 200
        assert apps.get_model("catalog", "apikey").objects.get().digest not in response.content.decode()
        assert text.rsplit("_", 1)[1] not in response.content.decode()
    assert admin_client.post(f"/admin/catalog/{place}/{row.pk}/delete/", {"post": "yes"}).status_code == 403
