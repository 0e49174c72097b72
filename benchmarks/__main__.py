"""All measurements: ``python -m benchmarks`` (``make bench``). Prints tables, and keeps them as Markdown and JSON."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.databases import Place, database_kinds
from benchmarks.import_speed import Dataset, as_lines, measure_imports
from benchmarks.machine import describe_machine
from benchmarks.measuring import ROOT, measure, program
from benchmarks.report import report


def main(arguments: Sequence[str] | None = None) -> None:
    """Make or take a dataset, measure on every database there is, write the results."""
    chosen = _arguments(arguments)
    results: dict[str, Any] = {
        "machine": describe_machine(),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
    }
    work = Path(tempfile.mkdtemp(prefix="faultbook-bench-", dir=chosen.work))
    try:
        dataset = _dataset(chosen, work)
        results["records"] = dataset.records
        results["source_mib"] = dataset.mebibytes
        for kind in chosen.databases:
            print(f"Measuring {dataset.records:,} records on {kind} …", flush=True)
            for place, figures in measure_imports(kind, dataset, work, rounds=chosen.part_rounds):
                results[kind] = {"import": figures, "read": _read(place, chosen.rounds)}
                _write(results, chosen.out)  # what is known so far: the rest may take long
            _write(results, chosen.out)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(report(results))


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--records", type=int, default=20_000, help="size of the dataset (default %(default)s)")
    parser.add_argument("--dataset", type=Path, metavar="DIR", help="take this published layout and make none")
    parser.add_argument("--next", type=Path, metavar="DIR", help="its next version, by make_dataset.py --mutate")
    parser.add_argument("--rounds", type=int, default=200, help="how often each page is asked (default %(default)s)")
    parser.add_argument(
        "--part-rounds", type=int, default=2, help="how often each part is run alone (default %(default)s)"
    )
    parser.add_argument("--one-layout", action="store_true", help="leave the import of JSON Lines out")
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgresql"), default=database_kinds())
    parser.add_argument(
        "--out", type=Path, default=ROOT / "var" / "benchmarks", help="directory of the results (default %(default)s)"
    )
    parser.add_argument(
        "--work", type=Path, help="where to put datasets and databases (default: the temporary directory)"
    )
    return parser.parse_args(arguments)


def _dataset(chosen: argparse.Namespace, work: Path) -> Dataset:
    generator = str(ROOT / "benchmarks" / "make_dataset.py")
    layout, following = chosen.dataset or work / "layout", chosen.next or work / "next"
    python = program("x")[:1]
    if chosen.dataset is None:
        print(f"Generating {chosen.records:,} records …", flush=True)
        measure([*python, generator, "--records", str(chosen.records), "--out", str(layout)], environment=_plain())
    if chosen.next is None:
        measure([*python, generator, "--mutate", str(layout), "--out", str(following)], environment=_plain())
    lines = work / "records.jsonl"
    count, size = as_lines(layout, lines)
    return Dataset(
        records=count,
        layout=layout,
        lines=None if chosen.one_layout else lines,
        following=following,
        mebibytes=round(size, 1),
    )


def _plain() -> dict[str, str]:
    return Place(kind="", directory=ROOT, address="").environment


def _read(place: Place, rounds: int) -> Any:
    """Reading is measured in a process of its own, whose Django knows this installation."""
    collect = program("kb.cli.program", "collectstatic", "--no-input", "--verbosity", "0")
    measure(collect, environment=place.environment)
    environment = {**place.environment, "DJANGO_SETTINGS_MODULE": "benchmarks.plain_settings"}
    return json.loads(
        measure(program("benchmarks.read_speed", "--rounds", str(rounds)), environment=environment).output
    )


def _write(results: dict[str, Any], out: Path) -> None:
    """Keep the results as JSON and as Markdown."""
    out.mkdir(parents=True, exist_ok=True)
    stem = f"{results['records']}"
    (out / f"{stem}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (out / f"{stem}.md").write_text(report(results) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
