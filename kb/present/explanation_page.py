"""The report of an explanation, ready to print as HTML.

The pasted text and the records are equally foreign: everything comes out escaped, as ``SafeString``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from kb.catalog.answers import RecordRow, RecordView
from kb.matching.answers import Capture, Explanation, Mark
from kb.present import links
from kb.present.cache import PartCache
from kb.present.captures import FilledPart, captured_label, captured_value, named_in_code, named_in_prose
from kb.present.explanation import report_of
from kb.present.explanation_parts import Card, Report, Section
from kb.present.invisible import visible_html, visible_text
from kb.present.message import message_html
from kb.present.record_parts import item_html, record_parts

__all__ = ["CardPage", "ExplanationPage", "Fold", "SectionPage", "Step", "explanation_page", "phrase_html"]

_MOST_SOLUTIONS: Final = 4
_MOST_INVISIBLE: Final = 20_000  # characters more, once they are shown: that many elements make a page slow
_FOLDS: Final = (
    ("try-catch", "Catch it", "try_catch_pattern"),
    ("validation", "Validate before", "validation_code"),
    ("type-guard", "Guard the type", "type_guard"),
    ("example-fix", "Example fix", "example_fix"),
    ("prevention", "Prevent it", ""),
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One solution. ``here`` are values of the text that it names, as HTML; empty when it names none."""

    html: SafeString
    here: SafeString


@dataclass(frozen=True, kw_only=True)
class Fold:
    """Code or a list that opens on demand."""

    id: str
    title: str
    html: SafeString
    here: SafeString


@dataclass(frozen=True, kw_only=True)
class CardPage:
    """A card with its parts as HTML."""

    card: Card
    message: SafeString
    place_url: str | None
    reasons: SafeString
    doubts: SafeString
    values: tuple[tuple[str, str], ...]
    meaning: SafeString | None
    steps: tuple[Step, ...]
    steps_left: int
    folds: tuple[Fold, ...]


@dataclass(frozen=True, kw_only=True)
class SectionPage:
    """A section of the report and its card."""

    section: Section
    card: CardPage | None


@dataclass(frozen=True, kw_only=True)
class ExplanationPage:
    """What a template needs. ``url`` is the link to share, ``None`` when the text is too long for one.

    ``pasted`` is the text with its parts that matter in ``<mark>``.
    """

    report: Report
    sections: tuple[SectionPage, ...]
    pasted: SafeString
    lines: int
    marked: int
    url: str | None


def explanation_page(
    explanation: Explanation,
    records: Iterable[RecordView],
    *,
    alike: Iterable[RecordRow] = (),
    cache: PartCache | None = None,
) -> ExplanationPage:
    """The page of ``explanation``; arguments as in :func:`kb.present.explanation.report_of`."""
    report = report_of(explanation, records, alike=alike)
    marks = _sound(explanation.marks, len(explanation.text))
    return ExplanationPage(
        report=report,
        sections=tuple(
            SectionPage(section=section, card=_card(section.card, cache) if section.card else None)
            for section in report.sections
        ),
        pasted=_pasted(explanation.text, marks),
        lines=explanation.text.rstrip("\n").count("\n") + 1,
        marked=len(marks),
        url=links.explain_url(explanation.text),
    )


def _sound(marks: Sequence[Mark], length: int) -> list[Mark]:
    """The marks that lie in the text, in order and apart."""
    kept: list[Mark] = []
    end = 0
    for mark in marks:
        if end <= mark.start < mark.end <= length:
            kept.append(mark)
            end = mark.end
    return kept


def _pasted(text: str, marks: Sequence[Mark]) -> SafeString:
    escaped = visible_html if len(visible_text(text)) - len(text) < _MOST_INVISIBLE else _bare_html
    pieces: list[str] = []
    end = 0
    for mark in marks:
        pieces.append(escaped(text[end : mark.start]))
        pieces.append(f'<mark class="mark-{mark.kind}">{escaped(text[mark.start : mark.end])}</mark>')
        end = mark.end
    pieces.append(escaped(text[end:]))
    return SafeString("".join(pieces))


def _bare_html(text: str) -> SafeString:
    """Text escaped, its invisible characters shown without an element for each."""
    return SafeString(escape(visible_text(text)))


def _card(card: Card, cache: PartCache | None) -> CardPage:
    record, captures = card.view.record, card.match.captures
    parts = record_parts(card.view, cache)
    shown = record.solutions[:_MOST_SOLUTIONS]
    return CardPage(
        card=card,
        message=_message(card.message),
        place_url=links.source_url(record.github_url, record.line_number),
        reasons=_phrases(card.reasons),
        doubts=_phrases(card.doubts),
        values=tuple((captured_label(capture), captured_value(capture)) for capture in captures),
        meaning=parts.get("meaning"),
        steps=tuple(
            Step(html=item_html(text, card.view.row.language), here=_here(named_in_prose(text, captures)))
            for text in shown
        ),
        steps_left=len(record.solutions) - len(shown),
        folds=tuple(_folds(card, parts)),
    )


def _folds(card: Card, parts: dict[str, SafeString]) -> Iterator[Fold]:
    for id, title, field in _FOLDS:
        if id in parts:
            code = getattr(card.view.record, field) if field else None
            yield Fold(id=id, title=title, html=parts[id], here=_here(named_in_code(code, card.match.captures)))


def _message(parts: Iterable[FilledPart]) -> SafeString:
    """The message of a record with the values of the text where its placeholders are."""
    return format_html_join(
        "",
        "{}",
        (
            (format_html('<span class="filled">{}</span>', visible_html(text)) if filled else message_html(text),)
            for text, filled in parts
        ),
    )


def _here(captures: Sequence[Capture]) -> SafeString:
    """``status = 503, code = 7``, each name and value as code."""
    return format_html_join(
        ", ",
        "<code>{}</code> = <code>{}</code>",
        ((visible_html(captured_label(capture)), visible_html(captured_value(capture))) for capture in captures),
    )


def _phrases(phrases: Iterable[str]) -> SafeString:
    return format_html_join("; ", "{}", ((phrase_html(phrase),) for phrase in phrases))


def phrase_html(phrase: str) -> SafeString:
    """A phrase in which back-quotes mark code."""
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", visible_html(piece)) if odd % 2 else visible_html(piece),)
            for odd, piece in enumerate(phrase.split("`"))
        ),
    )
