"""Removes a dataset: its records retire unless another dataset holds them, too, and copies behind them come forward."""

from __future__ import annotations

from dataclasses import dataclass

from kb.catalog import queries
from kb.catalog.registrations import withdraw
from kb.catalog.registry import find_dataset, held_by
from kb.imports.lock import import_lock
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.outcomes import ending
from kb.imports.progress import ProgressReporter
from kb.imports.publishing import Publication, publish
from kb.imports.refusals import Refusal
from kb.imports.session import Session, conduct

__all__ = ["run_removal"]


def run_removal(dataset: str, *, dry_run: bool = False, progress: ProgressReporter | None = None) -> ImportReport:
    """Takes all copies of a dataset away, and says what came of it. A later import of that name brings it back. One
    that was never imported leaves without a release.

    Never raises. Refused with ``unknown_dataset`` when there is none of this name.
    """
    report = ImportReport(kind="removal", dataset=dataset)
    found = find_dataset(dataset)
    if found is None:
        refusal = Refusal("unknown_dataset", dataset, "there is no dataset of this name")
        report.outcome, report.error, report.code = "refused", str(refusal), refusal.code
        return report
    with ending(report), import_lock():
        if withdraw(dataset, dry_run=dry_run):
            report.notices.append("It was registered and never imported: there was nothing but its registration.")
            report.outcome, report.revision = "dry-run" if dry_run else "unchanged", queries.state().revision
            return report
    if report.error:
        return report
    options = ImportOptions(dataset=dataset, dry_run=dry_run)
    return conduct(_work, names=[f"removal of {dataset}"], options=options, report=report, progress=progress)


def _work(session: Session) -> None:
    publish(session, _Removal(session=session))


@dataclass(kw_only=True)
class _Removal:
    """The removal, as a proposal to publish."""

    session: Session

    def begin(self, publication: Publication) -> None:
        """Nothing comes."""

    def gone(self) -> list[str]:
        """Everything that the dataset holds."""
        return [record_id for record_id, _ in held_by(self.session.ledger.dataset)]

    def conclude(self, publication: Publication) -> None:
        """The dataset itself."""
        publication.remove_dataset()
