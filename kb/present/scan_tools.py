"""What a scan found, for other tools: JSON, SARIF 2.1.0 and annotations of GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib import metadata
from typing import Any, Final

from kb.catalog.answers import RecordRow
from kb.matching.scanning import KnownError, ScanReport, Sighting
from kb.present.invisible import visible_text
from kb.present.scan_words import (
    STANDARD_INPUT,
    error_link,
    error_message,
    example_text,
    file_uri,
    level,
    lines,
    sure,
)
from kb.present.workflow_commands import annotation

__all__ = ["scan_github", "scan_json", "scan_sarif"]

_SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_GITHUB_LEVELS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def scan_json(report: ScanReport, *, base_url: str) -> dict[str, Any]:
    """The report as values for JSON, names in camel case as in the API."""
    return {
        "datasetVersion": report.version,
        "revision": report.revision,
        "files": [visible_text(name) for name in report.files],
        "lines": report.lines,
        "bytes": report.bytes,
        "leftOut": report.left_out,
        "errors": [_error_json(error, base_url) for error in report.errors],
    }


def _error_json(error: KnownError, base_url: str) -> dict[str, Any]:
    row = error.match.row
    return {
        "id": error.match.id,
        "url": error_link(error, base_url),
        "repo": row.repo,
        "errorMessage": row.error_message,
        "errorClass": row.error_class,
        "errorCode": row.error_code,
        "severity": row.severity,
        "filePath": row.file_path,
        "lineNumber": row.line_number,
        "confidence": error.match.confidence,
        "count": error.count,
        "example": error.example,
        "sightings": [
            {"file": visible_text(place.file), "count": place.count, "firstLine": place.first, "lastLine": place.last}
            for place in error.sightings
        ],
    }


def scan_sarif(report: ScanReport, *, base_url: str) -> dict[str, Any]:
    """The report as a SARIF 2.1.0 log: a rule for each record, a result for each file that shows it."""
    results = [_result(number, error, place) for number, error in enumerate(report.errors) for place in error.sightings]
    driver = {
        "name": "Faultbook",
        "version": metadata.version("faultbook"),
        "informationUri": base_url,
        "rules": [_rule(error, base_url) for error in report.errors],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": file_uri(name)}} for name in report.files],
        "results": results,
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(error: KnownError, base_url: str) -> dict[str, Any]:
    row = error.match.row
    return {
        "id": error.match.id,
        "name": visible_text(f"{row.repo}/{row.slug}"),
        "shortDescription": {"text": error_message(row)},
        "fullDescription": {"text": visible_text(row.excerpt) or error_message(row)},
        "helpUri": error_link(error, base_url),
        "defaultConfiguration": {"level": level(row)},
        "properties": {"tags": list(dict.fromkeys(map(visible_text, row.tags))), "repository": visible_text(row.repo)},
    }


def _result(number: int, error: KnownError, place: Sighting) -> dict[str, Any]:
    print_of = sha256(f"{error.match.id}\n{place.file}".encode("utf-8", "surrogateescape")).hexdigest()
    location = {"artifactLocation": {"uri": file_uri(place.file)}, "region": {"startLine": place.first}}
    return {
        "ruleId": error.match.id,
        "ruleIndex": number,
        "level": level(error.match.row),
        "message": {"text": _sentence(error, place)},
        "locations": [{"physicalLocation": location}],
        "occurrenceCount": place.count,
        "partialFingerprints": {"faultbookRecord/v1": print_of},
        "properties": {"confidence": error.match.confidence, "lastLine": place.last},
    }


def _sentence(error: KnownError, place: Sighting) -> str:
    times = "once" if place.count == 1 else f"{place.count:,} times"
    row = error.match.row
    return f"{error_message(row)} ({visible_text(row.repo)}; {times}, {lines(place)}; {sure(error.match.confidence)})"


def scan_github(report: ScanReport, *, base_url: str) -> str:
    """The report as workflow commands, one line for each record in each file, at the first place."""
    commands = [_command(error, place, base_url) for error in report.errors for place in error.sightings]
    return "".join(commands)


def _command(error: KnownError, place: Sighting, base_url: str) -> str:
    message = f"{_sentence(error, place)}\n{example_text(error)}\n{error_link(error, base_url)}"
    return annotation(_GITHUB_LEVELS[level(error.match.row)], _properties(error.match.row, place), message)


def _properties(row: RecordRow, place: Sighting) -> Iterator[tuple[str, str]]:
    if place.file != STANDARD_INPUT:
        yield "file", visible_text(place.file)
        yield "line", str(place.first)
    yield "title", error_message(row)
