"""The words for kinds of changes and for what a revision or an import did, which pages and feeds share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from kb.catalog.answers import ReleaseView
from kb.catalog.history_answers import ChangeKind, RevisionView
from kb.present.charts import Value
from kb.present.numbers import grouped

__all__ = [
    "KIND_MEANINGS",
    "KIND_WORDS",
    "REVISION_WORDS",
    "change_values",
    "counts_of",
    "import_outcome",
    "revision_title",
]

KIND_WORDS: Final[Mapping[ChangeKind, Promise]] = {
    "added": pgettext_lazy("record", "added"),
    "changed": pgettext_lazy("record", "changed"),
    "reanalysed": pgettext_lazy("record", "analyzed again"),
    "retired": pgettext_lazy("record", "retired"),
    "restored": pgettext_lazy("record", "restored"),
}
KIND_MEANINGS: Final[Mapping[ChangeKind, Promise]] = {
    "added": gettext_lazy("The catalog got this record."),
    "changed": gettext_lazy("The record says something else."),
    "reanalysed": gettext_lazy("The record says the same of a newer commit."),
    "retired": gettext_lazy("No dataset has this record any longer. Its page stays."),
    "restored": gettext_lazy("A dataset has this record again."),
}
REVISION_WORDS: Final[Mapping[str, Promise]] = {
    "rollback": gettext_lazy("rollback"),
    "removal": gettext_lazy("removal"),
    "ranking": gettext_lazy("ranking"),
}
_TITLES: Final[Mapping[str, Promise]] = {
    "rollback": gettext_lazy("Revision %(revision)s: rollback of %(what)s"),
    "removal": gettext_lazy("Revision %(revision)s: removal of %(what)s"),
}
_COUNTS: Final[Mapping[str, Promise]] = {
    "added": gettext_lazy("%(number)s added"),
    "changed": gettext_lazy("%(number)s changed"),
    "retired": gettext_lazy("%(number)s retired"),
    "restored": gettext_lazy("%(number)s restored"),
    "rejected": gettext_lazy("%(number)s rejected"),
}


def counts_of(view: RevisionView) -> str:
    """``12 added, 4 changed``: the counts of a revision that are not nothing."""
    return _told(view, "added", "changed", "retired", "restored") or gettext("no record changed")


def import_outcome(view: ReleaseView) -> str:
    """``12 added, 4 changed, 1 rejected``: what an import did, in its counts that are not nothing."""
    return _told(view, "added", "changed", "retired", "restored", "rejected") or gettext("nothing changed")


def _told(view: RevisionView | ReleaseView, *names: str) -> str:
    counts = ((name, getattr(view, name)) for name in names)
    return ", ".join(str(_COUNTS[name]) % {"number": grouped(count)} for name, count in counts if count)


def change_values(view: RevisionView | ReleaseView) -> tuple[Value, ...]:
    """What was added, changed, retired and restored, for a chart."""
    kinds: tuple[ChangeKind, ...] = ("added", "changed", "retired", "restored")
    return tuple(Value(label=str(KIND_WORDS[kind]), count=getattr(view, kind), role=kind) for kind in kinds)


def revision_title(view: RevisionView) -> str:
    """``Revision 12: starter 2026-08-28``, and what it was if no import."""
    title = _TITLES.get(view.kind) or gettext_lazy("Revision %(revision)s: %(what)s")
    what = " ".join(filter(None, (view.dataset, view.dataset_version)))
    return str(title) % {"revision": view.revision, "what": what}
