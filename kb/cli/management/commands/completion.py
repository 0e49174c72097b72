"""``completion``: what makes a shell complete this program's command lines."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from kb.cli.completion import SHELLS, CommandWords, words_of

__all__ = ["Command"]


class Command(BaseCommand):
    """See ``help``."""

    help = "Print the completion script of a shell. For bash: source <(faultbook completion bash)"
    requires_system_checks = ()  # it reads nothing but the commands

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("shell", choices=tuple(SHELLS), help="which shell")

    def handle(self, *, shell: str, **_options: Any) -> None:
        """Prints the script."""
        found = sorted((name, path) for name, path in get_commands().items() if str(path).startswith("kb."))
        self.stdout.write(SHELLS[shell]([_words(str(path), name) for name, path in found]))


def _words(application: str, name: str) -> CommandWords:
    command = load_command_class(application, name)
    return words_of(name, command.help, command.create_parser("faultbook", name))
