"""The report of a change of the catalog for a person, and the exit code of the command that made it."""

from __future__ import annotations

from collections.abc import Sequence

from kb.imports.options import ImportReport
from kb.records.text import counted

__all__ = ["DONE", "FAILED", "REFUSED", "USAGE", "WITH_REJECTIONS", "describe", "exit_code", "printable", "worst"]

DONE, FAILED, USAGE, WITH_REJECTIONS, REFUSED = 0, 1, 2, 3, 4
_SHOWN = 20
_WORST_FIRST = (FAILED, REFUSED, WITH_REJECTIONS, DONE)
_STOPPED = {"refused": "Refused", "failed": "Failed", "held": "Held", "canceled": "Canceled"}


def exit_code(report: ImportReport) -> int:
    """The exit code of an outcome: done, failed, done with rejections, or refused; held and canceled are refused."""
    if report.outcome == "failed":
        return FAILED
    if report.outcome in _STOPPED:
        return REFUSED
    return WITH_REJECTIONS if report.rejected else DONE


def worst(codes: Sequence[int]) -> int:
    """The exit code of several: that of the worst."""
    return next((code for code in _WORST_FIRST if code in codes), DONE)


def printable(line: str, encoding: str | None = None) -> str:
    """The line with everything escaped that could move the cursor or hide text, or that ``encoding`` does not have:
    names and values are the dataset's.
    """
    text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)
    return text.encode(encoding or "utf-8", "backslashreplace").decode(encoding or "utf-8")


def describe(report: ImportReport) -> list[str]:
    """The report as lines for a person."""
    if report.outcome in {"refused", "held", "canceled", "failed"}:
        lines = [f"{report.outcome.capitalize()}: {report.error}", "The catalog is unchanged."]
        return [*lines, *_rejections(report)]
    counts = [
        f"{count:,} {name}"
        for name, count in (
            ("added", report.added),
            ("changed", report.changed),
            ("retired", report.retired),
            ("restored", report.restored),
            ("unchanged", report.unchanged),
            ("rejected", report.rejected),
        )
        if count
    ]
    version = f" version {report.dataset_version}" if report.dataset_version else ""
    lead = "Would change" if report.outcome == "dry-run" else f"Dataset {report.dataset}{version}"
    lines = [f"{lead}: {', '.join(counts) or 'nothing that is shown'} ({report.seconds:.1f} s)."]
    if report.outcome == "published":
        lines.append(f"Published as revision {report.revision}.")
    elif report.outcome == "unchanged":
        lines.append(f"Nothing changed; the catalog stays at revision {report.revision}.")
    else:
        lines += _samples(report)
    if report.unknown_fields:
        lines.append(f"Fields kept that the format does not name: {', '.join(report.unknown_fields)}.")
    if report.warnings:
        lines.append(f"{counted(report.warnings, 'warning')}, such as:")
        lines += [f"  {told}" for told in report.warnings_told]
    return [*lines, *report.notices, *_rejections(report)]


def _samples(report: ImportReport) -> list[str]:
    lines = [f"  {row.kind:<10} {row.id}  {row.repo}" for row in report.samples[:_SHOWN]]
    total = report.added + report.changed + report.retired + report.restored
    if total > len(lines):
        lines.append(f"  and {total - len(lines):,} more")
    for repo, kinds in sorted(report.repositories.items())[:_SHOWN]:
        lines.append(f"  {repo}: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()))
    return lines


def _rejections(report: ImportReport) -> list[str]:
    lines = [
        f"Rejected: {row['origin']}: {row['path']}: {row['message']} [{row['code']}]"
        + (f" Found: {row['value']}" if row["value"] else "")
        for row in report.rejections[:_SHOWN]
    ]
    if report.rejected and report.release:
        lines.append(f"All rejections: /releases/{report.release}/")
    return lines
