"""A harvest as a whole: the same on any number of processes, again from the cache, and whatever a file does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kb.harvest.cache import HarvestCache
from kb.harvest.crew import Crew
from kb.harvest.dataset import Layout, NotOurs, by_repository, lines, replacing
from kb.harvest.packages import Origin
from kb.harvest.running import PackageHarvest, Plan, arranged, harvest
from kb.harvest.sources import source_subjects
from kb.harvest.work import Row, pack_rows
from kb.imports.sources.opening import open_source

RAISING = "def weigh(kilos):\n    if kilos > 30:\n        raise ValueError(f'parcel {number} weighs {kilos} kg')\n"


def project(folder: Path, **files: str) -> Path:
    """A directory of sources."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.py").write_text(content)
    return folder


def harvested(folder: Path, cache: Path | None = None, workers: int = 1) -> list[PackageHarvest]:
    with Crew(workers) as crew:
        plan = Plan(subjects=arranged(source_subjects(folder)))
        return list(harvest(plan, crew=crew, cache=HarvestCache(cache)))


def messages(found: list[PackageHarvest]) -> set[str]:
    return {msgspec.json.decode(row.raw)["errorMessage"] for part in found for row in part.rows()}


def work_that_may_end(number: int) -> int:
    """Doubles a number; the process ends at 3."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * 2


def test_a_job_that_ends_its_process_is_given_up_and_no_other() -> None:
    with Crew(2) as crew:
        done = dict(crew.run(work_that_may_end, [(number, number) for number in range(8)], here=False))
    assert done == {number: None if number == 3 else number * 2 for number in range(8)}


def test_where_no_process_can_be_started_the_work_is_done_here() -> None:
    program = (
        "from kb.harvest.crew import Crew\n"
        "with Crew(2) as crew: print(sorted(crew.run(abs, [(n, -n) for n in range(3)], here=False)))"
    )  # from standard input, which another process has no file of to begin with
    ended = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, check=False)
    assert ended.stdout == "[(0, 0), (1, 1), (2, 2)]\n", ended.stderr


def test_a_second_harvest_takes_everything_from_the_cache(tmp_path: Path) -> None:
    folder, cache = project(tmp_path / "parcels", scale=RAISING), tmp_path / "cache"
    first = harvested(folder, cache)
    second = harvested(folder, cache)
    assert [part.kept for part in first + second] == [False, True]
    assert b"".join(lines(first)) == b"".join(lines(second)) != b""


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    folder, cache = (
        project(tmp_path / "parcels", scale=RAISING, gate="raise OSError('the gate is shut')\n"),
        tmp_path / "c",
    )
    harvested(folder, cache)
    project(folder, gate="raise OSError('the gate is stuck')\n")
    found = harvested(folder, cache)
    assert not found[0].kept
    assert {"the gate is stuck"} == messages(found) - messages(harvested(project(tmp_path / "only", scale=RAISING)))


@pytest.mark.parametrize("damage", [b"", b"damaged", None])
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: bytes | None) -> None:
    folder, cache = project(tmp_path / "parcels", scale=RAISING), tmp_path / "cache"
    first = harvested(folder, cache)
    for path in cache.iterdir():
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] if damage is None else damage)
    again = harvested(folder, cache)
    assert not again[0].kept
    assert messages(again) == messages(first)
    assert harvested(folder, cache)[0].kept


def test_the_cache_is_bounded_and_loses_what_was_not_used(tmp_path: Path) -> None:
    cache = HarvestCache(tmp_path, most_bytes=30_000)
    for number in range(20):
        cache.put(f"package {number}", "records", os.urandom(4_000))
        os.utime(max(tmp_path.iterdir(), key=lambda path: path.stat().st_ctime_ns), (number, number))
    cache.make_room()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 30_000
    assert cache.get("package 19", "records", bytes) is not None
    assert cache.get("package 0", "records", bytes) is None


def test_broken_files_have_a_line_each_and_the_rest_is_harvested(tmp_path: Path) -> None:
    folder = project(tmp_path / "parcels", scale=RAISING, syntax="def f(:\n", deep=f"x = {'(' * 5000}{')' * 5000}\n")
    (folder / "latin.py").write_bytes("# é\nname = 'é'\n".encode("latin-1"))
    (folder / "nul.py").write_bytes(b"x = 1\0\n")
    (folder / "surrogate.py").write_text("def f():\n    raise ValueError('half a pair: \\ud800')\n")
    (found,) = harvested(folder)
    assert {Path(row.path).name for row in found.skipped} == {"syntax.py", "deep.py", "latin.py", "nul.py"}
    assert all(row.why for row in found.skipped)
    assert any("weighs" in message for message in messages([found]))


def made(name: str, repository: str, *rows: dict[str, Any]) -> PackageHarvest:
    origin = Origin(distribution=name, repository=repository, analyzed_sha="a" * 40, analyzed_at="2026-01-01T00:00:00Z")
    packed = [Row(row["id"], row["slug"], msgspec.json.encode(row)) for row in rows]
    return PackageHarvest(origin=origin, files=1, count=len(packed), packed=pack_rows(packed))


def test_distributions_of_one_repository_share_it() -> None:
    one = {"id": "1" * 16, "slug": "too-heavy"}
    other, same = {"id": "2" * 16, "slug": "too-heavy"}, {"id": "1" * 16, "slug": "again"}
    (found,) = by_repository([made("a", "acme/parcels", one), made("b", "acme/parcels", other, same)])
    assert [(row.id, row.slug) for row in found.rows] == [("1" * 16, "too-heavy"), ("2" * 16, "too-heavy-222222")]
    assert [msgspec.json.decode(row.raw)["slug"] for row in found.rows] == ["too-heavy", "too-heavy-222222"]
    assert (found.info["errorCount"], found.info["sourceFiles"]) == (2, 2)


def test_a_layout_is_one_that_an_import_reads_and_the_same_each_time(tmp_path: Path) -> None:
    found = harvested(project(tmp_path / "parcels", scale=RAISING))
    for name in ("one", "two", "two"):
        with replacing(tmp_path / name) as draft:
            layout = Layout(draft)
            for repository in by_repository(found):
                layout.add(repository)
            layout.finish()
    files = {path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.json")}
    assert len(files) == 3
    assert [
        path for path in files if (tmp_path / "one" / path).read_bytes() != (tmp_path / "two" / path).read_bytes()
    ] == []
    assert not list(tmp_path.glob(".*"))
    assert len(list(open_source(str(tmp_path / "one")).read())) == 2  # a repository and a record


def test_a_directory_with_something_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(NotOurs), replacing(tmp_path):
        pass
    assert (tmp_path / "letters.txt").read_text() == "dear"


def test_repositories_that_differ_in_case_only_are_one(tmp_path: Path) -> None:
    subjects = [
        subject for name in ("Parcels", "parcels") for subject in source_subjects(project(tmp_path / name, a=RAISING))
    ]
    assert {subject.origin.repository for subject in subjects} == {"local/Parcels", "local/parcels"}
    assert {subject.origin.repository for subject in arranged(subjects)} == {"local/Parcels"}


def test_a_record_s_path_is_that_in_the_repository(tmp_path: Path) -> None:
    project(tmp_path / "parcels")
    project(tmp_path / "parcels" / "src", scale=RAISING)
    (found,) = harvested(tmp_path / "parcels")
    (row,) = found.rows()
    record = msgspec.json.decode(row.raw)
    assert (record["filePath"], record["module"]) == ("src/scale.py", "scale")
