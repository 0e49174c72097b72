"""Data that the tests of the record contract start from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DATASETS = Path(__file__).resolve().parents[2] / "fixtures" / "datasets"


@pytest.fixture
def seed() -> dict[str, Any]:
    """A real record as a mapping of its own, free to be changed."""
    envelope = json.loads((DATASETS / "seed" / "seed-record.json").read_text(encoding="utf-8"))
    record: dict[str, Any] = envelope["record"]
    return record


@pytest.fixture
def datasets() -> Path:
    """The directory of the committed datasets."""
    return DATASETS
