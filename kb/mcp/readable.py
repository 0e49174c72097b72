"""The answers as text for a language model: what we say first, then the data in its frame, then what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kb.mcp.answers import (
    Answer,
    ChangesAnswer,
    ErrorAnswer,
    ExplainAnswer,
    ExplainedError,
    FoundRecord,
    RecordLine,
    RepositoriesAnswer,
    SearchAnswer,
    SearchHit,
)
from kb.mcp.framing import framed

__all__ = ["changes_text", "error_text", "explain_text", "repositories_text", "search_text"]


def explain_text(answer: ExplainAnswer, headline: str) -> str:
    """An explanation."""
    body = [line for number, error in enumerate(answer.errors, 1) for line in _explained(number, error)]
    more = [f"Not told, for want of room or of a record: {answer.more_errors:,} of the text's errors."]
    hidden = [f"{answer.hidden}."] if answer.hidden else []
    return _document(answer, [f"{headline}.", *hidden], body, more if answer.more_errors else [])


def search_text(answer: SearchAnswer) -> str:
    """Found records."""
    head = ["1 record found." if answer.count == 1 else f"{answer.count:,} records found."]
    if answer.relaxed == "typo":
        head.append("None has these words as spelt; these have them in other spellings.")
    elif answer.relaxed:
        head.append("None has all the words; these have most of them.")
    body = [line for hit in answer.results for line in _hit(hit)]
    if answer.did_you_mean:
        body.insert(0, f"Perhaps you meant: {answer.did_you_mean}")
    return _document(answer, [*head, *answer.problems], body, _following(answer.next))


def error_text(answer: ErrorAnswer) -> str:
    """A record, or candidates."""
    if answer.record is None:
        head = [f"{len(answer.candidates)} records have this code."]
        return _document(answer, head, [line for row in answer.candidates for line in _record(row)], [])
    body = _record(answer.record)
    body += [f"{label}: {value}" for label, value in answer.facts.items()]
    for section in answer.sections:
        body += ["", f"## {section.name}{' (beginning)' if section.cut else ''}", section.text]
    tail = []
    if answer.absent:
        tail.append(f"The record has no {', '.join(answer.absent)}.")
    if answer.left_out:
        tail.append(f"Left out for want of room: {', '.join(answer.left_out)}.")
    head = ["This record is retired: no dataset has it any longer."] if answer.record.retired else ["The record."]
    if answer.successor:
        head.append(f"Its place was taken by {answer.successor}.")
    return _document(answer, head, body, tail)


def repositories_text(answer: RepositoriesAnswer) -> str:
    """Repositories."""
    head = [f"The catalog has {answer.total_records:,} records of {answer.total_repositories:,} repositories."]
    body = [
        " · ".join(filter(None, (row.repo, f"{row.records:,} records", row.language, row.description)))
        for row in answer.repositories
    ]
    return _document(answer, head, body, _following(answer.next) if body else ["None has this in its name."])


def changes_text(answer: ChangesAnswer) -> str:
    """Changes."""
    head = [f"The catalog is at revision {answer.revision}."]
    body = [f"r{row.revision} {row.kind}: {row.error_message} · {row.repo} · {row.url}" for row in answer.changes]
    return _document(answer, head, body, _following(answer.next) if body else ["Nothing changed."])


def _document(answer: Answer, head: Sequence[str], body: Sequence[str], tail: Iterable[str]) -> str:
    """The frame stands round what may hold words of others; ``head`` and ``tail`` are ours."""
    parts = [" ".join(head)]
    if body:
        parts += [answer.notice, framed("\n".join(body))]
    parts += [f"Warning: {warning}" for warning in answer.warnings]
    parts += tail
    parts += [f"Next: {answer.advice}"] if answer.advice else []
    return "\n".join(parts)


def _following(cursor: str | None) -> list[str]:
    return [f"More: the same call with cursor={cursor}"] if cursor else []


def _record(row: RecordLine, indent: str = "") -> list[str]:
    words = [
        row.confidence or "",
        row.repo,
        row.error_class or "",
        row.error_code or "",
        row.severity or "",
        row.language or "",
        row.place,
        "retired" if row.retired else "",
        f"differs in: {row.differs}" if row.differs else "",
    ]
    return [f"{indent}{row.error_message}", f"{indent}  {' · '.join(filter(None, words))} · {row.url}"]


def _hit(hit: SearchHit) -> list[str]:
    return [*_record(hit), *([f"  {hit.excerpt}"] if hit.excerpt else [])]


def _explained(number: int, error: ExplainedError) -> list[str]:
    role = f" ({error.role})" if error.role else ""
    lines = [f"# {number}. {error.error}{role}"]
    if error.record:
        lines += _found(error.record)
    elif error.same_record_as:
        lines.append(f"The same record as {error.same_record_as}.")
    elif not error.others:
        lines.append("No record fits.")
    if error.others:
        lines += ["Also close:", *(line for row in error.others for line in _record(row, "- "))]
    if error.nearest:
        lines += ["Nearest misses, no answers:", *(line for row in error.nearest for line in _record(row, "- "))]
    return lines


def _found(record: FoundRecord) -> list[str]:
    lines = _record(record)
    if record.reasons:
        lines.append(f"Why: {'; '.join(record.reasons)}")
    if record.doubts:
        lines.append(f"Against it: {'; '.join(record.doubts)}")
    lines += [f"{name} = {value}" for name, value in record.captures.items()]
    if record.alike_count:
        lines.append(f"{record.alike_count:,} other records have the same message: {', '.join(record.alike)}")
    if record.documentation:
        lines += ["What it means:", record.documentation]
    if record.solutions:
        lines += ["What to do:", *(f"{place}. {text}" for place, text in enumerate(record.solutions, 1))]
    return lines
