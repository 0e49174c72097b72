"""The wheel, made from the source distribution, holds everything and runs far from a checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.no_db_matrix

ASSETS = ("templates", "static", "fixtures")


@pytest.fixture(scope="module")
def unpacked(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of the wheel, as pip would lay it into site-packages."""
    home = tmp_path_factory.mktemp("package")
    _build(project_root, "sdist", home)
    with tarfile.open(next(home.glob("*.tar.gz"))) as archive:
        archive.extractall(home / "source", filter="data")
    _build(next((home / "source").iterdir()), "wheel", home)
    with zipfile.ZipFile(next(home.glob("*.whl"))) as archive:
        archive.extractall(home / "site-packages")
    return home / "site-packages"


def _build(source: Path, kind: str, target: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(target)]
    ended = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def _files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"}


@pytest.mark.parametrize("assets", ASSETS)
def test_the_wheel_holds_every_asset(project_root: Path, unpacked: Path, assets: str) -> None:
    expected = _files(project_root / assets)
    assert expected
    assert _files(unpacked / "kb" / "_assets" / assets) == expected


def test_the_wheel_holds_the_package_its_license_and_nothing_else(project_root: Path, unpacked: Path) -> None:
    assert {path.name.split("-")[0] for path in unpacked.iterdir()} == {"kb", "faultbook"}
    packaged = {name for name in _files(unpacked / "kb") if not name.startswith("_assets/")}
    assert packaged == _files(project_root / "kb")
    assert len(list(unpacked.glob("faultbook-*.dist-info/licenses/LICENSE"))) == 1


def test_it_runs_outside_the_checkout(unpacked: Path, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(unpacked), "KB_DATA_DIR": "data"}

    def faultbook(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "kb.cli.program", *words]
        return subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    seed = unpacked / "kb" / "_assets" / "fixtures" / "datasets" / "seed" / "seed-record.json"
    for words in (
        ["migrate"],
        ["collectstatic", "--no-input", "-i", "admin", "-i", "htm*x-4*", "-i", "hx-*"],
        ["import", str(seed), "--dataset", "seed"],
    ):
        step = faultbook(*words)
        out, errors = step.communicate()
        assert step.returncode == 0, out + errors

    server = faultbook("serve", "--bind", "127.0.0.1:0", "--workers", "1")
    try:
        assert server.stdout
        found = re.search(r"http://127\.0\.0\.1:[0-9]+/", server.stdout.readline())
        assert found
        with urllib.request.urlopen(f"{found[0]}api/v1/errors/", timeout=60) as answer:
            assert answer.status == 200
        with urllib.request.urlopen(found[0], timeout=60) as answer:
            page = answer.read().decode()
        sheet = re.search(r'href="(/static/[^"]+\.css)"', page)
        assert sheet
        with urllib.request.urlopen(found[0].rstrip("/") + sheet[1], timeout=60) as answer:
            assert answer.status == 200
    finally:
        server.terminate()
        _, errors = server.communicate(timeout=60)
    assert server.returncode == 0
    assert errors == ""
    assert (tmp_path / "data" / "catalog.sqlite3").is_file()
