"""A verification: the checks of the store and of both indexes, in a row, and the mending of what can be made again.

Without ``repair`` it reads beside everything else, each check in a snapshot of its own. With it, it holds the import
lock; the store is mended in one transaction, and then the indexes are built anew where they do not fit.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.db import DatabaseError, transaction

from kb.catalog import queries
from kb.catalog.verification.checks import STORE_CHECKS, record_total, renew_version
from kb.catalog.verification.faults import Fault, Scope
from kb.imports.lock import import_lock
from kb.imports.outcomes import describe
from kb.imports.progress import NoProgress, ProgressReporter
from kb.imports.refusals import Refusal
from kb.imports.verification.indexes import INDEXES, check_index, rebuild_index
from kb.imports.verification.report import CheckResult, FoundFault, VerifyReport, store_verification

__all__ = ["DEFAULT_SAMPLE", "VerifyOptions", "run_verify"]

DEFAULT_SAMPLE = 5_000
_KEPT = 100  # faults of a check that the report names


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """``sample`` is how many records have everything made again that follows from them; ``None`` means all."""

    repair: bool = False
    sample: int | None = DEFAULT_SAMPLE


def run_verify(options: VerifyOptions, *, progress: ProgressReporter | None = None) -> VerifyReport:
    """Verifies the catalog, and keeps the result in the data directory.

    Raises nothing that the database, the disk or the data can cause: it is in the report. A repair beside a running
    import is refused; ``KeyboardInterrupt`` goes through and leaves everything as it was.
    """
    run = _Run(options, progress or NoProgress())
    try:
        with import_lock() if options.repair else nullcontext():
            run.check_store()
            run.check_indexes()
            run.finish()
    except Refusal as refusal:
        run.report.outcome, run.report.error = "refused", str(refusal)
        return run.report
    except (DatabaseError, OSError) as error:
        run.report.outcome, run.report.error = "failed", describe(error)
    finally:
        run.progress.close()
        run.report.seconds = round(time.monotonic() - run.began, 3)
    if told := store_verification(run.report):
        run.report.notices.append(told)
    return run.report


class _Run:
    """One verification."""

    def __init__(self, options: VerifyOptions, progress: ProgressReporter) -> None:
        self.options = options
        self.progress = progress
        self.report = VerifyReport(started_at=datetime.now(UTC), repair=options.repair)
        self.began = time.monotonic()

    # -- the store -------------------------------------------------------------------------------------------------

    def check_store(self) -> None:
        """Every check of the store; with ``repair`` in one transaction, which a fault of the database takes back."""
        with queries.snapshot() as state:
            self.report.revision, self.report.version = state.revision, state.version
            self.report.records = record_total()
        scope = self._scope()
        if not self.options.repair:
            for name, check in STORE_CHECKS:
                self._check(name, scope, check(scope))
            return
        with transaction.atomic():
            for name, check in STORE_CHECKS:
                self._note(name, self._begun(name, check(scope)))
            if scope.shown:
                renew_version()  # so that nobody is told that the copy which they have is still good

    def _scope(self) -> Scope:
        sample, total = self.options.sample, self.report.records
        everything = self.options.repair or sample is None or sample >= total
        self.report.sampled = total if everything or sample is None else sample
        return Scope(
            mend=self.options.repair,
            share=1.0 if everything else self.report.sampled / total,
            chance=random.Random(),  # noqa: S311 - another sample each time, no secret
            advance=self.progress.advance,
        )

    def _check(self, name: str, scope: Scope, faults: Iterable[Fault]) -> None:
        """One check in a snapshot of its own; a fault of the database ends this one alone."""
        try:
            with queries.snapshot():
                self._note(name, self._begun(name, faults))
        except DatabaseError as error:
            self._note(name, [scope.fault(name, "database", f"it cannot be checked: {describe(error)}", curable=False)])

    def _begun(self, name: str, faults: Iterable[Fault]) -> Iterable[Fault]:
        self.progress.phase(f"Checking {name}", self.report.records if name == "records" else None)
        return faults

    # -- the indexes -----------------------------------------------------------------------------------------------

    def check_indexes(self) -> None:
        """Both indexes, of the revision that is the current one by now."""
        for index in INDEXES:
            scope = self._scope()
            self.progress.phase(f"Checking {index.name}", self.report.records)
            with queries.snapshot() as state:
                faults = list(check_index(index, state, scope, sample=self._index_sample()))
            if not state.revision or (faults and queries.state().revision != state.revision):
                continue  # there is none, or it went meanwhile because a newer one came
            if faults and self.options.repair:
                self.progress.phase(f"Building the {index.name}", self.report.records)
                rebuild_index(index, state)
                with queries.snapshot() as state:
                    left = list(check_index(index, state, scope, sample=self._index_sample()))
                faults = [replace(fault, cure="none" if left else "mended") for fault in faults]
            self._note(index.name, faults)

    def _index_sample(self) -> int:
        return self.report.records if self.options.sample is None else self.options.sample

    # -- the report ------------------------------------------------------------------------------------------------

    def _note(self, name: str, faults: Iterable[Fault]) -> None:
        """Counts faults as they come; the first few are kept."""
        result = next((check for check in self.report.checks if check.name == name), None)
        if result is None:
            result = CheckResult(name=name)
            self.report.checks.append(result)
        for fault in faults:
            result.found += 1
            result.mended += fault.cure == "mended"
            result.beyond += fault.cure == "none"
            if result.found <= _KEPT:
                result.faults.append(
                    FoundFault(check=fault.check, subject=fault.subject, message=fault.message, cure=fault.cure)
                )

    def finish(self) -> None:
        """The outcome."""
        if self.report.left:
            self.report.outcome = "faulty"
        else:
            self.report.outcome = "mended" if self.report.found else "sound"
