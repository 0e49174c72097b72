"""The OpenAPI document: drf-spectacular walks the URL patterns, the endpoint table says what stands there.

``docs/openapi.json`` is written by ``manage.py spectacular --format openapi-json --file docs/openapi.json``; a test
compares that file with what is served.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from kb.api import answers, match_answers
from kb.api.authorization import SCHEME
from kb.api.endpoints import ENDPOINTS
from kb.api.links import API_ROOT, DOCUMENTATION
from kb.api.negotiation import JSON, MARKDOWN
from kb.api.operations import Endpoint
from kb.api.problems import KINDS, MEDIA_TYPE
from kb.api.uploads import FORM, RAW
from kb.records.schema import json_schema

__all__ = ["EndpointSchema", "complete", "document", "document_bytes", "examples"]

_REF = "#/components/schemas/{name}"
_EXAMPLES = Path(__file__).with_name("examples.json")
# What any endpoint can answer, whatever it is asked.
_EVERYWHERE = (
    "invalid_parameter", "invalid_character", "bad_request", "method_not_allowed", "not_acceptable", "query_too_long",
    "too_many_requests", "internal_error", "catalog_unavailable",
)  # fmt: skip
_DESCRIPTION = (
    "Read access to the catalog of documented errors. No key is needed to read, and scripts of any site may read.\n\n"
    "Answers are JSON with names in camelCase; records have their dataset's own field names. Every answer names the "
    "catalog's `revision` and `datasetVersion`. Lists are paged by cursor: follow `next` until it is null. They have "
    "strong entity tags: send `If-None-Match`, and get 304 as long as nothing has changed. Unknown parameters are "
    "errors. Every error is a problem document (RFC 9457).\n\n"
    "Addresses work with and without the slash at their end. Clients have a rate, counted a minute in each server "
    "process; every answer says what is left of it."
)
_KEYS = "A key that the operator made with `faultbook apikeys create`."
_FILES: dict[str, Any] = {
    RAW: {"schema": {"type": "string", "format": "binary"}},
    FORM: {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}},
            "required": ["file"],
        }
    },
}
_TAGS = {
    "errors": "Records: lists, single ones, search.",
    "match": "Pasted messages, stack traces and logs to the records of their errors.",
    "repositories": "Where errors are raised.",
    "families": "Errors of one kind across repositories.",
    "codes": "Error codes across repositories.",
    "classes": "Error classes across repositories.",
    "tags": "Tags across repositories.",
    "quality": "The work list of a dataset's maintainers.",
    "releases": "Imports and what they rejected.",
    "changes": "What changed: the feed, and the history of records.",
    "imports": "Imports over HTTP, for holders of a key.",
    "about": "The catalog and this API.",
}
_HEADERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "ETag": ("Strong entity tag of the answer.", {"type": "string"}),
    "Link": ('Address of the next page, as `rel="next"`.', {"type": "string"}),
    "Allow": ("The methods that the endpoint takes.", {"type": "string"}),
    "WWW-Authenticate": ("How to send a key.", {"type": "string"}),
    "Retry-After": ("Seconds to wait.", {"type": "integer"}),
    "Faultbook-Revision": ("The revision of the catalog.", {"type": "integer"}),
    "Faultbook-Dataset-Version": ("The served version of the catalog.", {"type": "string"}),
    "RateLimit-Policy": ("How many requests (q) a client may make in a window of seconds (w).", {"type": "string"}),
    "RateLimit": ("How many requests are left (r) and for how many seconds (t).", {"type": "string"}),
    "X-RateLimit-Limit": ("Requests a minute.", {"type": "integer"}),
    "X-RateLimit-Remaining": ("Requests left in this minute.", {"type": "integer"}),
    "X-RateLimit-Reset": ("When the next minute begins, in seconds since 1970.", {"type": "integer"}),
}
_RATE_HEADERS = ("RateLimit-Policy", "RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_PROBLEM_HEADERS = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
_CATALOG_HEADERS = ("Faultbook-Revision", "Faultbook-Dataset-Version")


# --- one operation ---------------------------------------------------------------------------------------------------


class EndpointSchema(AutoSchema):
    """Tells drf-spectacular an endpoint's operation as its row in the table has it."""

    def get_operation(self, *walked: Any) -> dict[str, Any]:
        """The Operation Object; ``walked`` are path, regular expression, prefix, method and registry."""
        view: Any = self.view  # all views are of our base class
        endpoint: Endpoint = view.posting if walked[3].upper() == "POST" else view.endpoint
        content = {JSON: _media_sent(endpoint)} | (_FILES if endpoint.uploads else {})
        body = {"requestBody": {"required": True, "content": content}} if endpoint.body else {}
        return {
            "operationId": endpoint.operation,
            "summary": endpoint.summary,
            "description": endpoint.description,
            "tags": [endpoint.tag],
            "parameters": [row.openapi() for row in endpoint.path_parameters]
            + [row.openapi() for row in endpoint.parameters],
            **body,
            **({"security": [{SCHEME: [endpoint.scope]}]} if endpoint.scope else {}),
            "responses": _responses(endpoint),
        }


