"""What Lighthouse says of four pages of the production server: ``python -m benchmarks.lighthouse``.

It needs Chromium, and once the npm registry (275 MB). Every page is measured several times in turn, as a slow phone
would load it, which is Lighthouse's default; the median counts. Pages that must not be indexed fail one audit of the
category SEO on purpose, so that category is told without this audit as well.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.machine import describe_machine
from benchmarks.measuring import ROOT, markdown_table, measure, program
from benchmarks.serving import serving
from tests.node_packages import NODE, install_package, node_environment

PACKAGE = "lighthouse@13.5.0"
CHROMIUM = "/usr/bin/chromium"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
LEAST = {"performance": 95, "accessibility": 98, "best-practices": 98, "seo": 98}
NOT_INDEXED = "is-crawlable"  # the audit that pages of what a reader typed fail by choice
SEED = "/errors/sgl-project/sglang/encode-metadata-not-ready/"
PAGES = {
    "home": "/",
    "search": "/search/?q=timeout",
    "record": SEED,
    "report": "/explain/?" + urlencode({"q": "MMError: encode metadata not ready (req_id=42)"}),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """Scores of one run, 0 to 100 a category, and what lowered them: (category, audit, what it shows)."""

    scores: Mapping[str, float]
    faults: tuple[tuple[str, str, str], ...]
    machine: float  # Lighthouse's own figure of how fast the machine was: 1,000 and more is a good laptop
    metrics: Mapping[str, str]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exits with 1 when a median is below what is asked."""
    chosen = _arguments(arguments)
    lighthouse = install_package(ROOT, PACKAGE) / "cli" / "index.js"
    found: dict[str, list[Run]] = {name: [] for name in PAGES}
    with _installation(chosen.data) as environment:
        port = _free_port()
        with serving(environment, port=port):
            for number in range(chosen.runs):
                for name, path in PAGES.items():
                    run = measured(lighthouse, f"http://127.0.0.1:{port}{path}")
                    found[name].append(run)
                    print(f"{number + 1} {name}: {dict(run.scores)}", flush=True)
    print(_report(found))
    if too_low := [row for name, runs in found.items() for row in _too_low(name, runs)]:
        raise SystemExit("\n".join(too_low))


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lighthouse", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="of each page (default %(default)s)")
    parser.add_argument(
        "--data", type=Path, help="KB_DATA_DIR of an installation that holds the dataset seed (default: a new one)"
    )
    return parser.parse_args(arguments)


def measured(lighthouse: Path, url: str) -> Run:
    """One run. Raises ``RuntimeError`` with Lighthouse's words when it fails."""
    command = [
        *(str(NODE / "bin" / "node"), str(lighthouse), url, "--quiet", "--output=json"),
        "--chrome-flags=--headless=new --no-sandbox",
        f"--only-categories={','.join(CATEGORIES)}",
    ]
    environment = node_environment() | {"CHROME_PATH": CHROMIUM}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if ended.returncode:
        raise RuntimeError(ended.stderr[-2000:])
    return _run(json.loads(ended.stdout))


def _run(answer: dict[str, Any]) -> Run:
    audits, categories = answer["audits"], answer["categories"]
    scores = {name: round(100 * categories[name]["score"]) for name in CATEGORIES}
    scores["seo without indexing"] = _without(categories["seo"], audits, NOT_INDEXED)
    faults = tuple(
        (name, row["id"], audits[row["id"]].get("displayValue", "") or audits[row["id"]]["title"])
        for name in CATEGORIES
        for row in categories[name]["auditRefs"]
        if row["weight"] and (audits[row["id"]]["score"] or 0) < _GOOD.get(name, 1)
        and audits[row["id"]]["scoreDisplayMode"] not in _NOT_SCORED
    )  # fmt: skip
    shown = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
    metrics = {name: audits[name].get("displayValue", "") for name in shown}
    return Run(scores=scores, faults=faults, machine=answer["environment"]["benchmarkIndex"], metrics=metrics)


_GOOD = {"performance": 0.9}
_NOT_SCORED = {"notApplicable", "manual", "informative"}


def _without(category: dict[str, Any], audits: dict[str, Any], left_out: str) -> float:
    """A category's score, 0 to 100, as if it had no such audit."""
    rows = [
        (row["weight"], audits[row["id"]]["score"])
        for row in category["auditRefs"]
        if row["id"] != left_out and audits[row["id"]]["scoreDisplayMode"] not in _NOT_SCORED
    ]
    return round(100 * sum(weight * score for weight, score in rows) / sum(weight for weight, _ in rows))


@contextmanager
def _installation(data: Path | None) -> Iterator[Mapping[str, str]]:
    """The environment of an installation: of ``data``, or of a new one with the datasets seed and starter."""
    if data:
        yield _environment(data)
        return
    with tempfile.TemporaryDirectory(prefix="faultbook-lighthouse-") as folder:
        environment = _environment(Path(folder))
        datasets = ROOT / "fixtures" / "datasets"
        for command in (
            ["migrate", "--verbosity", "0"],
            ["collectstatic", "--no-input", "--verbosity", "0"],
            ["import_dataset", str(datasets / "seed" / "seed-record.json"), "--dataset", "seed"],
            ["import_dataset", str(datasets / "starter"), "--dataset", "starter"],
        ):
            measure(program("kb.cli.program", *command), environment=environment)
        yield environment


def _environment(data: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    return kept | {"KB_DATA_DIR": str(data)}


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _median(runs: Sequence[Run], name: str) -> float:
    return statistics.median(run.scores[name] for run in runs)


def _too_low(page: str, runs: Sequence[Run]) -> Iterator[str]:
    for name, least in LEAST.items():
        by_choice = name == "seo" and page in {"search", "report"}
        if (median := _median(runs, "seo without indexing" if by_choice else name)) < least:
            yield f"{page}: {name} {median:g} < {least}"


def _report(found: Mapping[str, Sequence[Run]]) -> str:
    columns = [*CATEGORIES, "seo without indexing"]
    table = markdown_table(
        ["", *columns, "first paint", "blocked"],
        [
            [page, *(f"{_median(runs, name):g}" for name in columns), *_metrics(runs)]
            for page, runs in found.items()
        ],
    )  # fmt: skip
    faults = sorted({(page, *fault) for page, runs in found.items() for run in runs for fault in run.faults})
    speed = statistics.median(run.machine for runs in found.values() for run in runs)
    machine = ", ".join(f"{name} {value}" for name, value in describe_machine().items())
    return "\n".join([table, "", *map(" · ".join, faults), "", f"{machine}; Lighthouse's figure of it: {speed:.0f}"])


def _metrics(runs: Sequence[Run]) -> list[str]:
    middle = sorted(runs, key=lambda run: run.scores["performance"])[len(runs) // 2]
    return [middle.metrics["first-contentful-paint"], middle.metrics["total-blocking-time"]]


if __name__ == "__main__":
    main()
