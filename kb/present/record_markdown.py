"""A record, and lists of records, as complete Markdown: for readers of Markdown, for tools and for agents.

Every field of the record is in the document. Its headings and links are ours alone: text of the dataset passes through
:mod:`kb.present.markdown_source`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kb.catalog.answers import RecordRow, RecordView
from kb.present import links
from kb.present.markdown_source import (
    address,
    escape_line,
    fence,
    indented,
    inline_code,
    link,
    markdown_line,
    markdown_source,
)
from kb.present.message import message_text
from kb.present.wording import (
    Fact,
    detail_facts,
    finding_sentences,
    headline_facts,
    place,
    pretty_json,
    provenance_facts,
    row_facts,
)
from kb.records.record import Record

__all__ = ["record_markdown", "rows_markdown"]

_LONGEST_HEADING = 160
_LONGEST_ROW = 200


def record_markdown(view: RecordView, *, base_url: str) -> str:
    """The whole record as CommonMark. Links of ours begin with ``base_url``; with an empty one they are bare paths."""
    return "\n\n".join(_document(view, base_url)) + "\n"


def rows_markdown(title: str, rows: Sequence[RecordRow], *, base_url: str) -> str:
    """A list of records under a heading ``title``, one item each with a link, facts, place and excerpt."""
    items = [_row(row, base_url) for row in rows]
    return "\n\n".join([f"# {escape_line(title)}", "\n".join(items) or "No records."]) + "\n"


def _row(row: RecordRow, base_url: str) -> str:
    url = links.absolute(base_url, links.short_path(row.id))
    title = link(message_text(row.error_message, limit=_LONGEST_ROW), url)
    facts = escape_line(" · ".join((row.repo, *row_facts(row))))
    where = inline_code(place(row.file_path, row.line_number))
    lines = [f"- {title}", f"  {facts} · {where}", f"  {markdown_line(row.excerpt)}" if row.excerpt else ""]
    return "\\\n".join(line for line in lines if line)


def _document(view: RecordView, base_url: str) -> Iterator[str]:
    record = view.record
    yield f"# {escape_line(message_text(record.error_message, limit=_LONGEST_HEADING))}"
    if view.retired_revision is not None:
        yield _retired(view, base_url)
    yield _facts((*headline_facts(view), *provenance_facts(view)[:1]), base_url)
    yield _section("Message", fence(record.error_message, None))
    yield f"As a regular expression:\n\n{fence(record.message_pattern, None)}"
    yield from _advice(record)
    yield from _code_sections(view)
    yield from _circumstances(record)
    if record.tags:
        tags = (link(tag, links.absolute(base_url, links.tag_path(tag))) for tag in record.tags)
        yield _section("Tags", ", ".join(tags))
    yield _section("Where this comes from", _facts(provenance_facts(view), base_url))
    yield _section("All details", _facts(_without_pattern(detail_facts(view)), base_url))
    if record.extra:
        yield _section("Further fields", fence(pretty_json(record.extra), "json"))
    if view.findings:
        sentences = (f"- {escape_line(sentence)}" for sentence in finding_sentences(view))
        yield _section("Weak points of this record", "\n".join(sentences))
    yield _links(view, base_url)


def _retired(view: RecordView, base_url: str) -> str:
    sentence = "**This record is retired: it is no longer in its dataset.**"
    if not view.successor:
        return sentence
    url = links.absolute(base_url, links.short_path(view.successor))
    return f"{sentence} Its place was taken by {link(view.successor, url)}."


def _without_pattern(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Facts less the pattern, which has its own block: it may have several lines."""
    return (fact for fact in facts if fact.name != "pattern")


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}"


def _advice(record: Record) -> Iterator[str]:
    if record.documentation.strip():
        yield _section("What it means", markdown_source(record.documentation))
    if record.solutions:
        yield _section("How to fix it", _numbered(record.solutions))


def _code_sections(view: RecordView) -> Iterator[str]:
    record, language = view.record, view.row.language
    where = inline_code(place(record.file_path, record.line_number))
    permalink = links.source_url(record.github_url, record.line_number)
    source = _linked(where, permalink) if permalink else where
    if record.source_code is not None and record.source_code.strip():
        source = f"{source}{_snippet_lines(record)}\n\n{fence(record.source_code, language)}"
    yield _section("Where it is raised", source)
    for title, code in (
        ("Example fix", record.example_fix),
        ("Catch it", record.try_catch_pattern),
        ("Validate before", record.validation_code),
        ("Guard the type", record.type_guard),
    ):
        if code is not None and code.strip():
            yield _section(title, fence(code, language))


def _snippet_lines(record: Record) -> str:
    if record.source_code_start is None or record.source_code_end is None:
        return ""
    return f", lines {record.source_code_start} to {record.source_code_end}"


def _circumstances(record: Record) -> Iterator[str]:
    if record.trigger_scenarios.strip():
        yield _section("What triggers it", markdown_source(record.trigger_scenarios))
    if record.common_situations.strip():
        yield _section("When it commonly happens", markdown_source(record.common_situations))
    if record.prevention_tips:
        yield _section(
            "How to prevent it", "\n".join(indented(markdown_source(tip), "- ") for tip in record.prevention_tips)
        )


def _numbered(items: Sequence[str]) -> str:
    return "\n".join(indented(markdown_source(item), f"{number}. ") for number, item in enumerate(items, 1))


def _facts(facts: Iterable[Fact], base_url: str) -> str:
    """Facts as a list, one line each; values are inline code, so that they come through exactly."""
    return "\n".join(f"- **{fact.label}:** {_value(fact, base_url)}" for fact in facts)


def _value(fact: Fact, base_url: str) -> str:
    shown = inline_code(fact.value)
    if fact.href is None:
        return shown
    return _linked(shown, links.absolute(base_url, fact.href) if fact.href.startswith("/") else fact.href)


def _linked(code: str, url: str) -> str:
    """Inline code as a link; code binds closer than brackets, so it needs no further escaping."""
    return f"[{code}]({address(url)})"


def _links(view: RecordView, base_url: str) -> str:
    record = view.record
    lines = [("Permanent link", links.short_path(record.id)), ("JSON", links.record_api_path(record.id))]
    if view.retired_revision is None:  # later its slug may be another record's
        lines.insert(1, ("Page", links.record_path(record.repo, record.slug)))
    urls = ((label, links.absolute(base_url, path)) for label, path in lines)
    return _section("Links", "\n".join(f"- {label}: {link(url, url)}" for label, url in urls))
