"""Searching a small catalog: what is found, in which order, and what the answer says."""

from __future__ import annotations

import pytest

from kb.search import tuning
from kb.search.engine import search
from kb.search.errors import BadSearchCursor, SearchCursorExpired, SearchUnavailable
from kb.search.index import prepare, prune


@pytest.fixture(scope="module")
def ask(directory):
    def asked(text="", **options):
        return search(text, revision=1, directory=directory, **options)

    return asked


@pytest.fixture(scope="module")
def slugs(ask, catalog):
    names = {view.record.id: view.record.slug for view in catalog}

    def found(text="", **options):
        return [names[hit.id] for hit in ask(text, **options).hits]

    return found


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("E0382", "e0382"),
        ("e0382", "e0382"),
        ("err_bad_response", "err-bad-response"),
        ("ERR_BAD_RESPONSE", "err-bad-response"),
        ("bad response", "err-bad-response"),
        ("ConnectionError", "connection-refused"),
        ("java.lang.NullPointerException", "npe"),
        ("NullPointerException", "npe"),
        ("null pointer exception", "npe"),
        ("null pointer", "npe"),
        ("require non null", "npe"),
        ("requireNonNull()", "npe"),
        ("borrow of moved value: `{}`", "e0382"),
        ("econnaborted timeout", "econnaborted"),
        ("timeout of {ms}ms exceeded", "econnaborted"),
        ("openjdk/jdk", "npe"),
        ("requests/adapters.py", "connection-refused"),
        ("权限不足", "permission"),
        ("文件", "permission"),
        ("件", "permission"),
        ("cafe", "cafe-not-found"),
        ("CAFÉ", "cafe-not-found"),
        ("strasse", "cafe-not-found"),
        ("request=request", "connection-refused"),
        ("bad-upstream-response", "err-bad-response"),
        ('"took longer than"', "econnaborted"),
        ("ｅ０３８２", "e0382"),
    ],
)
def test_finds_first(slugs, text, first):
    assert slugs(text)[:1] == [first]


def test_an_id_finds_its_record(ask, catalog):
    for view in catalog:
        if not view.row.retired:
            assert [hit.id for hit in ask(view.record.id).hits] == [view.record.id]


def test_a_whole_message_comes_first(ask, catalog):
    for view in catalog:
        if not view.row.retired:
            assert ask(view.record.error_message).hits[0].id == view.record.id


def test_a_code_comes_before_its_mention(slugs):
    assert slugs("ERR_BAD_RESPONSE") == ["err-bad-response", "econnaborted"]


def test_all_words_are_required(slugs):
    assert slugs("status outside") == ["err-bad-response"]
    assert slugs("network refuses") == ["connection-refused"]


def test_filters_and_exclusions_hold_for_exact_hits_too(slugs):
    assert slugs("E0382") == ["e0382"]
    assert slugs("repo:axios/axios E0382") == []
    assert slugs("E0382", filters={"repo": ["axios/axios"]}) == []
    assert slugs("E0382 -moved") == []


def test_a_message_that_reads_like_a_query_is_found(publish, make_view):
    messages = ["cannot use code:500 here", "expected -x or y", 'say "a b" to c', "type:nonsense value"]
    directory = publish(make_view(id=f"{number:016x}", error_message=text) for number, text in enumerate(messages))
    for number, text in enumerate(messages):
        assert search(text, revision=1, directory=directory).hits[0].id == f"{number:016x}"


