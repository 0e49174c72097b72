"""What a harvest takes: ``python -m benchmarks.harvest``. The first time, again, and after one file was changed.

Each run is the program as it is started, with a cache of its own that is empty before the first. CPU time is that of
all its processes; with nothing else to do, the wall clock is about that divided by the cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import describe_machine
from benchmarks.measuring import ROOT, markdown_table, measure, program

_WHAT: dict[str, tuple[str, ...]] = {
    "what is installed here": (),
    "Faultbook and what it needs, Python's library": ("faultbook", "--with-dependencies", "--stdlib"),
    "Django": ("django",),
}


class Run(NamedTuple):
    """One harvest: of what, which time, what it found, what it took."""

    what: str
    time: str
    report: dict[str, Any]
    wall: float
    cpu: float
    memory: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Harvest, print the figures as a table, keep them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.harvest", description=__doc__)
    parser.add_argument("--jobs", type=int, help="processes that read sources (default: one a core)")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "var" / "benchmarks", help="directory of the results (default %(default)s)"
    )
    chosen = parser.parse_args(arguments)
    jobs = ("--jobs", str(chosen.jobs)) if chosen.jobs else ()
    runs: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="faultbook-bench-") as folder:
        for run in _runs(Path(folder), jobs):
            print(f"{run.what}, {run.time}: {run.wall:.1f} s", flush=True)
            runs.append(run)
    chosen.out.mkdir(parents=True, exist_ok=True)
    kept = {"machine": describe_machine(), "runs": [run._asdict() for run in runs]}
    (chosen.out / "harvest.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(_table(runs))


def _runs(folder: Path, jobs: tuple[str, ...]) -> Iterator[Run]:
    for number, (what, words) in enumerate(_WHAT.items()):
        place = folder / str(number)
        for time in ("first", "again"):
            yield _run(what, time, (*words, *jobs), place)
    copy = folder / "sources" / "django"
    shutil.copytree(Path(sysconfig.get_path("purelib")) / "django", copy)
    words = ("--source", str(copy.parent), *jobs)
    _run("", "", words, folder / "copy")
    with (copy / "shortcuts.py").open("a", encoding="utf-8") as file:
        file.write("\n# one line more\n")
    yield _run("Django", "one file changed", words, folder / "copy")


def _run(what: str, time: str, words: Sequence[str], place: Path) -> Run:
    options = ("--cache", str(place / "cache"), "--out", str(place / "out"), "--json", "--quiet")
    environment = {**os.environ, "KB_DATA_DIR": str(place / "data")}
    cost = measure(program("kb.cli.program", "harvest", *words, *options), environment=environment)
    report = json.loads(cost.output.splitlines()[-1])
    del report["packages"], report["skipped"]
    return Run(what, time, report, cost.wall, cost.cpu, cost.memory)


def _table(runs: Sequence[Run]) -> str:
    header = ("harvest of", "files", "records", "wall", "CPU", "memory")
    rows = [
        (
            f"{run.what}, {run.time}",
            f"{run.report['files']:,}",
            f"{run.report['records']:,}",
            f"{run.wall:.1f} s",
            f"{run.cpu:.1f} s",
            f"{run.memory:.0f} MiB",
        )
        for run in runs
    ]
    return markdown_table(header, rows)


if __name__ == "__main__":
    main()
