"""The settings and commands that docs/mcp.md shows work as they stand."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

from kb.mcp import tools
from kb.mcp.budget import DEFAULT_TOKENS, LEAST_TOKENS, MOST_TOKENS

Call = Callable[..., Any]
SERVED_AT = "http://127.0.0.1:8000"
RECORD = "c53735311c96eaf3"


@pytest.fixture(scope="module")
def page(project_root: Path) -> str:
    """The document."""
    return (project_root / "docs/mcp.md").read_text()


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def _entries(page: str) -> list[dict[str, Any]]:
    """Every server that the settings of the page name."""
    settings = [json.loads(block) for block in _blocks(page, "json")]
    settings += [tomllib.loads(block) for block in _blocks(page, "toml")]
    return [entry for document in settings for table in document.values() for entry in table.values()]


@pytest.mark.no_db_matrix  # how the tools are reached
def test_every_setting_reaches_the_tools(
    live_site: str, page: str, program: Callable[..., StdioServerParameters], ask: Call
) -> None:
    asked = ("get_error", {"reference": RECORD})
    entries = [json.dumps(entry, sort_keys=True) for entry in _entries(page)]
    assert len(entries) == 6
    kinds = []
    for text in sorted(set(entries)):
        entry = json.loads(text.replace(SERVED_AT, live_site))
        kinds.append("url" in entry)
        server: Any = entry.get("url")
        if server is None:
            assert entry["command"] == "faultbook"
            server = program().model_copy(update={"args": entry["args"]})
        (told,) = ask(server, asked)
        assert told.content["record"]["id"] == RECORD
    assert kinds.count(True) == 1
    assert kinds.count(False) == 2


def test_the_request_for_curl_is_answered(live_site: str, page: str) -> None:
    (command,) = [block for block in _blocks(page, "") if block.startswith("curl")]
    words = shlex.split(command.replace("\\\n", " ").replace(SERVED_AT, live_site))
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout)["result"]["structuredContent"]["best"] == RECORD


def test_the_tools_and_numbers_of_the_page_are_true(page: str) -> None:
    documented = re.findall(r"^\| `([a-z_]+)` \|", page, re.MULTILINE)
    assert documented == [tool.name for tool in tools.TOOLS]
    numbers = f"{DEFAULT_TOKENS:,} unless asked otherwise ({LEAST_TOKENS:,} to {MOST_TOKENS:,})"
    assert numbers in page
