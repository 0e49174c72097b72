"""Each import contract of pyproject.toml holds, and breaks when a forbidden import is planted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

# contract → (file that gets the import, the import)
PLANTED = {
    "layers": [
        ("kb/records/record.py", "import kb.catalog.answers"),
        ("kb/search/__init__.py", "import kb.present"),
        ("kb/web/__init__.py", "import kb.api"),
        ("kb/catalog/answers.py", "import kb.settings"),
        ("kb/harvest/facts.py", "import kb.catalog.answers"),
        ("kb/newcomer.py", ""),
    ],
    "pure-matching": [
        ("kb/matching/shapes.py", "from django.utils import timezone"),
        ("kb/matching/traces/parse.py", "from kb.catalog import queries"),
        ("kb/matching/reading/document.py", "from kb.search import engine"),
    ],
    "pure-records": [("kb/records/record.py", "from django.utils import timezone")],
    "pure-harvest": [("kb/harvest/facts.py", "from django.conf import settings")],
    "rest-framework": [("kb/web/__init__.py", "from rest_framework import status")],
    "one-writer": [("kb/cli/__init__.py", "from kb.catalog import publish")],
    "models": [
        ("kb/web/__init__.py", "from kb.catalog.models import Release"),
        ("kb/imports/__init__.py", "from kb.catalog import models"),
    ],
    "search-engine": [("kb/api/__init__.py", "import tantivy")],
    "mcp-library": [("kb/cli/__init__.py", "import django_mcpz.server")],
}


@pytest.fixture(scope="module")
def sources(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and its contracts."""
    copy = tmp_path_factory.mktemp("contracts")
    shutil.copytree(project_root / "kb", copy / "kb", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(project_root / "pyproject.toml", copy)
    return copy


def _lint(sources: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    chosen = [word for contract in contracts for word in ("--contract", contract)]
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache", *chosen],
        cwd=sources,
        env={**os.environ, "PYTHONPATH": str(sources)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_contract_is_seen_to_break_below(project_root: Path) -> None:
    configuration = tomllib.loads((project_root / "pyproject.toml").read_text())
    assert {row["id"] for row in configuration["tool"]["importlinter"]["contracts"]} == set(PLANTED)


def test_the_contracts_hold(sources: Path) -> None:
    ended = _lint(sources)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("contract", "file", "planted"),
    [(contract, file, planted) for contract, rows in PLANTED.items() for file, planted in rows],
)
def test_a_planted_import_breaks_the_contract(sources: Path, contract: str, file: str, planted: str) -> None:
    target = sources / file
    before = target.read_text() if target.exists() else None
    try:
        target.write_text(f"{before or ''}\n{planted}\n")
        ended = _lint(sources, contract)
    finally:
        if before is None:
            target.unlink()
        else:
            target.write_text(before)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "BROKEN" in ended.stdout, ended.stdout + ended.stderr
