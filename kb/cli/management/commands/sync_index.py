"""``sync_index``: bring this node's indexes to the current revision, once or for as long as the node runs."""

from __future__ import annotations

import json
import signal
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connections

from kb.catalog import queries
from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem, unreachable
from kb.cli.terminal import printed
from kb.imports.refusals import Refusal
from kb.imports.syncing import Synced, is_current, sync_indexes
from kb.search.errors import SearchUnavailable

__all__ = ["Command"]

DONE, FAILED, REFUSED = 0, 1, 4
_EVERY = 5.0
_LONGEST_WAIT = 60.0  # between attempts while something is wrong


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Bring the search and match indexes of this node to the current revision: from the last ones and the feed of "
        "changes, or anew from the database. "
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 4 an import works in this data directory."
    )

    _ready = False  # whether the database had all migrations once: looking takes longer than asking for the revision

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--force", action="store_true", help="make them anew even when they look right")
        parser.add_argument("--follow", action="store_true", help="go on with each new revision, until SIGTERM")
        parser.add_argument(
            "--every",
            type=_seconds,
            default=_EVERY,
            metavar="SECONDS",
            help="how often --follow asks for a new revision (default: %(default)g)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object for each index that was made")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Syncs; exits with the code of a failure, and with 0 when SIGTERM ends ``--follow``."""
        with interruptible() as interruption:
            try:
                self._run(options)
            except KeyboardInterrupt:
                sys.exit(
                    DONE if options["follow"] and interruption.number == signal.SIGTERM else interruption.exit_code
                )

    def _run(self, options: dict[str, Any]) -> None:
        if not options["follow"]:
            self._once(force=options["force"], as_json=options["json"])
            return
        force, wait = options["force"], options["every"]
        while True:
            if problem := self._attempt(force=force, as_json=options["json"]):
                self._tell(problem)
                wait = min(max(wait, 0.5) * 2, _LONGEST_WAIT)
            else:
                force, wait = False, options["every"]
            time.sleep(wait)

    def _once(self, *, force: bool, as_json: bool) -> None:
        if unready := database_problem():
            self._tell(unready)
            sys.exit(FAILED)
        try:
            self._report(sync_indexes(force=force), as_json=as_json)
        except Refusal as refusal:
            self._tell(str(refusal))
            sys.exit(REFUSED)
        except (SearchUnavailable, OSError) as error:
            self._tell(f"The indexes could not be made: {_reason(error)}")
            sys.exit(FAILED)

    def _attempt(self, *, force: bool, as_json: bool) -> str:
        """One round of ``--follow``; says what went wrong, to be tried again."""
        try:
            if not self._ready and (unready := database_problem()):
                connections.close_all()
                return unready
            self._ready = True
            if force or not is_current():
                made = [done for done in sync_indexes(force=force) if done.how != "sound"]
                self._report(made, as_json=as_json, quiet=True)
        except Refusal as refusal:
            return str(refusal)
        except (DatabaseError, InterfaceError) as error:
            connections.close_all()  # a connection that was lost would stay so
            return (
                unreachable(error) if isinstance(error, DatabaseError) else "The connection to the database was lost."
            )
        except (SearchUnavailable, OSError) as error:
            return f"The indexes could not be made: {_reason(error)}"
        return ""

    def _report(self, done: list[Synced], *, as_json: bool, quiet: bool = False) -> None:
        if not done and not quiet and not as_json and not queries.state().revision:
            self.stdout.write("The catalog is empty; there is nothing to index.")
        for row in done:
            self.stdout.write(_as_json(row) if as_json else _line(row))
        self.stdout.flush()

    def _tell(self, problem: str) -> None:
        self.stderr.write(printed(problem, self.stderr))


def _line(row: Synced) -> str:
    if row.how == "sound":
        return f"The {row.name} of revision {row.revision} is as it should be."
    how = f"was updated from that of revision {row.base}" if row.how == "updated" else "was made anew"
    return f"The {row.name} of revision {row.revision} {how}."


def _as_json(row: Synced) -> str:
    return json.dumps({"index": row.name, "revision": row.revision, "outcome": row.how, "base": row.base})


def _reason(error: SearchUnavailable | OSError) -> str:
    return error.reason if isinstance(error, SearchUnavailable) else (error.strerror or str(error))


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 3_600:  # noqa: PLR2004 - what the message says
        message = "must be from 0.1 to 3600 seconds"
        raise ArgumentTypeError(message)
    return value
