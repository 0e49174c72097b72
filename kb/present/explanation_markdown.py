"""An explanation as Markdown, for a ticket or a chat: what was read, the records, the evidence, what to do.

Its headings and links are ours alone: text of the reader and of datasets passes through
:mod:`kb.present.markdown_source`. The pasted text itself is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kb.catalog.answers import RecordRow, RecordView
from kb.matching.answers import Capture, Explanation
from kb.present import links
from kb.present.captures import captured_label, captured_value, named_in_prose
from kb.present.explanation import CONFIDENCE_WORDS, report_of
from kb.present.explanation_parts import Brief, Card, Report, Section
from kb.present.language import in_english
from kb.present.markdown_source import escape_line, fence, indented, inline_code, link, markdown_source
from kb.present.message import message_text
from kb.present.wording import row_facts

__all__ = ["explanation_markdown"]

_LONGEST_TITLE: Final = 160  # characters of a heading
_LONGEST_ROW: Final = 200
_MOST_SOLUTIONS: Final = 4


@in_english
def explanation_markdown(
    explanation: Explanation, records: Iterable[RecordView], *, alike: Iterable[RecordRow] = (), base_url: str = ""
) -> str:
    """The report as CommonMark. Links of ours begin with ``base_url``; with an empty one they are bare paths.

    ``records`` answer :func:`kb.present.explanation.record_ids`, ``alike`` answers ``alike_ids`` of the same file.
    """
    report = report_of(explanation, records, alike=alike)
    return "\n\n".join(_document(report, base_url)) + "\n"


def _document(report: Report, base_url: str) -> Iterator[str]:
    yield f"# {report.headline}"
    if report.chain:
        yield "\n".join(f"{'  ' * line.depth}- {_chain_line(line.section, line.relation)}" for line in report.chain)
    for section in report.sections:
        yield from _section(section, base_url)
    if report.left:
        lines = [f"- {inline_code(title)}" for title in report.left]
        yield "\n".join(
            ["Without a record:", "", *lines, *([f"- and {report.left_more:,} more"] if report.left_more else [])]
        )
    yield _origin(report, base_url)


def _chain_line(section: Section, relation: str) -> str:
    words = ", ".join(word for word in (relation, section.role) if word)
    return f"{section.number}\\. {inline_code(_short(section.title))}{f' ({words})' if words else ''}"


def _section(section: Section, base_url: str) -> Iterator[str]:
    yield f"## {section.number}. {inline_code(_short(section.title))}"
    words = (section.role, CONFIDENCE_WORDS[section.confidence] if section.confidence else "", section.language)
    facts = " · ".join(word for word in words if word)
    if facts:
        yield escape_line(facts)
    if "\n" in section.message.strip() or len(section.title) > _LONGEST_TITLE:
        yield fence(section.message, None)
    if section.card:
        yield from _card(section.card, base_url)
    elif section.same_as:
        yield f"The same record as {section.same_as}."
    if section.matches:
        yield "\n".join(["Also close:", "", *(_match(brief, base_url) for brief in section.matches)])
    if not section.confidence:
        yield "Nothing documented fits well." + (" Nearest:" if section.nearest else "")
    elif section.nearest:
        yield "Nearest misses:"
    if section.nearest:
        yield "\n".join(_match(brief, base_url, missed=True) for brief in section.nearest)


def _short(text: str) -> str:
    return message_text(text, limit=_LONGEST_TITLE)


def _card(card: Card, base_url: str) -> Iterator[str]:
    record, row = card.view.record, card.match.row
    title = link(message_text(record.error_message, limit=_LONGEST_ROW), _address(card.match.id, base_url))
    frame = f" (frame {card.frame} of the trace)" if card.frame else ""
    facts = escape_line(" · ".join((record.repo, *row_facts(row))))
    yield f"**{title}**\\\n{facts}\\\n{inline_code(card.place)}{frame}"
    if card.reasons:
        yield f"Why this one: {'; '.join(_reason(reason) for reason in card.reasons)}."
    if card.doubts:
        yield f"Against it: {'; '.join(_reason(doubt) for doubt in card.doubts)}."
    if card.match.captures:
        yield "\n".join(f"- {_captured(capture)}" for capture in card.match.captures)
    if card.alike_count:
        yield _alike(card, base_url)
    if record.documentation.strip():
        yield f"### What it means\n\n{markdown_source(record.documentation)}"
    if record.solutions:
        yield f"### Do this\n\n{_solutions(record.solutions, card.match.captures)}"


def _reason(reason: str) -> str:
    """A phrase whose back-quotes mark code."""
    return "".join(inline_code(piece) if odd % 2 else _words(piece) for odd, piece in enumerate(reason.split("`")))


def _words(piece: str) -> str:
    """Words between two pieces of code, with the blanks at their ends."""
    before, after = piece[: len(piece) - len(piece.lstrip())], piece[len(piece.rstrip()) :]
    return f"{' ' if before else ''}{escape_line(piece)}{' ' if after and piece.strip() else ''}"


def _captured(capture: Capture) -> str:
    return f"{inline_code(captured_label(capture))} = {inline_code(captured_value(capture))}"


def _alike(card: Card, base_url: str) -> str:
    others = f"{card.alike_count:,} other record{'' if card.alike_count == 1 else 's'}"
    head = f"The same message is in {others}; the text cannot choose:"
    rows = {row.id: row for row in card.alike}
    lines = [
        f"- {link(rows[other].repo if other in rows else other, _address(other, base_url))}"
        for other in card.match.alike
    ]
    return "\n".join([head, "", *lines])


def _solutions(solutions: Sequence[str], captures: Sequence[Capture]) -> str:
    steps: list[str] = []
    for number, solution in enumerate(solutions[:_MOST_SOLUTIONS], 1):
        here = ", ".join(_captured(capture) for capture in named_in_prose(solution, captures))
        text = f"{markdown_source(solution)}\n\nHere {here}." if here else markdown_source(solution)
        steps.append(indented(text, f"{number}. "))
    return "\n".join(steps)


def _match(brief: Brief, base_url: str, *, missed: bool = False) -> str:
    row = brief.match.row
    title = link(message_text(row.error_message, limit=_LONGEST_ROW), _address(brief.match.id, base_url))
    words = [
        escape_line(row.repo),
        "" if missed else CONFIDENCE_WORDS[brief.match.confidence],
        f"differs in {inline_code(brief.differs)}" if brief.differs else "",
    ]
    return f"- {' · '.join([title, *filter(None, words)])}"


def _address(record_id: str, base_url: str) -> str:
    return links.absolute(base_url, links.short_path(record_id))


def _origin(report: Report, base_url: str) -> str:
    site = link("Faultbook", links.absolute(base_url, links.EXPLAIN))
    hidden = f" {escape_line(report.hidden)}." if report.hidden else ""
    return f"Explained by {site}, revision {report.explanation.revision}.{hidden}"
