"""The exception hook in scripts, and in a shell that has IPython's interface."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from kb.integrations import excepthook

pytestmark = pytest.mark.no_db_matrix  # clients see the same whatever the database

LINK = "/e/c53735311c96eaf3/"
RAISES = "class ConnectionTimeout(Exception): pass\nraise ConnectionTimeout('connection timeout expired')\n"
INSTALL = "from kb.integrations import excepthook\nexcepthook.install({})\n"


def test_the_find_follows_the_usual_report(script: Any, live_site: str) -> None:
    plain = script(RAISES)
    ended = script(INSTALL.format("") + RAISES, KB_SERVER=live_site)
    assert ended.returncode == plain.returncode == 1
    head, _, told = ended.stderr.partition("\nFaultbook: ")
    assert head.splitlines()[-1] == plain.stderr.splitlines()[-1]
    assert told.startswith("connection timeout expired (psycopg/psycopg, exact)\nFix: ")
    assert told.endswith(f"\n{live_site}{LINK}\n")
    assert live_site in script(INSTALL.format(f"server={live_site!r}") + RAISES).stderr


@pytest.mark.no_db_matrix
def test_the_catalog_here_is_asked(script: Any, data_directory: Path) -> None:
    ended = script(INSTALL.format("") + RAISES, KB_DATA_DIR=str(data_directory), DJANGO_SETTINGS_MODULE="parcels")
    assert ended.stderr.endswith(f"\nhttp://127.0.0.1:8000{LINK}\n")


@pytest.mark.no_db_matrix
@pytest.mark.parametrize(
    "text",
    [
        "from kb.integrations import excepthook\n" + RAISES,  # off until it is installed
        INSTALL.format("server='http://127.0.0.1:1'") + "excepthook.uninstall()\n" + RAISES,
        INSTALL.format("server='http://127.0.0.1:1'") + "raise KeyboardInterrupt\n",
        INSTALL.format("server='http://127.0.0.1:1'") + "raise SystemExit(3)\n",
    ],
)
def test_there_is_nothing_to_tell(script: Any, text: str) -> None:
    assert "Faultbook" not in script(text).stderr


@pytest.mark.no_db_matrix
def test_no_failure_of_ours_hides_the_exception(script: Any) -> None:
    hostile = "class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd\n"
    for text in (RAISES, hostile, "raise RecursionError\n", "raise ValueError('\\udcff\\0' * 300_000)\n"):
        ended = script(INSTALL.format("server='http://127.0.0.1:1'") + text)
        assert ended.returncode == 1
        assert "Traceback (most recent call last)" in ended.stderr
        assert ended.stderr.count("\nFaultbook: http://127.0.0.1:1 cannot be asked") == 1
        assert "kb/integrations" not in ended.stderr


class Shell:
    """The part of IPython's shell that the hook uses."""

    def __init__(self) -> None:
        self.handler: Any = None
        self.shown: list[tuple[BaseException, Any]] = []

    def set_custom_exc(self, kinds: tuple[type[BaseException], ...], handler: Any) -> None:
        self.handler = handler if kinds else None

    def showtraceback(self, told: Any, tb_offset: Any = None) -> None:
        self.shown.append((told[1], tb_offset))


@pytest.mark.no_db_matrix
def test_a_notebook_loads_and_unloads_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data_directory: Path
) -> None:
    shell, before = Shell(), sys.excepthook
    ipython = types.ModuleType("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: shell, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    for name in ("KB_DATABASE_URL", "KB_SERVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KB_DATA_DIR", str(data_directory))
    excepthook.load_ipython_extension(shell)
    error = type("ConnectionTimeout", (Exception,), {})("connection timeout expired")
    shell.handler(shell, type(error), error, None, tb_offset=1)
    assert shell.shown == [(error, 1)]
    assert LINK in capsys.readouterr().err
    excepthook.unload_ipython_extension(shell)
    assert shell.handler is None
    assert sys.excepthook is before
