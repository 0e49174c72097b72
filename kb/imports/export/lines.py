"""The records as JSON Lines: one on each line, by repository, slug and id."""

from __future__ import annotations

from kb.imports.export.contents import Contents
from kb.imports.export.options import ExportReport
from kb.imports.export.packing import Writer
from kb.imports.progress import ProgressReporter

__all__ = ["write_lines"]

_STEP = 500


def write_lines(stream: Writer, contents: Contents, report: ExportReport, progress: ProgressReporter) -> None:
    """Writes the records and counts them in ``report``. Raises ``Refusal``."""
    repo = None
    for record in contents.records():
        stream.write(record.raw + b"\n")
        report.records += 1
        report.repositories += record.repo != repo
        repo = record.repo
        if report.records % _STEP == 0:
            progress.advance(_STEP)
    progress.advance(report.records % _STEP)
