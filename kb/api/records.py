"""The views of records: a list, one of them, and a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kb.api import answers, shapes
from kb.api.endpoints import RESULT_FIELDS, SUMMARY_FIELDS
from kb.api.lists import bad_cursor, item, next_url, page_of, stamp
from kb.api.negotiation import MARKDOWN
from kb.api.view import Call, EndpointView, Made
from kb.catalog import queries
from kb.catalog.answers import RecordFilter, RecordRow, RecordView
from kb.present.record_markdown import record_markdown
from kb.search import engine
from kb.search.answers import Hit
from kb.search.errors import BadSearchCursor
from kb.search.facets import FacetValue
from kb.search.index import is_usable

__all__ = ["ErrorListView", "ErrorView", "SearchView", "record_filter"]

# Query parameters that are named otherwise in the catalog.
_FILTER_NAMES = {"class": "cls"}
_FILTERS = ("repo", "language", "severity", "type", "class", "code", "strategy", "family", "tag", "status", "dataset")
# Members that a line of a list has without the whole record.
_LIGHT = frozenset(SUMMARY_FIELDS)
_SEARCH_LIGHT = frozenset(RESULT_FIELDS)


def record_filter(values: Mapping[str, Any]) -> RecordFilter:
    """The filters of records among the values of a query."""
    given = {name: values[name] for name in _FILTERS if values[name] is not None}
    return RecordFilter(**{_FILTER_NAMES.get(name, name): value for name, value in given.items()})


class ErrorListView(EndpointView):
    """Records that pass filters."""

    def make(self, call: Call) -> Made:
        """One page; the whole records are read only when a field of theirs is asked for."""
        fields = call.values["fields"]
        filters = record_filter(call.values)
        if fields is None or _LIGHT.issuperset(fields):
            rows, following = page_of(queries.list_rows, call, filters)
            results = [shapes.summary_fields(shapes.error_summary(row, call.base), fields) for row in rows]
        else:
            views, following = page_of(queries.list_records, call, filters)
            results = [shapes.summary_fields(shapes.error_summary(view.row, call.base), fields, view) for view in views]
        answer = answers.ErrorList(results=results, next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag(), next=following)


class ErrorView(EndpointView):
    """One record, as JSON or as Markdown."""

    def make(self, call: Call) -> Made:
        """The record's bytes spliced into the answer, as its dataset has them."""
        view = item(queries.record_by_id(call.parts["id"]), "record")
        tag = call.revision_tag(view.content_hash)
        if call.media_type == MARKDOWN:
            return Made(body=record_markdown(view, base_url=call.base).encode(), tag=tag)
        answer = answers.ErrorAnswer(
            record=shapes.record_fields(view, call.values["fields"]),
            meta=shapes.error_meta(view, call.base),
            **stamp(call),
        )
        return Made(body=msgspec.json.encode(answer), tag=tag)


class SearchView(EndpointView):
    """A search with facets."""

    def known_tag(self, call: Call) -> str | None:
        """Only while the index is that of the revision: an older one makes another answer."""
        return super().known_tag(call) if is_usable(call.state.revision) else None

    def make(self, call: Call) -> Made:
        """One page of what was found, with counts over all of it."""
        facets = call.values["facets"]
        try:
            found = engine.search(
                call.values["q"],
                filters=_search_filters(call.values),
                facets=() if facets == ("none",) else tuple(name for name in facets if name != "none"),
                cursor=call.values["cursor"],
                limit=call.values["limit"],
                revision=call.state.revision,
            )
        except BadSearchCursor as error:
            raise bad_cursor() from error
        following = next_url(call, found.next)
        answer = answers.SearchAnswer(
            dataset_version=call.state.version,
            revision=found.revision,
            count=found.count,
            results=_results(call, found.hits),
            facets={name: [_count(value) for value in values] for name, values in found.facets.items()},
            next=following,
            did_you_mean=found.did_you_mean,
            relaxed=found.relaxed,
            problems=[answers.QueryNotice(message=row.message, position=row.position) for row in found.problems],
        )
        tag = call.revision_tag() if found.revision == call.state.revision else ""
        return Made(body=msgspec.json.encode(answer), tag=tag, next=following)


def _search_filters(values: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """The filters that were given; ``status`` is one value, the others are several."""
    given = {name: values[name] for name in _FILTERS if name in values and values[name] is not None}
    return {name: (value,) if isinstance(value, str) else value for name, value in given.items()}


def _count(value: FacetValue) -> answers.FacetCount:
    return answers.FacetCount(value=value.value, count=value.count, selected=value.selected)


def _results(call: Call, hits: Sequence[Hit]) -> list[msgspec.Raw]:
    """The found records in their order; one that is gone since the index was made is left out."""
    fields = call.values["fields"]
    ids = [hit.id for hit in hits]
    rows: dict[str, RecordRow]
    views: dict[str, RecordView] = {}
    if fields is None or _SEARCH_LIGHT.issuperset(fields):
        rows = {row.id: row for row in queries.record_rows(ids)}
    else:
        views = {view.record.id: view for view in queries.records_by_ids(ids)}
        rows = {record_id: view.row for record_id, view in views.items()}
    return [
        shapes.summary_fields(
            shapes.search_result(rows[hit.id], call.base, score=hit.score, highlights=_highlights(hit)),
            fields,
            views.get(hit.id),
        )
        for hit in hits
        if hit.id in rows
    ]


def _highlights(hit: Hit) -> list[answers.Highlight]:
    return [
        answers.Highlight(
            field=field, parts=[answers.HighlightPart(text=text, marked=marked) for text, marked in parts]
        )
        for field, parts in hit.highlights
    ]
