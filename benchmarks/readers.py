"""How readers fare while a whole dataset is imported: ``python -m benchmarks.readers --dataset DIR``.

One installation holds the dataset, and one server with one worker answers. Everything is asked in turn, first while
nothing else runs, then while the same dataset is imported once more under another name that ranks first, so that every
record is written again, and once more afterwards. Prints a table of the 95th percentiles and keeps the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.databases import Place, database_kinds, place
from benchmarks.machine import describe_machine
from benchmarks.measuring import ROOT, markdown_table, measure, percentile, program, read_json
from benchmarks.serving import Server, serving

__all__ = ["main"]

PORT = 8975
_FEWEST = 30  # rounds while the import runs, below which a percentile says nothing
_Samples = dict[str, list[float]]  # wall milliseconds by what was asked


def _paths(layout: Path, count: int) -> dict[str, list[str]]:
    """Addresses of each kind, spread over the dataset."""
    found: dict[str, list[str]] = {"record page": [], "API record": [], "search page": [], "repository page": []}
    files = sorted((layout / "repos").glob("*/*.json"))
    for file in files[:: max(1, len(files) // count)]:
        record = read_json(file)[0]
        found["record page"].append(f"/errors/{record['repo']}/{record['slug']}/")
        found["API record"].append(f"/api/v1/errors/{record['id']}")
        found["search page"].append(f"/search/?q={quote(record['tags'][0])}")
        found["repository page"].append(f"/errors/{record['repo']}/")
    return found


def _ask(server: Server, paths: dict[str, list[str]], more: Callable[[int], bool]) -> _Samples:
    """Everything in turn while ``more`` says so of the number of the round."""
    samples: _Samples = {kind: [] for kind in paths}
    number = 0
    while more(number):
        for kind, rows in paths.items():
            samples[kind].append(server.get(rows[number % len(rows)]).wall)
        number += 1
    return samples


def _import(source: Path, *options: str) -> list[str]:
    return program("kb.cli.program", "import_dataset", str(source), "--quiet", "--json", *options)


def measure_readers(where: Place, layout: Path, *, rounds: int) -> dict[str, Any]:
    """The figures of one installation that is empty and migrated."""
    measure(_import(layout, "--dataset", "first"), environment=where.environment)
    measure(program("kb.cli.program", "collectstatic", "--no-input", "--verbosity", "0"), environment=where.environment)
    paths = _paths(layout, rounds)
    with serving(where.environment, port=PORT) as server:
        _ask(server, paths, lambda number: number < rounds)  # what a first reader pays for is no part of this
        before = _ask(server, paths, lambda number: number < rounds)
        command = _import(layout, "--dataset", "second", "--priority", "5")
        process = subprocess.Popen(command, env=where.environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        during = _ask(server, paths, lambda _number: process.poll() is None)
        output, _ = process.communicate()
        after = _ask(server, paths, lambda number: number < rounds)
    report = json.loads(output)
    if report["outcome"] != "published" or len(during["record page"]) < _FEWEST:
        raise RuntimeError(f"the import was {report['outcome']} after {len(during['record page'])} rounds")
    idle = {kind: before[kind] + after[kind] for kind in paths}
    return {
        "import_seconds": report["seconds"],
        "rounds": len(during["record page"]),
        "answers": {kind: _compared(idle[kind], during[kind]) for kind in paths},
        "all": _compared(*(list(chain.from_iterable(samples.values())) for samples in (idle, during))),
    }


def _compared(idle: Sequence[float], during: Sequence[float]) -> dict[str, float]:
    ours, theirs = percentile(during, 0.95), percentile(idle, 0.95)
    return {"idle_p95": round(theirs, 1), "during_p95": round(ours, 1), "ratio": round(ours / theirs, 2)}


def _table(results: dict[str, Any]) -> str:
    header = ("database", "asked", "idle p95, ms", "during, ms", "ratio")
    rows = [
        (kind, name, figures["idle_p95"], figures["during_p95"], figures["ratio"])
        for kind, measured in results.items()
        for name, figures in (*measured["answers"].items(), ("all", measured["all"]))
    ]
    return markdown_table(header, rows)


def main() -> None:
    """Measure on every database there is, print and keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readers", description=__doc__)
    parser.add_argument("--dataset", type=Path, required=True, metavar="DIR", help="a published layout")
    parser.add_argument("--rounds", type=int, default=200, help="how often everything is asked (default %(default)s)")
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgresql"), default=database_kinds())
    parser.add_argument("--out", type=Path, default=ROOT / "var" / "benchmarks" / "readers.json")
    chosen = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="faultbook-readers-"))
    results: dict[str, Any] = {}
    try:
        for kind in chosen.databases:
            with place(kind, work / kind) as where:
                results[kind] = measure_readers(where, chosen.dataset, rounds=chosen.rounds)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps({"machine": describe_machine(), **results}, indent=1) + "\n", encoding="utf-8")
    print(_table(results))


if __name__ == "__main__":
    main()
