"""``apikeys``: keys of clients that may start imports over HTTP."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand
from rich.table import Table
from rich.text import Text

from kb.catalog import queries
from kb.catalog.keys import SCOPES, create_key, revoke_key
from kb.catalog.work_answers import ApiKeyView
from kb.cli.readiness import database_problem
from kb.cli.terminal import printed, render, shown, style_for

__all__ = ["Command"]

FAILED, USAGE = 1, 2
_NAME_LENGTH = 100
_MOST_DAYS = 3650


class Command(BaseCommand):
    """See ``help``."""

    help = "Make, list and revoke the keys that imports over HTTP need. A key is shown once, when it is made."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A parser for each verb."""
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="create|list|revoke")
        creating = verbs.add_parser("create", help="make a key and print it")
        creating.add_argument("name", type=_name, metavar="NAME", help="who uses it")
        creating.add_argument("--scope", action="append", choices=SCOPES, required=True, help="what it may do")
        creating.add_argument(
            "--expires", type=_days, metavar="DAYS", default=365, help="days that it is good for (default: %(default)s)"
        )
        creating.add_argument("--json", action="store_true", help="print one JSON object")
        listing = verbs.add_parser("list", help="list all keys, the newest first")
        listing.add_argument("--json", action="store_true", help="print one JSON object")
        revoking = verbs.add_parser("revoke", help="revoke a key for good")
        revoking.add_argument("prefix", metavar="PREFIX", help="the beginning of the key, as the list shows it")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Does what the verb says."""
        problem = database_problem()
        if problem:
            self.stderr.write(problem)
            sys.exit(FAILED)
        {"create": self._create, "list": self._list, "revoke": self._revoke}[options["verb"]](options)

    def _create(self, options: dict[str, Any]) -> None:
        view, text = create_key(options["name"], scopes=tuple(dict.fromkeys(options["scope"])), days=options["expires"])
        if options["json"]:
            self.stdout.write(json.dumps({**_as_json(view), "key": text}))
            return
        self.stdout.write(text)
        until = f" until {view.expires_at:%Y-%m-%d %H:%M} UTC" if view.expires_at else ""
        self.stderr.write(f"Key {view.prefix} is valid{until}. It is shown this once: keep it where nobody else reads.")

    def _list(self, options: dict[str, Any]) -> None:
        found = queries.api_keys()
        if options["json"]:
            self.stdout.write(json.dumps({"keys": [_as_json(view) for view in found]}))
        elif not found:
            self.stdout.write("There is no key. Make one with: faultbook apikeys create NAME --scope import")
        else:
            self.stdout.write(printed(render([_table(found)], style_for(sys.stdout)).rstrip(), self.stdout))

    def _revoke(self, options: dict[str, Any]) -> None:
        view = revoke_key(options["prefix"])
        if view is None:
            self.stderr.write(f"There is no key {shown(options['prefix'], 40)}. See: faultbook apikeys list")
            sys.exit(USAGE)
        self.stdout.write(f"Key {view.prefix} is revoked.")


def _as_json(view: ApiKeyView) -> dict[str, Any]:
    def moment(value: datetime | None) -> str | None:
        return value.isoformat() if value else None

    return {
        "name": view.name,
        "prefix": view.prefix,
        "scopes": list(view.scopes),
        "state": view.state(datetime.now(UTC)),
        "createdAt": moment(view.created_at),
        "expiresAt": moment(view.expires_at),
        "revokedAt": moment(view.revoked_at),
        "lastUsedAt": moment(view.last_used_at),
    }


def _table(found: tuple[ApiKeyView, ...]) -> Table:
    now = datetime.now(UTC)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("prefix", "name", "scopes", "state", "expires", "last used"):
        table.add_column(name, overflow="fold")
    for view in found:
        cells = (
            view.prefix,
            shown(view.name, _NAME_LENGTH),
            ", ".join(view.scopes),
            view.state(now),
            f"{view.expires_at:%Y-%m-%d}" if view.expires_at else "never",
            f"{view.last_used_at:%Y-%m-%d %H:%M}" if view.last_used_at else "never",
        )
        table.add_row(*map(Text, cells))
    return table


def _name(text: str) -> str:
    if not text.strip() or len(text) > _NAME_LENGTH or not text.isprintable():
        raise ArgumentTypeError(f"a name has 1 to {_NAME_LENGTH} printable characters")
    return text.strip()


def _days(text: str) -> int | None:
    """Days; ``never`` for a key that does not expire."""
    if text == "never":
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_DAYS):
        raise ArgumentTypeError(f"days from 1 to {_MOST_DAYS}, or never")
    return int(text)
