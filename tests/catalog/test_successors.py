"""What took the place of a retired record is named, and nothing is that did not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Record = dict[str, Any]
Release = Callable[..., Any]


@pytest.fixture
def release(import_records: Callable[..., Any]) -> Release:
    """``release(*records)``: the whole dataset from now on."""

    def imported(*records: Record) -> Any:
        return import_records(*records, dataset="rockets", complete=True, confirm=True)

    return imported


def successor(record: Record) -> str | None:
    from kb.catalog import queries

    found = queries.successor_of(record["id"])
    return found.id if found else None


def named(record: Record) -> str | None:
    from kb.catalog import queries

    view = queries.record_by_id(record["id"])
    assert view is not None
    return view.successor


@pytest.fixture
def kept(record: Any) -> Record:
    """A record that every release has."""
    made: Record = record(99, errorMessage="nothing to do with it", messagePattern="nothing to do with it")
    return made


def test_the_same_message_in_a_moved_file(release: Release, record: Any, kept: Record) -> None:
    old = record(1, filePath="rockets/engine.py")
    near = record(2, filePath="lib/engine.py") | {key: old[key] for key in ("errorMessage", "messagePattern")}
    far = record(3, filePath="tests/other.py") | {key: old[key] for key in ("errorMessage", "messagePattern")}
    release(kept, old)
    release(kept, far, near)
    assert successor(old) == near["id"]


def test_a_reworded_message_at_the_same_place(release: Release, record: Any, kept: Record) -> None:
    text = "the main engine number {n} failed during the long burn"
    old = record(1, errorMessage=text, messagePattern="x (.+?) y")
    new = record(2, errorMessage=text.replace("failed", "stopped"), messagePattern="x (.+?) z")
    other = record(
        3, errorMessage="no tank of that name", messagePattern="no tank of that name", errorClass="TankError"
    )
    release(kept, old)
    release(kept, other, new)
    assert successor(old) == new["id"]


def test_another_error_of_the_file_is_no_successor(release: Release, record: Any, kept: Record) -> None:
    old = record(1, errorMessage="the valve is stuck", messagePattern="the valve is stuck")
    other = record(2, errorMessage="telemetry lost for {n} seconds", messagePattern="telemetry lost for (.+?) seconds")
    release(kept, old)
    release(kept, other)
    assert named(old) is None


@pytest.mark.parametrize(("code", "found"), [(None, False), ("E_GO", True)])
def test_a_message_that_says_nothing_is_not_enough(
    release: Release, record: Any, kept: Record, code: str | None, *, found: bool
) -> None:
    text = {"errorMessage": "{error}: %s", "messagePattern": "(.+?): (.+?)", "errorCode": code}
    old, new = record(1, **text), record(2, filePath="lib/other.py", **text)
    release(kept, old)
    release(kept, new)
    assert (named(old) == new["id"]) is found


def test_another_code_is_another_error(release: Release, record: Any, kept: Record) -> None:
    old = record(1, errorCode="E_ONE")
    new = record(2, filePath="lib/engine.py", errorCode="E_TWO") | {
        key: old[key] for key in ("errorMessage", "messagePattern")
    }
    release(kept, old)
    release(kept, new)
    assert named(old) is None


def test_what_was_there_before_is_no_rewording(release: Release, record: Any, kept: Record) -> None:
    old, sibling = (
        record(n, errorMessage=f"engine {w} failed in flight", messagePattern=f"e {w}")
        for n, w in ((1, "one"), (2, "two"))
    )
    release(kept, old, sibling)
    release(kept, sibling)
    assert named(old) is None


def test_one_rewording_has_one_original(release: Release, record: Any, kept: Record) -> None:
    olds = [
        record(n, errorMessage=f"the engine {w} failed in flight", messagePattern=f"e {w}")
        for n, w in ((1, "one"), (2, "two"))
    ]
    new = record(3, errorMessage="the engine one failed in long flight", messagePattern="e one long")
    release(kept, *olds)
    release(kept, new)
    assert [named(old) for old in olds] == [new["id"], None]


@pytest.mark.parametrize("new_name", ["acme/boosters", "rockets-inc/rockets", "Acme/Rockets"])
@pytest.mark.parametrize("apart", [False, True], ids=["at once", "a release later"])
def test_a_renamed_repository(release: Release, record: Any, kept: Record, new_name: str, apart: bool) -> None:
    from kb.catalog import queries

    kept = kept | {"repo": "acme/else", "id": "e" * 16}
    old = [record(n) for n in range(1, 6)]
    new = [record(n, repo=new_name) for n in range(1, 5)] + [record(9, repo=new_name)]
    release(kept, *old)
    if apart:
        release(kept)
    release(kept, *new)
    assert [successor(row) for row in old] == [*(row["id"] for row in new[:4]), None]
    assert queries.renamed_to("acme/rockets") == new_name
    assert queries.renamed_to("acme/else") is None


def test_another_repository_with_the_same_files_is_no_rename(release: Release, record: Any, kept: Record) -> None:
    kept = kept | {"repo": "acme/else", "id": "e" * 16}
    old = [record(n) for n in range(1, 6)]
    other = [record(1, repo="acme/copies"), *(record(n, repo="acme/copies") for n in range(20, 25))]
    release(kept, *old)
    release(kept, *other)
    assert [named(row) for row in old] == [None] * 5
    assert queries_renamed("acme/rockets") is None


def queries_renamed(name: str) -> str | None:
    from kb.catalog import queries

    return queries.renamed_to(name)


def test_a_message_that_comes_back_later(release: Release, record: Any, kept: Record) -> None:
    old = record(1)
    new = record(2, filePath="lib/engine.py") | {key: old[key] for key in ("errorMessage", "messagePattern")}
    release(kept, old)
    release(kept)
    assert named(old) is None
    release(kept, new)
    assert successor(old) == new["id"]


def test_a_record_that_is_restored_has_no_successor(release: Release, record: Any, kept: Record) -> None:
    old = record(1)
    new = record(2, filePath="lib/engine.py") | {key: old[key] for key in ("errorMessage", "messagePattern")}
    release(kept, old)
    release(kept, new)
    release(kept, new, old)
    assert named(old) is None
    release(kept, new)
    assert successor(old) == new["id"]


def test_a_successor_that_left_leads_to_its_own(release: Release, record: Any, kept: Record) -> None:
    rows = [
        record(n, filePath=f"rockets/{n}.py", errorMessage="engine failed", messagePattern="engine failed")
        for n in range(1, 5)
    ]
    for row in rows:
        release(kept, row)
    assert [successor(row) for row in rows] == [rows[3]["id"]] * 3 + [None]


def test_a_chain_that_ends_among_the_retired_is_told_to_its_end(release: Release, record: Any, kept: Record) -> None:
    one, two = (
        record(n, filePath=f"rockets/{n}.py", errorMessage="engine failed", messagePattern="engine failed")
        for n in (1, 2)
    )
    release(kept, one)
    release(kept, two)
    release(kept)
    assert successor(one) == two["id"]
    assert successor(two) is None
