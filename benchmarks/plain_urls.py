"""The site, and beside it the plainest views that do a page's least: the baselines, behind the same middleware."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import URLPattern, URLResolver, include, path

from kb.catalog.models import Record
from kb.catalog.rows import record_of
from kb.records.encode import encode_json

__all__ = ["urlpatterns"]

_PAGE = engines["django"].from_string(
    "<!doctype html><title>{{ row.error_message }}</title><h1>{{ row.slug }}</h1><p>{{ row.documentation }}</p>"
)


def _row(id: str) -> Record:
    return Record.objects.select_related("repository", "dataset").get(pk=id)


def page(_request: HttpRequest, id: str) -> HttpResponse:
    """The row of a record in a trivial template: one query."""
    return HttpResponse(_PAGE.render({"row": _row(id)}))


def content(_request: HttpRequest, id: str) -> HttpResponse:
    """The record of a row as the bytes of its JSON: one query."""
    return HttpResponse(encode_json(record_of(_row(id))), content_type="application/json")


def nothing(_request: HttpRequest) -> HttpResponse:
    """No template and one query: what the server, the middleware and a database connection take."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok")


urlpatterns: list[URLPattern | URLResolver] = [
    path("bench/page/<str:id>/", page),
    path("bench/content/<str:id>/", content),
    path("bench/nothing/", nothing),
    path("", include("kb.urls")),
]
