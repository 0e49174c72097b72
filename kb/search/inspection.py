"""An index against the records that it was made of: how many, which ids, and single records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tantivy import Occur, Query, Searcher

from kb.catalog.answers import RecordView
from kb.search.documents import document, filter_term
from kb.search.errors import SearchUnavailable
from kb.search.library import guarded, hit_count
from kb.search.open import OpenIndex, open_revision

__all__ = ["SearchInspection"]

_SHOWN = ("show_message", "show_documentation")


class SearchInspection:
    """The search index of exactly one revision. Raises :class:`SearchUnavailable` when it has none, here and later."""

    def __init__(self, revision: int, *, directory: Path | None = None) -> None:
        opened = open_revision(revision, directory=directory)
        if opened.revision != revision:
            raise SearchUnavailable(f"There is no index of revision {revision}.")
        self._opened: OpenIndex = opened
        self._searcher: Searcher = opened.searcher

    @property
    def records(self) -> int:
        """How many records it holds."""
        return int(self._searcher.num_docs)

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Those of some different ids that it does not hold exactly once."""
        terms = [filter_term("id", record_id) for record_id in ids]
        with guarded("Looking up ids"):
            if self._count(Query.term_set_query(self._opened.schema, "filter", terms)) == len(ids):
                return []
            return [record_id for record_id, term in zip(ids, terms, strict=True) if self._count(self._term(term)) != 1]

    def differs(self, view: RecordView) -> bool:
        """Whether it holds a record otherwise than it is: by other filters, or with other shown texts."""
        wanted = document(view)
        every = Query.boolean_query([(Occur.Must, self._term(term)) for term in wanted["filter"]])
        with guarded("Looking up a record"):
            hits = self._searcher.search(every, limit=2).hits
            if len(hits) != 1:
                return True
            shown = self._searcher.doc(hits[0][1]).to_dict()
        return any(shown.get(name, [""]) != [wanted.get(name, "")] for name in _SHOWN)

    def _term(self, term: str) -> Query:
        return Query.term_query(self._opened.schema, "filter", term, "basic")

    def _count(self, query: Query) -> int:
        return hit_count(self._searcher.search(query, limit=1))
