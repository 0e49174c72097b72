"""Match indexes of revisions: made with the import, in step with the catalog, refused when damaged."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.catalog.answers import MatchFact
from kb.matching.index import revisions
from kb.matching.index.build import build, update
from kb.matching.index.match_index import MatchIndex
from kb.matching.index.open import current_index, match_root, open_index
from kb.matching.index.revisions import prepare_facts, prune, rebuild, status, verify
from kb.search.errors import SearchUnavailable
from tests.imports.conftest import make_record, write_layout
from tests.matching.index_texts import fact

PATTERNS = [
    r"connection to (.+?) refused",
    r"the token (.+?) has expired at (.+?)",
    r"no such file",
    r"a\.b: c\.d",
    r"connection \d+ lost",
    r"(.+?)",
    "",
    r"é error of (.+?)",
]
TEXT = "the token 'x' has expired at noon\nconnection to db refused\nno such file: y\nconnection 12 lost\na.b: c.d"


def everything(index: MatchIndex) -> dict[str, Any]:
    """What an index answers, by names that do not depend on how it numbers rows and patterns."""
    facts = [index.facts(row) for row in range(index.records)]

    def ids(rows: Iterable[int]) -> set[str]:
        return {facts[row].id for row in rows}

    return {
        "facts": {
            one.id: (*one_values(one), index.pattern_text(one.pattern) if one.pattern >= 0 else "") for one in facts
        },
        "found": {
            (index.pattern_text(one.pattern), one.strict, one.partial, one.start, one.end, one.gaps, one.matched)
            for one in index.find(TEXT)
        },
        "rows": {index.pattern_text(number): ids(index.rows_of(number)) for number in range(index.patterns)},
        "class": {name: ids(index.by_class(name)) for name in ("TokenError", "a.b.tokenerror", "OSError", "")},
        "code": {name: ids(index.by_code(name)) for name in ("E1", "e1", "E2", "")},
        "path": {name: ids(index.by_path(name)) for name in ("/x/lib/tool.py", "tool.py", "src/lib/other.py", "")},
        "message": {text: ids(index.by_message(text)) for text in ("No “such” file.", "other")},
        "words": {word: index.commonness(word) for word in ("connection", "token", "file", "nothing", "é")},
        "id": {one.id: ids(index.by_id(one.id)) for one in facts},
        "counts": (index.records, index.patterns, index.refused),
    }


def one_values(facts: Any) -> tuple[Any, ...]:
    """The facts without the numbers of the index."""
    return (
        facts.id, facts.cls, facts.code, facts.path, facts.line, facts.function, facts.repo, facts.status,
        facts.language, facts.group, facts.retired, facts.quality, facts.message_key,
    )  # fmt: skip


@st.composite
def facts_of(draw: st.DrawFn, number: int) -> MatchFact:
    """A record with some of a few values."""
    return fact(
        number,
        draw(st.sampled_from(PATTERNS)),
        cls=draw(st.sampled_from([None, "TokenError", "a.b.TokenError", "OSError", "os::OSError", "É.é"])),
        code=draw(st.sampled_from([None, "E1", "e1", "E2"])),
        message=draw(st.sampled_from(["No such 'file'", "other", "ü"])),
        path=draw(st.sampled_from(["lib/tool.py", "tool.py", "src/lib/other.py", "Lib\\Tool.py"])),
        line=draw(st.sampled_from([None, 1, 70_000])),
        function=draw(st.sampled_from(["", "run", "main"])),
        status=draw(st.sampled_from([None, 404])),
    )


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_an_updated_index_equals_a_built_one(data: st.DataObject) -> None:
    """Whatever was changed, added and removed, in several steps."""
    held = {number: data.draw(facts_of(number)) for number in data.draw(st.sets(st.integers(0, 12)))}
    arrays = build(held.values())
    for _ in range(2):
        changed = data.draw(st.sets(st.integers(0, 16), max_size=6))
        stays = {number for number in changed if data.draw(st.booleans())}
        fresh = {number: data.draw(facts_of(number)) for number in stays}
        held = {**{number: one for number, one in held.items() if number not in changed}, **fresh}
        arrays = update(arrays, [f"{number + 1:016x}" for number in changed], fresh.values())
    built, updated = everything(MatchIndex(1, build(held.values()))), everything(MatchIndex(2, arrays))
    assert updated == built


def test_facts_come_back() -> None:
    """Each value as it was given, groups by the id that stands for them."""
    given_facts = [
        fact(
            0, "no such file", cls="a.B", code="E-1", path="src/a/b.py", line=9, function="run", status=404, quality=98
        ),
        fact(1, "", cls=None, group=f"{1:016x}", language="", repo="x/y", path="Makefile"),
    ]
    index = MatchIndex(3, build(given_facts))
    by_id = {index.facts(row).id: index.facts(row) for row in range(2)}
    one, other = by_id[f"{1:016x}"], by_id[f"{2:016x}"]
    assert (one.cls, one.code, one.path, one.line, one.function, one.status) == (
        "a.B",
        "E-1",
        "src/a/b.py",
        9,
        "run",
        404,
    )
    assert (one.group, one.quality, index.pattern_text(one.pattern)) == (one.id, 98, "no such file")
    assert (other.pattern, other.cls, other.code, other.status, other.group) == (-1, None, None, None, one.id)
    assert index.alike([one.id]) == {one.id, other.id}


def test_paths_of_frames_find_files() -> None:
    """By as many last parts as agree, at least two where both have two."""
    paths = ["src/tool/core/run.py", "other/core/run.py", "run.py", "tool/Sub/Run.java"]
    index = MatchIndex(1, build(fact(number, "no such file", path=path) for number, path in enumerate(paths)))

    def found(path: str) -> set[str]:
        return {index.facts(row).path for row in index.by_path(path)}

    assert found("/usr/lib/site-packages/tool/core/run.py") == {"src/tool/core/run.py", "other/core/run.py"}
    assert found("C:\\x\\core\\run.py") == {"src/tool/core/run.py", "other/core/run.py"}
    assert found("/home/me/run.py") == {"run.py"}
    assert found("tool/sub/Run.java") == {"tool/Sub/Run.java"}
    assert found("") == found("/") == found("nothing.py") == set()


def prepared(tmp_path: Path, count: int = 3) -> Path:
    """The folder of a published index of revision 1."""
    prepare_facts(1, [fact(n, f"pattern number {n} of many") for n in range(count)], directory=tmp_path).publish()
    return match_root(tmp_path) / "1"


@pytest.mark.parametrize("name", ["arrays.bin", "contents.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["flipped", "shortened", "removed", "emptied"])
def test_a_damaged_index_is_refused(tmp_path: Path, name: str, damage: str) -> None:
    """Any file of it, in any way."""
    path = prepared(tmp_path) / name
    content = bytearray(path.read_bytes())
    if damage == "removed":
        path.unlink()
    elif damage == "flipped":
        content[len(content) // 2] ^= 1 if name != "manifest.json" else 0x80
        path.write_bytes(content)
    else:
        path.write_bytes(content[:-1] if damage == "shortened" else b"")
    if (name, damage) == ("manifest.json", "shortened"):
        return  # only its last line break is gone
    with pytest.raises(SearchUnavailable, match="revision 1"):
        open_index(1, directory=tmp_path)
    assert not revisions.is_usable(1, directory=tmp_path)
    assert verify(1, directory=tmp_path)
    assert status(directory=tmp_path).problem


def test_an_index_of_another_version_is_refused(tmp_path: Path) -> None:
    """Not read by a program that would understand it otherwise."""
    manifest = prepared(tmp_path) / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"match-', '"other-'))
    with pytest.raises(SearchUnavailable, match="another version"):
        open_index(1, directory=tmp_path)


def test_the_newest_usable_index_serves(tmp_path: Path) -> None:
    """One that is missing or damaged is passed over; later revisions are not looked at."""
    with pytest.raises(SearchUnavailable):
        current_index(5, directory=tmp_path)
    for revision in (1, 2, 3, 7):
        prepare_facts(revision, [fact(0, "no such file")], directory=tmp_path).publish()
    assert current_index(5, directory=tmp_path).revision == 3
    (match_root(tmp_path) / "3" / "arrays.bin").write_bytes(b"")
    (match_root(tmp_path) / "3" / "manifest.json").touch()
    assert current_index(5, directory=tmp_path).revision == 2
    prune({1}, directory=tmp_path)
    assert current_index(5, directory=tmp_path).revision == 1
    assert status(directory=tmp_path).revisions == (1,)


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    """Neither a fault while building nor a discarded index."""

    def failing() -> Iterable[MatchFact]:
        yield fact(0, "no such file")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare_facts(1, failing(), directory=tmp_path)
    prepare_facts(1, [], directory=tmp_path).discard()
    assert list(match_root(tmp_path).iterdir()) == []


def test_what_a_killed_import_left_is_removed(tmp_path: Path) -> None:
    """By the next one, or by looking after the indexes."""
    for name in (".next-4-0a", ".old-3-0b"):
        (match_root(tmp_path) / name).mkdir(parents=True)
        prune({1}, directory=tmp_path)
        assert list(match_root(tmp_path).iterdir()) == []


# --- with the catalog -------------------------------------------------------------------------------------------------

ImportSources = Callable[..., Any]


def source_of(tmp_path: Path, version: int, rows: list[dict[str, Any]]) -> Path:
    """A complete dataset of these records."""
    return write_layout(tmp_path / f"v{version}", rows, version=f"2026-01-{version:02}T00:00:00.000Z")


def test_each_revision_has_its_index(import_sources: ImportSources, tmp_path: Path) -> None:
    """Updated from the one before, equal to one built anew: changed, retired, restored and regrouped records."""
    rng = random.Random(7)
    rows = [make_record(number) for number in range(1, 40)]
    copies = [make_record(number, errorMessage="one message", messagePattern="one message") for number in range(50, 54)]
    for version in range(1, 6):
        offered = [row for row in [*rows, *copies] if version == 1 or rng.random() < 0.8]
        offered = [{**row, "lineNumber": version} if rng.random() < 0.2 else row for row in offered]
        report = import_sources(source_of(tmp_path, version, offered), dataset="made", confirm=True)
        updated = everything(open_index(report.revision))
        rebuild(report.revision)
        assert everything(open_index(report.revision)) == updated
        assert updated["counts"][0] == len(offered)
        assert verify(report.revision) == []


def test_a_duplicate_that_others_stood_for_moves_its_group(import_sources: ImportSources, tmp_path: Path) -> None:
    """When the record that stands for a group goes, the others follow, though nothing in them changed."""
    rows = [make_record(n, errorMessage="one message", messagePattern="one message") for n in (1, 2, 3)]
    rows = [{**row, "slug": f"copy-{n}", "lineNumber": 5} for n, row in enumerate(rows)]
    report = import_sources(source_of(tmp_path, 1, rows), dataset="made")
    index = open_index(report.revision)
    head = {index.facts(row).group for row in range(3)}
    assert len(head) == 1
    left = [row for row in rows if row["id"] not in head]
    report = import_sources(source_of(tmp_path, 2, left), dataset="made", confirm=True)
    index = open_index(report.revision)
    assert {index.facts(row).group for row in range(2)} < {row["id"] for row in left}


def test_a_duplicate_that_leaves_its_group_moves_it(import_sources: ImportSources, tmp_path: Path) -> None:
    """Its message changed, so that nothing in the others tells any more that they belonged together."""
    rows = [make_record(n, errorMessage="one message", messagePattern="one message") for n in (1, 2, 3)]
    rows = [{**row, "slug": f"copy-{n}", "lineNumber": 5} for n, row in enumerate(rows)]
    others = [make_record(n) for n in range(10, 30)]  # so that the change is small
    report = import_sources(source_of(tmp_path, 1, [*rows, *others]), dataset="made")
    index = open_index(report.revision)
    (head,) = {index.facts(int(index.by_id(row["id"])[0])).group for row in rows}
    changed = {"errorMessage": "another message", "messagePattern": "another message"}
    now = [{**row, **changed} if row["id"] == head else row for row in rows]
    report = import_sources(source_of(tmp_path, 2, [*now, *others]), dataset="made")
    index = open_index(report.revision)
    groups = {row["id"]: index.facts(int(index.by_id(row["id"])[0])).group for row in rows}
    left = {group for record_id, group in groups.items() if record_id != head}
    assert groups[head] == head
    assert len(left) == 1
    assert head not in left


def test_a_failed_commit_takes_the_match_index_away(
    transactional_db: None, import_sources: ImportSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no reader takes it for the index of a revision that came later."""
    from kb.imports.ledger import Ledger
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    import_sources(source_of(tmp_path, 1, [make_record(1)]), dataset="made")
    close = Ledger.close

    def failing(self: Ledger, *args: Any, **options: Any) -> None:
        if options.get("state") == "published":
            raise OSError(28, "No space left on device")
        close(self, *args, **options)

    monkeypatch.setattr(Ledger, "close", failing)
    report = run_import([source_of(tmp_path, 2, [make_record(2)])], ImportOptions(dataset="made", confirm=True))
    assert report.outcome == "failed"
    assert status().revisions == (1,)


def test_sync_index_makes_a_damaged_match_index_anew(
    transactional_db: None, import_sources: ImportSources, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And leaves the sound search index alone."""
    from django.core.management import call_command

    import_sources(source_of(tmp_path, 1, [make_record(1)]), dataset="made")
    folder = match_root() / "1"
    (folder / "arrays.bin").write_bytes(b"")
    (folder / "manifest.json").touch()
    assert not revisions.is_usable(1)
    call_command("sync_index")
    assert revisions.is_usable(1)
    assert capsys.readouterr().out.splitlines() == [
        "The search index of revision 1 is as it should be.",
        "The match index of revision 1 was made anew.",
    ]