def test_exclusions(slugs):
    assert set(slugs("network")) == {"err-bad-response", "econnaborted", "connection-refused"}
    assert set(slugs("network -timeout")) == {"err-bad-response", "connection-refused"}
    assert slugs('network -timeout -"nothing listens"') == ["err-bad-response"]
    assert set(slugs("-network -timeout -acme -null")) == {"e0382"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("repo:axios/axios", ["econnaborted", "err-bad-response"]),
        ("repo:AXIOS", ["econnaborted", "err-bad-response"]),
        ("repo:requests", ["connection-refused"]),
        ("severity:critical severity:warning", ["connection-refused", "e0382"]),
        ("type:http", ["econnaborted", "err-bad-response"]),
        ("class:axioserror", ["econnaborted", "err-bad-response"]),
        ("class:NullPointerException", ["npe"]),
        ("code:e0382", ["e0382"]),
        ("strategy:type-guard", ["npe"]),
        ("family:timeout", ["econnaborted"]),
        ("tag:network tag:timeout", ["econnaborted"]),
        ("tag:network -repo:axios", ["connection-refused"]),
        ("http:502", ["err-bad-response"]),
        ("http:5xx", ["err-bad-response"]),
        ("file:requests/adapters.py", ["connection-refused"]),
        ("file:settle.js", ["err-bad-response"]),
        ("lang:rust", ["e0382"]),
        ("status:retired", ["retired-pool"]),
        ("status:all repo:requests", ["connection-refused", "retired-pool"]),
        ("repo:nobody", []),
        ("file:///", []),
    ],
)
def test_filters(slugs, text, found):
    assert slugs(text) == found


def test_filters_beside_the_text(slugs):
    assert slugs("timeout", filters={"repo": ["axios/axios"], "tag": ["timeout"]}) == ["econnaborted"]
    assert slugs("", filters={"severity": ["critical"]}) == ["e0382"]


def test_retired_records_are_found_on_demand_only(slugs):
    assert slugs("pool") == []
    assert slugs("pool status:retired") == ["retired-pool"]


def test_an_empty_text_lists_all_by_repository_and_slug(ask, catalog):
    current = sorted((view.record.repo, view.record.slug, view.record.id) for view in catalog if not view.row.retired)
    answer = ask("")
    assert [hit.id for hit in answer.hits] == [id for _, _, id in current]
    assert answer.count == len(current)


def test_facets_count_all_hits(ask):
    answer = ask("network", limit=1)
    assert answer.count == 3
    told = {
        name: [(value.value, value.count, value.selected) for value in values] for name, values in answer.facets.items()
    }
    assert told["repository"] == [("axios/axios", 2, False), ("psf/requests", 1, False)]
    assert told["language"] == [("JavaScript", 2, False), ("Python", 1, False)]
    assert told["tag"] == [("network", 3, False), ("http", 1, False), ("timeout", 1, False)]
    assert list(told) == ["repository", "language", "severity", "type", "family", "tag"]


def test_facets_on_demand_mark_what_is_selected(ask):
    answer = ask(
        "status:all repo:requests class:connectionerror", facets=("class", "code", "strategy", "status", "repository")
    )
    assert [(value.value, value.selected) for value in answer.facets["class"]] == [("ConnectionError", True)]
    assert [(value.value, value.selected) for value in answer.facets["repository"]] == [("psf/requests", True)]
    assert answer.facets["code"] == answer.facets["strategy"] == ()
    with pytest.raises(ValueError, match="nope"):
        ask("", facets=("nope",))


@pytest.mark.parametrize(
    ("text", "first", "meant"),
    [
        ("conection refused", "connection-refused", "connection refused"),
        ("Timeuot exceeded", "econnaborted", "timeout exceeded"),
        ("nullpointerexeption", "npe", "nullpointerexception"),
        ("repo:axios timeuot", "econnaborted", "repo:axios timeout"),
    ],
)
def test_typing_errors(ask, slugs, text, first, meant):
    answer = ask(text)
    assert answer.relaxed == "typo"
    assert answer.did_you_mean == meant
    assert slugs(text)[0] == first


def test_codes_are_not_corrected(ask):
    assert ask("E0383").count == 0
    assert ask("E0383").did_you_mean is None


def test_most_words_when_not_all_are_there(ask, slugs):
    answer = ask("timeout of 5000ms exceeded")
    assert answer.relaxed == "some_words"
    assert slugs("timeout of 5000ms exceeded")[0] == "econnaborted"


def test_filters_are_never_relaxed(ask):
    assert ask("repo:rust-lang/rust timeout of 5000ms exceeded").count == 0


def test_an_exact_answer_is_not_relaxed(ask):
    assert ask("connection refused").relaxed is None
    assert ask("connection refused").did_you_mean is None


def test_nothing_to_search_is_said(ask):
    answer = ask("-> ??")
    assert answer.count == 0
    assert [problem.code for problem in answer.problems] == ["nothing_to_search"]


