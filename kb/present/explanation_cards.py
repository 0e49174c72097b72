"""The record of an error in a report, ready to print as HTML: evidence, values, and what to do.

The pasted text and the record are equally foreign: everything comes out escaped, as ``SafeString``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

from kb.matching.answers import Capture, Mark
from kb.present import links
from kb.present.cache import PartCache
from kb.present.captures import FilledPart, captured_label, captured_value, named_in_code, named_in_prose
from kb.present.explanation_marks import mark_of
from kb.present.explanation_parts import Card, Section
from kb.present.explanation_words import reason_phrase
from kb.present.invisible import visible_html
from kb.present.message import message_html
from kb.present.record_parts import item_html, record_parts
from kb.records.text import one_line

__all__ = ["CardPage", "Fold", "Reason", "Step", "card_page", "error_message_html", "phrase_html"]

_MOST_SOLUTIONS: Final = 4
_LONGEST_MESSAGE: Final = 320  # characters of a message above its advice
_FOLDS: Final = (
    ("try-catch", gettext_noop("Catch it"), "try_catch_pattern"),
    ("validation", gettext_noop("Validate before"), "validation_code"),
    ("type-guard", gettext_noop("Guard the type"), "type_guard"),
    ("example-fix", gettext_noop("Example fix"), "example_fix"),
    ("prevention", gettext_noop("Prevent it"), ""),
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
class Reason:
    """A piece of evidence, and the address of what it saw in the pasted text, if that is marked."""

    html: SafeString
    href: str


@dataclass(frozen=True, kw_only=True)
class CardPage:
    """A card with its parts as HTML.

    ``documented`` is the record's message where it reads differently from the error's; ``is_open`` says that its advice
    is shown at once.
    """

    card: Card
    documented: SafeString | None
    place_url: str | None
    frame_href: str
    reasons: tuple[Reason, ...]
    doubts: tuple[Reason, ...]
    values: tuple[tuple[str, str], ...]
    meaning: SafeString | None
    steps: tuple[Step, ...]
    steps_left: int
    folds: tuple[Fold, ...]
    is_open: bool


def card_page(
    section: Section, card: Card, marks: Sequence[Mark], cache: PartCache | None, *, is_open: bool
) -> CardPage:
    """The card of ``section``; ``marks`` are the sound ones of the pasted text."""
    record, captures = card.view.record, card.match.captures
    parts = record_parts(card.view, cache)
    shown = record.solutions[:_MOST_SOLUTIONS]
    reasons = [
        (
            piece.weight,
            Reason(html=phrase_html(reason_phrase(piece)), href=mark_of(piece.kind, section.position, marks)),
        )
        for piece in card.match.evidence
        if piece.text
    ]
    return CardPage(
        card=card,
        documented=None if _reads_the_same(section, card) else _message(card.message),
        place_url=links.source_url(record.github_url, record.line_number),
        frame_href=mark_of("frame", section.position, marks),
        reasons=tuple(reason for weight, reason in reasons if weight >= 0),
        doubts=tuple(reason for weight, reason in reasons if weight < 0),
        values=tuple((captured_label(capture), captured_value(capture)) for capture in captures),
        meaning=parts.get("meaning"),
        steps=tuple(
            Step(html=item_html(text, card.view.row.language), here=_here(named_in_prose(text, captures)))
            for text in shown
        ),
        steps_left=len(record.solutions) - len(shown),
        folds=tuple(_folds(card, parts)),
        is_open=is_open,
    )


def error_message_html(section: Section) -> SafeString:
    """What the error said, on one line; the values that it gave are marked where the record tells which they are."""
    if section.card and _reads_the_same(section, section.card):
        return _message(section.card.message)
    return visible_html(one_line(section.message, _LONGEST_MESSAGE))


def _reads_the_same(section: Section, card: Card) -> bool:
    """Whether the record's message, filled with the values of the text, is what the error said."""
    return "".join(part.text for part in card.message).split() == section.message.split()


def _folds(card: Card, parts: dict[str, SafeString]) -> Iterator[Fold]:
    for id, title, field in _FOLDS:
        if id in parts:
            code = getattr(card.view.record, field) if field else None
            here = _here(named_in_code(code, card.match.captures))
            yield Fold(id=id, title=gettext(title), html=parts[id], here=here)


def _message(parts: Iterable[FilledPart]) -> SafeString:
    """The message of a record with the values of the text where its placeholders are, cut where it is long."""
    return SafeString("".join(_message_parts(parts)))


def _message_parts(parts: Iterable[FilledPart]) -> Iterator[str]:
    room = _LONGEST_MESSAGE
    for text, filled in parts:
        shown = text if len(text) <= room else f"{text[:room].rstrip()}…"
        yield format_html('<span class="filled">{}</span>', visible_html(shown)) if filled else message_html(shown)
        room -= len(text)
        if room <= 0:
            return


def _here(captures: Sequence[Capture]) -> SafeString:
    """``status = 503, code = 7``, each name and value as code."""
    return format_html_join(
        ", ",
        "<code>{}</code> = <code>{}</code>",
        ((visible_html(captured_label(capture)), visible_html(captured_value(capture))) for capture in captures),
    )


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
