"""``static_dataset``: make the files below ``/data/`` of the current revision, before anybody asks for them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from kb.cli.import_reports import printable
from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.imports.export.options import ExportReport
from kb.imports.export.serving import serve_layout
from kb.imports.progress import progress_for

__all__ = ["Command"]

FAILED, REFUSED = 1, 4


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Make the static dataset of the current revision, which the server answers below /data/. It is also made when "
        "it is first asked for; run this after an import so that nobody waits for it. "
        "Exit codes: 0 done, 1 failed, 4 refused, 130 or 143 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--force", action="store_true", help="make it anew, also where it is there")
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
        parser.add_argument("--quiet", action="store_true", help="no progress, and nothing on success")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Makes the files and exits with its code."""
        report = ExportReport(form="layout", code="interrupted", error="the making was interrupted")
        with interruptible() as interruption:
            try:
                report = self._made(options)
            except KeyboardInterrupt:
                if not interruption.number:
                    raise
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json()))
        if report.outcome == "exported":
            if not options["json"] and not options["quiet"]:
                self.stdout.write(_line(report))
            return
        self.stderr.write(printable(f"The static dataset was not made: {report.error}", self.stderr.encoding))
        sys.exit(interruption.exit_code if interruption.number else REFUSED if report.outcome == "refused" else FAILED)

    def _made(self, options: dict[str, Any]) -> ExportReport:
        if unready := database_problem():
            return ExportReport(form="layout", error=unready, code="database")
        quiet = options["quiet"] or options["json"]
        return serve_layout(force=options["force"], progress=progress_for(quiet=quiet))


def _line(report: ExportReport) -> str:
    if report.notices:
        return f"The static dataset of revision {report.revision} is there already."
    size = f"{report.records:,} records, {report.files:,} files, {report.size:,} bytes, {report.seconds:.1f} s"
    return f"Made the static dataset of revision {report.revision} ({size})."
