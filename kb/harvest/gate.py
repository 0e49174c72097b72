"""The quality gate: what a record must be before it leaves. What fails is counted and named, and left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from kb.records.decode import decode_record
from kb.records.fastpath import decode_fast
from kb.records.patterns import pattern_faults
from kb.records.rules import FIELDS, MAX_SNIPPET_LINES

__all__ = ["Gate", "GateReport"]

_MOST_EXAMPLES: Final = 10
_SOME_LINK: Final = f"https://github.com/owner/name/blob/{'0' * 40}/file"


class GateReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the sites of a package.

    ``sites`` were read; ``records`` came of them, with ``further`` sites named in records of others. ``unreadable``
    sites show no message and raise no class of the package, or run in a script only. ``refused`` counts records by what
    was wrong with them, of which ``examples`` name some: file, line and fault.
    """

    sites: int = 0
    records: int = 0
    further: int = 0
    unreadable: int = 0
    refused: dict[str, int] = msgspec.field(default_factory=dict)
    examples: tuple[str, ...] = ()

    def __add__(self, other: GateReport) -> GateReport:
        """The report of both."""
        refused = dict(self.refused)
        for fault, count in other.refused.items():
            refused[fault] = refused.get(fault, 0) + count
        return GateReport(
            sites=self.sites + other.sites,
            records=self.records + other.records,
            further=self.further + other.further,
            unreadable=self.unreadable + other.unreadable,
            refused=refused,
            examples=(*self.examples, *other.examples)[:_MOST_EXAMPLES],
        )


class Gate:
    """Lets good records through and remembers the others."""

    def __init__(self) -> None:
        self.refused: dict[str, int] = {}
        self.examples: list[str] = []

    def passed(self, records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The records without fault, in their order."""
        good = []
        for record in records:
            if fault := fault_of(record):
                self.refused[fault] = self.refused.get(fault, 0) + 1
                if len(self.examples) < _MOST_EXAMPLES:
                    self.examples.append(f"{record['filePath']}:{record['lineNumber']}: {fault}")
            else:
                good.append(record)
        return good


def fault_of(record: dict[str, Any]) -> str:
    """The code of the first thing wrong with a record; empty when it is good."""
    if not _is_valid(record):
        decoded = decode_record(record)
        if decoded.record is None:
            return decoded.problems[0].code
    faults = pattern_faults(record["messagePattern"], record["errorMessage"])
    return faults[0] if faults else _snippet_fault(record)


def _is_valid(record: dict[str, Any]) -> bool:
    """Whether the contract's own fields pass on the fast way, which takes no empty text and no other field."""
    plain = {field.name: record[field.name] for field in FIELDS if field.name in record}
    filled = {field.name: plain[field.name] or "-" for field in FIELDS if field.blank_in_harvest}
    filled["githubUrl"] = plain["githubUrl"] or _SOME_LINK
    try:
        return decode_fast(msgspec.json.encode(plain | filled)) is not None
    except UnicodeEncodeError:
        return False


def _snippet_fault(record: dict[str, Any]) -> str:
    """A snippet must hold as many lines as it says, at most 40, the raising one among them."""
    source, first, last = record["sourceCode"], record["sourceCodeStart"], record["sourceCodeEnd"]
    if source is None:
        return ""
    if last - first != source.count("\n") or not first <= record["lineNumber"] <= last:
        return "snippet_misplaced"
    return "snippet_too_long" if last - first >= MAX_SNIPPET_LINES else ""
