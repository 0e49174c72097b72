"""``harvest``: turn the packages that are installed into a dataset of the errors they raise."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand

from kb.cli.harvest_import import DEFAULT_DATASET, LOWEST_PRIORITY, import_harvest
from kb.cli.harvest_report import HarvestReport, describe_harvest, watched
from kb.cli.import_options import add_progress_options, chosen_progress
from kb.cli.import_reports import DONE, FAILED, USAGE, describe, exit_code, printable
from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.harvest.cache import HarvestCache
from kb.harvest.crew import Crew
from kb.harvest.dataset import Layout, NotOurs, by_repository, lines, replacing
from kb.harvest.environments import NotThere, open_environment
from kb.harvest.running import PackageHarvest, Plan, arranged, harvest
from kb.harvest.sources import source_subjects, standard_library
from kb.harvest.subjects import Skipped, Subject
from kb.imports.jobs.registered import NAME
from kb.imports.options import ImportReport
from kb.imports.progress import ProgressReporter, progress_for

__all__ = ["Command"]

_STANDARD_OUTPUT = "-"
_PRIORITY = 1_000_000


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Turn installed packages into records of the errors they raise. The source is read and never run. "
        "Without PACKAGE all packages of the environment are harvested; without --environment it is the one that "
        "Faultbook runs in. "
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done with rejections, 4 refused, 130 or 143 interrupted."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        what = parser.add_argument_group("what to harvest")
        what.add_argument("packages", nargs="*", metavar="PACKAGE", help="a distribution, or a package it brings")
        what.add_argument(
            "--environment", type=Path, metavar="PATH", help="a virtual environment, or a site-packages directory"
        )
        what.add_argument(
            "--source", type=Path, action="append", default=[], metavar="DIR", help="a directory with your own sources"
        )
        what.add_argument("--stdlib", action="store_true", help="Python's standard library, too")
        what.add_argument("--with-dependencies", action="store_true", help="also what each PACKAGE needs")
        where = parser.add_argument_group("where to").add_mutually_exclusive_group()
        where.add_argument("--out", metavar="DIR|-", help="a directory for the dataset, or - for JSON Lines")
        where.add_argument("--import", dest="load", action="store_true", help="load the records into the catalog")
        self._add_import_options(parser)
        parser.add_argument("--jobs", type=int, metavar="N", help="processes that read sources (default: one a core)")
        parser.add_argument(
            "--cache", type=Path, metavar="DIR", help="what earlier harvests found (default: in the data directory)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
        add_progress_options(parser)

    @staticmethod
    def _add_import_options(parser: ArgumentParser) -> None:
        loading = parser.add_argument_group("with --import")
        loading.add_argument(
            "--dataset", default=DEFAULT_DATASET, metavar="NAME", help="whose records these are (default: %(default)s)"
        )
        loading.add_argument(
            "--priority", type=int, metavar="N", help=f"its rank; higher wins (default: {LOWEST_PRIORITY}, the lowest)"
        )
        loading.add_argument(
            "--complete", action="store_true", help="retire the records of all packages that are not harvested now"
        )
        loading.add_argument("--confirm", action="store_true", help="accept that a large part of the dataset is gone")
        loading.add_argument("--force", action="store_true", help="accept a version that was rolled back")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Runs the harvest and exits with its code."""
        unready = database_problem() if options["load"] else ""
        problem = _usage_problem(options)
        if problem or unready:
            self._complain(problem or unready, USAGE if problem else FAILED)
        with interruptible() as interruption:
            try:
                code = self._run(options)
            except (NotThere, NotOurs) as wrong:
                self._complain(str(wrong), USAGE)
            except OSError as error:
                if isinstance(error, BrokenPipeError):
                    raise
                self._complain(f"The harvest failed: {error}", FAILED)
            except KeyboardInterrupt:
                if not interruption.number:
                    raise
                self._complain("The harvest was interrupted.", interruption.exit_code)
        if code:
            sys.exit(code)

    def _run(self, options: dict[str, Any]) -> int:
        """Harvests, tells what came of it, and returns the exit code."""
        started = time.monotonic()
        report = HarvestReport()
        progress = _progress(options)
        cache = HarvestCache(options["cache"] or settings.KB_DATA_DIR / "cache" / "harvest")
        try:
            with Crew(options["jobs"]) as crew:
                plan = _plan(options, report.skipped)
                files = sum(len(subject.files) for subject in plan.subjects)
                progress.phase(f"Harvesting {files:,} files")
                harvests = watched(harvest(plan, crew=crew, cache=cache), report, progress)
                loaded = self._put(harvests, options, progress)
        finally:
            progress.close()
        report.seconds = time.monotonic() - started
        self._tell(report, loaded, options)
        return exit_code(loaded) if loaded is not None else DONE

    def _put(
        self, harvests: Iterable[PackageHarvest], options: dict[str, Any], progress: ProgressReporter
    ) -> ImportReport | None:
        """Puts the records where they are wanted; the report of the import, if there was one."""
        if options["load"]:
            return import_harvest(harvests, options, progress=progress)
        if options["out"] == _STANDARD_OUTPUT:
            for line in lines(harvests):
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        elif options["out"]:
            with replacing(Path(options["out"])) as draft:
                layout = Layout(draft)
                for repository in by_repository(harvests):
                    layout.add(repository)
                layout.finish()
        else:
            for _ in harvests:
                pass
        return None

    def _tell(self, report: HarvestReport, loaded: ImportReport | None, options: dict[str, Any]) -> None:
        """Prints the reports, on standard error when the records themselves are on standard output."""
        told = self.stderr if options["out"] == _STANDARD_OUTPUT else self.stdout
        if options["json"]:
            answer = report.as_json()
            if loaded is not None:
                answer["import"] = loaded.as_json()
            told.write(json.dumps(answer), str)
            return
        rows = describe_harvest(report)
        if loaded is not None:
            rows += describe(loaded)
        elif options["out"] and options["out"] != _STANDARD_OUTPUT:
            rows.append(f"Written to {options['out']}.")
        elif not options["out"]:
            rows.append("Nothing was written: --out DIR writes the dataset, --import loads it into the catalog.")
        for row in rows:
            told.write(printable(row, getattr(told, "encoding", None)), str)

    def _complain(self, text: str, code: int) -> NoReturn:
        self.stderr.write(printable(text))
        sys.exit(code)


