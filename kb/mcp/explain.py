"""The tool ``explain_error``: from a message or a whole trace to the records of its errors."""

from __future__ import annotations

from typing import Final

from kb.catalog import queries
from kb.catalog.answers import RecordView
from kb.matching import engine
from kb.matching.answers import Context, Explanation
from kb.mcp.answers import ExplainAnswer, ExplainedError, FoundRecord, RecordLine
from kb.mcp.arguments import ExplainArguments
from kb.mcp.call import Call, Reply, fitting
from kb.mcp.framing import NOTICE, line_of
from kb.mcp.readable import explain_text
from kb.mcp.shaping import Teller
from kb.present.captures import captured_label, captured_value
from kb.present.explanation import record_ids, report_of
from kb.present.explanation_parts import Brief, Card, Report, Section

__all__ = ["explain_error"]

_PASTED: Final = "the pasted text"
_TITLE: Final = 60  # tokens
_TIGHT_TITLE: Final = 24
_MOST_REASONS: Final = 5
_REASON: Final = 25
_MOST_CAPTURES: Final = 8
_CAPTURE: Final = 40
_NAME: Final = 12
_MOST_ALIKE: Final = 5
_SHARE_OF_OTHERS: Final = 0.25  # of the room of an error
_SHARE_OF_MEANING: Final = 0.35
_SHARE_OF_FIRST: Final = 0.6  # of all the room, when there are several errors
_SEARCHED: Final = 100  # characters


def explain_error(call: Call, arguments: ExplainArguments) -> Reply[ExplainAnswer]:
    """The answer within its budget. Five queries. Raises ``SearchUnavailable``."""
    context = Context(
        packages=tuple(dict.fromkeys(arguments.packages)),
        repositories=tuple(dict.fromkeys(arguments.repositories)),
        languages=tuple(dict.fromkeys(arguments.languages)),
    )
    explanation = engine.explain(arguments.text, limit=arguments.limit, context=context)
    report = report_of(explanation, queries.records_by_ids(record_ids(explanation)))
    budget = arguments.max_tokens
    return fitting(lambda room: _reply(report, Teller(call.base, room)), top=budget, budget=budget)


def _reply(report: Report, teller: Teller) -> Reply[ExplainAnswer]:
    explanation = report.explanation
    errors: list[ExplainedError] = []
    several = len(report.sections) > 1
    tight = not teller.room
    for section in report.sections:
        if errors and teller.room <= 0:
            break
        error = _error(section, teller, share=_SHARE_OF_FIRST if several else 1.0, tight=tight)
        if errors and not teller.fits(error.error):
            break
        errors.append(error)
    left = len(report.sections) - len(errors) + (report.left_count if errors else 0)
    answer = ExplainAnswer(
        notice=NOTICE,
        revision=explanation.revision,
        dataset_version=explanation.version,
        warnings=teller.warnings,
        advice=_advice(explanation, report),
        status=explanation.status,
        best=explanation.best.id if explanation.best else None,
        errors=errors,
        more_errors=left,
        hidden=report.hidden,
    )
    return Reply(answer=answer, text=explain_text(answer, report.headline))


def _error(section: Section, teller: Teller, *, share: float, tight: bool) -> ExplainedError:
    """One error; it takes at most its share of the room."""
    kept_back = int(teller.room * (1 - share))
    teller.room -= kept_back
    title = teller.line(section.title, _TIGHT_TITLE if tight else _TITLE, _PASTED)
    others = _briefs(section.matches, teller)
    record = _found(section.card, teller) if section.card else None
    nearest = [] if section.confidence else _briefs(section.nearest, teller)
    teller.room += kept_back
    return ExplainedError(
        error=title,
        role=section.role,
        confidence=section.confidence,
        record=record,
        same_record_as=section.same_as,
        others=others,
        nearest=nearest,
    )


def _briefs(briefs: tuple[Brief, ...], teller: Teller) -> list[RecordLine]:
    """Matches in short, while they fit into their share."""
    kept_back = int(teller.room * (1 - _SHARE_OF_OTHERS))
    teller.room -= kept_back
    told: list[RecordLine] = []
    for brief in briefs:
        match = brief.match
        row = RecordLine(**teller.record(match.row, confidence=match.confidence, differs=brief.differs))
        if not teller.fits(row):
            break
        told.append(row)
    teller.room += kept_back
    return told


def _found(card: Card, teller: Teller) -> FoundRecord:
    match, view = card.match, card.view
    source = f"record {match.id}"
    members = teller.record(match.row, confidence=match.confidence)
    reasons = [teller.line(text, _REASON, source) for text in card.reasons[:_MOST_REASONS]]
    doubts = [teller.line(text, _REASON, source) for text in card.doubts[:_MOST_REASONS]]
    captures = {
        teller.line(captured_label(row), _NAME, source): teller.line(captured_value(row), _CAPTURE, _PASTED)
        for row in match.captures[:_MOST_CAPTURES]
    }
    documentation, meaning_cut = teller.text(view.record.documentation, source, share=_SHARE_OF_MEANING)
    solutions, advice_cut = _solutions(view, teller, source)
    return FoundRecord(
        reasons=reasons if teller.fits(reasons) else [],
        doubts=doubts if teller.fits(doubts) else [],
        captures=captures if teller.fits(captures) else {},
        alike_count=card.alike_count,
        alike=list(match.alike[:_MOST_ALIKE]) if teller.fits(match.alike[:_MOST_ALIKE]) else [],
        documentation=documentation,
        solutions=solutions,
        cut=meaning_cut or advice_cut,
        **members,
    )


def _solutions(view: RecordView, teller: Teller, source: str) -> tuple[list[str], bool]:
    """What to do, step by step, and whether something of it is left out."""
    told: list[str] = []
    for solution in view.record.solutions:
        text, cut = teller.text(solution, source)
        if text:
            told.append(text)
        if cut:
            return told, True
    return told, False


def _advice(explanation: Explanation, report: Report) -> str:
    if explanation.best:
        return f"get_error with reference={explanation.best.id} tells the code, the fix and how to catch it."
    if explanation.status == "empty":
        return "Paste the lines that the failing program printed: its message, and its stack trace if there is one."
    words = line_of(report.searched, _SEARCHED)
    if not words:
        return "Try search_errors with the words that matter most."
    return "Nothing documented fits. Try search_errors with the words of the message that matter most."
