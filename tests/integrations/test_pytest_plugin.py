"""``pytest --faultbook`` in a project of its own: finds below failures, and never in anybody's way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.no_db_matrix  # clients see the same whatever the database

MESSAGE = "connection timeout expired (psycopg/psycopg, exact)"
LINK = "/e/c53735311c96eaf3/"


def _shown(ended: Any, base: str) -> None:
    """The find stands below the failure that it belongs to, and nothing below the other one."""
    assert ended.returncode == 1
    assert ended.stdout.count(MESSAGE) == ended.stdout.count(f"{base}{LINK}") == 1
    assert "\nFix: " in ended.stdout
    known, _, unknown = ended.stdout.partition("___ test_unknown ___")
    assert MESSAGE in known
    assert "Faultbook" not in unknown
    assert "2 failed, 1 passed" in unknown


@pytest.mark.no_db_matrix
def test_the_catalog_here_is_asked(tested: Any, data_directory: Path) -> None:
    """Also in a project with Django settings, which are not ours to read."""
    _shown(
        tested("--faultbook", KB_DATA_DIR=str(data_directory), DJANGO_SETTINGS_MODULE="parcels.settings"),
        "http://127.0.0.1:8000",
    )


@pytest.mark.no_db_matrix
def test_a_divided_run_and_hidden_output_show_it_as_well(tested: Any, data_directory: Path) -> None:
    words = ("--faultbook", "--show-capture=no", "--tb=short", "-p", "xdist", "-n", "2", "-p", "no:randomly")
    ended = tested(*words, KB_DATA_DIR=str(data_directory))
    assert ended.stdout.count(MESSAGE) == 1, ended.stdout


def test_a_server_is_asked_by_option_configuration_and_environment(tested: Any, live_site: str, tmp_path: Path) -> None:
    _shown(tested("--faultbook-server", live_site), live_site)
    _shown(tested("--faultbook", KB_SERVER=live_site + "/"), live_site)
    _shown(tested("--faultbook", "-o", f"faultbook_server={live_site}", KB_SERVER="http://127.0.0.1:1"), live_site)


BROKEN = """\
import pytest

class ConnectionTimeout(Exception):
    pass

@pytest.fixture
def connected():
    raise ConnectionTimeout("connection timeout expired")

def test_it(connected):
    pass
"""


def test_errors_of_fixtures_and_of_collection_are_failures(tested: Any, live_site: str, tmp_path: Path) -> None:
    (tmp_path / "project" / "test_fixture.py").write_text(BROKEN)
    (tmp_path / "project" / "test_import.py").write_text(f"{FAILS}\n")
    ended = tested("--faultbook-server", live_site, "--continue-on-collection-errors", "-k", "not known")
    assert ended.stdout.count(MESSAGE) == 2, ended.stdout


FAILS = "class ConnectionTimeout(Exception): pass\nraise ConnectionTimeout('connection timeout expired')"


@pytest.mark.no_db_matrix
def test_without_the_option_nothing_is_loaded_and_nothing_told(tested: Any, tmp_path: Path) -> None:
    (tmp_path / "project" / "test_modules.py").write_text(
        "import sys\n\ndef test_modules():\n"
        "    assert {name for name in sys.modules if name.split('.')[0] in ('kb', 'django')}"
        " == {'kb', 'kb.integrations', 'kb.integrations.pytest_plugin'}\n"
    )
    ended = tested(KB_SERVER="http://127.0.0.1:1")
    assert "2 failed, 2 passed" in ended.stdout
    assert "aultbook" not in ended.stdout.replace("known", "")


@pytest.mark.no_db_matrix
def test_who_cannot_be_asked_is_told_in_one_line(tested: Any) -> None:
    ended = tested("--faultbook", KB_SERVER="http://127.0.0.1:1")
    assert ended.returncode == 1
    assert "2 failed, 1 passed" in ended.stdout
    assert ended.stdout.count("\nfaultbook: http://127.0.0.1:1 cannot be asked") == 1
    assert "Traceback" not in ended.stdout + ended.stderr


@pytest.mark.no_db_matrix
def test_a_run_without_failures_asks_nobody(tested: Any) -> None:
    ended = tested("--faultbook", "-k", "well", KB_SERVER="http://127.0.0.1:1")
    assert (ended.returncode, "aultbook:" in ended.stdout) == (0, False)


@pytest.mark.no_db_matrix
def test_what_a_server_says_cannot_command_the_terminal(tested: Any, answering: Any) -> None:
    match = {
        "id": "../x\x1b[2J",
        "confidence": "exact",
        "errorMessage": "m\x1b[2J\u202e",
        "repo": "r\x9b",
        "record": {"solutions": ["**do** \x1b]0;x\x07"]},
    }
    result = {
        "status": "matched",
        "best": {"id": match["id"], "confidence": "exact"},
        "exceptions": [{"matches": [match]}],
    }
    ended = tested(
        "--faultbook-server", answering(json.dumps({"results": [result]}).encode()), "-k", "known and not un"
    )
    assert "Fix: do" in ended.stdout
    assert not any(char in ended.stdout for char in "\x1b\u202e\x9b\x07")
