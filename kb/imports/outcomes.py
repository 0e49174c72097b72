"""How an import ends that does not come to its end: whatever stops it becomes an outcome of the report."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from django.db.utils import Error

from kb.catalog import queries
from kb.imports.options import ImportReport
from kb.imports.refusals import Refusal
from kb.records.text import clean_text, one_line
from kb.search.errors import SearchUnavailable

__all__ = ["INTERRUPTED", "describe", "ending", "forget_changes", "state_of"]

log = logging.getLogger(__name__)
INTERRUPTED = "the import was interrupted; nothing of it was published"
_LENGTH = 2000
# What the disk, the database, the memory or the data can do to an import; anything else is a fault of this program,
# and only that needs its traceback.
_EXPECTED = (Error, OSError, SearchUnavailable, sqlite3.Error, MemoryError, ValueError, msgspec.MsgspecError)


@contextmanager
def ending(report: ImportReport) -> Iterator[None]:
    """Lets nothing out of its block: a refusal, a failure or an interruption goes into the report.

    The catalog is then what it was, so the report counts no changes and names its revision.
    """
    try:
        yield
        return
    except Refusal as refusal:
        report.outcome, report.error, report.code = refusal.outcome, str(refusal), refusal.code
    except KeyboardInterrupt:
        report.outcome, report.error = "failed", INTERRUPTED
    except Exception as error:  # the caller is always given a report
        level = logging.DEBUG if isinstance(error, _EXPECTED) else logging.ERROR
        log.log(level, "the import failed", exc_info=error)
        report.outcome, report.error = "failed", describe(error)
    forget_changes(report)
    report.revision = _revision()


def state_of(error: BaseException) -> str:
    """The state of a release that ended with this error."""
    return error.outcome if isinstance(error, Refusal) else "failed"


def forget_changes(report: ImportReport) -> None:
    """Takes out what was counted of a publication that was rolled back."""
    report.added = report.changed = report.retired = report.restored = report.unchanged = 0
    report.samples, report.repositories = [], {}


def describe(error: BaseException) -> str:
    """The error on one line, as it can be stored and printed."""
    return one_line(clean_text(f"{type(error).__name__}: {error}")[0], _LENGTH)


def _revision() -> int:
    """The revision of the catalog, 0 where the database cannot tell."""
    try:
        return queries.state().revision
    except Error:
        return 0
