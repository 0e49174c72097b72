"""The views of changes: the feed, and the history of a record."""

from __future__ import annotations

import msgspec

from kb.api import change_answers as answers
from kb.api.answers import ParameterProblem
from kb.api.links import api_path
from kb.api.lists import item, page_of, stamp
from kb.api.problems import Problem
from kb.api.view import Call, EndpointView, Made
from kb.catalog import queries
from kb.catalog.history_answers import ChangesPruned, ChangeView, HistoryEntry
from kb.present import links
from kb.present.diff_runs import Part
from kb.present.diffs import FieldChange, field_changes
from kb.records.encode import encode_json

__all__ = ["ChangeListView", "HistoryView"]


class ChangeListView(EndpointView):
    """The feed of changes."""

    def make(self, call: Call) -> Made:
        """One page. Raises :class:`Problem` ``resync_required`` when the client has to begin anew."""
        values = call.values
        after = values["after"]
        if after is not None and after > call.state.revision:
            raise _resync(f"The catalog is at revision {call.state.revision}: this is not the one that you followed.")
        filters = queries.ChangeFilter(after=after, repo=values["repo"], kinds=values["kind"] or ())
        try:
            found, following = page_of(queries.changes, call, filters, order=values["order"])
        except ChangesPruned as error:
            raise _resync(
                f"Changes after revision {error.after} are not all kept; those after revision {error.oldest} are.",
                oldest=error.oldest,
            ) from error
        whole = values["content"] == "record"
        results = [_change(view, call.base, whole=whole) for view in found]
        answer = answers.ChangeList(results=results, next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag(), next=following)


class HistoryView(EndpointView):
    """The history of a record."""

    def make(self, call: Call) -> Made:
        """One page."""
        record_id = call.parts["id"]
        item(queries.content_hash_of(record_id), "record")
        found, following = page_of(queries.history, call, record_id)
        whole = call.values["content"] == "record"
        results = [_entry(entry, call.base, whole=whole) for entry in found]
        answer = answers.History(id=record_id, results=results, next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag(), next=following)


def _resync(detail: str, *, oldest: int | None = None) -> Problem:
    advice = "Get an export, and follow the changes after its revision."
    fault = ParameterProblem(
        parameter="after", code="invalid", detail=detail, valid=msgspec.UNSET if oldest is None else [str(oldest)]
    )
    return Problem("resync_required", f"{detail} {advice}", errors=[fault])


def _change(view: ChangeView, base: str, *, whole: bool) -> answers.Change:
    record = view.record
    path = api_path("errors", record.id)
    return answers.Change(
        revision=view.revision,
        kind=view.kind,
        id=record.id,
        repo=record.repo,
        slug=record.slug,
        error_message=record.error_message,
        url=base + links.short_path(record.id),
        api_url=base + path,
        history_url=f"{base}{path}history/",
        record=msgspec.Raw(view.raw) if whole else msgspec.UNSET,
    )


def _entry(entry: HistoryEntry, base: str, *, whole: bool) -> answers.HistoryEntry:
    fields = None if entry.before is None else [_field(change) for change in field_changes(entry.before, entry.after)]
    return answers.HistoryEntry(
        revision=entry.revision,
        kind=entry.kind,
        at=entry.at,
        release=entry.release,
        release_url=None if entry.release is None else base + links.release_path(entry.release),
        dataset=entry.dataset,
        dataset_version=entry.dataset_version,
        fields=fields,
        record=msgspec.Raw(encode_json(entry.after)) if whole else msgspec.UNSET,
    )


def _field(change: FieldChange) -> answers.FieldChange:
    return answers.FieldChange(
        field=change.field,
        kind=change.kind,
        unit=change.unit,
        parts=_parts(change.parts),
        entries=[_parts(parts) for parts in change.entries] if change.unit == "entries" else msgspec.UNSET,
    )


def _parts(parts: tuple[Part, ...]) -> list[answers.TextPart]:
    return [answers.TextPart(kind=part.kind, text=part.text) for part in parts]
