"""The tool ``search_errors``: records by words and filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django_mcpz.server import ToolError

from kb.catalog import queries
from kb.catalog.answers import RecordRow
from kb.mcp.answers import SearchAnswer, SearchHit
from kb.mcp.arguments import SearchArguments
from kb.mcp.call import Call, Reply, paged
from kb.mcp.framing import NOTICE
from kb.mcp.readable import search_text
from kb.mcp.shaping import Teller
from kb.search import answers as found_answers
from kb.search import engine
from kb.search.errors import BadSearchCursor

__all__ = ["search_errors"]

_EXCERPT: Final = 60  # tokens
_NOTE: Final = 40
_MOST_NOTES: Final = 5
_QUERY: Final = "the query"


def search_errors(call: Call, arguments: SearchArguments) -> Reply[SearchAnswer]:
    """The hits that fit the budget, with the cursor of those that did not. One query a search, two searches as a rule.

    Raises ``SearchUnavailable``.
    """

    def page(limit: int) -> _Page:
        return _search(call, arguments, limit)

    def build(found: _Page, count: int) -> Reply[SearchAnswer]:
        return _reply(call, found, count)

    return paged(page, build, limit=arguments.limit, budget=arguments.max_tokens)


@dataclass(frozen=True, kw_only=True)
class _Page:
    found: found_answers.SearchAnswer
    rows: tuple[RecordRow, ...]


def _search(call: Call, arguments: SearchArguments, limit: int) -> _Page:
    given = {"repo": arguments.repository, "language": arguments.language, "severity": arguments.severity}
    try:
        found = engine.search(
            arguments.query,
            filters={name: (value,) for name, value in given.items() if value},
            facets=(),
            cursor=arguments.cursor,
            limit=limit,
            revision=call.state.revision,
        )
    except BadSearchCursor:
        raise ToolError(
            "This cursor belongs to another search, or the catalog has changed since. Call search_errors again without "
            "a cursor."
        ) from None
    return _Page(found=found, rows=queries.record_rows([hit.id for hit in found.hits]))


def _reply(call: Call, page: _Page, count: int) -> Reply[SearchAnswer]:
    """The first ``count`` hits, at least one of those that there are: that one then without an excerpt."""
    teller = Teller(call.base, count)
    found = page.found
    hits = [
        SearchHit(excerpt=teller.line(row.excerpt, _EXCERPT, f"record {row.id}") if count else "", **teller.record(row))
        for row in page.rows[: max(1, count)]
    ]
    answer = SearchAnswer(
        notice=NOTICE,
        revision=found.revision,
        dataset_version=call.state.version,
        warnings=teller.warnings,
        advice=_advice(found),
        count=found.count,
        results=hits,
        next=found.next,
        did_you_mean=teller.line(found.did_you_mean or "", _NOTE, _QUERY),
        relaxed=found.relaxed,
        problems=[teller.line(row.message, _NOTE, _QUERY) for row in found.problems[: _MOST_NOTES if count else 1]],
    )
    return Reply(answer=answer, text=search_text(answer), told=len(hits))


def _advice(found: found_answers.SearchAnswer) -> str:
    if found.hits:
        return "get_error with the id of a record tells all of it."
    if found.count:
        return "This is the end of the list."
    return "Nothing was found. Try fewer words or no filters, or explain_error with the error as printed."
