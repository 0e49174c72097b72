"""What the catalog holds at the moment, and what this site is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from django.db import connection

from kb.catalog import queries
from kb.present import links
from kb.search import index
from kb.web.pages import Page, Visit, late_page, page

__all__ = ["about", "status"]


def _program() -> str:
    try:
        return version("faultbook")
    except PackageNotFoundError:
        return "unreleased"


@late_page
def status(visit: Visit) -> Page:
    """``/status/``: the revision, the search index, the last imports. Two queries."""
    indexes = index.status()
    latest = queries.releases(limit=5).items
    usable = visit.state.revision > 0 and index.is_usable(visit.state.revision)
    return Page(
        template="status.html",
        title="Status",
        path=links.STATUS,
        description="The revision that is served, its search index, and the last imports.",
        indexed=False,
        context={
            "index": indexes,
            "usable": usable,
            "releases": latest,
            "program": _program(),
            "database": "PostgreSQL" if connection.vendor == "postgresql" else "SQLite",
        },
        depends_on=(indexes, usable, *((item.id, item.state) for item in latest)),
    )


@page
def about(_visit: Visit) -> Page:
    """``/about/``. One query."""
    return Page(
        template="about.html",
        title="About",
        path=links.ABOUT,
        description="What this catalog of errors is, how to read it, how to link to it, and what it does not do.",
    )
