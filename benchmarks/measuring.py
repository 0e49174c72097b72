"""What a figure is made of: the cost of a program, the CPU time of a running process, percentiles, Markdown tables.

The machine may be busy with other things, so CPU time counts more than the wall clock, and a ratio within one run more
than either. Times are in seconds, sizes in MiB, unless a name says otherwise.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "ROOT",
    "Cost",
    "cpu_seconds",
    "markdown_table",
    "measure",
    "percentile",
    "program",
    "tree_cpu_seconds",
    "unique_memory",
]

ROOT = Path(__file__).resolve().parent.parent
_MIB = 1024 * 1024
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a program took: ``wall`` and ``cpu`` seconds, children included, and the largest resident memory in MiB."""

    wall: float
    cpu: float
    memory: float
    output: str = ""

    def as_json(self) -> dict[str, float]:
        """The figures without the output."""
        figures: dict[str, Any] = asdict(self)
        figures.pop("output")
        return {name: round(value, 3) for name, value in figures.items()}


def program(name: str, *arguments: str) -> list[str]:
    """The command line of a module of this project, run by this interpreter."""
    return [sys.executable, "-m", name, *arguments]


def measure(command: Sequence[str], *, environment: Mapping[str, str]) -> Cost:
    """Run a program to its end. Raises ``RuntimeError`` with what it said when it fails."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        process = subprocess.Popen(command, env=dict(environment), cwd=ROOT, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            said = errors.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said}")
        return Cost(
            wall=wall,
            cpu=usage.ru_utime + usage.ru_stime,
            memory=usage.ru_maxrss / 1024,
            output=output.read().decode(),
        )


def cpu_seconds(process: int) -> float:
    """The CPU time that a running process has used, to the nanosecond, its children not included."""
    # How Linux numbers the CPU clock of another process, see clock_getcpuclockid(3).
    return time.clock_gettime((~process << 3) | 2)


def tree_cpu_seconds(process: int) -> float:
    """The CPU time of a process, of its living children and of those that have ended."""
    return sum(_ticks(_stat(process), 11, 15) for process in (process,)) + sum(
        _ticks(fields, 11, 15) for fields in _children(process)
    )


def _stat(process: int) -> list[str]:
    # Behind the name, which may hold anything; the first field there is the state.
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _ticks(fields: Sequence[str], start: int, end: int) -> float:
    return sum(map(int, fields[start:end])) / _TICKS


def _children(process: int) -> Iterable[list[str]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = _stat(int(entry.name))
            except OSError:  # it has just ended
                continue
            if int(fields[1]) == process:
                yield fields


def unique_memory(process: int) -> float:
    """MiB that only this process holds (USS)."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("Private_")]
    return sum(kilobytes) * 1024 / _MIB


def percentile(values: Iterable[float], share: float) -> float:
    """The value that ``share`` (0 to 1) of the values do not exceed, by nearest rank; NaN of nothing."""
    ordered = sorted(values)
    if not ordered:
        return math.nan
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; all columns but the first are numbers and stand to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def read_json(path: Path) -> Any:
    """The JSON document in a file."""
    return json.loads(path.read_text(encoding="utf-8"))
