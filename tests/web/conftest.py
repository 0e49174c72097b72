"""A small catalog, brought in by the import as anybody's data is, with every case that a page has to tell."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client, override_settings

SHA = "a" * 40
VERSIONS = ("2026-09-01T00:00:00.000Z", "2026-09-02T00:00:00.000Z")


def made_record(name: str, **fields: Any) -> dict[str, Any]:
    """A valid record of ``acme/rocket`` with an id that follows from ``name``."""
    return {
        "id": hashlib.sha256(name.encode()).hexdigest()[:16],
        "repo": "acme/rocket",
        "slug": name,
        "errorCode": "E_FUEL",
        "errorMessage": f"{name} has no fuel in {{tank}}",
        "messagePattern": f"{name} has no fuel in (.+?)",
        "errorType": "exception",
        "errorClass": "FuelError",
        "severity": "critical",
        "filePath": "src/engine.py",
        "lineNumber": 12,
        "sourceCode": "def burn():\n    raise FuelError(tank)\n",
        "sourceCodeStart": 11,
        "sourceCodeEnd": 12,
        "githubUrl": f"https://github.com/acme/rocket/blob/{SHA}/src/engine.py#L12",
        "documentation": "The engine reports that its `tank` is empty. It stops.",
        "triggerScenarios": "A start without fuel.",
        "commonSituations": "Long trips.",
        "solutions": ["Fill the tank.", "Use **another** tank."],
        "exampleFix": "fill(tank)",
        "tryCatchPattern": "try:\n    burn()\nexcept FuelError:\n    fill()",
        "preventionTips": ["Look at the gauge."],
        "tags": ["fuel"],
        "backgroundTag": "out-of-resources",
        "analyzedSha": SHA,
        "analyzedAt": "2026-08-28T05:10:05Z",
        "schemaVersion": 2,
        **fields,
    }


LIVING = made_record("first-stage", extraField={"kept": [1, 2.5, None]})
ELSEWHERE = made_record("second-rocket", repo="acme/other")
RETIRED = made_record("retired-stage", errorCode="E_AIR")
MOVED = made_record("moved", slug="shared")
HEIR = made_record("heir", slug="heir")
RENAMED = made_record("renamed", slug="old-name")
REJECTED = made_record("rejected", severity="fatal", documentation="")
ARTICLE = {
    "slug": "out-of-resources",
    "clusterKey": "out-of-resources",
    "title": "Out of resources",
    "summary": "Something was used up.",
    "background": "Every program uses *something* up.",
    "commonCauses": [{"cause": "A leak", "detail": "Nothing is given back."}],
    "fixes": ["Give it back."],
    "guideSlugs": [],
    "errorIds": [LIVING["id"]],
    "errorCount": 1,
    "repoCount": 1,
    "generatedAt": VERSIONS[0],
    "schemaVersion": 1,
}
FIRST = (LIVING, ELSEWHERE, RETIRED, MOVED, HEIR, RENAMED)
SECOND = (
    LIVING,
    ELSEWHERE,
    {**MOVED, "slug": "moved-away"},
    {**HEIR, "slug": "shared"},
    {**RENAMED, "slug": "new-name"},
    REJECTED,
)


def write_layout(directory: Path, records: Iterable[Mapping[str, Any]], *, version: str) -> Path:
    """A published layout with these records and one article."""
    by_repo: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        by_repo.setdefault(record["repo"], []).append(record)
    for repo, rows in by_repo.items():
        path = directory / "repos" / f"{repo}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows), encoding="utf-8")
    repositories = [
        {"repo": repo, "description": f"About {repo}", "language": "Python", "stars": 7, "sourceFiles": 3,
         "defaultBranch": "main", "analyzedSha": SHA, "analyzedAt": version, "errorCount": len(rows)}
        for repo, rows in by_repo.items()
    ]  # fmt: skip
    manifest = {
        "schemaVersion": 2,
        "datasetVersion": version,
        "counts": {"repos": len(by_repo), "errors": sum(map(len, by_repo.values())), "infoPages": 1},
        "files": {},
    }
    (directory / "repos.json").write_text(json.dumps(repositories), encoding="utf-8")
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (directory / "info").mkdir()
    (directory / "info" / f"{ARTICLE['slug']}.json").write_text(json.dumps(ARTICLE), encoding="utf-8")
    index = {"schemaVersion": 1, "pages": [{"slug": ARTICLE["slug"]}]}
    (directory / "info" / "index.json").write_text(json.dumps(index), encoding="utf-8")
    return directory


@pytest.fixture(scope="module")
def catalog(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory, project_root: Path
) -> Iterator[Path]:
    """The catalog for the tests of a file, gone after it; the directory of its index. Tests only read it."""
    from django.core.management import call_command

    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    datasets = project_root / "fixtures" / "datasets"
    work = tmp_path_factory.mktemp("catalog")
    index = work / "index"

    def imported(source: Path, dataset: str) -> None:
        report = run_import([source], ImportOptions(dataset=dataset))
        assert report.outcome == "published", report.error

    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=index):
        call_command("flush", interactive=False, verbosity=0)  # releases are numbered from 1, whatever ran before
        imported(datasets / "seed" / "seed-record.json", "seed")
        imported(datasets / "hostile" / "hostile.json", "hostile")
        for version, records in zip(VERSIONS, (FIRST, SECOND), strict=True):
            imported(write_layout(work / version[:10], records, version=version), "rockets")
        yield index
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def get(catalog: Path, db: None, settings: Any) -> Callable[..., Any]:
    """``get(path, **headers)``; the body of the answer, decoded, is in ``.text``, headers of the request as words."""
    settings.KB_INDEX_DIR = catalog
    return getter()


@pytest.fixture
def get_empty(db: None, settings: Any, tmp_path: Path) -> Callable[..., Any]:
    """The same on a catalog that nothing was imported into."""
    settings.KB_INDEX_DIR = tmp_path / "no-index"
    return getter()


@pytest.fixture
def post(get: Callable[..., Any]) -> Callable[..., Any]:
    """``post(text)`` to the explain page; the body of the answer, decoded, is in ``.text_body``."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)

    def send(text: str | None = None, *, body: bytes | None = None, **headers: str) -> Any:
        fields = {} if text is None else {"text": text}
        sent = urlencode(fields).encode() if body is None else body
        kind = headers.pop("kind", "application/x-www-form-urlencoded")
        response: Any = client.post(
            "/explain/", data=sent, content_type=kind, headers={"accept": "text/html", **headers}
        )
        response.text_body = response.content.decode()
        return response

    return send


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An engine that finds two records of the catalog, whatever it is asked; the texts that it was asked."""
    from tests.web.explanations import explained

    texts: list[str] = []

    def explain(text: str) -> Any:
        texts.append(text)
        return explained(text)

    monkeypatch.setattr("kb.web.views.explaining.explain", explain)
    return texts


def getter() -> Callable[..., Any]:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)

    def get(path: str, *, method: str = "get", **headers: str) -> Any:
        named = {"accept": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
        response: Any = getattr(client, method)(path, headers=named)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        response.text_body = body.decode()
        return response

    return get


def record_url(record: Mapping[str, Any]) -> str:
    return f"/errors/{record['repo']}/{record['slug']}/"


@pytest.fixture(scope="module")
def served(catalog: Path, django_db_blocker: Any) -> Iterator[str]:
    """The catalog behind a real server: its address."""
    from pytest_django.live_server_helper import LiveServer

    with django_db_blocker.unblock():
        server = LiveServer("127.0.0.1")
        yield server.url
        server.stop()


@pytest.fixture
def site(served: str, catalog: Path, db: None, settings: Any) -> str:
    """The address of the served catalog, with its index, for the browser."""
    settings.KB_INDEX_DIR = catalog
    return served
