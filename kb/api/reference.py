"""The reference page at ``/docs/api/``: the OpenAPI document, set for people. Nothing of it comes from elsewhere."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from kb.api import caching, schema, throttle
from kb.api.endpoints import ENDPOINTS
from kb.api.links import API_ROOT, DOCUMENTATION, base_url
from kb.api.parameters import MAX_TEXT_BYTES
from kb.api.problems import KINDS
from kb.present.code import code_html
from kb.present.language import in_site_language, spoken
from kb.present.markdown import inline_markdown_html, markdown_html

__all__ = ["Member", "Operation", "Shape", "operations", "reference", "shapes"]

_PREFIX = "#/components/schemas/"
_WORDS = {
    "null": "null",
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
}


@dataclass(frozen=True, kw_only=True)
class Member:
    """A parameter, or a member of an answer. ``shape`` is the component that its value has, if it has one."""

    name: str
    kind: str
    about: SafeString
    required: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()
    shape: str = ""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """An endpoint as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    about: SafeString
    parameters: tuple[Member, ...]
    example_path: str
    body: str
    needs_key: bool
    example_body: str
    media_types: tuple[str, ...]
    shape: str
    example: SafeString | None
    problems: tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A component: an object and its members."""

    name: str
    about: SafeString
    members: tuple[Member, ...]


# --- from the document to what is shown ------------------------------------------------------------------------------


def operations() -> tuple[tuple[str, SafeString, tuple[Operation, ...]], ...]:
    """The endpoints by subject: its name, what it is about, its operations."""
    return _operations(spoken())


@functools.cache
def _operations(_language: str) -> tuple[tuple[str, SafeString, tuple[Operation, ...]], ...]:
    document = schema.document()
    by_tag: dict[str, list[Operation]] = {tag["name"]: [] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        for operation in methods.values():
            by_tag[operation["tags"][0]].append(_operation(path, operation))
    about = {tag["name"]: inline_markdown_html(tag["description"]) for tag in document["tags"]}
    return tuple((name, about[name], tuple(found)) for name, found in by_tag.items())


def _operation(path: str, operation: Mapping[str, Any]) -> Operation:
    endpoint = ENDPOINTS[operation["operationId"]]
    content = operation["responses"][str(endpoint.status)]["content"]
    first = next(iter(content.values()))
    example = first.get("example")
    query = urlencode(endpoint.query_example)
    return Operation(
        id=endpoint.operation,
        method=endpoint.method.upper(),
        needs_key=bool(endpoint.scope),
        path=path,
        summary=operation["summary"],
        about=markdown_html(operation["description"]),
        parameters=tuple(map(_parameter, operation["parameters"])),
        example_path=API_ROOT + endpoint.example_path + (f"?{query}" if query else ""),
        body=endpoint.body.name if endpoint.body else "",
        example_body=json.dumps(endpoint.body_example) if endpoint.body else "",
        media_types=tuple(content),
        shape=_referred(first["schema"]),
        example=None if example is None else _code(example),
        problems=tuple(_problems(operation["responses"])),
    )


def _problems(responses: Mapping[str, Any]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Statuses of problems, each with the kinds that have it."""
    for status in sorted(int(text) for text in responses if int(text) >= 400):  # noqa: PLR2004  # where errors begin
        yield status, tuple(kind.code for kind in KINDS.values() if kind.status == status)


def _parameter(row: Mapping[str, Any]) -> Member:
    value = row["schema"]
    default = value.get("default", "")
    kind = f"{_kind(value['items'])}, may be repeated" if row.get("explode") else _kind(value)
    return Member(
        name=row["name"],
        kind=kind + (", in the path" if row["in"] == "path" else ""),
        about=inline_markdown_html(row["description"]),
        required=bool(row.get("required")),
        default=", ".join(default) if isinstance(default, list) else str(default),
        choices=tuple(value.get("enum") or value.get("items", {}).get("enum", ())),
    )


@functools.cache
def shapes() -> tuple[Shape, ...]:
    """The components that have members; parts of a record are told with ``fields=`` already."""
    found = schema.document()["components"]["schemas"]
    return tuple(
        Shape(
            name=name,
            about=markdown_html(part.get("description", "")),
            members=tuple(_member(field, value, part) for field, value in part["properties"].items()),
        )
        for name, part in found.items()
        if "properties" in part and not name.endswith("Selection")
    )


def _member(name: str, value: Mapping[str, Any], part: Mapping[str, Any]) -> Member:
    return Member(
        name=name,
        kind=_kind(value),
        about=inline_markdown_html(value.get("description", "")),
        required=name in part.get("required", ()),
        choices=tuple(str(choice) for choice in value.get("enum", ()) if choice is not None),
        shape=_referred(value),
    )


def _referred(value: Mapping[str, Any]) -> str:
    """The name of the component that a value, an item of it or one of its alternatives has; empty for none."""
    if "$ref" in value:
        return str(value["$ref"]).removeprefix(_PREFIX)
    inner = [*value.get("anyOf", ()), value.get("items"), value.get("additionalProperties")]
    return next((name for part in inner if isinstance(part, dict) and part and (name := _referred(part))), "")


def _kind(value: Mapping[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in value:
        return "object"
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(map(_kind, value["anyOf"])))
    found = value.get("type", "any value")
    if isinstance(found, list):
        return " or ".join(_kind({**value, "type": one}) for one in found)
    if found == "array":
        return f"list of {_kind(value.get('items', {}))}"
    if found == "integer" and "minimum" in value and "maximum" in value:
        return f"{_WORDS[found]} from {value['minimum']} to {value['maximum']}"
    return _WORDS.get(found, str(found))


def _code(example: Any) -> SafeString:
    return code_html(json.dumps(example, ensure_ascii=False, indent=2), language="JSON", start=None)


# --- the page --------------------------------------------------------------------------------------------------------


@csrf_exempt
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The page. It asks no database, so it can be read while the catalog is away."""
    body = _page(base_url(request))
    tag = caching.body_tag(body)
    response: HttpResponse = HttpResponseNotModified() if caching.matches(request, tag) else HttpResponse(body)
    response["ETag"] = tag
    response["Cache-Control"] = caching.CACHE_CONTROL
    response["Vary"] = "Accept-Encoding"
    return response


@functools.lru_cache(maxsize=4)  # a site has one address; hosts in requests are checked against a list
@in_site_language
def _page(site: str) -> bytes:
    context = {
        "title": gettext("API reference"),
        "description": gettext("The REST API of this catalog: endpoints, parameters, answers and errors."),
        "section": "api",
        "indexed": True,
        "canonical": site + DOCUMENTATION,
        "site": site,
        "state": None,
        "kind": "website",
        "structured": "",
        "root": API_ROOT,
        "groups": operations(),
        "shapes": shapes(),
        "kinds": tuple(KINDS.values()),
        "window": throttle.WINDOW_SECONDS,
        "longest_text": f"{MAX_TEXT_BYTES:,}",
    }
    return render_to_string("api/reference.html", context).encode()
