"""What a harvest did, for a person and for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.harvest.gate import GateReport
from kb.harvest.running import PackageHarvest
from kb.harvest.subjects import Skipped
from kb.imports.progress import ProgressReporter
from kb.records.text import counted

__all__ = ["HarvestReport", "describe_harvest", "watched"]


@dataclass(kw_only=True)
class HarvestReport:
    """The counts of a harvest, all subjects together.

    ``left_out`` are numbers of files by rule. ``sites`` tells what became of the places that raise. ``unchanged`` is
    how many subjects come from the cache as a whole.
    """

    packages: list[dict[str, Any]] = field(default_factory=list)
    files: int = 0
    records: int = 0
    unchanged: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    sites: GateReport = field(default_factory=GateReport)
    skipped: list[Skipped] = field(default_factory=list)
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints; the names in it are stable."""
        return {
            "packages": self.packages,
            "files": self.files,
            "records": self.records,
            "unchanged": self.unchanged,
            "leftOut": dict(sorted(self.left_out.items())),
            "sites": self.sites.sites,
            "withoutMessage": self.sites.unreadable,
            "refused": dict(sorted(self.sites.refused.items())),
            "skipped": [{"path": row.path, "why": row.why} for row in self.skipped],
            "seconds": round(self.seconds, 3),
        }


def watched(
    harvests: Iterable[PackageHarvest], report: HarvestReport, progress: ProgressReporter
) -> Iterator[PackageHarvest]:
    """Passes the harvests on, counts them in the report, and tells how far it is."""
    for harvest in harvests:
        origin = harvest.origin
        report.packages.append(
            {
                "package": origin.distribution,
                "version": origin.version,
                "repository": origin.repository,
                "files": harvest.files,
                "records": harvest.count,
            }
        )
        report.files += harvest.files
        report.records += harvest.count
        report.unchanged += harvest.kept
        report.left_out.update(harvest.left_out)
        report.sites += harvest.gate
        report.skipped += harvest.skipped
        progress.advance(harvest.count)
        yield harvest


def describe_harvest(report: HarvestReport) -> list[str]:
    """The report as lines: what was skipped first, the sum of it last."""
    lines = [f"Skipped: {row.path}: {row.why}" for row in report.skipped]
    if report.left_out:
        lines.append(f"Left out by rule: {_counts(report.left_out, 'file', 'of')}.")
    if report.sites.unreadable:
        lines.append(f"Without a record: {report.sites.unreadable:,} of {report.sites.sites:,} places show no message.")
    if report.sites.refused:
        lines.append(f"Refused by the quality gate: {_counts(report.sites.refused, 'record', 'for')}.")
    packages = len(report.packages)
    lines.append(
        f"Harvested {counted(report.records, 'record')}"
        f" from {counted(report.files, 'file')}"
        f" of {counted(packages, 'package')}"
        f" ({report.unchanged:,} unchanged since the last harvest, {report.seconds:.1f} s)."
    )
    return lines


def _counts(counts: Mapping[str, int], what: str, of: str) -> str:
    return ", ".join(f"{counted(count, what)} {of} {name}" for name, count in sorted(counts.items()))
