"""How often the right record comes first: ``make accuracy`` (``python -m benchmarks.accuracy``).

Builds the record set of the cases (its wheels are downloaded once), imports it alone into a catalog of its own, asks
the API about every case, and prints the figures by kind.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.case_scores import CASES, Scores, read_cases, score
from benchmarks.measuring import ROOT

_EXTRACTED = ("id", "repo", "errorCode", "errorClass", "errorMessage", "messagePattern", "filePath", "lineNumber")


def main() -> None:
    """Build, import, ask, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    var = ROOT / "var"
    parser.add_argument(
        "--records", type=Path, default=var / "case-records.jsonl", help="the record set, made if absent"
    )
    parser.add_argument("--cache", type=Path, default=var / "case-wheels", help="directory of the wheels")
    parser.add_argument("--data", type=Path, default=var / "case-catalog", help="directory of the catalog")
    parser.add_argument("--cases", type=Path, default=CASES / "handed.jsonl", help="the cases, one a line")
    parser.add_argument("--extract", action="store_true", help="write fixtures/cases/extract.jsonl anew")
    chosen = parser.parse_args()
    _build(chosen.records, chosen.cache)
    _set_up(chosen.data)
    _import(chosen.records)
    cases = read_cases(chosen.cases)
    times: list[float] = []
    near: set[str] = set()
    _report(score(cases, lambda text: _ask(text, times, near)), times)
    if chosen.extract:
        _extract(chosen.records, near | {one for case in cases for one in case.expected})


def _build(records: Path, cache: Path) -> None:
    if not records.exists():
        records.parent.mkdir(parents=True, exist_ok=True)
        program = str(ROOT / "benchmarks" / "case_dataset.py")
        subprocess.run([sys.executable, program, "--out", str(records), "--cache", str(cache)], check=True)


def _set_up(data: Path) -> None:
    os.environ.update(KB_DATA_DIR=str(data), DJANGO_SETTINGS_MODULE="kb.settings", KB_ALLOWED_HOSTS="testserver")
    for name in ("KB_DATABASE_URL", "KB_INDEX_DIR"):
        os.environ.pop(name, None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _import(records: Path) -> None:
    from kb.catalog import queries
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import
    from kb.matching.index.revisions import is_usable

    state = queries.state()
    if state.records == 0 or not is_usable(state.revision):
        print(run_import([records], ImportOptions(dataset="cases")).outcome)


def _ask(text: str, times: list[float], near: set[str]) -> dict[str, Any]:
    from django.test import Client

    started = time.process_time()
    answer = Client().post(
        "/api/v1/match/", json.dumps({"text": text, "limit": 20, "detail": "ids"}), content_type="application/json"
    )
    times.append(time.process_time() - started)
    if answer.status_code != 200:  # noqa: PLR2004  done
        raise SystemExit(f"the API answered {answer.status_code}: {answer.content[:300]!r}")
    result: dict[str, Any] = answer.json()["results"][0]
    for exception in result["exceptions"]:
        near.update(match["id"] for match in (*exception["matches"], *exception.get("nearest", ())))
    return result


def _report(scores: Scores, times: list[float]) -> None:
    for outcome in scores.outcomes:
        right = outcome.is_first
        mark = "right" if right else "WRONG" if not outcome.is_among_five else "among five"
        print(f"{mark:10} {outcome.confidence or 'none':6} {outcome.case.kind:16} {outcome.case.case}")
    print()
    for kind, (right, count) in sorted(scores.by_kind().items()):
        print(f"{kind:18} {right:3} of {count}")
    with_record, without = len(scores.with_record), len(scores.without_record)
    sure_right, sure = scores.sure
    print(f"\nfirst              {scores.first} of {with_record}")
    print(f"among five         {scores.among_five} of {with_record}")
    print(f"false positives    {scores.false_positives} of {without}")
    print(f"sure and right     {sure_right} of {sure}")
    print(f"CPU a call         {statistics.median(times) * 1000:.1f} ms at the median, {max(times) * 1000:.1f} at most")


def _extract(records: Path, near: set[str]) -> None:
    """The facts of the records near the cases, of all others in the same files, and of one in two hundred."""
    from kb.records.functions import enclosing_function

    rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
    files = {(row["repo"], row["filePath"]) for row in rows if row["id"] in near}
    kept = [
        row
        for number, row in enumerate(rows)
        if row["id"] in near or number % 200 == 0 or (row["repo"], row["filePath"]) in files
    ]
    lines = []
    for row in kept:
        facts = {name: row[name] for name in _EXTRACTED}
        above = row["lineNumber"] - row["sourceCodeStart"]
        facts["function"] = enclosing_function(row["sourceCode"], above, "Python")
        lines.append(json.dumps(facts, ensure_ascii=False) + "\n")
    (CASES / "extract.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"extract.jsonl: {len(lines)} records")


if __name__ == "__main__":
    main()
