"""What every test runs under.

The environment is set before Django reads it: each process of a run has directories of its own, and the database is
the one of ``KB_DATABASE_URL``, or else SQLite. Nothing reaches the network, warnings are errors (see
``pyproject.toml``), an undefined template variable fails the test that renders it.
"""

from __future__ import annotations

import atexit
import gc
import ipaddress
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from playwright.sync_api import Browser, BrowserContext, Page
    from pytest_django.live_server_helper import LiveServer

    from kb.imports.options import ImportReport
    from kb.records.record import Record

SOAK = os.environ.get("KB_SOAK") == "1"
CHROMIUM = Path("/usr/bin/chromium")
_KEPT_NAMES = ("KB_DATABASE_URL", "KB_SOAK")
_ROOT = Path(__file__).resolve().parent.parent
# Tests with one of these fixtures (or the mark django_db) touch the database.
_DATABASE_FIXTURES = frozenset({"db", "transactional_db", "live_server"})


# --- environment and Django, before pytest-django looks for them ------------------------------------------------------


def _home() -> Path:
    """The directory of this process: of the run, or of one of its workers inside of it."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        home = Path(os.environ["FAULTBOOK_TESTS_HOME"]) / os.environ["PYTEST_XDIST_WORKER"]
        home.mkdir()
        return home
    home = Path(tempfile.mkdtemp(prefix="faultbook-tests-"))
    os.environ["FAULTBOOK_TESTS_HOME"] = str(home)
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


def _prepare_environment() -> None:
    """Point every ``KB_`` setting at a directory of this process, which goes with it."""
    from django.conf import settings

    if settings.configured:
        message = "Django was set up before tests/conftest.py; unset DJANGO_SETTINGS_MODULE and leave --ds out."
        raise pytest.UsageError(message)
    home = _home()
    for name in [name for name in os.environ if name.startswith("KB_") and name not in _KEPT_NAMES]:
        del os.environ[name]
    os.environ.update(
        DJANGO_SETTINGS_MODULE="kb.settings",
        KB_DATA_DIR=str(home / "data"),
        KB_SECRET_KEY="a key for tests only, long enough to pass the check of its length",
        KB_LOG_LEVEL="WARNING",
        # The sync API of the browser keeps an event loop in the main thread, where Django then refuses its ORM.
        DJANGO_ALLOW_ASYNC_UNSAFE="1",
    )
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        # In a file, as in production: a database in memory knows no WAL, and locks whole tables.
        settings.DATABASES["default"]["TEST"] = {"NAME": str(home / "tests.sqlite3")}
    # The settings are loaded; the workers of this run have to load theirs here, too, and not before.
    del os.environ["DJANGO_SETTINGS_MODULE"]


_prepare_environment()
# A shell that starts a run in the background ignores Ctrl+C for it, and so would every program that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# --- property tests ---------------------------------------------------------------------------------------------------

# Examples take as long as a busy machine needs; the data directory of earlier failures stays in .hypothesis/.
hypothesis_settings.register_profile(
    "quick", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.register_profile(
    "soak", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("soak" if SOAK else "quick")

# --- ten thousand tests -----------------------------------------------------------------------------------------------


def pytest_collection() -> None:
    """What is collected stays to the end, so nothing is gained by looking through it for garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# --- the PostgreSQL half of the run -----------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database-only",
        action="store_true",
        help="run only the tests whose outcome may depend on the database: those that use it, less no_db_matrix",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--database-only"):
        return
    chosen = [item for item in items if _depends_on_database(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


def _depends_on_database(item: pytest.Item) -> bool:
    if item.get_closest_marker("no_db_matrix") or "browser" in getattr(item, "fixturenames", ()):
        return False
    return _uses_database(item)


def _uses_database(item: pytest.Item) -> bool:
    names = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool(names & _DATABASE_FIXTURES)


# --- no network -------------------------------------------------------------------------------------------------------


def _is_local(address: Any) -> bool:
    """Whether a socket address is a Unix path or a loopback address."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host.split("%", 1)[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Only this machine answers: any other address, and any other name, is an error that names it."""

    def guarded(call: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, address: Any) -> Any:
            if not _is_local(address):
                message = f"A test tried to reach {address!r}; only loopback addresses and Unix sockets are allowed."
                raise RuntimeError(message)
            return call(self, address)

        return connect

    resolve = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not _is_local((name,)):
            message = f"A test tried to resolve {name!r}; only loopback addresses are allowed."
            raise RuntimeError(message)
        return resolve(host, *arguments, **options)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    patch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
    patch.undo()


# --- browser ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, one for the whole run; in continuous integration it must be there."""
    if not CHROMIUM.exists() and not os.environ.get("CI"):
        pytest.skip(f"no {CHROMIUM}; on Debian: sudo apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=str(CHROMIUM),
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def browser_context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile of 1280 by 800 pixels."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


@pytest.fixture
def page(browser_context: BrowserContext) -> Page:
    """An empty tab."""
    return browser_context.new_page()


# --- the catalog ------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _own_indexes(request: pytest.FixtureRequest) -> None:
    """Each test counts revisions from the start, so it has search indexes of its own."""
    if _uses_database(request.node):
        settings = request.getfixturevalue("settings")
        settings.KB_INDEX_DIR = request.getfixturevalue("tmp_path") / "index"


@pytest.fixture
def import_sources(db: None) -> Callable[..., ImportReport]:
    """Import files through the public way in: ``import_sources(path, dataset="local")``; must succeed.

    Keyword arguments are those of ``ImportOptions``. Inside the test's transaction, unless it asks for
    ``transactional_db`` or ``live_server``.
    """
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    def imported(*sources: str | Path, **options: Any) -> ImportReport:
        report = run_import(sources, ImportOptions(**options))
        assert report.outcome in {"published", "unchanged", "dry-run"}, report.error
        return report

    return imported


@pytest.fixture
def import_records(import_sources: Callable[..., ImportReport], tmp_path: Path) -> Callable[..., ImportReport]:
    """Import records given as ``Record`` or as raw mappings: ``import_records(one, another, dataset="local")``.

    None of them may be rejected, unless ``rejected=N`` says how many.
    """
    import msgspec

    from kb.records.encode import encode_json
    from kb.records.record import Record

    def imported(*records: Record | Mapping[str, Any], rejected: int = 0, **options: Any) -> ImportReport:
        lines = [encode_json(row) if isinstance(row, Record) else msgspec.json.encode(row) for row in records]
        source = tmp_path / "import_records.jsonl"
        source.write_bytes(b"".join(line + b"\n" for line in lines))
        report = import_sources(source, **options)
        assert report.rejected == rejected, report.rejections
        return report

    return imported


@pytest.fixture
def live_site(live_server: LiveServer, import_sources: Callable[..., ImportReport]) -> str:
    """Address, without a last slash, of a site whose catalog holds the datasets seed and starter."""
    import_sources(_ROOT / "fixtures/datasets/seed/seed-record.json", dataset="seed")
    import_sources(_ROOT / "fixtures/datasets/starter", dataset="starter")
    return live_server.url


# --- facts for tests --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def soak() -> bool:
    """Whether this run makes the full counts (``make soak``) or samples of them."""
    return SOAK


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The checkout."""
    return _ROOT


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    """Rate limits and other counters of one test do not reach the next."""
    yield
    from django.core.cache import cache

    cache.clear()


# --- what several areas begin with ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def npm_package(project_root: Path) -> Callable[[str], Path]:
    """The folder of a package from the npm registry."""
    from tests.node_packages import install_package

    return lambda name: install_package(project_root, name)


@pytest.fixture
def starter(import_sources: Any, project_root: Path) -> None:
    """The catalog holds the starter dataset."""
    import_sources(project_root / "fixtures/datasets/starter", dataset="starter")


@pytest.fixture
def record() -> Callable[..., dict[str, Any]]:
    """A raw record with the fields that matter to a test."""

    def made(number: int = 1, **fields: Any) -> dict[str, Any]:
        sha = "a" * 40
        return {
            "id": f"{number:016x}",
            "repo": "acme/parcels",
            "slug": f"parcel-{number}",
            "errorMessage": f"parcel number {number} is lost",
            "messagePattern": f"parcel number {number} is lost",
            "errorType": "exception",
            "severity": "error",
            "filePath": "parcels/scale.py",
            "lineNumber": 12,
            "githubUrl": f"https://github.com/acme/parcels/blob/{sha}/parcels/scale.py#L12",
            "documentation": "The scale refused the parcel.",
            "triggerScenarios": "Booking.",
            "commonSituations": "Always.",
            "solutions": ["Split the parcel."],
            "preventionTips": [],
            "tags": [],
            "analyzedSha": sha,
            "analyzedAt": "2026-11-30T08:00:00Z",
            "schemaVersion": 2,
        } | fields

    return made
