"""What follows the commit of a release: old indexes go, statistics are made anew, SQLite's log is truncated."""

from __future__ import annotations

import logging

from kb.catalog import queries
from kb.catalog.maintenance import refresh_statistics, truncate_log
from kb.catalog.retention import prune
from kb.imports.options import ImportReport
from kb.imports.outcomes import describe
from kb.matching.index import revisions as match_index
from kb.search import index as search_index

__all__ = ["settle"]

log = logging.getLogger(__name__)
_SHARE_FOR_STATISTICS = 100  # statistics are made anew when at least one record in so many changed


def settle(report: ImportReport) -> None:
    """Does what is to be done after the commit. The release stands whatever comes of it: a fault is only a notice."""
    steps = (
        ("search indexes", _keep_indexes),
        ("match indexes", _keep_match_indexes),
        ("old releases", _keep_few_releases),
        ("statistics", _keep_statistics),
        ("log", _keep_log_short),
    )
    for what, step in steps:
        try:
            step(report)
        except KeyboardInterrupt:
            report.notices.append("The release is complete; what follows it was interrupted and is left to the next.")
            return
        except Exception as error:
            log.exception("after the import: %s", what)
            report.notices.append(f"The release is complete, but looking after the {what} failed: {describe(error)}")


def _keep_indexes(_report: ImportReport) -> None:
    """The search index of the revision is there, and those that nobody reads any more go."""
    state = queries.state()
    if state.revision and not search_index.is_usable(state.revision, catalog=state.version):
        search_index.rebuild(state.revision, queries.iter_search_facts(), catalog=state.version)
    search_index.prune({state.revision, state.revision - 1})


def _keep_match_indexes(_report: ImportReport) -> None:
    """The match index of the revision is there, and those that nobody reads any more go."""
    state = queries.state()
    if state.revision and not match_index.is_usable(state.revision, catalog=state.version):
        match_index.rebuild(state.revision, catalog=state.version)
    match_index.prune({state.revision, state.revision - 1})


def _keep_few_releases(_report: ImportReport) -> None:
    """What old releases left goes, as the setting says."""
    prune()


def _keep_statistics(report: ImportReport) -> None:
    """They are made anew after a large change."""
    changes = report.added + report.changed + report.retired + report.restored
    if changes * _SHARE_FOR_STATISTICS >= max(queries.state().records, 1):
        refresh_statistics()


def _keep_log_short(_report: ImportReport) -> None:
    truncate_log()
