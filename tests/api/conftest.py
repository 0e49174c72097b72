"""A small catalog, brought in by the import as anybody's data is: seed, starter, hostile, and records of the tests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings

Get = Callable[..., Any]
SEED_ID = "12c38bb1afed0ec1"


def made_record(**fields: Any) -> dict[str, Any]:
    """A valid record with an id as the contract makes it."""
    record: dict[str, Any] = {
        "repo": "acme/rocket",
        "slug": "no-fuel",
        "errorCode": "E_FUEL",
        "errorMessage": "no fuel in {tank}",
        "messagePattern": "no fuel in (.+?)",
        "errorType": "exception",
        "errorClass": "FuelError",
        "severity": "critical",
        "filePath": "src/engine.py",
        "githubUrl": f"https://github.com/acme/rocket/blob/{'a' * 40}/src/engine.py",
        "documentation": "The engine reports that its tank is empty. It stops.",
        "triggerScenarios": "A start without fuel.",
        "commonSituations": "Long trips.",
        "solutions": ["Fill the tank."],
        "tags": ["fuel"],
        "backgroundTag": "out-of-resources",
        "analyzedSha": "a" * 40,
        "analyzedAt": "2026-08-28T05:10:05Z",
        "schemaVersion": 2,
    } | fields
    text = "\x01".join((record["repo"], record["errorCode"] or record["errorMessage"], record["filePath"]))
    return {"id": hashlib.sha256(text.encode()).hexdigest()[:16]} | record


LIVING = made_record(extraField={"kept": [1, 2.5, None]})
RETIRED = made_record(slug="no-air", errorCode="E_AIR", errorMessage="no air", messagePattern="no air")
REJECTED = made_record(slug="no-map", errorCode="E_MAP", severity="fatal", documentation="")


@pytest.fixture
def make() -> Callable[..., dict[str, Any]]:
    """``make(**fields)`` is a valid record."""
    return made_record


@pytest.fixture(scope="module")
def catalog(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory, project_root: Path
) -> Iterator[Path]:
    """The catalog for the tests of a file, gone after it; the directory of its index. Tests only read it.

    For the hundreds of tests here it is imported once a file, and not in each test as elsewhere.
    """
    from django.core.management import call_command

    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    datasets = project_root / "fixtures" / "datasets"
    work = tmp_path_factory.mktemp("catalog")
    index = work / "index"

    def imported(source: Path, dataset: str, **options: Any) -> None:
        report = run_import([source], ImportOptions(dataset=dataset, **options))
        assert report.outcome == "published", report.error

    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=index):
        imported(datasets / "seed" / "seed-record.json", "seed")
        imported(datasets / "starter", "starter")
        imported(datasets / "hostile" / "hostile.json", "hostile")
        for records, complete in (([LIVING, RETIRED], None), ([LIVING, REJECTED], True)):
            source = work / "tests.json"
            source.write_text(json.dumps(records), encoding="utf-8")
            imported(source, "tests", complete=complete)
        yield index
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def get(catalog: Path, db: None, settings: Any) -> Get:
    """``get(path, query, **headers)`` below ``/api/v1/``, with the answer's body in ``.body``."""
    settings.KB_INDEX_DIR = catalog
    settings.KB_RATE_LIMIT = 1_000_000
    client = Client(raise_request_exception=False)

    def get(path: str, query: dict[str, Any] | None = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response: Any = client.get(path if path.startswith("/") else f"/api/v1/{path}", query, headers=named)
        response.body = b"".join(response.streaming_content) if response.streaming else response.content
        return response

    return get
