"""``check_catalog``: whether the catalog does what it is for: every record is found by its own message."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from kb.catalog import queries
from kb.catalog.answers import RecordFilter
from kb.cli.readiness import database_problem
from kb.cli.terminal import printed, shown
from kb.matching import fidelity
from kb.matching.fidelity import REASONS, Checked, Report, Tally
from kb.search.errors import SearchUnavailable

__all__ = ["Command", "report_lines"]

FAILED, NOT_ALL_FOUND = 1, 3
_SHOWN_MISSES = 50
_SHOWN_REPOSITORIES = 30
_PAGE = 100
_WIDTH = 80  # of a message


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Check the catalog: with --findable, that every record is found by its own message. "
        "Exit codes: 0 all that can be are, 1 failed, 2 wrong usage, 3 done, and some are not."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument(
            "--findable", action="store_true", required=True, help="fill each record's message in, and look it up"
        )
        parser.add_argument("--repo", metavar="OWNER/NAME", help="the records of one repository only")
        parser.add_argument("--sample", type=_count, metavar="N", help="N records only, always the same ones")
        parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Checks, prints the report, and exits with the code."""
        if unready := database_problem():
            self._give_up(unready)
        ids = self._ids(options["repo"])
        try:
            report = fidelity.report(fidelity.check(ids, sample=options["sample"]))
        except SearchUnavailable as error:
            self._give_up(f"Nothing can be found at the moment: {error.reason}")
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(report)))
        else:
            for line in report_lines(report):
                self.stdout.write(printed(line, self.stdout))
        if report.total.own_missed:
            sys.exit(NOT_ALL_FOUND)

    def _ids(self, repo: str | None) -> list[str] | None:
        """The ids of the records to check; ``None`` for all."""
        if repo is None:
            return None
        ids = list(_ids_of(repo))
        if not ids:
            self._give_up(f"There are no records of a repository {repo}.")
        return ids

    def _give_up(self, problem: str) -> NoReturn:
        self.stderr.write(printed(problem, self.stderr))
        sys.exit(FAILED)


def _ids_of(repo: str) -> Iterator[str]:
    filters, cursor = RecordFilter(repo=repo), None
    while True:
        page = queries.list_rows(filters, cursor=cursor, limit=_PAGE)
        yield from (row.id for row in page.items)
        if page.next is None:
            return
        cursor = page.next


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text[:10]):
        message = "must be a whole number above 0"
        raise ArgumentTypeError(message)
    return int(text[:10])


def report_lines(report: Report) -> Iterator[str]:
    """The report for a person."""
    total = report.total
    if not total.checked:
        yield "The catalog has no records to check."
        return
    yield f"{_counts(total)}."
    yield (
        f"Of {total.weighty - total.universal:,} with enough literal characters and a message of their own, "
        f"{total.share:.2%} are first, or tied with records that no text tells from them."
    )
    if total.universal:
        yield (
            f"With {total.universal:,} more whose message is one of runtimes and systems, {total.share_of_all:.2%} are."
        )
    for reason, count in report.reasons.most_common():
        yield f"  {count:,}: {REASONS[reason]}"
    if not total.missed:
        return
    yield "By repository:"
    worst = sorted(report.repositories.items(), key=lambda item: (-item[1].missed, item[0]))
    for name, tally in worst[:_SHOWN_REPOSITORIES]:
        yield f"  {name}: {_counts(tally)}"
    if len(worst) > _SHOWN_REPOSITORIES:
        yield f"  and {len(worst) - _SHOWN_REPOSITORIES:,} more; --json tells all"
    yield "Not found:"
    for row in report.missed[:_SHOWN_MISSES]:
        yield f"  {row.id} {row.repo}: {shown(row.message, _WIDTH)}: {row.why}"
    if total.missed > _SHOWN_MISSES:
        yield f"  and {total.missed - _SHOWN_MISSES:,} more; --json tells the first 1,000"


def _counts(tally: Tally) -> str:
    return f"{tally.checked:,} checked, {tally.first:,} first, {tally.tied:,} tied, {tally.missed:,} not found"


def _as_json(report: Report) -> dict[str, Any]:
    return {
        **_tally(report.total),
        "share": round(report.total.share, 6),
        "shareOfAll": round(report.total.share_of_all, 6),
        "reasons": dict(report.reasons),
        "repositories": {name: _tally(tally) for name, tally in sorted(report.repositories.items())},
        "notFound": [_missed(row) for row in report.missed],
    }


def _tally(tally: Tally) -> dict[str, int]:
    counts = asdict(tally)
    return {
        "checked": tally.checked,
        "first": tally.first,
        "tied": tally.tied,
        "missed": tally.missed,
        "weighty": counts["weighty"],
        "weightyMissed": counts["weighty_missed"],
        "universal": counts["universal"],
        "universalMissed": counts["universal_missed"],
    }


def _missed(row: Checked) -> dict[str, Any]:
    return {
        "id": row.id,
        "repo": row.repo,
        "message": row.message,
        "weighty": row.weighty,
        "universal": row.universal,
        "reason": row.reason,
        "why": row.why,
        "first": row.first or None,
        "samePattern": row.same_pattern,
    }
