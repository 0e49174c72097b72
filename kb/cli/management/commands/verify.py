"""``verify``: whether the catalog is what it should be, and the mending of what can be made again."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.cli.terminal import printed
from kb.imports.progress import progress_for
from kb.imports.verification.checks import DEFAULT_SAMPLE, VerifyOptions, run_verify
from kb.imports.verification.report import CheckResult, VerifyReport
from kb.records.text import counted

__all__ = ["Command"]

SOUND, FAULTY, REFUSED = 0, 1, 4
_SHOWN = 20  # faults of a check


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Verify the catalog: every record against its hash, and what is made from the records against them: counts, "
        "findings, the feed of changes, the copies of datasets, both indexes. "
        "Exit codes: 0 sound or mended, 1 faults are left, 2 wrong usage, 4 refused, 130 or 143 interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--repair", action="store_true", help="make again what can be; not beside an import")
        extent = parser.add_mutually_exclusive_group()
        extent.add_argument(
            "--sample",
            type=_count,
            default=DEFAULT_SAMPLE,
            metavar="N",
            help="of how many records everything is made again to compare; others each time (default: %(default)s)",
        )
        extent.add_argument("--all", action="store_true", help="compare all of them")
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
        parser.add_argument("--quiet", action="store_true", help="no progress on standard error")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Verifies, prints the report, and exits with its code."""
        if unready := database_problem():
            self.stderr.write(printed(unready, self.stderr))
            sys.exit(FAULTY)
        wanted = VerifyOptions(repair=options["repair"], sample=None if options["all"] else options["sample"])
        progress = progress_for(quiet=options["quiet"] or options["json"])
        with interruptible() as interruption:
            try:
                report = run_verify(wanted, progress=progress)
            except KeyboardInterrupt:
                self.stderr.write("The verification was interrupted; nothing was mended.")
                sys.exit(interruption.exit_code)
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json()))
        else:
            for line in _lines(report):
                self.stdout.write(printed(line, self.stdout))
        if report.error and options["json"]:
            self.stderr.write(printed(report.error, self.stderr))
        code = {"sound": SOUND, "mended": SOUND, "refused": REFUSED}.get(report.outcome, FAULTY)
        if code:
            sys.exit(code)


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 10:  # noqa: PLR2004 - digits of any sensible number
        message = "must be a whole number"
        raise ArgumentTypeError(message)
    return int(text)


def _lines(report: VerifyReport) -> Iterator[str]:
    """The report for a person."""
    if report.error:
        yield f"{report.outcome.capitalize()}: {report.error}"
        return
    yield (
        f"Revision {report.revision}: {report.records:,} records checked in {report.seconds:.1f} s, "
        f"everything that follows from {report.sampled:,} of them made again."
    )
    for check in report.checks:
        yield f"  {check.name}: {_result(check)}"
        yield from (f"    {fault.subject}: {fault.message}" for fault in check.faults[:_SHOWN])
        if check.found > _SHOWN:
            yield f"    and {check.found - _SHOWN:,} more; --json tells the first hundred"
    yield from report.notices
    yield _summary(report)


def _result(check: CheckResult) -> str:
    if not check.found:
        return "as it should be"
    parts = [counted(check.found, "fault")]
    if check.mended:
        parts.append(f"{check.mended:,} mended")
    if check.beyond:
        parts.append(f"{check.beyond:,} beyond repair")
    return ", ".join(parts)


def _summary(report: VerifyReport) -> str:
    if report.outcome == "sound":
        return "The catalog is sound."
    if report.outcome == "mended":
        return f"{report.found:,} faults were mended. The catalog is sound."
    beyond = sum(check.beyond for check in report.checks)
    if report.repair or beyond == report.left:
        return f"{report.left:,} faults are left that cannot be mended here; each says what helps."
    return f"{report.left:,} faults. What can be made again, --repair makes again."
