"""Explanations of texts, in the shapes that the API gives out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kb.api import match_answers as answers
from kb.api.shapes import record_page, summary_members
from kb.catalog.answers import RecordView
from kb.matching.answers import Explanation, FaultAnswer, Match
from kb.matching.shapes import Fault

__all__ = ["MOST_RECORDS", "MOST_SUMMARIES", "ResultShaper", "found_ids", "too_large"]

MOST_SUMMARIES = 2_000
"""Records of an answer that are told with their line of a list; beyond are ids."""

MOST_RECORDS = 500
"""Records of an answer that are told as a whole."""


def found_ids(explanations: Sequence[Explanation]) -> tuple[str, ...]:
    """The ids of all records that were found, in the order of the answer, each once."""
    return tuple(
        dict.fromkeys(
            match.id
            for explanation in explanations
            for answer in explanation.faults
            for match in (*answer.matches, *answer.nearest)
        )
    )


def too_large(limit: int) -> answers.MatchResult:
    """The result of a text that was not read. ``limit`` is in bytes."""
    detail = f"The text is over the limit of {limit // 1024:,} KiB."
    return answers.MatchResult(status="too_large", best=None, exceptions=[], masked=[], detail=detail)


class ResultShaper:
    """Makes the results of one answer: ``records`` are those told as a whole.

    It counts what it has told, so that an answer stays within bounds whatever the texts hold.
    """

    def __init__(self, base: str, detail: answers.MatchDetail, records: Mapping[str, RecordView]) -> None:
        self._base = base
        self._records = records
        self._summaries = 0 if detail == "ids" else MOST_SUMMARIES

    def result(self, explanation: Explanation) -> answers.MatchResult:
        """What one text was found to be."""
        best = explanation.best
        return answers.MatchResult(
            status=explanation.status,
            best=answers.BestMatch(id=best.id, confidence=best.confidence) if best else None,
            exceptions=[self._exception(answer) for answer in explanation.faults],
            masked=[answers.MaskedCount(kind=row.kind, count=row.count) for row in explanation.masked],
        )

    def _exception(self, answer: FaultAnswer) -> answers.MatchException:
        fault = answer.fault
        return answers.MatchException(
            cls=fault.cls or None,
            message=fault.message,
            language=fault.language or None,
            relation=fault.relation or None,
            parent=fault.parent,
            role=answer.role,
            frames=_frames(fault),
            matches=list(map(self._match, answer.matches)),
            nearest=list(map(self._match, answer.nearest)),
        )

    def _match(self, match: Match) -> msgspec.Struct:
        members = _match_members(match)
        if self._summaries <= 0:
            return answers.MatchReference(id=match.id, url=self._base + record_page(match.row), **members)
        self._summaries -= 1
        members |= summary_members(match.row, self._base)
        view = self._records.get(match.id)
        if view is None:
            return answers.MatchSummary(**members)
        return answers.MatchRecord(record=msgspec.Raw(view.raw), **members)


def _frames(fault: Fault) -> list[answers.MatchFrame]:
    return [answers.MatchFrame(path=row.path, line=row.line, function=row.function) for row in fault.frames]


def _match_members(match: Match) -> dict[str, Any]:
    return {
        "score": match.score,
        "confidence": match.confidence,
        "evidence": [
            answers.MatchEvidence(kind=row.kind, text=row.text, weight=round(row.weight, 3)) for row in match.evidence
        ],
        "captures": [
            answers.MatchCapture(placeholder=row.placeholder, name=row.name, value=row.value) for row in match.captures
        ],
        "strict": match.strict,
        "alike": match.alike,
        "alike_count": match.alike_count,
        "differs": match.differs,
    }
