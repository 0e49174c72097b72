"""The program ``faultbook``: every management command under one name, with our own listed first.

``manage.py`` calls the same function, so a checkout and an installed package behave alike.
"""

from __future__ import annotations

import difflib
import errno
import gc
import os
import sys
from collections.abc import Sequence
from importlib import metadata

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility, get_commands, load_command_class
from django.db import OperationalError

from kb.cli.readiness import unreachable
from kb.env import ImproperEnvironment, read_only

__all__ = ["ALIASES", "WRONG_USAGE", "main"]

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130

# Why a disk or a terminal takes no more.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

# Short names; a row takes effect once its command exists.
ALIASES = {"import": "import_dataset", "export": "export_dataset"}

# Commands that only read: they leave nothing behind in the directory where somebody runs them.
_READING = frozenset({"explain", "scan", "search", "show", "open", "completion", "mcp"})

# Django's own commands that an operator needs, in the order in which a new installation meets them.
_DJANGO_COMMANDS = ("migrate", "collectstatic", "createsuperuser", "changepassword", "check")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, without the program's name (default: this process's), and return its exit code.

    0 is done, 1 failed, 2 wrong usage or environment; commands add 3 (done with rejections) and 4 (refused); Ctrl-C
    ends with 130. Commands that fail leave through ``SystemExit``.
    """
    try:
        try:
            if arguments is not None:  # of a process that has other things to do
                return _answered(list(arguments))
            gc.disable()
            return _answered(sys.argv[1:])
        finally:
            if sys.stdout is not None:  # as it is with ">&-"
                sys.stdout.flush()
    except OSError as problem:
        return _unwritten(problem)


def _answered(words: list[str]) -> int:
    if words and words[0] in {"-V", "--version", "version"}:
        print(f"faultbook {metadata.version('faultbook')}")
        return 0
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kb.settings")
    if words and words[0] in _READING:
        read_only()
    try:
        django.setup()
        return _run(words)
    except (ImproperEnvironment, ImproperlyConfigured) as problem:
        print(f"faultbook: {problem}", file=sys.stderr)
        return WRONG_USAGE
    except KeyboardInterrupt:  # before or after the part of a command that cleans up by itself
        print("faultbook: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(words: list[str]) -> int:
    name = ALIASES.get(words[0], words[0]) if words else "help"
    if name in {"-h", "--help"} or words in ([], ["help"]):
        print(_overview())
        return 0
    known = [*get_commands(), "help"]
    if name not in known:
        near = difflib.get_close_matches(name, [*known, *ALIASES], n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        print(f"faultbook: there is no command {name!r}.{hint} See: faultbook --help", file=sys.stderr)
        return WRONG_USAGE
    try:
        _load(name)
        ManagementUtility(["faultbook", name, *words[1:]]).execute()
    except OperationalError as problem:
        print(f"faultbook: {unreachable(problem)}", file=sys.stderr)
        return FAILED
    return 0


def _load(name: str) -> None:
    """Import a command, and take what was loaded so far out of the sight of the garbage collector.

    It stays to the end, and to look through it again and again is a third of the work of a short command.
    """
    if gc.isenabled():
        return
    application = get_commands().get(name)
    if isinstance(application, str):
        load_command_class(application, name)
    gc.freeze()
    gc.enable()


def _unwritten(problem: OSError) -> int:
    """End after a write that failed: silently when the reader of a pipe has seen enough, else with the reason.

    Python must not try to write the rest at its end. What failed otherwise is no failure of the output and raises.
    """
    if not isinstance(problem, BrokenPipeError) and (problem.errno not in _FULL or problem.filename):
        raise problem
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(problem, BrokenPipeError):
        print(f"faultbook: The output cannot be written: {problem.strerror}", file=sys.stderr)
    return FAILED


def _overview() -> str:
    """The list of commands, one line each."""
    commands = get_commands()
    own = sorted(name for name, application in commands.items() if _application_name(application).startswith("kb."))
    lines = ["usage: faultbook COMMAND [OPTIONS]", "", "Commands (faultbook COMMAND --help tells more):"]
    lines += [_command_line(name) for name in own]
    lines += ["", "From Django:", *(_command_line(name) for name in _DJANGO_COMMANDS)]
    aliases = [f"{short} is {name}" for short, name in ALIASES.items() if name in commands]
    if aliases:
        lines += ["", f"Short names: {', '.join(aliases)}."]
    return "\n".join(lines)


def _command_line(name: str) -> str:
    command = load_command_class(_application_name(get_commands()[name]), name)
    first_sentence = " ".join(command.help.split()).split(". ", 1)[0].rstrip(".")
    return f"  {name:<18} {first_sentence}".rstrip()


def _application_name(application: object) -> str:
    """Where Django found a command: the dotted name of the application, or of a command that is loaded already."""
    return application if isinstance(application, str) else type(application).__module__


if __name__ == "__main__":
    sys.exit(main())
