"""How fast a dataset gets in: the import beside its parts alone, the same again unchanged, and the next version.

``python -m benchmarks.import_speed --dataset DIR --next DIR`` prints the figures of one database as JSON. The
installation is kept in ``--work`` for :mod:`benchmarks.read_speed`.
"""

from __future__ import annotations

import json
import shutil
import statistics
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.databases import Place, ServerClock, place
from benchmarks.measuring import Cost, measure, program, read_json

__all__ = ["Dataset", "Imports", "measure_imports"]

PARTS = ("decode", "load", "index")


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A generated dataset: the published layout, the same as JSON Lines, and the published layout's next version."""

    records: int
    layout: Path
    lines: Path | None  # None: not to be measured
    following: Path
    mebibytes: float  # of JSON


def as_lines(layout: Path, lines: Path) -> tuple[int, float]:
    """Write the records of a published layout as JSON Lines, byte for byte the same; says how many, and their MiB."""
    count = 0
    with lines.open("wb") as out:
        for path in sorted((layout / "repos").glob("*/*.json")):
            for record in msgspec.json.decode(path.read_bytes(), type=list[msgspec.Raw]):
                out.write(bytes(record) + b"\n")
                count += 1
    return count, lines.stat().st_size / 1024**2


@dataclass(kw_only=True)
class Imports:
    """Measures imports into one installation; ``figures`` is what came out so far."""

    place: Place
    figures: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._server = ServerClock(self.place.kind)

    def imported(self, name: str, source: Path, *options: str) -> dict[str, Any]:
        """Import a source by the command that people use; keeps the cost under ``name`` and returns the report."""
        command = program("kb.cli.program", "import_dataset", str(source), "--dataset", "bench", "--json", *options)
        report, cost = self._command(command)
        self.figures[name] = {
            **cost,
            **{key: report[key] for key in ("outcome", "added", "changed", "retired", "unchanged", "rejected")},
        }
        return report

    def part(self, name: str, argument: str | Path) -> dict[str, Any]:
        """Run one part alone; keeps every run under ``parts``."""
        found: dict[str, Any] = self.asked(name, argument)
        self.figures.setdefault("parts", {}).setdefault(name, []).append(found)
        return found

    def asked(self, name: str, argument: str | Path) -> Any:
        """What :mod:`benchmarks.parts` answers."""
        return json.loads(
            measure(program("benchmarks.parts", name, str(argument)), environment=self.place.environment).output
        )

    def started(self) -> None:
        """What the command takes before it does anything; it is part of every import here."""
        _, self.figures["start"] = self._command(program("kb.cli.program", "help"), answers=False)

    def rebuilt(self) -> None:
        """Build the index of the whole catalog anew by the command for it."""
        _, cost = self._command(program("kb.cli.program", "sync_index", "--force"), answers=False)
        self.figures["index_command"] = cost

    def _command(self, command: list[str], *, answers: bool = True) -> tuple[dict[str, Any], dict[str, float]]:
        before = self._server.read()
        cost: Cost = measure(command, environment=self.place.environment)
        server = self._server.read() - before
        report = json.loads(cost.output) if answers else {}
        figures = cost.as_json()
        return report, {**figures, "cpu": round(figures["cpu"] + server, 3), "server_cpu": round(server, 3)}


def measure_imports(kind: str, dataset: Dataset, work: Path, *, rounds: int) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yields one installation that holds the dataset, with the figures so far, and completes them when it is resumed.

    What changes the catalog (the next version) comes after the reader is done with it.
    """
    with place(kind, work / kind) as first:
        imports = Imports(place=first)
        imports.started()
        report = imports.imported("first", dataset.layout)
        if report["added"] != dataset.records:
            raise RuntimeError(f"{dataset.records} records were made, but {report['added']} imported")
        _measure_parts(imports, dataset, work, rounds=rounds)
        _measure_unchanged(imports, dataset)
        imports.figures["database_mib"] = round(first.size, 1)
        imports.figures["index_mib"] = round(_size(first.directory / "index"), 1)
        _summarize(imports.figures, records=dataset.records)
        yield first, imports.figures
        _measure_next(imports, dataset)
    if dataset.lines is None:
        return
    with place(kind, work / f"{kind}-lines") as second:
        lines = Imports(place=second)
        lines.imported("first", dataset.lines)
        lines.imported("unchanged", dataset.lines)
        imports.figures["lines"] = lines.figures
    shutil.rmtree(work / f"{kind}-lines")


def _size(directory: Path) -> float:
    """MiB of the files below a directory; a file with two names counts once."""
    sizes = {path.stat().st_ino: path.stat().st_size for path in directory.rglob("*") if path.is_file()}
    return sum(sizes.values()) / 1024**2


def _measure_parts(imports: Imports, dataset: Dataset, work: Path, *, rounds: int) -> None:
    for number in range(rounds):
        imports.part("read", dataset.layout)
        imports.part("decode", dataset.layout)
        imports.part("index", dataset.layout)
        with _empty(imports.place.kind, work / f"load-{number}") as target:
            imports.part("load", target)
    imports.rebuilt()


@contextmanager
def _empty(kind: str, directory: Path) -> Iterator[str]:
    """The address of an empty, migrated database."""
    with place(kind, directory) as target:
        yield target.address
    shutil.rmtree(directory)


def _measure_unchanged(imports: Imports, dataset: Dataset) -> None:
    """The same source again: nothing but the release's own row may be written."""
    before = imports.asked("rows", "")
    imports.imported("unchanged", dataset.layout)
    after = imports.asked("rows", "")
    written = {table: after[table] - count for table, count in before.items() if after[table] != count}
    imports.figures["unchanged"]["rows_written"] = written


def _measure_next(imports: Imports, dataset: Dataset) -> None:
    """The next version must change exactly what its ``changes.json`` lists."""
    report = imports.imported("next", dataset.following)
    found = imports.asked("changes", str(report["revision"]))
    listed = read_json(dataset.following / "changes.json")
    kinds = {
        "added": ({"added", "restored"}, "added"),
        "changed": ({"changed", "reanalysed"}, "changed"),
        "removed": ({"retired"}, "removed"),
    }
    imports.figures["next"]["exact"] = all(
        sorted(id for kind in ours for id in found.get(kind, [])) == sorted(listed[theirs])
        for ours, theirs in kinds.values()
    )
    imports.figures["next"]["listed"] = {name: len(ids) for name, ids in listed.items()}


def _summarize(figures: dict[str, Any], *, records: int) -> None:
    """Ratios of CPU time: of the whole to its parts, and of an import that changes nothing to reading the files."""
    parts: Mapping[str, list[dict[str, float]]] = figures["parts"]
    cpu = {name: statistics.median(run["cpu"] for run in runs) for name, runs in parts.items()}
    first, unchanged = figures["first"], figures["unchanged"]
    alone = sum(cpu[name] for name in PARTS)
    figures["parts_cpu"] = {name: round(value, 2) for name, value in cpu.items()}
    figures["ratios"] = {
        "records_per_cpu_second": round(records / first["cpu"], 1),
        "records_per_second": round(records / first["wall"], 1),
        "cpu_to_parts": round(first["cpu"] / alone, 2),
        "wall_to_parts_on_two_cores": round(first["wall"] / (alone / 2), 2),
        "unchanged_to_reading": round(unchanged["cpu"] / max(cpu["read"], 0.01), 2),
        "unchanged_to_decoding": round(unchanged["cpu"] / (cpu["read"] + cpu["decode"]), 2),
        "index_command_to_part": round(figures["index_command"]["cpu"] / cpu["index"], 2),
    }