def _media_sent(endpoint: Endpoint) -> dict[str, Any]:
    """What a body looks like."""
    name = endpoint.body.name if endpoint.body else ""
    return {"schema": {"$ref": _REF.format(name=name)}, "example": dict(endpoint.body_example)}


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    tag = ("ETag",) if endpoint.tagged else ()
    headers = _header_refs(*tag, *_CATALOG_HEADERS, *(("Link",) if _is_list(endpoint) else ()), *_RATE_HEADERS)
    found: dict[str, Any] = {
        str(endpoint.status): {"description": "The answer.", "headers": headers, "content": _content(endpoint)},
    }
    if endpoint.tagged:
        found["304"] = {"description": "The client's copy still holds.", "headers": headers}
    statuses = {KINDS[code].status for code in (*_EVERYWHERE, *endpoint.problems)}
    return found | {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in sorted(statuses)}


def _is_list(endpoint: Endpoint) -> bool:
    return any(row.name == "cursor" for row in endpoint.parameters)


def _header_refs(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _content(endpoint: Endpoint) -> dict[str, Any]:
    return {media_type: _media(endpoint, media_type) for media_type in endpoint.media_types}


def _media(endpoint: Endpoint, media_type: str) -> dict[str, Any]:
    if media_type == MARKDOWN:
        return {"schema": {"type": "string"}}
    if media_type.endswith("ndjson"):  # the document describes a line
        line = endpoint.answer.__name__ if endpoint.answer else "Record"
        return {"schema": {"type": "string", "description": f"JSON objects like {line}, one a line."}}
    if endpoint.answer is None:
        return {"schema": {"type": "object"}}
    media: dict[str, Any] = {"schema": {"$ref": _REF.format(name=endpoint.answer.__name__)}}
    example = examples().get(endpoint.operation)
    return media | ({"example": example} if example is not None else {})


# --- the whole document ----------------------------------------------------------------------------------------------


def complete(result: dict[str, Any], **_given: Any) -> dict[str, Any]:
    """The last hook of drf-spectacular: components, servers, words; paths as the table spells them, in its order."""
    operations = {
        operation["operationId"]: operation for methods in result["paths"].values() for operation in methods.values()
    }
    info = {**result["info"], "summary": "Documented errors, for programs.", "description": _DESCRIPTION}
    return {
        "openapi": result["openapi"],
        "info": info | {"license": {"name": "MIT", "identifier": "MIT"}},
        "servers": [{"url": "/", "description": "This site."}],
        "externalDocs": {"url": DOCUMENTATION, "description": "The reference as a page."},
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "paths": _paths(operations),
        "components": {
            "securitySchemes": {SCHEME: {"type": "http", "scheme": "bearer", "description": _KEYS}},
            "schemas": _schemas(),
            "responses": {
                f"Problem{status}": _problem(status) for status in sorted({kind.status for kind in KINDS.values()})
            },
            "headers": {name: {"description": text, "schema": schema} for name, (text, schema) in _HEADERS.items()},
        },
    }


def _paths(operations: Mapping[str, Any]) -> dict[str, Any]:
    """The operations by path and method."""
    found: dict[str, Any] = {}
    for row in ENDPOINTS.values():
        if row.operation in operations:
            found.setdefault(API_ROOT + row.path, {})[row.method] = operations[row.operation]
    return found


def _problem(status: int) -> dict[str, Any]:
    kinds = [kind for kind in KINDS.values() if kind.status == status]
    specific = _PROBLEM_HEADERS.get(status, ())
    return {
        "description": "\n\n".join(f"`{kind.code}`: {kind.meaning}" for kind in kinds),
        "headers": _header_refs(*specific, *_RATE_HEADERS),
        "content": {
            MEDIA_TYPE: {
                "schema": {"$ref": _REF.format(name="ProblemDetails")},
                "examples": {kind.code: {"value": _problem_example(kind.code)} for kind in kinds},
            }
        },
    }


def _problem_example(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    found: dict[str, Any] = {
        "type": f"{DOCUMENTATION}#{kind.anchor}",
        "title": kind.title,
        "status": kind.status,
        "detail": kind.meaning,
        "instance": f"{API_ROOT}errors/",
        "code": code,
    }
    if code == "invalid_parameter":
        detail = "severty is no parameter of this endpoint. Did you mean severity?"
        fault = {
            "parameter": "severty",
            "code": "unknown",
            "detail": detail,
            "valid": ["severity"],
            "nearest": "severity",
        }
        found |= {"detail": detail, "errors": [fault]}
    return found


def _schemas() -> dict[str, Any]:
    """The components: our answers, and the record in whole and in part."""
    types = [row.answer for row in ENDPOINTS.values() if row.answer is not None]
    types += [answers.ErrorSummary, answers.SearchResult, answers.ProblemDetails]
    types += [match_answers.MatchReference, match_answers.MatchSummary, match_answers.MatchRecord]
    _, found = msgspec.json.schema_components(types, ref_template=_REF)
    found["ProblemDetails"]["properties"]["code"]["enum"] = list(KINDS)
    record = _record_schemas()
    parts = record["Record"]["properties"]
    record["RecordSelection"] = _selection("Some fields of a record.", parts)
    record["ErrorSelection"] = _selection(
        "The members that `fields=` asked for, as far as the record has them.",
        found["SearchResult"]["properties"] | parts,
    )
    sent = {row.body.name: row.body.schema() for row in ENDPOINTS.values() if row.body}
    return dict(sorted((found | record | sent).items()))


def _selection(description: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "description": description, "properties": dict(properties), "additionalProperties": False}


def _record_schemas() -> dict[str, Any]:
    """The published schema of a record as components; its own definitions beside it."""
    text = json.dumps(json_schema()).replace('"#/$defs/', '"#/components/schemas/Record.')
    schema = json.loads(text)
    definitions = {f"Record.{name}": part for name, part in schema.pop("$defs", {}).items()}
    for name in ("$schema", "$id"):
        schema.pop(name, None)
    return {"Record": schema, **definitions}


@functools.cache
def examples() -> dict[str, Any]:
    """Answers to the example requests, by operation id; they come from the project's own records."""
    return dict(json.loads(_EXAMPLES.read_text(encoding="utf-8")))


@functools.cache
def document() -> dict[str, Any]:
    """The OpenAPI document. Callers must not change it."""
    generator: Any = SchemaGenerator  # without types of its own
    return dict(generator(urlconf="kb.api.urls").get_schema(public=True))


@functools.cache
def document_bytes() -> bytes:
    """The document as it is served."""
    return msgspec.json.encode(document())
