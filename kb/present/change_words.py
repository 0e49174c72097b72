"""The words for kinds of changes and for what a revision did, which pages and feeds share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kb.catalog.history_answers import ChangeKind, RevisionView

__all__ = ["KIND_MEANINGS", "KIND_WORDS", "counts_of", "revision_title"]

KIND_WORDS: Final[Mapping[ChangeKind, str]] = {
    "added": "added",
    "changed": "changed",
    "reanalysed": "analyzed again",
    "retired": "retired",
    "restored": "restored",
}
KIND_MEANINGS: Final[Mapping[ChangeKind, str]] = {
    "added": "The catalog got this record.",
    "changed": "The record says something else.",
    "reanalysed": "The record says the same of a newer commit.",
    "retired": "No dataset has this record any longer. Its page stays.",
    "restored": "A dataset has this record again.",
}


def counts_of(view: RevisionView) -> str:
    """``12 added, 4 changed``: the counts of a revision that are not nothing."""
    counts = {"added": view.added, "changed": view.changed, "retired": view.retired, "restored": view.restored}
    return ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) or "no record changed"


def revision_title(view: RevisionView) -> str:
    """``Revision 12: starter 2026-08-28``, and what it was if no import."""
    what = {"rollback": "rollback of ", "removal": "removal of "}.get(view.kind, "")
    return f"Revision {view.revision}: {what}{' '.join(filter(None, (view.dataset, view.dataset_version)))}"
