"""``import_dataset``: load error records from files, standard input or a published layout."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from kb.cli.import_options import add_progress_options, add_safety_options, chosen_progress
from kb.cli.import_reports import FAILED, USAGE, describe, exit_code, printable
from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.imports.options import DEFAULT_DATASET, ImportOptions, ImportReport
from kb.imports.pipeline import run_import

__all__ = ["Command"]

_NAME_LENGTH = 100
_PRIORITY = 1_000_000


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Load error records into the catalog. SOURCE is a file (a record, an array, JSON Lines; gzip or zstd too), "
        "a published layout (a directory, a tar or zip archive, a base address), or - for standard input. "
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done with rejections, 4 refused, 130 or 143 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument(
            "sources", nargs="+", metavar="SOURCE", help="a file, a directory, an address, or - for standard input"
        )
        parser.add_argument(
            "--dataset", default=DEFAULT_DATASET, metavar="NAME", help="whose records these are (default: %(default)s)"
        )
        parser.add_argument(
            "--priority",
            type=int,
            metavar="N",
            help="which dataset's copy is shown when several hold a record; higher wins",
        )
        completeness = parser.add_mutually_exclusive_group()
        completeness.add_argument(
            "--complete",
            action="store_const",
            const=True,
            dest="complete",
            help="the sources are the whole dataset: what they lack is retired (a published layout always is)",
        )
        completeness.add_argument(
            "--partial",
            action="store_const",
            const=False,
            dest="complete",
            help="retire nothing, even from a published layout",
        )
        trust = parser.add_mutually_exclusive_group()
        trust.add_argument(
            "--trusted", action="store_const", const=True, dest="trusted", help="its copies rank as its priority says"
        )
        trust.add_argument(
            "--untrusted",
            action="store_const",
            const=False,
            dest="trusted",
            help="its copies rank behind those of every trusted dataset, and pages say that it is not trusted",
        )
        add_safety_options(parser)
        parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
        parser.add_argument("--strict", action="store_true", help="refuse everything at the first rejected record")
        parser.add_argument(
            "--max-rejects",
            type=_count,
            default=10_000,
            metavar="N",
            help="refuse everything when more than N records are rejected (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
        add_progress_options(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Runs the import and exits with its code."""
        problem = _usage_problem(options)
        if problem:
            self.stderr.write(problem)
            sys.exit(USAGE)
        unready = database_problem()
        if unready:
            self._give_up(ImportReport(dataset=options["dataset"], error=unready), FAILED, as_json=options["json"])
        with interruptible() as interruption:
            report = _run(options)
        if interruption.number and report.outcome == "failed":
            self._give_up(report, interruption.exit_code, as_json=options["json"])
        if options["json"]:
            self._print(report)
        else:
            for line in describe(report):
                self.stdout.write(printable(line, self.stdout.encoding))
        code = exit_code(report)
        if code:
            sys.exit(code)

    def _give_up(self, report: ImportReport, code: int, *, as_json: bool) -> NoReturn:
        """Says on one line of standard error why nothing was imported."""
        if as_json:
            self._print(report)
        self.stderr.write(printable(report.error))
        sys.exit(code)

    def _print(self, report: ImportReport) -> None:
        self.stdout.write(json.dumps(report.as_json()))  # in ASCII, which every terminal and every pipe takes


def _run(options: dict[str, Any]) -> ImportReport:
    return run_import(
        options["sources"],
        ImportOptions(
            dataset=options["dataset"],
            priority=options["priority"],
            complete=options["complete"],
            dry_run=options["dry_run"],
            strict=options["strict"],
            max_rejects=options["max_rejects"],
            trusted=options["trusted"],
            confirm=options["confirm"],
            allow_older=options["allow_older"],
            force=options["force"],
        ),
        progress=chosen_progress(options, what=f"Import of dataset {options['dataset']}"),
    )


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        message = "must not be negative"
        raise ValueError(message)
    return value


def _usage_problem(options: dict[str, Any]) -> str:
    name = options["dataset"]
    if not name or len(name) > _NAME_LENGTH or not name.isprintable() or "/" in name or name != name.strip():
        return "--dataset: a name has 1 to 100 printable characters, without a slash"
    priority = options["priority"]
    if priority is not None and abs(priority) > _PRIORITY:
        return "--priority: from -1000000 to 1000000"
    if options["sources"].count("-") > 1:
        return "standard input (-) can be read once"
    return ""
