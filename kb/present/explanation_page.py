"""The report of an explanation, ready to print as HTML.

The pasted text and the records are equally foreign: everything comes out escaped, as ``SafeString``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString

from kb.catalog.answers import RecordRow, RecordView
from kb.matching.answers import Explanation, Mark
from kb.present import explanation_words, links
from kb.present.cache import PartCache
from kb.present.explanation import report_of
from kb.present.explanation_cards import CardPage, card_page, error_message_html
from kb.present.explanation_marks import marked_text, sound_marks
from kb.present.explanation_parts import Brief, ChainLink, Report, Section
from kb.present.invisible import visible_html
from kb.present.message import message_text
from kb.records.text import one_line

__all__ = ["BriefPage", "ExplanationPage", "SectionPage", "TreeNode", "explanation_page"]

_MOST_OPEN: Final = 3  # records whose advice is open; below them a reader looks for the one that matters
_LONGEST_NODE: Final = 72  # characters of an error in the tree
_LONGEST_SEARCH: Final = 120


@dataclass(frozen=True, kw_only=True)
class BriefPage:
    """A match in short: its row, how sure it is, and the words that set its message apart."""

    row: RecordRow
    confidence: str
    differs: SafeString


@dataclass(frozen=True, kw_only=True)
class SectionPage:
    """A section of the report and its card. ``message`` is what the error said, the values that it gave marked;
    ``searched`` are words to search for, where no record was found.
    """

    section: Section
    card: CardPage | None
    message: SafeString
    role: str
    confidence: str
    matches: tuple[BriefPage, ...]
    nearest: tuple[BriefPage, ...]
    searched: str


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    """An error in the tree of all that have a section, those that it wraps below it."""

    section: Section
    title: str
    relation: str
    role: str
    confidence: str
    children: tuple[TreeNode, ...]


@dataclass(frozen=True, kw_only=True)
class ExplanationPage:
    """What a template needs. ``url`` is the link to share, ``None`` when the text is too long for one.

    ``pasted`` is the text with its parts that matter in ``<mark>``. ``tree`` is empty for a single error. ``traced``
    says that an error stood there with frames.
    """

    report: Report
    headline: str
    facts: tuple[str, ...]
    tree: tuple[TreeNode, ...]
    sections: tuple[SectionPage, ...]
    pasted: SafeString
    marked: int
    traced: bool
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
    marks = sound_marks(explanation.marks, len(explanation.text))
    return ExplanationPage(
        report=report,
        headline=explanation_words.headline(explanation, len(report.sections)),
        facts=explanation_words.facts(explanation, explanation.text.rstrip("\n").count("\n") + 1),
        tree=_tree(report),
        sections=tuple(_sections(report.sections, marks, cache)),
        pasted=marked_text(explanation.text, marks, {entry.position: entry.number for entry in report.sections}),
        marked=len(marks),
        traced=any(section.frames for section in report.sections),
        url=links.explain_url(explanation.text),
    )


def _sections(sections: Iterable[Section], marks: Sequence[Mark], cache: PartCache | None) -> Iterator[SectionPage]:
    cards = 0
    for section in sections:
        card = section.card
        cards += card is not None
        yield SectionPage(
            section=section,
            card=card_page(section, card, marks, cache, is_open=cards <= _MOST_OPEN) if card else None,
            message=error_message_html(section),
            role=explanation_words.role_word(section.role),
            confidence=explanation_words.confidence_word(section.confidence),
            matches=tuple(map(_brief, section.matches)),
            nearest=tuple(map(_brief, section.nearest)),
            searched="" if section.confidence else one_line(section.message or section.cls, _LONGEST_SEARCH),
        )


def _brief(brief: Brief) -> BriefPage:
    confidence = explanation_words.confidence_word(brief.match.confidence)
    return BriefPage(row=brief.match.row, confidence=confidence, differs=visible_html(brief.differs))


def _tree(report: Report) -> tuple[TreeNode, ...]:
    """The chain and what stands beside it, or the errors alone: what leads to the best match comes first."""
    lines = report.chain or tuple(ChainLink(depth=0, relation="", section=entry) for entry in report.sections)
    return tuple(sorted(_nodes(lines, 0), key=_first)) if len(lines) > 1 else ()


def _first(node: TreeNode) -> int:
    """The smallest number of a section at a node or below it."""
    return min([node.section.number, *map(_first, node.children)])


def _nodes(lines: Sequence[ChainLink], depth: int) -> tuple[TreeNode, ...]:
    """The nodes at ``depth``, each with the lines below it; a chain is at most seven deep."""
    starts = [number for number, line in enumerate(lines) if line.depth == depth]
    ends = [*starts[1:], len(lines)]
    return tuple(
        TreeNode(
            section=lines[start].section,
            title=message_text(explanation_words.title_words(lines[start].section), limit=_LONGEST_NODE),
            relation=explanation_words.relation_word(lines[start].relation),
            role=explanation_words.role_word(lines[start].section.role),
            confidence=explanation_words.confidence_word(lines[start].section.confidence),
            children=_nodes(lines[start + 1 : end], depth + 1),
        )
        for start, end in zip(starts, ends, strict=False)  # no starts, one end
    )
