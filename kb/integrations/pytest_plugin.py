"""The pytest plugin's options. A run without them loads nothing more than this file."""

from __future__ import annotations

import pytest

__all__ = ["pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--faultbook`` and ``--faultbook-server``, and the server's address in the configuration file."""
    group = parser.getgroup("faultbook", "what failures are known to be")
    group.addoption(
        "--faultbook",
        action="store_true",
        help="add the link and the first fix of a failure's record, where there is one",
    )
    group.addoption(
        "--faultbook-server",
        metavar="URL",
        help="the same, asking this Faultbook (default: faultbook_server, then KB_SERVER, else the catalog here)",
    )
    parser.addini("faultbook_server", "address of the Faultbook that --faultbook asks", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Load the report when it was asked for."""
    if config.getoption("--faultbook") or config.getoption("--faultbook-server"):
        config.pluginmanager.import_plugin("kb.integrations.pytest_report")