def _progress(options: dict[str, Any]) -> ProgressReporter:
    """What is shown meanwhile; staff see only what changes the catalog."""
    if options["load"]:
        return chosen_progress(options, what=f"Harvest for dataset {options['dataset']}")
    return progress_for(quiet=options["quiet"] or options["json"], kind=options["progress"])


def _plan(options: dict[str, Any], skipped: list[Skipped]) -> Plan:
    """What the options ask for. Raises ``NotThere``."""
    found: list[Subject] = []
    available: frozenset[str] = frozenset()
    for folder in options["source"]:
        found += source_subjects(folder)
    if options["packages"] or options["environment"] is not None or not options["source"]:
        environment = open_environment(options["environment"])
        names = (
            environment.resolve(options["packages"], needed=options["with_dependencies"])
            if options["packages"]
            else environment.names()
        )
        skipped += environment.skipped
        available = environment.importable()
        found += [environment.subject(name) for name in names]
    if options["stdlib"]:
        found.append(standard_library(options["environment"]))
    return Plan(subjects=arranged(found), available=available)


def _usage_problem(options: dict[str, Any]) -> str:
    if not NAME.fullmatch(options["dataset"]):
        return "--dataset: a name has letters, digits, '.', '_' and '-'"
    if options["priority"] is not None and abs(options["priority"]) > _PRIORITY:
        return "--priority: from -1000000 to 1000000"
    if options["with_dependencies"] and not options["packages"]:
        return "--with-dependencies: name a PACKAGE; without one the whole environment is harvested"
    if options["jobs"] is not None and options["jobs"] < 1:
        return "--jobs: at least 1"
    return ""
