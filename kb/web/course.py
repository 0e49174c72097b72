"""How many records the catalog held over its last revisions, as a line."""

from __future__ import annotations

from django.utils.translation import gettext

from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.present import links
from kb.present.charts import Line, Mark, line
from kb.present.numbers import grouped

__all__ = ["catalog_course"]


def catalog_course(state: CatalogView) -> Line | None:
    """The line, ``None`` where it would say nothing. One query, none before the first revision."""
    if not state.revision:
        return None
    marks = [
        Mark(
            label=gettext("Revision %(number)s") % {"number": grouped(revision)},
            count=count,
            href=links.revision_path(revision),
        )
        for revision, count in queries.record_course(state.records)
    ]
    return line(gettext("Records over revisions"), marks)
