"""An explanation as a report: what stands where, in which order, and in which words. Plain text for every rendering.

A report has a section for each error of the text that a reader can do something about: the one with the best match
first, then as they stand in the text. The rest is listed at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kb.catalog.answers import RecordRow, RecordView
from kb.matching.answers import Confidence, Explanation, FaultAnswer, Match
from kb.matching.paths import agreement, frame_place
from kb.matching.shapes import Fault
from kb.present.captures import filled_message
from kb.present.explanation_parts import Brief, Card, ChainLink, Report, Section
from kb.present.wording import place
from kb.records.text import one_line

__all__ = [
    "CONFIDENCE_WORDS",
    "alike_ids",
    "fault_title",
    "record_ids",
    "report_of",
]

CONFIDENCE_WORDS: Final[Mapping[Confidence, str]] = {
    "exact": "exact match",
    "strong": "strong match",
    "weak": "weak match",
}
_ROLES: Final = {"root": "root cause", "outermost": "outermost"}
# Below what wraps it, a fault is told by how it came to be wrapped.
_RELATIONS: Final = {
    "cause": "caused by",
    "context": "raised while handling",
    "suppressed": "suppressed",
    "member": "member of the group",
    "wrapped": "quoted inside",
    "previous": "the exception before",
}
_MOST_CARDS: Final = 12  # records shown whole; what a log holds beyond is one line each
_MOST_SECTIONS: Final = 40
_MOST_LEFT: Final = 12  # lines without a record that are named
_DEEPEST: Final = 6  # steps to the side of a chain
_LONGEST_TITLE: Final = 400  # characters
_LONGEST_SEARCH: Final = 120
_SURE: Final[frozenset[Confidence]] = frozenset(("exact", "strong"))
_SAME_FILE: Final = 0.6  # how well a frame's path agrees for the frame to be named


def record_ids(explanation: Explanation) -> tuple[str, ...]:
    """The records that a report shows whole: ask ``queries.records_by_ids`` for them."""
    best = (answer.matches[0].id for answer in explanation.faults if answer.matches)
    first = (explanation.best.id,) if explanation.best else ()
    return tuple(dict.fromkeys((*first, *best)))[:_MOST_CARDS]


def alike_ids(explanation: Explanation) -> tuple[str, ...]:
    """The records that share their message with one shown whole: ask ``queries.record_rows`` for them."""
    shown = frozenset(record_ids(explanation))
    best = (answer.matches[0] for answer in explanation.faults if answer.matches)
    return tuple(dict.fromkeys(other for match in best if match.id in shown for other in match.alike))


def report_of(explanation: Explanation, records: Iterable[RecordView], *, alike: Iterable[RecordRow] = ()) -> Report:
    """The report. ``records`` answer :func:`record_ids`, ``alike`` answers :func:`alike_ids`.

    A match whose record is not among them is told in short.
    """
    views = {view.record.id: view for view in records}
    rows = {row.id: row for row in alike}
    positions = _order(explanation)
    above = {position: _parent(position, explanation, positions) for position in positions}
    hanging = {position for pair in above.items() for position in pair if pair[1] is not None}
    sections: dict[int, Section] = {}
    seen: dict[str, int] = {}
    for number, position in enumerate(positions, 1):
        answer = explanation.faults[position]
        best = answer.matches[0] if answer.matches else None
        same_as = seen.get(best.id, 0) if best else 0
        view = views.get(best.id) if best and not same_as else None
        if best and view:
            seen[best.id] = number
        card = _card(best, view, answer.fault, rows) if best and view else None
        sections[position] = _section(
            (number, position), answer, card=card, same_as=same_as, role=answer.role if position in hanging else ""
        )
    left = [
        position
        for position, answer in enumerate(explanation.faults)
        if position not in sections and not _merely_quoted(answer)
    ]
    return Report(
        explanation=explanation,
        headline=_headline(explanation, len(sections)),
        sections=tuple(sections.values()),
        chain=_chain(explanation, sections, above),
        left=tuple(fault_title(explanation.faults[position].fault) for position in left[:_MOST_LEFT]),
        left_count=len(left),
        facts=_facts(explanation),
        hidden=_hidden(explanation),
        searched=_searched(explanation),
    )


def fault_title(fault: Fault) -> str:
    """``Class: message`` on one line."""
    message = one_line(fault.message, _LONGEST_TITLE)
    if fault.cls and message:
        return f"{one_line(fault.cls, _LONGEST_TITLE)}: {message}"
    return one_line(fault.cls, _LONGEST_TITLE) or message or "an error whose message is cut off"


def _order(explanation: Explanation) -> list[int]:
    """The positions of the faults that have a section, the one with the best match first."""
    faults = explanation.faults
    parents = {answer.fault.parent for answer in faults}
    told = [
        position
        for position, answer in enumerate(faults)
        if not _merely_quoted(answer)
        and (
            answer.matches
            or answer.nearest
            or answer.fault.kind in {"raised", "cut"}
            or answer.fault.parent is not None
            or position in parents
        )
    ]
    told.sort(key=lambda position: position != explanation.best_fault)
    return told[:_MOST_SECTIONS]


def _merely_quoted(answer: FaultAnswer) -> bool:
    """Whether an error stands inside the message of another and has nothing to add to it."""
    return answer.fault.relation == "wrapped" and not answer.matches and not answer.nearest


def _parent(position: int, explanation: Explanation, shown: Sequence[int]) -> int | None:
    """The nearest error above that has a section; wrappers that name each other in a circle have none above them."""
    passed = {position}
    parent = explanation.faults[position].fault.parent
    while parent is not None and parent not in passed and parent < len(explanation.faults):
        if parent in shown:
            return parent
        passed.add(parent)
        parent = explanation.faults[parent].fault.parent
    return None


def _section(at: tuple[int, int], answer: FaultAnswer, *, card: Card | None, same_as: int, role: str) -> Section:
    fault = answer.fault
    return Section(
        number=at[0],
        position=at[1],
        title=fault_title(fault),
        cls=fault.cls,
        message=fault.message,
        language=fault.language,
        frames=len(fault.frames),
        role=_ROLES.get(role, ""),
        cut=fault.kind == "cut",
        confidence=answer.confidence,
        notes=fault.notes,
        card=card,
        same_as=same_as,
        matches=_briefs(answer.matches[1:] if card or same_as else answer.matches),
        nearest=() if answer.confidence in _SURE else _briefs(answer.nearest),
    )


def _briefs(matches: Iterable[Match]) -> tuple[Brief, ...]:
    return tuple(Brief(match=match, differs=_difference(match)) for match in matches)


def _difference(match: Match) -> str:
    words = len(match.differs.split())
    return match.differs if words * 2 <= len(match.row.error_message.split()) else ""


def _card(match: Match, view: RecordView, fault: Fault, rows: Mapping[str, RecordRow]) -> Card:
    record = view.record
    return Card(
        match=match,
        view=view,
        place=place(record.file_path, record.line_number),
        frame=_frame(match, fault, record.file_path),
        reasons=tuple(entry.text for entry in match.evidence if entry.text and entry.weight >= 0),
        doubts=tuple(entry.text for entry in match.evidence if entry.text and entry.weight < 0),
        message=filled_message(record.error_message, match.captures),
        alike=tuple(rows[other] for other in match.alike if other in rows),
        alike_count=match.alike_count,
    )


def _frame(match: Match, fault: Fault, path: str) -> int:
    """Which frame of the text stands in the record's file, if a frame was a reason."""
    if not any(entry.kind in {"frame", "line", "function"} for entry in match.evidence):
        return 0
    agreeing = (
        number for number, frame in enumerate(fault.frames, 1) if agreement(frame_place(frame.path), path) >= _SAME_FILE
    )
    return next(agreeing, 0)


