"""The tool ``get_error``: one record, the parts that were asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

from django_mcpz.server import ToolError

from kb.catalog import queries
from kb.catalog.answers import RecordRow, RecordView
from kb.mcp.answers import ErrorAnswer, RecordLine, RecordSection
from kb.mcp.arguments import ErrorArguments, SectionName
from kb.mcp.call import Call, Reply, fitting
from kb.mcp.framing import NOTICE, line_of
from kb.mcp.readable import error_text
from kb.mcp.shaping import LEAST_TEXT, Teller
from kb.present.wording import headline_facts, provenance_facts
from kb.records.text import clean_text

__all__ = ["get_error"]

# What helps most comes first; the rest is told when it is asked for.
_DEFAULT: Final[tuple[SectionName, ...]] = (
    "documentation",
    "solutions",
    "example_fix",
    "try_catch_pattern",
    "source_code",
    "trigger_scenarios",
    "validation_code",
    "type_guard",
    "common_situations",
    "prevention_tips",
)
_SHARE_OF_SECTION: Final = 0.6  # of the room that is left, unless the section is the last
_FACTS: Final = ("type", "http", "strategy", "family", "trust")
_FACT: Final = 20  # tokens
_LISTED: Final = 20
_SHOWN: Final = 80  # characters of a reference that leads nowhere
_ID: Final = re.compile(r"[0-9a-f]{16}")
_LONGEST_CODE: Final = 200
_PARTS_OF_NAME: Final = 3


def get_error(call: Call, arguments: ErrorArguments) -> Reply[ErrorAnswer]:
    """The record within the budget, or the records that a code may mean. At most six queries.

    Raises ``ToolError`` when nothing is there.
    """
    view, rows = _resolved(arguments.reference)
    budget = arguments.max_tokens
    if view is None:
        return fitting(lambda count: _candidates(call, rows, count), top=len(rows), budget=budget)
    names = tuple(dict.fromkeys(arguments.sections)) if arguments.sections is not None else None
    return fitting(lambda room: _reply(call, view, names, Teller(call.base, room)), top=budget, budget=budget)


def _resolved(reference: str) -> tuple[RecordView | None, tuple[RecordRow, ...]]:
    """A record, or several lines."""
    wanted = clean_text(reference)[0].strip()
    address = _path_of(wanted) if "://" in wanted else wanted
    parts = [part for part in address.split("/") if part]
    if parts[:1] == ["e"] and len(parts) > 1:
        wanted = parts[1]
    elif len(parts) >= _PARTS_OF_NAME:
        view = _by_name(parts[1:] if parts[0] == "errors" else parts)
        if view:
            return view, ()
    if _ID.fullmatch(wanted.lower()):
        view = queries.record_by_id(wanted.lower())
        if view:
            return view, ()
    rows = queries.records_of_code(wanted, _LISTED) if 0 < len(wanted) <= _LONGEST_CODE else ()
    if len(rows) == 1:
        return queries.record_by_id(rows[0].id), ()
    if rows:
        return None, rows
    raise ToolError(
        f"There is no record {line_of(wanted, _SHOWN)!r}. A reference is an id of 16 hexadecimal digits, the address "
        "of a record's page, owner/name/slug or an error code. Find the record with search_errors, or with "
        "explain_error from the error as printed."
    )


def _path_of(address: str) -> str:
    """The path of an address, whatever its host: datasets name records by their publisher's."""
    try:
        return unquote(urlsplit(address).path)
    except ValueError:
        return ""


def _by_name(parts: Sequence[str]) -> RecordView | None:
    """The record at ``owner/name/slug``, whatever follows."""
    if len(parts) < _PARTS_OF_NAME:
        return None
    owner, name, slug = parts[0], parts[1], re.sub(r"\.(?:json|md)$", "", parts[2])
    return queries.record_by_slug(owner, name, slug).current


def _candidates(call: Call, rows: Sequence[RecordRow], count: int) -> Reply[ErrorAnswer]:
    teller = Teller(call.base, count)
    answer = ErrorAnswer(
        notice=NOTICE,
        revision=call.state.revision,
        dataset_version=call.state.version,
        candidates=[RecordLine(**teller.record(row)) for row in rows[: max(1, count)]],
        warnings=teller.warnings,
        advice="Several records have this code. Call get_error with the id of the one whose repository is yours.",
    )
    return Reply(answer=answer, text=error_text(answer))


def _reply(call: Call, view: RecordView, names: tuple[SectionName, ...] | None, teller: Teller) -> Reply[ErrorAnswer]:
    source = f"record {view.record.id}"
    facts = _facts(view, teller, source)
    texts = {name: _text(view, name) for name in (_DEFAULT if names is None else names)}
    sections, left_out = _sections({name: text for name, text in texts.items() if text}, teller, source)
    cut = [section.name for section in sections if section.cut]
    answer = ErrorAnswer(
        notice=NOTICE,
        revision=call.state.revision,
        dataset_version=call.state.version,
        record=RecordLine(**teller.record(view.row)),
        facts=facts,
        sections=sections,
        left_out=left_out,
        absent=[name for name, text in texts.items() if not text] if names else [],
        successor=view.successor,
        warnings=teller.warnings,
        advice=_advice(view, [*left_out, *cut]),
    )
    return Reply(answer=answer, text=error_text(answer))


def _sections(texts: dict[SectionName, str], teller: Teller, source: str) -> tuple[list[RecordSection], list[str]]:
    """The sections that have room, and the names of the others."""
    told: list[RecordSection] = []
    left_out: list[str] = []
    for number, (name, text) in enumerate(texts.items(), 1):
        enough = teller.room > 2 * LEAST_TEXT and teller.fits(name)
        shown, cut = teller.text(text, source, share=1.0 if number == len(texts) else _SHARE_OF_SECTION)
        if enough and shown:
            told.append(RecordSection(name=name, text=shown, cut=cut))
        else:
            left_out.append(name)
    return told, left_out


def _facts(view: RecordView, teller: Teller, source: str) -> dict[str, str]:
    found = {
        fact.label: teller.line(fact.value, _FACT, source)
        for fact in (*headline_facts(view), *provenance_facts(view))
        if fact.name in _FACTS
    }
    return found if teller.fits(found) else {}


def _advice(view: RecordView, missing: Sequence[str]) -> str:
    if view.successor:
        return f"get_error with reference={view.successor} tells what took its place."
    if missing:
        return "Call get_error again with sections=[…] for some of them, or with a larger max_tokens."
    return ""


def _text(view: RecordView, name: SectionName) -> str:
    """A section of the record; empty when it has none."""
    if name == "provenance":
        return "\n".join(_provenance(view))
    value = getattr(view.record, name)
    if isinstance(value, tuple):
        return "\n".join(f"{number}. {text}" for number, text in enumerate(value, 1))
    return str(value or "").strip()


def _provenance(view: RecordView) -> Iterator[str]:
    yield from (f"{fact.label}: {fact.value}" for fact in provenance_facts(view))
    yield f"Permalink: {view.record.github_url}"
