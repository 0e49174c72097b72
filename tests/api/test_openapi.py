"""The OpenAPI document: valid, complete, current, and its examples true."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from kb.api import schema
from kb.api.endpoints import ENDPOINTS
from kb.api.negotiation import JSON
from kb.api.problems import KINDS
from kb.api.urls import VIEWS

Get = Callable[..., Any]
DOCUMENT = json.loads(schema.document_bytes())


def test_it_is_valid() -> None:
    errors = [error.message for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()]
    assert errors == []
    assert DOCUMENT["openapi"].startswith("3.1")


def test_spectacular_writes_it_without_a_warning(tmp_path: Path) -> None:
    target = tmp_path / "openapi.json"
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", "--file", str(target))
    assert json.loads(target.read_bytes()) == DOCUMENT


def test_the_committed_document_is_current(project_root: Path) -> None:
    """Write it with: manage.py spectacular --format openapi-json --file docs/openapi.json."""
    assert json.loads((project_root / "docs" / "openapi.json").read_bytes()) == DOCUMENT


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("*/*", "application/vnd.oai.openapi+json"),
        ("application/json", "application/json"),
        ("application/vnd.oai.openapi+json", "application/vnd.oai.openapi+json"),
    ],
)
def test_it_is_served(accept: str, content_type: str, get: Get) -> None:
    response = get("schema/", accept=accept)
    assert response["content-type"] == content_type
    assert json.loads(response.body) == DOCUMENT


def test_it_has_every_endpoint_under_its_name() -> None:
    told = {
        operation["operationId"]: (path, method)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }
    assert told == {row.operation: (f"/api/v1/{row.path}", row.method) for row in ENDPOINTS.values()}
    assert set(VIEWS) == set(ENDPOINTS)


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for methods in DOCUMENT["paths"].values():
        yield from ((operation["operationId"], operation) for operation in methods.values())


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from ([part["$ref"]] if isinstance(part.get("$ref"), str) else [])
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_nothing_refers_to_what_is_not_there_and_every_component_is_used() -> None:
    used = set(references(DOCUMENT))
    there = {
        f"#/components/{kind}/{name}" for kind, components in DOCUMENT["components"].items() for name in components
    }
    assert used <= there
    schemes = {name for name in there if name.startswith("#/components/securitySchemes/")}
    assert there - used == schemes
    assert all(row.get("security") for name, row in operations() if ENDPOINTS[name].scope)


def test_every_endpoint_documents_every_error() -> None:
    always = {"400", "405", "406", "414", "429", "500", "503"}
    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            assert always | {str(ENDPOINTS[operation["operationId"]].status)} <= set(operation["responses"])
            assert ("304" in operation["responses"]) is ENDPOINTS[operation["operationId"]].tagged
            assert {"413", "415"} <= set(operation["responses"]) or "requestBody" not in operation
    codes = {
        code
        for response in DOCUMENT["components"]["responses"].values()
        for code in response["content"]["application/problem+json"]["examples"]
    }
    assert codes == set(KINDS)


@pytest.mark.parametrize(
    "operation", [name for name, row in ENDPOINTS.items() if row.answer and row.media_types[0] == JSON]
)
def test_examples_are_answers(operation: str) -> None:
    answer = ENDPOINTS[operation].answer
    assert answer is not None
    reference = {"$ref": f"#/components/schemas/{answer.__name__}", "components": DOCUMENT["components"]}
    Draft202012Validator(reference).validate(schema.examples()[operation])


def test_examples_of_problems_have_their_shape() -> None:
    reference = {"$ref": "#/components/schemas/ProblemDetails", "components": DOCUMENT["components"]}
    for response in DOCUMENT["components"]["responses"].values():
        for example in response["content"]["application/problem+json"]["examples"].values():
            Draft202012Validator(reference).validate(example["value"])


def test_names_are_of_one_kind() -> None:
    names = [name for part in DOCUMENT["components"]["schemas"].values() for name in part.get("properties", ())]
    assert names
    assert all(re.fullmatch(r"[a-z][A-Za-z0-9]*", name) for name in names)
