"""Which files of a package are not harvested, and why: tests, vendored copies, examples, documentation, benchmarks.

What is left out is counted, so that nobody takes it for forgotten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

__all__ = ["is_pruned", "split_by_rule"]

_FOLDERS: Final = {
    "tests": "tests",
    "_tests": "tests",
    "vendor": "vendored copies",
    "_vendor": "vendored copies",
    "vendored": "vendored copies",
    "_vendored": "vendored copies",
    "third_party": "vendored copies",
    "thirdparty": "vendored copies",
    "externals": "vendored copies",
    "node_modules": "vendored copies",
    "example": "examples",
    "examples": "examples",
    "demo": "examples",
    "demos": "examples",
    "samples": "examples",
    "turtledemo": "examples",
    "doc": "documentation",
    "docs": "documentation",
    "benchmarks": "benchmarks",
}
"""A folder of this name, at any depth, and why it is left out."""

_TEST_FILE = re.compile(r"(?:test_.*|.*_tests?|tests|conftest)\.py")
_TEST_CASE = re.compile(r"test_.*\.py")
_TEST_FOLDER = re.compile(r"(?:.*_)?test|.*_tests")
_PRUNED: Final = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages"})
_BUILDS: Final = frozenset({"build", "dist"})


def split_by_rule(paths: Iterable[str]) -> tuple[list[str], dict[str, int]]:
    """The paths (relative to the package, with forward slashes) that are harvested, and how many are not, by reason.

    ``test`` is the name of folders with tests and of folders with tools for testing, such as ``django/test``: such a
    folder is left out when there is a test file in it.
    """
    known = list(paths)
    test_folders = {path.rpartition("/")[0] for path in known if _TEST_CASE.fullmatch(path.rpartition("/")[2])}
    taken, left = [], Counter[str]()
    for path in known:
        reason = _reason(path, test_folders)
        if reason:
            left[reason] += 1
        else:
            taken.append(path)
    return taken, dict(sorted(left.items()))


def is_pruned(folder: Path) -> bool:
    """Whether a folder of a source tree is not even looked into: builds, environments, what is hidden."""
    name = folder.name
    if name.startswith(".") or name in _PRUNED or name.endswith((".egg-info", ".dist-info")):
        return True
    return (folder / "pyvenv.cfg").exists() or (name in _BUILDS and not (folder / "__init__.py").exists())


def _reason(path: str, test_folders: set[str]) -> str:
    *folders, file = path.split("/")
    for depth, folder in enumerate(folders, 1):
        reason = _FOLDERS.get(folder.lower(), "")
        if reason:
            return reason
        if _TEST_FOLDER.fullmatch(folder) and "/".join(folders[:depth]) in test_folders:
            return "tests"
    return "tests" if _TEST_FILE.fullmatch(file) else ""
