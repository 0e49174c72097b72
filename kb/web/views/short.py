"""The permanent link ``/e/{id or code}``, in the form that the client asks for (decisions 16)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext

from kb.catalog import queries
from kb.catalog.answers import RecordRow, RecordView
from kb.present import links
from kb.present.record_card import record_card, rows_card
from kb.present.record_markdown import record_markdown, rows_markdown
from kb.web.addresses import base_url
from kb.web.pages import Page, Visit, negotiated_page
from kb.web.record_answers import record_content
from kb.web.representation import form_asked_for

__all__ = ["short"]

_ID = re.compile(r"[0-9a-f]{16}")
_LONGEST_CODE = 200
_LISTED = 50


@negotiated_page
def short(visit: Visit, reference: str) -> Page | HttpResponseBase:
    """One record by its id, or by its code when it is the only one that has it; else the records with that code.

    At most four queries. Never redirects: what is quoted in a ticket answers where it was asked.
    """
    identity = reference.lower()  # people copy ids from tools that write them large
    view = queries.record_by_id(identity) if _ID.fullmatch(identity) else None
    if view is None:
        rows = queries.records_of_code(reference, _LISTED) if len(reference) <= _LONGEST_CODE else ()
        if not rows:
            raise Http404
        if len(rows) > 1:
            return _several(visit.request, reference, rows)
        view = queries.record_by_id(rows[0].id)
    if view is None:
        raise Http404
    return _one(visit.request, view)


def _one(request: HttpRequest, view: RecordView) -> Page | HttpResponse:
    match form_asked_for(request):
        case "html":
            return record_content(view, base_url(request))
        case "json":
            return HttpResponse(view.raw, content_type="application/json")
        case "markdown":
            return _text(record_markdown(view, base_url=base_url(request)), "markdown")
        case _:
            return _text(record_card(view, base_url=base_url(request)), "plain")


def _several(request: HttpRequest, code: str, rows: Sequence[RecordRow]) -> Page | HttpResponse:
    site = base_url(request)
    match form_asked_for(request):
        case "html":
            return Page(
                template="code.html",
                title=gettext("Records with the code %(code)s") % {"code": code},
                path=links.short_path(code),
                section="codes",
                indexed=False,
                context={"code": code, "rows": rows},
            )
        case "json":
            records = [
                {
                    "id": row.id,
                    "repo": row.repo,
                    "message": row.error_message,
                    "url": links.absolute(site, links.short_path(row.id)),
                }
                for row in rows
            ]
            return HttpResponse(
                msgspec.json.encode({"code": code, "records": records}), content_type="application/json"
            )
        case "markdown":
            return _text(rows_markdown(code, rows, base_url=site), "markdown")
        case _:
            return _text(rows_card(code, rows, base_url=site), "plain")


def _text(text: str, kind: str) -> HttpResponse:
    return HttpResponse(text, content_type=f"text/{kind}; charset=utf-8")
