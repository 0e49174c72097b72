"""A stranger's environment with everything wrong in it: each broken file is skipped with a line, the rest is harvested.

The program runs as it is started, since some of these files end the process that reads them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

GOOD = "def weigh(kilos):\n    raise ValueError(f'a parcel of {kilos} kg is too heavy')\n"
READABLE = {
    "good.py": GOOD.encode(),
    "latin.py": "# coding: latin-1\nNAME = 'é'\n\n\n".encode("latin-1") + GOOD.encode().replace(b"too heavy", b"heavy"),
    "marked.py": b"\xef\xbb\xbf" + GOOD.encode().replace(b"too heavy", b"not light"),
    "windows.py": GOOD.encode().replace(b"\n", b"\r\n").replace(b"too heavy", b"hard to carry"),
    "surrogate.py": b"def f():\n    raise ValueError('half a pair: \\ud800')\n",
    "empty.py": b"",
    "long_line.py": b"x = '" + b"a" * 1_000_000 + b"'\n",
}
BROKEN = {
    "syntax.py": b"def f(:\n",
    "tabs.py": b"if 1:\n        x = 1\n\ty = 2\n",
    "old.py": b"print 'Python 2'\n",
    "undeclared.py": "NAME = 'é'\n".encode("latin-1"),
    "unknown_encoding.py": b"# coding: klingon\n",
    "wide.py": "x = 1\n".encode("utf-16"),
    "nul.py": b"x = 1\0\n",
    "binary.py": bytes(range(256)) * 40,
    "brackets.py": b"x = " + b"(" * 100_000 + b")" * 100_000,
    "minus.py": b"x = " + b"-" * 200_000 + b"1\n",
    "generated.py": b"x = 1  # generated\n" * 600_000,
}
# Deep, but of a form that a reader may well cope with: no matter which, as long as nothing stops.
DEEP = {
    "attributes.py": b"x = a" + b".b" * 50_000 + b"\n",
    "sum.py": b"x = 1" + b" + 1" * 50_000 + b"\n",
    "branches.py": b"if a:\n    pass\n" + b"elif a:\n    pass\n" * 20_000,
    "blocks.py": b"".join(b" " * depth + b"if a:\n" for depth in range(90)) + b" " * 90 + b"raise ValueError('deep')\n",
    "calls.py": b"x = " + b"f(" * 190 + b")" * 190 + b"\n",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An environment with one package."""
    site = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    package = site / "parcels"
    package.mkdir(parents=True)
    for name, content in (READABLE | BROKEN | DEEP).items():
        (package / name).write_bytes(content)
    (package / "loop.py").symlink_to("loop.py")
    (package / "nowhere.py").symlink_to("missing.py")
    (package / "folder.py").mkdir()
    os.mkfifo(package / "pipe.py")
    with zipfile.ZipFile(site / "zipped.egg", "w") as archive:
        archive.writestr("zipped/__init__.py", GOOD)
    (package / "locked.py").write_text(GOOD)
    (package / "locked.py").chmod(0)
    (package / "around").symlink_to(package)
    metadata = site / "parcels-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: parcels\nVersion: 1.0\n")
    listed = [f"parcels/{path.name}" for path in package.iterdir()] + ["parcels/gone.py", "../../../outside.py"]
    (metadata / "RECORD").write_text("".join(f"{path},,\n" for path in listed))
    return site


def harvest(*words: str | Path) -> tuple[list[dict], dict[str, str]]:
    """The records, and why each file was skipped, by its name."""
    command = [sys.executable, "-m", "kb.cli.program", "harvest", *map(str, words), "--out", "-", "--json", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    report = json.loads(run.stderr.splitlines()[-1])
    skipped = [(Path(row["path"]).name, row["why"]) for row in report["skipped"]]
    assert len(skipped) == len({name for name, _ in skipped}), "one line each"
    assert all(why and "\n" not in why for _, why in skipped)
    return records, dict(skipped)


def check(records: list[dict], skipped: dict[str, str]) -> None:
    assert {name for name in BROKEN if name not in skipped} == set()
    assert {name for name in READABLE if name in skipped} == set()
    assert {record["filePath"].rpartition("/")[2] for record in records} >= {
        "good.py", "latin.py", "marked.py", "windows.py", "surrogate.py",
    }  # fmt: skip


def test_an_installed_package_with_broken_files(site: Path, tmp_path: Path) -> None:
    records, skipped = harvest("--environment", site, "--cache", tmp_path / "cache")
    check(records, skipped)
    assert {"loop.py", "nowhere.py", "folder.py", "pipe.py", "gone.py", "zipped.egg"} <= skipped.keys()
    assert "outside.py" not in skipped
    assert ("locked.py" in skipped) == (os.geteuid() != 0)  # for root nothing is locked
    assert "archive" in skipped["zipped.egg"]
    assert harvest("--environment", site, "--cache", tmp_path / "cache") == (records, skipped)


def test_a_directory_with_broken_files(site: Path, tmp_path: Path) -> None:
    records, skipped = harvest("--source", site / "parcels", "--cache", tmp_path / "cache")
    check(records, skipped)
    assert {"loop.py", "nowhere.py", "pipe.py", "around"} <= skipped.keys()
