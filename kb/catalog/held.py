"""What a dataset holds, all of it, for an import that reads a whole dataset."""

from __future__ import annotations

from collections.abc import Iterator

from kb.catalog.fetching import fetch_rows

__all__ = ["iter_held_hashes"]

_BATCH = 20_000
_AFTER = (
    "SELECT record_id, content_hash FROM catalog_holding WHERE dataset_id = %s AND record_id > %s"
    " ORDER BY record_id LIMIT %s"
)


def iter_held_hashes(dataset_id: int) -> Iterator[tuple[str, str]]:
    """(id, content hash) of everything that the dataset holds, in the order of ids; one query a batch."""
    after = ""
    while True:
        rows = fetch_rows(_AFTER, (dataset_id, after, _BATCH))
        yield from rows
        if len(rows) < _BATCH:
            return
        after = rows[-1][0]
