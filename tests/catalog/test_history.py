"""The feed of changes: whole, in order, and enough to make the catalog again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.catalog.answers import BadCursor
from tests.catalog.conftest import make_record

Record = dict[str, Any]
STATES = st.lists(
    st.dictionaries(st.integers(1, 6), st.tuples(st.integers(0, 2), st.booleans()), max_size=6),
    min_size=1,
    max_size=4,
)


def state_of(numbers: dict[int, tuple[int, bool]]) -> list[Record]:
    """Records with one of three texts each, some of them under another slug."""
    return [
        make_record(
            number, documentation=f"Text {text} of engine {number}.", **({"slug": f"other-{number}"} if moved else {})
        )
        for number, (text, moved) in numbers.items()
    ]


def assert_replay_is_the_catalog() -> None:
    from kb.catalog import queries
    from kb.records.encode import encode_json

    replayed = queries.replay(queries.iter_changes())
    held = {view.record.id: view for view in queries.iter_records()}
    assert replayed.keys() == held.keys()
    for record_id, view in held.items():
        copy = replayed[record_id]
        assert encode_json(copy.record) == view.raw
        assert copy.first_revision == view.first_revision
        assert copy.changed_revision == view.changed_revision
        assert (copy.retired_revision is None) == (view.retired_revision is None)


@pytest.fixture
def release(import_records: Callable[..., Any]) -> Callable[..., Any]:
    """``release(*records, dataset="local")``: the whole dataset from now on."""

    def imported(*records: Record, dataset: str = "local", **options: Any) -> Any:
        return import_records(*records, dataset=dataset, complete=True, confirm=True, **options)

    return imported


@given(STATES)
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_feed_played_forward_is_the_catalog(release: Callable[..., Any], states: list[Any]) -> None:
    from kb.catalog import queries

    kept = make_record(99)
    for numbers in states:
        before = queries.replay(queries.iter_changes())
        revision = queries.state().revision
        release(kept, *state_of(numbers))
        assert_replay_is_the_catalog()
        assert queries.replay(queries.iter_changes(revision), before) == queries.replay(queries.iter_changes())


def test_the_feed_follows_several_datasets(release: Callable[..., Any]) -> None:
    release(make_record(1), make_record(2), dataset="low", priority=1)
    release(make_record(1, documentation="A better text about engines."), make_record(3), dataset="high", priority=2)
    assert_replay_is_the_catalog()
    release(make_record(3), dataset="high")
    assert_replay_is_the_catalog()
    release(make_record(3, documentation="Low says otherwise."), make_record(2), dataset="low", priority=3)
    assert_replay_is_the_catalog()


def test_an_empty_catalog_made_from_the_feed_holds_the_same(
    transactional_db: None, release: Callable[..., Any], import_records: Callable[..., Any]
) -> None:
    from django.core.management import call_command

    from kb.catalog import queries

    release(*(make_record(number, extra={"kept": [number, 1.0, None]}) for number in range(1, 9)))
    release(*(make_record(number, tags=["new"]) for number in range(3, 12)))
    before = {view.record.id: view.raw for view in queries.iter_records() if view.retired_revision is None}
    copy = queries.replay(queries.iter_changes())
    call_command("flush", interactive=False, verbosity=0)
    import_records(*(row.record for row in copy.values() if row.retired_revision is None))
    assert {view.record.id: view.raw for view in queries.iter_records()} == before


@pytest.fixture
def three(release: Callable[..., Any]) -> None:
    """Three revisions: 8 added; 3 changed, 1 analyzed again, 1 retired; 1 restored in another text."""
    first = [make_record(number) for number in range(1, 9)]
    second = [
        row | ({"documentation": "Another text about this engine."} if number < 3 else {})
        for number, row in enumerate(first[:7])
    ]
    second[4] |= {"analyzedAt": "2027-01-01T00:00:00Z"}
    release(*first)
    release(*second)
    release(*second, first[7] | {"severity": "info"})


def pages(read: Callable[..., Any], **options: Any) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while True:
        page = read(cursor=cursor, **options)
        found += page.items
        cursor = page.next
        if cursor is None:
            return found


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("limit", [1, 3, 100])
def test_pages_give_every_change_once(limit: int) -> None:
    from kb.catalog import queries

    found = pages(queries.changes, filters=queries.ChangeFilter(), limit=limit)
    counts = Counter((row.revision, row.kind) for row in found)
    assert counts == {
        (1, "added"): 8, (2, "changed"): 3, (2, "reanalysed"): 1, (2, "retired"): 1, (3, "restored"): 1
    }  # fmt: skip
    keys = [(row.revision, row.record.id) for row in found]
    assert keys == sorted(set(keys))
    assert len(keys) == 8 + 5 + 1
    newest = pages(queries.changes, filters=queries.ChangeFilter(), limit=limit, order="newest")
    assert newest == found[::-1]


@pytest.mark.usefixtures("three")
def test_large_records_shorten_a_page_and_not_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.catalog import change_queries, queries

    whole = pages(queries.changes, filters=queries.ChangeFilter(), limit=100)
    monkeypatch.setattr(change_queries, "_MOST_BYTES", 3 * len(whole[0].raw))
    assert len(queries.changes(queries.ChangeFilter(), limit=100).items) < 5
    assert pages(queries.changes, filters=queries.ChangeFilter(), limit=100) == whole
    monkeypatch.setattr(change_queries, "_MOST_BYTES", 1)
    assert pages(queries.changes, filters=queries.ChangeFilter(), limit=100) == whole


@pytest.mark.usefixtures("three")
def test_a_filter_that_passes_few_goes_on_from_page_to_page(monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.catalog import change_queries, queries

    monkeypatch.setattr(change_queries, "_LOOKED_AT", 2)
    monkeypatch.setattr(change_queries, "_MOST_LOOKED_AT", 4)
    filters = queries.ChangeFilter(kinds=("restored",))
    first = queries.changes(filters, limit=5)
    assert (first.items, first.next is None) == ((), False)
    assert [row.kind for row in pages(queries.changes, filters=filters, limit=5)] == ["restored"]


@pytest.mark.usefixtures("three")
def test_a_cursor_belongs_to_its_filters() -> None:
    from kb.catalog import queries

    cursor = queries.changes(queries.ChangeFilter(), limit=1).next
    for filters in (queries.ChangeFilter(repo="acme/rockets"), queries.ChangeFilter(after=0)):
        with pytest.raises(BadCursor):
            queries.changes(filters, cursor=cursor)
    with pytest.raises(BadCursor):
        queries.history("0" * 16, cursor=cursor)


def test_a_revision_without_changes_of_records_is_no_gap(
    import_sources: Callable[..., Any], tmp_path: Any, release: Callable[..., Any]
) -> None:
    from kb.catalog import queries
    from tests.web.conftest import write_layout

    (tmp_path / "layout").mkdir()
    import_sources(write_layout(tmp_path / "layout", [], version="2026-01-01T00:00:00Z"), dataset="described")
    assert queries.state().revision == 1
    release(make_record(1))
    assert [row.revision for row in queries.iter_changes(0)] == [2]


@pytest.mark.usefixtures("three")
def test_what_is_not_kept_is_told() -> None:
    from kb.catalog import queries
    from kb.catalog.history_answers import ChangesPruned
    from kb.catalog.models import Change

    cursor = queries.changes(queries.ChangeFilter(after=0), limit=2).next
    Change.objects.filter(revision=1).delete()
    for read in (
        lambda: list(queries.iter_changes(0)),
        lambda: queries.changes(queries.ChangeFilter(after=0), cursor=cursor, limit=2),
    ):
        with pytest.raises(ChangesPruned) as told:
            read()
        assert told.value.oldest == 1
    assert len(list(queries.iter_changes(1))) == 6


@pytest.mark.usefixtures("three")
def test_a_history_has_what_was_before() -> None:
    from kb.catalog import queries

    changed = next(row for row in queries.iter_changes(1) if row.kind == "changed")
    latest, first = queries.history(changed.record.id).items
    assert latest.after == changed.record
    assert latest.before == first.after
    assert (first.kind, first.before) == ("added", None)
    assert (latest.dataset, latest.revision, latest.release_kind) == ("local", 2, "import")
    assert pages(lambda **options: queries.history(changed.record.id, **options), limit=1) == [latest, first]


@pytest.mark.usefixtures("three")
def test_revisions_count_by_repository() -> None:
    from kb.catalog import queries

    (latest, *_) = queries.revisions().items
    assert (latest.revision, latest.total) == (3, 1)
    assert pages(queries.revisions, limit=1) == list(queries.revisions().items)
    assert queries.repositories_changed(2) == {"acme/rockets": {"changed": 3, "reanalysed": 1, "retired": 1}}
    assert queries.largest_parts([1, 2]) == {1: ("acme/rockets", 0), 2: ("acme/rockets", 0)}
    assert queries.largest_parts([9]) == queries.largest_parts([]) == {}
    assert queries.revision(9) is None
    assert queries.revision(2**70) is None


@pytest.mark.usefixtures("three")
def test_no_list_reads_more_than_its_page(django_assert_max_num_queries: Any) -> None:
    from kb.catalog import queries

    for filters in (queries.ChangeFilter(), queries.ChangeFilter(after=0, repo="acme/rockets")):
        with django_assert_max_num_queries(4):
            queries.changes(filters, limit=5)
    record_id = next(queries.iter_changes()).record.id
    with django_assert_max_num_queries(2):
        queries.history(record_id)
