"""The program and the pytest plugin in a fresh virtual environment, from a built wheel, with no network but loopback.

What the wheel depends on is lent by the environment of the tests; ``make soak`` installs it as a stranger would.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.integrations.conftest import FAILING

pytestmark = pytest.mark.no_db_matrix
LINK = "/e/c53735311c96eaf3/"
PRINTS = "import sys; print('psycopg.errors.ConnectionTimeout: connection timeout expired'); sys.exit(7)"


@pytest.fixture(scope="module")
def wheel(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    subprocess.run(command, cwd=project_root, capture_output=True, check=True)
    return next(target.glob("*.whl"))


@pytest.fixture(scope="module")
def programs(
    wheel: Path, blocked: Path, project_root: Path, soak: bool, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The directory of the programs of an environment in which the wheel is installed."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home)
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "--disable-pip-version-check"]
    pip += ["install", "--quiet"]
    if soak:
        subprocess.run([*pip, "--require-hashes", "-r", str(project_root / "requirements.lock")], check=True)
        subprocess.run([*pip, "pytest"], check=True)
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    site = next((home / "lib").glob("python3*/site-packages"))
    if not soak:
        (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    shutil.copy(blocked / "sitecustomize.py", site)
    return home / "bin"


@pytest.fixture
def outside(tmp_path: Path, data_directory: Path, programs: Path) -> dict[str, str]:
    """The environment variables of somebody who has a catalog."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("KB_", "PYTEST", "DJANGO_", "PYTHON"))
    }
    return kept | {"KB_DATA_DIR": str(data_directory), "PATH": f"{programs}:{os.environ['PATH']}"}


def _run(words: list[str | Path], directory: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, words)), cwd=directory, env=environment, capture_output=True, text=True, check=False
    )


def test_the_code_is_that_of_the_wheel(programs: Path, tmp_path: Path, outside: dict[str, str]) -> None:
    ended = _run([programs / "python", "-c", "import kb; print(kb.__file__)"], tmp_path, outside)
    assert ended.stdout.startswith(str(programs.parent)), ended
    reached = "import socket; socket.create_connection(('192.0.2.1', 80), 1)"
    assert "was asked for: " in _run([programs / "python", "-c", reached], tmp_path, outside).stderr


def test_a_failing_command_is_explained(programs: Path, tmp_path: Path, outside: dict[str, str]) -> None:
    ended = _run(["faultbook", "explain", "--", "python", "-c", PRINTS], tmp_path, outside)
    assert ended.returncode == 7
    assert ended.stdout == "psycopg.errors.ConnectionTimeout: connection timeout expired\n"
    assert LINK in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_plugin_is_there_and_adds_what_is_known(programs: Path, tmp_path: Path, outside: dict[str, str]) -> None:
    (tmp_path / "test_parcels.py").write_text(FAILING)
    words: list[str | Path] = [programs / "python", "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:django"]
    ended = _run([*words, "--faultbook"], tmp_path, outside)
    assert ended.returncode == 1
    assert ended.stdout.count(LINK) == 1, ended.stdout + ended.stderr
    assert LINK not in _run(words, tmp_path, outside).stdout


def test_records_are_found_and_shown(programs: Path, tmp_path: Path, outside: dict[str, str]) -> None:
    for words in (["search", "connection timeout expired"], ["show", LINK, "--json"]):
        ended = _run(["faultbook", *words], tmp_path, outside)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "connection timeout expired" in ended.stdout
