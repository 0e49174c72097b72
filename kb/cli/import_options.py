"""Options that the commands which change the catalog have in common."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from kb.imports.progress import KINDS, ProgressReporter, progress_for
from kb.imports.running import WatchedProgress

__all__ = ["add_progress_options", "add_safety_options", "chosen_progress"]


def add_safety_options(parser: ArgumentParser) -> None:
    """What overrules a safety stop."""
    parser.add_argument("--confirm", action="store_true", help="accept that a large part of a dataset is gone")
    parser.add_argument("--allow-older", action="store_true", help="accept a version older than the one held")
    parser.add_argument(
        "--force", action="store_true", help="read a source that is known to be unchanged, or was rolled back"
    )


def add_progress_options(parser: ArgumentParser) -> None:
    """What is shown meanwhile, always on standard error."""
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    parser.add_argument(
        "--progress",
        choices=KINDS,
        default="auto",
        help="how progress is told: a bar, lines, JSON lines, or none (default: a bar on a terminal, else lines)",
    )


def chosen_progress(options: Mapping[str, Any], *, what: str) -> ProgressReporter:
    """The reporter that the options ask for; with --json nothing is shown unless --progress asks.

    Whatever it shows, staff see on their page that ``what`` runs.
    """
    kind = options["progress"]
    told = progress_for(quiet=options["quiet"] or (options["json"] and kind == "auto"), kind=kind)
    return WatchedProgress(told, what=what)
