"""Building an index in a folder of its own: from nothing, or from another index and a change."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from tantivy import Document, Index, IndexWriter, Query, Searcher

from kb.search import tuning
from kb.search.documents import Indexable, documents, filter_term
from kb.search.errors import SearchUnavailable
from kb.search.files import RECORDS, WORDS, Manifest, link_files, read_manifest, sums, write_manifest
from kb.search.library import create_index, guarded, hit_count, open_index
from kb.search.schema import build_schema, fingerprint, words_schema
from kb.search.suggestions import VOCABULARY_FIELDS, is_correctable

__all__ = ["build"]


def build(
    folder: Path, *, revision: int, base: Path | None, changed: Iterable[Indexable], removed: Iterable[str]
) -> Manifest:
    """Build the index of a revision in ``folder``, which exists and is empty, check it, and write its manifest.

    ``base`` is the published folder that the change applies to. Without one, ``changed`` is the whole catalog, every id
    at most once. Raises :class:`SearchUnavailable` when the result is not what it should be.
    """
    before = read_manifest(base) if base is not None else None
    with guarded("Building the search index"):
        index = _start(folder / RECORDS, base)
        added, gone = _write(index, changed, removed, fresh=base is None)
        searcher = open_index(folder / RECORDS).searcher()
        if base is None and searcher.num_docs != added.count:
            raise SearchUnavailable(f"The new index holds {searcher.num_docs:,} records instead of {added.count:,}.")
        _check(searcher, index, present=added.sample, absent=gone - set(added.sample))
        _write_words(folder / WORDS, searcher)
    manifest = Manifest(
        format=fingerprint(),
        revision=revision,
        documents=searcher.num_docs,
        replaced=before.replaced + before.documents + added.count - searcher.num_docs if before else 0,
        files=sums(folder, known=before.files if before else {}, base=base),
    )
    write_manifest(folder, manifest)
    return manifest


class _Added:
    """What was added: how many, and the ids of some."""

    def __init__(self) -> None:
        self.count = 0
        self.sample: dict[str, None] = {}

    def note(self, id: str) -> None:
        self.count += 1
        if len(self.sample) < tuning.VERIFIED_IDS:
            self.sample[id] = None


def _start(folder: Path, base: Path | None) -> Index:
    if base is None:
        folder.mkdir()
        return create_index(folder, build_schema())
    link_files(base / RECORDS, folder)
    return open_index(folder)


def _write(
    index: Index, changed: Iterable[Indexable], removed: Iterable[str], *, fresh: bool
) -> tuple[_Added, set[str]]:
    """Write a change and wait for it; says what was added, and some of the ids that went."""
    # One thread: the same change gives the same index.
    writer = index.writer(tuning.WRITER_HEAP_BYTES, 1)
    try:
        gone: set[str] = set()
        for id in removed:
            writer.delete_documents_by_term("filter", filter_term("id", id))
            if len(gone) < tuning.VERIFIED_IDS:
                gone.add(id)
        added = _add(writer, index, changed, fresh=fresh)
        writer.commit()
    except BaseException:
        # The writer's threads must end, or they go on writing into a folder that is about to be removed. Not after a
        # commit: this would end merges as well.
        writer.rollback()
        writer.wait_merging_threads()
        raise
    writer.garbage_collect_files()
    writer.wait_merging_threads()
    return added, gone


def _add(writer: IndexWriter, index: Index, changed: Iterable[Indexable], *, fresh: bool) -> _Added:
    schema, added = index.schema, _Added()
    for id, fields in documents(changed):
        if not fresh:
            writer.delete_documents_by_term("filter", filter_term("id", id))
        # With the schema: a number without one becomes a signed field value and kills the writer.
        writer.add_document(Document.from_dict(fields, schema))
        added.note(id)
    return added


def _check(searcher: Searcher, index: Index, *, present: Iterable[str], absent: Iterable[str]) -> None:
    expected = [(id, 1) for id in present] + [(id, 0) for id in absent]
    for id, count in expected:
        named = Query.term_query(index.schema, "filter", filter_term("id", id), "basic")
        found = hit_count(searcher.search(named, limit=1))
        if found != count:
            raise SearchUnavailable(f"The new index holds record {id} {found} times instead of {count}.")


def _write_words(folder: Path, searcher: Searcher) -> None:
    """The vocabulary for corrections: the most frequent words with the number of records they stand in."""
    counts: dict[str, int] = {}
    for field in VOCABULARY_FIELDS:
        for word, count in searcher.terms_with_prefix(field, "", limit=2 * tuning.VOCABULARY_WORDS):
            if is_correctable(word):
                counts[word] = max(count, counts.get(word, 0))
    frequent = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    schema = words_schema()
    folder.mkdir()
    writer = create_index(folder, schema).writer(tuning.WORDS_HEAP_BYTES, 1)
    for word, count in islice(frequent, tuning.VOCABULARY_WORDS):
        writer.add_document(Document.from_dict({"word": word, "count": count}, schema))
    writer.commit()
    writer.wait_merging_threads()
