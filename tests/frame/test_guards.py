"""The guards that every test runs under do guard."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80), ("example.org", 443)])
def test_other_machines_cannot_be_reached(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as client, pytest.raises(RuntimeError, match="only loopback addresses"):
        client.connect(address)
    with pytest.raises(RuntimeError, match="only loopback addresses"):
        socket.create_connection(address)


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_warnings_are_errors() -> None:
    with pytest.raises(DeprecationWarning):
        warnings.warn("old", DeprecationWarning, stacklevel=1)


@pytest.mark.parametrize("source", ["{{ missing }}", "{{ missing.part }}", "{{ missing|upper }}", "{{ here.gone }}"])
def test_an_undefined_template_variable_fails(source: str) -> None:
    with pytest.raises(pytest.fail.Exception, match="Undefined template variable"):
        Template(source).render(Context({"here": {}}))


def test_nothing_is_written_into_the_checkout(project_root: Path) -> None:
    places = [settings.KB_DATA_DIR, settings.KB_INDEX_DIR, settings.STATIC_ROOT]
    assert [place for place in places if place.is_relative_to(project_root)] == []


def test_database_only_leaves_out_what_says_the_same_on_every_database(tmp_path: Path, project_root: Path) -> None:
    (tmp_path / "conftest.py").write_text((project_root / "tests" / "conftest.py").read_text())
    (tmp_path / "test_sample.py").write_text(
        "import pytest\n"
        "def test_pure(): ...\n"
        "def test_fixture(db): ...\n"
        "def test_browser(browser, live_server): ...\n"
        "@pytest.mark.django_db\ndef test_mark(): ...\n"
        "@pytest.mark.no_db_matrix\n@pytest.mark.django_db\ndef test_opted_out(): ...\n"
    )
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--database-only", "-c"]
    ended = subprocess.run(
        [*command, str(project_root / "pyproject.toml"), "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [line.split("::")[1] for line in ended.stdout.splitlines() if "::" in line] == ["test_fixture", "test_mark"]
