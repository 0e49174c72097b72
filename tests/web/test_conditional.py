"""Entity tags: a copy that still holds is confirmed, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.web.conftest import LIVING, getter, made_record
from tests.web.page_checks import ALWAYS, FEEDS, MACHINES, SEED, WITH_DATA, assert_anonymous

Get = Callable[..., Any]


@pytest.mark.parametrize("path", [*ALWAYS, *WITH_DATA, *MACHINES, *FEEDS, f"{SEED}.json", f"{SEED}.md"])
def test_a_copy_that_still_holds_is_confirmed(get: Get, path: str) -> None:
    whole = get(path)
    tag = whole["ETag"]
    assert tag.startswith('"')
    assert whole["Cache-Control"] == "public, max-age=0, must-revalidate"
    for offered in (tag, f"W/{tag}", f'"other", {tag}'):
        again = get(path, if_none_match=offered)
        assert again.status_code == 304
        assert again.text_body == ""
        assert again["ETag"] == tag
        assert_anonymous(again)


@pytest.mark.parametrize("offered", ['"other"', "nonsense", "*", ""])
def test_any_other_copy_is_answered_whole(get: Get, offered: str) -> None:
    assert get(f"{SEED}/", if_none_match=offered).status_code == 200


def test_nothing_is_confirmed_that_is_not_there(get: Get) -> None:
    tag = get(f"{SEED}/")["ETag"]
    for offered in (tag, "*"):
        assert get("/errors/acme/rocket/never-was/", if_none_match=offered).status_code == 404


def test_forms_of_one_address_have_tags_of_their_own(get: Get) -> None:
    path = f"/e/{LIVING['id']}"
    answers = [get(path, accept=kind) for kind in ("text/html", "text/plain", "text/markdown", "application/json")]
    assert len({answer["ETag"] for answer in answers}) == 4
    assert {answer["Vary"] for answer in answers} == {"Accept"}
    assert get(path, accept="text/html", if_none_match=answers[1]["ETag"]).status_code == 200


def test_tags_differ_by_query_and_host(get: Get) -> None:
    tags = {get(path)["ETag"] for path in ("/repositories/", "/repositories/?q=acme", "/repositories/?q=acme&x=1")}
    assert len(tags) == 3
    assert get("/repositories/")["ETag"] != get("/repositories/", host="127.0.0.1")["ETag"]


@pytest.fixture
def publish(db: None, settings: Any, tmp_path: Path) -> Callable[[dict[str, Any]], None]:
    """Brings a record into a catalog of this test alone."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    settings.KB_INDEX_DIR = tmp_path / "index"

    def published(record: dict[str, Any]) -> None:
        source = tmp_path / "record.json"
        source.write_text(json.dumps(record), encoding="utf-8")
        assert run_import([source], ImportOptions()).outcome == "published"

    return published


def test_a_new_revision_ends_old_copies(publish: Callable[[dict[str, Any]], None]) -> None:
    paths = ("/", "/search/?q=fuel", "/errors/acme/rocket/", "/errors/acme/rocket/stage/", "/releases/", "/status/")
    publish(made_record("stage"))
    get = getter()
    before = {path: get(path)["ETag"] for path in paths}
    publish(made_record("stage", documentation="It is another text now."))
    for path, tag in before.items():
        again = get(path, if_none_match=tag)
        assert again.status_code == 200, path
        assert again["ETag"] != tag
    assert "It is another text now." in get("/errors/acme/rocket/stage/").text_body


def test_a_new_day_ends_old_copies(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = get("/releases/")["ETag"]
    tomorrow = timezone.now() + timedelta(days=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: tomorrow)
    again = get("/releases/", if_none_match=tag)
    assert again.status_code == 200
    assert again["ETag"] != tag


def test_nothing_is_confirmed_while_templates_are_written(get: Get, settings: Any) -> None:
    tag = get("/about/")["ETag"]
    settings.DEBUG = True
    assert get("/about/", if_none_match=tag).status_code == 200
