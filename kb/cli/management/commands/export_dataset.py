"""``export_dataset``: write the catalog, or one dataset, as files that ``import_dataset`` reads."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from kb.cli.import_reports import printable
from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.imports.export.options import ExportOptions, ExportReport
from kb.imports.export.running import run_export
from kb.imports.export.targets import target_of
from kb.imports.progress import progress_for
from kb.records.text import counted

__all__ = ["Command"]

DONE, FAILED, USAGE, REFUSED = 0, 1, 2, 4


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Write the catalog as files that import_dataset reads. TARGET is a directory, which gets the published layout; "
        "a file that ends in .tar, .tar.gz, .tar.zst or .zip, the same in an archive; a file that ends in .jsonl, "
        ".jsonl.gz or .jsonl.zst, the records as JSON Lines; or - for standard output. "
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 4 refused, 130 or 143 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("target", metavar="TARGET", help="a directory, a file, or - for standard output")
        parser.add_argument(
            "--dataset",
            metavar="NAME",
            help="only this dataset, with its copies that are behind another's (default: what readers see)",
        )
        parser.add_argument(
            "--format",
            choices=("layout", "jsonl"),
            help="what the target's name says, except that - may also get a layout as a tar archive",
        )
        parser.add_argument(
            "--repo",
            action="append",
            default=[],
            metavar="OWNER/NAME",
            help="only this repository; may be repeated. The export has no background articles then",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
        parser.add_argument("--quiet", action="store_true", help="no progress on standard error")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Runs the export and exits with its code."""
        try:
            target_of(options["target"], options["format"])
        except ValueError as problem:
            self.stderr.write(f"TARGET: {printable(str(problem))}")
            sys.exit(USAGE)
        unready = database_problem()
        report = ExportReport(target=options["target"], error=unready, code="database")
        code = FAILED
        if not unready:
            report, code = _run_interruptibly(options)
        self._tell(report, code, options)
        if code:
            sys.exit(code)

    def _tell(self, report: ExportReport, code: int, options: dict[str, Any]) -> None:
        """Prints the report, on standard error when the export itself is on standard output."""
        told = self.stderr if options["target"] == "-" else self.stdout
        if options["json"]:
            told.write(json.dumps(report.as_json()))
        elif not code:
            told.write("\n".join(printable(line, getattr(told, "encoding", None)) for line in describe(report)))
        if code:
            self.stderr.write(printable(f"{report.outcome.capitalize()}: {report.error}"))


def _run_interruptibly(options: dict[str, Any]) -> tuple[ExportReport, int]:
    """The report and the exit code, also of an export that a signal ended."""
    report = ExportReport(target=options["target"], error="the export was interrupted", code="interrupted")
    with interruptible() as interruption:
        try:
            report = _run(options)
        except KeyboardInterrupt:
            if not interruption.number:
                raise
    if interruption.number and report.outcome != "exported":
        return report, interruption.exit_code
    return report, {"exported": DONE, "refused": REFUSED}.get(report.outcome, FAILED)


def _run(options: dict[str, Any]) -> ExportReport:
    return run_export(
        ExportOptions(
            target=options["target"],
            form=options["format"],
            dataset=options["dataset"],
            repositories=tuple(options["repo"]),
        ),
        progress=progress_for(quiet=options["quiet"] or options["json"]),
    )


def describe(report: ExportReport) -> list[str]:
    """The report as lines for a person."""
    held = [counted(report.records, "record")]
    held.append(counted(report.repositories, "repository", "repositories"))
    if report.articles:
        held.append(counted(report.articles, "article"))
    whose = f"dataset {report.dataset}" if report.dataset else "the catalog"
    lead = f"Exported {whose} at revision {report.revision}, version {report.dataset_version}"
    size = f"{counted(report.files, 'file')}, {report.size:,} bytes"
    return [
        f"{lead}: {', '.join(held)} ({size}, {report.seconds:.1f} s).",
        f"Written to {report.target}.",
        *report.notices,
    ]
