"""A server makes its static dataset when it is first asked for, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.no_db_matrix


def until(fetch: Callable[[str], Any], address: str, condition: Callable[[Any], bool]) -> Any:
    """The first answer that fulfills a condition."""
    for _ in range(600):
        answer = fetch(address)
        if condition(answer):
            return answer
        time.sleep(0.2)  # asking costs the server time that it needs
    raise AssertionError(f"{address} last answered {answer.status}: {answer.text[:200]}")


def bring_in(installation: Any, source: Path, dataset: str) -> None:
    ended = installation.faultbook("import", str(source), "--dataset", dataset, "--quiet")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_server_makes_it_when_it_is_asked_for(
    installation: Any, fetch: Callable[[str], Any], project_root: Path
) -> None:
    datasets = project_root / "fixtures" / "datasets"
    home = installation.data / "served"

    def version(answer: Any) -> str:
        return str(json.loads(answer.text)["datasetVersion"]) if answer.status == 200 else ""

    with installation.served("--workers", "2") as (server, address):
        assert fetch(f"{address}data/manifest.json").status == 503
        assert not home.exists()  # an empty catalog starts no process
        bring_in(installation, datasets / "seed" / "seed-record.json", "seed")
        first = until(fetch, f"{address}data/manifest.json", version)
        entry = json.loads(first.text)["files"]["index"]
        index = fetch(address.rstrip("/") + entry["path"])
        assert hashlib.sha256(index.text.encode()).hexdigest() == entry["sha256"]
        bring_in(installation, datasets / "starter", "starter")
        second = until(fetch, f"{address}data/manifest.json", lambda answer: version(answer) > version(first))
        assert sorted(path.name for path in home.iterdir() if path.name.isdigit()) == ["1", "2"]
        assert fetch(address.rstrip("/") + entry["path"]).text == index.text
        state = json.loads(fetch(f"{address}api/v1/").text)
        assert state["datasetVersion"] == version(second)
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
    assert (server.returncode, errors) == (0, "")


def test_a_failure_is_told_and_not_repeated_at_once(
    installation: Any, fetch: Callable[[str], Any], project_root: Path
) -> None:
    source = project_root / "fixtures" / "datasets" / "seed" / "seed-record.json"
    bring_in(installation, source, "seed")
    shutil.rmtree(installation.data / "served", ignore_errors=True)
    (installation.data / "served").write_text("in the way")
    with installation.served("--workers", "1") as (server, address):
        answers = [fetch(f"{address}data/manifest.json") for _ in range(3)]
        assert [(answer.status, answer.kind) for answer in answers] == [(503, "application/json")] * 3
        assert fetch(address).status == 200
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
    assert errors.count("The static dataset was not made") == 1
    assert "Traceback" not in errors
