"""Conditional requests: answered before anything is read, and never wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

Get = Callable[..., Any]
SEED_ID = "12c38bb1afed0ec1"
PATHS = [
    "",
    "errors/?limit=2",
    f"errors/{SEED_ID}/",
    f"errors/{SEED_ID}/?fields=id",
    "search/?q=timeout",
    "repositories/",
    "repositories/psf/requests/",
    "families/",
    "families/timeout/",
    "releases/",
    "schema/",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_copy_that_holds_is_confirmed_without_a_body(path: str, get: Get) -> None:
    first = get(path)
    assert first["etag"].startswith('"')
    for sent in (first["etag"], f"W/{first['etag']}", f'"x", {first["etag"]}', "*", first["etag"][:-1] + '-gzip"'):
        again = get(path, if_none_match=sent)
        assert (again.status_code, again.body) == (304, b"")
        assert again["etag"] == first["etag"]
        assert again["vary"] == first["vary"]
        assert again["faultbook-revision"] == first["faultbook-revision"]
        assert "ratelimit" in again.headers
        assert again["access-control-allow-origin"] == "*"
        assert not {"content-type", "content-length"} & {name.lower() for name in again.headers}


@pytest.mark.parametrize("path", PATHS)
def test_another_copy_is_not(path: str, get: Get) -> None:
    tag = get(path)["etag"]
    for sent in ('"r1"', tag.strip('"'), f'"{tag[2:]}', ""):
        assert get(path, **({"if_none_match": sent} if sent else {})).status_code == 200


def test_each_representation_has_its_own_tag(get: Get) -> None:
    path = f"errors/{SEED_ID}/"
    tags = {get(path)["etag"], get(path, accept="text/markdown")["etag"], get(path, {"fields": "id"})["etag"],
            get(path, {"fields": "id,repo"})["etag"], get(path, host="localhost")["etag"]}  # fmt: skip
    assert len(tags) == 5
    assert get(path, accept="text/markdown", if_none_match=get(path)["etag"]).status_code == 200


def test_a_record_is_confirmed_without_reading_it(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"errors/{SEED_ID}/"
    tag = get(path)["etag"]
    monkeypatch.setattr("kb.catalog.queries.record_by_id", None)
    assert get(path, if_none_match=tag).status_code == 304


def test_what_is_not_there_is_never_confirmed(get: Get) -> None:
    for path in (f"errors/{'0' * 16}/", "families/no-such/", "repositories/no/such/"):
        for sent in ("*", '"r1-x"'):
            assert get(path, if_none_match=sent).status_code == 404


def test_a_new_revision_changes_tags_and_keeps_cursors(import_records: Any, make: Any) -> None:
    def record(name: str) -> dict[str, Any]:
        return make(slug=f"no-{name}", errorCode=f"E_{name}", errorMessage=f"no {name}", messagePattern=f"no {name}")

    def ask(path: str, tag: str = "") -> Any:
        return Client().get(f"/api/v1/{path}", headers={"if-none-match": tag} if tag else {})

    kept, later = record("b"), record("c")
    import_records(kept, later)
    paths = ["", "errors/", f"errors/{kept['id']}/", "search/?q=no", "repositories/", "tags/"]
    before = {path: ask(path)["etag"] for path in paths}
    first = ask("errors/?limit=1").json()
    import_records(record("a"))
    after = {path: ask(path, before[path]) for path in paths}
    assert {path: answer.status_code for path, answer in after.items()} == dict.fromkeys(paths, 200)
    assert not {answer["etag"] for answer in after.values()} & set(before.values())
    followed = ask(first["next"].removeprefix("http://testserver/api/v1/")).json()
    assert followed["revision"] == first["revision"] + 1
    assert [row["id"] for row in followed["results"]] == [later["id"]]
