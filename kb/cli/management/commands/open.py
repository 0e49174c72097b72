"""``open``: a record's page, or the front page, in the browser."""

from __future__ import annotations

import json
import webbrowser
from argparse import ArgumentParser
from typing import Any

from kb.cli.asking_commands import FAILED, USAGE, AskingCommand
from kb.cli.looking_up import record_paths
from kb.cli.sites import CannotAsk, LocalSite, Site
from kb.integrations.instance import Instance
from kb.present import links

__all__ = ["Command"]

_TIMEOUT = 3.0  # seconds in which a server tells that it is there


class Command(AskingCommand):
    """See ``help``."""

    help = (
        "Open the page of a record in the browser; without one the front page. The address is printed as well. "
        "Exit codes: 0 opened, 1 failed, 2 wrong usage, 3 there is no such record."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("reference", nargs="?", metavar="ID|CODE|URL", help="which record")
        parser.add_argument("--print", action="store_true", dest="only_print", help="print the address, open nothing")
        super().add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Looks the record up, opens its page and exits with the code."""
        site = self.site(options)
        try:
            address = links.absolute(site.base_url, self._path(site, options["reference"]))
            if not options["only_print"]:
                _require_server(site)
        except CannotAsk as problem:
            self.give_up(str(problem), FAILED)
        except ValueError as problem:
            self.give_up(str(problem), USAGE)
        self.put(json.dumps({"url": address}) if options["json"] else address)
        if not options["only_print"] and not webbrowser.open(address):
            self.give_up("there is no browser to open it with; BROWSER names one", FAILED)

    def _path(self, site: Site, reference: str | None) -> str:
        if reference is None:
            return links.HOME
        paths = record_paths(site, reference)
        if not paths:
            self.no_record(reference, site)
        return paths[0] if len(paths) == 1 else links.short_path(reference.strip())


def _require_server(site: Site) -> None:
    """A page of the catalog here needs its server. Raises :class:`CannotAsk`."""
    if not isinstance(site, LocalSite):
        return
    try:
        Instance(site.base_url, timeout=_TIMEOUT).get("/healthz")
    except CannotAsk as problem:
        raise CannotAsk(f"{problem}. Start it first: faultbook serve") from None
