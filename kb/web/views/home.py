"""The front page: the box for what broke first, then what is in the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext

from kb.catalog import queries
from kb.catalog.history_answers import RevisionView
from kb.present import links
from kb.present.change_words import counts_of
from kb.present.numbers import grouped
from kb.web.examples import SAMPLE, examples
from kb.web.pages import Page, Visit, page

__all__ = ["home"]

_REVISIONS: Final = 5
_MOST_COUNTED: Final = 2_000  # changes of a revision: counting those of one by repository reads them all


@dataclass(frozen=True, kw_only=True)
class _Change:
    """A revision in a line: where it changed most and in how many other repositories, if that was counted."""

    revision: RevisionView
    url: str
    counts: str
    where: str
    others: int


@page
def home(visit: Visit) -> Page:
    """``/``. Six queries."""
    view = queries.home()
    shown = {repository.full_name: place for place, repository in enumerate(view.repositories)}
    return Page(
        template="home.html",
        title=gettext("What broke?"),
        path=links.HOME,
        description=gettext(
            "%(records)s documented errors of %(repositories)s repositories: what each one means, what triggers it, "
            "how to fix it and how to handle it."
        )
        % {"records": grouped(visit.state.records), "repositories": grouped(visit.state.repositories)},
        context={
            "home": view,
            "changes": _changes() if visit.state.revision else (),
            "examples": examples(sorted(queries.sample_rows(SAMPLE), key=lambda row: shown.get(row.repo, len(shown)))),
        },
    )


def _changes() -> tuple[_Change, ...]:
    latest = [revision for revision in queries.revisions(limit=_REVISIONS).items if revision.total]
    parts = queries.largest_parts([view.revision for view in latest if view.total <= _MOST_COUNTED])
    return tuple(
        _Change(
            revision=view,
            url=links.revision_path(view.revision),
            counts=counts_of(view),
            where=parts.get(view.revision, ("", 0))[0],
            others=parts.get(view.revision, ("", 0))[1],
        )
        for view in latest
    )
