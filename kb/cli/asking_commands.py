"""What commands that ask a site have in common: options, exit codes, and how they give up."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from kb.cli.sites import SERVER_HELP, LocalSite, Site, site_of
from kb.cli.terminal import printed, shown

__all__ = ["FAILED", "NOTHING", "USAGE", "AskingCommand", "color_of"]

FAILED, USAGE, NOTHING = 1, 2, 3
_LONGEST = 500


class AskingCommand(BaseCommand):
    """A command that asks the catalog here, or with ``--server`` another Faultbook."""

    requires_system_checks = ()  # a server may be asked where there is no catalog

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options that all of them have."""
        parser.add_argument("--json", action="store_true", help="print one JSON object on a line")
        parser.add_argument("--server", metavar="URL", help=SERVER_HELP)

    def site(self, options: dict[str, Any]) -> Site:
        """The site to ask; ends the program when its address is none."""
        try:
            return site_of(options["server"])
        except ValueError as problem:
            self.give_up(f"--server: {problem}", USAGE)

    def put(self, text: str) -> None:
        """Print text that holds nothing a terminal would obey, with escapes for what its encoding lacks."""
        stream: Any = self.stdout
        stream.write(printed(text.rstrip("\n") + "\n", stream))

    def put_json(self, body: bytes, site: Site) -> None:
        """Print an answer on one line, in ASCII, which every terminal and every pipe takes."""
        try:
            self.put(json.dumps(json.loads(body)))
        except (ValueError, RecursionError):
            self.give_up_foreign(site)

    def give_up_foreign(self, site: Site) -> NoReturn:
        """End because an answer is none of a Faultbook."""
        self.give_up(f"{site.base_url} does not answer as a Faultbook server does", FAILED)

    def no_record(self, reference: str, site: Site) -> NoReturn:
        """End because the site has no such record."""
        where = "the catalog here" if isinstance(site, LocalSite) else site.base_url
        self.give_up(f"There is no record {reference!r} in {where}. Look for it: faultbook search WORDS", NOTHING)

    def give_up(self, reason: str, code: int) -> NoReturn:
        """End with one line on standard error."""
        self.stderr.write(printed(shown(reason, _LONGEST), sys.stderr))
        sys.exit(code)


def color_of(options: dict[str, Any]) -> bool | None:
    """What the user asked for, ``None`` when nothing."""
    if options.get("no_color"):
        return False
    return True if options.get("force_color") else None
