"""Validated records waiting in a file of their own until the whole source has been read.

Two files in the spool, thrown away after the import: an SQLite database of keys, and beside it what was prepared of the
records, one after the other as they came. Memory does not grow with the source, and the same code serves both catalogs.
Repeated ids and taken slugs within one source are settled here.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from kb.catalog.contents import unpack_json
from kb.catalog.prepared import Prepared, read_prepared
from kb.imports.sources.streams import shown_name

__all__ = ["Staged", "Staging"]

_BUFFER = 1024 * 1024
_TABLES = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-131072; PRAGMA temp_store=FILE;
CREATE TABLE staged (id TEXT PRIMARY KEY, repo TEXT, slug TEXT, hash TEXT, known INTEGER, origin TEXT,
                     position INTEGER, start INTEGER, values_size INTEGER, packed_size INTEGER) WITHOUT ROWID;
CREATE UNIQUE INDEX staged_slug ON staged (repo, slug);
CREATE TABLE recognized (id TEXT PRIMARY KEY, place INTEGER) WITHOUT ROWID;
CREATE TABLE present (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE unsure (repo TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_CLASH = """
WITH wanted(id, repo, slug) AS (VALUES {rows})
SELECT 1 FROM wanted CROSS JOIN staged ON staged.id = wanted.id
UNION ALL
SELECT 1 FROM wanted CROSS JOIN staged ON staged.repo = wanted.repo AND staged.slug = wanted.slug
UNION ALL
SELECT 1 FROM wanted CROSS JOIN recognized ON recognized.id = wanted.id
LIMIT 1
"""
_IS_THERE = """
WITH wanted(id) AS (VALUES {rows})
SELECT 1 FROM wanted CROSS JOIN staged ON staged.id = wanted.id
UNION ALL
SELECT 1 FROM wanted CROSS JOIN recognized ON recognized.id = wanted.id
LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Staged:
    """A record that waits.

    ``values`` and ``packed`` are those of :class:`Prepared`, ``None`` when the dataset already holds the same.
    """

    id: str
    repo: str
    slug: str
    content_hash: str
    origin: str
    position: int
    values: bytes | None
    packed: bytes | None

    @classmethod
    def of(cls, ready: Prepared, *, origin: str, position: int = 0) -> Self:
        """A record that was prepared here."""
        keys = (ready.id, ready.repo, ready.slug, ready.content_hash)
        return cls(*keys, origin, position, ready.to_bytes(), ready.packed)

    @property
    def content(self) -> bytes | None:
        """The JSON of the record."""
        return None if self.packed is None else unpack_json(self.packed)

    @property
    def prepared(self) -> Prepared:
        """What was prepared of the record. Raises ``ValueError`` when the dataset already holds the same."""
        if self.values is None or self.packed is None:
            message = f"nothing was prepared of {self.id}"
            raise ValueError(message)
        return read_prepared(self.values, self.packed)


