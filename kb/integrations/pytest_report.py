"""Finds under the failures of a test run: all are asked for at once, when the tests are done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kb.integrations.asking import ask, told

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary"]

_MOST_TEXTS = 100  # failures that are asked for; who has more has another problem
_TIMEOUT = 60.0
_PROBLEM = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Add what was found to the reports, before they are printed. Workers of a divided run print none."""
    config = session.config
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    failures = [(report, report.longreprtext) for report in _failures(reporter)]
    texts = list(dict.fromkeys(text for _, text in failures if text.strip()))[:_MOST_TEXTS]
    if not texts:
        return
    server = config.getoption("--faultbook-server") or str(config.getini("faultbook_server"))
    answer = ask(texts, server=server, timeout=_TIMEOUT)
    config.stash[_PROBLEM] = answer.problem
    found = dict(zip(texts, answer.finds, strict=False))
    for report, text in failures:
        find = found.get(text)
        if find:
            _add(report, told(find))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say in one line why there are no finds."""
    problem = config.stash.get(_PROBLEM, "")
    if problem:
        shown = "".join(char if char.isprintable() else "?" for char in problem)
        terminalreporter.write_line(f"faultbook: {shown}")


def _failures(reporter: Any) -> Iterator[Any]:
    """Failed tests, and errors of fixtures and collection."""
    for outcome in ("failed", "error"):
        yield from reporter.stats.get(outcome, ())


def _add(report: Any, text: str) -> None:
    """Below the trace, where it is printed whatever becomes of captured output; else among that."""
    add_section = getattr(report.longrepr, "addsection", None)
    if add_section is not None:
        add_section("Faultbook", text)
    else:
        report.sections.append(("Faultbook", text))
