"""All checks of the store in their order. Later ones count what earlier ones mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain

from kb.catalog.models import CatalogState, Record
from kb.catalog.verification.batches import batches
from kb.catalog.verification.copies import check_copies
from kb.catalog.verification.counts import (
    check_duplicates,
    check_repositories,
    check_tallies,
    check_terms,
    check_totals,
    check_trend,
)
from kb.catalog.verification.faults import Fault, Scope
from kb.catalog.verification.feed import Feed, check_feed
from kb.catalog.verification.files import check_file
from kb.catalog.verification.records import check_records
from kb.catalog.verification.releases import check_releases

__all__ = ["STORE_CHECKS", "record_total", "renew_version"]


def _check_all_records(scope: Scope) -> Iterator[Fault]:
    """Every record with what belongs to it, in one pass."""
    feed = Feed.read()
    for batch in batches():
        yield from chain(check_records(batch, scope), check_copies(batch, scope), check_feed(batch, scope, feed))
        scope.advance(len(batch.rows))


STORE_CHECKS: tuple[tuple[str, Callable[[Scope], Iterator[Fault]]], ...] = (
    ("database file", check_file),
    ("records", _check_all_records),
    ("duplicates", check_duplicates),
    ("repositories", check_repositories),
    ("terms", check_terms),
    ("findings", check_tallies),
    ("totals", check_totals),
    ("trend", check_trend),
    ("releases", check_releases),
)
"""Name and check, in the order in which they run."""


def record_total() -> int:
    """How many records there are, retired ones included. One query."""
    return Record.objects.count()


def renew_version() -> None:
    """Gives the current revision a later version, since what it shows was mended: every entity tag changes with it."""
    state = CatalogState.objects.get(pk=1)
    now = datetime.now(UTC)
    if state.version:
        now = max(now, datetime.fromisoformat(state.version) + timedelta(milliseconds=1))
    state.version = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    state.save(update_fields=["version"])
