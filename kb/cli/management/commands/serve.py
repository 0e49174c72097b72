"""``faultbook serve``: check the installation, then become the production server."""

from __future__ import annotations

import argparse
import os
import re
import socket
import sys
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from kb.cli.readiness import database_problem

__all__ = ["Command"]

_BIND = re.compile(r"unix:.+|(?:\[[0-9A-Fa-f:.]+\]|[^:\[\]\s]+):(?P<port>[0-9]{1,5})")
_HIGHEST_PORT = 65_535
_MOST = 64


class Command(BaseCommand):
    """Refuses to start, with the command that helps, when the database or the static files are not ready."""

    help = "Serve the catalog over HTTP"
    requires_system_checks: list[str] = []  # all of them run below, with those of the database

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address and the size; the defaults come from the environment."""
        parser.add_argument("--bind", type=_address, default="127.0.0.1:8000", help="HOST:PORT or unix:PATH")
        parser.add_argument("--workers", type=_count, default=settings.KB_WORKERS, help="server processes")
        parser.add_argument("--threads", type=_count, default=settings.KB_THREADS, help="threads a process")

    def handle(self, *, bind: str, workers: int, threads: int, **_options: Any) -> NoReturn:
        """Replace this process by the server. Raises ``CommandError`` when the installation is not ready."""
        _require_free_address(bind)
        if problem := database_problem():
            raise CommandError(problem)
        _require_static_files()
        self.check(databases=["default"])
        # The workers size their connection pools by it.
        os.environ["KB_THREADS"] = str(threads)
        size = ["--bind", bind, "--workers", str(workers), "--threads", str(threads)]
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(sys.executable, [sys.executable, "-m", "kb.cli.server", *size])  # noqa: S606  # our own module


def _address(text: str) -> str:
    found = _BIND.fullmatch(text)
    if not found or int(found["port"] or 0) > _HIGHEST_PORT:
        message = f"{text!r} is not an address; give HOST:PORT, such as 127.0.0.1:8000, or unix:PATH"
        raise argparse.ArgumentTypeError(message)
    return text


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST):
        message = f"{text!r} is not a whole number from 1 to {_MOST}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _require_free_address(bind: str) -> None:
    """The server itself would try for five seconds, and say so in ten lines."""
    if bind.startswith("unix:"):
        return
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    try:
        # Like the server's own socket, it may follow one that was closed a moment ago.
        socket.create_server((host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        message = (
            f"Cannot listen on {bind}: {error.strerror}. Choose another address with --bind (make run: PORT=8080)."
        )
        raise CommandError(message) from error


def _require_static_files() -> None:
    """Without the manifest every page is an error; collecting takes seconds, too long for each start."""
    if not settings.DEBUG and not (settings.STATIC_ROOT / "staticfiles.json").is_file():
        message = "The static files are not ready. Run: faultbook collectstatic --no-input"
        raise CommandError(message)
