"""Records that the tests of the catalog make."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

SHA = "0" * 40


def make_record(number: int = 1, *, repo: str = "acme/rockets", **fields: Any) -> dict[str, Any]:
    """A small valid record; its id follows from the number and the repository."""
    return {
        "id": hashlib.sha256(f"{repo}-{number}".encode()).hexdigest()[:16],
        "repo": repo,
        "slug": f"engine-{number}-failed",
        "errorMessage": f"engine {number} failed",
        "messagePattern": f"engine {number} failed",
        "errorType": "exception",
        "errorClass": "EngineError",
        "severity": "error",
        "filePath": "rockets/engine.py",
        "lineNumber": number,
        "githubUrl": f"https://github.com/acme/rockets/blob/{SHA}/rockets/engine.py#L{number}",
        "documentation": f"Engine number {number} stopped before the burn was over.",
        "triggerScenarios": "A burn that is cut short.",
        "commonSituations": "Low pressure in the tank.",
        "solutions": ["Check the tank."],
        "tags": ["engine"],
        "backgroundTag": "engine-failure",
        "analyzedSha": SHA,
        "analyzedAt": "2026-01-02T03:04:05.678Z",
        "schemaVersion": 2,
        **fields,
    }


@pytest.fixture
def record() -> Callable[..., dict[str, Any]]:
    """:func:`make_record`."""
    return make_record
