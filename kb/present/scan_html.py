"""What a scan found as one HTML file that stands alone: no scripts, nothing loaded, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from kb.matching.scanning import KnownError, ScanReport
from kb.present.invisible import visible_html
from kb.present.scan_words import error_link, error_message, example_text, lines, summary, sure
from kb.present.wording import place

__all__ = ["scan_html"]

_STYLE: Final = SafeString(
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:.5rem .75rem;border-bottom:1px solid #8886}"
    "td.count{text-align:right;font-variant-numeric:tabular-nums}"
    "td.places{white-space:nowrap}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;padding:.5rem}"
    "pre{background:#8882;border-radius:.25rem}"
    ".facts,footer{color:#666}"
    "@media (prefers-color-scheme:dark){.facts,footer{color:#aaa}}"
)


def scan_html(report: ScanReport, *, base_url: str) -> str:
    """The report as a page."""
    body = _table(report, base_url) if report.errors else SafeString("")
    return str(
        format_html(
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            '<meta name="viewport" content="width=device-width">\n'
            "<title>Known errors</title>\n<style>{}</style>\n</head>\n<body>\n<h1>Known errors</h1>\n<p>{}</p>\n{}"
            "<footer><p>Faultbook, revision {}{}.</p></footer>\n</body>\n</html>\n",
            _STYLE,
            summary(report),
            body,
            report.revision,
            f" of {report.version}" if report.version else "",
        )
    )


def _table(report: ScanReport, base_url: str) -> SafeString:
    rows = format_html_join("", "{}", ((_row(error, base_url),) for error in report.errors))
    head = SafeString(
        '<thead><tr><th scope="col">Count</th><th scope="col">Where</th><th scope="col">Error</th></tr></thead>'
    )
    return format_html("<table>\n{}\n<tbody>\n{}</tbody>\n</table>\n", head, rows)


def _row(error: KnownError, base_url: str) -> SafeString:
    return format_html(
        '<tr><td class="count">{}</td><td class="places">{}</td><td>{}</td></tr>\n',
        f"{error.count:,}",
        format_html_join(SafeString("<br>"), "{}", ((text,) for text in _places(error))),
        _error(error, base_url),
    )


def _places(error: KnownError) -> Iterator[SafeString]:
    for sighting in error.sightings:
        yield visible_html(f"{sighting.file}: {lines(sighting)} ({sighting.count:,})")


def _error(error: KnownError, base_url: str) -> SafeString:
    row = error.match.row
    facts = f"{row.repo} · {place(row.file_path, row.line_number)} · {sure(error.match.confidence)}"
    return format_html(
        '<strong><a href="{}">{}</a></strong><br><span class="facts">{}</span><pre>{}</pre>',
        error_link(error, base_url),
        visible_html(error_message(row)),
        visible_html(facts),
        visible_html(example_text(error)),
    )
