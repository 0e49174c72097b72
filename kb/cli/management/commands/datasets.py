"""``datasets``: which datasets this catalog is made of, and where each is read from."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from django.core.management.base import BaseCommand
from rich.table import Table
from rich.text import Text

from kb.catalog import queries
from kb.catalog.registrations import Registration
from kb.catalog.work_answers import DatasetView
from kb.cli.import_options import add_progress_options, add_safety_options, chosen_progress
from kb.cli.import_reports import FAILED, USAGE, describe, exit_code, printable, worst
from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.cli.terminal import printed, render, shown, style_for
from kb.imports.jobs.registered import address_notices, chosen_datasets, options_for, register_dataset, update_dataset
from kb.imports.options import ImportReport
from kb.imports.ranking import run_ranking
from kb.imports.refusals import Refusal
from kb.imports.removal import run_removal

__all__ = ["Command"]

_CODES = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done with rejections, 4 refused, 130 or 143 interrupted."
_WIDEST = 60  # characters of an address in the list


class Command(BaseCommand):
    """See ``help``."""

    help = f"Register datasets, list them, update them from their addresses, remove them. {_CODES}"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A parser for each verb."""
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="add|list|update|remove")
        _add_arguments(verbs.add_parser("add", help="register a dataset, or change what is registered"))
        listing = verbs.add_parser("list", help="list the datasets, the first in rank first")
        listing.add_argument("--json", action="store_true", help="print one JSON object")
        _update_arguments(verbs.add_parser("update", help="read registered datasets from their addresses"))
        removing = verbs.add_parser("remove", help="retire what only this dataset holds, and forget its address")
        removing.add_argument("name", metavar="NAME")
        removing.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
        removing.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
        add_progress_options(removing)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Does what the verb says and exits with its code."""
        problem = database_problem()
        if problem:
            self._stop(problem, FAILED)
        verbs: Mapping[str, Callable[[dict[str, Any]], int]] = {
            "add": self._add,
            "list": self._list,
            "update": self._update,
            "remove": self._remove,
        }
        try:
            code = verbs[options["verb"]](options)
        except Refusal as refusal:
            self._stop(str(refusal), USAGE)
        if code:
            sys.exit(code)

    # -- the verbs -----------------------------------------------------------------------------------------------------

    def _add(self, options: dict[str, Any]) -> int:
        wanted = Registration(
            name=options["name"],
            address=options["address"],
            priority=options["priority"],
            trusted=options["trusted"],
            coverage=options["coverage"],
            schedule=options["schedule"],
        )
        done = register_dataset(wanted)
        self._say(f"{'Registered' if done.created else 'Changed the registration of'} {wanted.name}.")
        for notice in address_notices(wanted.address):
            self._say(notice)
        if not done.rank_waits:
            if done.created:
                self._say(f"Load it with: faultbook datasets update {wanted.name}")
            return 0
        progress = chosen_progress(options, what=f"Rank of dataset {wanted.name}")
        with interruptible() as interruption:
            report = run_ranking(wanted.name, priority=wanted.priority, trusted=wanted.trusted, progress=progress)
        return self._told([report], interruption.exit_code if interruption.number else 0, as_json=False)

    def _list(self, options: dict[str, Any]) -> int:
        found = queries.datasets()
        if options["json"]:
            self.stdout.write(json.dumps({"datasets": [view.as_json() for view in found]}))
        elif not found:
            self._say("There is no dataset yet. Register one with: faultbook datasets add NAME ADDRESS")
        else:
            style = style_for(sys.stdout)
            self.stdout.write(printed(render([_table(found)], style).rstrip(), self.stdout))
        return 0

    def _update(self, options: dict[str, Any]) -> int:
        if bool(options["names"]) == options["all"]:
            raise Refusal("usage", "", "name the datasets to update, or say --all")
        chosen = chosen_datasets(options["names"])
        if not chosen:
            self._say("No dataset is registered with an address.")
            return 0
        names = ("dry_run", "strict", "confirm", "allow_older", "force", "max_rejects")
        given = {name: options[name] for name in names}
        reports: list[ImportReport] = []
        with interruptible() as interruption:
            for view in chosen:
                progress = chosen_progress(options, what=f"Update of dataset {view.name}")
                reports.append(update_dataset(view, options_for(view, **given), progress=progress))
                if not options["json"]:
                    self._lines(view.name, reports[-1])
                if interruption.number:
                    break
        ended = interruption.exit_code if interruption.number and reports[-1].outcome == "failed" else 0
        if options["json"]:
            self.stdout.write(json.dumps({"updates": [report.as_json() for report in reports]}))
        return ended or worst([exit_code(report) for report in reports])

    def _remove(self, options: dict[str, Any]) -> int:
        with interruptible() as interruption:
            progress = chosen_progress(options, what=f"Removal of dataset {options['name']}")
            report = run_removal(options["name"], dry_run=options["dry_run"], progress=progress)
        ended = interruption.exit_code if interruption.number and report.outcome == "failed" else 0
        return self._told([report], ended, as_json=options["json"])

    # -- printing ------------------------------------------------------------------------------------------------------

    def _told(self, reports: Sequence[ImportReport], ended: int, *, as_json: bool) -> int:
        for report in reports:
            if as_json:
                self.stdout.write(json.dumps(report.as_json()))
            else:
                self._lines(report.dataset, report)
        return ended or worst([exit_code(report) for report in reports])

    def _lines(self, name: str, report: ImportReport) -> None:
        first, *rest = describe(report)
        self._say(f"{name}: {first}")
        for line in rest:
            self._say(f"  {line}")

    def _say(self, line: str) -> None:
        self.stdout.write(printable(line, getattr(self.stdout, "encoding", None)))

    def _stop(self, problem: str, code: int) -> NoReturn:
        self.stderr.write(printable(problem))
        sys.exit(code)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="letters, digits, '.', '_' and '-'")
    parser.add_argument("address", metavar="ADDRESS", help="a file, a directory, an archive, or an https address")
    parser.add_argument("--priority", type=int, metavar="N", help="whose copy is shown; higher wins (default: 0)")
    parser.add_argument("--schedule", metavar="HINT", help="a note of when it is to be updated, e.g. 'nightly'")
    coverage = parser.add_mutually_exclusive_group()
    for word, meaning in (("complete", "what its source lacks is retired"), ("partial", "nothing is ever retired")):
        coverage.add_argument(f"--{word}", action="store_const", const=word, dest="coverage", help=meaning)
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument("--trusted", action="store_const", const=True, dest="trusted", help="as a new dataset is")
    trust.add_argument(
        "--untrusted",
        action="store_const",
        const=False,
        dest="trusted",
        help="its copies rank behind all trusted ones, and pages say so",
    )
    parser.set_defaults(json=False, quiet=False, progress="auto")


def _update_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="all that are registered, one after the other")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--strict", action="store_true", help="refuse everything at the first rejected record")
    parser.add_argument("--max-rejects", type=int, default=10_000, metavar="N", help="(default: %(default)s)")
    add_safety_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
    add_progress_options(parser)


def _table(found: Sequence[DatasetView]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("name", "records", "priority", "trust", "last release", "schedule", "address"):
        table.add_column(name, overflow="fold", justify="right" if name in {"records", "priority"} else "left")
    for view in found:
        trust = "removed" if view.removed_at else "trusted" if view.trusted else "untrusted"
        table.add_row(
            *(Text(shown(cell, _WIDEST)) for cell in (view.name, f"{view.records:,}", str(view.priority), trust)),
            Text(_last(view)),
            Text(shown(view.schedule, _WIDEST)),
            Text(shown(view.address, 500)),
        )
    return table


def _last(view: DatasetView) -> str:
    if view.release is None:
        return "none yet"
    when = f" {view.release_finished_at:%Y-%m-%d %H:%M}" if view.release_finished_at else ""
    return f"{view.release} {view.release_state}{when}"
