"""Whoever asks about a text gets the same record; and the protocol's own inspector finds nothing to say."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import StdioServerParameters
from playwright.sync_api import Page

from tests.node_packages import NODE, node_environment

pytestmark = pytest.mark.no_db_matrix  # clients see the same whatever the database

Call = Callable[..., Any]
INSPECTOR = "@modelcontextprotocol/inspector@2.12"
CLIENT = "@standardbeagle/errlookup-mcp@0.1.2"
RECORD = "c53735311c96eaf3"
TEXTS = {
    "request got values for both 'body' and 'json' parameters which are mutually exclusive": "0a6383aa1a0e497f",
    "Client private key is encrypted, password is required": "221b0d68b4d97fe2",
    "Can't connect to HTTPS URL because the SSL module is not available.": "7140065a72b8e34e",
    "PostgreSQL text fields cannot contain NUL (0x00) bytes": "5f92c39b320f69c2",
    "positional and named placeholders cannot be mixed": "77e80801e3786b27",
    "Please check proxy URL. It is malformed and could be missing the host.": "825b20b7267f0bd1",
    "The content for this response was already consumed": "d7997d5baf4be9bb",
    "You need tornado installed to use this worker.": "99072e5d79996c90",
    "Cannot use ModelSerializer with Abstract Models.": "70acf9378484380b",
    "Authentication credentials were not provided.": "c991261d94b64077",
}


@pytest.fixture
def inspect(npm_package: Callable[[str], Path], tmp_path: Path) -> Call:
    """``inspect(server, *options)`` is what the inspector's command line does, with a home of its own."""
    script = npm_package(INSPECTOR) / "clients/launcher/build/index.js"

    def run(server: str | StdioServerParameters, *options: str) -> subprocess.CompletedProcess[str]:
        started = [server]
        if isinstance(server, StdioServerParameters):
            pairs = [word for name, value in (server.env or {}).items() for word in ("-e", f"{name}={value}")]
            started = [server.command, *server.args, *[word for word in pairs if "\n" not in word]]
        command = [str(NODE / "bin" / "node"), str(script), "--cli", *started, "--quiet", "--format", "json", *options]
        home = {"HOME": str(tmp_path)}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=node_environment() | home)

    return run


def _best(told: str) -> str:
    """The record that a call of ``explain_error`` came to, from the inspector's report."""
    answer = json.loads(told)
    return str(answer.get("result", answer)["structuredContent"]["best"])


@pytest.mark.no_db_matrix
def test_the_inspector_lists_and_calls_over_both_transports(
    live_site: str, program: Callable[..., StdioServerParameters], inspect: Call, trace: str, soak: bool
) -> None:
    over_http, over_pipes = (f"{live_site}/mcp", "legacy"), (program(), "modern")
    both = (over_http, over_pipes)  # each call starts Node anew: a sample lists here and calls there
    for server, era in both if soak else (over_http,):
        listed = inspect(server, "--protocol-era", era, "--method", "tools/list", "--strict")
        assert listed.returncode == 0, listed.stderr
        assert not listed.stderr.strip(), "the schemas are portable"
        assert "what_changed" in listed.stdout
    for server, era in both if soak else (over_pipes,):
        arguments = json.dumps({"text": trace})
        called = inspect(server, "--protocol-era", era, "--method", "tools/call", "--tool-name", "explain_error",
                         "--tool-args-json", arguments)  # fmt: skip
        assert called.returncode == 0, called.stderr
        assert _best(called.stdout) == RECORD


@pytest.mark.no_db_matrix
def test_everybody_gets_the_same_record(
    live_site: str,
    program: Callable[..., StdioServerParameters],
    ask: Call,
    inspect: Call,
    npm_package: Callable[[str], Path],
    page: Page,
    tmp_path: Path,
    settings: Any,
    soak: bool,
) -> None:
    from kb.imports.export.serving import serve_layout

    settings.KB_RATE_LIMIT = 0
    settings.KB_DATA_DIR = tmp_path / "data"
    assert serve_layout().outcome == "exported"
    calls = [("explain_error", {"text": text}) for text in TEXTS]
    found = {
        "MCP over HTTP": [told.content["best"] for told in ask(f"{live_site}/mcp", *calls)],
        "MCP over pipes": [told.content["best"] for told in ask(program(), *calls)],
        "npm": _asked_by_npm(npm_package(CLIENT), live_site, tmp_path, ask),
        "curl": [_asked_by_curl(live_site, text) for text in TEXTS],
        "browser": [_asked_in_the_browser(live_site, page, text) for text in TEXTS],
    }
    for client, records in found.items():
        assert records == list(TEXTS.values()), client
    for text, record in list(TEXTS.items())[: len(TEXTS) if soak else 2]:  # each starts a process of its own
        options = ("--method", "tools/call", "--tool-name", "explain_error", "--tool-args-json")
        told = inspect(f"{live_site}/mcp", *options, json.dumps({"text": text}))
        assert _best(told.stdout) == record, told.stderr


def _asked_by_npm(package: Path, site: str, home: Path, ask: Call) -> list[str]:
    """The publisher's own client, which searches its copy of ``/data/``."""
    environment = node_environment() | {"ERRLOOKUP_BASE_URL": site, "ERRLOOKUP_CACHE_DIR": str(home / "errlookup")}
    server = StdioServerParameters(
        command=str(NODE / "bin" / "node"), args=[str(package / "dist/index.js")], env=environment
    )
    told = ask(server, *(("search_error", {"message": text}) for text in TEXTS))
    return [json.loads(row.text)["matches"][0]["id"] for row in told]


def _asked_by_curl(site: str, text: str) -> str:
    command = ["curl", "-sG", f"{site}/api/v1/match/", "--data-urlencode", f"q={text}", "-d", "detail=ids"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return str(json.loads(ended.stdout)["results"][0]["best"]["id"])


def _asked_in_the_browser(site: str, page: Page, text: str) -> str:
    """The permanent link on the page of the first record that the explanation leads to."""
    page.goto(f"{site}/explain/?q={quote(text)}")
    page.locator("main a[href^='/errors/']").first.click()
    page.wait_for_url("**/errors/**")
    shown = page.content()
    return shown.partition("/e/")[2][:16]