def _chain(
    explanation: Explanation, sections: Mapping[int, Section], above: Mapping[int, int | None]
) -> tuple[ChainLink, ...]:
    """The sections as a tree, each error below the one that wraps it; empty when nothing wraps anything."""
    below: dict[int | None, list[int]] = {}
    for position in sorted(sections):
        below.setdefault(above[position], []).append(position)
    if len(sections) == 1 or set(below) <= {None}:
        return ()
    lines: list[ChainLink] = []
    waiting = [(position, 0) for position in reversed(below.get(None, ()))]
    while waiting:
        position, depth = waiting.pop()
        relation = _RELATIONS.get(explanation.faults[position].fault.relation, "") if depth else ""
        lines.append(ChainLink(depth=min(depth, _DEEPEST), relation=relation, section=sections[position]))
        waiting += [(child, depth + 1) for child in reversed(below.get(position, ()))]
    return tuple(lines)


def _headline(explanation: Explanation, shown: int) -> str:
    if explanation.status == "empty":
        return "There is nothing to look up in this text"
    if explanation.status == "none":
        return "No record fits this text"
    return "1 error in this text" if shown == 1 else f"{shown} errors in this text"


def _facts(explanation: Explanation) -> tuple[str, ...]:
    """What was read, in short: languages, frames."""
    faults: Sequence[Fault] = [answer.fault for answer in explanation.faults]
    languages = list(dict.fromkeys(fault.language for fault in faults if fault.language))
    frames = sum(len(fault.frames) for fault in faults)
    told = (*languages, _counted(frames, "frame") if frames else "")
    return tuple(fact for fact in told if fact)


def _hidden(explanation: Explanation) -> str:
    """``2 secrets hidden: password, token (2)``, or nothing."""
    total = sum(entry.count for entry in explanation.masked)
    if not total:
        return ""
    kinds = ", ".join(
        entry.kind if entry.count == 1 else f"{entry.kind} ({entry.count})" for entry in explanation.masked
    )
    return f"{_counted(total, 'secret')} hidden: {kinds}"


def _searched(explanation: Explanation) -> str:
    """The words of the first message, for a search; empty when there is none."""
    messages = (one_line(answer.fault.message, _LONGEST_SEARCH) for answer in explanation.faults)
    return next((message for message in messages if message), "")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
