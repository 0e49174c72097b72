"""Overviews: the counts are those of the records themselves."""

from __future__ import annotations

from collections import Counter

import pytest

from kb.records.keys import url_key
from kb.search import tuning
from kb.search.engine import search
from kb.search.errors import SearchUnavailable
from kb.search.index import prepare
from kb.search.overview import OVERVIEW_FACETS, Overview, Scope, overview

ROCKETS = 9


@pytest.fixture(scope="module")
def rockets(make_view):
    """Records of one repository, two more of others that differ in little, and a retired one."""
    own = [
        make_view(
            id=f"{number:016x}",
            slug=f"r{number}",
            error_message=f"fault {number}",
            error_code="E1" if number % 2 else None,
            error_class="Fault" if number % 3 else "fault",
            severity=("error", "warning", "error", "critical")[number % 4],
            error_type="exception" if number < 6 else "validation",
            file_path=f"src/part{number % 4}.py",
            background_tag="fuel" if number < 4 else None,
            tags=("a",) if number < 5 else (),
        )
        for number in range(ROCKETS)
    ]
    others = [
        make_view(repo="acme/other", error_class="acme.Fault", error_message="fault", error_code="e1"),
        make_view(repo="else/rocket", error_message="fault", tags=("a",)),
    ]
    return (*own, *others, make_view(error_message="was", retired=True))


@pytest.fixture(scope="module")
def index(rockets, publish):
    return publish(rockets)


def counted(index, kind, value, *, facets=OVERVIEW_FACETS, **narrowed):
    scope = Scope(kind=kind, value=value, narrowed=narrowed)
    return overview(scope, facets=facets, revision=1, directory=index)


def as_counter(found, name):
    return Counter({entry.value: entry.count for entry in found.facets[name]})


def test_a_repository_is_counted_by_everything_that_its_records_have(index, rockets):
    found = counted(index, "repo", "Acme/Rocket")
    own = [view.record for view in rockets[:ROCKETS]]
    assert found.count == ROCKETS
    assert as_counter(found, "severity") == Counter(record.severity for record in own)
    assert as_counter(found, "type") == Counter(record.error_type for record in own)
    assert as_counter(found, "class") == Counter(record.error_class for record in own)
    assert as_counter(found, "code") == Counter(record.error_code for record in own if record.error_code)
    assert as_counter(found, "file") == Counter(record.file_path for record in own)
    assert found.facets["file"][0].value == "src/part0.py"
    assert as_counter(found, "repository") == {"acme/rocket": ROCKETS}


def test_classes_and_codes_are_told_by_case_and_qualification(index):
    assert counted(index, "class_key", url_key("Fault")).count == 6
    assert counted(index, "class_key", url_key("acme.Fault")).count == 1
    assert counted(index, "code_key", url_key("e1")).count == 1
    assert search("class:fault", revision=1, directory=index).count > 6


def test_families_and_tags_are_counted_as_the_search_finds_them(index):
    for kind, value in (("family", "fuel"), ("tag", "a")):
        found = counted(index, kind, value)
        assert found.count == search(f"{kind}:{value}", revision=1, directory=index).count > 0
        for entry in found.facets["severity"]:
            asked = {"severity": (entry.value,)}
            hits = search(f"{kind}:{value}", filters=asked, revision=1, directory=index)
            assert hits.count == entry.count


def test_a_narrowed_facet_keeps_its_other_values_and_narrows_the_others(index, rockets):
    found = counted(index, "repo", "acme/rocket", severity="error", type="validation")
    own = [view.record for view in rockets[:ROCKETS]]
    both = [record for record in own if (record.severity, record.error_type) == ("error", "validation")]
    assert found.count == len(both) > 0
    validation = [record for record in own if record.error_type == "validation"]
    assert as_counter(found, "severity") == Counter(record.severity for record in validation)
    assert as_counter(found, "class") == Counter(record.error_class for record in both)
    assert [entry.value for entry in found.facets["severity"] if entry.selected] == ["error"]
    assert found.growth == ()


def test_records_over_revisions_come_and_go(make_view, tmp_path):
    def at(first, retired, name):
        view = make_view(error_message=name, retired=bool(retired))
        return type(view)(
            **{
                **{field: getattr(view, field) for field in view.__dataclass_fields__},
                "first_revision": first,
                "retired_revision": retired,
            }
        )

    views = [at(2, None, "a"), at(2, 3, "b"), at(4, None, "c"), at(4, None, "d")]
    prepare(5, base=None, changed=views, removed=(), directory=tmp_path).publish()
    scope = Scope(kind="repo", value="acme/rocket")
    found = overview(scope, facets=("severity",), revision=5, directory=tmp_path)
    assert found.growth == ((1, 0), (2, 2), (3, 1), (4, 3), (5, 3))
    assert found.count == found.growth[-1][1]


def test_many_revisions_become_few_points_that_end_at_the_last(make_view, tmp_path):
    last = 10 * tuning.GROWTH_POINTS + 7
    prepare(last, base=None, changed=[make_view()], removed=(), directory=tmp_path).publish()
    found = overview(Scope(kind="repo", value="acme/rocket"), facets=(), revision=last, directory=tmp_path)
    assert 2 < len(found.growth) <= tuning.GROWTH_POINTS + 1
    assert found.growth[-1] == (last, 1)
    assert {count for _, count in found.growth} == {1}


def test_what_nothing_is_filed_under_counts_nothing(index, tmp_path):
    found = counted(index, "family", "nothing")
    assert (found.count, found.facets["severity"], {count for _, count in found.growth}) == (0, (), {0})
    assert overview(Scope(kind="tag", value="a"), facets=(), revision=0, directory=tmp_path) == Overview(revision=0)
    with pytest.raises(SearchUnavailable):
        overview(Scope(kind="tag", value="a"), facets=(), revision=1, directory=tmp_path)
