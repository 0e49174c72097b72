"""Field changes as HTML: removed text in ``<del>``, added text in ``<ins>``, and what stayed shortened to its ends.

Everything is escaped and its invisible characters are shown; nothing of a record is rendered as markup. A field takes
at most some ten thousand characters, and says what it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from kb.present.diff_runs import Part
from kb.present.diffs import FieldChange, field_changes
from kb.present.invisible import visible_html
from kb.records.record import Record

__all__ = ["ShownChange", "changes_html"]

_CONTEXT_CHARACTERS: Final = 160  # of kept prose before and after a change
_CONTEXT_LINES: Final = 3
_MOST_SHOWN: Final = 20_000  # characters of a field
_MOST_ENTRIES: Final = 60
_TAGS: Final = {"delete": "del", "insert": "ins"}
_SIGNS: Final = {"equal": "\N{NO-BREAK SPACE}", "delete": "\N{MINUS SIGN}", "insert": "+"}


@dataclass(frozen=True, kw_only=True)
class ShownChange:
    """One changed field: its name in the dataset, its title, whether it came, went or changed, and the difference."""

    field: str
    label: str
    kind: str
    html: SafeString


def changes_html(before: Record, after: Record) -> tuple[ShownChange, ...]:
    """Every field in which two records differ, ready to print, in the order of the record's page."""
    return tuple(
        ShownChange(field=change.field, label=change.label, kind=change.kind, html=_html(change))
        for change in field_changes(before, after)
    )


def _html(change: FieldChange) -> SafeString:
    if change.unit == "lines":
        return _lines(change.parts)
    if change.unit == "entries":
        return _entries(change.entries)
    if change.unit == "words":
        return format_html('<p class="diff diff-words">{}</p>{}', *_words(change.parts))
    return format_html('<p class="diff diff-value">{}</p>{}', *_words(change.parts))


def _gap() -> SafeString:
    return format_html(
        '<span class="diff-gap" role="img" aria-label="{}">⋯</span>', gettext("text that stayed the same")
    )


def _cut() -> SafeString:
    rest = gettext("The rest of this change is too long to be shown here.")
    return format_html('<p class="diff-cut">{}</p>', rest)


# --- prose and values ------------------------------------------------------------------------------------------------


def _words(parts: Sequence[Part]) -> tuple[SafeString, SafeString]:
    """The text with its changes, and a sentence when some of it is left out at the end."""
    shown: list[str] = []
    left = _MOST_SHOWN
    for place, part in enumerate(parts):
        if left <= 0:
            return mark_safe("".join(shown)), _cut()  # noqa: S308  escaped below
        text, cut = part.text[:left], len(part.text) > left
        if part.kind == "equal":
            shown.append(_shortened(part.text, first=place == 0, last=place == len(parts) - 1))
            left -= min(len(part.text), 2 * _CONTEXT_CHARACTERS)
        else:
            shown.append(_marked(part.kind, visible_html(text)))
            left -= len(text)
            if cut:
                return mark_safe("".join(shown)), _cut()  # noqa: S308
    return mark_safe("".join(shown)), mark_safe("")  # noqa: S308


def _marked(kind: str, html: str) -> SafeString:
    tag = _TAGS[kind]
    return mark_safe(f"<{tag}>{html}</{tag}>")  # noqa: S308  callers escape


def _shortened(text: str, *, first: bool, last: bool) -> SafeString:
    """Kept text: what is near a change of it, with a mark for the rest."""
    if len(text) <= 2 * _CONTEXT_CHARACTERS:
        return visible_html(text)
    start = "" if first else visible_html(text[:_CONTEXT_CHARACTERS])
    end = "" if last else visible_html(text[-_CONTEXT_CHARACTERS:])
    return mark_safe(f"{start}{_gap()}{end}")  # noqa: S308  escaped above


# --- lists -----------------------------------------------------------------------------------------------------------


def _entries(entries: Sequence[tuple[Part, ...]]) -> SafeString:
    """The entries that changed; those that stayed are counted between them."""
    lines: list[str] = []
    kept = 0
    left = _MOST_SHOWN
    for parts in entries:
        if all(part.kind == "equal" for part in parts):
            kept += 1
            continue
        if left <= 0 or len(lines) >= _MOST_ENTRIES:
            return mark_safe(f'<ul class="diff diff-entries" role="list">{"".join(lines)}</ul>{_cut()}')  # noqa: S308
        lines += _kept_entries(kept)
        kept = 0
        text, cut = _words(parts)
        left -= sum(len(part.text) for part in parts)
        lines.append(f'<li class="diff-{_entry_kind(parts)}">{text}{cut}</li>')
    lines += _kept_entries(kept)
    return mark_safe(f'<ul class="diff diff-entries" role="list">{"".join(lines)}</ul>')  # noqa: S308  escaped above


def _entry_kind(parts: Sequence[Part]) -> str:
    kinds = {part.kind for part in parts}
    return next(iter(kinds)) if len(kinds) == 1 else "change"


def _kept_entries(count: int) -> Iterator[str]:
    if count:
        words = ngettext("%(number)d entry unchanged", "%(number)d entries unchanged", count) % {"number": count}
        yield format_html('<li class="diff-kept">{}</li>', words)


# --- code ------------------------------------------------------------------------------------------------------------


def _lines(parts: Sequence[Part]) -> SafeString:
    """Lines with a sign before each, three kept ones round a change."""
    shown: list[str] = []
    left = _MOST_SHOWN
    cut = ""
    for kind, line in _with_context(parts):
        if left <= 0:
            cut = _cut()
            break
        if kind == "gap":
            shown.append(f'<span class="diff-line diff-skip">{_gap()}</span>')
            continue
        text = visible_html(line[:left])
        left -= len(line) + 1
        body = text if kind == "equal" else _marked(kind, text)
        shown.append(
            f'<span class="diff-line diff-{kind}"><span class="diff-sign">{_SIGNS[kind]}</span>{body}\n</span>'
        )
    code = "".join(shown)
    return mark_safe(f'<pre class="diff diff-lines" tabindex="0"><code>{code}</code></pre>{cut}')  # noqa: S308


def _with_context(parts: Sequence[Part]) -> Iterator[tuple[str, str]]:
    for place, part in enumerate(parts):
        lines = part.text.removesuffix("\n").split("\n")
        if part.kind != "equal":
            yield from ((part.kind, line) for line in lines)
            continue
        head = 0 if place == 0 else _CONTEXT_LINES
        tail = 0 if place == len(parts) - 1 else _CONTEXT_LINES
        if len(lines) <= head + tail + 1:
            yield from (("equal", line) for line in lines)
            continue
        yield from (("equal", line) for line in lines[:head])
        yield "gap", ""
        yield from (("equal", line) for line in lines[len(lines) - tail :])
