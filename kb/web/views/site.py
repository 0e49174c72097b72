"""What the catalog holds at the moment, and what this site is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from django.db import connection
from django.utils.translation import gettext

from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.imports.verification.report import last_verification
from kb.matching.index import revisions as match_index
from kb.present import links
from kb.search import index
from kb.web.course import catalog_course
from kb.web.pages import Page, Visit, late_page, page
from kb.web.standing import Indexes, checks_of, verdict_of

__all__ = ["about", "status"]


def _program() -> str:
    try:
        return version("faultbook")
    except PackageNotFoundError:
        return "unreleased"


@late_page
def status(visit: Visit) -> Page:
    """``/status/``: whether it is fine, the revision, the indexes, the last imports. Three queries."""
    indexes = _indexes(visit.state)
    latest = queries.releases(limit=5).items
    verified = last_verification()
    checks = checks_of(visit.state, indexes, verified, latest)
    level, verdict = verdict_of(visit.state, indexes, checks)
    return Page(
        template="status.html",
        title=gettext("Status"),
        path=links.STATUS,
        description=gettext(
            "Whether everything works: the revision that is served, its indexes, and the last imports."
        ),
        indexed=False,
        context={
            "level": level,
            "verdict": verdict,
            "checks": checks,
            "index": indexes.search,
            "matching": indexes.matching,
            "releases": latest,
            "course": catalog_course(visit.state),
            "verified": verified,
            "program": _program(),
            "database": "PostgreSQL" if connection.vendor == "postgresql" else "SQLite",
        },
        depends_on=(
            indexes,
            verified and (verified.started_at, verified.outcome),
            *((item.id, item.state) for item in latest),
        ),
    )


def _indexes(state: CatalogView) -> Indexes:
    revision, catalog = state.revision, state.version
    return Indexes(
        search=index.status(),
        searching=revision > 0 and index.is_usable(revision, catalog=catalog),
        matching=match_index.status(),
        explaining=revision > 0 and match_index.is_usable(revision, catalog=catalog),
    )


@page
def about(_visit: Visit) -> Page:
    """``/about/``. One query."""
    return Page(
        template="about.html",
        title=gettext("About"),
        path=links.ABOUT,
        description=gettext(
            "What this catalog of errors is, how to read it, how to link to it, and what it does not do."
        ),
    )
