"""One change of the catalog from its lock to its report: what an import, a rollback and a removal have in common."""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.utils import DatabaseError

from kb.catalog import queries
from kb.catalog.registry import fail_stale_releases
from kb.imports.commits import came_through, renew_connection
from kb.imports.ledger import Ledger
from kb.imports.lock import import_lock
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.outcomes import INTERRUPTED, ending, forget_changes, state_of
from kb.imports.progress import NoProgress, ProgressReporter
from kb.imports.reading import Intake
from kb.imports.refusals import Refusal
from kb.imports.staging import Staging
from kb.imports.upkeep import settle

__all__ = ["Session", "conduct"]

log = logging.getLogger(__name__)
_SHOWN_REJECTIONS = 50


@dataclass(kw_only=True)
class Session:
    """What the stages share. ``intake`` holds the staging, and what there is to report of reading."""

    options: ImportOptions
    report: ImportReport
    progress: ProgressReporter
    intake: Intake
    ledger: Ledger
    started: float = field(default_factory=time.monotonic)

    def close_unchanged(self) -> None:
        """Ends the release of something that needed no publication."""
        self.report.outcome, self.report.revision = "unchanged", queries.state().revision
        self.fill_from_intake()
        with transaction.atomic():
            self.ledger.close(self.report, state="unchanged", rejections=self.intake.rejections)

    def note_failure(self, error: BaseException) -> None:
        """Writes down that nothing was published, where that can still be written."""
        self.fill_from_intake()
        self.report.error = str(error) or type(error).__name__
        if self.options.dry_run:
            return
        try:
            renew_connection()
            with transaction.atomic():
                self.ledger.close(self.report, state=state_of(error), rejections=self.intake.rejections)
        except DatabaseError:
            log.warning("the outcome of release %s could not be written down", self.ledger.release.pk)

    def fill_from_intake(self) -> None:
        """Brings what reading found into the report."""
        report, intake = self.report, self.intake
        report.rejected, report.warnings = intake.rejected + report.rejected_before, intake.warnings
        report.warnings_told = intake.warnings_told
        report.seconds = time.monotonic() - self.started
        report.unknown_fields = sorted(intake.unknown_fields)[:200]
        report.problem_counts = dict(sorted(intake.problem_counts.items()))
        report.notices = list(dict.fromkeys([*report.notices, *intake.notices]))[:200]
        names = ("origin", "position", "id", "repo", "path", "code", "message", "value")
        report.rejections = [dict(zip(names, row[:8], strict=True)) for row in intake.rejections[:_SHOWN_REJECTIONS]]


def conduct(
    work: Callable[[Session], None],
    *,
    names: Sequence[str],
    options: ImportOptions,
    report: ImportReport,
    progress: ProgressReporter | None,
) -> ImportReport:
    """Does ``work`` as one release, with the lock held, and says what came of it. ``names`` are its sources.

    Never raises, whatever is wrong with a source, with the lock, the disk or the database, and not when it is
    interrupted: the report's ``outcome`` is then ``refused``, ``held``, ``canceled`` or ``failed``, its ``error`` says
    why, and the catalog is what it was before.
    """
    progress = progress or NoProgress()
    started = time.monotonic()
    course = _Course(work=work, names=names, options=options, report=report, progress=progress)
    with ending(report), import_lock():
        course.run()
    if options.dry_run:
        report.release = None
    with suppress(OSError, ValueError):  # the terminal is gone
        progress.close()
    report.seconds = time.monotonic() - started
    return report


class _Again(Exception):
    """The source was replaced while it was read: one more try may see it whole."""


@dataclass(kw_only=True)
class _Course:
    """The course of one release while the lock is held."""

    work: Callable[[Session], None]
    names: Sequence[str]
    options: ImportOptions
    report: ImportReport
    progress: ProgressReporter

    def run(self) -> None:
        """The release. A dry run is a whole one that is rolled back."""
        if not self.options.dry_run:
            self._release()
            return
        with transaction.atomic():
            self._release()
            transaction.set_rollback(True)
        self.report.outcome, self.report.revision = "dry-run", queries.state().revision

    def _release(self) -> None:
        fail_stale_releases()
        ledger = Ledger(self.names, self.options, kind=self.report.kind)
        self.report.release = ledger.release.pk
        try:
            self._attempt(ledger, is_last=False)
        except _Again:
            self.report.notices = ["The source was replaced while it was read, and was read again."]
            self._attempt(ledger, is_last=True)
        if not self.options.dry_run:
            settle(self.report)

    def _attempt(self, ledger: Ledger, *, is_last: bool) -> None:
        with _staging() as staging:
            intake = Intake(ledger.dataset, staging, self.options, self.progress)
            session = Session(
                options=self.options, report=self.report, progress=self.progress, intake=intake, ledger=ledger
            )
            try:
                self.work(session)
            except KeyboardInterrupt:
                if not came_through(ledger.release.pk):
                    forget_changes(self.report)
                    session.note_failure(KeyboardInterrupt(INTERRUPTED))
                    raise
            except BaseException as error:
                forget_changes(self.report)
                if isinstance(error, Refusal) and error.code == "vanished" and not is_last:
                    raise _Again from error
                session.note_failure(error)
                raise


@contextmanager
def _staging() -> Iterator[Staging]:
    """A waiting room in the spool; what killed imports left there is removed, since the lock is ours."""
    spool = Path(settings.KB_DATA_DIR) / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    for stale in (*spool.glob("import-*.sqlite3*"), *spool.glob(".running-*.new")):
        stale.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(prefix="import-", suffix=".sqlite3", dir=spool)
    os.close(handle)
    try:
        with Staging(Path(name)) as staging:
            yield staging
    finally:
        with suppress(OSError):  # the next import removes it
            Path(name).unlink(missing_ok=True)
