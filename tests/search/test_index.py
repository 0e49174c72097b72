"""The life of an index: built, switched, damaged, removed."""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import subprocess
import sys
import threading
import weakref
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from kb.search import library, tuning
from kb.search.engine import search
from kb.search.errors import SearchUnavailable
from kb.search.facets import FACETS
from kb.search.files import MANIFEST
from kb.search.index import is_usable, is_worn, prepare, prune, rebuild, status, verify
from kb.search.open import open_revision


def _views(make_view, count, **fields):
    return [
        make_view(
            id=f"{number:016x}",
            slug=f"s{number}",
            repo=f"acme/r{number % 7}",
            error_message=f"failure number{number} in part{number % 10}",
            tags=(f"t{number % 5}",),
            **fields,
        )
        for number in range(count)
    ]


def _ids(directory, revision, text="failure"):
    ids, cursor = [], None
    while True:
        answer = search(text, revision=revision, limit=100, cursor=cursor, facets=(), directory=directory)
        assert answer.revision == revision
        ids += [hit.id for hit in answer.hits]
        cursor = answer.next
        if cursor is None:
            return ids


def _bytes(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_nothing_is_seen_before_publish(tmp_path, make_view):
    prepared = prepare(1, base=None, changed=_views(make_view, 3), removed=(), directory=tmp_path)
    assert prepared.documents == 3
    assert not is_usable(1, directory=tmp_path)
    assert status(directory=tmp_path).revisions == ()
    prepared.publish()
    assert is_usable(1, directory=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1"]


def test_discard_removes_before_and_after_publish(tmp_path, make_view):
    prepare(1, base=None, changed=_views(make_view, 3), removed=(), directory=tmp_path).discard()
    assert list(tmp_path.iterdir()) == []
    prepared = prepare(1, base=None, changed=_views(make_view, 3), removed=(), directory=tmp_path)
    prepared.publish()
    prepared.discard()
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_build_leaves_nothing(tmp_path, make_view):
    def breaking():
        yield make_view()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(1, base=None, changed=breaking(), removed=(), directory=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_update_equals_a_full_build(tmp_path, make_view):
    views = _views(make_view, 300)
    changed = [
        make_view(id=view.record.id, slug="new", repo="acme/new", error_message="failure changed")
        for view in views[5:300:10]
    ]
    added = [make_view(id=f"{number:016x}", error_message="failure added") for number in range(1000, 1020)]
    removed = [view.record.id for view in views[:300:50]]
    prepare(1, base=None, changed=views, removed=(), directory=tmp_path / "a").publish()
    prepare(2, base=1, changed=[*changed, *added], removed=removed, directory=tmp_path / "a").publish()
    final = {view.record.id: view for view in (*views, *changed, *added)}
    for id in removed:
        final.pop(id)
    rebuild(2, [final[id] for id in sorted(final)], directory=tmp_path / "b")
    for text in ("", "failure", "failure changed", "added", "part3", "tag:t1", "-tag:t1", "number5", "repo:acme/new"):
        first = search(text, revision=2, facets=FACETS, limit=100, directory=tmp_path / "a")
        second = search(text, revision=2, facets=FACETS, limit=100, directory=tmp_path / "b")
        assert first.count == second.count
        assert first.facets == second.facets
        assert set(_ids(tmp_path / "a", 2, text)) == set(_ids(tmp_path / "b", 2, text))
    assert _ids(tmp_path / "a", 2, "") == _ids(tmp_path / "b", 2, "")


def test_an_update_leaves_the_revision_before_as_it_was(tmp_path, make_view):
    prepare(1, base=None, changed=_views(make_view, 50), removed=(), directory=tmp_path).publish()
    before = _bytes(tmp_path / "1")
    changed = [make_view(id=f"{3:016x}", error_message="another failure")]
    prepare(2, base=1, changed=changed, removed=[f"{4:016x}"], directory=tmp_path).publish()
    assert _bytes(tmp_path / "1") == before
    assert len(_ids(tmp_path, 1)) == 50
    assert len(_ids(tmp_path, 2)) == 49
    shared = {path.stat().st_ino for path in (tmp_path / "1").rglob("*")} & {
        path.stat().st_ino for path in (tmp_path / "2").rglob("*")
    }
    assert shared  # hard links: unchanged files are not copied
    assert verify(2, directory=tmp_path) == []


def test_without_hard_links_files_are_copied(tmp_path, make_view, monkeypatch):
    prepare(1, base=None, changed=_views(make_view, 5), removed=(), directory=tmp_path).publish()

    def refuse(source, target):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    prepare(2, base=1, changed=(), removed=[f"{1:016x}"], directory=tmp_path).publish()
    assert len(_ids(tmp_path, 2)) == 4
    assert verify(2, directory=tmp_path) == []


def test_the_same_change_gives_the_same_answers(tmp_path, make_view):
    for name in ("a", "b"):
        prepare(1, base=None, changed=_views(make_view, 40), removed=(), directory=tmp_path / name).publish()
    for text in ("failure", "part3 failure", ""):
        answers = [search(text, revision=1, facets=FACETS, directory=tmp_path / name) for name in ("a", "b")]
        assert answers[0] == answers[1]


def test_an_unknown_base_is_refused(tmp_path, make_view):
    with pytest.raises(SearchUnavailable, match="no index of revision 7"):
        prepare(8, base=7, changed=(), removed=(), directory=tmp_path)


def test_a_node_without_the_revision_answers_from_the_newest_before_it(tmp_path, make_view):
    prepare(3, base=None, changed=_views(make_view, 5), removed=(), directory=tmp_path).publish()
    prepare(4, base=3, changed=_views(make_view, 9), removed=(), directory=tmp_path).publish()
    assert search("failure", revision=9, directory=tmp_path).revision == 4
    assert search("failure", revision=3, directory=tmp_path).count == 5
    with pytest.raises(SearchUnavailable):
        search("failure", revision=2, directory=tmp_path)
    assert is_usable(4, directory=tmp_path)
    assert not is_usable(9, directory=tmp_path)


@pytest.mark.parametrize("suffix", [".term", ".store", ".fast", ".idx", "meta.json", MANIFEST])
@pytest.mark.parametrize("harm", ["truncate", "remove"])
def test_a_damaged_file_is_noticed_at_opening(tmp_path, make_view, suffix, harm):
    prepare(1, base=None, changed=_views(make_view, 5), removed=(), directory=tmp_path).publish()
    victim = next(path for path in sorted((tmp_path / "1").rglob("*")) if path.name.endswith(suffix))
    if harm == "remove":
        victim.unlink()
    else:
        victim.write_bytes(victim.read_bytes()[:-3])
    with pytest.raises(SearchUnavailable) as problem:
        search("failure", revision=1, directory=tmp_path)
    assert "revision 1" in problem.value.reason
    assert str(tmp_path) not in problem.value.reason
    assert not is_usable(1, directory=tmp_path)
    assert status(directory=tmp_path).problem == problem.value.reason
    assert verify(1, directory=tmp_path)


def _flip(path):
    content = bytearray(path.read_bytes())
    for position in range(len(content) // 4, len(content) // 2):
        content[position] ^= 0xFF
    path.write_bytes(bytes(content))


def test_flipped_bits_are_found_by_sums_and_take_the_index_out_once_they_hurt(tmp_path, make_view):
    views = _views(make_view, 200, documentation="one two three " * 20)
    prepare(1, base=None, changed=views, removed=(), directory=tmp_path).publish()
    _flip(next((tmp_path / "1" / "records").glob("*.store")))
    assert is_usable(1, directory=tmp_path)  # nobody reads 200 MB at each start
    (said,) = verify(1, directory=tmp_path)
    assert "SHA-256" in said
    for _ in range(2):
        with pytest.raises(SearchUnavailable, match="damaged"):
            search("failure", revision=1, limit=100, directory=tmp_path)
    assert not is_usable(1, directory=tmp_path)
    rebuild(1, views, directory=tmp_path)
    assert search("failure", revision=1, directory=tmp_path).count == 200


def test_a_panic_on_a_sound_index_fails_one_query_only(tmp_path, make_view, monkeypatch):
    prepare(1, base=None, changed=_views(make_view, 5), removed=(), directory=tmp_path).publish()
    opened = open_revision(1, directory=tmp_path)

    def panic(*_arguments, **_options):
        from tantivy import Query

        Query.phrase_query(opened.schema, "message", ["alone"])  # the library panics at a phrase of one word

    with monkeypatch.context() as patch:
        patch.setattr("kb.search.engine.compose", panic)
        with pytest.raises(SearchUnavailable, match="inside the search library"):
            search("failure", revision=1, directory=tmp_path)
    assert search("failure", revision=1, directory=tmp_path).count == 5


def test_other_interruptions_pass_through_the_seam():
    with pytest.raises(KeyboardInterrupt), library.guarded("x"):
        raise KeyboardInterrupt


def test_another_format_asks_for_a_rebuild(tmp_path, make_view):
    prepare(1, base=None, changed=_views(make_view, 5), removed=(), directory=tmp_path).publish()
    path = tmp_path / "1" / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": "older"}))
    with pytest.raises(SearchUnavailable, match="another version"):
        search("failure", revision=1, directory=tmp_path)


def test_prune_keeps_what_it_is_told_and_open_indexes_go_on(tmp_path, make_view):
    for revision in (1, 2, 3):
        prepare(revision, base=None, changed=_views(make_view, revision), removed=(), directory=tmp_path).publish()
    opened = open_revision(1, directory=tmp_path)
    (tmp_path / ".next-9-dead").mkdir()
    (tmp_path / ".old-9-dead").mkdir()
    (tmp_path / "match").mkdir()
    prune({2, 3}, directory=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "3", "match"]
    assert opened.searcher.num_docs == 1
    assert opened.searcher.doc(_first(opened))["show_message"] == ["failure number0 in part0"]


def _first(opened):
    from tantivy import Query

    return opened.searcher.search(Query.all_query(), limit=1).hits[0][1]


def test_an_unfinished_build_of_a_living_process_is_left_alone(tmp_path, make_view):
    prepared = prepare(1, base=None, changed=_views(make_view, 1), removed=(), directory=tmp_path)
    prune((), directory=tmp_path)
    prepared.publish()
    assert is_usable(1, directory=tmp_path)


def test_status_tells_revisions_size_and_problem(tmp_path, make_view):
    assert status(directory=tmp_path).problem == "No index has been built yet."
    prepare(1, base=None, changed=_views(make_view, 1), removed=(), directory=tmp_path).publish()
    prepare(2, base=None, changed=_views(make_view, 2), removed=(), directory=tmp_path).publish()
    told = status(directory=tmp_path)
    assert (told.revisions, told.newest, told.documents, told.problem) == ((1, 2), 2, 2, None)
    size = sum(path.stat().st_size for path in (tmp_path / "2").rglob("*") if path.is_file())
    assert told.bytes == size - (tmp_path / "2" / MANIFEST).stat().st_size


def test_an_empty_catalog_has_an_index(tmp_path):
    prepare(1, base=None, changed=(), removed=(), directory=tmp_path).publish()
    assert search("x", revision=1, directory=tmp_path).count == 0
    assert search("", revision=1, facets=FACETS, directory=tmp_path).count == 0


def test_a_worn_index_says_so(tmp_path, make_view, monkeypatch):
    monkeypatch.setattr(tuning, "WORN_FROM", 1)
    prepare(1, base=None, changed=_views(make_view, 10), removed=(), directory=tmp_path).publish()
    prepare(2, base=1, changed=_views(make_view, 4), removed=(), directory=tmp_path).publish()
    assert not is_worn(2, directory=tmp_path)
    prepare(3, base=2, changed=_views(make_view, 2), removed=[f"{9:016x}"], directory=tmp_path).publish()
    assert is_worn(3, directory=tmp_path)


def test_another_process_reads_while_the_next_revision_is_built(tmp_path, make_view):
    prepare(1, base=None, changed=_views(make_view, 30), removed=(), directory=tmp_path).publish()
    program = (
        "import sys; from pathlib import Path; from kb.search.engine import search\n"
        "for line in sys.stdin:\n"
        "    answer = search('failure', revision=int(line), limit=5, directory=Path(sys.argv[1]))\n"
        "    print(answer.revision, answer.count, len(answer.hits), flush=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as reader:

        def ask(revision):
            reader.stdin.write(f"{revision}\n")
            reader.stdin.flush()
            return reader.stdout.readline().split()

        assert ask(1) == ["1", "30", "5"]
        seen = []

        def changed():
            for view in _views(make_view, 40):
                seen.append(ask(1))
                yield view

        prepared = prepare(2, base=1, changed=changed(), removed=(), directory=tmp_path)
        assert ask(1) == ["1", "30", "5"]
        prepared.publish()
        assert ask(2) == ["2", "40", "5"]
        prune({2}, directory=tmp_path)
        assert ask(2) == ["2", "40", "5"]
        reader.stdin.close()
    assert seen == [["1", "30", "5"]] * 40


def test_removed_indexes_are_let_go_when_another_is_opened(tmp_path, make_view):
    for revision in (1, 2):
        prepare(revision, base=None, changed=_views(make_view, revision), removed=(), directory=tmp_path).publish()
    gone = weakref.ref(open_revision(1, directory=tmp_path))
    assert open_revision(1, directory=tmp_path) is gone()
    prune({2}, directory=tmp_path)
    open_revision(2, directory=tmp_path)
    gc.collect()
    assert gone() is None


def test_facets_count_exactly_over_several_files(tmp_path, make_view, monkeypatch):
    monkeypatch.setattr(tuning, "FACET_CANDIDATES", 4)
    monkeypatch.setattr(tuning, "FACET_SEGMENT_VALUES", 4)
    views = _views(make_view, 200)
    tagged = [
        dataclasses.replace(view, record=msgspec.structs.replace(view.record, tags=(f"t{number * number % 23}", "all")))
        for number, view in enumerate(views)
    ]
    prepare(1, base=None, changed=tagged[:120], removed=(), directory=tmp_path).publish()
    prepare(2, base=1, changed=tagged[120:], removed=(), directory=tmp_path).publish()
    assert open_revision(2, directory=tmp_path).searcher.num_segments > 1
    counts = Counter(tag for view in tagged for tag in view.record.tags)
    for value in search("", revision=2, facets=("tag",), directory=tmp_path).facets["tag"]:
        assert value.count == counts[value.value]


def test_threads_share_an_open_index(directory):
    answers, faults = [], []

    def ask():
        try:
            for text in ("network", "ERR_BAD_RESPONSE", "timeuot", "权限不足") * 5:
                answers.append((text, search(text, revision=1, directory=directory)))  # noqa: PERF401  all before a fault
        except BaseException as fault:  # noqa: BLE001  whatever it was, the test must see it
            faults.append(fault)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    expected = {text: search(text, revision=1, directory=directory) for text, _ in answers}
    assert len(answers) == 120
    assert all(answer == expected[text] for text, answer in answers)
