"""What the indexes read of the catalog, and both of them made together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from kb.catalog import queries
from kb.catalog.search_answers import SearchFact
from kb.imports import indexing
from kb.imports.indexing import prepare_both
from kb.matching.index import beside
from kb.matching.index import revisions as match_index
from kb.matching.index.beside import Order
from kb.matching.index.files import read_arrays
from kb.search import index as search_index
from kb.search.engine import search
from kb.search.errors import SearchUnavailable
from tests.imports.conftest import make_record

DOOMED = "raise SystemExit(3)"


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
    changed = [SearchFact.of(view) for view in views if view.changed_revision == 2]
    assert list(queries.iter_search_changes(2)) == changed
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


def _records(count: int) -> list[dict[str, object]]:
    """Records of which some share their message and one is written in a way of its own."""
    return [make_record(number, errorMessage=f"engine {number // 2} failed", slug=f"s{number}",
                        sourceCode="def burn(self):\n    raise EngineError", sourceCodeStart=number)
            for number in range(1, count + 1)]  # fmt: skip


def _state(revision: int) -> tuple[dict[str, bytes], list[str], int]:
    """What the indexes of a revision say."""
    root = Path(settings.KB_INDEX_DIR)
    arrays = {name: array.tobytes() for name, array in read_arrays(root / "match" / str(revision)).items()}
    hits = [hit.id for hit in search("engine", revision=revision, limit=100).hits]
    return arrays, hits, search_index.status().documents or 0


def _both(revision: int, told: list[int] | None = None) -> tuple[dict[str, bytes], list[str], int]:
    counts: list[int] = [] if told is None else told
    made = prepare_both(revision, records=queries.state().records, advance=counts.append)
    for index in made:
        index.publish()
    assert {type(index) for index in made} == {search_index.Prepared, match_index.Prepared}
    assert search_index.verify(revision) == match_index.verify(revision) == []
    return _state(revision)


@pytest.fixture
def two_releases(run, layout):
    """A catalog of two revisions: some records changed, came and went."""
    first = _records(40)
    run(layout(first))
    changed = [{**one, "documentation": "Other words."} if place % 9 == 0 else one for place, one in enumerate(first)]
    report = run(layout([*changed, *_records(44)[40:]]))
    assert report.revision == 2


def _starting(program: str):
    """What starts this program in place of the one that makes an index."""

    def start(*_words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    return start


@pytest.fixture
def processes(monkeypatch):
    """How many other processes were started; small catalogs count as large."""
    started = []

    class Counted(beside.Process):
        def __init__(self, order: Order) -> None:
            super().__init__(order)
            started.append(self)

    monkeypatch.setattr(match_index, "Process", Counted)
    monkeypatch.setattr(indexing, "_WORTH_A_PROCESS", 0)
    monkeypatch.setattr(indexing, "cores", lambda: 2)
    return started


@pytest.mark.parametrize("anew", [True, False], ids=["from nothing", "from the revision before"])
def test_another_process_makes_the_same_index(two_releases, processes, monkeypatch, anew):
    if anew:
        search_index.prune({2})
        match_index.prune({2})
    told: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(indexing, "_WORTH_A_PROCESS", 100)
        here = _both(2)
    assert processes == []
    assert _both(2, told) == here
    assert sum(told) == sum(anew or view.changed_revision == 2 for view in queries.iter_records())
    assert len(processes) == 1


@pytest.mark.parametrize("kind", [search_index, match_index], ids=["search", "match"])
def test_one_of_them_is_made_anew(two_releases, processes, monkeypatch, kind):
    kind.prune({2})
    with monkeypatch.context() as patched:
        patched.setattr(indexing, "_WORTH_A_PROCESS", 100)
        here = _both(2)
    assert _both(2) == here
    assert len(processes) == 1


@pytest.mark.parametrize("program", [DOOMED, "import sys; sys.stdin.buffer.read(100)"], ids=["failed", "killed"])
def test_what_a_process_leaves_undone_is_done_here(two_releases, processes, monkeypatch, program):
    monkeypatch.setattr(beside, "start_program", _starting(program))
    here = _state(2)
    assert _both(2) == here
    assert len(processes) == 1


def test_where_no_process_can_be_started_it_is_done_here(two_releases, processes, monkeypatch):
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(beside, "start_program", refuse)
    here = _state(2)
    assert _both(2) == here
    assert processes == []


def test_an_interruption_leaves_nothing_behind(two_releases, processes):
    root = Path(settings.KB_INDEX_DIR)
    before = sorted(path.relative_to(root) for path in root.rglob("*"))

    def stop(_count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare_both(2, records=44, advance=stop)
    assert sorted(path.relative_to(root) for path in root.rglob("*")) == before
    assert processes[0]._process.poll() is not None


@pytest.mark.parametrize("worth", [0, 100])
def test_when_one_index_fails_the_other_goes_too(two_releases, processes, monkeypatch, worth):
    def fail(*_args: object, **_options: object) -> None:
        raise SearchUnavailable("no")

    monkeypatch.setattr(indexing, "_WORTH_A_PROCESS", worth)
    monkeypatch.setattr(beside, "start_program", _starting(DOOMED))
    monkeypatch.setattr(match_index, "prepare", fail)
    root = Path(settings.KB_INDEX_DIR)
    before = sorted(path.relative_to(root) for path in root.rglob("*"))
    with pytest.raises(SearchUnavailable, match="no"):
        prepare_both(2, records=44)
    assert sorted(path.relative_to(root) for path in root.rglob("*")) == before


def test_the_other_process_ends_without_an_index_when_its_rows_end_early(tmp_path):
    order = Order(revision=1, folder=str(tmp_path))
    program = (
        "import struct, sys, time\n"
        "import msgspec\n"
        "from kb.matching.index.beside import Order, Process\n"
        f"Process(Order(revision=1, folder={order.folder!r})).add([])\n"
        "import os; os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (9, b"")  # standard error is closed when the other process has ended, too
    assert list(tmp_path.iterdir()) == []
