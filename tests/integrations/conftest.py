"""Programs of strangers that fail, a catalog for them, and a world in which nothing but this machine can be reached."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FAILING = """\
import pytest

class ConnectionTimeout(Exception):
    pass

def test_known():
    raise ConnectionTimeout("connection timeout expired")

def test_unknown():
    assert "one" == "two"

def test_well():
    pass
"""
# Read by every Python of the environment that has it on its path.
BLOCKING = """\
import ipaddress, socket

def _guarded(call):
    def connect(self, address):
        if isinstance(address, tuple) and not ipaddress.ip_address(address[0]).is_loopback:
            raise RuntimeError(f"the network was asked for: {address}")
        return call(self, address)
    return connect

def _resolve(host, *arguments, _resolve=socket.getaddrinfo, **options):
    if host not in (None, "", "localhost") and not ipaddress.ip_address(host).is_loopback:
        raise RuntimeError(f"a name was asked for: {host}")
    return _resolve(host, *arguments, **options)

socket.socket.connect = _guarded(socket.socket.connect)
socket.socket.connect_ex = _guarded(socket.socket.connect_ex)
socket.getaddrinfo = _resolve
"""

Ended = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def blocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that makes every Python with it on its path reach this machine only."""
    directory = tmp_path_factory.mktemp("blocked")
    (directory / "sitecustomize.py").write_text(BLOCKING)
    return directory


@pytest.fixture
def environment(blocked: Path, project_root: Path) -> dict[str, str]:
    """The environment of a stranger's program: no setting of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "PYTEST", "DJANGO_"))}
    return {**kept, "PYTHONPATH": f"{blocked}{os.pathsep}{project_root}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@pytest.fixture(scope="session")
def data_directory(project_root: Path) -> Path:
    """A data directory with the starter dataset, made by the program; one for all processes of a test run."""
    directory = Path(os.environ["FAULTBOOK_TESTS_HOME"]) / "integrations-data"
    with directory.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "ready").exists():
            _fill(directory, project_root)
            (directory / "ready").touch()
    return directory


def _fill(directory: Path, project_root: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    environment["KB_DATA_DIR"] = str(directory)
    for words in (["migrate", "-v0"], ["import", project_root / "fixtures/datasets/starter", "--dataset", "starter"]):
        subprocess.run(
            [sys.executable, "-m", "kb.cli.program", *map(str, words)],
            env=environment,
            cwd=project_root,
            check=True,
            capture_output=True,
        )


@pytest.fixture
def tested(tmp_path: Path, environment: dict[str, str]) -> Callable[..., Ended]:
    """``tested(*words, **environment)``: pytest with the plugin on a project with a known and an unknown failure."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_parcels.py").write_text(FAILING)

    def ran(*words: str, **more: str) -> Ended:
        command = [sys.executable, "-m", "pytest", "-p", "kb.integrations.pytest_plugin", "-p", "no:cacheprovider"]
        return subprocess.run(
            [*command, *words], cwd=project, env=environment | more, capture_output=True, text=True, check=False
        )

    return ran


@pytest.fixture
def script(tmp_path: Path, environment: dict[str, str]) -> Callable[..., Ended]:
    """``script(text, **environment)``: a Python program."""

    def ran(text: str, **more: str) -> Ended:
        path = tmp_path / "script.py"
        path.write_text(text)
        return subprocess.run(
            [sys.executable, path], cwd=tmp_path, env=environment | more, capture_output=True, text=True, check=False
        )

    return ran


@pytest.fixture
def answering() -> Any:
    """``answering(body)``: the address of a server that gives one answer to everything."""
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    servers = []

    def started(body: bytes) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield started
    for server in servers:
        server.shutdown()
        server.server_close()
