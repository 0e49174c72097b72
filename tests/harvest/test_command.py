"""``faultbook harvest``: into a directory, as lines, into the catalog, again, and with what it cannot do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from kb.catalog import queries
from kb.cli import program
from kb.cli.harvest_import import LOWEST_PRIORITY

SCALE = "def weigh(kilos):\n    if kilos > 30:\n        raise ValueError(f'parcel weighs {kilos} kg, at most 30')\n"
GATE = "def open_gate():\n    raise OSError('the gate of the yard is shut')\n"


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Callable[..., Any]:
    """Runs ``faultbook harvest WORDS…``: the exit code, standard output and standard error."""

    def ran(*words: str | Path) -> tuple[int, str, str]:
        try:
            code = program.main(["harvest", *map(str, words), "--cache", str(tmp_path / "cache"), "--quiet"])
        except SystemExit as end:
            code = int(end.code or 0)
        shown = capfdbinary.readouterr()
        return code, shown.out.decode(), shown.err.decode()

    return ran


def project(folder: Path, **files: str) -> Path:
    """A directory of sources, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / f"{name}.py").write_text(content)
    return folder


def held(dataset: str = "harvest") -> dict[str, str]:
    """The message of each record that the dataset shows, and its repository."""
    rows = list(queries.export_records(dataset=dataset))
    return {row.message: row.repo for row in rows}


def test_lines_are_records_and_the_report_goes_elsewhere(run: Any, tmp_path: Path) -> None:
    code, out, err = run("--source", project(tmp_path / "parcels", scale=SCALE, gate=GATE), "--out", "-")
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert {record["origin"] for record in records} == {"harvest"}
    assert [record["repo"] for record in records] == ["local/parcels"] * 2
    assert "Harvested 2 records from 2 files of 1 package" in err


def test_a_directory_gets_the_published_layout_and_what_was_skipped_a_line(run: Any, tmp_path: Path) -> None:
    folder = project(tmp_path / "parcels", scale=SCALE, broken="def f(:\n", test_scale=SCALE)
    code, out, _ = run("--source", folder, "--out", tmp_path / "out")
    assert code == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest["counts"] == {"repos": 1, "errors": 1}
    assert f"Skipped: {folder}/broken.py: " in out
    assert "Left out by rule: 1 file of tests." in out
    assert run("--source", folder, "--out", folder)[0] == 2


def test_without_a_target_nothing_is_written(run: Any, tmp_path: Path) -> None:
    code, out, _ = run("--source", project(tmp_path / "parcels", scale=SCALE))
    assert (code, "Nothing was written" in out) == (0, True)
    assert {path.name for path in tmp_path.iterdir()} == {"parcels", "cache"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such-package"], "no package 'no-such-package' is installed"),
        (["djangoo"], "Did you mean django"),
        (["--source", "/nonexistent"], "/nonexistent is not a directory"),
        (["--environment", "/nonexistent"], "/nonexistent is not a directory"),
        (["--with-dependencies"], "name a PACKAGE"),
        (["--jobs", "0"], "at least 1"),
        (["--import", "--dataset", "a/b"], "a name has letters"),
        (["--import", "--out", "x"], "not allowed with"),
    ],
)
def test_wrong_usage_says_what_is_wrong(run: Any, db: None, words: list[str], said: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.django_db(transaction=True)
def test_an_import_adds_changes_and_retires_and_leaves_other_packages_alone(run: Any, tmp_path: Path) -> None:
    parcels, yard = project(tmp_path / "parcels", scale=SCALE), project(tmp_path / "yard", gate=GATE)
    assert run("--source", parcels, "--import")[0] == 0
    assert run("--source", yard, "--import")[0] == 0
    heavy, shut = "parcel weighs {kilos} kg, at most 30", "the gate of the yard is shut"
    assert held() == {heavy: "local/parcels", shut: "local/yard"}
    dataset = queries.dataset("harvest")
    assert dataset is not None
    assert dataset.priority == LOWEST_PRIORITY

    code, out, _ = run("--source", parcels, "--import")
    assert (code, "Nothing changed" in out) == (0, True)

    project(parcels, scale=SCALE.replace("at most 30", "at most 31"))
    code, out, _ = run("--source", parcels, "--import", "--json", "--confirm")
    loaded = json.loads(out)["import"]
    assert (loaded["added"], loaded["retired"], loaded["unchanged"]) == (1, 1, 1)
    assert set(held()) == {heavy.replace("30", "31"), shut}

    assert run("--source", yard, "--import", "--complete", "--confirm")[0] == 0
    assert held() == {shut: "local/yard"}
    assert not list((settings.KB_DATA_DIR / "harvest").iterdir())


@pytest.mark.django_db(transaction=True)
def test_a_slug_that_another_dataset_has_is_no_reason_to_be_left_out(run: Any, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    first = project(tmp_path / "one" / "parcels", scale=SCALE)
    second = project(tmp_path / "other" / "parcels", balance=SCALE)
    assert run("--source", first, "--import", "--dataset", "written", "--priority", "0")[0] == 0
    code, out, _ = run("--source", second, "--import", "--json")
    loaded = json.loads(out)["import"]
    assert (code, loaded["added"], loaded["rejected"]) == (0, 1, 0)
    slugs = {row.slug for name in ("written", "harvest") for row in queries.export_records(dataset=name)}
    assert len(slugs) == 2
    assert "Nothing changed" in run("--source", second, "--import")[1]
