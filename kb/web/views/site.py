"""What the catalog holds at the moment, and what this site is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from django.db import connection

from kb.catalog import queries
from kb.matching.index import revisions as match_index
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
    """``/status/``: the revision, the indexes, the last imports. Two queries."""
    indexes, matching = index.status(), match_index.status()
    latest = queries.releases(limit=5).items
    revision = visit.state.revision
    usable = revision > 0 and index.is_usable(revision)
    matches = revision > 0 and match_index.is_usable(revision)
    return Page(
        template="status.html",
        title="Status",
        path=links.STATUS,
        description="The revision that is served, its indexes, and the last imports.",
        indexed=False,
        context={
            "index": indexes,
            "usable": usable,
            "matching": matching,
            "matches": matches,
            "releases": latest,
            "program": _program(),
            "database": "PostgreSQL" if connection.vendor == "postgresql" else "SQLite",
        },
        depends_on=(indexes, usable, matching, matches, *((item.id, item.state) for item in latest)),
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
