"""An explanation for a person at a terminal: one calm block an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from kb.cli.terminal import Style, facts, indented, line, render, shown
from kb.matching.answers import Match
from kb.present import links
from kb.present.captures import captured_label, captured_value
from kb.present.explanation import CONFIDENCE_WORDS
from kb.present.explanation_parts import Card, Report, Section
from kb.present.markdown_parser import plain_excerpt
from kb.present.message import message_text
from kb.present.wording import place
from kb.records.text import counted

__all__ = ["again_text", "report_text"]

_TITLE: Final = 400
_ROW: Final = 200
_MARGIN: Final = 16  # columns before the facts, and what wrapping leaves empty
_SOLUTION: Final = 240
_MOST_SOLUTIONS: Final = 3
_MOST_REASONS: Final = 6
_MOST_CAPTURES: Final = 8
_MOST_CLOSE: Final = 3
_COLORS: Final = {"exact": "bold green", "strong": "green", "weak": "yellow"}


def report_text(report: Report, style: Style, *, base_url: str, found_only: bool = False) -> str:
    """The report. With ``found_only`` the errors without a record, and what is told at the end, are left out."""
    contents: list[RenderableType] = []
    for section in report.sections:
        if found_only and not section.confidence:
            continue
        contents += [*_section(section, style, base_url), ""]
    if not contents and not found_only:
        contents += [f"{report.headline}.", ""]
    if report.left_count and not found_only and report.sections:
        contents += [line((f"{counted(report.left_count, 'more line')} without a record.", "dim")), ""]
    if report.hidden:
        contents += [line((f"{shown(report.hidden, _TITLE)}.", "dim")), ""]
    return render(contents[:-1], style) if contents else ""


def again_text(section: Section, count: int, style: Style) -> str:
    """One line for an error that was explained before."""
    return render(
        [line((f"again ({count}): ", "dim"), (shown(section.title, style.width * 2), ""))],
        style,
    )


def _section(section: Section, style: Style, base_url: str) -> Iterator[RenderableType]:
    title = shown(section.title, _TITLE)
    yield line((f"{section.number}  ", "dim"), (title, "bold"))
    words = [
        (CONFIDENCE_WORDS[section.confidence], _COLORS[section.confidence]) if section.confidence else None,
        (section.role, "") if section.role else None,
        (section.language, "") if section.language else None,
    ]
    told = [word for word in words if word]
    parts = [part for word in told for part in ((" · ", "dim"), word)][1:]
    if parts:
        yield indented(line(*parts))
    if section.card:
        yield indented(facts(list(_card(section.card, title, base_url, style.width))))
    elif section.same_as:
        yield indented(f"The same record as {section.same_as}.")
    yield from _close(section, base_url)


def _card(card: Card, title: str, base_url: str, width: int) -> Iterator[tuple[str, RenderableType]]:
    record = card.view.record
    message = shown(message_text(record.error_message, limit=_TITLE), _TITLE)
    if message not in title:
        yield "Record", message
    where = f"{record.repo} {place(record.file_path, record.line_number)}"
    yield "Raised", shown(where, _TITLE) + (f" (your frame {card.frame})" if card.frame else "")
    if card.reasons:
        yield "Why", shown("; ".join(reason.replace("`", "") for reason in card.reasons[:_MOST_REASONS]), _TITLE)
    captures = [
        f"{captured_label(capture)} = {captured_value(capture)}" for capture in card.match.captures[:_MOST_CAPTURES]
    ]
    if captures:
        yield "With", Text("\n".join(shown(capture, _TITLE) for capture in captures), overflow="fold")
    room = 2 * (width - _MARGIN)
    meaning = plain_excerpt(record.documentation, room)
    if meaning:
        yield "Means", shown(meaning, room)
    solutions = [plain_excerpt(solution, _SOLUTION) for solution in record.solutions[:_MOST_SOLUTIONS]]
    if solutions:
        numbered = (f"{number}. {shown(text, _SOLUTION)}" for number, text in enumerate(solutions, 1))
        yield "Do", Text("\n".join(numbered), overflow="fold")
    if card.alike_count:
        yield "Also", f"{counted(card.alike_count, 'other record')} with the same message; the text cannot tell"
    yield "More", Text(links.absolute(base_url, links.short_path(record.id)), "cyan", overflow="fold")


def _close(section: Section, base_url: str) -> Iterator[RenderableType]:
    """Matches beside the one shown, and near misses, a line each."""
    if section.matches:
        heading = "Also close" if section.card or section.same_as else "Close"
        yield indented(line((f"{heading}:", "dim")))
        yield from (_match(brief.match, base_url) for brief in section.matches[:_MOST_CLOSE])
    elif not section.confidence:
        yield indented("Nothing documented fits well." + (" Nearest:" if section.nearest else ""))
        yield from (_match(brief.match, base_url) for brief in section.nearest[:_MOST_CLOSE])


def _match(match: Match, base_url: str) -> RenderableType:
    link = links.absolute(base_url, links.short_path(match.id))
    message = shown(message_text(match.row.error_message, limit=_ROW), _ROW)
    return indented(line((message, ""), (f"  {shown(match.row.repo, _ROW)}  ", "dim"), (link, "cyan")), 5)
