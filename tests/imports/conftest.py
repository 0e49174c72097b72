"""Records and datasets that the tests of imports make."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

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


class FileServer(ThreadingHTTPServer):
    """Serves a directory with ETags and ranges; ``answers`` replaces what is done for a path, once for each of a list.

    ``requests`` are the path and the headers of every request, ``busiest`` is how many there were at once.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, directory: Path) -> None:
        super().__init__(("127.0.0.1", 0), _FileHandler)
        self.directory = directory
        self.answers: dict[str, Callable[[_FileHandler], None]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.now = self.busiest = 0
        self.lock = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def asked(self, path: str) -> list[dict[str, str]]:
        return [headers for asked, headers in self.requests if asked == path]

    def sender(self, name: str) -> Callable[[_FileHandler], None]:
        """Answers with a file, whatever was asked for."""
        return lambda handler: handler.send_file_with(handler.wfile.write, name)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up; that is part of the tests."""


class _FileHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FileServer

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        server = self.server
        path = unquote(self.path.partition("?")[0].lstrip("/"))
        with server.lock:
            server.requests.append((path, dict(self.headers.items())))
            server.now += 1
            server.busiest = max(server.busiest, server.now)
        try:
            server.answers.get(path, self.send_file)(self)
        finally:
            with server.lock:
                server.now -= 1

    @staticmethod
    def send_file(handler: _FileHandler) -> None:
        handler.send_file_with(handler.wfile.write)

    def send_file_with(self, write: Callable[[bytes], Any], name: str = "") -> None:
        """Sends the file, its body by ``write``."""
        handler = self
        path = self.server.directory / (name or unquote(self.path.partition("?")[0].lstrip("/")))
        if not path.is_file():
            handler.send_response(404)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        data = path.read_bytes()
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        if handler.headers.get("If-None-Match") == tag:
            handler.send_response(304)
            handler.end_headers()
            return
        wanted = handler.headers.get("Range", "")
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if handler.headers.get("If-Range") == tag else 0
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        handler.send_header("ETag", tag)
        handler.send_header("Content-Length", str(len(data) - start))
        handler.end_headers()
        write(data[start:])


@pytest.fixture
def serve(settings: Any) -> Iterator[Callable[[Path], FileServer]]:
    """A server of a directory on this machine; nothing is waited for longer than needed."""
    from kb.imports.sources import downloads

    settings.KB_FETCH_IDLE_SECONDS = 1
    servers: list[FileServer] = []

    def serving(directory: Path) -> FileServer:
        server = FileServer(directory)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        servers.append(server)
        return server

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloads, "BACK_OFF", 0.01)
        yield serving
    for server in servers:
        server.over.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def refusal() -> Callable[[str | Path], Any]:
    """Why a source is not read; it is a failure when it is."""
    from kb.imports.refusals import Refusal
    from kb.imports.sources.opening import open_source

    def refused(name: str | Path) -> Refusal:
        def read() -> None:
            source = open_source(str(name))
            try:
                list(source.read())
            finally:
                source.close()

        with pytest.raises(Refusal) as caught:
            read()
        return caught.value

    return refused
