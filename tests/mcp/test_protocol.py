"""Raw messages to the view: addresses, methods, origins, sizes, rates, and errors in the protocol's own form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from django.test import Client

Call = Callable[..., Any]
MODERN = "2026-07-28"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_addresses_answer_without_a_redirect(db: None, post: Call, path: str) -> None:
    for body in ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, b"{broken"):
        response = post(body, path)
        assert response.status_code in {200, 400}
        assert response["Content-Type"] == "application/json"
        assert response["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in response
    assert post({"jsonrpc": "2.0", "method": "notifications/initialized"}, path).status_code == 202


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch", "head", "options"])
def test_other_methods_are_refused_with_a_word_for_people(db: None, method: str) -> None:
    response = getattr(Client(), method)("/mcp")
    assert response.status_code == 405
    assert response["Allow"] == "POST"
    assert method == "head" or b"Model Context Protocol" in response.content


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:6274", 200),
        ("http://testserver", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://localhost.evil.example", 403),
        ("http://[", 403),
        ("file:///", 403),
    ],
)
def test_pages_of_other_sites_may_not_ask(db: None, post: Call, settings: Any, origin: str | None, status: int) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "testserver"]
    response = post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **({"Origin": origin} if origin else {}))
    assert response.status_code == status


def test_a_message_that_is_too_large_is_refused_in_the_protocols_form(db: None, post: Call) -> None:
    response = post(b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * (2 * 1024 * 1024) + b'"}')
    assert response.status_code == 413
    assert "over 2 MiB" in response.json()["error"]["message"]


def test_a_client_over_its_rate_waits(db: None, post: Call, settings: Any) -> None:
    settings.KB_RATE_LIMIT = 2
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    statuses = [post(ping).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    response = post(ping)
    assert int(response["Retry-After"]) > 0
    assert response["X-RateLimit-Remaining"] == "0"
    assert response.json()["error"]["message"].startswith("More than 2 requests in a minute.")


def test_unknown_methods_tools_and_revisions_are_errors_of_the_protocol(db: None, post: Call) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    for method, code in (("resources/list", -32601), ("prompts/list", -32601), ("tools/call", -32602)):
        body = {"jsonrpc": "2.0", "id": "a", "method": method, "params": {"name": "nothing", "_meta": meta}}
        response = post(body)
        assert (response.json()["error"]["code"], response.json()["id"]) == (code, "a")
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    refused = post(body, **{"MCP-Protocol-Version": "2031-01-01"}).json()["error"]
    assert refused["data"]["supported"] == [MODERN, "2025-11-25", "2025-06-18", "2025-03-26"]


def test_the_schemas_of_the_tools_are_sound_and_described(db: None, send: Call) -> None:
    found = send("tools/list")["tools"]
    assert [tool["name"] for tool in found] == [
        "explain_error",
        "search_errors",
        "get_error",
        "list_repositories",
        "what_changed",
    ]
    for tool in found:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert [name for name, field in tool["inputSchema"]["properties"].items() if not _described(field)] == []
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }
        assert "$ref" not in json.dumps(tool["inputSchema"]), "some clients cannot follow them"
        assert re.fullmatch("[a-z_]+", tool["name"]), "a header carries the name"
    assert len(json.dumps(found)) < 30_000, "every conversation pays for this"


def _described(field: dict[str, Any]) -> bool:
    return "description" in field or any("description" in part for part in field.get("anyOf", ()))
