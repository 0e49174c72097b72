"""The feed of changes, and the history of records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings
from jsonschema import Draft202012Validator

from kb.api import schema
from kb.records.decode import decode_record
from tests.api.conftest import made_record

Get = Callable[..., Any]
FIRST = [made_record(slug=f"s-{number}", errorCode=f"E_{number}", solutions=["Wait.", "Go."]) for number in range(7)]
SECOND = [
    *FIRST[:2],
    FIRST[2] | {"documentation": "The engine reports that its tank is full. It stops.", "solutions": ["Wait."]},
    FIRST[3] | {"analyzedAt": "2026-09-28T05:10:05Z"},
    FIRST[4] | {"slug": "moved"},
    made_record(slug="s-7", errorCode="E_7", repo="acme/other"),
]
THIRD = [*SECOND, FIRST[5]]


@pytest.fixture(scope="module")
def catalog(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three revisions of one dataset; the directory of the index."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    work = tmp_path_factory.mktemp("changes")
    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=work / "index"):
        call_command("flush", interactive=False, verbosity=0)
        for records in (FIRST, SECOND, THIRD):
            source = work / "records.json"
            source.write_text(json.dumps(records), encoding="utf-8")
            report = run_import([source], ImportOptions(dataset="tests", complete=True, confirm=True))
            assert report.outcome == "published", report.error
        yield work / "index"
        call_command("flush", interactive=False, verbosity=0)


def followed(get: Get, **query: Any) -> list[dict[str, Any]]:
    """All pages of the feed."""
    found = []
    response = get("changes/", query)
    while True:
        assert response.status_code == 200, response.body
        found += response.json()["results"]
        if response.json()["next"] is None:
            return found
        response = get(response.json()["next"].removeprefix("http://testserver"))


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_the_feed_lists_every_change_once_in_order(get: Get, limit: int) -> None:
    found = followed(get, limit=limit)
    assert [row["revision"] for row in found] == [1] * 7 + [2] * 6 + [3]
    keys = [(row["revision"], row["id"]) for row in found]
    assert keys == sorted(set(keys))
    kinds = [row["kind"] for row in found if row["revision"] == 2]
    assert sorted(kinds) == ["added", "changed", "changed", "reanalysed", "retired", "retired"]
    assert found[-1]["kind"] == "restored"
    assert [(row["revision"], row["id"]) for row in followed(get, limit=limit, order="newest")] == keys[::-1]


def test_a_copy_that_follows_the_feed_holds_the_catalog(get: Get) -> None:
    copy: dict[str, dict[str, Any]] = {}
    for change in followed(get, after=0, content="record", limit=2):
        if change["kind"] == "retired":
            del copy[change["id"]]
        else:
            copy[change["id"]] = change["record"]
    assert copy == {record["id"]: record for record in THIRD}


def test_records_come_field_for_field(get: Get) -> None:
    for change in followed(get, content="record"):
        assert decode_record(json.dumps(change["record"]).encode()).record is not None
        assert "httpStatus" not in change["record"]
        assert change["record"]["slug"] == change["slug"]
    assert all("record" not in change for change in followed(get))


def test_a_client_asks_for_what_it_lacks(get: Get) -> None:
    assert {row["revision"] for row in followed(get, after=1)} == {2, 3}
    response = get("changes/", {"after": 3})
    assert response.json()["results"] == []
    assert response.json()["revision"] == 3
    assert get("changes/", {"after": 3}, if_none_match=response["ETag"]).status_code == 304


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"kind": "retired"}, 2),
        ({"kind": ["added", "restored"]}, 9),
        ({"repo": "acme/other"}, 1),
        ({"repo": "acme/rocket", "kind": "added"}, 7),
        ({"repo": "no/such"}, 0),
    ],
)
def test_filters_narrow_the_feed(get: Get, query: dict[str, Any], count: int) -> None:
    assert len(followed(get, **query)) == count


@pytest.mark.parametrize("query", [{"after": "-1"}, {"after": "x"}, {"kind": "lost"}, {"limit": 1001}, {"before": 3}])
def test_other_parameters_are_refused(get: Get, query: dict[str, Any]) -> None:
    response = get("changes/", query)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_parameter")


def test_a_cursor_of_another_list_is_refused(get: Get) -> None:
    following = get("changes/", {"limit": 1}).json()["next"].removeprefix("http://testserver")
    response = get(following.replace("limit=1", "limit=1&order=newest"))
    assert (response.status_code, response.json()["code"]) == (400, "bad_cursor")


def test_a_client_of_another_catalog_has_to_begin_anew(get: Get) -> None:
    response = get("changes/", {"after": 4})
    assert (response.status_code, response.json()["code"]) == (410, "resync_required")


def forget(revision: int) -> None:
    """What retention does: the oldest changes go."""
    from kb.catalog.models import Change

    Change.objects.filter(revision__lte=revision).delete()


def test_a_client_that_is_too_old_has_to_begin_anew(get: Get) -> None:
    following = get("changes/", {"after": 0, "limit": 1}).json()["next"].removeprefix("http://testserver")
    forget(1)
    for path, query in (("changes/", {"after": 0}), (following, {})):
        response = get(path, query)
        assert (response.status_code, response.json()["code"]) == (410, "resync_required")
        assert response.json()["errors"][0]["valid"] == ["1"]
    assert len(followed(get, after=1)) == 7
    assert len(followed(get)) == 7  # what is kept


def test_when_nothing_is_kept_only_the_present_revision_can_be_followed(get: Get) -> None:
    forget(3)
    assert get("changes/", {"after": 2}).status_code == 410
    assert followed(get, after=3) == []


def history(get: Get, record: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    response = get(f"errors/{record['id']}/history/", query)
    assert response.status_code == 200
    found: list[dict[str, Any]] = response.json()["results"]
    return found


def test_a_history_tells_what_differs(get: Get) -> None:
    changed, added = history(get, FIRST[2])
    assert (changed["kind"], changed["revision"], changed["dataset"]) == ("changed", 2, "tests")
    fields = {row["field"]: row for row in changed["fields"]}
    assert fields.keys() == {"documentation", "solutions"}
    assert fields["documentation"]["unit"] == "words"
    assert [part for part in fields["documentation"]["parts"] if part["kind"] != "equal"] == [
        {"kind": "delete", "text": "empty"},
        {"kind": "insert", "text": "full"},
    ]
    assert fields["solutions"]["entries"] == [
        [{"kind": "equal", "text": "Wait."}],
        [{"kind": "delete", "text": "Go."}],
    ]
    assert (added["kind"], added["fields"]) == ("added", None)


def test_a_history_follows_a_slug(get: Get) -> None:
    (field,) = history(get, FIRST[4])[0]["fields"]
    assert field["field"] == "slug"
    assert [part["text"] for part in field["parts"]] == ["s-4", "moved"]


def test_a_history_of_what_came_and_went(get: Get) -> None:
    assert [row["kind"] for row in history(get, FIRST[5])] == ["restored", "retired", "added"]
    assert [row["record"]["id"] for row in history(get, FIRST[5], content="record")] == [FIRST[5]["id"]] * 3


def test_a_history_goes_on(get: Get) -> None:
    first = get(f"errors/{FIRST[5]['id']}/history/", {"limit": 2}).json()
    rest = get(first["next"].removeprefix("http://testserver")).json()
    assert [row["revision"] for row in first["results"] + rest["results"]] == [3, 2, 1]
    assert first["results"][1]["fields"] == []
    assert rest["next"] is None


def test_a_record_that_never_was_has_no_history(get: Get) -> None:
    assert get("errors/0000000000000000/history/").status_code == 404


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("ChangeList", "changes/?content=record"),
        ("History", f"errors/{FIRST[2]['id']}/history/?content=record"),
        ("History", f"errors/{FIRST[5]['id']}/history/"),
    ],
)
def test_answers_have_their_documented_shape(get: Get, name: str, path: str) -> None:
    components = schema.document()["components"]
    reference = {"$ref": f"#/components/schemas/{name}", "components": components}
    Draft202012Validator(reference).validate(get(path).json())
