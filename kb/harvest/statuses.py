"""HTTP statuses: of well-known exception classes, and as expressions write them."""

from __future__ import annotations

import ast
import re
from http import HTTPStatus
from typing import Final

from kb.harvest.blocks import last_name

__all__ = ["KNOWN_STATUSES", "status_of", "status_of_class"]

KNOWN_STATUSES: Final = {
    "django.http.Http404": 404,
    "django.http.response.Http404": 404,
    "django.core.exceptions.PermissionDenied": 403,
    "django.core.exceptions.SuspiciousOperation": 400,
    "django.core.exceptions.SuspiciousFileOperation": 400,
    "django.core.exceptions.SuspiciousMultipartForm": 400,
    "django.core.exceptions.DisallowedHost": 400,
    "django.core.exceptions.DisallowedRedirect": 400,
    "django.core.exceptions.TooManyFieldsSent": 400,
    "django.core.exceptions.TooManyFilesSent": 400,
    "django.core.exceptions.RequestDataTooBig": 413,
    "django.core.exceptions.BadRequest": 400,
    "django.http.multipartparser.MultiPartParserError": 400,
    "rest_framework.exceptions.APIException": 500,
    "rest_framework.exceptions.ValidationError": 400,
    "rest_framework.serializers.ValidationError": 400,
    "rest_framework.exceptions.ParseError": 400,
    "rest_framework.exceptions.AuthenticationFailed": 401,
    "rest_framework.exceptions.NotAuthenticated": 401,
    "rest_framework.exceptions.PermissionDenied": 403,
    "rest_framework.exceptions.NotFound": 404,
    "rest_framework.exceptions.MethodNotAllowed": 405,
    "rest_framework.exceptions.NotAcceptable": 406,
    "rest_framework.exceptions.UnsupportedMediaType": 415,
    "rest_framework.exceptions.Throttled": 429,
}

_HTTP_CLASS: Final = re.compile(r"HTTP(?P<words>[A-Z][A-Za-z]+)")  # aiohttp's and Pyramid's HTTPNotFound
_CONSTANT: Final = re.compile(r"HTTP_(?P<status>[1-5][0-9]{2})_[A-Z_]+")
_MODULES: Final = ("werkzeug.exceptions.", "aiohttp.web.", "aiohttp.web_exceptions.", "pyramid.httpexceptions.")
_BY_WORDS: Final = {status.phrase.replace(" ", "").replace("-", "").casefold(): status.value for status in HTTPStatus}
_LOWEST, _HIGHEST = 100, 599


def status_of_class(qualified: str) -> int | None:
    """The status that frameworks give an exception of this class."""
    if (known := KNOWN_STATUSES.get(qualified)) is not None:
        return known
    if not qualified.startswith(_MODULES):
        return None
    name = qualified.rpartition(".")[2]
    match = _HTTP_CLASS.fullmatch(name)
    return _BY_WORDS.get((match["words"] if match else name).casefold())


def status_of(node: ast.expr | None) -> int | None:
    """The status that an expression states: a number, ``HTTPStatus.NOT_FOUND``, ``status.HTTP_404_NOT_FOUND``."""
    if isinstance(node, ast.Constant):
        value = node.value
        valid = isinstance(value, int) and not isinstance(value, bool) and _LOWEST <= value <= _HIGHEST
        return value if valid and isinstance(value, int) else None
    if isinstance(node, ast.Attribute) and node.attr == "value":
        node = node.value
    name = last_name(node) if node is not None else ""
    if match := _CONSTANT.fullmatch(name):
        return int(match["status"])
    if isinstance(node, ast.Attribute) and last_name(node.value) == "HTTPStatus":
        return HTTPStatus.__members__[name].value if name in HTTPStatus.__members__ else None
    return None
