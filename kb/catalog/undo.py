"""What a publication overwrites, kept so that a rollback can publish it again.

A release keeps the dataset's copies of records that it changed (:class:`CopyBefore`), and what the dataset said besides
them: its version, what it told of repositories, its articles. A release that found its dataset empty keeps no copies:
before it there were none. The oldest of several releases is what counts for each record and each document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import zstandard

from kb.catalog.bulk import insert_rows
from kb.catalog.contents import unpack_json
from kb.catalog.models import CopyBefore, Dataset, Holding, Release

__all__ = ["Documents", "UndoLog", "copies_before", "documents_before", "releases_to_undo"]

_COLUMNS = ("release_id", "record_id", "content_hash", "content")
_BATCH = 500
_MOST = 512 * 1024 * 1024
Kept = Mapping[str, Any] | None  # the fields of a document as they were; None where there was none


@dataclass(kw_only=True)
class Documents:
    """What a dataset said besides its records until a release. ``empty``: it had no copy of any record then; of
    several releases ``first_empty`` is the number of the first that found it so.
    """

    empty: bool = False
    first_empty: int | None = None
    dataset: dict[str, Any] = field(default_factory=dict)
    repositories: dict[str, Kept] = field(default_factory=dict)
    articles: dict[str, Kept] = field(default_factory=dict)


class UndoLog:
    """Notes what one release overwrites. The first note of a thing counts; ``close`` puts the documents into the
    release, which the caller saves.
    """

    def __init__(self, dataset: Dataset, release: Release) -> None:
        self._dataset = dataset
        self._release = release
        before = {
            "version": dataset.version,
            "complete": dataset.complete,
            "source": dataset.source,
            "priority": dataset.priority,
            "trusted": dataset.trusted,
        }
        empty = not Holding.objects.filter(dataset=dataset).exists()
        self.documents = Documents(empty=empty, dataset=before)

    def note_copies(self, copies: Sequence[tuple[str, str, bytes | None]]) -> None:
        """Keeps copies (id, content hash, compressed content); an empty hash says that there was none."""
        if self.documents.empty:
            return
        rows = [(self._release.pk, record_id, digest, content) for record_id, digest, content in copies]
        insert_rows("catalog_copybefore", _COLUMNS, rows)

    def note_repository(self, name: str, fields: Kept) -> None:
        """Keeps what was known of a repository."""
        self.documents.repositories.setdefault(name, fields)

    def note_article(self, slug: str, content: Kept) -> None:
        """Keeps an article."""
        self.documents.articles.setdefault(slug, content)

    def close(self) -> None:
        """Puts the documents into the release."""
        raw = msgspec.json.encode(self.documents)
        self._release.before = zstandard.ZstdCompressor(level=9).compress(raw)


def releases_to_undo(release_id: int) -> list[Release]:
    """The published releases of one dataset from this one on, the oldest first; empty when this one is not published.

    Those that were taken back already are among them: they and what took them back cancel each other out.
    """
    first = Release.objects.filter(pk=release_id, state=Release.State.PUBLISHED).select_related("dataset").first()
    if first is None:
        return []
    rows = Release.objects.filter(dataset=first.dataset_id, pk__gte=first.pk, state=Release.State.PUBLISHED)
    return list(rows.select_related("dataset").order_by("pk"))


def documents_before(releases: Sequence[Release]) -> Documents:
    """What the dataset said before the first of these releases, as far as they changed it.

    Raises ``ValueError`` when one of them keeps nothing.
    """
    found = Documents()
    for number, release in enumerate(releases):
        if release.before is None:
            message = f"release {release.pk} no longer keeps what was before it"
            raise ValueError(message)
        raw = zstandard.ZstdDecompressor().decompress(bytes(release.before), max_output_size=_MOST)
        kept = msgspec.json.decode(raw, type=Documents)
        if kept.empty and found.first_empty is None:
            found.first_empty = release.pk
        if number == 0:
            found.dataset = kept.dataset
        found.repositories = {**kept.repositories, **found.repositories}
        found.articles = {**kept.articles, **found.articles}
    return found


def copies_before(release: Release) -> Iterator[list[tuple[str, str, bytes | None]]]:
    """The copies (id, content hash, JSON) that a release overwrote, in the order of ids, some at a time."""
    after = ""
    while True:
        rows = CopyBefore.objects.filter(release=release, record_id__gt=after).order_by("record_id")[:_BATCH]
        found = [
            (row.record_id, row.content_hash, None if row.content is None else unpack_json(row.content)) for row in rows
        ]
        if found:
            yield found
            after = found[-1][0]
        if len(found) < _BATCH:
            return
