"""A catalog with a data directory of its own, what it serves below ``/data/``, and Node with packages from npm."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.node_packages import NODE


@pytest.fixture(autouse=True)
def _own_data(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started: tests make the dataset themselves, where they do not ask for that."""
    from kb.api.compat import making

    settings.KB_DATA_DIR = tmp_path / "data"
    monkeypatch.setattr(making, "_PROGRAM", ("false",))
    monkeypatch.setattr(making, "_maker", making._Maker())


@pytest.fixture
def served() -> Callable[[], Any]:
    """Make the static dataset of the current revision; its report."""
    from kb.imports.export.serving import serve_layout

    def made(**options: Any) -> Any:
        report = serve_layout(**options)
        assert report.outcome == "exported", report.error
        return report

    return made


@pytest.fixture
def starter(import_sources: Any, project_root: Path) -> None:
    """The committed datasets."""
    datasets = project_root / "fixtures" / "datasets"
    import_sources(datasets / "seed" / "seed-record.json", dataset="seed")
    import_sources(datasets / "starter", dataset="starter")


@pytest.fixture
def record() -> Callable[..., dict[str, Any]]:
    """``record(name, **fields)`` is a valid record of ``acme/gate`` whose id follows from its name."""
    return made_record


def made_record(name: str, **fields: Any) -> dict[str, Any]:
    message = fields.get("errorMessage", f"{name} is not open")
    return {
        "id": hashlib.sha256(name.encode()).hexdigest()[:16],
        "repo": "acme/gate",
        "slug": name,
        "errorCode": None,
        "errorMessage": message,
        "messagePattern": re.sub(r"\\\{\w+\\\}", "(.+?)", re.escape(message)),
        "errorType": "exception",
        "errorClass": None,
        "severity": "error",
        "filePath": "src/gate.py",
        "githubUrl": f"https://github.com/acme/gate/blob/{'a' * 40}/src/gate.py",
        "documentation": "The gate is shut. Nobody passes.",
        "triggerScenarios": "A walk through a shut gate.",
        "commonSituations": "Night.",
        "solutions": ["Open the gate."],
        "tags": ["gate"],
        "analyzedSha": "a" * 40,
        "analyzedAt": "2026-08-28T05:10:05Z",
        "schemaVersion": 2,
        **fields,
    }


@pytest.fixture
def body() -> Callable[..., bytes]:
    """The content of an answer, which may be a stream."""

    def read(response: Any) -> bytes:
        return bytes(response.getvalue())

    return read


@pytest.fixture
def read_json(client: Client, body: Callable[..., bytes]) -> Callable[..., Any]:
    """What an address answers, as JSON."""

    def read(address: str, **parameters: str) -> Any:
        response = client.get(address, parameters)
        content = body(response)
        assert response.status_code == 200, content
        return json.loads(content)

    return read


# --- Node -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def run_node() -> Callable[..., str]:
    """Run a script with its arguments; what it wrote."""

    def run(script: Path, *arguments: str, given: str = "") -> str:
        command = [str(NODE / "bin" / "node"), str(script), *arguments]
        ended = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


@pytest.fixture(scope="session")
def talk() -> Callable[..., Iterator[Any]]:
    """Start an MCP server over stdio and call its tools, one after the other; what each answered.

    ``between`` is told the number of each call before it is sent. JSON comes parsed, other text as it is.
    """

    def talking(script: Path, environment: dict[str, str], calls: Any, between: Any) -> Iterator[Any]:
        command = [str(NODE / "bin" / "node"), str(script)]
        with subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            client = {"name": "tests", "version": "0"}
            started = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            _exchange(server, 1, "initialize", started)
            _send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            for number, (tool, arguments) in enumerate(calls):
                if between is not None:
                    between(number)
                result = _exchange(server, number + 2, "tools/call", {"name": tool, "arguments": arguments})
                assert not result.get("isError"), result
                yield _told(result["content"][0]["text"])
            server.terminate()

    return talking


def _send(server: subprocess.Popen[str], message: dict[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


def _exchange(server: subprocess.Popen[str], number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert server.stdout
    _send(server, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == number:
            assert "result" in answer, answer
            result: dict[str, Any] = answer["result"]
            return result
    raise AssertionError(f"the client ended before it answered {method}")


def _told(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
