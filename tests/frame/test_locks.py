"""The lock files pin what pyproject.toml asks for, with hashes, and agree with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^ \\;]+)")


def _pins(path: Path) -> dict[str, str]:
    """Version of each distribution in a lock file. Fails for one without a hash."""
    entries = re.split(r"\n(?=[A-Za-z0-9])", path.read_text(encoding="utf-8"))[1:]
    assert entries, f"{path.name} pins nothing"
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    found = [_PIN.match(entry) for entry in entries]
    return {canonicalize_name(row["name"]): row["version"] for row in found if row}


@pytest.fixture(scope="module")
def project(project_root: Path) -> dict[str, Any]:
    return tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _not_pinned(requirements: list[str], pins: dict[str, str]) -> list[str]:
    wanted = [Requirement(text) for text in requirements]
    pinned = {row: pins.get(canonicalize_name(row.name)) for row in wanted}
    return [str(row) for row, version in pinned.items() if version is None or version not in row.specifier]


def test_the_runtime_lock_pins_every_dependency_within_its_range(project: dict[str, Any], project_root: Path) -> None:
    assert _not_pinned(project["dependencies"], _pins(project_root / "requirements.lock")) == []


def test_the_development_lock_pins_the_tools_too(project: dict[str, Any], project_root: Path) -> None:
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    assert _not_pinned(wanted, _pins(project_root / "requirements-dev.lock")) == []


def test_tests_run_with_the_versions_of_production(project_root: Path) -> None:
    production = _pins(project_root / "requirements.lock")
    development = _pins(project_root / "requirements-dev.lock")
    assert {name: development.get(name) for name in production} == production


@pytest.mark.parametrize("change", ["Django>=6", "not-there", "django-csp<4"])
def test_a_requirement_outside_the_lock_is_found(project_root: Path, change: str) -> None:
    assert _not_pinned([change], _pins(project_root / "requirements.lock")) == [str(Requirement(change))]
