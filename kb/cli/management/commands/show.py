"""``show``: one record in the terminal."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from kb.cli.asking_commands import FAILED, USAGE, AskingCommand
from kb.cli.looking_up import record_paths
from kb.cli.sites import CannotAsk, Site
from kb.integrations.instance import Reply
from kb.present import links
from kb.present.invisible import visible_text

__all__ = ["Command"]

_OK = 200


class Command(AskingCommand):
    """See ``help``."""

    help = (
        "Show a record by its id, its error code, any address of it, or owner/name/slug; of a code that several "
        "records have, the list. Exit codes: 0 shown, 1 failed, 2 wrong usage, 3 there is no such record."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("reference", metavar="ID|CODE|URL", help="which record")
        parser.add_argument("--markdown", action="store_true", help="print the whole record as Markdown")
        super().add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Looks the record up, prints it and exits with the code."""
        if options["json"] and options["markdown"]:
            self.give_up("--json and --markdown exclude each other", USAGE)
        site = self.site(options)
        try:
            paths = record_paths(site, options["reference"])
            if not paths:
                self.no_record(options["reference"], site)
            path = paths[0] if len(paths) == 1 else links.short_path(options["reference"].strip())
            self._put(site, path, options, several=len(paths) > 1)
        except CannotAsk as problem:
            self.give_up(str(problem), FAILED)
        except ValueError as problem:
            self.give_up(str(problem), USAGE)

    def _put(self, site: Site, path: str, options: dict[str, Any], *, several: bool) -> None:
        if options["json"]:
            whole = path if several else path.replace("/e/", "/api/v1/errors/", 1)
            self.put_json(self._found(site, site.get(whole)), site)
            return
        form = "text/markdown" if options["markdown"] else "text/plain"
        body = self._found(site, site.get(path, accept=form))
        self.put(visible_text(body.decode("utf-8", "replace")))

    def _found(self, site: Site, reply: Reply) -> bytes:
        """The body; what was there a moment ago and is not any more is foreign."""
        if reply.status != _OK:
            self.give_up_foreign(site)
        return reply.body
