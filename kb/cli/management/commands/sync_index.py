"""``sync_index``: make the search index of the current revision from the database, when it is missing or damaged."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from kb.catalog import queries
from kb.imports.lock import import_lock
from kb.imports.refusals import Refusal
from kb.search import index as search_index

__all__ = ["Command"]

REFUSED = 4


class Command(BaseCommand):
    """See ``help``."""

    help = "Make the search index of the current revision from the database, when it is missing or damaged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--force", action="store_true", help="make it anew even when it looks right")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Rebuilds where needed; exits with 4 while an import is running."""
        try:
            with import_lock():
                self._sync(force=options["force"])
        except Refusal as refusal:
            self.stderr.write(str(refusal))
            sys.exit(REFUSED)

    def _sync(self, *, force: bool) -> None:
        revision = queries.state().revision
        if not revision:
            self.stdout.write("The catalog is empty; there is nothing to index.")
            return
        problems = search_index.verify(revision) if search_index.is_usable(revision) else ["missing or damaged"]
        if not problems and not force:
            self.stdout.write(f"The index of revision {revision} is as it should be.")
            return
        search_index.rebuild(revision, queries.iter_records())
        search_index.prune({revision})
        self.stdout.write(f"The index of revision {revision} was made anew.")
