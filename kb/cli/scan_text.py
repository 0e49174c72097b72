"""What a scan found, for a person at a terminal: a table with the most frequent error first."""

from __future__ import annotations

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kb.cli.terminal import Style, line, render, shown
from kb.matching.scanning import KnownError, ScanReport, Sighting
from kb.present.scan_words import error_link, error_message, example_text, lines, summary, sure
from kb.present.wording import place

__all__ = ["scan_text"]

_LONGEST: Final = 400
_MOST_PLACES: Final = 5


def scan_text(report: ScanReport, style: Style, *, base_url: str) -> str:
    """The report."""
    contents: list[RenderableType] = [line((summary(report), "bold"))]
    if report.errors:
        contents += ["", _table(report, base_url)]
    if report.left_out:
        words = "line was" if report.left_out == 1 else "lines were"
        contents += [line((f"{report.left_out:,} {words} less sure; see --min-confidence weak.", "dim"))]
    return render(contents, style)


def _table(report: ScanReport, base_url: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    several = len(report.files) > 1
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("files" if several else "lines", justify="right" if several else "left", no_wrap=True)
    table.add_column("error", overflow="fold", ratio=1)
    for error in report.errors:
        where = f"{len(error.sightings):,}" if several else lines(error.sightings[0])
        table.add_row(f"{error.count:,}", where, _error(error, base_url, _places(error) if several else []))
    return table


def _places(error: KnownError) -> list[Text]:
    """Each file with its lines, where there are several."""
    places = [line((_place(sighting), "")) for sighting in error.sightings[:_MOST_PLACES]]
    more = len(error.sightings) - len(places)
    return [*places, *([line((f"and {more:,} more files", "dim"))] if more else [])]


def _place(sighting: Sighting) -> str:
    return f"{shown(sighting.file, _LONGEST)}: {lines(sighting)} ({sighting.count:,})"


def _error(error: KnownError, base_url: str, places: list[Text]) -> Group:
    row = error.match.row
    facts = f"{row.repo} {place(row.file_path, row.line_number)} · {sure(error.match.confidence)}"
    return Group(
        line((shown(error_message(row), _LONGEST), "bold")),
        line((shown(facts, _LONGEST), "dim")),
        *places,
        line((shown(example_text(error), _LONGEST), "")),
        line((error_link(error, base_url), "cyan")),
        "",
    )
