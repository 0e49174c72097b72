"""Records and datasets that the tests of imports make."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

if TYPE_CHECKING:
    from kb.imports.options import ImportReport

SHA = "0" * 40
DATASETS = Path(__file__).resolve().parents[2] / "fixtures" / "datasets"


def make_record(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A small valid record; its id follows from the number unless it is given."""
    repo = fields.get("repo", "acme/rockets")
    return {
        "id": hashlib.sha256(f"{repo}-{number}".encode()).hexdigest()[:16],
        "repo": repo,
        "slug": f"engine-{number}-failed",
        "errorMessage": f"engine {number} failed with {{code}}",
        "messagePattern": rf"engine {number} failed with (.+?)",
        "errorType": "exception",
        "errorClass": "EngineError",
        "severity": "error",
        "filePath": "rockets/engine.py",
        "lineNumber": number,
        "githubUrl": f"https://github.com/{repo}/blob/{SHA}/rockets/engine.py#L{number}",
        "documentation": f"Engine number {number} stopped before the burn was over, and reported a code.",
        "triggerScenarios": "A burn that is cut short.",
        "commonSituations": "Low pressure in the tank.",
        "solutions": ["Check the tank."],
        "tags": ["engine", "hardware"],
        "backgroundTag": "engine-failure",
        "analyzedSha": SHA,
        "analyzedAt": "2026-01-02T03:04:05.678Z",
        "schemaVersion": 2,
        **fields,
    }


def write_layout(
    directory: Path, records: Iterable[Mapping[str, Any]], *, version: str = "2026-01-01T00:00:00.000Z", **changes: Any
) -> Path:
    """A published layout of these records; ``changes`` replace fields of the manifest."""
    by_repo: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        by_repo.setdefault(record["repo"], []).append(record)
    directory.mkdir(parents=True, exist_ok=True)
    for repo, rows in by_repo.items():
        path = directory / "repos" / f"{repo}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows), encoding="utf-8")
    listing = [
        {"repo": repo, "description": f"About {repo}", "language": "Python", "stars": 7, "sourceFiles": 3,
         "defaultBranch": "main", "analyzedSha": SHA, "analyzedAt": version, "errorCount": len(rows)}
        for repo, rows in by_repo.items()
    ]  # fmt: skip
    text = json.dumps(listing).encode()
    (directory / "repos.json").write_bytes(text)
    digest = hashlib.sha256(text).hexdigest()
    manifest = {
        "schemaVersion": 2,
        "datasetVersion": version,
        "counts": {"repos": len(by_repo), "errors": sum(map(len, by_repo.values()))},
        "files": {"repos": {"path": "/data/repos.json", "bytes": len(text), "sha256": digest}},
        **changes,
    }
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return directory


@pytest.fixture
def datasets() -> Path:
    """The directory of the committed datasets."""
    return DATASETS


@pytest.fixture
def record() -> Callable[..., dict[str, Any]]:
    """:func:`make_record`."""
    return make_record


@pytest.fixture
def layout(tmp_path: Path) -> Callable[..., Path]:
    """:func:`write_layout` into a fresh directory each time."""
    count = 0

    def written(records: Iterable[Mapping[str, Any]], **options: Any) -> Path:
        nonlocal count
        count += 1
        return write_layout(tmp_path / f"layout-{count}", records, **options)

    return written


@pytest.fixture
def run(db: None) -> Callable[..., ImportReport]:
    """An import whose outcome the test looks at itself."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    def imported(*sources: str | Path, **options: Any) -> ImportReport:
        return run_import(sources, ImportOptions(**options))

    return imported


@pytest.fixture
def stored(db: None) -> Callable[[], dict[str, list[tuple[Any, ...]]]]:
    """Every row of the tables that readers see, to compare before and after."""
    from kb.catalog import models

    tables = (
        models.CatalogState, models.Repository, models.Record, models.RecordTag, models.Holding, models.Change,
        models.SlugHistory, models.Term, models.Article,
    )  # fmt: skip

    def rows() -> dict[str, list[tuple[Any, ...]]]:
        return {
            table.__name__: [tuple(map(repr, row)) for row in table.objects.order_by("pk").values_list()]
            for table in tables
        }

    return rows


@pytest.fixture
def catalog_records(db: None) -> Callable[..., dict[str, dict[str, Any]]]:
    """The current records in the dataset's own field names, by id."""
    from kb.catalog import queries
    from kb.records.encode import encode

    def records() -> dict[str, dict[str, Any]]:
        return {view.record.id: encode(view.record) for view in queries.iter_records() if view.retired_revision is None}

    return records


@pytest.fixture
def command(db: None, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, str, int]]:
    """Standard output and error of the command, and its exit code."""

    def called(*words: str | Path, **options: Any) -> tuple[str, str, int]:
        output, error, code = io.StringIO(), io.StringIO(), 0
        try:
            call_command("import_dataset", *map(str, words), stdout=output, stderr=error, quiet=True, **options)
        except SystemExit as end:
            code = int(end.code or 0)
        return output.getvalue(), error.getvalue() + capsys.readouterr().err, code

    return called
