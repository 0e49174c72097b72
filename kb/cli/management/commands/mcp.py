"""``mcp``: the tools for language models over standard input and output."""

from __future__ import annotations

import contextlib
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand

from kb.cli.interruption import interruptible
from kb.cli.mcp_relay import Relay
from kb.cli.readiness import database_problem
from kb.cli.sites import SERVER_HELP, default_base_url
from kb.cli.terminal import printed, shown
from kb.mcp.stdio import LocalServer, serve

__all__ = ["Command"]

FAILED, USAGE = 1, 2
_LONGEST = 500


class Command(BaseCommand):
    """See ``help``."""

    help = (
        "Serve the Model Context Protocol on standard input and output, for editors and agents that start their tools "
        "themselves. Over HTTP the same tools are at /mcp of every server. Exit codes: 0 the client has gone, "
        "1 failed, 2 wrong usage."
    )
    requires_system_checks = ()  # a server may be asked where there is no catalog

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("--server", metavar="URL", help=SERVER_HELP)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Serves until the client closes its end, and exits with the code."""
        answered = self._answered(options["server"])
        outgoing = sys.stdout.buffer
        code = 0
        with interruptible() as interruption, contextlib.redirect_stdout(sys.stderr):  # the client reads every line
            try:
                serve(sys.stdin.buffer, outgoing, answered)
            except KeyboardInterrupt:
                code = interruption.exit_code
        if code:
            sys.exit(code)

    def _answered(self, server: str | None) -> Callable[[bytes], bytes]:
        address = str(settings.KB_SERVER) if server is None else server
        if address:
            try:
                return Relay(address)
            except ValueError as problem:
                self._give_up(f"--server: {problem}", USAGE)
        missing = database_problem()
        if missing:
            self._give_up(missing, FAILED)
        return LocalServer(default_base_url())

    def _give_up(self, reason: str, code: int) -> NoReturn:
        self.stderr.write(printed(shown(reason, _LONGEST), sys.stderr))
        sys.exit(code)
