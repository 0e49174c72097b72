"""``scan``: find all known errors in logs."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from django.core.management.base import BaseCommand

from kb.cli.interruption import interruptible
from kb.cli.scan_logs import CannotScan, scan_logs
from kb.cli.scan_text import scan_text
from kb.cli.sites import default_base_url
from kb.cli.terminal import Style, printed, shown, style_for
from kb.matching.scanning import CONFIDENCES, ScanReport
from kb.present.scan_html import scan_html
from kb.present.scan_tools import scan_github, scan_json, scan_sarif

__all__ = ["Command"]

FOUND, FAILED, USAGE, NOTHING = 0, 1, 2, 3
_LONGEST: Final = 500
_MOST_PROCESSES: Final = 64

# The formats for other programs: text in, made from the report and the address before links.
_FORMATS: Final[Mapping[str, Callable[[ScanReport, str], str]]] = {
    "json": lambda report, base: json.dumps(scan_json(report, base_url=base)) + "\n",
    "html": lambda report, base: scan_html(report, base_url=base),
    "sarif": lambda report, base: json.dumps(scan_sarif(report, base_url=base), indent=2) + "\n",
    "github": lambda report, base: scan_github(report, base_url=base),
}


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Find all known errors in logs: how often, where, and what they are. LOGFILE may be packed with gzip or zstd; "
        "- is standard input. Exit codes: 0 found, 1 failed, 2 wrong usage, 3 nothing found."
    )
    requires_system_checks = ()  # a log is scanned where the catalog can be read; nothing is served

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("logs", nargs="+", metavar="LOGFILE", help="a log, or - for standard input")
        parser.add_argument(
            "--format",
            choices=["text", *_FORMATS],
            default="text",
            help="text, one JSON object, a page, SARIF 2.1.0 or annotations of GitHub Actions (default: %(default)s)",
        )
        parser.add_argument(
            "--min-confidence",
            choices=CONFIDENCES,
            default="strong",
            help="how sure an answer must be at least (default: %(default)s)",
        )
        parser.add_argument("--output", metavar="FILE", help="write to a file instead of standard output")
        parser.add_argument(
            "--processes",
            type=_processes,
            default=len(os.sched_getaffinity(0)),
            metavar="N",
            help="processes for a large plain file (default: %(default)s)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Scans, prints and exits with the code."""
        if options["logs"].count("-") > 1:
            self._give_up("standard input (-) can be read once", USAGE)
        with interruptible() as interruption:
            try:
                report = scan_logs(
                    tuple(dict.fromkeys(options["logs"])),
                    processes=options["processes"],
                    least=options["min_confidence"],
                )
            except CannotScan as problem:
                self._give_up(str(problem), FAILED)
            except KeyboardInterrupt:
                sys.exit(interruption.exit_code)
        self._write(report, options)
        if not report.errors:
            sys.exit(NOTHING)

    def _write(self, report: ScanReport, options: dict[str, Any]) -> None:
        text = self._formatted(report, options)
        if not options["output"]:
            stream: Any = self.stdout
            stream.write(printed(text, stream), ending="")
            return
        try:
            Path(options["output"]).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as problem:
            self._give_up(f"{options['output']}: {problem.strerror or problem}", FAILED)

    def _formatted(self, report: ScanReport, options: dict[str, Any]) -> str:
        base = default_base_url()
        if options["format"] != "text":
            return _FORMATS[options["format"]](report, base)
        style = Style() if options["output"] else style_for(self.stdout, color=_color(options))
        return scan_text(report, style, base_url=base)

    def _give_up(self, reason: str, code: int) -> NoReturn:
        self.stderr.write(printed(shown(reason, _LONGEST), sys.stderr))
        sys.exit(code)


def _color(options: dict[str, Any]) -> bool | None:
    if options.get("no_color"):
        return False
    return True if options.get("force_color") else None


def _processes(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) <= _MOST_PROCESSES:
        raise ArgumentTypeError(f"from 1 to {_MOST_PROCESSES}")
    return int(text)
