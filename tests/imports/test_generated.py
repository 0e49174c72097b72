"""A generated dataset in each layout, and its next version: everything arrives, and exactly what changed changes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GENERATOR = Path(__file__).resolve().parents[2] / "benchmarks" / "make_dataset.py"


def generate(*words: str | Path) -> None:
    source = Path(json.__file__).parent  # a small corpus is enough, and the same everywhere
    subprocess.run(
        [sys.executable, GENERATOR, *map(str, words), "--harvest", source, source.parent / "asyncio", "--jobs", "1"],
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory, soak: bool) -> Path:
    """``upstream``, ``next`` and ``jsonl`` in one directory."""
    directory = tmp_path_factory.mktemp("generated")
    size = "20000" if soak else "700"
    generate("--records", size, "--out", directory / "upstream")
    generate("--records", size, "--out", directory / "jsonl", "--layout", "jsonl")
    generate(
        "--mutate",
        directory / "upstream",
        "--out",
        directory / "next",
        "--change",
        "0.05",
        "--remove",
        "0.02",
        "--add",
        "0.03",
    )
    return directory


def records_in(directory: Path) -> dict[str, dict[str, Any]]:
    rows = [row for path in (directory / "repos").rglob("*.json") for row in json.loads(path.read_text("utf-8"))]
    return {row["id"]: row for row in rows}


def test_every_record_arrives_and_has_its_page(generated: Path, run: Any, catalog_records: Any, client: Any) -> None:
    expected = records_in(generated / "upstream")
    report = run(generated / "upstream")
    assert (report.outcome, report.added, report.rejected) == ("published", len(expected), 0)
    assert catalog_records() == expected
    for row in list(expected.values())[:: max(1, len(expected) // 60)]:
        page = client.get(f"/errors/{row['repo']}/{row['slug']}/")
        assert page.status_code == 200
        assert row["id"] in page.content.decode()


def test_the_next_version_changes_exactly_what_it_says(generated: Path, run: Any, catalog_records: Any) -> None:
    from kb.catalog.models import Change

    run(generated / "upstream")
    said = json.loads((generated / "next" / "changes.json").read_text())
    assert said["changed"]
    report = run(generated / "next")
    assert (report.added, report.changed, report.retired) == tuple(
        len(said[kind]) for kind in ("added", "changed", "removed")
    )
    done: dict[str, list[str]] = {}
    for kind, record_id in Change.objects.filter(revision=2).order_by("record_id").values_list("kind", "record_id"):
        done.setdefault({"retired": "removed", "reanalysed": "changed"}.get(kind, kind), []).append(record_id)
    assert {kind: sorted(ids) for kind, ids in done.items()} == {kind: sorted(ids) for kind, ids in said.items()}
    assert catalog_records() == records_in(generated / "next")


def test_both_layouts_hold_the_same(generated: Path, run: Any, stored: Any) -> None:
    run(generated / "upstream")
    before = stored()["Record"]
    report = run(generated / "jsonl" / "records.jsonl")
    assert (report.added, report.changed, report.retired) == (0, 0, 0)
    assert report.unchanged == len(before)
    assert stored()["Record"] == before
