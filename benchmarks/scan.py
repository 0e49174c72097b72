"""Scanning a log: MB a second of one process and of all, beside only reading its lines.

Runs in the environment of an installation that holds a dataset (``python -m benchmarks.scan``): the log's errors, a few
in a hundred lines, are patterns of its catalog with their gaps filled.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

import django

__all__ = ["main"]

_KINDS = 500  # different errors
_SHARE = 0.03  # of the lines
_OTHER = (
    "INFO web-{} request GET /api/v1/items/{} status=200 duration={}ms",
    "DEBUG db pool connection acquired id={} wait={}ms size={}",
    "INFO scheduler job finished name=cleanup-{} rows={} next run in {} seconds",
    "WARN cache miss for key session:{} loading from database after {} tries ({})",
)


def _lines(errors: list[tuple[str, ...]], draw: random.Random) -> Iterator[str]:
    while True:
        moment = f"2026-11-30T07:{draw.randint(10, 59)}:{draw.randint(10, 59)}.{draw.randint(100, 999)}Z"
        if draw.random() < _SHARE:
            message = "".join(f"{part}{draw.randint(1, 9999)}" for part in draw.choice(errors)).replace("\n", " ")
            yield f"{moment} ERROR worker-{draw.randint(1, 9)} app.jobs: {message}\n"
        else:
            yield f"{moment} {draw.choice(_OTHER).format(*(draw.randint(1, 99_999) for _ in range(3)))}\n"


def _write(file: IO[str], errors: list[tuple[str, ...]], size: int) -> None:
    written = 0
    for line in _lines(errors, random.Random(1)):
        written += file.write(line)
        if written >= size:
            return


def _read(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _cpu() -> float:
    """CPU time of this process and of those that it waited for."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _measured(name: str, size: int, work: Callable[[], object]) -> None:
    wall, cpu = time.monotonic(), _cpu()
    work()
    wall, cpu = time.monotonic() - wall, _cpu() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{name:<28} {size / wall / 1e6:8.1f} MB/s   {size / max(cpu, 1e-9) / 1e6:8.1f} MB/s of CPU   peak {peak} MiB"
    )


def main() -> None:
    """Writes the log, and prints what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=64, help="MiB of the log (default: %(default)s)")
    size = parser.parse_args().size * 1024 * 1024
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kb.settings")
    django.setup()
    from django.conf import settings

    from kb.catalog import queries
    from kb.matching.index.open import current_index, open_index
    from kb.matching.scanning import scan_file
    from kb.records.patterns import literal_parts

    index = current_index(queries.state().revision)
    parts = (
        literal_parts(index.pattern_text(number)) for number in range(0, index.patterns, index.patterns // _KINDS or 1)
    )
    errors = [found for found in parts if found and sum(map(len, found)) > 20]  # noqa: PLR2004  long enough to count
    opener = partial(open_index, index.revision, directory=Path(settings.KB_INDEX_DIR))
    with tempfile.NamedTemporaryFile("w", suffix=".log", encoding="utf-8") as file:
        _write(file, errors, size)
        file.flush()
        path = Path(file.name)
        print(f"{index.patterns:,} patterns, {len(errors)} kinds of errors in {size // 1024 // 1024} MiB")
        _measured("lines read", size, lambda: _read(path))
        _measured("scan, one process", size, lambda: scan_file(path, opener, processes=1))
        processes = len(os.sched_getaffinity(0))
        _measured(f"scan, {processes} processes", size, lambda: scan_file(path, opener, processes=processes))


if __name__ == "__main__":
    main()
