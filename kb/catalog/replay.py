"""The feed of changes played forward: what a copy of the catalog holds that followed it."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping

from kb.catalog.history_answers import ChangeView, ReplayedRecord

__all__ = ["replay"]


def replay(
    changes: Iterable[ChangeView], onto: MutableMapping[str, ReplayedRecord] | None = None
) -> dict[str, ReplayedRecord]:
    """Every record that ``changes`` tell of as the last of them leaves it, by id; retired ones included.

    ``changes`` come in the order of the feed; ``onto`` is what an earlier replay answered, and is not changed. From the
    first change on the result agrees with the catalog in content, status and revisions.
    """
    held = dict(onto or {})
    for change in changes:
        known = held.get(change.record.id)
        held[change.record.id] = ReplayedRecord(
            record=change.record,
            first_revision=known.first_revision if known else change.revision,
            changed_revision=change.revision,
            retired_revision=change.revision if change.kind == "retired" else None,
        )
    return held
