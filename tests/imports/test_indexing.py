"""What the indexes read of the catalog, and both of them made together."""

from __future__ import annotations

from kb.catalog import queries
from kb.catalog.search_answers import SearchFact
from tests.imports.conftest import make_record


def test_search_facts_are_what_whole_records_say(run, layout):
    full = make_record(
        1, errorCode="E1", httpStatus=502, handlingStrategy="retry", sourceCode="raise E1", exampleFix="wait()",
        validationCode="check()", typeGuard="is_e1()", tryCatchPattern="try: burn()", preventionTips=["Look", "é"],
    )  # fmt: skip
    bare = make_record(2, tags=[], solutions=[], backgroundTag=None, errorClass=None)
    run(layout([full, bare, make_record(3)]))
    run(layout([full, bare, make_record(4)]))
    views = list(queries.iter_records())
    assert [view.row.retired for view in views].count(True) == 1
    assert list(queries.iter_search_facts()) == [SearchFact.of(view) for view in views]
    assert list(queries.iter_search_changes(2)) == [SearchFact.of(view) for view in queries.iter_changed(2)]
    assert {fact.retired for fact in queries.iter_search_changes(2)} == {True, False}


def test_search_facts_come_from_several_queries(run, layout, monkeypatch):
    monkeypatch.setattr("kb.catalog.search_queries._BATCH", 3)
    monkeypatch.setattr("kb.catalog.search_queries._MOST_IDS", 2)
    for count in (5, 6):
        records = [make_record(number) for number in range(1, count + 1)]
        report = run(layout([{**one, "slug": f"s{count}-{number}"} for number, one in enumerate(records)]))
        assert report.outcome == "published", report
        ids = sorted(one["id"] for one in records)
        assert [fact.id for fact in queries.iter_search_facts()] == ids
        assert [fact.id for fact in queries.iter_search_changes(count - 4)] == ids
