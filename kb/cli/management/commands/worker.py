"""``worker``: run the imports that were queued over HTTP."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from kb.cli.interruption import interruptible
from kb.cli.readiness import database_problem
from kb.imports.jobs.worker import Worker, worker_lock
from kb.imports.refusals import Refusal

__all__ = ["Command"]

FAILED, REFUSED = 1, 4


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Run the imports that were queued over HTTP, one after the other. SIGTERM and Ctrl-C stop it: a running import "
        "ends without a trace in the catalog, and starts over with the next worker. "
        "Exit codes: 0 stopped, 1 failed, 4 another worker is running."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--batch", action="store_true", help="run what waits, then exit")
        parser.add_argument(
            "--interval", type=float, default=1.0, metavar="SECONDS", help="between two looks (default: %(default)s)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Works until a signal comes, or in a batch until nothing waits."""
        problem = database_problem()
        if problem:
            self.stderr.write(problem)
            sys.exit(FAILED)
        try:
            with worker_lock(), interruptible():
                self.stdout.write("The worker waits for imports.")
                count = Worker(interval=max(0.1, options["interval"])).run(batch=options["batch"])
                self.stdout.write(f"{count} imports run; nothing waits.")
        except KeyboardInterrupt:
            self.stdout.write("The worker has stopped.")
        except Refusal as refusal:
            self.stderr.write(str(refusal))
            sys.exit(REFUSED)
        except OSError as error:  # the data directory, where lock and spool are
            self.stderr.write(f"The data directory cannot be used: {error}")
            sys.exit(FAILED)
