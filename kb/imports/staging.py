"""Validated records waiting in a file of their own until the whole source has been read.

The file is an SQLite database in the spool, thrown away after the import: memory does not grow with the source, and the
same code serves both catalogs. Repeated ids and taken slugs within one source are settled here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

__all__ = ["Staged", "Staging"]

_TABLES = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-32768; PRAGMA temp_store=FILE;
CREATE TABLE staged (id TEXT PRIMARY KEY, repo TEXT, slug TEXT, hash TEXT, known INTEGER, origin TEXT,
                     position INTEGER, content BLOB) WITHOUT ROWID;
CREATE UNIQUE INDEX staged_slug ON staged (repo, slug);
CREATE TABLE present (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE unsure (repo TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Staged:
    """A record that waits; ``content`` is its JSON, ``None`` when the dataset already holds the same."""

    id: str
    repo: str
    slug: str
    content_hash: str
    origin: str
    position: int
    content: bytes | None


class Staging:
    """The waiting room of one import. Close it, or use it in a ``with`` block: that deletes the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        with suppress(sqlite3.Error, OSError):  # what the import came to stands; the next one removes the file
            self._database.close()
            self._path.unlink(missing_ok=True)

    def owner_of(self, repo: str, slug: str) -> str | None:
        """The id of the waiting record that has this slug."""
        row = self._database.execute("SELECT id FROM staged WHERE repo = ? AND slug = ?", (repo, slug)).fetchone()
        return row[0] if row else None

    def origin_of(self, record_id: str) -> str | None:
        """Where the waiting record with this id came from."""
        row = self._database.execute("SELECT origin FROM staged WHERE id = ?", (record_id,)).fetchone()
        return row[0] if row else None

    def add(self, row: Staged) -> bool:
        """Lets a record wait, unless its id or its slug waits already: then nothing happens, and this is false."""
        return self._put("INSERT OR IGNORE", row)

    def replace(self, row: Staged) -> None:
        """Lets a record wait in place of the one with its id. The slug must be free or the record's own."""
        self._put("INSERT OR REPLACE", row)

    def _put(self, verb: str, row: Staged) -> bool:
        known = row.content is None
        done = self._database.execute(
            f"{verb} INTO staged VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (row.id, row.repo, row.slug, row.content_hash, known, row.origin, row.position, row.content),
        )
        return done.rowcount == 1

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
        return {"new": total - known, "known": known}

    def ids(self) -> Iterator[str]:
        """The ids of all records that are in the source, also of rejected ones, in order."""
        for row in self._database.execute("SELECT id FROM staged UNION SELECT id FROM present ORDER BY 1"):
            yield row[0]

    def new(self, batch: int) -> Iterator[list[Staged]]:
        """The records that differ from what the dataset holds, in the order of ids, some at a time."""
        after = ""
        while True:
            rows = self._database.execute(
                "SELECT id, repo, slug, hash, origin, position, content FROM staged"
                " WHERE known = 0 AND id > ? ORDER BY id LIMIT ?",
                (after, batch),
            ).fetchall()
            if rows:
                yield [Staged(*row) for row in rows]
                after = rows[-1][0]
            if len(rows) < batch:
                return

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
