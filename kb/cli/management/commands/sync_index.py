"""``sync_index``: make the indexes of the current revision from the database, where they are missing or damaged."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from types import ModuleType
from typing import Any

from django.core.management.base import BaseCommand

from kb.catalog import queries
from kb.imports.lock import import_lock
from kb.imports.refusals import Refusal
from kb.matching.index import revisions as match_index
from kb.search import index as search_index

__all__ = ["Command"]

REFUSED = 4


class Command(BaseCommand):
    """See ``help``."""

    help = "Make the search and match indexes of the current revision from the database, where missing or damaged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--force", action="store_true", help="make them anew even when they look right")

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

        def search() -> None:
            search_index.rebuild(revision, queries.iter_records())

        def match() -> None:
            match_index.rebuild(revision)

        kinds: tuple[tuple[str, ModuleType, Callable[[], None]], ...] = (
            ("index", search_index, search),
            ("match index", match_index, match),
        )
        for name, module, rebuild in kinds:
            problems = module.verify(revision) if module.is_usable(revision) else ["missing or damaged"]
            if not problems and not force:
                self.stdout.write(f"The {name} of revision {revision} is as it should be.")
                continue
            rebuild()
            module.prune({revision})
            self.stdout.write(f"The {name} of revision {revision} was made anew.")
