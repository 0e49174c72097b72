"""A real installation: its own data directory, the program as a process of its own, hashed static files."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, kw_only=True)
class Installation:
    """An installation by its data directory; nothing else is configured."""

    data: Path

    def faultbook(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run one command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "kb.cli.program", *words],
            env=self._environment(environment),
            capture_output=True,
            text=True,
            check=False,
        )

    @contextmanager
    def served(self, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
        """The running server and its address, which ends in a slash."""
        server = subprocess.Popen(
            [sys.executable, "-m", "kb.cli.program", "serve", "--bind", "127.0.0.1:0", *options],
            env=self._environment({}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout
            assert server.stderr
            line = server.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:[1-9][0-9]*/", line)
            assert found, line + server.stderr.read()
            yield server, found[0]
        except AssertionError as failed:
            server.kill()
            failed.add_note(f"The server said: {server.communicate()[1]}")
            raise
        finally:
            server.kill()
            server.communicate()

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "KB_DATA_DIR": str(self.data), **more}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back for one address, after redirects."""

    address: str
    status: int
    kind: str
    text: str


@pytest.fixture(scope="session")
def _model() -> Installation:
    """An installation that is made once a run, whatever number of workers share it: collecting takes its time."""
    home = Path(os.environ["FAULTBOOK_TESTS_HOME"])
    finished, unfinished = Installation(data=home / "installation"), Installation(data=home / "unfinished")
    with (home / "installation.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.data.exists():
            # Compressing takes most of the time; no page of these tests has the parts that are left out.
            left_out = [word for name in ("vendor", "htmax-*", "hx-*", "htmx-4*") for word in ("-i", name)]
            for words in (["collectstatic", "--no-input", *left_out], ["migrate"]):
                ended = unfinished.faultbook(*words, "--verbosity", "0")
                assert ended.returncode == 0, ended.stderr
            unfinished.data.rename(finished.data)
    return finished


@pytest.fixture(scope="module")
def installation(_model: Installation, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An empty catalog, ready to serve."""
    return Installation(data=shutil.copytree(_model.data, tmp_path_factory.mktemp("installation") / "data"))


@pytest.fixture(scope="session")
def installation_at() -> Callable[[Path], Installation]:
    """An installation in a directory that may hold anything."""
    return lambda data: Installation(data=data)


@pytest.fixture(scope="session")
def fetch() -> Callable[[str], Answer]:
    """Get an address; error statuses are answers, too."""

    def fetched(address: str) -> Answer:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                content = answer.read()
        except urllib.error.HTTPError as error:
            answer, content = error, error.read()
        return Answer(
            address=address,
            status=answer.status,
            kind=answer.headers.get_content_type(),
            text=content.decode("utf-8", "replace"),
        )

    return fetched
