"""One export from beginning to end: from one snapshot of the catalog, whole or not at all."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
import zstandard
from django.conf import settings
from django.db import DatabaseError

from kb.catalog import queries
from kb.imports.export.contents import Contents, open_contents
from kb.imports.export.layout import LayoutWriter
from kb.imports.export.lines import write_lines
from kb.imports.export.options import ExportOptions, ExportReport
from kb.imports.export.packing import CountingWriter, packed
from kb.imports.export.sinks import DirectorySink, Sink, TarSink, ZipSink
from kb.imports.export.targets import Target, put_in_place, target_of
from kb.imports.progress import NoProgress, ProgressReporter
from kb.imports.refusals import Refusal

__all__ = ["run_export", "told_ending"]

log = logging.getLogger(__name__)


def run_export(options: ExportOptions, *, progress: ProgressReporter | None = None) -> ExportReport:
    """Writes the export that ``options`` ask for, and says how that went.

    Everything is read from one snapshot, so that the export is one revision even while an import runs. A target takes
    its name only once it is whole. Raises ``ValueError`` for a target that cannot be understood, and
    ``BrokenPipeError`` when nobody reads standard output any more.
    """
    target = target_of(options.target, options.form)
    report = ExportReport(target=target.name, form=target.form, dataset=options.dataset)
    progress = progress or NoProgress()
    started = time.monotonic()
    try:
        with told_ending(report, target.name), queries.snapshot() as state:
            contents = open_contents(state, dataset=options.dataset, repositories=options.repositories)
            report.revision, report.dataset_version = contents.revision, contents.version
            progress.phase("Exporting", contents.expected)
            _write(target, contents, report, progress)
            report.outcome = "exported"
    finally:
        progress.close()
        report.seconds = time.monotonic() - started
    return report


@contextmanager
def told_ending(report: ExportReport, name: str) -> Iterator[None]:
    """What stops an export to the target of this name, as the outcome of its report."""
    try:
        yield
    except Refusal as refusal:
        report.outcome, report.code, report.error = "refused", refusal.code, str(refusal)
    except BrokenPipeError:
        raise
    except OSError as error:
        report.code, report.error = "unwritable", f"{name} cannot be written: {error.strerror or error}"
    except DatabaseError as error:
        report.code, report.error = "database", f"the database failed: {' '.join(str(error).split())}"
        log.exception("the export failed")
    except (msgspec.MsgspecError, zstandard.ZstdError, ValueError) as error:
        report.code, report.error = "damaged", f"a stored document is damaged: {error}"
        log.exception("the export failed")


def _write(target: Target, contents: Contents, report: ExportReport, progress: ProgressReporter) -> None:
    if target.path is None:
        workspace = Path(settings.KB_DATA_DIR) / "spool"
        workspace.mkdir(parents=True, exist_ok=True)
        output = _standard_output()
        _Writing(target, contents, report, progress).to_stream(output, workspace)
        output.flush()
        return
    with put_in_place(target.path, directory=target.kind == "directory") as (new, workspace):
        writing = _Writing(target, contents, report, progress)
        if target.kind == "directory":
            writing.layout(DirectorySink(new), workspace)
        else:
            with new.open("xb") as file:
                writing.to_stream(file, workspace)


class _Writing:
    """What is written, in the form of its target."""

    def __init__(self, target: Target, contents: Contents, report: ExportReport, progress: ProgressReporter) -> None:
        self._target = target
        self._contents = contents
        self._report = report
        self._progress = progress

    def to_stream(self, file: IO[bytes], workspace: Path) -> None:
        """Writes lines or an archive; the size in the report is that of the whole file."""
        counted = CountingWriter(file)
        with ExitStack() as stack:
            if self._target.kind == "zip":
                self.layout(ZipSink(file), workspace)
                self._report.size = file.tell()
            else:
                stream = stack.enter_context(packed(counted, self._target.packing))
                if self._target.kind == "tar":
                    self.layout(TarSink(stream, workspace), workspace)
                else:
                    write_lines(stream, self._contents, self._report, self._progress)
                    self._report.files = 1
        if self._target.kind != "zip":
            self._report.size = counted.size

    def layout(self, sink: Sink, workspace: Path) -> None:
        """Writes the published layout into ``sink``."""
        with closing(sink):
            LayoutWriter(sink, workspace, self._report).write(self._contents, self._progress)


def _standard_output() -> Any:
    if sys.stdout is None:  # so Python says that the caller closed it
        raise Refusal("bad_target", "", "standard output is closed")
    return sys.stdout.buffer
