"""A text into its lines, whatever ends them; pure."""

from __future__ import annotations

from typing import Final

from kb.matching.reading.drafts import Draft

__all__ = ["split_lines", "without_blank_runs"]

_MOST_BLANK: Final = 6  # More blank lines in a row say nothing, and a text of nothing else would cost as many objects.


def split_lines(text: str) -> list[Draft]:
    """The lines of a text without their line breaks (CRLF, CR, VT, form feed and the Unicode ones as well)."""
    drafts: list[Draft] = []
    append = drafts.append
    start = 0
    blank = 0
    carriage = False  # whether the line before ended in CR alone: CR CR LF is one line break
    for raw in text.splitlines(keepends=True):
        body = raw.rstrip()
        if body:
            blank = 0
            append(Draft(body, start))
        elif not (carriage and raw in {"\n", "\r\n"}):
            blank += 1
            if blank <= _MOST_BLANK:
                append(Draft("", start))
        start += len(raw)
        carriage = raw[-1] == "\r"
    return drafts


def without_blank_runs(drafts: list[Draft]) -> list[Draft]:
    """The lines without those that would make a long run of blank ones."""
    kept: list[Draft] = []
    blank = 0
    for draft in drafts:
        blank = 0 if draft.text else blank + 1
        if blank <= _MOST_BLANK:
            kept.append(draft)
    return kept