def test_problems_come_with_the_answer(ask):
    answer = ask("severity:fatal timeout", filters={"type": ["odd"]})
    assert [problem.code for problem in answer.problems] == ["unknown_value", "unknown_value"]
    assert answer.count == 1


def test_highlights_join_to_the_text(ask, catalog):
    (hit,) = ask("longer timeout -refused").hits
    texts = dict(hit.highlights)
    assert "".join(text for text, _ in texts["message"]) == "timeout of {ms}ms exceeded"
    assert [text for text, marked in texts["message"] if marked] == ["timeout"]
    assert [text for text, marked in texts["documentation"] if marked] == ["longer", "timeout"]


def test_revision_zero_is_an_empty_catalog(tmp_path):
    answer = search("anything", revision=0, directory=tmp_path)
    assert (answer.count, answer.hits, answer.facets["tag"]) == (0, (), ())


def test_without_an_index_there_is_a_reason(tmp_path):
    with pytest.raises(SearchUnavailable) as problem:
        search("x", revision=3, directory=tmp_path)
    assert "revision 3" in problem.value.reason


@pytest.fixture(scope="module")
def many(make_view, publish):
    return publish(
        make_view(id=f"{number:016x}", slug=f"s{number}", error_message="the same") for number in range(2100)
    )


def test_pages_join_to_the_whole_list_and_stop_at_the_cap(many):
    seen, cursor, pages = [], None, 0
    while True:
        answer = search("same", revision=1, cursor=cursor, limit=100, facets=(), directory=many)
        assert answer.count == 2100
        assert answer.capped
        seen += [hit.id for hit in answer.hits]
        pages += 1
        cursor = answer.next
        if cursor is None:
            break
    assert pages == tuning.MAX_RANKED / 100
    assert len(set(seen)) == len(seen) == tuning.MAX_RANKED


def test_equal_scores_come_by_id(make_view, publish):
    ids = ["ffffffffffffffff", "0000000000000001", "8000000000000000"]
    directory = publish(make_view(id=id, error_message="the same") for id in ids)
    assert [hit.id for hit in search("same", revision=1, directory=directory).hits] == sorted(ids)
    first = search("same", revision=1, directory=directory, limit=1)
    assert [hit.id for hit in first.hits] == sorted(ids)[:1]


def test_facets_of_many_hits_are_counted_once(many, monkeypatch):
    first = search("same", revision=1, facets=("status", "tag"), limit=1, directory=many)
    assert [(value.value, value.count) for value in first.facets["status"]] == [("current", 2100)]

    def refuse(*_arguments, **_options):
        raise AssertionError

    monkeypatch.setattr("kb.search.engine.count_facets", refuse)
    second = search("same", revision=1, facets=("status", "tag"), limit=1, cursor=first.next, directory=many)
    assert second.facets == first.facets
    with pytest.raises(AssertionError):
        search("same", revision=1, facets=("status",), directory=many)
    with pytest.raises(AssertionError):
        search("same", filters={"status": ["all"]}, revision=1, facets=("status", "tag"), directory=many)


def test_foreign_cursors_are_refused(many):
    cursor = search("same", revision=1, limit=10, directory=many).next
    assert search("same", revision=1, limit=10, cursor=cursor, directory=many).hits
    for text, wrong in [("other", cursor), ("same", "x"), ("same", "é" * 14), ("same", "A" * 14), ("same", "")]:
        with pytest.raises(BadSearchCursor):
            search(text, revision=1, cursor=wrong, directory=many)


def test_a_list_goes_on_in_its_revision_and_expires_with_it(make_view, publish):
    views = [make_view(id=f"{number:016x}", error_message="the same") for number in range(4)]
    directory = publish(views)
    first = search("same", revision=1, limit=2, directory=directory)
    prepare(2, base=1, changed=(), removed=[views[3].record.id], directory=directory).publish()
    second = search("same", revision=2, limit=2, cursor=first.next, directory=directory)
    assert (second.revision, [hit.id for hit in second.hits]) == (1, [view.record.id for view in views[2:]])
    prune({2}, directory=directory)
    with pytest.raises(SearchCursorExpired):
        search("same", revision=2, limit=2, cursor=first.next, directory=directory)
