"""A site and a program with one catalog, asked by the official client on any revision of the protocol."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp.client.session
import pytest
from django.test import Client
from mcp import Client as McpClient
from mcp import StdioServerParameters
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

TRACE = """\
Traceback (most recent call last):
  File "/app/main.py", line 10, in <module>
    connect()
  File "/usr/lib/python3/site-packages/psycopg/connection.py", line 90, in connect
    raise ex
psycopg.errors.ConnectionTimeout: connection timeout expired
"""
MODERN = "2026-07-28"
Call = Callable[..., Any]


@dataclass(frozen=True)
class Told:
    """What a tool answered."""

    failed: bool
    text: str
    content: dict[str, Any]


@pytest.fixture
def trace() -> str:
    """A trace whose record the starter dataset has."""
    return TRACE


# --- raw messages to the view -----------------------------------------------------------------------------------------


def message(method: str, params: Mapping[str, Any] | None = None, number: int | str = 1) -> dict[str, Any]:
    """A request of the current revision."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**(params or {}), "_meta": meta}}


@pytest.fixture
def post(settings: Any) -> Call:
    """``post(message, path="/mcp", **headers)`` through the whole site."""
    settings.KB_RATE_LIMIT = settings.KB_RATE_LIMIT if settings.KB_RATE_LIMIT != 600 else 1_000_000
    client = Client(raise_request_exception=False)

    def posted(body: Any, path: str = "/mcp", **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, dict) and isinstance(body.get("params"), dict) and "_meta" in body["params"]:
            fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": body["method"]}
            if "name" in body["params"]:
                fields["Mcp-Name"] = body["params"]["name"]
            named = {**fields, **named}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return client.post(path, data, content_type="application/json", headers=named)

    return posted


@pytest.fixture
def call(post: Call) -> Call:
    """``call(tool, **arguments)`` is what the tool answers, through the site."""

    def called(tool: str, **arguments: Any) -> Told:
        response = post(message("tools/call", {"name": tool, "arguments": arguments}))
        assert response.status_code == 200, response.content
        result = response.json()["result"]
        return Told(result["isError"], result["content"][0]["text"], result.get("structuredContent", {}))

    return called


@pytest.fixture
def send(post: Call) -> Call:
    """``send(method, **params)`` is the result of a request of the current revision."""

    def sent(method: str, **params: Any) -> Any:
        return post(message(method, params)).json()["result"]

    return sent


# --- the official client ----------------------------------------------------------------------------------------------


@pytest.fixture
def environment(transactional_db: None, settings: Any) -> dict[str, str]:
    """Of a program that has the database and the indexes of the test."""
    from django.db import connection

    values = connection.settings_dict
    url = f"sqlite:///{values['NAME']}"
    if connection.vendor == "postgresql":
        host = str(values["HOST"]).replace("/", "%2F")
        login = values["USER"] + (f":{values['PASSWORD']}" if values["PASSWORD"] else "")
        url = f"postgresql://{login}@{host}:{values['PORT'] or 5432}/{values['NAME']}"
    return {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "DJANGO_"))} | {
        "KB_DATABASE_URL": url,
        "KB_DATA_DIR": str(settings.KB_DATA_DIR),
        "KB_INDEX_DIR": str(settings.KB_INDEX_DIR),
        "KB_SECRET_KEY": "a key for tests only, long enough to pass the check of its length",
    }


@pytest.fixture
def program(environment: dict[str, str]) -> Callable[..., StdioServerParameters]:
    """``program(*options)`` is how a client starts ``faultbook mcp``."""
    faultbook = Path(sys.executable).with_name("faultbook")

    def started(*options: str, **more: str) -> StdioServerParameters:
        return StdioServerParameters(command=str(faultbook), args=["mcp", *options], env=environment | more)

    return started


@pytest.fixture
def with_client(monkeypatch: pytest.MonkeyPatch) -> Call:
    """``with_client(server, act, revision)`` is what ``act(client)`` comes to; ``auto`` lets the client choose."""

    def run(
        server: str | StdioServerParameters, act: Callable[[McpClient], Awaitable[Any]], revision: str = "auto"
    ) -> Any:
        mode = revision
        if revision in HANDSHAKE_PROTOCOL_VERSIONS:  # the client opens with the newest one, unless told otherwise
            mode = "legacy"
            monkeypatch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", revision)

        async def acting() -> Any:
            async with AsyncExitStack() as stack:
                client = await stack.enter_async_context(McpClient(server, mode=mode))
                return await act(client)

        with ThreadPoolExecutor(1) as thread:  # the browser of a test has a loop in the main one
            return thread.submit(anyio.run, acting).result()

    return run


@pytest.fixture
def ask(with_client: Call) -> Call:
    """``ask(server, (tool, arguments), …, revision="auto")`` is what the tools answer to the official client."""

    def asked(server: Any, *calls: tuple[str, dict[str, Any]], revision: str = "auto") -> list[Told]:
        async def act(client: McpClient) -> list[Told]:
            found = [await client.call_tool(tool, arguments) for tool, arguments in calls]
            return [Told(bool(row.is_error), row.content[0].text, row.structured_content or {}) for row in found]

        told: list[Told] = with_client(server, act, revision)
        return told

    return asked
