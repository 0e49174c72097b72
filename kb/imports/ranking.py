"""Ranks a dataset anew: another priority or trust decides again whose copy of each shared record is shown."""

from __future__ import annotations

from kb.catalog.registry import find_dataset
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.progress import ProgressReporter
from kb.imports.publishing import Publication, publish
from kb.imports.refusals import Refusal
from kb.imports.session import Session, conduct

__all__ = ["run_ranking"]


def run_ranking(
    dataset: str,
    *,
    priority: int | None = None,
    trusted: bool | None = None,
    progress: ProgressReporter | None = None,
) -> ImportReport:
    """Gives a dataset another priority or trust; ``None`` leaves what is. Says what came of it.

    Never raises. Refused with ``unknown_dataset`` when there is none of this name.
    """
    report = ImportReport(kind="ranking", dataset=dataset)
    if find_dataset(dataset) is None:
        refusal = Refusal("unknown_dataset", dataset, "there is no dataset of this name")
        report.outcome, report.error, report.code = "refused", str(refusal), refusal.code
        return report
    options = ImportOptions(dataset=dataset, priority=priority, trusted=trusted)
    return conduct(_work, names=[f"rank of {dataset}"], options=options, report=report, progress=progress)


def _work(session: Session) -> None:
    publish(session, _Ranking())


class _Ranking:
    """Nothing comes and nothing goes: the publication itself ranks."""

    def begin(self, publication: Publication) -> None:
        """Nothing."""

    def gone(self) -> list[str]:
        """Nothing."""
        return []

    def conclude(self, publication: Publication) -> None:
        """Nothing."""
