"""``search``: records by words and filters."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from kb.cli.asking_commands import FAILED, NOTHING, USAGE, AskingCommand, color_of
from kb.cli.search_text import read_found, search_text
from kb.cli.sites import CannotAsk
from kb.cli.terminal import style_for
from kb.integrations.instance import problem_detail
from kb.records.text import clean_text

__all__ = ["Command"]

_OK = 200
_MOST_RESULTS = 100
_MOST_OF_A_PIPE = 8 * 1024


class Command(AskingCommand):
    """See ``help``."""

    help = (
        'Search records by words, "exact words", -word, and filters such as repo:axios/axios, code:ECONNREFUSED, '
        "class:TypeError or severity:critical. Exit codes: 0 found, 1 failed, 2 wrong usage, 3 nothing found."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("words", nargs="+", metavar="WORD", help="what to search for; - reads standard input")
        parser.add_argument(
            "--limit", type=_limit, default=10, metavar="N", help="how many records are printed (default: %(default)s)"
        )
        super().add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Searches, prints and exits with the code."""
        words = [sys.stdin.read(_MOST_OF_A_PIPE) if word == "-" else word for word in options["words"]]
        text = " ".join(" ".join(clean_text(word)[0].split()) for word in words).strip()
        if not text:
            self.give_up("there is nothing to search for", USAGE)
        site = self.site(options)
        try:
            reply = site.get("/api/v1/search/", {"q": text, "limit": str(options["limit"]), "facets": "none"})
        except CannotAsk as problem:
            self.give_up(str(problem), FAILED)
        if reply.status != _OK:
            detail = problem_detail(reply.body)
            self.give_up(detail, USAGE) if detail else self.give_up_foreign(site)
        try:
            found = read_found(reply.body)
        except ValueError:
            self.give_up_foreign(site)
        if options["json"]:
            self.put_json(reply.body, site)
        else:
            style = style_for(self.stdout, color=color_of(options))
            self.put(search_text(found, style, base_url=site.base_url))
        if not found.results:
            sys.exit(NOTHING)


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) <= _MOST_RESULTS:
        raise ArgumentTypeError(f"from 1 to {_MOST_RESULTS}")
    return int(text)