class Staging:
    """The waiting room of one import. Close it, or use it in a ``with`` block: that deletes the files."""

    def __init__(self, path: Path) -> None:
        self._path = path
        data = path.with_name(f"{path.name}-data")
        self._data = data.open("w+b", buffering=_BUFFER)
        data.unlink()  # without a name it goes with the process, however that ends
        self._end = 0
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        # What the import came to stands, and what cannot be removed the next one removes. Closing a file writes what it
        # still holds, which fails on a full disk: that must not keep the others.
        for step in (self._data.close, self._database.close, self._path.unlink):
            with suppress(sqlite3.Error, OSError):
                step()

    def owner_of(self, repo: str, slug: str) -> str | None:
        """The id of the waiting record that has this slug."""
        row = self._database.execute("SELECT id FROM staged WHERE repo = ? AND slug = ?", (repo, slug)).fetchone()
        return row[0] if row else None

    def origin_of(self, record_id: str) -> str | None:
        """Where the waiting record with this id came from."""
        row = self._database.execute("SELECT origin FROM staged WHERE id = ?", (record_id,)).fetchone()
        return row[0] if row else None

    def add_all(self, rows: Sequence[Staged]) -> None:
        """Lets records wait of which :meth:`clash` has said that no id and no slug waits already or occurs twice."""
        self._put("INSERT", rows)

    def clash(self, rows: Sequence[Staged]) -> bool:
        """Whether an id or a slug of these records waits already, or is that of two of them."""
        if len({row.id for row in rows}) < len(rows) or len({(row.repo, row.slug) for row in rows}) < len(rows):
            return True
        if not rows:
            return False
        keys = [text for row in rows for text in (row.id, row.repo, row.slug)]
        found = self._database.execute(_CLASH.replace("{rows}", ", ".join(["(?, ?, ?)"] * len(rows))), keys)
        return found.fetchone() is not None

    def add(self, row: Staged) -> bool:
        """Lets a record wait, unless its id or its slug waits already: then nothing happens, and this is false."""
        if self.clash([row]):
            return False
        self.add_all([row])
        return True

    def replace(self, row: Staged) -> None:
        """Lets a record wait in place of the one with its id. The slug must be free or the record's own."""
        self._put("INSERT OR REPLACE", [row])

    def _put(self, verb: str, rows: Sequence[Staged]) -> None:
        keys = []
        for row in rows:
            values, packed = row.values or b"", row.packed or b""
            sizes = (self._end, len(values), len(packed))
            known = row.packed is None
            keys.append((row.id, row.repo, row.slug, row.content_hash, known, row.origin, row.position, *sizes))
            self._data.write(values)
            self._data.write(packed)
            self._end += len(values) + len(packed)
        self._database.executemany(f"{verb} INTO staged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", keys)

    def add_recognized(self, rows: Sequence[tuple[str, int]]) -> bool:
        """Counts records (id, place in the source) as known whose bytes were recognized, unless one of them is here
        already or is there twice: then nothing happens, and this is false.
        """
        ids = [record_id for record_id, _ in rows]
        if len(set(ids)) < len(ids):
            return False
        if ids and self._database.execute(_IS_THERE.replace("{rows}", ", ".join(["(?)"] * len(ids))), ids).fetchone():
            return False
        self._database.executemany("INSERT INTO recognized VALUES (?, ?)", rows)
        return True

    def recognized_at(self, record_id: str) -> int | None:
        """Where in the source the bytes of this record were recognized."""
        row = self._database.execute("SELECT place FROM recognized WHERE id = ?", (record_id,)).fetchone()
        return row[0] if row else None

    def forget_recognized(self, record_id: str) -> None:
        """Another record with this id is to wait in its place."""
        self._database.execute("DELETE FROM recognized WHERE id = ?", (record_id,))

    def note_present(self, record_id: str) -> None:
        """A rejected record still counts as present, so that what the catalog holds of it stays (decisions 5)."""
        self._database.execute("INSERT OR IGNORE INTO present VALUES (?)", (record_id,))

    def note_unsure(self, repo: str) -> None:
        """A record of this repository had no readable id: nothing of it may be retired. Empty for any repository."""
        self._database.execute("INSERT OR IGNORE INTO unsure VALUES (?)", (repo,))

    def unsure(self) -> set[str]:
        """The repositories in which nothing may be retired."""
        return {row[0] for row in self._database.execute("SELECT repo FROM unsure")}

    def discard(self, record_id: str) -> None:
        """Takes a waiting record out again; it still counts as present."""
        self._database.execute("DELETE FROM staged WHERE id = ?", (record_id,))
        self.note_present(record_id)

    def counts(self) -> Mapping[str, int]:
        """How many records wait, as ``new`` and as ``known``."""
        total, known = self._database.execute("SELECT COUNT(*), COALESCE(SUM(known), 0) FROM staged").fetchone()
        recognized = self._database.execute("SELECT COUNT(*) FROM recognized").fetchone()[0]
        return {"new": total - known, "known": known + recognized}

    def bytes_waiting(self) -> int:
        """About how many bytes of JSON the records have that differ from what the dataset holds."""
        rows = self._database.execute("SELECT COALESCE(SUM(values_size), 0) FROM staged WHERE known = 0")
        return int(rows.fetchone()[0])

    def ids(self) -> Iterator[str]:
        """The ids of all records that are in the source, also of rejected ones, in order."""
        every = "SELECT id FROM staged UNION SELECT id FROM recognized UNION SELECT id FROM present ORDER BY 1"
        for row in self._database.execute(every):
            yield row[0]

    def new(self, batch: int) -> Iterator[list[Staged]]:
        """The records that differ from what the dataset holds, in the order of ids, some at a time."""
        self._data.flush()
        after = ""
        while True:
            rows = self._database.execute(
                "SELECT id, repo, slug, hash, origin, position, start, values_size, packed_size FROM staged"
                " WHERE known = 0 AND id > ? ORDER BY id LIMIT ?",
                (after, batch),
            ).fetchall()
            if rows:
                yield [self._staged(row) for row in rows]
                after = rows[-1][0]
            if len(rows) < batch:
                return

    def _staged(self, row: tuple[Any, ...]) -> Staged:
        record_id, repo, slug, digest, origin, position, start, values_size, packed_size = row
        data = os.pread(self._data.fileno(), values_size + packed_size, start)
        if len(data) != values_size + packed_size:
            raise OSError(f"{shown_name(self._path)}-data is shorter than what was written to it")
        return Staged(record_id, repo, slug, digest, origin, position, data[:values_size], data[values_size:])

    def new_claims(self, batch: int) -> Iterator[list[tuple[str, str, str]]]:
        """(id, repository, slug) of the same records, without their content."""
        after = ""
        while True:
            rows = self._database.execute(
                "SELECT id, repo, slug FROM staged WHERE known = 0 AND id > ? ORDER BY id LIMIT ?", (after, batch)
            ).fetchall()
            if rows:
                yield rows
                after = rows[-1][0]
            if len(rows) < batch:
                return

    def claims_of(self, ids: list[str]) -> dict[str, tuple[str, str]]:
        """The repositories and slugs that these records will have, for those that wait."""
        found: dict[str, tuple[str, str]] = {}
        for record_id in ids:
            row = self._database.execute("SELECT repo, slug FROM staged WHERE id = ?", (record_id,)).fetchone()
            if row:
                found[record_id] = (row[0], row[1])
        return found
