"""The reports of releases against the changes that they published."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Min

from kb.catalog.models import CatalogState, Change, Release
from kb.catalog.verification.faults import Fault, Scope

__all__ = ["check_releases"]

_COLUMN_OF = {
    "added": "added",
    "changed": "changed",
    "reanalysed": "changed",
    "retired": "retired",
    "restored": "restored",
}


def check_releases(scope: Scope) -> Iterator[Fault]:
    """The last release that was published: its revision, and its counts against its changes. Four queries."""
    state = CatalogState.objects.filter(pk=1).first()
    last = Release.objects.filter(state=Release.State.PUBLISHED).order_by("-revision").first()
    revision = state.revision if state else 0
    if last is None or last.revision != revision:
        if revision:
            found = f"revision {last.revision}" if last is not None else "no revision"
            message = f"the catalog is at revision {revision}, but the last release published {found}"
            yield scope.fault("releases", "state", message, curable=False)
        return
    first = Change.objects.aggregate(first=Min("revision"))["first"]
    if first is None or first > revision:
        return  # its changes are no longer kept, or it had none
    rows = Change.objects.filter(revision=revision).order_by().values_list("kind").annotate(Count("pk"))
    counted = dict.fromkeys(_COLUMN_OF.values(), 0)
    for kind, count in rows:
        counted[_COLUMN_OF[kind]] += count
    wrong = {name: count for name, count in counted.items() if getattr(last, name) != count}
    if wrong:
        told = ", ".join(f"{count:,} {name} instead of {getattr(last, name):,}" for name, count in wrong.items())
        yield scope.fault("releases", str(last.pk), f"its changes are {told}")
        if scope.mend:
            Release.objects.filter(pk=last.pk).update(**wrong)
