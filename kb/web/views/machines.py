"""What programs read: robots.txt, llms.txt, the JSON Schema of a record, the OpenSearch description, the favicon."""

from __future__ import annotations

from functools import cache

import msgspec
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from kb.records.schema import json_schema
from kb.web.addresses import base_url
from kb.web.pages import Visit, document

__all__ = ["favicon", "llms", "opensearch", "robots", "schema"]


@document
def robots(visit: Visit) -> HttpResponse:
    """``/robots.txt``: records are for everyone, endless combinations of search filters for nobody (pitfalls W6)."""
    return _text(render_to_string("machines/robots.txt", {"site": base_url(visit.request)}), "text/plain")


@document
def llms(visit: Visit) -> HttpResponse:
    """``/llms.txt``: how a language model's tools read this catalog."""
    return _text(
        render_to_string("machines/llms.txt", {"site": base_url(visit.request), "state": visit.state}), "text/markdown"
    )


@document
def opensearch(visit: Visit) -> HttpResponse:
    """``/opensearch.xml``: lets a browser search here from its address bar."""
    text = render_to_string("machines/opensearch.xml", {"site": base_url(visit.request)})
    return _text(text, "application/opensearchdescription+xml")


@document
def schema(_visit: Visit) -> HttpResponse:
    """``/schema.json``: what a record may hold."""
    return HttpResponse(_schema(), content_type="application/schema+json", headers={"Access-Control-Allow-Origin": "*"})


@csrf_exempt
@require_safe
def favicon(request: HttpRequest) -> HttpResponseRedirect:  # noqa: ARG001 - the shape of a view
    """``/favicon.ico``, which browsers ask for unasked."""
    return HttpResponseRedirect(staticfiles_storage.url("img/favicon.svg"))


@cache
def _schema() -> bytes:
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=2)


def _text(text: str, kind: str) -> HttpResponse:
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8")
