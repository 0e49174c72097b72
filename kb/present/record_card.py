"""A record, and a list of records, as plain text for a terminal: at most 40 lines of at most 80 characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from kb.catalog.answers import RecordRow, RecordView
from kb.present import links
from kb.present.invisible import visible_text
from kb.present.markdown_parser import plain_excerpt
from kb.present.message import message_text
from kb.present.wording import headline_facts, place, row_facts, status_sentence
from kb.records.text import one_line

__all__ = ["MOST_LINES", "WIDTH", "record_card", "rows_card"]

WIDTH = 80  # characters
MOST_LINES = 40
_MOST_SOLUTIONS = 5
_MOST_ROWS = 12
_MOST_CODE_LINES = 8


def record_card(view: RecordView, *, base_url: str) -> str:
    """The record in short: message, facts, place, meaning, first solutions, how to catch it, the permanent link."""
    record = view.record
    lines = [
        *_wrapped(message_text(record.error_message, limit=WIDTH * 3)),
        *_wrapped(" · ".join((record.repo, *(one_line(fact.value, WIDTH) for fact in headline_facts(view)))), most=3),
        *_wrapped(place(record.file_path, record.line_number), most=2),
    ]
    if view.retired_revision is not None:
        lines += _wrapped(f"This record is {status_sentence(view)}.", most=2)
    lines += _paragraph("What it means", record.documentation, most=6)
    lines += _solutions(record.solutions)
    lines += _code("Catch it", record.try_catch_pattern, room=MOST_LINES - 2 - len(lines))
    return "\n".join([*lines, "", links.absolute(base_url, links.short_path(record.id))]) + "\n"


def rows_card(title: str, rows: Sequence[RecordRow], *, base_url: str) -> str:
    """A list of records in short, two lines and a link each; how many more there are comes last."""
    lines = _wrapped(visible_text(one_line(title, WIDTH * 2)))
    for row in rows[:_MOST_ROWS]:
        facts = " · ".join((row.repo, *row_facts(row)))
        lines += [
            message_text(row.error_message, limit=WIDTH),
            *_wrapped(facts, indent="  ", most=1),
            f"  {links.absolute(base_url, links.short_path(row.id))}",
        ]
    if len(rows) > _MOST_ROWS:
        lines.append(f"… and {len(rows) - _MOST_ROWS} more")
    return "\n".join(lines) + "\n"


def _wrapped(text: str, *, indent: str = "", first: str | None = None, most: int = 4) -> list[str]:
    """``text`` in at most ``most`` lines of at most :data:`WIDTH` characters, the first behind ``first``."""
    return textwrap.wrap(
        one_line(visible_text(one_line(text, WIDTH * most)), WIDTH * most),  # so that wrapping stays quick
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        max_lines=most,
        placeholder=" …",
        break_on_hyphens=False,
    )


def _paragraph(title: str, text: str, *, most: int) -> list[str]:
    words = plain_excerpt(text, WIDTH * most)
    return ["", title, *_wrapped(words, indent="  ", most=most)] if words else []


def _solutions(solutions: Sequence[str]) -> list[str]:
    if not solutions:
        return []
    lines = ["", "How to fix it"]
    for number, solution in enumerate(solutions[:_MOST_SOLUTIONS], 1):
        lines += _wrapped(plain_excerpt(solution, WIDTH * 2), indent="     ", first=f"  {number}. ", most=2)
    if len(solutions) > _MOST_SOLUTIONS:
        lines.append(f"     … and {len(solutions) - _MOST_SOLUTIONS} more")
    return lines


def _code(title: str, code: str | None, *, room: int) -> list[str]:
    """A short code block, if all of it fits in ``room`` lines with its title; half a block would mislead."""
    if code is None or not code.strip():
        return []
    block = list(_code_lines(code))
    if len(block) > _MOST_CODE_LINES or len(block) + 2 > room or any(len(line) > WIDTH for line in block):
        return []
    return ["", title, *block]


def _code_lines(code: str) -> Iterator[str]:
    for line in visible_text(code[: WIDTH * MOST_LINES]).rstrip("\n").split("\n"):
        yield f"  {line.expandtabs(4)}".rstrip()
