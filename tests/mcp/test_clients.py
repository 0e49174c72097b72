"""The official client over both transports, on every revision that it speaks; and the program with a pair of pipes."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Awaitable, Callable
from typing import Any

import jsonschema
import pytest
from mcp import Client as McpClient
from mcp import StdioServerParameters
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

pytestmark = pytest.mark.no_db_matrix  # clients see the same whatever the database

REVISIONS = ("auto", *KNOWN_PROTOCOL_VERSIONS)
TOOLS = ["explain_error", "search_errors", "get_error", "list_repositories", "what_changed"]
RECORD = "c53735311c96eaf3"
Call = Callable[..., Any]


async def _everything(client: McpClient, trace: str) -> dict[str, Any]:
    """What a client sees: the revision, the tools, an answer of each tool, and the flags of a failure and of none."""
    tools = (await client.list_tools()).tools
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "explain": ("explain_error", {"text": trace}),
        "search": ("search_errors", {"query": "connection timeout", "limit": 2}),
        "get": ("get_error", {"reference": RECORD}),
        "list": ("list_repositories", {}),
        "changed": ("what_changed", {"limit": 2}),
        "none": ("explain_error", {"text": "all is well today"}),
        "wrong": ("explain_error", {"txt": "x"}),
        "missing": ("get_error", {"reference": "0" * 16}),
    }
    answers = {name: await client.call_tool(*call) for name, call in calls.items()}
    schemas = {tool.name: tool.output_schema for tool in tools}
    for name in ("explain", "search", "get", "list", "changed", "none"):
        jsonschema.validate(answers[name].structured_content, schemas[calls[name][0]])
    return {
        "revision": client.protocol_version,
        "tools": [tool.name for tool in tools],
        "read only": all(tool.annotations and tool.annotations.read_only_hint for tool in tools),
        "failed": [name for name, answer in answers.items() if answer.is_error],
        "best": answers["explain"].structured_content["best"],
        "texts": {name: answer.content[0].text for name, answer in answers.items()},
        "instructions": client.instructions,
    }


def _check(seen: dict[str, Any], revision: str) -> None:
    # The library knows no 2024-11-05 and names the newest of the revisions with a handshake instead.
    assert seen["revision"] == {"2024-11-05": "2025-11-25", "auto": "2026-07-28"}.get(revision, revision)
    assert seen["tools"] == TOOLS
    assert seen["read only"]
    assert seen["failed"] == ["wrong", "missing"]
    assert seen["best"] == RECORD
    assert "Did you mean text?" in seen["texts"]["wrong"]
    assert "search_errors" in seen["texts"]["missing"]
    assert "No record fits" in seen["texts"]["none"]
    if revision != "2026-07-28":  # a client that is told the revision does not ask for them
        assert "explain_error" in seen["instructions"]


def test_a_client_sees_the_same_on_every_revision_over_both_transports(
    live_site: str, program: Callable[..., StdioServerParameters], with_client: Call, trace: str, soak: bool
) -> None:
    over_pipes = REVISIONS if soak else ("auto", "2025-03-26")  # each starts the program anew

    def act(client: McpClient) -> Awaitable[dict[str, Any]]:
        return _everything(client, trace)

    for revision in REVISIONS:
        over_http = with_client(f"{live_site}/mcp", act, revision)
        _check(over_http, revision)
        if revision in over_pipes:
            assert with_client(program(KB_BASE_URL=live_site), act, revision) == over_http, "to the letter"
    nowhere = {"KB_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}  # with --server the catalog here is not asked
    for revision in REVISIONS if soak else ("auto",):
        _check(with_client(program("--server", live_site, **nowhere), act, revision), revision)


# --- the program itself -----------------------------------------------------------------------------------------------

Talk = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def talk(program: Callable[..., StdioServerParameters]) -> Talk:
    """``talk(*lines, options=())`` is what the program says to these lines, which end then."""

    def talked(*lines: bytes, options: tuple[str, ...] = (), **more: str) -> subprocess.CompletedProcess[bytes]:
        started = program(*options, **more)
        return subprocess.run(
            [started.command, *started.args],
            env=started.env,
            input=b"".join(lines),
            capture_output=True,
            check=False,
        )

    return talked


def _line(method: str, number: int | None = 1, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number}).encode() + b"\n"


def test_the_program_answers_line_by_line_whatever_it_reads(starter: None, talk: Talk) -> None:
    ended = talk(
        b"\n  \n",
        b"{not json\n",
        b'"text"\n',
        b"[]\n",
        b"\xff\xfe\n",
        b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"_meta": 7}}\n',
        b"x" * (2 * 1024 * 1024 + 10) + b"\n",
        _line("notifications/initialized", None),
        _line("ping", 2),
        _line("tools/call", 3, name="no_such_tool", arguments={}),
        _line("resources/list", 4),
        _line("prompts/list", 5),
        _line("tools/call", 6, name="get_error", arguments={"reference": RECORD})[:-1],  # no line feed at the end
    )
    assert ended.returncode == 0, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert codes == [-32700, -32600, -32600, -32700, -32602, -32600, None, -32602, -32601, -32601, None]
    assert [answer["id"] for answer in answers[4:]] == [9, None, 2, 3, 4, 5, 6]
    assert RECORD in answers[-1]["result"]["content"][0]["text"]
    assert b"Traceback" not in ended.stderr


def test_links_of_the_program_lead_to_its_site(starter: None, talk: Talk) -> None:
    asked = _line("tools/call", name="get_error", arguments={"reference": RECORD})
    assert f"http://127.0.0.1:8000/e/{RECORD}/" in talk(asked).stdout.decode()
    assert f"https://kb.example/e/{RECORD}/" in talk(asked, KB_BASE_URL="https://kb.example").stdout.decode()


def test_an_empty_catalog_is_told_with_what_to_do(transactional_db: None, talk: Talk) -> None:
    ended = talk(_line("tools/call", name="explain_error", arguments={"text": "x"}))
    result = json.loads(ended.stdout)["result"]
    assert result["isError"]
    assert "faultbook import" in result["content"][0]["text"]


def test_without_a_database_the_program_says_what_to_do(transactional_db: None, talk: Talk, tmp_path: Any) -> None:
    ended = talk(_line("ping"), KB_DATABASE_URL=f"sqlite:///{tmp_path}/new.sqlite3", KB_DATA_DIR=str(tmp_path))
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"faultbook migrate" in ended.stderr
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.no_db_matrix
def test_a_server_that_is_away_or_none_is_told(transactional_db: None, talk: Talk, live_server: Any) -> None:
    asked = (_line("ping", 1), _line("notifications/initialized", None), b"{broken\n")
    ended = talk(*asked, options=("--server", "http://127.0.0.1:9"))
    away = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0
    assert [row["id"] for row in away] == [1, None]
    assert "cannot be asked" in away[0]["error"]["message"]
    ended = talk(_line("ping", 1), options=("--server", f"{live_server.url}/static"))
    assert "error" in json.loads(ended.stdout)
    ended = talk(_line("ping", 1), options=("--server", "ftp://nowhere"))
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"begins with http" in ended.stderr


@pytest.mark.no_db_matrix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_program_quietly(
    starter: None, program: Callable[..., StdioServerParameters], number: int, code: int
) -> None:
    started = program()
    with subprocess.Popen(
        [started.command, *started.args],
        env=started.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(_line("ping"))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"] == {}
        process.send_signal(number)
        assert process.wait() == code
        assert process.stderr
        assert process.stderr.read() == b""
