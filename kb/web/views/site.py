"""What the catalog holds at the moment, and what this site is."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from django.db import connection

from kb.catalog import queries
from kb.imports.verification.report import VerifyReport, last_verification
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
    catalog = visit.state.version
    usable = revision > 0 and index.is_usable(revision, catalog=catalog)
    matches = revision > 0 and match_index.is_usable(revision, catalog=catalog)
    verified = last_verification()
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
            "verified": verified,
            "behind": verified is not None and (verified.revision, verified.version) != (revision, catalog),
            "age": _age(verified),
            "program": _program(),
            "database": "PostgreSQL" if connection.vendor == "postgresql" else "SQLite",
        },
        depends_on=(
            indexes,
            usable,
            matching,
            matches,
            verified and (verified.started_at, verified.outcome),
            _age(verified),
            *((item.id, item.state) for item in latest),
        ),
    )


def _age(verified: VerifyReport | None) -> str:
    """``3 days`` ago the last verification began, in the largest unit that fits; empty when there was none."""
    if verified is None:
        return ""
    seconds = max((datetime.now(UTC) - verified.started_at).total_seconds(), 0)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"


@page
def about(_visit: Visit) -> Page:
    """``/about/``. One query."""
    return Page(
        template="about.html",
        title="About",
        path=links.ABOUT,
        description="What this catalog of errors is, how to read it, how to link to it, and what it does not do.",
    )
