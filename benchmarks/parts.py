"""The parts of an import alone, as plainly as they can be done: the baselines that the import is compared with.

Each runs in a process of its own (``python -m benchmarks.parts PART …``) in the environment of an installation that
holds the dataset, and prints its figures as JSON. Only the part itself is timed, not what prepares its input.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import django
import msgspec
import psycopg
from tantivy import Document

__all__ = ["main"]

_CHUNK = 1024 * 1024
_BATCH = 2000
# What an import of records writes, in an order that foreign keys allow.
_TABLES = (
    "catalog_dataset",
    "catalog_release",
    "catalog_repository",
    "catalog_record",
    "catalog_recordtag",
    "catalog_holding",
    "catalog_change",
    "catalog_term",
)


class _Timer:
    """Adds up the time of the timed stretches: wall, and the CPU time of the whole process."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = time.monotonic(), time.process_time()
        yield
        self.wall += time.monotonic() - wall
        self.cpu += time.process_time() - cpu


def _files(source: Path) -> list[Path]:
    return sorted((source / "repos").glob("*/*.json")) if source.is_dir() else [source]


def read(source: Path, timer: _Timer) -> int:
    """Read the source and hash its bytes. Returns the number of files."""
    files = _files(source)
    with timer.running():
        for path in files:
            digest = hashlib.sha256()
            with path.open("rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
    return len(files)


def decode(source: Path, timer: _Timer) -> int:
    """Decode every record into a typed struct without further rules, and hash its bytes. Returns the records."""
    from kb.records.record import Record

    decoder = msgspec.json.Decoder(Record)
    count = 0
    for path in _files(source):
        with timer.running(), path.open("rb") as file:
            elements = file if path.suffix == ".jsonl" else msgspec.json.decode(file.read(), type=list[msgspec.Raw])
            for element in elements:
                decoder.decode(element)
                hashlib.blake2b(element, digest_size=16).hexdigest()
                count += 1
    return count


def index(_source: Path, timer: _Timer) -> int:
    """Build the same tantivy index from documents that are ready. Returns the documents."""
    from kb.catalog import queries
    from kb.search import tuning
    from kb.search.documents import documents
    from kb.search.library import create_index
    from kb.search.schema import build_schema

    remaining = documents(queries.iter_search_facts())
    count = 0
    with tempfile.TemporaryDirectory(prefix="faultbook-bench-") as directory:
        schema = build_schema()
        made = create_index(Path(directory), schema)
        started = time.monotonic(), time.process_time()
        preparing = [0.0, 0.0]
        writer = made.writer(tuning.WRITER_HEAP_BYTES, 1)
        while True:
            before = time.monotonic(), time.thread_time()
            ready = [fields for _, fields in islice(remaining, _BATCH)]
            preparing = [preparing[0] + time.monotonic() - before[0], preparing[1] + time.thread_time() - before[1]]
            for fields in ready:
                writer.add_document(Document.from_dict(fields, schema))
            count += len(ready)
            if len(ready) < _BATCH:
                break
        writer.commit()
        writer.wait_merging_threads()
        # The writer's own thread works on while the next documents are prepared, so their time is taken off the whole.
        timer.wall += time.monotonic() - started[0] - preparing[0]
        timer.cpu += time.process_time() - started[1] - preparing[1]
    return count


def load(target: str, timer: _Timer) -> int:
    """Load the rows of this installation into the empty tables of ``target``. Returns the rows."""
    from django.db import connection

    connection.ensure_connection()
    if target.startswith("sqlite"):
        return _load_sqlite(connection.connection, Path(target.removeprefix("sqlite:///")), timer)
    return _load_postgresql(connection.connection, target, timer)


def _load_sqlite(source: sqlite3.Connection, target: Path, timer: _Timer) -> int:
    """By ``executemany`` in one transaction."""
    count = 0
    plain = sqlite3.connect(f"file:{source.execute('PRAGMA database_list').fetchone()[2]}?mode=ro", uri=True)
    into = sqlite3.connect(target, isolation_level=None)
    into.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16384; BEGIN;")
    for table in _TABLES:
        rows = plain.execute(f"SELECT * FROM {table}")  # noqa: S608  our own words
        marks = ", ".join("?" * len(rows.description))
        while batch := rows.fetchmany(_BATCH):
            with timer.running():
                into.executemany(f"INSERT INTO {table} VALUES ({marks})", batch)  # noqa: S608
            count += len(batch)
    with timer.running():
        into.execute("COMMIT")
    into.close()
    return count


def _load_postgresql(source: psycopg.Connection[Any], target: str, timer: _Timer) -> int:
    """By COPY in one transaction, from files that hold the rows as text."""
    count = 0
    with tempfile.TemporaryDirectory(prefix="faultbook-bench-") as directory, psycopg.connect(target) as into:
        for table in _TABLES:
            path = Path(directory) / table
            with path.open("wb") as file, source.cursor().copy(f"COPY {table} TO STDOUT") as copy:  # type: ignore[arg-type]
                for data in copy:
                    file.write(data)
        from benchmarks.databases import ServerClock

        clock = ServerClock("postgresql")
        before = clock.read()
        with timer.running():
            for table in _TABLES:
                cursor = into.cursor()
                with (Path(directory) / table).open("rb") as file, cursor.copy(f"COPY {table} FROM STDIN") as copy:  # type: ignore[arg-type]
                    while chunk := file.read(_CHUNK):
                        copy.write(chunk)
                count += cursor.rowcount
            into.commit()
        timer.cpu += clock.read() - before
    return count


def changes(revision: str, _timer: _Timer) -> dict[str, list[str]]:
    """The ids that a revision changed, by kind of change."""
    from kb.catalog.models import Change

    found: dict[str, list[str]] = {}
    for kind, record_id in Change.objects.filter(revision=int(revision)).values_list("kind", "record_id"):
        found.setdefault(kind, []).append(record_id)
    return found


def rows(_argument: str, _timer: _Timer) -> dict[str, int]:
    """The number of rows in each table that an import of records writes."""
    from django.db import connection

    counts = {}
    with connection.cursor() as cursor:
        for table in (*_TABLES, "catalog_slughistory", "catalog_rejection"):
            cursor.execute(f"SELECT COUNT(*) FROM {table}")  # noqa: S608  our own words
            counts[table] = cursor.fetchone()[0]
    return counts


_TIMED: dict[str, tuple[Callable[[Any, _Timer], int], Callable[[str], Any]]] = {
    "read": (read, Path),
    "decode": (decode, Path),
    "index": (index, Path),
    "load": (load, str),
}
_ASKED: dict[str, Callable[[str, _Timer], Any]] = {"changes": changes, "rows": rows}


def main() -> None:
    """Run one part and print what it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parts", description=__doc__)
    parser.add_argument("part", choices=[*_TIMED, *_ASKED])
    parser.add_argument("argument", help="the source, the database to load into, or a revision")
    chosen = parser.parse_args()
    django.setup()
    timer = _Timer()
    if chosen.part in _ASKED:
        print(json.dumps(_ASKED[chosen.part](chosen.argument, timer)))
        return
    run, argument = _TIMED[chosen.part]
    count = run(argument(chosen.argument), timer)
    print(json.dumps({"count": count, "wall": round(timer.wall, 3), "cpu": round(timer.cpu, 3)}))


if __name__ == "__main__":
    main()
