"""The one seam to tantivy: making and opening indexes, and turning its failures into ours.

tantivy reports a damaged file or a query that it cannot take as ``ValueError`` or ``OSError``, or panics. A panic
arrives as ``pyo3_runtime.PanicException``, which is a ``BaseException`` and cannot be imported: its name tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tantivy import Index, Schema, SearchResult

from kb.search.errors import SearchUnavailable
from kb.search.schema import register

__all__ = ["create_index", "guarded", "hit_count", "open_index"]


@contextmanager
def guarded(doing: str) -> Iterator[None]:
    """Turn every failure of tantivy inside the block into :class:`SearchUnavailable`; ``doing`` says what was tried."""
    try:
        yield
    except (ValueError, OSError) as problem:
        raise SearchUnavailable(f"{doing} failed: {_one_sentence(problem)}") from problem
    except BaseException as problem:
        if not _is_panic(problem):
            raise
        raise SearchUnavailable(f"{doing} failed inside the search library: {_one_sentence(problem)}") from problem


def _is_panic(problem: BaseException) -> bool:
    kind = type(problem)
    return kind.__name__ == "PanicException" and kind.__module__ == "pyo3_runtime"


def _one_sentence(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:300]


def create_index(folder: Path, schema: Schema) -> Index:
    """A new, empty index in an existing, empty folder."""
    index = Index(schema, str(folder), reuse=False)
    register(index)
    return index


def open_index(folder: Path) -> Index:
    """An existing index, ready for reading and writing. Its reader does not watch the folder: an index is never
    changed after it was published.
    """
    index = Index.open(str(folder))
    register(index)
    index.config_reader("manual")
    return index


def hit_count(result: SearchResult) -> int:
    """The number of all hits of a search that counted them."""
    count = getattr(result, "count")  # noqa: B009  missing in the library's type stubs
    return int(count)
