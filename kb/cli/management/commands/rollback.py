"""``rollback``: take a release back."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from kb.cli.import_options import add_progress_options, chosen_progress
from kb.cli.import_reports import FAILED, describe, exit_code, printable
from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.imports.options import ImportReport
from kb.imports.rollback import run_rollback

__all__ = ["Command"]


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Take a release back: its dataset holds again what it held before. Later releases of the same dataset go with "
        "it; other datasets stay as they are. Published as a new revision, which can be taken back as well. "
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 4 refused, 130 or 143 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument(
            "release",
            nargs="?",
            type=int,
            metavar="RELEASE",
            help="its number, as on /releases/ (default: the last published release that still stands)",
        )
        parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
        add_progress_options(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Takes the release back and exits with the code of what came of it."""
        unready = database_problem()
        if unready:
            self._tell(ImportReport(kind="rollback", error=unready), as_json=options["json"])
            sys.exit(FAILED)
        with interruptible() as interruption:
            progress = chosen_progress(options, what="Rollback")
            report = run_rollback(options["release"], dry_run=options["dry_run"], progress=progress)
        self._tell(report, as_json=options["json"])
        stopped = interruption.number and report.outcome == "failed"
        code = interruption.exit_code if stopped else exit_code(report)
        if code:
            sys.exit(code)

    def _tell(self, report: ImportReport, *, as_json: bool) -> None:
        """The report on standard output, or the reason why there was none on standard error."""
        if as_json:
            self.stdout.write(json.dumps(report.as_json()))
        if report.error:
            self.stderr.write(printable(report.error))
        elif not as_json:
            for line in describe(report):
                self.stdout.write(printable(line, self.stdout.encoding))
